#!/usr/bin/env bash
# Rates the networks of models/ at 0-ply and 1-ply, GNU Backgammon 0-ply and two baselines, and draws
# docs/ladder.svg. Match-ups are kept in FILE (default runs/ladder.jsonl): every further call narrows
# the intervals.
# Usage: TIME=4min FILE=runs/ladder.jsonl scripts/ladder.sh [PLAYER...], with more players
set -euo pipefail
cd "$(dirname "$0")/.."
file=${FILE:-runs/ladder.jsonl}
mkdir -p "$(dirname "$file")"
python3 scripts/lib/tools.py gnubg
PATH=$PATH:/usr/games
tavola=$(python3 scripts/lib/tools.py tavola)
"$tavola" ladder --file "$file" --time "${TIME:-4min}" --pairs "${PAIRS:-100}" \
    --svg docs/ladder.svg --force --markdown \
    random pip-count gnubg:0 \
    default default@1 default@1/fast \
    models/small.safetensors models/small.safetensors@1 \
    models/student.safetensors raw:default "$@"
