#!/usr/bin/env bash
# Speed of tavola beside the engines that a package registry has, all in one run.
#
#     scripts/compare-speed.sh [arguments of `tavola bench`]
#     scripts/compare-speed.sh --model runs/small/final.safetensors --seconds 2
#
# Measures `tavola bench`, GNU Backgammon (the Debian package gnubg, if it is installed) and
# gnubg-nn (from PyPI, into a virtual environment in a temporary folder) one after the other, on
# the same 4,000 positions, and prints a table with ratios. A peer that is missing is said to be.
#
# The binary is target/release/tavola, or what $TAVOLA names. Rates are per second of processor
# time on one thread; on a busy machine read the ratios only. Takes two minutes.
#
# Exit code: 0 measured, 1 tavola itself could not be measured, 2 the binary is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
tavola=${TAVOLA:-target/release/tavola}
if ! [ -x "$tavola" ]; then
    echo "$tavola is missing: run cargo build --release, or set TAVOLA to the binary" >&2
    exit 2
fi
PATH=$PATH:/usr/games
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "load before: $(cut -d' ' -f1-3 /proc/loadavg) on $(nproc) cores"
"$tavola" bench --json --write-positions "$work/positions.txt" "$@" >"$work/tavola.json" || exit 1

: >"$work/peers.txt"
if command -v gnubg >/dev/null; then
    if TAVOLA_POSITIONS=$work/positions.txt HOME=$work \
        gnubg -t -q -r -p scripts/peer-speed.py </dev/null >"$work/gnubg.log" 2>&1; then
        tr '\r' '\n' <"$work/gnubg.log" | sed -n 's/^PEER //p' >>"$work/peers.txt"
    else
        echo "gnubg failed: $(tail -n 1 "$work/gnubg.log")" >&2
    fi
else
    echo "gnubg is missing: install the Debian package gnubg" >&2
fi
if python3 -m venv "$work/venv" &&
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check gnubg-nn >"$work/pip.log" 2>&1; then
    "$work/venv/bin/python" scripts/peer-speed.py nn "$work/positions.txt" |
        sed -n 's/^PEER //p' >>"$work/peers.txt" || echo "gnubg-nn failed" >&2
else
    echo "gnubg-nn can't be installed here: $(tail -n 1 "$work/pip.log" 2>/dev/null)" >&2
fi

python3 - "$work/tavola.json" "$work/peers.txt" <<'PYTHON'
import json
import sys

with open(sys.argv[1]) as file:
    ours = json.load(file)
print(f"tavola: network {'-'.join(map(str, ours['hidden']))}, {ours['parameters']:,} parameters\n")
row = "{:<24} {:>12} {:<9} {:>12} {:>8}  {}"
print(row.format("per processor second", "tavola", "peer", "its figure", "ratio", "measured by"))
with open(sys.argv[2]) as file:
    peers = sorted((line.split(maxsplit=3) for line in file), key=lambda peer: (peer[1], peer[0]))
for engine, figure, rate, how in peers:
    rate = float(rate)
    ratio = f"{ours[figure] / rate:.1f} x"
    name = figure.removesuffix("_per_s")
    print(row.format(name, f"{ours[figure]:,.0f}", engine, f"{rate:,.0f}", ratio, how.strip()))
if not peers:
    sys.exit("no peer could be measured")
PYTHON
echo "load after: $(cut -d' ' -f1-3 /proc/loadavg)"
