#!/usr/bin/env python3
"""Speed of tavola beside gnubg and gnubg-nn, all in one run.

    scripts/compare-speed.py [arguments of `tavola bench`]
    scripts/compare-speed.py --model runs/small/final.safetensors --seconds 2

Measures `tavola bench --full`, GNU Backgammon and gnubg-nn (from PyPI, into a temporary virtual environment)
one after the other on the same 4,000 positions. Rates are per second of processor time on one
thread; on a busy machine only the ratios are comparable. On an idle one gnubg's short calls, its 0-ply
decisions, look up to twice as slow: its thread seems to fall asleep between them. It takes two minutes.
$TAVOLA is another binary.
"""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools


def gnubg_nn(work, positions):
    """The lines of gnubg-nn, or nothing if it cannot be installed."""
    peer = tools.ROOT / "scripts/lib/peer-speed.py"
    python = f"{work}/venv/bin/python"
    try:
        subprocess.run([sys.executable, "-m", "venv", f"{work}/venv"], check=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "gnubg-nn"]
        subprocess.run(pip, check=True)
        variables = {**os.environ, "TAVOLA_POSITIONS": positions}
        return subprocess.run([python, peer], check=True, capture_output=True, text=True, env=variables).stdout
    except subprocess.CalledProcessError as error:
        print(f"gnubg-nn is left out: {error}", file=sys.stderr)
        return ""


def main():
    tools.need_gnubg()
    with tempfile.TemporaryDirectory() as work:
        positions = f"{work}/positions.txt"
        ours = tools.bench(positions, *sys.argv[1:])
        said = tools.inside_gnubg("peer-speed.py", TAVOLA_POSITIONS=positions)
        said += gnubg_nn(work, positions)
    lines = [line for line in said.replace("\r", "\n").splitlines() if line.startswith("PEER ")]
    peers = sorted((line.split(maxsplit=4)[1:] for line in lines), key=lambda peer: (peer[1], peer[0]))
    if not peers:
        tools.stop("no peer could be measured")
    hidden = "-".join(map(str, ours["hidden"]))
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    print(f"tavola: network {hidden}, {ours['parameters']:,} parameters; {load}\n")
    row = "{:<24} {:>12} {:<9} {:>12} {:>8}  {}"
    print(row.format("per processor second", "tavola", "peer", "its figure", "ratio", "measured by"))
    for engine, figure, rate, method in peers:
        ratio = f"{ours[figure] / float(rate):.1f} x"
        name = figure.removesuffix("_per_s")
        print(row.format(name, f"{ours[figure]:,.0f}", engine, f"{float(rate):,.0f}", ratio, method))


main()
