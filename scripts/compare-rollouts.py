#!/usr/bin/env python3
"""Compares rollouts of cube actions with GNU Backgammon's.

    scripts/compare-rollouts.py [TRIALS [GNUBG_TRIALS [PER_KIND [SEED [GNUBG_PLIES]]]]]

1296 216 8 1 0 unless given; our trials are played at 0-ply. The positions come from 0-ply self-play
of the network, PER_KIND of each kind. A trial of both lines takes gnubg about 80 ms of one core at
0-ply, 200 ms at 1-ply; its figures are kept in $CACHE (target/gnubg-rollouts.jsonl), so
that a run that was stopped goes on. $TAVOLA is another binary. Equities are those of the player on
roll in units of the cube before a double, EMG in a match. The interval of a difference is 1.96 times
the root of the two squared standard errors.
"""

import json
import os
import pty
import random
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools

OWNED = {"value": 2, "owner": "player"}
THREE_FIVE = {"length": 7, "player": 2, "opponent": 4, "crawford": False}
FIVE_THREE = {"length": 7, "player": 4, "opponent": 2, "crawford": False}
POST_CRAWFORD = {"length": 7, "player": 3, "opponent": 6, "crawford": False}


def contested(probs, _):
    return 0.5 <= probs[0] <= 0.82 and probs[1] < 0.3


def gammonish(probs, _):
    return 0.55 <= probs[0] <= 0.85 and probs[1] >= 0.35


def too_good(probs, cube):
    return probs[0] < 0.95 and cube()["action"].startswith("too_good")


# Kind: cube and score, and which positions belong to it.
KINDS = {
    "money, centered": ({}, contested),
    "money, owned 2": ({"cube": OWNED}, contested),
    "Jacoby, gammonish": ({"jacoby": True}, gammonish),
    "money, gammonish": ({}, gammonish),
    "money, too good": ({"cube": OWNED}, too_good),
    "5-away 3-away": ({"match": THREE_FIVE}, contested),
    "3-away 5-away, owned 2": ({"match": FIVE_THREE, "cube": OWNED}, contested),
    "post-Crawford, 4-away": ({"match": POST_CRAWFORD}, contested),
}


def positions(batch, per_kind, rng):
    """Questions with their kinds."""
    found = {kind: [] for kind in KINDS}
    for game in tools.games(batch, rng):
        rng.shuffle(game)
        for kind, (terms, belongs) in KINDS.items():
            if len(found[kind]) == per_kind:
                continue
            for position in game:
                question = {"position": position, **terms}
                probs = batch.ask(op="eval", position=position, cubeful=False, ply=0)["probs"]
                if belongs(probs, lambda: batch.ask(op="cube", ply=0, **question)):
                    found[kind].append((kind, question))
                    game.remove(position)
                    break
        if all(len(some) == per_kind for some in found.values()):
            return [pair for some in found.values() for pair in some]


FIGURES = re.compile(r"CF\s+([-+]?\d+\.\d+)\s*\n\s*\[.*?CF\s+(\d+\.\d+)\]", re.DOTALL)


def by_gnubg(questions, trials, plies, cache):
    """Adds gnubg's figures to the cache: no double, its error, double and take, its error."""
    with tempfile.TemporaryDirectory() as work:
        for xgid, rules in questions:
            key = f"{xgid} {rules} {trials} {plies}"
            if key in cache.known:
                continue
            Path(work, "xgids").write_text(f"{xgid} {rules}\n")
            variables = {
                "HOME": work,
                "TAVOLA_XGIDS": f"{work}/xgids",
                "TAVOLA_EXPORTS": f"{work}/export",
                "TAVOLA_TRIALS": str(trials),
                "TAVOLA_PLIES": str(plies),
            }
            script = tools.ROOT / "scripts/lib/gnubg-rollout.py"
            on_terminal(tools.gnubg_command(script), {**os.environ, **variables})
            export = Path(work, "export0")
            text = export.read_text() if export.exists() else ""
            figures = [float(number) for pair in FIGURES.findall(text) for number in pair]
            if len(figures) != 4:
                tools.stop(f"gnubg's rollout of {xgid} can't be read:\n{text}")
            export.unlink()
            cache.add(key, figures)


def on_terminal(command, environment):
    """Runs a program that needs a terminal, and throws its output away."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)

    def drain():
        try:
            while os.read(ours, 1 << 16):
                pass
        except OSError:
            pass  # The program has ended.

    thread = threading.Thread(target=drain)
    thread.start()
    process.wait()
    thread.join()
    os.close(ours)


class Cache:
    """Figures by key, kept in a file of JSON lines."""

    def __init__(self, path):
        self.path, self.known = Path(path), {}
        if self.path.exists():
            self.known = dict(map(json.loads, self.path.read_text().splitlines()))

    def add(self, key, figures):
        self.known[key] = figures
        with self.path.open("a") as out:
            out.write(json.dumps([key, figures]) + "\n")


def line(name, cells):
    print(f"{name:<24}" + "".join(f"{cell:>12}" for cell in cells))


def report(rows):
    """The table of the kinds, and the differences outside their intervals."""
    line("", ["positions", "lines", "outside", "mean diff.", "mean |diff.|", "its error", "0-ply |diff.|"])
    groups = {kind: [row for row in rows if row["kind"] == kind] for kind in KINDS}
    for kind, group in [*groups.items(), ("all", rows)]:
        lines = [one for row in group for one in row["lines"]]
        count = len(lines)

        def mean(numbers):
            return f"{1000 * sum(numbers) / count:.1f}"

        outside = sum(abs(one["difference"]) > 1.96 * one["error"] for one in lines)
        cells = [len(group), count, outside, mean([one["difference"] for one in lines])]
        cells.append(mean([abs(one["difference"]) for one in lines]))
        cells.append(mean([one["error"] for one in lines]))
        line(kind, [*cells, mean([abs(one["static"]) for one in lines])])
    print("\nequities in thousandths; its error: standard error of a difference; ±: 95 % interval")
    print("0-ply is the distance of the bare evaluations with the cube")
    same = sum(row["verdict"][0] == row["verdict"][1] for row in rows)
    print(f"the same verdict: {same} of {len(rows)}")
    print("outside the interval, or with another verdict:")
    for row in rows:
        outside = [abs(one["difference"]) > 1.96 * one["error"] for one in row["lines"]]
        if any(outside) or row["verdict"][0] != row["verdict"][1]:
            texts = [
                f"{one['ours']:+.3f} ± {1.96 * one['our error']:.3f}"
                f" / {one['theirs']:+.3f} ± {1.96 * one['their error']:.3f}"
                f" (0-ply {one['our static']:+.3f} / {one['their static']:+.3f})"
                for one in row["lines"]
            ]
            print(f"  {row['xgid']} {row['kind']}: {'; '.join(texts)}; {' / '.join(row['verdict'])}")


def verdict(no_double, take):
    """Action by two equities in units of the cube."""
    doubled = min(take, 1.0)
    action = "double" if doubled > no_double else "too good" if no_double > 1.0 else "no double"
    return f"{action}, {'pass' if take > 1.0 else 'take'}"


def main():
    defaults = [1296, 216, 8, 1, 0]
    trials, their_trials, per_kind, seed, plies = (
        int(word) for word in (sys.argv[1:] + defaults[len(sys.argv) - 1 :])
    )
    tools.need_gnubg()
    batch, rng = tools.Batch(tools.tavola()), random.Random(seed)
    cache = Cache(os.environ.get("CACHE") or tools.ROOT / "target/gnubg-rollouts.jsonl")
    asked = positions(batch, per_kind, rng)
    xgids = [
        (batch.ask(op="convert", to="xgid", **question)["position"], "jacoby" if "jacoby" in question else "plain")
        for _, question in asked
    ]
    by_gnubg(xgids, their_trials, plies, cache)
    gnubg, rows = tools.Gnubg(0, cube=True), []
    for (kind, question), (xgid, rules) in zip(asked, xgids):
        ours = batch.ask(op="rollout", cubeful=True, trials=trials, seed=seed, **question)
        static = batch.ask(op="cube", ply=0, **question)
        theirs = cache.known[f"{xgid} {rules} {their_trials} {plies}"]
        their_static = list(map(float, gnubg.ask("equities", question["position"], *tools.cube_words(question))))
        lines = []
        for number, name in enumerate(("no_double", "double_take")):
            our, error = ours[name], ours[f"{name}_se"]
            their, their_error = theirs[2 * number : 2 * number + 2]
            lines.append(
                {
                    "ours": our,
                    "our error": error,
                    "theirs": their,
                    "their error": their_error,
                    "difference": our - their,
                    "error": (error**2 + their_error**2) ** 0.5,
                    "our static": static[name],
                    "their static": their_static[number],
                    "static": static[name] - their_static[number],
                }
            )
        verdicts = [verdict(*(one[side] for one in lines)) for side in ("ours", "theirs")]
        rows.append({"kind": kind, "xgid": xgid, "lines": lines, "verdict": verdicts})
    print(f"{trials} trials of tavola, {their_trials} of gnubg at {plies}-ply, seed {seed}\n")
    report(rows)


main()
