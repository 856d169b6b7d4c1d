"""Makes GNU Backgammon an engine that other programs can ask for plays.

Runs inside GNU Backgammon:

    TAVOLA_GNUBG_PLY=1 gnubg -t -q -r -p gnubg-engine.py

and speaks version 1 of the protocol in docs/external-engines.md on stdin and stdout. The plays are
those of cubeless money play with gammons and backgammons at their full value. The evaluation is
deterministic and without noise; pruning networks and move filter are gnubg's own defaults.
$TAVOLA_GNUBG_PLY is the number of plies, 0 if it is not set. GNU Backgammon 1.07 is known to work.
"""

import os
import sys

import gnubg

GREETING = "tavola-engine"
VERSION = "1"
GAMES = ("backgammon", "nackgammon", "longgammon")
BAR = 25


def answer(line):
    # gnubg replaces Python's stdout, and writes there itself.
    sys.stdout.flush()
    os.write(1, (line + "\n").encode())


def cube_info():
    """Money play with the cube in the middle, where every win counts for what it is.

    By default gnubg plays money games with the Jacoby rule, by which gammons count for nothing
    until the cube is turned: its gammon prices would be zero."""
    gnubg.command("set jacoby off")
    info = gnubg.cubeinfo(1, -1, 1, 0, (0, 0), 0, 0)
    if info["jacoby"] or info["gammonprice"] != ((1.0, 1.0), (1.0, 1.0)):
        raise ValueError(f"gammons don't have their full value: {info}")
    return info


def version():
    """What gnubg says of its version, which it only prints."""
    read, write = os.pipe()
    sys.stdout.flush()
    stdout = os.dup(1)
    os.dup2(write, 1)
    try:
        gnubg.command("show version")
        sys.stdout.flush()
    finally:
        os.dup2(stdout, 1)
        os.close(stdout)
        os.close(write)
    with os.fdopen(read, "rb") as lines:
        return lines.readline().decode(errors="replace").strip()


def result(board, move):
    """The Position ID after `move`, points from and to in turn, when the opponent is on roll.

    In gnubg's boards the player not on roll comes first, as in Position IDs. Each side has its
    own points 1 to 24 and its bar."""
    theirs, mine = (list(side) for side in board)
    for start, end in zip(move[::2], move[1::2]):
        mine[start - 1] -= 1
        if end > 0:
            mine[end - 1] += 1
            if theirs[24 - end]:
                theirs[24 - end] = 0
                theirs[BAR - 1] += 1
    return gnubg.positionid((tuple(mine), tuple(theirs)))


def best(words, cube, context):
    position, *dice = words
    if len(dice) != 2 or not all(die in "123456" for die in dice):
        raise ValueError(f"not a position and two dice: {' '.join(words)}")
    board = gnubg.positionfromid(position)
    if board is None or gnubg.positionid(board) != position:
        raise ValueError(f"not a Position ID: {position}")
    move = gnubg.findbestmove(board, cube, context, (int(dice[0]), int(dice[1])))
    return result(board, move)


def main():
    plies = int(os.environ.get("TAVOLA_GNUBG_PLY", "0"))
    # 'cubeful' 0: plays are compared by their cubeless equity.
    context = {"cubeful": 0, "plies": plies, "deterministic": 1, "prune": 1, "noise": 0.0}
    cube = cube_info()
    name = f"{version()}, {plies}-ply, cubeless"
    for line in sys.stdin:
        words = line.split()
        try:
            if words[:2] == [GREETING, VERSION]:
                if words[2:] and words[2] in GAMES:
                    answer(f"{GREETING} {VERSION} {name}")
                else:
                    answer(f"error plays {', '.join(GAMES)} and not {' '.join(words[2:])}")
            elif words[:1] == ["best"]:
                answer(f"best {best(words[1:], cube, context)}")
            else:
                answer(f"error unknown request: {line.strip()}")
        except Exception as error:  # whatever it is, the one who asked is waiting
            answer(f"error {type(error).__name__}: {error}".replace("\n", " "))


main()
# Past gnubg's own end, which would print and save.
os._exit(0)
