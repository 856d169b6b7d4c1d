#!/usr/bin/env python3
"""Equity loss of decisions, phase by phase; and reference files by GNU Backgammon.

    scripts/error-report.py [PLAYER [PLAYER2]]        # default: the built-in network, gnubg:0
    scripts/error-report.py --rate SAMPLE REFERENCE  # gnubg rates a sample of decisions
    PLY=1 JOBS=4 scripts/error-report.py --rate sample.jsonl reference.jsonl

The first form grades players by the reporting set, or by $REFERENCE, on $THREADS threads (4), and
compares them. benches/grade/tuning.jsonl is for all decisions that are still open: a player chosen
by a set looks better in it than it is.

The second form rates the plays of what `tavola grade sample` wrote, at $PLY plies (2), by $JOBS
processes (2). docs/arena.md describes both files. Evaluations are cubeless money play at full
gammon values, with gnubg's pruning networks and bear-off databases. $TAVOLA is another binary.
"""

import concurrent.futures
import json
import os
import subprocess
import sys

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools

# Which plays are rated: gnubg's 0-ply values decide, so that no decision costs minutes.
TOP = 10
TOP_OF_SAMPLER = 3
MARGIN = 0.3


def rate(gnubg, decision, plies):
    def equity(result, plies):
        return -float(gnubg.ask("evaluate", result, plies)[0])

    results = decision.pop("afterstates")
    rated = set(results)
    if len(results) > TOP:
        first = {result: equity(result, 0) for result in results}
        ranked = sorted(results, key=first.get, reverse=True)
        rated = set(ranked[:TOP]) | set(results[:TOP_OF_SAMPLER])
        rated |= {result for result in results if first[result] >= first[ranked[0]] - MARGIN}
    plays = [(result, round(equity(result, plies), 4)) for result in results if result in rated]
    decision["plays"] = sorted(plays, key=lambda play: (-play[1], play[0]))
    return decision


def write_reference(sample, reference):
    plies, jobs = int(os.environ.get("PLY", 2)), int(os.environ.get("JOBS", 2))
    with open(sample) as lines:
        header, *decisions = map(json.loads, lines)
    for line in [header, *decisions]:
        line.pop("crc32")

    def part(number):
        gnubg = tools.Gnubg(plies)
        rated = [rate(gnubg, decision, plies) for decision in decisions[number::jobs]]
        gnubg.close()
        return gnubg.name.rsplit(", ", 2)[0], rated

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        parts = list(pool.map(part, range(jobs)))
    header["grader"] = {
        "name": parts[0][0],
        "settings": f"{plies}-ply, cubeless money, pruning networks, no noise",
        "rated": f"all plays if there are at most {TOP}; otherwise the {TOP} best at 0-ply, "
        f"all within {MARGIN} of the best of them, and the {TOP_OF_SAMPLER} best of the sampling network",
        "margin": MARGIN,
    }
    rated = [parts[i % jobs][1][i // jobs] for i in range(len(decisions))]
    with open(f"{reference}.part", "w") as out:
        out.write(tools.sealed([header, *rated]))
    os.replace(f"{reference}.part", reference)
    print(f"{len(decisions)} decisions rated: {reference}")


def grade(first="default", second="gnubg:0"):
    binary = tools.tavola()
    reference = os.environ.get("REFERENCE") or tools.ROOT / "benches/grade/reporting.jsonl"
    options = ["--reference", reference, "--threads", os.environ.get("THREADS", "4")]
    for words in ([first], [second], [first, "--against", second]):
        subprocess.run([binary, "grade", *words, *options], check=True)


tools.need_gnubg()
match sys.argv[1:]:
    case ["--rate", sample, reference]:
        write_reference(sample, reference)
    case [*players] if len(players) <= 2 and "--rate" not in players:
        grade(*players)
    case _:
        sys.exit(__doc__)
