"""Compares `tavola bearoff show` with gnubg's `bearoffdump`; started by compare-bearoff.sh.

Arguments: the tavola binary, gnubg's one-sided and two-sided databases, positions, seed.
"""

import base64
import json
import random
import re
import subprocess
import sys

# gnubg rounds chances to 1/65535 and prints 1/100000, equities to 2/65535 and prints 1/10000. The
# rounding adds up while it generates from rounded numbers, and where two plays are nearly equal it
# may take the other one.
CHANCE_TOLERANCE = 5e-4
EQUITY_TOLERANCE = 3e-4


def encode(not_on_roll, on_roll):
    """The GNU Position ID of counts by point; the player not on roll comes first."""
    bits = length = 0
    for counts in (not_on_roll, on_roll):
        for point in range(1, 26):
            bits |= ((1 << counts.get(point, 0)) - 1) << length
            length += counts.get(point, 0) + 1
    return base64.b64encode(bits.to_bytes(10, "little")).decode().rstrip("=")


def place(rng, checkers):
    counts = {}
    for _ in range(checkers):
        point = rng.randint(1, 6)
        counts[point] = counts.get(point, 0) + 1
    return counts


def dump(database, position_id):
    return subprocess.run(
        ["bearoffdump", "-p", position_id, database], check=True, capture_output=True, text=True
    ).stdout


def show(tavola, position_id):
    out = subprocess.run(
        [tavola, "bearoff", "show", position_id, "--json"], check=True, capture_output=True, text=True
    ).stdout
    return json.loads(out)


def distributions(text):
    """Four dictionaries from rolls to chances: all off and first off, player and opponent each."""
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
    tavola, one_sided, two_sided, positions, seed = sys.argv[1:]
    rng = random.Random(int(seed))
    all_off = Difference("chance of all off in n rolls", CHANCE_TOLERANCE)
    first_off = Difference("chance of the first off in n rolls", CHANCE_TOLERANCE)
    exact = [
        Difference(name, EQUITY_TOLERANCE)
        for name in ("cubeless equity", "own cube", "cube in the centre", "opponent's cube")
    ]
    # gnubg keeps what a position is worth if its player does not double now.
    keys = ("cubeless", "player_no_double", "center_no_double", "opponent_no_double")
    for i in range(int(positions)):
        # Fifteen checkers half of the time: only then the first one saves a gammon.
        mine, theirs = (place(rng, rng.choice((15, rng.randint(1, 14)))) for _ in range(2))
        position = encode(theirs, mine)
        columns, ours = distributions(dump(one_sided, position)), show(tavola, position)
        for side, counts, (all_column, first_column) in (
            (ours["player"], mine, (columns[0], columns[2])),
            (ours["opponent"], theirs, (columns[1], columns[3])),
        ):
            compared = [(all_off, side["all_off"], all_column)]
            if sum(counts.values()) == 15:
                compared.append((first_off, side["next_off"], first_column))
            for difference, chances, column in compared:
                for rolls in range(1, max([len(chances), *column]) + 1):
                    chance = chances[rolls - 1] if rolls <= len(chances) else 0.0
                    difference.add(chance, column.get(rolls, 0.0), f"{position} in {rolls}")
        mine, theirs = (place(rng, rng.randint(1, 6)) for _ in range(2))
        position = encode(theirs, mine)
        numbers = re.findall(r"(?:equity|cube)\s*: ([+-][\d.]+)", dump(two_sided, position))
        values = show(tavola, position)["exact"]
        for difference, key, number in zip(exact, keys, numbers, strict=True):
            difference.add(values[key], float(number), position)
    reports = [difference.report() for difference in (all_off, first_off, *exact)]
    sys.exit(0 if all(reports) else 1)


main()
