"""The tutorial runs from start to end, and the examples in docstrings are right."""

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

import tavola
from tavola import _position

TUTORIAL = Path(__file__).parents[1] / "tutorial.py"


def test_the_tutorial_runs():
    done = subprocess.run(
        [sys.executable, TUTORIAL], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "8/5 6/5" in done.stdout


@pytest.mark.parametrize("module", [tavola, _position])
def test_the_examples_of_docstrings(module):
    found = doctest.testmod(module)
    assert found.attempted and not found.failed


def test_everything_public_has_a_docstring():
    for name in tavola.__all__:
        thing = getattr(tavola, name)
        if isinstance(thing, type):
            assert thing.__doc__, name
            members = vars(thing).items()
            missing = [key for key, it in members if not key.startswith("_") and not it.__doc__]
            assert not missing, (name, missing)
