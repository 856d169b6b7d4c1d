"""Networks, their export, and games that they play."""

from pathlib import Path

import numpy as np
import pytest

import tavola

MODELS = Path(__file__).parents[4] / "models"


def forward(network, states, features):
    """What the layers compute, in plain NumPy."""
    values = features
    layers = network.layers()
    for i, (weights, biases) in enumerate(layers):
        values = values @ weights + biases
        if i < len(layers) - 1:
            values = np.maximum(values, 0)
        if i == 0 and network.products:
            first, second = np.split(values, 2, axis=1)
            values = first * second
    values = np.exp(values - values.max(1, keepdims=True))
    return values / values.sum(1, keepdims=True)


@pytest.fixture(params=["built-in", "student", "prune"])
def model(request):
    """A weights file, or nothing for the built-in network."""
    if request.param == "built-in":
        return None
    return MODELS / f"{request.param}.safetensors"


def test_the_layers_compute_what_the_engine_computes(model, states):
    network = tavola.Network(model)
    features = network.encode(states)
    assert features.shape == (len(states), network.inputs)
    exact = network.evaluate(states, outcomes=True, exact=True)
    np.testing.assert_allclose(forward(network, states, features), exact, atol=1e-5)
    fast = network.evaluate(states, outcomes=True, threads=2)
    assert np.sqrt(((fast - exact) ** 2).mean()) < 2e-3
    np.testing.assert_array_equal(fast, network.evaluate(states, outcomes=True))


def test_onnxruntime_computes_the_same(model, states, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    network = tavola.Network(model)
    path = tmp_path / "network.onnx"
    tavola.export_onnx(network, path)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    facts = session.get_modelmeta().custom_metadata_map
    assert facts["sha256"] == network.checksum and facts["encoder"] == network.encoder
    inputs = {"features": network.encode(states)}
    (outcomes,) = session.run(["outcomes"], inputs)
    exact = network.evaluate(states, outcomes=True, exact=True)
    np.testing.assert_allclose(outcomes, exact, atol=1e-4)


def test_the_export_keeps_to_the_format(network, tmp_path):
    onnx = pytest.importorskip("onnx")
    onnx.checker.check_model(onnx.load_from_string(network.to_onnx()), full_check=True)


def test_what_a_network_says_of_itself(network):
    assert network.game == "backgammon" and len(network.checksum) == 64
    weights, biases = network.layers()[0]
    assert weights.shape == (network.inputs, network.hidden[0]) and len(biases) == network.hidden[0]
    assert network.training and tavola.Network(MODELS / "default.safetensors").checksum == network.checksum
    hypergammon = tavola.Network(game="hypergammon")
    assert hypergammon.game == "hypergammon"
    with pytest.raises(tavola.TavolaError) as caught:
        tavola.Network(MODELS / "README.md")
    assert caught.value.kind == "model"


def test_records_are_those_of_the_games(records, network):
    assert (np.diff(records.games.astype(int)) >= 0).all() and set(records.games) == set(range(20))
    assert records.states.shape == (len(records), 26) and records.probs.shape == (len(records), 6)
    first = records.games == 0
    # The state of a turn is where the last one led to; the players take turns to win and lose.
    np.testing.assert_array_equal(records.states[first][1:], records.afterstates[first][:-1])
    points = records.points[first]
    assert (points[1:] == -points[:-1]).all() and points[-1] > 0
    for i in range(0, len(records), 50):
        reached = tavola.afterstates(records.states[i], tuple(records.dice[i].tolist()))
        assert (reached == records.afterstates[i]).all(1).any()
    again = tavola.selfplay(network, 5, seed=3, first=10, threads=1)
    np.testing.assert_array_equal(again.states, records.states[np.isin(records.games, range(10, 15))])


@pytest.mark.parametrize("game", ["backgammon", "hypergammon"])
def test_records_come_back_from_a_file(game, tmp_path):
    path = tmp_path / "some.games"
    played = tavola.selfplay(tavola.Network(game=game), 4, seed=9, random_play=0.3, path=path)
    read = tavola.read_records(path)
    assert read.game == played.game == game and read.explored.any()
    for name in ["games", "states", "dice", "afterstates", "probs", "explored", "points"]:
        np.testing.assert_array_equal(getattr(read, name), getattr(played, name))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(tavola.TavolaError, match="some.games"):
        tavola.read_records(path)


def test_selfplay_tells_its_progress_and_refuses_what_it_can_not_do(network):
    told = []
    tavola.selfplay(network, 3, random_play=0.5, progress=lambda *step: told.append(step))
    assert told[-1] == (3, 3)
    with pytest.raises(tavola.TavolaError, match="probability of 2"):
        tavola.selfplay(network, 3, random_play=2)
    with pytest.raises(tavola.TavolaError) as caught:
        tavola.read_records("there-is-no-such.games")
    assert caught.value.kind == "input"
