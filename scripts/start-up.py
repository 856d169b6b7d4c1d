#!/usr/bin/env python3
"""Start-up: processor time and peak memory of each command, from its start to its end.

    scripts/start-up.py
    scripts/start-up.py --beside ../older/tavola       # another binary, in turns
    scripts/start-up.py --only best,cube --runs 21

Each command answers one small question, so that most of its time is that of its start. The table has
the median of some runs in milliseconds of processor time and the largest peak of memory, of tavola
and, where they are installed, of gnubg and Open Sage that start and answer one request. With
--beside the ratio is the median of those of each turn. $TAVOLA is another binary.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools

MIDDLE = "62aCAQPWnBsAAw"
MATCH = "crates/advice/matches/tests/files/three-points.mat"
REQUEST = {"op": "best", "position": MIDDLE, "dice": [4, 2], "ply": 0}
COMMANDS = {
    "version": ["--version"],
    "legal": ["legal", MIDDLE, "--roll", "42"],
    "show": ["show", MIDDLE],
    "best, 0-ply": ["best", MIDDLE, "--roll", "42", "--ply", "0"],
    "best": ["best", MIDDLE, "--roll", "42"],
    "eval": ["eval", MIDDLE],
    "cube": ["cube", MIDDLE],
    "rollout, 36 trials": ["rollout", MIDDLE, "--trials", "36"],
    "analyze, 0-ply": ["analyze", str(tools.ROOT / MATCH), "--level", "0"],
    "batch, one answer": ["batch", "--quiet"],
    "ubgi, one answer": ["ubgi"],
}
INPUTS = {
    "batch, one answer": json.dumps(REQUEST) + "\n",
    "ubgi, one answer": f"ubgi\nposition gnubgid {MIDDLE}\ndice 4 2\ngo role chequer depth 0\nquit\n",
}


def run(words, text="", **variables):
    """Seconds of processor time and the peak of memory in MB of a command that must succeed."""
    with tempfile.TemporaryFile("w+") as given:
        given.write(text)
        given.seek(0)
        child = os.fork()
        if not child:
            nowhere = os.open(os.devnull, os.O_RDWR)
            for number, file in enumerate((given.fileno(), nowhere, nowhere)):
                os.dup2(file, number)
            try:
                os.execvpe(words[0], words, {**os.environ, **variables})
            finally:
                os._exit(127)
        _, status, used = os.wait4(child, 0)
    if status:
        tools.stop(f"{' '.join(words)} failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def peers(home):
    """What starts other engines, by name: words, input and variables."""
    ask = f"tavola-engine 1 backgammon\nbest {tools.START} 3 1\n"
    os.environ["PATH"] += ":/usr/games"
    if shutil.which("gnubg"):
        words = tools.gnubg_command(tools.ROOT / "scripts/gnubg-engine.py")
        yield "gnubg, one answer", words, ask, {"HOME": home, "TAVOLA_GNUBG_PLY": "0"}
    if importable("bgsage"):
        yield "Open Sage, one answer", [sys.executable, str(tools.ROOT / "scripts/sage-engine.py")], ask, {}


def importable(name):
    return tools.importlib.util.find_spec(name) is not None


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--beside", metavar="BINARY", help="another tavola, which takes turns")
    parser.add_argument("--only", default="", help="commands that begin so, with commas between")
    parser.add_argument("--runs", type=int, default=9, help="runs of each (9)")
    options = parser.parse_args()
    if options.runs < 1:
        parser.error(f"argument --runs: expected at least 1, got {options.runs}")
    binaries = [tools.tavola(), *filter(None, [options.beside])]
    for binary in binaries:
        if not Path(binary).is_file():
            parser.error(f"argument --beside: {binary} is no file, expected a tavola")
    wanted = tuple(options.only.split(","))
    beside = ["of the other", "ratio"] if options.beside else []
    head = ["command", "ms", "MB", *beside]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    with tempfile.TemporaryDirectory() as home:
        jobs = [
            (name, [([binary, *words], INPUTS.get(name, ""), {}) for binary in binaries])
            for name, words in COMMANDS.items()
        ]
        jobs += [(name, [(words, text, variables)]) for name, words, text, variables in peers(home)]
        for name, commands in jobs:
            if not name.startswith(wanted):
                continue
            turns = [
                [run(words, text, **variables) for words, text, variables in commands]
                for _ in range(options.runs)
            ]
            times = [1000 * statistics.median(turn[i][0] for turn in turns) for i in range(len(commands))]
            row = [name, f"{times[0]:.0f}", f"{max(turn[0][1] for turn in turns):.0f}"]
            if len(times) > 1:
                ratio = statistics.median(turn[0][0] / max(turn[1][0], 1e-3) for turn in turns)
                row += [f"{times[1]:.0f}", f"{ratio:.2f}"]
            print(f"| {' | '.join(row)} |", flush=True)


main()
