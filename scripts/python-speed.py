#!/usr/bin/env python3
"""Evaluations from Python beside those of the program, on one thread and the same positions.

    pip install target/wheels/tavola-*.whl && scripts/python-speed.py [--model FILE]

The program's rate is `evals_per_s` of `tavola bench --json`; Python evaluates arrays of the same
number of positions (32) and longer ones. Rates are per second of processor time. The two take turns,
and the ratio is that of the medians.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import tavola

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools

ROOT = Path(__file__).parents[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", help="a weights file")
    parser.add_argument("--repeat", type=int, default=5, help="how often the two take turns")
    args = parser.parse_args()
    args.tavola = tools.tavola()
    model = ["--model", args.model] if args.model else []
    bench = [args.tavola, "bench", "--threads", "1", "--seconds", "0.5", *model]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "positions"
        subprocess.run([*bench, "--write-positions", path], check=True, capture_output=True)
        texts = [line.split()[0] for line in path.read_text().splitlines()]
    positions = np.array([tavola.Position(text).counts for text in texts])
    network = tavola.Network(args.model)
    batches = [32, 256, len(positions)]
    rates = {batch: [] for batch in batches}
    native = []
    for _ in range(args.repeat):
        answer = subprocess.run([*bench, "--json"], check=True, capture_output=True)
        native.append(json.loads(answer.stdout)["evals_per_s"])
        for batch in batches:
            out = np.empty((batch, 5), np.float32)
            done, begun = 0, time.process_time()
            while (taken := time.process_time() - begun) < 0.5:
                for first in range(0, len(positions) - batch + 1, batch):
                    network.evaluate(positions[first : first + batch], out=out)
                    done += batch
            rates[batch].append(done / taken)
    own = statistics.median(native)
    print(f"tavola bench, 32 at a time      {own:10,.0f} evaluations/s")
    for batch, found in rates.items():
        median = statistics.median(found)
        print(f"Python, {batch:4} at a time         {median:10,.0f} evaluations/s   {median / own:.2f}")


if __name__ == "__main__":
    main()
