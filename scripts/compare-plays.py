#!/usr/bin/env python3
"""Losses that `best` prints against those of a full-width search of the same depth.

    scripts/compare-plays.py [POSITIONS] [PLY]      # 200 positions, 2-ply

For decisions of benches/grade/reporting.jsonl the five best plays are evaluated by the preset
`normal` and by `full`. Printed: the mean error of the losses below the first play, how often the
first and the second play agree, and the time of five plays at the full depth as a multiple of the
time of the best play alone.
"""

import json
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "lib"))
from tools import Batch, tavola  # noqa: E402

ROOT = Path(__file__).parent.parent


def decisions(count):
    lines = (ROOT / "benches/grade/reporting.jsonl").read_text().splitlines()[1:]
    step = max(1, len(lines) // count)
    for line in lines[::step][:count]:
        line = json.loads(line)
        yield line["position"], line["dice"]


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    ply = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    # A process each: what one question finds out would make the next one quicker.
    kinds = {"one": {"top": 1}, "five": {"top": 5}, "full": {"preset": "full"}}
    batches = {kind: Batch(tavola()) for kind in kinds}
    seconds = {kind: [] for kind in kinds}
    errors, first, second, decided = [], 0, 0, 0
    for position, dice in decisions(count):
        plays = {}
        for kind, more in kinds.items():
            before = time.perf_counter()
            request = {"op": "best", "position": position, "dice": dice, "ply": ply, "cubeful": False, **more}
            plays[kind] = batches[kind].ask(**request)["plays"]
            seconds[kind].append(time.perf_counter() - before)
        found, reference = plays["five"], plays["full"]
        if len(reference) < 2:
            continue
        decided += 1
        equity = {play["position"]: play["equity"] for play in reference}
        best = equity[found[0]["position"]]
        assert all(play["ply"] == found[0]["ply"] for play in found)
        errors += [play["loss"] - (best - equity[play["position"]]) for play in found[1:]]
        first += found[0]["position"] == reference[0]["position"]
        second += found[1]["position"] == reference[1]["position"]
    absolute = [1000 * abs(error) for error in errors]
    print(f"{decided} decisions, {len(errors)} losses below the first play, {ply}-ply")
    print(
        f"error of a loss in millipoints: mean {statistics.mean(absolute):.2f}, "
        f"median {statistics.median(absolute):.2f}, most {max(absolute):.1f}, "
        f"bias {1000 * statistics.mean(errors):+.2f}"
    )
    print(f"same first play {first}, same second play {second} of {decided}")
    used = {kind: batch.processor_time() for kind, batch in batches.items()}
    ratios = [five / one for five, one in zip(seconds["five"], seconds["one"])]
    print(
        f"five plays by one: {used['five'] / used['one']:.2f} times the processor time, "
        f"median of ratios {statistics.median(ratios):.2f}; full by one {used['full'] / used['one']:.1f}"
    )


if __name__ == "__main__":
    main()
