#!/usr/bin/env bash
# The board in Debian's Chromium, served by target/debug/tavola; installs what is missing.
# With TAVOLA_SITE=FOLDER the static site of build-site.sh is tested instead.
set -euo pipefail
cd "$(dirname "$0")/../crates/serve/tests/browser"

missing=()
[ -n "${CHROMIUM:-}" ] || [ -x /usr/bin/chromium ] || missing+=(chromium)
command -v npm >/dev/null || missing+=(nodejs npm)
if [ "${#missing[@]}" -gt 0 ]; then
  apt-get update -qq && apt-get install -y -qq "${missing[@]}"
fi
[ -d node_modules/playwright-core ] || npm ci --no-audit --no-fund
npm test
