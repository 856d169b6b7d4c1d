"""Questions to the engine."""

import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

import tavola

START = "4HPwATDgc/ABMA"
FILES = Path(__file__).parents[3] / "advice" / "matches" / "tests" / "files"


def test_the_version_is_that_of_the_crate():
    manifest = (Path(__file__).parents[4] / "Cargo.toml").read_text()
    assert f'version = "{tavola.__version__}"' in manifest


@pytest.mark.parametrize("dice", ["31", "3-1", (3, 1), [1, 3], np.array([3, 1])])
def test_plays_of_a_roll_in_any_form(engine, dice):
    assert len(engine.legal("start", dice)) == 16
    best = engine.best(START, dice, ply=0)
    assert best[0]["play"] == "8/5 6/5" and best[0]["loss"] == 0 and best[0]["ply"] == 0
    assert len(best) == 16 and best[1]["equity"] < best[0]["equity"]


def test_the_cube_and_the_score(engine):
    start = engine.cube("start", ply=0)
    assert (start["question"], start["action"]) == ("double", "no_double_take")
    match = {"length": 7, "player": 3, "opponent": 5}
    answer = engine.eval("start", ply=0, match=match)
    assert 0 < answer["mwc"] < 0.5 and len(answer["probs"]) == 5
    # Three checkers a point at home against five behind them: the opponent passes.
    far = [0, 3, 3, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -5, -5, -5, 0, 0, 0, 0, 0]
    assert engine.cube(far, ply=0)["action"] in {"double_pass", "too_good_pass"}


def test_errors_say_what_was_found_and_expected(engine):
    with pytest.raises(tavola.TavolaError, match='"79" is not a roll, expected') as caught:
        engine.best("start", "79")
    assert caught.value.kind == "dice" and isinstance(caught.value, ValueError)
    with pytest.raises(tavola.TavolaError) as caught:
        engine.ask("evla", "start")
    assert caught.value.kind == "op"
    with pytest.raises(tavola.TavolaError) as caught:
        tavola.Engine(game="chess")
    assert caught.value.kind == "game"
    for threads in [0, -1, 10**6]:
        with pytest.raises(tavola.TavolaError, match=f"`threads` is {threads}, expected 1 to 1024"):
            tavola.Engine(threads=threads)
    with pytest.raises(tavola.TavolaError) as caught:
        tavola.Engine("there-is-no-such.safetensors").eval("start")
    assert caught.value.kind == "model"


def test_a_historical_game(engine):
    other = tavola.Engine(game="puff", tables=False)
    assert other.legal("start", [6, 5]) and other.best("start", [6, 5], ply=0)
    with pytest.raises(tavola.TavolaError, match="expected backgammon"):
        other.evaluate(np.zeros((1, 26), np.int8))


def test_arrays_get_the_figures_of_single_questions(engine, states):
    five = engine.evaluate(states)
    assert five.shape == (len(states), 5) and five.dtype == np.float32
    for i in range(0, len(states), 97):
        single = engine.eval(states[i].tolist(), ply=0, cubeful=False)["probs"]
        np.testing.assert_allclose(five[i], single, atol=1e-6)
    six = engine.evaluate(states, outcomes=True)
    np.testing.assert_allclose(six.sum(1), 1, atol=1e-5)
    np.testing.assert_allclose(six[:, 3:].sum(1), five[:, 0], atol=1e-6)


def test_arrays_are_read_and_written_where_they_are(engine, states):
    out = np.full((len(states), 5), np.nan, np.float32)
    assert engine.evaluate(states, out=out) is out and np.isfinite(out).all()
    np.testing.assert_array_equal(out, engine.evaluate(states.astype(np.int64)))
    np.testing.assert_array_equal(out[::2], engine.evaluate(states[::2]))
    positions = [tavola.Position(), tavola.Position().flip()]
    assert engine.evaluate(positions).shape == (2, 5)


def test_pickles_come_back(engine, network, states):
    again = pickle.loads(pickle.dumps(engine))
    assert again.threads == engine.threads and again.best("start", "31", ply=0)
    np.testing.assert_array_equal(again.evaluate(states[:9]), engine.evaluate(states[:9]))
    copied = pickle.loads(pickle.dumps(network))
    assert copied.checksum == network.checksum and copied.game == network.game
    np.testing.assert_array_equal(copied.evaluate(states), network.evaluate(states))
    position = tavola.Position("start", game="nackgammon")
    back = pickle.loads(pickle.dumps(position))
    assert back == position and not back.counts.flags.writeable


def test_wrong_arrays_are_refused(engine, states):
    wrong = states.copy()
    wrong[5, 6] = 15
    with pytest.raises(tavola.TavolaError, match="row 5 is not a position of backgammon"):
        engine.evaluate(wrong)
    # Without a copy of what is wide, and without a warning of NumPy.
    for other in [states[:, :25], np.broadcast_to(np.int8(0), (1, 10**13)), states[:4, None], ["x"] * 26]:
        with pytest.raises(tavola.TavolaError, match="expected 26 counts"):
            engine.evaluate(other)
        with pytest.raises(tavola.TavolaError, match="expected 26 counts"):
            tavola.afterstates(other, (3, 1))
    with warnings.catch_warnings(action="error"), pytest.raises(ValueError, match="-15 to 15"):
        engine.evaluate(np.full((1, 26), np.nan))
    with pytest.raises(tavola.TavolaError, match="1000000 numbers, expected 26"):
        tavola.Position(np.zeros(10**6, np.int8))
    for dice in [(0, 1), (-3, 1), (256, 1)]:
        with pytest.raises(tavola.TavolaError, match=f"the roll is \\({dice[0]}, 1\\)"):
            tavola.afterstates(states[0], dice)
    with pytest.raises(tavola.TavolaError, match="`out` has the shape"):
        engine.evaluate(states, out=np.empty((3, 5), np.float32))
    with pytest.raises(ValueError, match="expected -15 to 15"):
        engine.evaluate(np.full((1, 26), 300))


def test_places_in_another_order_are_refused_and_inputs_in_any_order_are_read(engine, network, states):
    cells = states[:64]
    reading = [cells.T.copy().T, np.repeat(cells, 2, 0)[::2], cells[::-1][::-1], cells.astype(">i4")]
    for call, width in [
        (engine.evaluate, 5),
        (network.evaluate, 5),
        (network.encode, network.inputs),
    ]:
        expected = call(cells)
        for other in reading:
            np.testing.assert_array_equal(call(other), expected)
        unaligned = np.empty(64 * width * 4 + 1, np.int8)[1:].view(np.float32).reshape(64, width)
        for out in [
            np.empty((64, width), np.float32, order="F"),
            np.empty((width, 64), np.float32).T,
            np.empty((64, 2 * width), np.float32)[:, ::2],
            np.empty((64, width), np.float32)[::-1],
            unaligned,
        ]:
            with pytest.raises(tavola.TavolaError, match="expected a C-contiguous array"):
                call(cells, out=out)
        for wrong, found in [
            (np.empty((64, width), np.float64), rf"float64 with the shape \(64, {width}\)"),
            (np.empty(64 * width, np.float32), rf"float32 with the shape \({64 * width},\)"),
            ([0.0] * width, "list"),
        ]:
            with pytest.raises(tavola.TavolaError, match=f"`out` is {found}, expected") as refused:
                call(cells, out=wrong)
            assert "\n" not in str(refused.value) and refused.value.kind == "request"
    expected = tavola.afterstates(cells[0], (3, 1))
    for other in [np.repeat(cells[0], 2)[::2], -cells[0][::-1][::-1] * -1, cells[0].astype(float)]:
        np.testing.assert_array_equal(tavola.afterstates(other, (3, 1)), expected)
    with pytest.raises(ValueError, match="expected -15 to 15"):
        tavola.afterstates(cells[0].astype(int) + 256, (3, 1))
    with pytest.raises(ValueError, match="64 positions, expected one"):
        tavola.afterstates(cells, (3, 1))
    with pytest.raises(TypeError):
        tavola.Position(cells[0] + 0.5)


def test_threads_of_python_ask_at_the_same_time(engine, states):
    expected = engine.evaluate(states)
    found = [None] * 4

    def ask(i):
        found[i] = engine.evaluate(states)

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert all(np.array_equal(answer, expected) for answer in found)


def test_a_rollout_tells_its_progress(engine):
    told = []
    answer = engine.rollout(
        "start", trials=72, truncate=3, seed=5, progress=lambda *step: told.append(step)
    )
    assert answer["trials"] == 72 and answer["equity_se"] > 0
    done = [step[0] for step in told]
    assert done == sorted(done) and done[-1] == 72
    assert all(step[1] == 72 and len(step) == 4 for step in told)
    plays = engine.rollout("start", "31", trials=36, truncate=2, plays=["8/5 6/5", "13/9"])["plays"]
    assert plays[0]["play"] == "8/5 6/5"


def test_what_a_progress_function_raises_ends_the_rollout(engine):
    def stop(done, *_):
        raise LookupError(done)

    with pytest.raises(LookupError):
        engine.rollout("start", trials=1_000_000_000, progress=stop)


def test_ctrl_c_ends_a_rollout():
    program = textwrap.dedent(
        """
        import tavola
        engine = tavola.Engine(tables=False, threads=1)
        started = []
        def progress(done, *_):
            if not started:
                started.append(done)
                print("rolling", flush=True)
        try:
            engine.rollout("start", trials=1_000_000_000, progress=progress)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        """
    )
    # Jobs in the background ignore Ctrl-C, and so would a child of such a test run.
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        assert child.stdout.readline() == "rolling\n"
        os.kill(child.pid, signal.SIGINT)
        assert child.communicate(timeout=60)[0] == "interrupted\n"
    finally:
        child.kill()


def test_a_match_is_analyzed(engine):
    told = []
    path = FILES / "three-points.mat"
    found = engine.analyze(path, ply=0, progress=lambda *step: told.append(step))
    assert len(found) == 1 and found[0]["length"] == 3 and len(found[0]["players"]) == 2
    assert found[0]["decisions"] and told[-1][0] == told[-1][1]
    again = engine.analyze(path.read_bytes(), ply=0)
    assert again[0]["decisions"] == found[0]["decisions"]
    with pytest.raises(tavola.TavolaError):
        engine.analyze(b"no match")
    with pytest.raises(tavola.TavolaError, match="/dev/zero: it has more than 16777216 bytes"):
        engine.analyze("/dev/zero")
    with pytest.raises(tavola.TavolaError, match="cannot read there/is/none.mat"):
        engine.analyze("there/is/none.mat")
    for trials in [-1, 1 << 70, float("nan")]:
        with pytest.raises(tavola.TavolaError) as caught:
            engine.rollout("start", trials=trials)
        assert caught.value.kind in ("request", "json")
    with pytest.raises(tavola.TavolaError, match="from 0 to 3"):
        engine.analyze(path, ply=9)
    json.dumps(found)


def test_a_network_that_is_not_there_is_told_where_it_is_named(tmp_path):
    for name, content in [("nope", None), ("cut", b"no network")]:
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(tavola.TavolaError, match=name) as refused:
            tavola.Engine(model=str(path))
        assert refused.value.kind == "model"
