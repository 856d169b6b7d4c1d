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
import json
import random
import re
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


def outside(mine):
    return sum(mine[7:BAR])


def has_contact(mine, theirs):
    rear = [max(at for at, count in enumerate(side) if count) for side in (mine, theirs)]
    return sum(rear) > BAR


# A position belongs to the first kind that it fits.
KINDS = {
    "two-on-bar": lambda mine, theirs, ply: mine[BAR] > 1,
    "bar": lambda mine, theirs, ply: mine[BAR] == 1,
    "bear-off-contact": lambda mine, theirs, ply: not outside(mine) and has_contact(mine, theirs),
    "bear-off": lambda mine, theirs, ply: not outside(mine),
    "coming-home": lambda mine, theirs, ply: outside(mine) == 1,
    "opening": lambda mine, theirs, ply: ply < 6,
    "contact": lambda mine, theirs, ply: has_contact(mine, theirs),
}

# The games of fifteen checkers, since a Position ID doesn't say how many there are.
STARTS = [tools.START, "4Dl4ADbgOXgANg", "AACA/z8AAID/Pw"]


def random_pairs(count, seed):
    """Lines of a kind, a Position ID, a roll and the IDs after each legal play, of random games."""
    chance = random.Random(seed)
    engine = tools.Answers([tools.tavola(), "batch", "--quiet"])

    def legal(position, dice):
        asked = {"op": "legal", "position": position, "dice": dice}
        return [play["position"] for play in json.loads(engine.line(json.dumps(asked)))["plays"]]

    left = dict.fromkeys(KINDS, -(-count // len(KINDS)))
    lines = []
    while any(left.values()):
        position = chance.choice(STARTS)
        for ply in range(10_000):
            theirs, mine = tools.decode(position)
            if not any(theirs) or not any(mine):
                break
            kind = next((kind for kind, fits in KINDS.items() if fits(mine, theirs, ply)), None)
            # One position in ten, so that a single game does not fill a kind.
            if kind and left[kind] and not chance.randrange(10):
                left[kind] -= 1
                dice = sorted(chance.choices(range(1, 7), k=2), reverse=True)
                ids = sorted(legal(position, dice))
                lines.append(" ".join([kind, position, *map(str, dice), *ids]))
            # Without a legal play the turn passes.
            after = legal(position, chance.choices(range(1, 7), k=2))
            position = chance.choice(after) if after else tools.encode(mine, theirs)
    return lines


def main():
    pairs, seed = (int(word) for word in (sys.argv[1:] + [3000, 1][len(sys.argv) - 1 :]))
    tools.need_gnubg()
    lines = random_pairs(pairs, seed)
    with tempfile.TemporaryDirectory() as work:
        with open(f"{work}/pairs", "w") as out:
            out.write("\n".join(lines) + "\n")
        variables = {"TAVOLA_PAIRS": f"{work}/pairs", "TAVOLA_MOVES": f"{work}/moves"}
        tools.inside_gnubg("gnubg-moves.py", **variables)
        with open(f"{work}/moves") as moves:
            listed = moves.read().splitlines()
    kinds, results, none, different = collections.Counter(), 0, 0, 0
    for line, moves in zip(lines, listed, strict=True):
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
