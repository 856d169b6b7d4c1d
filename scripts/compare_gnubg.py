"""Compares lists of legal results with GNU Backgammon.

Runs inside GNU Backgammon (`gnubg -t -q -p compare_gnubg.py`), started by compare-gnubg.sh.
Reads the pairs that the example `result_pairs` prints from the file $TAVOLA_PAIRS, lets gnubg list
every legal move of each by its hint at 0-ply, carries the moves out on a board of its own, and
writes a report to the file $TAVOLA_REPORT. Its last line begins with `same` or `DIFFERENT`.
"""

import base64
import collections
import os
import re

import gnubg

BAR = 25


def decode(position_id):
    """Two lists of 26 counts, opponent's and mover's: points 1 to 24 in own numbering, then bar."""
    bits = int.from_bytes(base64.b64decode(position_id + "=="), "little")
    sides = []
    for _ in range(2):
        counts = [0] * 26
        for point in range(1, 26):
            while bits & 1:
                counts[point] += 1
                bits >>= 1
            bits >>= 1
        sides.append(counts)
    return sides


def encode(not_on_roll, on_roll):
    """The GNU Position ID: the player not on roll comes first."""
    bits = length = 0
    for counts in (not_on_roll, on_roll):
        for point in range(1, 26):
            bits |= ((1 << counts[point]) - 1) << length
            length += counts[point] + 1
    return base64.b64encode(bits.to_bytes(10, "little")).decode().rstrip("=")


def place(text):
    return {"bar": BAR, "off": 0}.get(text) if text in ("bar", "off") else int(text)


def play(position_id, move):
    """The Position ID after gnubg's `move`, the opponent being on roll."""
    theirs, mine = decode(position_id)
    for part in move.split():
        match = re.fullmatch(r"([^(]+)(?:\((\d)\))?", part)
        stops = match.group(1).split("/")
        for _ in range(int(match.group(2) or 1)):
            start = place(stops[0].rstrip("*"))
            for stop in stops[1:]:
                end = place(stop.rstrip("*"))
                if not mine[start]:
                    raise ValueError(f"{move}: no checker on {start}")
                mine[start] -= 1
                if end:
                    mine[end] += 1
                    blot = theirs[25 - end]
                    if blot > 1 or (blot == 1 and "*" not in stop):
                        raise ValueError(f"{move}: {blot} checkers on {end}")
                    if blot:
                        theirs[25 - end] = 0
                        theirs[BAR] += 1
                start = end
    return encode(mine, theirs)


def legal_results(position_id, dice):
    """Sorted Position IDs of everything that gnubg holds legal."""
    gnubg.command("set turn 1")
    gnubg.command(f"set board {position_id}")
    gnubg.command(f"set dice {dice[0]} {dice[1]}")
    hint = gnubg.hint(9999)
    if not hint:
        return []
    if hint["gnubgid"].split(":")[0] != position_id:
        raise ValueError(f"asked for {position_id}, gnubg looks at {hint['gnubgid']}")
    return sorted(play(position_id, move["move"]) for move in hint.get("hint", []))


def main():
    for command in (
        "set automatic game off",
        "set automatic roll off",
        "set automatic move off",
        "set automatic bearoff off",
        "set player 0 human",
        "set player 1 human",
        "set evaluation chequerplay evaluation plies 0",
        "set confirm new off",
        "new session",
    ):
        gnubg.command(command)
    kinds = collections.Counter()
    results = none = different = 0
    with open(os.environ["TAVOLA_PAIRS"]) as pairs, open(os.environ["TAVOLA_REPORT"], "w") as report:
        for line in pairs:
            kind, position_id, first, second, *ours = line.split()
            theirs = legal_results(position_id, (int(first), int(second)))
            kinds[kind] += 1
            results += len(ours)
            none += not ours
            if ours != theirs:
                different += 1
                report.write(
                    f"{position_id} {first}-{second} ({kind}): gnubg has {len(theirs)}, we {len(ours)}; "
                    f"missing {sorted(set(theirs) - set(ours))}, "
                    f"too many {sorted(set(ours) - set(theirs))}\n"
                )
        for kind, count in sorted(kinds.items()):
            report.write(f"{kind}: {count} pairs\n")
        total = sum(kinds.values())
        report.write(
            f"{'DIFFERENT' if different or not total else 'same'}: {total} pairs, {results} results, "
            f"{none} without a legal play, {different} different\n"
        )


main()
