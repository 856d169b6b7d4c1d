#!/usr/bin/env bash
# What packages hold beside the program: manual pages, completions, the licenses of what is linked
# into it and an SBOM, in target/packaging.
#   scripts/prepare-packages.sh [PROGRAM [TARGET]]     default: target/packaged/tavola, built first
set -euo pipefail
cd "$(dirname "$0")/.."
program=${1:-target/packaged/tavola}
[ "$#" -gt 0 ] || cargo build --profile packaged --locked -p tavola-cli --features fleet
out=target/packaging
rm -rf "$out"
mkdir -p "$out/completions"
"$program" man "$out/man1"
"$program" completions bash > "$out/completions/tavola.bash"
"$program" completions zsh > "$out/completions/_tavola"
"$program" completions fish > "$out/completions/tavola.fish"
scripts/licenses.py tavola-cli "${2:-$(rustc -vV | sed -n 's/^host: //p')}" "$out"
