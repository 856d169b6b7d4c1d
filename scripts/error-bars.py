#!/usr/bin/env python3
"""How far the losses of a level are off: draws decisions, rolls them out, fits and checks the table of error bars.

    scripts/error-bars.py draw --seed 11 --out fitted.jsonl        # goes on where it was stopped
    scripts/error-bars.py draw --seed 12 --out held-out.jsonl
    scripts/error-bars.py fit fitted.jsonl > crates/core/evaluator/src/error_bars/table.rs
    scripts/error-bars.py rollouts benches/grade/rollouts.jsonl --level roller
    scripts/error-bars.py check held-out.jsonl --losses 2000 --write crates/core/evaluator/src/error_bars/held-out.txt

Decisions are from games of the built-in network (`tavola grade sample`), as many of each phase, as money play
with the cube in the middle. Plays are evaluated at 0-, 1- and 2-ply; up to five of them, and the cube action where
it is near, are rolled out by short truncated games on the same dice. `fit` uses every even decision, `check` the odd
ones: how many losses lie within the interval of the table, by level. `--levels 2,3` before either asks whether
that of 2-ply holds at 3-ply. `rollouts SAMPLE --level roller` asks how many losses of a level that rolls out lie
within their interval of those of longer rollouts of a sample's decisions, whose own standard error is added. $TAVOLA is another binary.
Exit code: 0 done, 1 failed, or a level covers less than 93 % or more than 97 %.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools

LEVELS = (0, 1, 2)
DEEPEST = LEVELS[-1]
# The play that is best for the level, then plays that lose less than this.
SIZES = (0.0, 0.02, 0.08)
PHASES = ("opening", "middle", "holding", "priming", "back-game", "crunched", "bear-off-contact", "race", "bear-off")
CUBE = "cube"
TABLE = "crates/core/evaluator/src/error_bars/table.rs"
WITHIN, MOST = 0.2, 5
NEAR = 0.3
DRAWN_IN = 10
ROLLOUT = {"op": "rollout", "trials": 216, "truncate": 5}


def batch(requests, threads):
    """The answers of `tavola batch`, none of them an error."""
    answers = tools.batch(requests, threads)
    for answer in answers:
        if "error" in answer:
            tools.stop(answer["error"]["message"])
    return answers


def rows_of_plays(decision, levels, rolled):
    """The losses of each play that was rolled out: by level, `None` where it was not looked at so deeply."""
    deep = {play["play"]: play["cubeful_equity"] for play in rolled["plays"]}
    best = max(deep.values())
    shallow = []
    for ply, answer in levels:
        full = [play for play in answer["plays"] if play["ply"] == ply]
        first = max(play["cubeful_equity"] for play in full) if full else 0.0
        shallow.append({play["play"]: first - play["cubeful_equity"] for play in full})
    for play in rolled["plays"]:
        losses = [found.get(play["play"]) for found in shallow]
        yield {"phase": decision["phase"], "losses": losses, "deep": best - deep[play["play"]], "se": play["loss_se"]}


def row_of_cube(levels, rolled):
    """What the wrong one of doubling and rolling loses, by level: 0 for the action that the level prefers."""
    deep = rolled["gain_of_doubling"]
    gains = [answer["losses"]["no_double"] - answer["losses"]["double"] for _, answer in levels]
    for doubles in (True, False):
        sign = 1.0 if doubles else -1.0
        losses = [max(0.0, -sign * gain) for gain in gains]
        yield {"phase": CUBE, "losses": losses, "deep": max(0.0, -sign * deep), "se": rolled["gain_of_doubling_se"]}


def look(chunk, threads):
    """The rows of some decisions, a list for each."""
    place = [{"position": decision["position"]} for decision in chunk]
    roll = [{**where, "dice": decision["dice"]} for where, decision in zip(place, chunk)]
    plays = [batch([{"op": "best", "ply": ply, **asked} for asked in roll], threads) for ply in LEVELS]
    cubes = [batch([{"op": "cube", "ply": ply, **asked} for asked in place], threads) for ply in LEVELS]
    requests, rows = [], [[] for _ in chunk]
    for number, asked in enumerate(roll):
        firsts = [answers[number]["plays"][0]["play"] for answers in plays]
        deepest = plays[-1][number]["plays"]
        first = deepest[0]["cubeful_equity"]
        close = [play["play"] for play in deepest
                 if play["ply"] == LEVELS[-1] and first - play["cubeful_equity"] < WITHIN][:MOST]
        wanted = list(dict.fromkeys(close + firsts))
        if len(close) > 1:
            requests.append((number, {**ROLLOUT, **asked, "plays": wanted}))
        losses = cubes[-1][number]["losses"]
        if losses and max(losses["no_double"], losses["double"]) < NEAR:
            requests.append((number, {**ROLLOUT, **place[number]}))
    for (number, request), rolled in zip(requests, batch([request for _, request in requests], threads)):
        if "plays" in request:
            levels = [(ply, answers[number]) for ply, answers in zip(LEVELS, plays)]
            rows[number].extend(rows_of_plays(chunk[number], levels, rolled))
        elif "gain_of_doubling" in rolled:
            rows[number].extend(row_of_cube([(ply, answers[number]) for ply, answers in zip(LEVELS, cubes)], rolled))
    return rows


def draw(args):
    """Writes a line for each decision with the losses of its choices."""
    with tempfile.TemporaryDirectory() as folder:
        sample = f"{folder}/sample.jsonl"
        words = [tools.tavola(), "grade", "sample", "--games", str(args.games), "--seed", str(args.seed), "--per-phase",
                 str(args.per_phase), "--purpose", "tuning", "--out", sample, "--quiet"]
        if subprocess.run(words, stdout=subprocess.DEVNULL).returncode:
            tools.stop("tavola grade sample failed")
        with open(sample) as lines:
            decisions = [json.loads(line) for line in lines][1:]
    # Any part of the file is of all phases.
    random.Random(args.seed).shuffle(decisions)
    out = pathlib.Path(args.out)
    known = len(out.read_text().splitlines()) if out.exists() else 0
    with out.open("a") as file:
        for start in range(known, len(decisions), args.chunk):
            for rows in look(decisions[start:start + args.chunk], args.threads):
                print(json.dumps(rows), file=file)
            file.flush()


def size_of(loss):
    return sum(loss > limit for limit in SIZES)


def residuals(rows):
    """Level, phase, size and how far each loss is off."""
    for row in rows:
        for level, loss in zip(LEVELS, row["losses"]):
            if loss is not None:
                yield level, row["phase"], size_of(loss), abs(loss - row["deep"])


def quantile(values, share=0.95):
    """The value that a share of them do not exceed."""
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def fit(rows):
    """Half of the 95 % interval by level, phase and size: a factor of the phase times one of the size."""
    found = list(residuals(rows))
    table = {}
    for level in LEVELS:
        here = [(phase, size, off) for at, phase, size, off in found if at == level]
        phases = {phase: 1.0 for phase, _, _ in here}
        sizes = dict.fromkeys(range(len(SIZES) + 1), 1.0)
        for _ in range(2):
            for size in sizes:
                values = [off / phases[phase] for phase, at, off in here if at == size]
                sizes[size] = quantile(values) if values else sizes[size]
            for phase in phases:
                values = [off / sizes[size] for at, size, off in here if at == phase and size > 0]
                # As if DRAWN_IN more were as all phases are: few losses say little.
                if values:
                    phases[phase] = (quantile(values) * len(values) + DRAWN_IN) / (len(values) + DRAWN_IN)
        for phase in (*PHASES, CUBE):
            table[level, phase] = [sizes[size] * phases.get(phase, 1.0) for size in sizes]
    return table


def write(table):
    print("//! The table of error bars, written by `scripts/error-bars.py fit`.")
    print()
    print("/// Half of the 95 % interval of a loss, in thousandths of a point, by plies and phase, the last row")
    print("/// for cube actions: of the best choice, of losses up to 0.02, up to 0.08, and above.")
    print("#[rustfmt::skip]")
    print(f"pub(super) const TABLE: [[[f64; {len(SIZES) + 1}]; {len(PHASES) + 1}]; {len(LEVELS)}] = [")
    for level in LEVELS:
        print("    [")
        for phase in (*PHASES, CUBE):
            print(f"        [{', '.join(f'{1000 * value:.1f}' for value in table[level, phase])}], // {phase}")
        print("    ],")
    print("];")


def read(path):
    rows = [line.split("]")[0].strip(" [").split(", ") for line in path.read_text().splitlines() if " // " in line]
    names = [(level, phase) for level in range(DEEPEST + 1) for phase in (*PHASES, CUBE)]
    return {name: [float(value) / 1000 for value in row] for name, row in zip(names, rows, strict=True)}


def of_all_levels(decisions, most):
    """The losses that every level has looked at, phases mixed, at most this many."""
    rows = [row for rows in decisions for row in rows if None not in row["losses"]]
    return rows[:most] if most else rows


def check(table, rows):
    """Prints how many losses are within the interval, by level and phase; whether all levels hold."""
    found = list(residuals(rows))
    holds = True
    print("| | " + " | ".join(f"{level}-ply" for level in LEVELS) + " |\n" + "|---" * (1 + len(LEVELS)) + "|")
    for name, wanted in [("all", None), *((phase, phase) for phase in (*PHASES, CUBE))]:
        cells = []
        for level in LEVELS:
            inside = [off <= table[min(level, DEEPEST), phase][size] + 5e-5 for at, phase, size, off in found
                      if at == level and wanted in (None, phase)]
            share = sum(inside) / max(len(inside), 1)
            holds &= wanted is not None or 0.93 <= share <= 0.97
            cells.append(f"{100 * share:.1f} % of {len(inside)}")
        print(f"| {name} | " + " | ".join(cells) + " |")
    return holds


def rolled(path, level, threads):
    """How many losses of a level with rollouts longer ones on other dice confirm; whether that is as 95 % should."""
    with open(path) as lines:
        decisions = [json.loads(line) for line in lines][1:]
    asked = [{"position": decision["position"], "dice": decision["dice"]} for decision in decisions]
    answers = batch([{"op": "best", "level": level, **where} for where in asked], threads)
    found = [[play for play in answer["plays"] if "rollout" in play] for answer in answers]
    some = [(where, plays) for where, plays in zip(asked, found) if len(plays) > 1]
    longer = [{"op": "rollout", "trials": 1296, "truncate": 11, "seed": 2, **where, "plays": [p["play"] for p in plays]}
              for where, plays in some]
    inside = []
    for (_, plays), answer in zip(some, batch(longer, threads)):
        deep = {play["play"]: play for play in answer["plays"]}
        best = deep[plays[0]["play"]]
        for play in plays[1:]:
            there = deep[play["play"]]
            # Of the first play of the longer rollout the standard error is none, and the other's is that of both.
            error = 1.96 * max(there["loss_se"], best["loss_se"])
            loss = best["cubeful_equity"] - there["cubeful_equity"]
            inside.append(abs(play["loss"] - loss) <= (play["interval"] ** 2 + error**2) ** 0.5)
    share = sum(inside) / max(len(inside), 1)
    print(f"{level}: {100 * share:.1f} % of {len(inside)}")
    return 0.93 <= share <= 0.97


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--levels", default="0,1,2", help="plies that are drawn and checked; fit wants all three")
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("--games", type=int, default=3000)
    drawing.add_argument("--per-phase", type=int, default=150)
    drawing.add_argument("--seed", type=int, default=11)
    drawing.add_argument("--chunk", type=int, default=30)
    drawing.add_argument("--threads", type=int, default=2)
    drawing.add_argument("--out", required=True)
    rolling = commands.add_parser("rollouts")
    rolling.add_argument("sample")
    rolling.add_argument("--level", default="roller")
    rolling.add_argument("--threads", type=int, default=2)
    for name in ("fit", "check"):
        command = commands.add_parser(name)
        command.add_argument("drawn")
    command.add_argument("--losses", type=int, help="use this many, all if it is not given")
    command.add_argument("--write", help="write them: phase, losses at 0-, 1- and 2-ply, and the deeper one")
    args = parser.parse_args()
    global LEVELS
    LEVELS = tuple(int(level) for level in args.levels.split(","))
    if args.command == "draw":
        return draw(args)
    if args.command == "rollouts":
        sys.exit(not rolled(args.sample, args.level, args.threads))
    with open(args.drawn) as lines:
        decisions = [json.loads(line) for line in lines]
    if args.command == "fit":
        return write(fit([row for rows in decisions for row in rows]))
    rows = of_all_levels(decisions, args.losses)
    if args.write:
        lines = [" ".join([row["phase"], *(f"{loss:.4f}" for loss in (*row["losses"], row["deep"]))]) for row in rows]
        (tools.ROOT / args.write).write_text("\n".join(lines) + "\n")
    if not check(read(tools.ROOT / TABLE), rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
