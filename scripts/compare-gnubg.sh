#!/usr/bin/env bash
# Compares the legal results of random positions and rolls with GNU Backgammon.
#
#     scripts/compare-gnubg.sh [pairs] [seed]        # default 3000 pairs, seed 1
#     INSTALL=1 scripts/compare-gnubg.sh             # install the Debian package if it is missing
#
# The positions are of several kinds in equal numbers (opening, contact, checkers on the bar,
# coming home, bear-off with and without contact). gnubg lists every legal move; its moves are
# carried out by a few lines of Python that share nothing with the library, and the sets of
# positions must be equal. This also compares the GNU Position IDs, of asymmetric positions too.
#
# Exit code: 0 all the same, 1 a difference or a failure, 2 gnubg is missing.
# A pair takes gnubg some 10 ms. GNU Backgammon 1.07 is known to work.
set -euo pipefail
cd "$(dirname "$0")/.."
pairs=${1:-3000}
seed=${2:-1}

PATH=$PATH:/usr/games
if ! command -v gnubg >/dev/null && [ "${INSTALL:-0}" = 1 ]; then
    apt-get update -qq && apt-get install -y -qq --no-install-recommends gnubg
fi
if ! command -v gnubg >/dev/null; then
    echo "gnubg is missing: install the package gnubg, or run with INSTALL=1 as root" >&2
    exit 2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo run --quiet -p tavola-rules --example result_pairs -- "$pairs" "$seed" >"$work/pairs.txt"

# gnubg draws a board for every command: its output is only of interest if it fails.
if ! TAVOLA_PAIRS=$work/pairs.txt TAVOLA_REPORT=$work/report.txt HOME=$work \
    gnubg -t -q -r -p scripts/compare_gnubg.py </dev/null >"$work/gnubg.log" 2>&1 ||
    ! [ -s "$work/report.txt" ]; then
    tail -n 20 "$work/gnubg.log" >&2
    echo "gnubg did not finish the comparison" >&2
    exit 1
fi
cat "$work/report.txt"
tail -n 1 "$work/report.txt" | grep -q '^same'
