"""A tour of the Python package in cells, as notebooks read them (Jupytext, VS Code, Spyder).

The tests of the package run it from start to end.
"""

# %% [markdown]
# # tavola in Python
#
# An engine is loaded once. `tables=False` leaves endings to the network; without it the bear-off
# databases are generated at the first question, which takes some seconds, and kept.

# %%
import tempfile
from pathlib import Path

import numpy as np

import tavola

engine = tavola.Engine(tables=False)
engine

# %% [markdown]
# ## Positions
#
# A position is read from an XGID, a GNU Position ID, an OGID, a FIBS board or 26 integers. At the
# end of a cell Jupyter draws it.

# %%
position = tavola.Position("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
print(position)
print(position.gnu_id, position.pips, position.counts)
assert position.counts.sum() == 0

# %% [markdown]
# ## Plays, cube, rollouts
#
# Answers are dictionaries with the keys of `tavola batch` (docs/batch.md).

# %%
for play in engine.best(position, ply=1, top=3):
    print(f"{play['play']:12} {play['equity']:+.3f} ({-play['loss']:+.3f})  {play['ply']}-ply")
assert engine.best(position, ply=1)[0]["play"] == "8/5 6/5"

# %%
decision = engine.cube("start", ply=1, match={"length": 5, "player": 2, "opponent": 4})
print(decision["action"], decision["no_double"], decision["double_take"])

# %% [markdown]
# Ctrl-C ends a rollout. `progress` may draw a bar: games so far, all games, equity and its standard
# error.

# %%
answer = engine.rollout(
    position,
    plays=["8/5 6/5", "24/23 13/10"],
    trials=72,
    truncate=5,
    progress=lambda done, total, equity, error: print(f"\r{done}/{total} {equity:+.3f}", end=""),
)
print()
for play in answer["plays"]:
    print(f"{play['play']:12} {play['equity']:+.3f} ± {1.96 * play['equity_se']:.3f}")
assert answer["plays"][0]["play"] == "8/5 6/5"

# %% [markdown]
# ## Arrays
#
# `evaluate` takes `[N, 26]` counts and gives `[N, 5]` probabilities: win, win gammon, win
# backgammon, lose gammon, lose backgammon. An array of `int8` is read where it is, and `out` is
# written where it is. This is a player at 0-ply in three lines:

# %%
afterstates = position.afterstates((3, 1))
win, win_g, win_bg, lose_g, lose_bg = engine.evaluate(afterstates).T
equity = -(2 * win - 1 + win_g + win_bg - lose_g - lose_bg)  # the opponent is on roll there
best = tavola.Position(afterstates[equity.argmax()])
assert best.gnu_id == engine.best(position, ply=0)[0]["position"]
best

# %% [markdown]
# ## Self-play as arrays
#
# One row a turn, all figures those of the mover.

# %%
network = tavola.Network()
records = tavola.selfplay(network, 20, seed=1)
expected = 2 * records.probs[:, 3:].sum(1) - 1
print(network, len(records), "turns")
print("correlation with the points:", np.corrcoef(expected, np.sign(records.points))[0, 1].round(2))
assert np.corrcoef(expected, np.sign(records.points))[0, 1] > 0.3

# %% [markdown]
# ## Networks
#
# The layers are arrays. `encode` gives the inputs that a network has for positions; what the layers
# make of them is what `evaluate` says with `exact=True`.

# %%
features = network.encode(records.states)
values = features
layers = network.layers()
for layer, (weights, biases) in enumerate(layers):
    values = values @ weights + biases
    if layer < len(layers) - 1:
        values = np.maximum(values, 0)
    if layer == 0 and network.products:  # of the units of its first half and those of its second
        first, second = np.split(values, 2, axis=1)
        values = first * second
outcomes = np.exp(values) / np.exp(values).sum(1, keepdims=True)
exact = network.evaluate(records.states, outcomes=True, exact=True)
assert np.abs(outcomes - exact).max() < 1e-4

# %% [markdown]
# The same as a file for onnxruntime and other programs, from the same inputs:

# %%
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "network.onnx"
    tavola.export_onnx(network, path)
    try:
        import onnxruntime
    except ImportError:
        print("pip install onnxruntime")
    else:
        session = onnxruntime.InferenceSession(path)
        (found,) = session.run(None, {"features": features})
        assert np.abs(found - exact).max() < 1e-4

# %% [markdown]
# ## Learning
#
# `tavola.Games` steps through many games at the same time, each step one play in each of them. An
# action is the number of a play in the list of its game.

# %%
games = tavola.Games(64, seed=1)
rng = np.random.default_rng(1)
points = []
for _ in range(100):
    step_points, over = games.step(rng.integers(games.plays))
    points.extend(step_points[over])
print(len(points), "games of random play,", np.mean(points).round(2), "points each")

# %% [markdown]
# `tavola.env` has the same for Gymnasium and PettingZoo.

# %%
try:
    from tavola.env import BackgammonEnv
except ImportError:
    print("pip install 'tavola[env]'")
else:
    env = BackgammonEnv(opponent="random")
    observation, info = env.reset(seed=1)
    over = False
    while not over:
        observation, reward, over, _, info = env.step(rng.integers(info["plays"]))
    print("reward", reward)
