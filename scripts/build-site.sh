#!/usr/bin/env bash
# The board as a static folder that any web host serves: the page, and the engine in WebAssembly.
#   scripts/build-site.sh [FOLDER]     default: target/site
# Needs Node.js. Installs the target and, into target/tools, the version of wasm-bindgen that Cargo.lock names. Fails
# if a first visit downloads too much, see scripts/site-size.mjs.
set -euo pipefail
cd "$(dirname "$0")/.."
site=${1:-target/site}

rustup target list --installed | grep -qx wasm32-unknown-unknown || rustup target add wasm32-unknown-unknown
version=$(grep -A1 '^name = "wasm-bindgen"$' Cargo.lock | sed -n 's/^version = "\(.*\)"$/\1/p')
tool=target/tools/bin/wasm-bindgen
if [ "$("$tool" --version 2>/dev/null)" != "wasm-bindgen $version" ]; then
  cargo install wasm-bindgen-cli --version "$version" --root target/tools --target-dir target/tools/build
fi

RUSTFLAGS="-C target-feature=+simd128" cargo build --locked --profile web \
  --target wasm32-unknown-unknown --target-dir target/web -p tavola-wasm
mkdir -p "$site/games"
cp crates/interfaces/serve/page/* "$site/"
sed -e 's/<html /<html data-engine="local" /' -e '/api\/v1\/engine/d' crates/interfaces/serve/page/index.html > "$site/index.html"
"$tool" --target web --no-typescript --remove-name-section --remove-producers-section --out-dir "$site" --out-name tavola \
  target/web/wasm32-unknown-unknown/web/tavola_wasm.wasm
# Networks that the page fetches: that of the program, once one can play with the small one, and those of other games
# when they are played.
cp models/default.safetensors "$site/games/backgammon.safetensors"
sed -n 's/^ *of_game!("\(.*\)"),$/\1/p' models/src/lib.rs | while read -r game; do
  cp "models/games/$game.safetensors" "$site/games/"
done
scripts/licenses.py tavola-wasm wasm32-unknown-unknown "$site"
node scripts/site-size.mjs "$site"
