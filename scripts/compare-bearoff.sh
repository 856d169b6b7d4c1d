#!/usr/bin/env bash
# Compares endgame tables with GNU Backgammon's, on random positions.
#
#     scripts/compare-bearoff.sh [positions] [seed]  # default 300 positions, seed 1
#
# One-sided: chances of bearing off all checkers, and the first, in so many rolls. Two-sided: the
# four equities. gnubg brings its one-sided database; its two-sided one is made by makebearoff,
# which takes some 20 seconds the first time, and kept in target/compare-bearoff.
#
# Reports the largest and the mean difference of each. gnubg keeps 16 bits of a number and prints
# five or four digits.
# Exit code: 0 all within its rounding, 1 a larger difference or a failure, 2 gnubg is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PATH:/usr/games
one_sided=/usr/share/gnubg/gnubg_os0.bd
for needed in makebearoff bearoffdump; do
    if ! command -v "$needed" >/dev/null || ! [ -f "$one_sided" ]; then
        echo "gnubg is missing: install the package gnubg" >&2
        exit 2
    fi
done
work=target/compare-bearoff
mkdir -p "$work"
two_sided=$work/gnubg_ts0.bd
if ! [ -f "$two_sided" ]; then
    makebearoff -t 6x6 -f "$two_sided.part" >"$work/makebearoff.log" 2>&1
    mv "$two_sided.part" "$two_sided"
fi
tavola=${TAVOLA:-}
if [ -z "$tavola" ]; then
    cargo build --quiet --release -p tavola-cli
    tavola=target/release/tavola
fi
exec python3 scripts/compare_bearoff.py "$tavola" "$one_sided" "$two_sided" "${1:-300}" "${2:-1}"
