#!/usr/bin/env bash
# Has GNU Backgammon judge cube decisions: equity lost by its 2-ply equities.
#
#     scripts/compare-cube.sh [positions] [seed] [ply]     # default 300 positions, seed 1, 2-ply
#
# The positions are drawn from games of the network with itself at 0-ply; cube and score are in turn
# centred and owned for money, a match, its Crawford game and a game after it. gnubg is a judge
# only: nothing of it goes into training. With TAVOLA=path another binary is asked.
set -euo pipefail
cd "$(dirname "$0")/.."
count=${1:-300}
seed=${2:-1}
ply=${3:-2}

PATH=$PATH:/usr/games
if ! command -v gnubg >/dev/null; then
    echo "gnubg is missing: install the package gnubg" >&2
    exit 2
fi
if [ -z "${TAVOLA:-}" ]; then
    cargo build --quiet --release -p tavola-cli
    TAVOLA=target/release/tavola
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 scripts/compare_cube.py "$TAVOLA" "$count" "$seed" "$ply" "$work/cubes.json"
# gnubg draws a board for every command: its output is only of interest if it fails.
if ! TAVOLA_CUBES=$work/cubes.json TAVOLA_REPORT=$work/report.txt HOME=$work \
    gnubg -t -q -r -p scripts/compare_cube.py </dev/null >"$work/gnubg.log" 2>&1 ||
    ! [ -s "$work/report.txt" ]; then
    tail -n 20 "$work/gnubg.log" >&2
    echo "gnubg did not finish the comparison" >&2
    exit 1
fi
cat "$work/report.txt"
