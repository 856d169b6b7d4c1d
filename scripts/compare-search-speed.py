#!/usr/bin/env python3
"""Time of a searched decision: tavola beside GNU Backgammon, in one run.

    scripts/compare-search-speed.py [DECISIONS [PLY]]     # 200 decisions, 2-ply
    PRESET=fast MODEL=runs/small/final.safetensors scripts/compare-search-speed.py 400

Positions and rolls come from 0-ply self-play of the network, in random order, the same for both,
forced plays included. tavola answers `best` in `tavola batch` with the preset $PRESET (normal), which
compares five plays at the full depth; gnubg chooses one with its default move filter and its pruning
networks, cubeless. Both use one thread and their own caches, and take turns in four parts. At 2-ply
with the preset normal `tavola bench` says how long tavola needs to choose one play too, as it does in
a game. Figures are of processor time: on a busy machine only the ratio is comparable. $TAVOLA is
another binary.
"""

import os
import random
import sys
import tempfile

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools

PARTS = 4


def main():
    try:
        decisions, ply = (int(word) for word in (sys.argv[1:] + [200, 2][len(sys.argv) - 1 :]))
    except ValueError:
        tools.stop(f"expected a number of decisions and one of plies, got {' '.join(sys.argv[1:])!r}")
    tools.need_gnubg()
    binary, preset = tools.tavola(), os.environ.get("PRESET", "normal")
    model = ["--model", os.environ["MODEL"]] if os.environ.get("MODEL") else []
    with tempfile.NamedTemporaryFile("r") as file:
        in_play = tools.bench(file.name, "--threads", "1", "--seconds", "3", *model)["decision_2ply_ms"]
        pairs = sorted(set(file.read().splitlines()))
    random.Random(1).shuffle(pairs)
    pairs = [line.split() for line in pairs[:decisions]]
    ours, gnubg = tools.Batch(binary, *model), tools.Gnubg(ply)

    def choose(position, first, second):
        dice = [int(first), int(second)]
        ours.ask(op="best", position=position, dice=dice, ply=ply, preset=preset, top=1, cubeful=False)

    engines = {
        f"tavola, best, {preset}": (ours, choose),
        "gnubg": (gnubg, lambda *pair: gnubg.ask("best", *pair)),
    }
    # The first request of each loads networks and tables.
    for _, ask in engines.values():
        ask(tools.START, 3, 1)
    times = {name: [] for name in engines}
    for part in range(PARTS):
        piece = pairs[part::PARTS]
        for name, (process, ask) in engines.items():
            before = process.processor_time()
            for pair in piece:
                ask(*pair)
            times[name].append(1000 * (process.processor_time() - before) / len(piece))
    print(f"{len(pairs)} decisions, {ply}-ply; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for name, parts in times.items():
        each = ", ".join(f"{part:.2f}" for part in parts)
        print(f"{name:<24} {sum(parts) / PARTS:8.2f} ms a decision   (parts: {each})")
    tavola, other = times.values()
    ratios = sorted(b / max(a, 0.01) for a, b in zip(tavola, other))
    mean = sum(other) / max(sum(tavola), 0.01)
    print(f"{'gnubg / tavola':<24} {mean:8.1f}                 (parts: {ratios[0]:.1f} to {ratios[-1]:.1f})")
    if (ply, preset) == (2, "normal"):
        print(f"{'tavola, in play':<24} {in_play:8.2f} ms a decision   (tavola bench)")
        print(f"{'gnubg / tavola, in play':<24} {sum(other) / PARTS / in_play:8.1f}")


main()
