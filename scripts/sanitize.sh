#!/usr/bin/env bash
# Tests of net, evaluator, data and fleet with checks of every memory access and of threads.
#   scripts/sanitize.sh address   the address sanitizer, with the runtime of the stable toolchain
#   scripts/sanitize.sh memcheck  valgrind on the usual test programs (helgrind, drd: threads)
# More arguments choose tests by a part of their names. The standard library is not rebuilt: the
# address sanitizer sees its heap, and helgrind and drd, which don't know atomics, report false races.
set -euo pipefail
cd "$(dirname "$0")/.."
tool=${1:-address}
shift || true
packages=(-p tavola-net -p tavola-evaluator -p tavola-data -p tavola-fleet)
host=$(rustc -vV | sed -n 's/^host: //p')

if [ "$tool" = address ]; then
  # Some tests leave threads of a pool behind, whose memory is no leak.
  export RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address ASAN_OPTIONS=detect_leaks=0
  export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target/sanitize}
  exec cargo test --locked --target "$host" "${packages[@]}" --lib --bins --tests -- "$@"
fi
# Proptest tries fewer cases: a test takes fifty times as long.
runner=CARGO_TARGET_$(echo "$host" | tr 'a-z-' 'A-Z_')_RUNNER
export "$runner=valgrind --tool=$tool --error-exitcode=9 --quiet" PROPTEST_CASES=${PROPTEST_CASES:-2}
exec cargo test --locked "${packages[@]}" --lib --bins --tests -- --test-threads=1 "$@"
