#!/usr/bin/env python3
"""Speed of tavola beside gnubg, gnubg-nn and Open Sage in one run: the figures of README's table.

    scripts/compare-speed.py                       # six minutes
    scripts/compare-speed.py --write               # also with AVX2 alone; the table of README.md
    scripts/compare-speed.py --decisions 0         # without searches
    scripts/compare-speed.py --preset fast -- --model runs/small/final.safetensors --seconds 2

Measures `tavola bench --full`, which takes the arguments after `--`, GNU Backgammon, gnubg-nn and Open
Sage (from PyPI, into a temporary virtual environment) one after the other on the same 4,000 positions.
Then some of these positions are searched, forced plays included: tavola answers `best` in `tavola
batch`, which compares five plays at the full depth (`--preset`), and gnubg chooses one with its
default move filter, cubeless; both prune, use one thread and their own caches, and take turns in
four parts. Sage does the same at each of its plies, which it counts from one, against ours. How long
tavola needs to choose one play, as in a game, `tavola bench` says. With --write tavola is measured
with each of AVX2 and AVX-512 that the processor has, beside the same figures of the others.

Rates are per second of processor time on one thread; on a busy machine only the ratios are
comparable. On an idle one gnubg's short calls, its 0-ply decisions, look up to twice as slow: its
thread seems to fall asleep between them. $TAVOLA is another binary.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools

PARTS = 4
SAGE = "bgsage==2.0.20260907"
# Lines of README's table: our figure, and the figure beside that of each peer.
LINES = {
    "evaluations, batched": {"gnubg": "evals", "bgsage": "evals"},
    "evaluations, one at a time": {"gnubg-nn": "evals_single", "bgsage": "evals_single"},
    "0-ply decisions, pruned": {"gnubg-nn": "decisions_0ply_pruned"},
    "1-ply, five plays compared": {"bgsage": "decisions_1ply_normal"},
    "2-ply, five plays compared": {"gnubg": "decisions_2ply_normal", "bgsage": "decisions_2ply_normal"},
    "2-ply decisions in play": {"gnubg": "decisions_2ply_in_play", "bgsage": "decisions_2ply_in_play"},
    "rollout trials": {"gnubg": "rollout_games"},
    "rollout trials, variance-reduced": {"gnubg": "rollout_vr_games", "bgsage": "rollout_vr_games"},
    "self-play games": {"gnubg": "selfplay_games"},
}


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--decisions", type=int, default=300, help="positions to search (300)")
    parser.add_argument("--ply", type=int, default=2, choices=range(4), help="depth of the searches (2)")
    presets = ["fast", "normal", "wide", "full"]
    parser.add_argument("--preset", default="normal", choices=presets, help="how widely tavola searches (normal)")
    parser.add_argument("--write", action="store_true", help="write the table of README.md")
    parser.add_argument("bench", nargs="*", help="arguments of `tavola bench`, after `--`")
    options = parser.parse_args()
    # --model=FILE as two words, which `searches` looks for.
    split = lambda word: word.split("=", 1) if word.startswith("--") else [word]
    options.bench = [part for word in options.bench for part in split(word)]
    if options.decisions and options.decisions < PARTS:
        parser.error(f"argument --decisions: expected 0 or at least {PARTS}, got {options.decisions}")
    return options


def of_package(work, package, positions):
    """The lines of a package from PyPI, and the interpreter that has it; nothing if it cannot be had."""
    name = package.partition("==")[0]
    peer, python = tools.ROOT / "scripts/lib/peer-speed.py", f"{work}/{name}/bin/python"
    try:
        subprocess.run([sys.executable, "-m", "venv", f"{work}/{name}"], check=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package]
        subprocess.run(pip, check=True)
        variables = {**os.environ, "TAVOLA_POSITIONS": positions, "TAVOLA_PEER": name}
        done = subprocess.run([python, peer], check=True, stdout=subprocess.PIPE, text=True, env=variables)
        return done.stdout, python
    except subprocess.CalledProcessError as error:
        print(f"{name} is left out: {error}", file=sys.stderr)
        return "", None


def peers(work, positions):
    """What the peers print of themselves, a figure a line, and the interpreter that has Sage."""
    said = tools.inside_gnubg("peer-speed.py", TAVOLA_POSITIONS=positions)
    said += of_package(work, "gnubg-nn", positions)[0]
    of_sage, sage = of_package(work, SAGE, positions)
    lines = [line for line in (said + of_sage).replace("\r", "\n").splitlines() if line.startswith("PEER ")]
    if not lines:
        tools.stop("no peer could be measured")
    return lines, sage


def searches(options, positions, ply, peer, decisions):
    """Searched decisions a second of processor time, of so many or of all: tavola's, the peer's, and the
    ratio of each part."""
    with open(positions) as lines:
        pairs = sorted(set(lines))
    random.Random(1).shuffle(pairs)
    pairs = [line.split() for line in pairs[:decisions]]
    model = options.bench[options.bench.index("--model") :][:2] if "--model" in options.bench else []
    ours = tools.Batch(tools.tavola(), *model)

    def choose(position, first, second):
        ours.ask(
            op="best",
            position=position,
            dice=[int(first), int(second)],
            ply=ply,
            preset=options.preset,
            top=1,
            cubeful=False,
        )

    engines = [(ours, choose), (peer, lambda *pair: peer.ask("best", *pair))]
    # The first request of each loads networks and tables.
    for _, ask in engines:
        ask(tools.START, 3, 1)
    seconds = [[], []]
    for part in range(PARTS):
        for times, (process, ask) in zip(seconds, engines):
            before = process.processor_time()
            for pair in pairs[part::PARTS]:
                ask(*pair)
            times.append(max(process.processor_time() - before, 0.01))
    ratios = sorted(theirs / mine for mine, theirs in zip(*seconds))
    return *(len(pairs) / sum(times) for times in seconds), ratios


def measured(options, work, positions, ours, lines, sage):
    """Name, our figure, peer, its figure and how, of one kernel of ours."""
    peers = sorted((line.split(maxsplit=4)[1:] for line in lines), key=lambda peer: (peer[1], peer[0]))
    rows = [
        (figure.removesuffix("_per_s"), ours[figure], engine, float(rate), how)
        for engine, figure, rate, how in peers
    ]
    if not options.decisions:
        return rows
    in_play = 1000 / ours["decision_2ply_ms"]
    peers = [(options.ply, "gnubg", tools.Gnubg(options.ply), options.decisions)]
    if sage:
        # From half a millisecond to some hundred; processor time comes in hundredths of a second.
        fewer = max(options.decisions // 4, PARTS)
        plies = [(0, None), (1, options.decisions), (2, fewer)]
        peers += [(ply, "bgsage", tools.Sage(sage, f"{ply + 1}ply"), n) for ply, n in plies]
    for ply, engine, peer, decisions in peers:
        mine, theirs, ratios = searches(options, positions, ply, peer, decisions)
        peer.close()
        name, parts = f"decisions_{ply}ply", f"parts {ratios[0]:.1f} to {ratios[-1]:.1f}"
        rows.append((f"{name}_{options.preset}", mine, engine, theirs, f"`best` in batch; {parts}"))
        if (ply, options.preset) == (2, "normal"):
            rows.append((f"{name}_in_play", in_play, engine, theirs, "the same; tavola bench"))
    return rows


def shown(ours, rows):
    hidden = "-".join(map(str, ours["hidden"]))
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    print(f"tavola: network {hidden}, {ours['parameters']:,} parameters; {ours['kernel']}, {load}\n")
    row = "{:<24} {:>12} {:<9} {:>12} {:>8}  {}"
    print(row.format("per processor second", "tavola", "peer", "its figure", "ratio", "measured by"))
    for name, mine, engine, theirs, how in rows:
        print(row.format(name, f"{mine:,.0f}", engine, f"{theirs:,.0f}", f"{mine / theirs:.1f} x", how))
    print(flush=True)


def short(rate):
    if rate < 100_000:
        return f"{rate:,.0f}" if rate < 10_000 else f"{rate / 1000:.1f} k"
    return f"{rate / 1000:,.0f} k"


def write(cpu, kernels):
    """README's table: tavola by kernel, the peers, and the ratios in the order of the kernels."""
    figures = {
        kernel: {(engine, name): (mine, theirs) for name, mine, engine, theirs, _ in rows}
        for kernel, rows in kernels.items()
    }
    one = list(kernels)[0]
    head = ["per second", *kernels, "gnubg", "ratio", "Open Sage", "ratio"]
    table = [head, ["---"] * len(head)]
    for label, peers in LINES.items():
        found = [key for key in peers.items() if key in figures[one]]
        if not found:
            continue
        cells = [label, *(short(figures[kernel][found[0]][0]) for kernel in kernels)]
        for engines in ("gnubg", "gnubg-nn"), ("bgsage",):
            key = next((key for key in found if key[0] in engines), None)
            pairs = [figures[kernel][key] for kernel in kernels] if key else []
            cells += [
                short(pairs[0][1]) if key else "",
                ", ".join(f"{mine / theirs:.1f}" for mine, theirs in pairs),
            ]
        table.append(cells)
    text = f"One thread of an {cpu.replace('(R)', '')}, with {' and '.join(kernels)}:\n\n"
    text += "".join(f"|{'|'.join(cells)}|\n" for cells in table)
    tools.write_between(tools.ROOT / "README.md", "speed", text)


def main():
    options = arguments()
    tools.need_gnubg()
    with tempfile.TemporaryDirectory() as work:
        positions = f"{work}/positions"
        first = tools.bench(positions, "--threads", "1", *options.bench)
        names = {"avx2": "AVX2", "avx512": "AVX-512"}
        wanted = ["avx2", "avx512"] if options.write and first["kernel"] == "avx512" else [first["kernel"]]
        lines, sage = peers(work, positions)
        kernels = {}
        for kernel in wanted:
            os.environ["TAVOLA_KERNEL"] = kernel
            ours = first
            if kernel != first["kernel"]:
                ours = tools.bench(f"{positions}-again", "--threads", "1", *options.bench)
            rows = kernels[names.get(kernel, kernel)] = measured(options, work, positions, ours, lines, sage)
            shown(ours, rows)
        if options.write:
            write(first["provenance"]["machine"]["cpu"], kernels)


main()
