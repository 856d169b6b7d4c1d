"""The parts of compare-search-speed.sh.

    python search-speed.py prepare FOLDER DECISIONS PLY PRESET
    python search-speed.py ours FOLDER PART TAVOLA batch ...
    gnubg -t -q -r -p search-speed.py     inside GNU Backgammon, files and plies in the environment
    python search-speed.py report FOLDER PLY PRESET

Seconds are of processor time: gnubg's waiting for its event loop at every call does not count.
Each part of the decisions is measured by both engines before the next one is.
"""

import json
import os
import random
import subprocess
import sys
import time

PARTS = 4


def prepare(folder, decisions, ply, preset):
    with open(f"{folder}/all.txt") as lines:
        pairs = sorted(set(lines))
    random.Random(1).shuffle(pairs)
    pairs = pairs[: int(decisions)]
    for part in range(PARTS):
        piece = pairs[part::PARTS]
        with open(f"{folder}/pairs{part}.txt", "w") as out:
            out.writelines(piece)
        with open(f"{folder}/requests{part}.jsonl", "w") as out:
            for line in piece:
                position, first, second = line.split()
                request = {"op": "best", "position": position, "dice": [int(first), int(second)]}
                print(json.dumps(request | {"ply": int(ply), "preset": preset, "top": 1}), file=out)


def seconds(command, requests):
    """Processor time of a program that answers requests, and its answers."""
    with open(requests) as stdin:
        process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, text=True)
        answers = process.stdout.read().splitlines()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode or any("error" in json.loads(answer) for answer in answers):
        sys.exit(f"{' '.join(command)} failed: {answers[-1:]}")
    return usage.ru_utime + usage.ru_stime, len(answers)


def ours(folder, part, command):
    start, _ = seconds(command, os.devnull)
    total, answers = seconds(command, f"{folder}/requests{part}.jsonl")
    with open(f"{folder}/ours{part}.txt", "w") as out:
        print(total - start, answers, file=out)


def theirs():
    import gnubg

    gnubg.command("set threads 1")
    gnubg.command("set jacoby off")
    cube = gnubg.cubeinfo(1, -1, 1, 0, (0, 0), 0, 0)
    plies = int(os.environ["TAVOLA_PLY"])
    context = {"cubeful": 0, "plies": plies, "deterministic": 1, "prune": 1, "noise": 0.0}
    with open(os.environ["TAVOLA_POSITIONS"]) as lines:
        pairs = [line.split() for line in lines]
    boards = [(gnubg.positionfromid(p), (int(a), int(b))) for p, a, b in pairs]
    started = time.process_time()
    for board, dice in boards:
        gnubg.findbestmove(board, cube, context, dice)
    total = time.process_time() - started
    with open(os.environ["TAVOLA_TIMES"], "w") as out:
        print(total, len(boards), file=out)


def report(folder, ply, preset):
    def parts(engine):
        figures = []
        for part in range(PARTS):
            with open(f"{folder}/{engine}{part}.txt") as file:
                total, count = file.read().split()
            figures.append((float(total), int(count)))
        return figures

    figures = {engine: parts(engine) for engine in ("ours", "gnubg")}
    if [count for _, count in figures["ours"]] != [count for _, count in figures["gnubg"]]:
        sys.exit("the engines have not made the same decisions")

    def mean(engine):
        return 1000 * sum(t for t, _ in figures[engine]) / sum(n for _, n in figures[engine])

    print(f"{sum(n for _, n in figures['ours'])} decisions, {ply}-ply")
    for engine, name in (("ours", f"tavola, preset {preset}"), ("gnubg", "gnubg")):
        each = ", ".join(f"{1000 * t / n:.2f}" for t, n in figures[engine])
        print(f"{name:<24} {mean(engine):8.2f} ms a decision   (parts: {each})")
    ratios = sorted(
        theirs * n / (ours * m)
        for (ours, n), (theirs, m) in zip(figures["ours"], figures["gnubg"])
    )
    print(f"{'gnubg / tavola':<24} {mean('gnubg') / mean('ours'):8.1f}", end="")
    print(f"                 (parts: {ratios[0]:.1f} to {ratios[-1]:.1f})")


if "TAVOLA_TIMES" in os.environ:
    try:
        theirs()
        done = 0
    except Exception as error:  # gnubg would print it and go on to its prompt
        print(f"\nsearch-speed.py: {type(error).__name__}: {error}", flush=True)
        done = 1
    # Past gnubg's own end, which would print and save.
    os._exit(done)
match sys.argv[1:]:
    case ["prepare", folder, decisions, ply, preset]:
        prepare(folder, decisions, ply, preset)
    case ["ours", folder, part, *command]:
        ours(folder, part, command)
    case ["report", folder, ply, preset]:
        report(folder, ply, preset)
    case _:
        sys.exit(__doc__)
