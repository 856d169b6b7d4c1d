#!/usr/bin/env bash
# The board in Debian's Chromium, served by target/debug/tavola; installs what is missing.
# With TAVOLA_SITE=FOLDER the static site of build-site.sh is tested instead. Without it, the site in
# target/site is tested too, if there is one of the page as it is.
# Nothing waits for ever: each step has a limit, and with the tests ends all that they started.
set -euo pipefail
[ -z "${TAVOLA_SITE:-}" ] || TAVOLA_SITE=$(realpath "$TAVOLA_SITE")
cd "$(dirname "$0")/../crates/interfaces/serve/tests/browser"
exec </dev/null
export DEBIAN_FRONTEND=noninteractive

missing=()
[ -n "${CHROMIUM:-}" ] || [ -x /usr/bin/chromium ] || missing+=(chromium)
command -v npm >/dev/null || missing+=(nodejs npm)
if [ "${#missing[@]}" -gt 0 ]; then
  apt=(timeout --kill-after=10 300 apt-get -qq -o Acquire::http::Timeout=30)
  { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${missing[@]}"; } >/dev/null || {
    echo "${missing[*]} could not be installed: the tests of the page are skipped" >&2
    exit 0
  }
fi
if [ ! -d node_modules/playwright-core ] || [ ! -d node_modules/axe-core ]; then
  timeout --kill-after=10 120 npm ci --no-audit --no-fund --fetch-timeout=30000 || {
    echo "playwright-core and axe-core could not be installed: the tests of the page are skipped" >&2
    exit 0
  }
fi
# Longer than a file of tests may take, see world.mjs. Ending this script ends them too.
run_tests() {
  timeout --kill-after=15 1500 npm test &
  trap 'kill $! 2>/dev/null || true' EXIT
  wait $!
  trap - EXIT
}
trap 'exit 143' TERM
run_tests
site=../../../../../target/site
if [ -z "${TAVOLA_SITE:-}" ] && [ -f $site/tavola_bg.wasm ]; then
  for file in ../../page/*; do
    # The page itself says there that it has no server.
    [ "${file##*/}" = index.html ] || cmp --silent "$file" "$site/${file##*/}" || {
      echo "target/site has another page: scripts/build-site.sh builds it again" >&2
      exit 0
    }
  done
  export TAVOLA_SITE
  TAVOLA_SITE=$(cd $site && pwd)
  run_tests
fi
