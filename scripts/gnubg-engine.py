"""Makes GNU Backgammon an engine that other programs can ask for plays.

Runs inside GNU Backgammon:

    TAVOLA_GNUBG_PLY=1 gnubg -t -q -r -p gnubg-engine.py

and speaks version 1 of the protocol in docs/engines.md on stdin and stdout. Without a cube
the plays are those of cubeless money play with gammons and backgammons at their full value; with
one, plays and cube actions are cubeful, for money and at any score. The evaluation is
deterministic and without noise; pruning networks and move filter are gnubg's own defaults.
$TAVOLA_GNUBG_PLY is the number of plies, 0 by default. GNU Backgammon 1.07 is known to work.

For the scripts of this folder it also answers

    evaluate POSITION PLIES         cubeless equity for the player on roll
    decision POSITION cube TERMS    equities of no double, take and drop, and gnubg's verdict in words
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
    """Money play with a centered cube and gammons at full value; gnubg's default is the Jacoby rule."""
    gnubg.command("set jacoby off")
    info = gnubg.cubeinfo(1, -1, 1, 0, (0, 0), 0, 0)
    if info["jacoby"] or info["gammonprice"] != ((1.0, 1.0), (1.0, 1.0)):
        raise ValueError(f"gammons don't have their full value: {info}")
    return info


def version():
    """gnubg's version, which it only prints."""
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


def number(word):
    if not word.isdigit():
        raise ValueError(f"not a number: {word}")
    return int(word)


def flipped(words):
    """The words after `cube` as the opponent sees them."""
    value, owner, kind, *rest = words
    owner = {"player": "opponent", "opponent": "player"}.get(owner, owner)
    if kind == "match":
        rest[1:3] = rest[2:0:-1]
    return [value, owner, kind, *rest]


TERMS = {}


def terms(words):
    """gnubg's cube information for the words after `cube`, cached."""
    key = " ".join(words)
    if key not in TERMS:
        value, owner, kind, *rest = words
        owner = {"center": -1, "player": 1, "opponent": 0}[owner]
        if kind == "money":
            # `cubeinfo` does not read "set jacoby" and "set beavers", so both are put in here.
            info = gnubg.cubeinfo(number(value), owner, 1, 0, (0, 0), 0, 0)
            info["jacoby"] = int("jacoby" in rest)
            info["beavers"] = int("beavers" in rest or "raccoons" in rest)
            if info["jacoby"] and owner == -1:
                info["gammonprice"] = ((0.0, 0.0), (0.0, 0.0))
        elif kind == "match":
            length, player, opponent = (number(word) for word in rest[:3])
            info = gnubg.cubeinfo(
                number(value), owner, 1, length, (opponent, player), int("crawford" in rest), 0
            )
        else:
            raise ValueError(f"not money or match: {kind}")
        TERMS[key] = info
    return TERMS[key]


def board_of(position):
    board = gnubg.positionfromid(position)
    if board is None or gnubg.positionid(board) != position:
        raise ValueError(f"not a Position ID: {position}")
    return board


def cube_equities(position, words, context):
    """Equities of no double, of a take and of a drop, from the player on roll."""
    _, no_double, take, drop, *_ = gnubg.cfevaluate(board_of(position), terms(words), context)
    return no_double, take, drop


def double(position, words, context):
    no_double, take, drop = cube_equities(position, words, context)
    if drop <= take:
        return "yes" if drop >= no_double else "no"
    # A take below zero is a beaver: twice as much is lost.
    beavered = take < 0 and ("beavers" in words or "raccoons" in words)
    return "yes" if take * (2 if beavered else 1) > no_double else "no"


def reply(position, offer, words, context):
    if offer == "beaver":
        # The cube after a beaver is owned by the opponent, as after a double: the same equity counts.
        _, take, _ = cube_equities(position, words, context)
        return "turn" if "raccoons" in words and take > 0 else "take"
    _, take, drop = cube_equities(position, words, context)
    if drop < take:
        return "drop"
    beavers = offer == "double" and ("beavers" in words or "raccoons" in words)
    return "turn" if beavers and take < 0 else "take"


def evaluate(position, plies, cube, context):
    """Cubeless equity for the player on roll, also after the end of the game."""
    board = board_of(position)
    if not any(board[0]):
        # The opponent has borne off everything.
        mine = board[1]
        return -1.0 if sum(mine) < 15 else -3.0 if any(mine[18:]) else -2.0
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon, _ = gnubg.evaluate(
        board, cube, {**context, "plies": number(plies)}
    )
    return 2 * win - 1 + win_gammon + win_backgammon - lose_gammon - lose_backgammon


def chances(board, info, context):
    """Win, win a gammon, a backgammon, lose a gammon, a backgammon: of the player on roll."""
    return gnubg.evaluate(board, info, context)[:5]


def play_equities(after, words, cube, context):
    """Of plays that lead to these positions: the equity of the player who makes it, and the chances."""
    info = terms(flipped(words)) if words else cube
    numbers = []
    for position in after:
        board = board_of(position)
        win, win_gammon, win_backgammon, *lose = chances(board, info, context)
        if words:
            equity = gnubg.cfevaluate(board, info, context)[0]
        else:
            equity = 2 * win - 1 + win_gammon + win_backgammon - sum(lose)
        numbers += [-equity, 1 - win, *lose, win_gammon, win_backgammon]
    return numbers


def equities(words, cube, contexts):
    """Of the cube actions, or of plays of a roll."""
    at = words.index("cube") if "cube" in words else len(words)
    told, context = words[at + 1 :], contexts["cube" in words]
    if at == 1 and told:
        board = board_of(words[0])
        return [*cube_equities(words[0], told, context), *chances(board, terms(told), context)]
    if at < 4:
        raise ValueError(f"not a position, a roll and positions after it: {' '.join(words)}")
    return play_equities(words[3:at], told, cube, context)


def best(words, cube, context):
    position, *dice = words
    if len(dice) != 2 or not all(die in "123456" for die in dice):
        raise ValueError(f"not a position and two dice: {' '.join(words)}")
    board = board_of(position)
    move = gnubg.findbestmove(board, cube, context, (int(dice[0]), int(dice[1])))
    return result(board, move)


def main():
    plies = int(os.environ.get("TAVOLA_GNUBG_PLY", "0"))
    # 'cubeful' 0: plays are compared by their cubeless equity.
    context = {"cubeful": 0, "plies": plies, "deterministic": 1, "prune": 1, "noise": 0.0}
    cubeful = {**context, "cubeful": 1}
    cube = cube_info()
    name = f"{version()}, {plies}-ply"
    for line in sys.stdin:
        words = line.split()
        try:
            if words[:2] == [GREETING, VERSION]:
                if words[2:] and words[2] in GAMES:
                    kind = "cubeful" if words[3:] == ["cube"] else "cubeless"
                    answer(f"{GREETING} {VERSION} {name}, {kind}")
                else:
                    answer(f"error plays {', '.join(GAMES)} and not {' '.join(words[2:])}")
            elif words[:1] == ["best"] and words[4:5] == ["cube"]:
                answer(f"best {best(words[1:4], terms(words[5:]), cubeful)}")
            elif words[:1] == ["best"]:
                answer(f"best {best(words[1:], cube, context)}")
            elif words[:1] == ["double"] and words[2:3] == ["cube"]:
                answer(f"double {double(words[1], words[3:], cubeful)}")
            elif words[:1] == ["answer"] and words[3:4] == ["cube"]:
                answer(f"answer {reply(words[1], words[2], words[4:], cubeful)}")
            elif words[:1] == ["evaluate"] and len(words) == 3:
                answer(f"evaluate {evaluate(*words[1:], cube, context):.6f}")
            elif words[:1] == ["equities"] and len(words) > 1:
                values = equities(words[1:], cube, (context, cubeful))
                answer("equities " + " ".join(f"{value:.6f}" for value in values))
            elif words[:1] == ["decision"] and words[2:3] == ["cube"]:
                _, *values, _, text = gnubg.cfevaluate(board_of(words[1]), terms(words[3:]), cubeful)
                answer("decision " + " ".join(f"{value:.6f}" for value in values) + f" {text}")
            else:
                answer(f"error unknown request: {line.strip()}")
        except Exception as error:  # the caller waits for an answer
            answer(f"error {type(error).__name__}: {error}".replace("\n", " "))


main()
# Past gnubg's own end, which would print and save.
os._exit(0)
