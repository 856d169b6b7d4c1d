#!/usr/bin/env python3
"""Draws rare backgammon positions, as a `start_book_file` of a training configuration.

    scripts/rare-starts.py --each 100 --seed 1 > configs/rare-starts.txt
    scripts/rare-starts.py --each 1000 --seed 700 --kinds snakes "massive back games" > book.txt

Self-play between equals seldom gets to back games, ace-point games, prime against prime, a crunched
board, or a hit during the bear-off. These are drawn from templates: which points are held is
chosen by kind, the other checkers fall at random on the points that the kind leaves to them. Each
line has 26 integers as in an XGID, seen by the player on roll; half have the other side on roll.
"""

import argparse
import random

CHECKERS = 15


def scatter(rng, side, points, number):
    """Puts `number` checkers on `points`, at most five on each while there is room."""
    points = list(points)
    for _ in range(number):
        open_points = [point for point in points if side[point] < 5] or points
        side[rng.choice(open_points)] += 1


def empty():
    return [0] * 26


def hold(side, points, number=2):
    for point in points:
        side[point] += number


def theirs(point):
    """The number that the opponent gives to a point."""
    return 25 - point


def free(side, points):
    """Those of `points` that the other side doesn't hold; points are numbered by the asker."""
    return [point for point in points if side[theirs(point)] == 0]


def back_game(rng):
    """Two anchors in the opponent's home board, the opponent on his way home."""
    us, them = empty(), empty()
    hold(us, rng.choice([(24, 23), (24, 22), (24, 21), (23, 22), (23, 21), (22, 21), (22, 20)]))
    them_free = free(us, range(1, 13))
    scatter(rng, them, them_free, CHECKERS)
    rest = CHECKERS - sum(us)
    scatter(rng, us, free(them, range(1, 19)), rest)
    return us, them


def ace_point(rng):
    """An anchor on the lowest points against a player who bears in or off."""
    us, them = empty(), empty()
    hold(us, [rng.choice([24, 24, 23])], rng.choice([2, 2, 3]))
    off = rng.randint(0, 8)
    scatter(rng, them, free(us, range(1, 8)), CHECKERS - off)
    scatter(rng, us, free(them, range(1, 9)), CHECKERS - sum(us))
    return us, them


def prime_against_prime(rng):
    """Five of six points in a row on both sides, with checkers behind them."""
    us, them = empty(), empty()
    for side, other in ((us, them), (them, us)):
        low = rng.choice([2, 3, 4])
        points = list(range(low, low + 6))
        points.remove(rng.choice(points[1:]))
        hold(side, points)
        behind = rng.randrange(1, low)
        hold(other, [theirs(behind)], rng.choice([1, 2, 2]))
    for side, other in ((us, them), (them, us)):
        scatter(rng, side, free(other, range(1, 15)), CHECKERS - sum(side))
    return us, them


def crunched(rng):
    """A home board fallen on its low points, an anchor or stragglers still behind."""
    us, them = empty(), empty()
    hold(us, [rng.choice([20, 21, 22, 23, 24])], rng.choice([1, 2, 2, 3]))
    scatter(rng, us, [1, 2, 3, 4], CHECKERS - sum(us))
    scatter(rng, them, free(us, range(3, 15)), CHECKERS)
    return us, them


def contact_bear_off(rng):
    """Bearing off against a checker on the bar or on the low points."""
    us, them = empty(), empty()
    number = rng.randint(1, 3)
    hold(us, [rng.choice([25, 25, 24, 23, 22])], number)
    scatter(rng, us, range(1, 7), CHECKERS - number)
    scatter(rng, them, free(us, range(1, 7)), rng.randint(3, 13))
    return us, them


def containment(rng):
    """A few of the opponent's checkers left, one of them hit, against a broken prime."""
    us, them = empty(), empty()
    them[rng.choice([25, 25, 24, 23])] += 1
    scatter(rng, them, [1, 2, 3], rng.randint(0, 5))
    scatter(rng, us, free(them, range(3, 16)), CHECKERS)
    return us, them


def snake(rng):
    """Most checkers far back in a chain, against few that are left or nearly home."""
    us, them = empty(), empty()
    scatter(rng, them, [1, 2, 3], rng.randint(1, 5))
    them[rng.choice([22, 23, 24, 25])] += 1
    scatter(rng, us, free(them, range(11, 24)), CHECKERS)
    return us, them


def massive_back_game(rng):
    """Six or more checkers on two or three points of the opponent's home, the timing not yet spent."""
    us, them = empty(), empty()
    hold(us, rng.sample([20, 21, 22, 23, 24], 3), 2)
    scatter(rng, us, free(them, range(13, 20)), CHECKERS - sum(us))
    scatter(rng, them, free(us, range(1, 15)), CHECKERS)
    return us, them


def second_checker(rng):
    """A closed board with one checker on the bar, and another of theirs to be picked up."""
    us, them = empty(), empty()
    hold(us, range(1, 7))
    scatter(rng, us, range(6, 13), CHECKERS - sum(us))
    them[25] = 1
    scatter(rng, them, free(us, range(8, 19)), rng.randint(1, 2))
    scatter(rng, them, [1, 2, 3], rng.randint(0, 9))
    return us, them


def long_bear_in(rng):
    """Coming home past an anchor."""
    us, them = empty(), empty()
    hold(them, [rng.choice([20, 21, 22, 23, 24])], rng.choice([2, 3]))
    scatter(rng, us, free(them, range(2, 17)), CHECKERS)
    scatter(rng, them, free(us, range(1, 7)), CHECKERS - sum(them))
    return us, them


def race(rng):
    """No contact, both sides with some way to go."""
    us, them = empty(), empty()
    scatter(rng, us, range(2, 13), CHECKERS)
    scatter(rng, them, range(2, 12), CHECKERS)
    return us, them


def outfield_blitz(rng):
    """Single checkers of the opponent in the outfield and at home, builders all around."""
    us, them = empty(), empty()
    hold(them, [6, 8, 13], 3)
    scatter(rng, them, [15, 16, 17, 18, 20, 21, 24, 25], CHECKERS - sum(them))
    scatter(rng, us, free(them, range(4, 17)), CHECKERS)
    return us, them


KINDS = {
    "back games": back_game, "ace-point games": ace_point, "prime against prime": prime_against_prime,
    "crunched boards": crunched, "bear-offs with contact": contact_bear_off, "containment": containment,
    "snakes": snake, "massive back games": massive_back_game, "a second checker": second_checker,
    "long bear-ins": long_bear_in, "races": race, "outfield blitzes": outfield_blitz,
}


def shared(us, them):
    return any(us[point] and them[theirs(point)] for point in range(1, 25))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=30, help="positions of each kind")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, metavar="KIND", default=list(KINDS)[:6],
                        help="some of: " + ", ".join(KINDS) + "; without it the first six")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    for kind in args.kinds:
        print(f"# {kind}")
        number = 0
        while number < args.each:
            us, them = KINDS[kind](rng)
            if shared(us, them):
                continue
            if number % 2:
                us, them = them, us
            counts = [-them[25]] + [us[p] - them[theirs(p)] for p in range(1, 25)] + [us[25]]
            print(",".join(map(str, counts)))
            number += 1


if __name__ == "__main__":
    main()
