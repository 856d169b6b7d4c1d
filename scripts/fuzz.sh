#!/usr/bin/env bash
# Runs every fuzz target on mutated seed inputs: scripts/fuzz.sh [INPUTS] [SEED]
# INPUTS: 1,000,000 for each target. Ends with 1 if a target fails; its input is left in the folder.
set -euo pipefail
cd "$(dirname "$0")/.."
inputs=${1:-1000000} seed=${2:-11} failed=0

cargo build --quiet --profile fuzz --locked -p tavola-fuzz
fuzz=${CARGO_TARGET_DIR:-target}/fuzz/tavola-fuzz
for target in $("$fuzz"); do
  "$fuzz" "$target" --inputs "$inputs" --seed "$seed" 2>/dev/null || { failed=1; echo "$target: FAILED"; }
done
exit "$failed"
