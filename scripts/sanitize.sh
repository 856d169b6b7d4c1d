#!/usr/bin/env bash
# Tests of net, evaluator, data and fleet with checks of every memory access and of threads, or as
# 64-bit ARM runs them.
#   scripts/sanitize.sh address   the address sanitizer, with the runtime of the stable toolchain
#   scripts/sanitize.sh thread    the thread sanitizer: needs nightly with rust-src
#   scripts/sanitize.sh memcheck  valgrind on the usual test programs (helgrind, drd: threads)
#   scripts/sanitize.sh aarch64   64-bit ARM, with its NEON kernel, emulated by qemu; root installs it
# More arguments choose tests by a part of their names; CRATES="net data" chooses crates. Each crate
# has a line with its result; exit code 1 if one fails, or if a tool ran no test of it. For the address
# sanitizer the standard library is not rebuilt: it sees its heap. helgrind and drd, which don't know
# atomics, report false races.
set -euo pipefail
cd "$(dirname "$0")/.."
case ${1:-} in
  -h | --help) sed -n '2,13s/^# \{0,1\}//p' "$0" && exit ;;
esac
tool=${1:-address}
shift || true
host=$(rustc -vV | sed -n 's/^host: //p')
cargo=(cargo) build=(--locked) options=()

case "$tool" in
  address | thread)
    # Some tests leave threads of a pool behind, whose memory is no leak.
    export RUSTFLAGS=-Zsanitizer=$tool ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=exitcode=9
    export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target/sanitize}
    build+=(--target "$host")
    if [ "$tool" = thread ]; then
      # Without its own standard library it would not see how threads wait for each other.
      cargo=(cargo +nightly) build+=(-Zbuild-std)
    else
      export RUSTC_BOOTSTRAP=1
    fi
    ;;
  memcheck | helgrind | drd)
    # Proptest tries fewer cases: a test takes fifty times as long.
    runner=CARGO_TARGET_$(echo "$host" | tr 'a-z-' 'A-Z_')_RUNNER
    export "$runner=valgrind --tool=$tool --error-exitcode=9 --quiet" PROPTEST_CASES=${PROPTEST_CASES:-2}
    options=(--test-threads=1)
    ;;
  aarch64)
    target=aarch64-unknown-linux-gnu
    if ! command -v qemu-aarch64 >/dev/null || ! command -v aarch64-linux-gnu-gcc >/dev/null; then
      echo "installing qemu-user, gcc-aarch64-linux-gnu and libc6-dev-arm64-cross" >&2
      apt-get update >/dev/null
      apt-get install -y --no-install-recommends qemu-user gcc-aarch64-linux-gnu \
        libc6-dev-arm64-cross >/dev/null
    fi
    rustup target list --installed | grep -qx "$target" || rustup target add "$target"
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu"
    export PROPTEST_CASES=${PROPTEST_CASES:-8}
    build+=(--target "$target")
    ;;
  *)
    expected="address, thread, memcheck, helgrind, drd or aarch64"
    echo "unknown tool \"$tool\", expected $expected" >&2
    exit 2
    ;;
esac

failed=0 log=$(mktemp)
trap 'rm -f "$log"' EXIT
for crate in ${CRATES:-net evaluator data fleet}; do
  code=0
  "${cargo[@]}" test "${build[@]}" -p "tavola-$crate" --lib --bins --tests --no-fail-fast -- "${options[@]}" "$@" \
    2>&1 | tee "$log" || code=$?
  passed=$(sed -n 's/^test result: .* \([0-9]*\) passed.*/\1/p' "$log" | awk '{ sum += $1 } END { print sum + 0 }')
  if [ "$code" != 0 ] || [ "${passed:-0}" = 0 ] || grep -q "Sanitizer: " "$log"; then
    failed=1
    echo "$tool, $crate: FAILED with exit code $code, ${passed:-0} tests passed"
  else
    echo "$tool, $crate: $passed tests passed, nothing found"
  fi
done
exit "$failed"
