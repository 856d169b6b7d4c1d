#!/usr/bin/env bash
# pgx 2.6.0, environment "backgammon": a first checker may be played in a way that leaves the other die
# unplayable although another choice plays both dice. The rules of backgammon forbid that, so agents
# that learn there learn another game.
#
# Thirty random games with fixed seeds. At every first action of a roll of two different dice with at
# most five legal actions, each action is tried; a roll counts if after some of them a second checker
# can be played and after others the turn ends or only the "no operation" is left.
#
# Seen: 7 of 1133 rolls, the first a 5-3 with five legal first actions, after one of which (action 122,
#       a 3) no 5 can be played, while the other four allow both dice.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pgx==2.6.0 jax==0.10.2
JAX_PLATFORMS=cpu "$folder/venv/bin/python" - <<'EOT'
import jax
import numpy as np
import pgx

env = pgx.make("backgammon")
init, step = jax.jit(env.init), jax.jit(env.step)
choose = np.random.default_rng(1)
keys = iter(jax.random.split(jax.random.PRNGKey(1), 30_000))
legal = lambda state: np.flatnonzero(np.asarray(state.legal_action_mask))
rolls = found = 0
for _ in range(30):
    state, first = init(next(keys)), True
    while not bool(state.terminated):
        actions = legal(state)
        dice = np.asarray(state.observation)[28:]  # how many checkers each die still moves
        if first and dice.max() == 1 and actions[0] >= 6 and len(actions) <= 5:
            rolls += 1
            goes_on = {}
            for action in actions:  # an action is 6 * source + die; below 6 it moves nothing
                after = step(state, action, jax.random.PRNGKey(0))
                same = int(after.current_player) == int(state.current_player)
                goes_on[int(action)] = bool(bool(after.terminated) or (same and legal(after)[0] >= 6))
            if len(set(goes_on.values())) == 2:
                found += 1
                if found == 1:
                    print("dice", np.flatnonzero(dice) + 1, "second die playable after", goes_on)
        player = int(state.current_player)
        state = step(state, int(choose.choice(actions)), next(keys))
        first = int(state.current_player) != player
print(f"{found} of {rolls} rolls with few actions let a player skip a die that could be played")
assert found > 0, "both dice must be played now where they can be"
EOT
echo "as described"
