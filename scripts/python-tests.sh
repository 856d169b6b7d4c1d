#!/usr/bin/env bash
# The Python package: builds the wheel in the dev profile, installs it into target/python with what
# its tests need, checks its types with mypy and stubtest, and runs the tests. Skips with a message
# where there is no Python or no pip.
# With TAVOLA_PYTHON_PROFILE=release the wheel is that of a release.
set -euo pipefail
cd "$(dirname "$0")/.."

venv="$PWD/target/python"
wheels="$venv/wheels"
profile="${TAVOLA_PYTHON_PROFILE:-dev}"
skip() {
  echo "the Python package was not tested: $1" >&2
  exit 0
}

command -v python3 >/dev/null || skip "python3 is not installed"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "Python 3.10 or newer is needed"
[ -x "$venv/bin/pip" ] || python3 -m venv "$venv" || skip "python3 -m venv does not work"
"$venv/bin/python" -c 'import maturin, mypy, numpy, pytest' 2>/dev/null \
  || "$venv/bin/pip" install -q maturin mypy numpy pytest \
  || skip "pip can't install maturin, mypy, numpy and pytest"
# Without these the tests of environments and of the export skip, and mypy.
"$venv/bin/python" -c 'import gymnasium, pettingzoo, onnx, onnxruntime' 2>/dev/null \
  || "$venv/bin/pip" install -q gymnasium pettingzoo onnx onnxruntime \
  || echo "some optional packages could not be installed: their tests skip" >&2

rm -f "$wheels"/tavola-*.whl
"$venv/bin/maturin" build --quiet --manifest-path crates/interfaces/python/Cargo.toml --profile "$profile" \
  --interpreter "$venv/bin/python" --out "$wheels"
"$venv/bin/pip" install -q --no-deps --force-reinstall "$wheels"/tavola-*.whl
cd crates/interfaces/python
"$venv/bin/python" -c 'import gymnasium, pettingzoo' 2>/dev/null \
  && "$venv/bin/python" -m mypy --strict -p tavola
"$venv/bin/python" -m mypy.stubtest tavola
"$venv/bin/python" -m pytest -q -p no:cacheprovider "$@"
