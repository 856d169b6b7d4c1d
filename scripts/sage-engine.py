"""Makes Open Sage (PyPI bgsage) an engine that other programs can ask for plays.

    python3 sage-engine.py 2ply

speaks version 1 of the protocol in docs/engines.md on stdin and stdout. The argument is the level by
Sage's own name: `1ply`, the default, is its bare network, which others call 0-ply. Without a cube the
plays are those of cubeless money play with gammons and backgammons at their full value; with one, plays
and cube actions are cubeful, for money and at any score that Sage's equity table knows.
"""

import base64
import importlib.metadata
import os
import sys

PACKAGE, RELEASE = "bgsage", "2.0.20260907"
LEVELS = ("1ply", "2ply", "3ply", "4ply")
GAMES = ("backgammon", "nackgammon", "longgammon")
GREETING = "tavola-engine"
VERSION = "1"
BAR = 25
# Sage's table of match equities ends here, and clamps what is beyond.
MOST_AWAY = 25


def board_of(position):
    """Sage's 26 numbers: the opponent's bar, the points 1 to 24 as the player on roll numbers them, with
    the opponent's checkers below zero, and the player's bar. Both bars are above zero."""
    try:
        data = base64.b64decode(position + "==", validate=True)
    except ValueError:
        data = b""
    if len(position) != 14 or len(data) != 10:
        raise ValueError(f"not a Position ID: {position}")
    bits, sides = int.from_bytes(data, "little"), []
    for _ in range(2):
        counts = []
        for _ in range(25):
            count = 0
            while bits & 1:
                count, bits = count + 1, bits >> 1
            counts.append(count)
            bits >>= 1
        sides.append(counts)
    theirs, mine = sides
    return [theirs[BAR - 1], *(mine[point] - theirs[23 - point] for point in range(24)), mine[BAR - 1]]


def result(board):
    """The Position ID of Sage's board after a play, when the opponent is on roll."""
    mine = [max(count, 0) for count in board[1:25]] + [board[BAR]]
    theirs = [max(-count, 0) for count in reversed(board[1:25])] + [board[0]]
    bits = length = 0
    # The player not on roll comes first: the one who has played.
    for count in mine + theirs:
        bits |= ((1 << count) - 1) << length
        length += count + 1
    return base64.b64encode(bits.to_bytes(10, "little")).decode().rstrip("=")


def before_turn(board):
    """A board with the opponent on roll as the player who has just played sees it."""
    return [board[BAR], *(-count for count in reversed(board[1:25])), board[0]]


def chances(probs):
    """Win, win a gammon, a backgammon, lose a gammon, a backgammon."""
    won = probs.win, probs.gammon_win, probs.backgammon_win
    return *won, probs.gammon_loss, probs.backgammon_loss


def number(word):
    if not word.isdigit():
        raise ValueError(f"not a number: {word}")
    return int(word)


def terms(words):
    """Sage's keywords for the words after `cube`; Jacoby and beavers are on unless they are switched off."""
    value, owner, kind, *rest = words
    owner = {"center": "centered", "player": "player", "opponent": "opponent"}[owner]
    cube = {"cube_value": number(value), "cube_owner": owner, "jacoby": False, "beaver": False}
    if kind == "money":
        return {**cube, "jacoby": "jacoby" in rest, "beaver": "beavers" in rest or "raccoons" in rest}
    if kind != "match":
        raise ValueError(f"not money or match: {kind}")
    length, player, opponent = (number(word) for word in rest[:3])
    away = length - player, length - opponent
    if max(away) > MOST_AWAY:
        raise ValueError(f"a player needs {max(away)} points, expected at most {MOST_AWAY} for Open Sage")
    return {**cube, "away1": away[0], "away2": away[1], "is_crawford": "crawford" in rest}


# Nothing of a cube, not even in the filter before a deeper search.
CUBELESS = {"cube_owner": None, "jacoby": False, "beaver": False}


class Sage:
    def __init__(self, level, cubeful):
        if level not in LEVELS:
            raise ValueError(f"not a level of Open Sage: {level}, expected {', '.join(LEVELS)}")
        wanted = f"expected Open Sage {RELEASE} for {sys.executable}: pip install {PACKAGE}=={RELEASE}"
        try:
            found = importlib.metadata.version(PACKAGE)
        except importlib.metadata.PackageNotFoundError:
            raise ValueError(f"no Python package {PACKAGE}, {wanted}") from None
        if found != RELEASE:
            raise ValueError(f"{PACKAGE} {found} is installed, {wanted}")
        from bgsage import BgBotAnalyzer

        # Threads change no answer, and others play at the same time.
        self.analyzer = BgBotAnalyzer(eval_level=level, cubeful=cubeful, parallel_threads=1)
        self.name = f"Open Sage {found}, {level}, {'cubeful' if cubeful else 'cubeless'}"

    def best(self, position, dice, terms):
        if len(dice) != 2 or not all(die in "123456" for die in dice):
            raise ValueError(f"not two dice: {' '.join(dice)}")
        # Plays are told apart by where they lead to.
        return result(self.analyzer.checker_play(board_of(position), *map(int, dice), **terms).moves[0].board)

    def plays(self, position, dice, after, terms):
        """Of plays that lead to these positions: the equity of the player who makes it, and the chances."""
        boards = [before_turn(board_of(position)) for position in after]
        found = self.analyzer.checker_play(
            board_of(position), *map(int, dice), **terms, force_boards=boards
        )
        rated, numbers = {tuple(move.board): move for move in found.moves}, []
        for position, board in zip(after, boards):
            move = rated.get(tuple(board))
            if move is None:
                raise ValueError(f"no play of {' '.join(dice)} leads to {position}")
            numbers += [move.equity, *chances(move.probs)]
        return numbers

    def cube(self, position, terms):
        """Equities of no double, of a take and of a drop, and the chances, of the player on roll."""
        seen = self.analyzer.cube_action(board_of(position), **{**terms, "beaver": False})
        return [seen.equity_nd, seen.equity_dt, seen.equity_dp, *chances(seen.probs)]

    def double(self, position, terms):
        return "yes" if self.analyzer.cube_action(board_of(position), **terms).should_double else "no"

    def reply(self, position, offer, raccoons, terms):
        if offer == "beaver":
            # Sage knows no raccoons: one is right where the beaver was wrong.
            seen = self.analyzer.cube_action(board_of(position), **{**terms, "beaver": False})
            return "turn" if raccoons and seen.equity_dt > 0 else "take"
        seen = self.analyzer.cube_action(board_of(position), **terms)
        if offer == "double" and seen.is_beaver:
            return "turn"
        return "take" if seen.should_take else "drop"


def answer_to(words, sage):
    request, cube = words[0], terms(words[words.index("cube") + 1 :]) if "cube" in words else CUBELESS
    if request == "best":
        return f"best {sage.best(words[1], words[2:4], cube)}"
    if request == "equities":
        position, *play = words[1 : words.index("cube") if "cube" in words else None]
        if not play and cube is CUBELESS:
            raise ValueError(f"no cube in: {' '.join(words)}")
        numbers = sage.plays(position, play[:2], play[2:], cube) if play else sage.cube(position, cube)
        return "equities " + " ".join(f"{number:.6f}" for number in numbers)
    if request == "double":
        return f"double {sage.double(words[1], cube)}"
    if request == "answer":
        return f"answer {sage.reply(words[1], words[2], 'raccoons' in words, cube)}"
    raise ValueError(f"unknown request: {' '.join(words)}")


def main():
    level, sage = (sys.argv[1:] or LEVELS)[0], None
    # What libraries print on stdout goes to stderr: only answers are for the other side.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    for line in sys.stdin:
        words = line.split()
        try:
            if words[:2] == [GREETING, VERSION]:
                if words[2:3] == [] or words[2] not in GAMES:
                    raise ValueError(f"plays {', '.join(GAMES)} and not {' '.join(words[2:])}")
                sage = Sage(level, words[3:] == ["cube"])
                print(f"{GREETING} {VERSION} {sage.name}", file=answers)
            elif words:
                print(answer_to(words, sage), file=answers)
        except Exception as error:  # the caller waits for an answer
            print(f"error {error or type(error).__name__}".replace("\n", " "), file=answers)


if __name__ == "__main__":
    main()
