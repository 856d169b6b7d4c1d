#!/usr/bin/env bash
# All checks: format, lints, tests, documentation. Needs nothing but a Rust toolchain; a cold run
# takes about a quarter of an hour on two cores, most of it for the dependencies.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
cargo fmt --version >/dev/null 2>&1 || missing+=(rustfmt)
cargo clippy --version >/dev/null 2>&1 || missing+=(clippy)
if [ "${#missing[@]}" -gt 0 ]; then rustup component add "${missing[@]}"; fi

# Tests with the real GNU Backgammon skip, with a message, where it is not there.
if ! command -v gnubg >/dev/null && [ ! -x /usr/games/gnubg ] && [ "$(id -u)" = 0 ] \
  && command -v apt-get >/dev/null; then
  apt-get install -y --no-install-recommends gnubg >/dev/null \
    || echo "gnubg could not be installed: its tests are skipped" >&2
fi

# Tests of fleets skip, with a message, where there is no NATS server.
if ! command -v nats-server >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get install -y --no-install-recommends nats-server >/dev/null \
    || echo "nats-server could not be installed: tests of fleets are skipped" >&2
fi

cargo fmt --all --check
cargo test --workspace --locked
# A server among slow, hostile and vanishing clients; scripts/soak.py alone takes ten minutes.
if command -v python3 >/dev/null; then scripts/soak.py 20; fi
# The table of docs/analysis.md is the one that this program gives.
if command -v python3 >/dev/null; then TAVOLA=target/debug/tavola scripts/compare-xg.py --check; fi
# Every crate that is linked into a package has a license.
if command -v python3 >/dev/null; then
  scripts/licenses.py
  scripts/licenses.py tavola-python
fi
# The page needs a browser, which root may install.
if [ -x /usr/bin/chromium ] || [ "$(id -u)" = 0 ]; then scripts/browser-tests.sh; fi
# The Python package; skips with a message where there is no Python or pip.
scripts/python-tests.sh
cargo clippy --workspace --all-targets --locked -- -D warnings
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

# Licenses, sources and advisories, where the tool is installed and its database is in reach.
if cargo deny --version >/dev/null 2>&1; then
  cargo deny check licenses bans sources
  # The hosted workflow checks advisories and fails; here their database may be out of reach.
  cargo deny check advisories || echo "advisories were not checked or have findings: see above" >&2
fi
