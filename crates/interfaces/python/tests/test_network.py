"""Networks, their export, and games that they play."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import tavola

MODELS = Path(__file__).parents[4] / "models"


def with_stacks(model, path):
    """Writes a network whose five stacks are the later layers of a model, each a bit different."""
    content = model.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    facts = json.loads(header.pop("__metadata__")["tavola"])
    facts["arch"]["stacks"] = True
    tensors = {}
    for name, entry in header.items():
        start, end = entry["data_offsets"]
        numbers = np.frombuffer(content[8 + length :][start:end], "<f4").reshape(entry["shape"])
        if not name.startswith("layers.0."):
            numbers = np.concatenate([numbers * (1 - 0.1 * stack) for stack in range(5)], axis=-1)
        tensors[name] = numbers.astype("<f4")
    order = [
        f"layers.{layer}.{kind}"
        for layer in range(len(tensors) // 2)
        for kind in ("weight", "bias")
    ]
    data = [tensors[name].tobytes() for name in order]
    facts["sha256"] = hashlib.sha256(b"".join(data)).hexdigest()
    header, at = {"__metadata__": {"tavola": json.dumps(facts)}}, 0
    for name, numbers in zip(order, data):
        shape = list(tensors[name].shape)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + len(numbers)]}
        at += len(numbers)
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(data))
    return path


def forward(network, states, features):
    """What the layers compute, in plain NumPy."""
    values = features
    layers = network.layers()
    chosen = np.arange(len(states)), network.stack(states)
    for i, (weights, biases) in enumerate(layers):
        values = values @ weights + biases
        if i and network.stacks:
            values = values.reshape(len(states), 5, -1)[chosen]
        if i < len(layers) - 1:
            values = np.maximum(values, 0)
        if i == 0 and network.products:
            first, second = np.split(values, 2, axis=1)
            values = first * second
    values = np.exp(values - values.max(1, keepdims=True))
    return values / values.sum(1, keepdims=True)


@pytest.fixture(params=["built-in", "student", "prune", "stacks"])
def model(request, tmp_path):
    """A weights file, or nothing for the built-in network."""
    if request.param == "built-in":
        return None
    if request.param == "stacks":
        return with_stacks(MODELS / "student.safetensors", tmp_path / "stacks.safetensors")
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
    if network.stacks:
        inputs["stack"] = np.eye(5, dtype=np.float32)[network.stack(states)]
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
