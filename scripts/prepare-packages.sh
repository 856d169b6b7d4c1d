#!/usr/bin/env bash
# What packages hold beside the program: manual pages and completions, in target/packaging.
#   scripts/prepare-packages.sh [PROGRAM]     default: target/release/tavola, built first
set -euo pipefail
cd "$(dirname "$0")/.."
program=${1:-target/release/tavola}
[ "$#" -gt 0 ] || cargo build --release --locked -p tavola-cli
out=target/packaging
rm -rf "$out"
mkdir -p "$out/completions"
"$program" man "$out/man1"
"$program" completions bash > "$out/completions/tavola.bash"
"$program" completions zsh > "$out/completions/_tavola"
"$program" completions fish > "$out/completions/tavola.fish"
