#!/usr/bin/env bash
# What a decision two plies ahead takes: tavola beside GNU Backgammon, in one run.
#
#     scripts/compare-search-speed.sh [DECISIONS [PLY]]     # 200 decisions, 2 plies
#     PRESET=fast MODEL=runs/small/final.safetensors scripts/compare-search-speed.sh 400
#
# Positions and rolls are those of 0-ply self-play of the network, in random order, the same for
# both, rolls without a choice included. tavola answers `tavola batch` with the preset $PRESET
# (normal), gnubg chooses with its default move filter and its pruning networks, cubeless. Both
# use one thread, and their own caches; they take turns in four parts. Figures are of processor
# time, less what tavola takes to start: on a busy machine read the ratio only.
#
# The binary is target/release/tavola, or what $TAVOLA names.
#
# Exit code: 0 measured, 1 failed, 2 the binary or gnubg is missing, or wrong arguments.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PATH:/usr/games
tavola=${TAVOLA:-target/release/tavola}
decisions=${1:-200}
ply=${2:-2}
if [ $# -gt 2 ] || ! [[ $decisions =~ ^[1-9][0-9]{0,3}$ && $ply =~ ^[0-3]$ ]]; then
    echo "usage: scripts/compare-search-speed.sh [DECISIONS up to 4000 [PLY 0-3]], got: $*" >&2
    exit 2
fi
if ! [ -x "$tavola" ]; then
    echo "$tavola is missing: run cargo build --release, or set TAVOLA to the binary" >&2
    exit 2
fi
if ! command -v gnubg >/dev/null; then
    echo "gnubg is missing; on Debian and Ubuntu: sudo apt-get install gnubg" >&2
    exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
model=()
if [ -n "${MODEL:-}" ]; then model=(--model "$MODEL"); fi

echo "load before: $(cut -d' ' -f1-3 /proc/loadavg) on $(nproc) cores"
"$tavola" bench --json --seconds 0.05 --write-positions "$work/all.txt" "${model[@]}" >/dev/null
python3 scripts/search-speed.py prepare "$work" "$decisions" "$ply" "${PRESET:-normal}"
for part in 0 1 2 3; do
    python3 scripts/search-speed.py ours "$work" "$part" \
        "$tavola" batch --threads 1 "${model[@]}"
    if ! TAVOLA_POSITIONS=$work/pairs$part.txt TAVOLA_PLY=$ply TAVOLA_TIMES=$work/gnubg$part.txt \
        HOME=$work gnubg -t -q -r -p scripts/search-speed.py </dev/null >"$work/log" 2>&1; then
        echo "gnubg failed: $(tail -n 1 "$work/log")" >&2
        exit 1
    fi
done
python3 scripts/search-speed.py report "$work" "$ply" "${PRESET:-normal}"
echo "load after: $(cut -d' ' -f1-3 /proc/loadavg)"
