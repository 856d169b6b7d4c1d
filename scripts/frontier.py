#!/usr/bin/env python3
"""Shapes of networks beside each other: strength against speed, all taught the same states.

    tavola dataset generate configs/frontier-data.toml --out runs/frontier-data --games 48000 --games-per-shard 2000
    scripts/frontier.py               # teaches, grades and times each shape; goes on where it was stopped
    scripts/frontier.py --draw        # draws table and picture of the journal again

Each shape of SHAPES learns the dataset of configs/frontier.toml from random weights, a few minutes of a
core, and is then graded on the tuning sets (`tavola grade plies`) and timed (`tavola bench`) on one
thread. Timings of a shape come right after each other, those of the first shape again with each of them,
so that on a busy machine the ratio to it is fair. A result is a line of docs/frontier.jsonl and is not
made again; docs/frontier.svg and the table in docs/results.md are drawn from it. $TAVOLA is another
binary. Exit code: 0 done, 1 failed.
"""

import argparse
import json
import math
import subprocess
import sys
from html import escape

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools

CONFIG = "configs/frontier.toml"
RUNS = tools.ROOT / "runs/frontier"
JOURNAL = tools.ROOT / "docs/frontier.jsonl"
PICTURE = tools.ROOT / "docs/frontier.svg"
PAGE = tools.ROOT / "docs/results.md"
STATES = ["--states", "benches/grade/tuning.states", "--reference", "benches/grade/tuning.jsonl"]

# Encoder, widths, products of the first layer.
SHAPES = [
    ("expert", [768, 64, 32], True),
    ("tesauro", [80], False),
    ("tesauro", [256, 32], False),
    ("one-hot", [768, 64, 32], True),
    ("patterns", [768, 64, 32], True),
    ("expert", [256, 32], False),
    ("expert", [256, 32, 32], True),
    ("expert", [512, 64, 32], True),
    ("expert", [1024, 64, 32], True),
    ("expert", [1536, 64, 32], True),
    ("expert", [768, 16, 32], True),
    ("expert", [768, 128, 64], True),
    ("expert", [512, 512, 256, 128], False),
]


def name(shape):
    encoder, widths, products = shape
    return f"{encoder}-{'p' if products else ''}{'-'.join(map(str, widths))}"


def run(*words, **more):
    done = subprocess.run([tools.tavola(), *words], cwd=tools.ROOT, stdout=subprocess.PIPE, text=True, **more)
    if done.returncode:
        tools.stop(f"tavola {' '.join(words)} failed")
    return done.stdout


def teach(shape):
    encoder, widths, products = shape
    out = RUNS / name(shape)
    network = out / "final.safetensors"
    if not network.exists():
        sets = {"encoder": json.dumps(encoder), "hidden": widths, "products": json.dumps(products)}
        words = [word for key, value in sets.items() for word in ("--set", f"network.{key}={value}")]
        resume = ["--resume"] if (out / "config.toml").exists() else []
        run("train", CONFIG, *words, "--out", str(out), "--threads", "1", "--quiet", *resume)
    return network


def seconds(path):
    return sum(
        line["learning_seconds"]
        for line in map(json.loads, (path.parent / "metrics.jsonl").read_text().splitlines())
        if line["type"] == "round"
    )


def bench(network):
    words = ["bench", "--seconds", "0.3", "--threads", "1", "--json", "--model", str(network)]
    return json.loads(run(*words))


def measure(shape, first):
    network = teach(shape)
    graded = json.loads(run("grade", "plies", f"raw:{network}", "--threads", "1", "--json", "--quiet", *STATES))
    plies = {
        str(at["ply"]): {
            "loss": at["loss"]["mean"],
            "rmse": at["states"][0]["rmse"],
        }
        for at in graded["players"]
    }
    turns = [(bench(first), bench(network)) for _ in range(3)]
    keys = ["evals_per_s", "decisions_0ply_per_s", "rollout_vr_games_per_s"]
    speed = {key: sorted(own[key] / other[key] for other, own in turns)[1] for key in keys}
    two_ply = sorted(other["decision_2ply_ms"] / own["decision_2ply_ms"] for other, own in turns)[1]
    return {
        "shape": name(shape),
        "sha256": json.loads(run("model", str(network), "--json"))["sha256"][:12],
        "parameters": turns[0][1]["parameters"],
        "learning_seconds": round(seconds(network)),
        "plies": plies,
        "speed": {**speed, "decisions_2ply_per_s": two_ply},
    }


def lines():
    text = JOURNAL.read_text() if JOURNAL.exists() else ""
    return [json.loads(line) for line in text.splitlines()]


def table(results):
    rows = [
        "|shape|weights|speed|0-ply: mp lost, RMSE|1-ply|2-ply|",
        "|---|---|---|---|---|---|",
    ]
    for at in sorted(results, key=lambda at: -at["speed"]["evals_per_s"]):
        cells = [f"{1000 * p['loss']:.1f}, {1000 * p['rmse']:.1f}" for _, p in sorted(at["plies"].items())]
        speed = f"{at['speed']['evals_per_s']:.2f}"
        rows.append(f"|{at['shape']}|{at['parameters'] / 1e6:.2f} M|{speed}|{'|'.join(cells)}|")
    return "\n".join(rows) + "\n"


def picture(results):
    """Both axes are logarithmic; a number stands at each point, and its shape in the list beside."""
    width, height, left, right, top, bottom = 1000, 560, 70, 690, 80, 490
    results = sorted(results, key=lambda at: -at["speed"]["evals_per_s"])
    xs = [at["speed"]["evals_per_s"] for at in results]
    ys = [1000 * at["plies"]["0"]["rmse"] for at in results]

    def axis(values, start, end):
        low, high = math.log(min(values)) - 0.2, math.log(max(values)) + 0.2
        return lambda value: start + (math.log(value) - low) / (high - low) * (end - start)

    x, y = axis(xs, left, right), axis(ys, bottom, top)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="34" font-size="18">Error of states against speed, each shape taught the same states</text>',
        f'<text x="{left}" y="56" fill="#5A5A5A">RMSE of equity at 0-ply in millipoints (lower is better)</text>',
    ]
    for value in (50, 60, 70, 80, 100, 120, 150, 200):
        if top <= y(value) <= bottom:
            out.append(f'<path d="M{left} {y(value):.1f}H{right}" stroke="#E4E4E4"/>')
            out.append(f'<text x="{left - 10}" y="{y(value) + 4:.1f}" text-anchor="end">{value}</text>')
    for value in (0.125, 0.25, 0.5, 1, 2, 4, 8):
        if left <= x(value) <= right:
            out.append(f'<path d="M{x(value):.1f} {top}V{bottom}" stroke="#E4E4E4"/>')
            out.append(f'<text x="{x(value):.1f}" y="{bottom + 20}" text-anchor="middle">{value:g}</text>')
    out.append(
        f'<text x="{(left + right) / 2}" y="{bottom + 44}" text-anchor="middle">evaluations a second, '
        f"that of {escape(name(SHAPES[0]))} is 1</text>"
    )
    for number, (at, vx, vy) in enumerate(zip(results, xs, ys), 1):
        out.append(f'<circle cx="{x(vx):.1f}" cy="{y(vy):.1f}" r="4.5" fill="#0072B2"/>')
        out.append(f'<text x="{x(vx) + 6:.1f}" y="{y(vy) - 6:.1f}">{number}</text>')
        line = top + 8 + 24 * number
        out.append(f'<text x="{right + 50}" y="{line}" text-anchor="end">{number}</text>')
        out.append(f'<text x="{right + 62}" y="{line}" fill="#0072B2">{escape(at["shape"])}</text>')
    out.append("</svg>\n")
    PICTURE.write_text("\n".join(out))


def draw():
    results = lines()
    order = [name(shape) for shape in SHAPES]
    results.sort(key=lambda at: order.index(at["shape"]))
    if not results:
        tools.stop(f"{JOURNAL} has no results yet")
    picture(results)
    if PAGE.exists():
        tools.write_between(PAGE, "shapes", table(results))
    print(table(results), end="")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw", action="store_true", help="only draw table and picture again")
    if not parser.parse_args().draw:
        done = {at["shape"] for at in lines()}
        first = teach(SHAPES[0])
        for shape in SHAPES:
            if name(shape) not in done:
                print(f"{name(shape)} ...", file=sys.stderr, flush=True)
                result = measure(shape, first)
                with JOURNAL.open("a") as journal:
                    journal.write(json.dumps(result) + "\n")
    draw()


if __name__ == "__main__":
    main()
