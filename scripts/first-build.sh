#!/usr/bin/env bash
# usage: scripts/first-build.sh [DIR]
# Builds the program as README's first command does, with nothing built before, then without its
# optional parts, in DIR (by default a temporary folder, removed at the end). Prints the seconds of
# both builds and the crates that took longest, and tries what the small build has and lacks.
# Sources must have been fetched (cargo fetch --locked). Two builds: ten minutes on two cores.
set -euo pipefail
case ${1:-} in
    -h | --help) sed -n '2,6s/^# //p' "$0" && exit ;;
    -*) echo "unknown option \"$1\", expected a folder" >&2 && exit 2 ;;
esac
if [ $# -gt 0 ]; then
    mkdir -p "$1"
    folder=$(cd "$1" && pwd)
    rm -rf "${folder:?}/run"
else
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi
cd "$(dirname "$0")/.."
command -v python3 >/dev/null || { echo "first-build.sh needs python3" >&2; exit 1; }

build() {
    local name=$1
    shift
    rm -rf "${folder:?}/$name"
    local start end
    start=$(date +%s)
    CARGO_TARGET_DIR="$folder/$name" cargo build --release --locked --offline --quiet --timings \
        -p tavola-cli "$@"
    end=$(date +%s)
    echo "$name: $((end - start)) s"
    python3 - "$folder/$name/cargo-timings/cargo-timing.html" <<'PYTHON'
import json, re, sys
units = json.loads(re.search(r"UNIT_DATA = (\[.*?\]);", open(sys.argv[1]).read(), re.S)[1])
units.sort(key=lambda unit: -unit["duration"])
print(f"  {len(units)} units, {sum(unit['duration'] for unit in units):.0f} unit-seconds; the longest:")
for unit in units[:6]:
    print(f"  {unit['duration']:6.1f} s  {unit['name']}{unit['target'].rstrip()}")
PYTHON
}

build whole
build small --no-default-features
small=$folder/small/release/tavola
"$small" best --roll 31 --top 1 --no-tables >/dev/null
"$small" train configs/smoke.toml --out "$folder/run" --set rounds=1 --quiet >/dev/null
for words in "serve" "worker nats://localhost" "duel default random --fleet nats://localhost"; do
    # shellcheck disable=SC2086
    if message=$("$small" $words 2>&1); then
        echo "the small build accepts \"$words\"" >&2
        exit 1
    fi
    grep -q "this build has no" <<<"$message"
done
echo "the small build answers, trains, and names the parts that it lacks"
