#!/usr/bin/env python3
"""Compares the legal plays of random positions and rolls with GNU Backgammon's.

    scripts/compare-gnubg.py [PAIRS [SEED]]        # default 3000 pairs, seed 1

The positions are of several kinds in equal numbers (opening, contact, checkers on the bar, coming
home, bear-off with and without contact). gnubg lists every legal move; this script carries the moves
out with code of its own, and the sets of afterstates must be equal. This also compares the GNU
Position IDs, of asymmetric positions too. A pair takes gnubg some 10 ms.

Exit code: 0 all the same, 1 a difference or a failure, 2 gnubg is missing.
"""

import collections
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools

BAR = 25


def place(text):
    return {"bar": BAR, "off": 0}.get(text) if text in ("bar", "off") else int(text)


def play(position_id, move):
    """The Position ID after gnubg's `move`, the opponent being on roll."""
    theirs, mine = tools.decode(position_id)
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
    return tools.encode(mine, theirs)


def main():
    pairs, seed = (int(word) for word in (sys.argv[1:] + [3000, 1][len(sys.argv) - 1 :]))
    tools.need_gnubg()
    example = ["cargo", "run", "--quiet", "-p", "tavola-rules", "--example", "result_pairs", "--"]
    lines = subprocess.run(
        [*example, str(pairs), str(seed)], check=True, capture_output=True, text=True, cwd=tools.ROOT
    ).stdout
    with tempfile.TemporaryDirectory() as work:
        with open(f"{work}/pairs", "w") as out:
            out.write(lines)
        variables = {"TAVOLA_PAIRS": f"{work}/pairs", "TAVOLA_MOVES": f"{work}/moves"}
        tools.inside_gnubg("gnubg-moves.py", **variables)
        with open(f"{work}/moves") as moves:
            listed = moves.read().splitlines()
    kinds, results, none, different = collections.Counter(), 0, 0, 0
    for line, moves in zip(lines.splitlines(), listed, strict=True):
        kind, position_id, first, second, *ours = line.split()
        theirs = sorted(play(position_id, move) for move in moves.split("\t") if move)
        kinds[kind] += 1
        results += len(ours)
        none += not ours
        if ours != theirs:
            different += 1
            missing, extra = sorted(set(theirs) - set(ours)), sorted(set(ours) - set(theirs))
            print(f"{position_id} {first}-{second} ({kind}): missing {missing}, too many {extra}")
    for kind, count in sorted(kinds.items()):
        print(f"{kind}: {count} pairs")
    failed = different or not kinds
    print(
        f"{'DIFFERENT' if failed else 'same'}: {sum(kinds.values())} pairs, {results} afterstates, "
        f"{none} without a legal play, {different} different"
    )
    sys.exit(1 if failed else 0)


main()
