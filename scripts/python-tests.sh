#!/usr/bin/env bash
# The Python package: builds it in the dev profile, puts it into target/python with what its tests
# need, checks its types with mypy and stubtest, and runs the tests. Skips with a message where there
# is no Python or no pip.
# With TAVOLA_PYTHON_LIBRARY=FILE it takes this library instead of building one.
set -euo pipefail
cd "$(dirname "$0")/.."

venv="$PWD/target/python"
skip() {
  echo "the Python package was not tested: $1" >&2
  exit 0
}

command -v python3 >/dev/null || skip "python3 is not installed"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "Python 3.10 or newer is needed"
[ -x "$venv/bin/pip" ] || python3 -m venv "$venv" || skip "python3 -m venv does not work"
"$venv/bin/python" -c 'import mypy, numpy, pytest' 2>/dev/null \
  || "$venv/bin/pip" install -q "mypy==2.4.1" numpy pytest \
  || skip "pip can't install mypy, numpy and pytest"
# Without these the tests of environments and of the export skip, and mypy.
"$venv/bin/python" -c 'import gymnasium, pettingzoo, onnx, onnxruntime' 2>/dev/null \
  || "$venv/bin/pip" install -q "gymnasium==1.4.0" "pettingzoo==1.27.0" onnx onnxruntime \
  || echo "some optional packages could not be installed: their tests skip" >&2

library="${TAVOLA_PYTHON_LIBRARY:-}"
if [ -z "$library" ]; then
  cargo build --quiet --locked -p tavola-python
  library=$(find target/debug -maxdepth 1 -name "lib_tavola.*" ! -name "*.d")
fi
[ -n "$library" ] || skip "target/debug has no library of it"
packages=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
# Of an earlier wheel, too.
rm -rf "$packages"/tavola "$packages"/tavola-*.dist-info
cp -r crates/interfaces/python/python/tavola "$packages/tavola"
cp "$library" "$packages/tavola/_tavola.abi3.so"
cd crates/interfaces/python
"$venv/bin/python" -c 'import gymnasium, pettingzoo' 2>/dev/null \
  && "$venv/bin/python" -m mypy --strict -p tavola
"$venv/bin/python" -m mypy.stubtest tavola
"$venv/bin/python" -m pytest -q -p no:cacheprovider "$@"
