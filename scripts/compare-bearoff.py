#!/usr/bin/env python3
"""Compares bear-off databases with GNU Backgammon's, on random positions.

    scripts/compare-bearoff.py [POSITIONS [SEED]]  # default 300 positions, seed 1

One-sided: probabilities of bearing off all checkers, and the first, in N rolls. Two-sided: the four
equities. gnubg brings its one-sided database; makebearoff makes its two-sided one in target/ the
first time, in some 20 seconds. Reports the largest and the mean difference of each.

Exit code: 0 all within gnubg's rounding, 1 a larger difference or a failure, 2 gnubg is missing.
"""

import json
import random
import re
import subprocess
import sys

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools

# gnubg rounds probabilities to 1/65535 and prints 1/100000, equities to 2/65535 and prints 1/10000. The
# rounding adds up while it generates from rounded numbers, and where two plays are nearly equal it
# may take the other one.
PROBABILITY_TOLERANCE = 5e-4
EQUITY_TOLERANCE = 3e-4
ONE_SIDED = "/usr/share/gnubg/gnubg_os0.bd"


def place(rng, checkers):
    counts = [0] * 26
    for _ in range(checkers):
        counts[rng.randint(1, 6)] += 1
    return counts


def dump(database, position_id):
    return subprocess.run(
        ["bearoffdump", "-p", position_id, database], check=True, capture_output=True, text=True
    ).stdout


def show(position_id):
    command = [TAVOLA, "bearoff", "show", position_id, "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def distributions(text):
    """Four dictionaries from rolls to probabilities: all off and first off, player and opponent each."""
    table = text[text.index("Rolls") :].splitlines()
    columns = [{}, {}, {}, {}]
    for line in table[1:]:
        if not (match := re.match(r"\s*(\d+)\t(.*)", line)):
            break
        # Columns are set apart by one tab or two, and those of the first checker end sooner.
        for column, cell in zip(columns, match.group(2).split()):
            column[int(match.group(1))] = float(cell) / 100
    return columns


class Difference:
    def __init__(self, name, tolerance):
        self.name, self.tolerance = name, tolerance
        self.count, self.sum, self.worst, self.where = 0, 0.0, 0.0, ""

    def add(self, ours, theirs, where):
        size = abs(ours - theirs)
        self.count += 1
        self.sum += size
        if size > self.worst:
            self.worst, self.where = size, f"{where}: ours {ours:.6f}, gnubg's {theirs:.6f}"

    def report(self):
        fits = self.count > 0 and self.worst <= self.tolerance
        print(
            f"{self.name}: {self.count} numbers, largest difference {self.worst:.6f}, mean "
            f"{self.sum / max(1, self.count):.7f}{'' if fits else '  TOO LARGE'}\n    {self.where}"
        )
        return fits


def main():
    positions, seed = (int(word) for word in (sys.argv[1:] + [300, 1][len(sys.argv) - 1 :]))
    rng = random.Random(seed)
    all_off = Difference("probability of all off in n rolls", PROBABILITY_TOLERANCE)
    first_off = Difference("probability of the first off in n rolls", PROBABILITY_TOLERANCE)
    exact = [
        Difference(name, EQUITY_TOLERANCE)
        for name in ("cubeless equity", "own cube", "cube in the centre", "opponent's cube")
    ]
    # gnubg keeps the value of a position if the mover does not double now.
    keys = ("cubeless", "player_no_double", "center_no_double", "opponent_no_double")
    for i in range(positions):
        # Fifteen checkers half of the time: only then the first one saves a gammon.
        mine, theirs = (place(rng, rng.choice((15, rng.randint(1, 14)))) for _ in range(2))
        position = tools.encode(theirs, mine)
        columns, ours = distributions(dump(ONE_SIDED, position)), show(position)
        for side, counts, (all_column, first_column) in (
            (ours["player"], mine, (columns[0], columns[2])),
            (ours["opponent"], theirs, (columns[1], columns[3])),
        ):
            compared = [(all_off, side["all_off"], all_column)]
            if sum(counts) == 15:
                compared.append((first_off, side["next_off"], first_column))
            for difference, numbers, column in compared:
                for rolls in range(1, max([len(numbers), *column]) + 1):
                    ours_here = numbers[rolls - 1] if rolls <= len(numbers) else 0.0
                    difference.add(ours_here, column.get(rolls, 0.0), f"{position} in {rolls}")
        mine, theirs = (place(rng, rng.randint(1, 6)) for _ in range(2))
        position = tools.encode(theirs, mine)
        numbers = re.findall(r"(?:equity|cube)\s*: ([+-][\d.]+)", dump(two_sided, position))
        values = show(position)["exact"]
        for difference, key, number in zip(exact, keys, numbers, strict=True):
            difference.add(values[key], float(number), position)
    reports = [difference.report() for difference in (all_off, first_off, *exact)]
    sys.exit(0 if all(reports) else 1)


if __name__ == "__main__":
    tools.need_gnubg()
    TAVOLA = tools.tavola()
    two_sided = tools.ROOT / "target/compare-bearoff/gnubg_ts0.bd"
    if not two_sided.exists():
        two_sided.parent.mkdir(parents=True, exist_ok=True)
        part = two_sided.with_suffix(".part")
        subprocess.run(["makebearoff", "-t", "6x6", "-f", part], check=True, capture_output=True)
        part.rename(two_sided)
    main()
