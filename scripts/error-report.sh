#!/usr/bin/env bash
# How much equity do single decisions lose, phase by phase? And how references are made.
#
#     scripts/error-report.sh [PLAYER [PLAYER2]]        # default: the built-in network, gnubg:0
#     scripts/error-report.sh --judge SAMPLE REFERENCE  # gnubg judges a sample of decisions
#     PLY=1 JOBS=4 scripts/error-report.sh --judge sample.jsonl reference.jsonl
#
# The first form grades players by the decisions that were kept for reporting, or by those of
# $REFERENCE, and compares them. Use benches/grade/tuning.jsonl for anything that is still to be
# decided: what has been chosen by a set has no honest grade in it.
#
# The second form has GNU Backgammon rate the plays of what `tavola grade sample` has drawn, at
# $PLY plies (2), by $JOBS processes (2) of low priority. gnubg waits some 10 ms for every
# evaluation, so more processes than cores are of use.
#
# Exit code: 0 done, 1 failed, 2 gnubg is missing or wrong arguments.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
PATH=$PATH:/usr/games

if ! command -v gnubg >/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        { apt-get update -qq && apt-get install -y -qq --no-install-recommends gnubg; } >&2
    else
        echo "gnubg is missing; on Debian and Ubuntu: sudo apt-get install gnubg" >&2
        exit 2
    fi
fi

if [ "${1:-}" != --judge ]; then
    if [ $# -gt 2 ]; then
        echo "usage: scripts/error-report.sh [PLAYER [PLAYER2]], got: $*" >&2
        exit 2
    fi
    cargo build --quiet --release --locked --manifest-path "$root/Cargo.toml" -p tavola-cli >&2
    tavola=${CARGO_TARGET_DIR:-$root/target}/release/tavola
    reference=${REFERENCE:-$root/benches/grade/reporting.jsonl}
    for player in "${1:-default}" "${2:-gnubg:0}"; do
        "$tavola" grade "$player" --reference "$reference" --threads "${THREADS:-4}"
        echo
    done
    exec "$tavola" grade "${1:-default}" --against "${2:-gnubg:0}" \
        --reference "$reference" --threads "${THREADS:-4}"
fi

ply=${PLY:-2}
jobs=${JOBS:-2}
if [ $# -ne 3 ] || ! [[ $ply =~ ^[0-4]$ && $jobs =~ ^[1-9][0-9]*$ ]] || ! [ -r "$2" ]; then
    echo "usage: [PLY=0-4] [JOBS=N] scripts/error-report.sh --judge SAMPLE REFERENCE, got: $*" >&2
    exit 2
fi
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
pids=()
for ((part = 0; part < jobs; part++)); do
    # gnubg draws boards between its lines: its output is only of interest if it fails.
    TAVOLA_SAMPLE=$2 TAVOLA_JUDGED=$work/part$part TAVOLA_PART=$part/$jobs TAVOLA_PLY=$ply \
        HOME=$work nice gnubg -t -q -r -p "$root/scripts/error-report.py" \
        </dev/null >"$work/log$part" 2>&1 &
    pids+=($!)
done
failed=0
for ((part = 0; part < jobs; part++)); do
    if ! wait "${pids[part]}"; then
        tail -n 3 "$work/log$part" >&2
        failed=1
    fi
done
if [ $failed = 1 ]; then
    echo "gnubg did not finish" >&2
    exit 1
fi
sort -n -k1,1 "$work"/part* | cut -f2- >"$work/reference"
if [ "$(wc -l <"$work/reference")" != "$(wc -l <"$2")" ]; then
    echo "$(wc -l <"$work/reference") lines were judged, expected the $(wc -l <"$2") of $2" >&2
    exit 1
fi
mv "$work/reference" "$3"
echo "$(($(wc -l <"$3") - 1)) decisions judged: $3"
