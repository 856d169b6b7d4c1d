#!/usr/bin/env python3
"""Levels beside each other and beside GNU Backgammon: equity lost and time for a decision.

    scripts/levels.py --reference benches/grade/rollouts.jsonl
    scripts/levels.py --levels 0,0+,2 --gnubg 0,2 --svg docs/levels.svg

Each player is graded on the decisions of the file (`tavola grade`, one thread). The time of a decision is the
processor time of that command and of the programs that it starts, less that of the same with the first two
decisions of each phase alone, so that no start is in it. Prints a Markdown table; --svg draws equity lost against time. $TAVOLA is another binary.
Exit code: 0 done, 1 failed.
"""

import argparse
import collections
import json
import math
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools

# Decisions of each phase that the time of a start is taken from.
FEW = 2


def grade(player, reference):
    """The report of `tavola grade`, and the seconds of processor time that it took."""
    words = [tools.tavola(), "grade", player, "--reference", reference, "--threads", "1", "--quiet", "--json"]
    times = []
    # Short ones several times, and the fastest counts.
    while not times or len(times) < 5 and max(times) < 1.0:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(words, cwd=tools.ROOT, stdout=subprocess.PIPE, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            tools.stop(f"{' '.join(words)} failed")
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return json.loads(done.stdout), min(times)


def draw(rows, path):
    """Equity lost (down is better) with its interval against the time of a decision, a logarithmic axis."""
    width, height, left, bottom = 640, 400, 60, 350
    times = [max(row["ms"], 1e-3) for row in rows]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    top = math.ceil(max(row["loss"] + row["error"] for row in rows))

    def x(ms):
        return left + (width - left - 90) * (math.log10(max(ms, 1e-3)) - low) / max(high - low, 1)

    def y(loss):
        return bottom - (bottom - 30) * loss / top

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
             'font-size="12"><rect width="100%" height="100%" fill="white"/>']
    for power in range(low, high + 1):
        at = x(10.0**power)
        parts.append(f'<path d="M{at:.0f} 30V{bottom}" stroke="#ddd"/>'
                     f'<text x="{at:.0f}" y="{bottom + 16}" text-anchor="middle">{10.0**power:g}</text>')
    for loss in range(top + 1):
        parts.append(f'<path d="M{left} {y(loss):.0f}H{width - 90}" stroke="#ddd"/>'
                     f'<text x="{left - 8}" y="{y(loss) + 4:.0f}" text-anchor="end">{loss}</text>')
    parts.append(f'<text x="{(left + width - 90) / 2:.0f}" y="{height - 8}" text-anchor="middle">milliseconds a '
                 'decision, one thread</text><text x="8" y="20">millipoints lost a decision, 95 % interval</text>')
    # A label lies beside its dot, or the next free place below or above: on no dot and no other label.
    taken = [(x(row["ms"]) - 6, y(row["loss"]), 12) for row in rows]
    for row in rows:
        color = "#b4232a" if row["player"].startswith("gnubg") else "#1f5fa8"
        at, label = (x(row["ms"]), y(row["loss"])), f'{row["name"]} ({row["loss"]:.2f})'
        ends = [y(max(row["loss"] + sign * row["error"], 0)) for sign in (-1, 1)]
        parts.append(f'<path d="M{at[0]:.0f} {ends[0]:.0f}V{ends[1]:.0f}" stroke="{color}" stroke-opacity="0.4" '
                     f'stroke-width="2"/><circle cx="{at[0]:.0f}" cy="{at[1]:.0f}" r="5" fill="{color}"/>')
        wide, start = 6.5 * len(label), at[0] + 8

        def free(line):
            return line < bottom - 6 and not any(
                start < other + size and other < start + wide and abs(line - height) < 12
                for other, height, size in taken if (other + 6, height) != at)

        line = next(at[1] + way for step in range(0, 200, 4) for way in (step, -step) if free(at[1] + way))
        taken.append((start, line, wide))
        parts.append(f'<text x="{start:.0f}" y="{line + 4:.0f}">{label}</text>')
    path.write_text("\n".join([*parts, "</svg>\n"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reference", default="benches/grade/rollouts.jsonl")
    parser.add_argument("--levels", default="0,0+,1,2,3,roller,roller+")
    parser.add_argument("--gnubg", default="", help="plies of GNU Backgammon, such as 0,2")
    parser.add_argument("--svg")
    args = parser.parse_args()
    players = [(f"default@{level}", level) for level in args.levels.split(",")]
    players += [(f"gnubg:{ply}", f"gnubg {ply}-ply") for ply in args.gnubg.split(",") if ply]
    few, left = [], collections.Counter()
    for line in (tools.ROOT / args.reference).read_text().splitlines():
        line = json.loads(line)
        line.pop("crc32")
        if "phases" in line:
            phases = [{**phase, "drawn": FEW} for phase in line["phases"]]
            few.append({**line, "phases": phases})
        elif left[line["phase"]] < FEW:
            few.append(line)
            left[line["phase"]] += 1
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as start:
        start.write(tools.sealed(few))
        start.flush()
        rows = measured(players, args.reference, start.name)
    if args.svg:
        draw(rows, tools.ROOT / args.svg)


def measured(players, reference, start):
    """The rows of the table, which are printed as they come; `start` is the reference with few decisions."""
    rows = []
    print("| level | decisions | millipoints lost | PR | milliseconds a decision |\n|---|---|---|---|---|")
    for player, name in players:
        first, idle = grade(player, start)
        report, spent = grade(player, reference)
        loss, decisions = report["players"][0]["loss"], report["decisions"]
        row = {"player": player, "name": name, "loss": 1000 * loss["in_play"]["mean"]}
        row["error"] = 1960 * loss["in_play"]["standard_error"]
        row["ms"] = 1000 * max(spent - idle, 0.0) / (decisions - first["decisions"])
        rows.append(row)
        time = f"{row['ms']:.2g}" if row["ms"] < 100 else f"{row['ms']:.0f}"
        print(f"| {name} | {decisions} | {row['loss']:.2f} ± {row['error']:.2f} | {row['loss'] / 2:.2f} | {time} |",
              flush=True)
    return rows


if __name__ == "__main__":
    main()
