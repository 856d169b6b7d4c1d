#!/usr/bin/env bash
# Runs every fuzz target on mutated seed inputs: scripts/fuzz.sh [INPUTS] [SEED] [LENGTH]
# INPUTS: 1,000,000 for each target. LENGTH: a part of each input is repeated up to so many bytes.
# Ends with 1 if a target fails; its input is left in the folder.
set -euo pipefail
cd "$(dirname "$0")/.."
inputs=${1:-1000000} seed=${2:-11} length=${3:-0} failed=0

cargo build --quiet --profile fuzz --locked -p tavola-fuzz
fuzz=${CARGO_TARGET_DIR:-target}/fuzz/tavola-fuzz
for target in $("$fuzz"); do
  "$fuzz" "$target" --inputs "$inputs" --seed "$seed" --length "$length" 2>/dev/null || { failed=1; echo "$target: FAILED"; }
done
exit "$failed"
