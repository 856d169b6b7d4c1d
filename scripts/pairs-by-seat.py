#!/usr/bin/env python3
"""The result of a duel by seat, from files of pairs that `tavola duel --save FILE` writes.

    tavola duel default rule-based --game ludus --games 2000 --save ludus.pairs
    scripts/pairs-by-seat.py ludus.pairs

A line for each file: the game, pairs, and A's points per game with a 95 % interval where A has the first
seat, which rolls first, and where B has it.
"""

import json
import sys


def estimate(points):
    mean = sum(points) / len(points)
    variance = sum((point - mean) ** 2 for point in points) / max(len(points) - 1, 1)
    return f"{mean:+.3f} ± {1.96 * (variance / len(points)) ** 0.5:.3f}"


def points(score):
    """Those of A; games with a cube say more."""
    return score["points"] if isinstance(score, dict) else score


def main():
    if len(sys.argv) < 2:
        sys.exit("no file of pairs is given, expected one or more")
    for path in sys.argv[1:]:
        with open(path) as file:
            lines = [json.loads(line.rsplit(" ", 1)[0]) for line in file if line.strip()]
        # A file that is complete says so in its last line.
        header, pairs = lines[0], [line for line in lines[1:] if "end" not in line]
        done = [pair for pair in pairs if None not in (pair["a_first"], pair["b_first"])]
        if len(done) < 2:
            sys.exit(f"{path} has {len(done)} pairs that were played to the end, expected two or more")
        first, second = ([points(pair[key]) for pair in done] for key in ("a_first", "b_first"))
        print(f"{header['game']}, {len(done):,} pairs: first {estimate(first)}, second {estimate(second)}")


main()
