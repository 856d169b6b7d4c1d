#!/usr/bin/env bash
# Rates the networks of models/, with and without looking ahead, beside GNU Backgammon 0-ply and
# the two players who know next to nothing, and draws docs/ladder.svg. Results gather in
# FILE (default runs/ladder.jsonl): run it again to make them sharper.
# Usage: TIME=4min FILE=runs/ladder.jsonl scripts/ladder.sh [PLAYER...], the players being more ones
set -euo pipefail
cd "$(dirname "$0")/.."
file=${FILE:-runs/ladder.jsonl}
mkdir -p "$(dirname "$file")"
tavola=${TAVOLA:-target/release/tavola}
[[ -n ${TAVOLA:-} ]] || cargo build --release --quiet -p tavola-cli
"$tavola" ladder --file "$file" --time "${TIME:-4min}" --pairs "${PAIRS:-100}" \
    --svg docs/ladder.svg --markdown \
    random pip-count gnubg:0 \
    models/main/0-prune.safetensors models/main/0-prune.safetensors@1 \
    default default@1 default@1/fast \
    models/small.safetensors models/small.safetensors@1 \
    models/main/2-td.safetensors raw:default "$@"
