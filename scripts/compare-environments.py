#!/usr/bin/env python3
"""Backgammon environments for learners side by side: random play, turns per second of processor time.

A turn is all that a player does with one roll, a pass included. Each environment chooses uniformly
from what it lists: whole plays in tavola and open_spiel (there two checkers an action), single steps
in pgx. So the games differ in length, and turns are compared. Everything runs on one core:

    pip install 'tavola[env]' open_spiel pgx && taskset -c 0 scripts/compare-environments.py

Environments that are not installed are left out. `--json` prints one object.
"""

import argparse
import json
import os
import random
import statistics
import time

# One thread for each library, before they are loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
os.environ.setdefault("JAX_PLATFORMS", "cpu")


def tavola_games(places):
    """Steps of many games in arrays, without any interface around them."""
    import numpy as np
    import tavola

    games, rng = tavola.Games(places, seed=1), np.random.default_rng(1)

    def run():
        games.step(rng.integers(games.plays))
        return places

    return run


def tavola_vector(places):
    """The vector environment of Gymnasium."""
    import numpy as np
    from tavola.env import BackgammonVectorEnv

    env, rng = BackgammonVectorEnv(places), np.random.default_rng(1)
    info = [env.reset(seed=1)[1]]

    def run():
        info[0] = env.step(rng.integers(info[0]["plays"]))[4]
        return places

    return run


def tavola_gymnasium():
    """The environment of Gymnasium against the random opponent: two turns a step."""
    from tavola.env import BackgammonEnv

    env = BackgammonEnv("random")
    info = [env.reset(seed=1)[1]]

    def run():
        _, _, over, _, info[0] = env.step(random.randrange(info[0]["plays"]))
        if over:
            info[0] = env.reset()[1]
        return 2

    return run


def tavola_pettingzoo():
    """The environment of PettingZoo."""
    from tavola.env import aec

    env = aec()
    env.reset(seed=1)

    def run():
        _, _, over, _, info = env.last()
        if over:
            env.reset()
            return 0
        env.step(random.randrange(info["plays"]))
        return 1

    return run


def open_spiel():
    """States of open_spiel from Python. The roll of a turn is a chance node."""
    import pyspiel

    game = pyspiel.load_game("backgammon")
    state = [game.new_initial_state()]

    def run():
        if state[0].is_terminal():
            state[0] = game.new_initial_state()
        if state[0].is_chance_node():
            outcomes = state[0].chance_outcomes()
            actions, weights = zip(*outcomes)
            state[0].apply_action(random.choices(actions, weights)[0])
            return 1
        state[0].apply_action(random.choice(state[0].legal_actions()))
        return 0

    return run


def pgx(places):
    """Many games of pgx in arrays; the step, the choice and the next game are compiled together."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make("backgammon")
    step = auto_reset(env.step, env.init)

    @jax.jit
    def many(state, key):
        def one(carry, _):
            state, key = carry
            key, choose, dice = jax.random.split(key, 3)
            logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
            action = jax.random.categorical(choose, logits, axis=1)
            before = state.current_player
            state = jax.vmap(step)(state, action, jax.random.split(dice, places))
            turns = ((state.current_player != before) | state.terminated).sum()
            return (state, key), turns

        (state, key), turns = jax.lax.scan(one, (state, key), None, length=20)
        return state, key, turns.sum()

    key = jax.random.PRNGKey(1)
    held = [jax.jit(jax.vmap(env.init))(jax.random.split(key, places)), key]

    def run():
        held[0], held[1], turns = many(*held)
        return int(turns)

    return run


def rate(run, seconds):
    """Turns per second of processor time, the median of five parts."""
    run()
    rates = []
    for _ in range(5):
        turns, begun = 0, time.process_time()
        while (taken := time.process_time() - begun) < seconds / 5:
            turns += run()
        rates.append(turns / taken)
    return statistics.median(rates)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--places", type=int, default=1024, help="games at the same time, in arrays")
    parser.add_argument("--seconds", type=float, default=5.0, help="processor time for each")
    parser.add_argument("--json", action="store_true", help="print one object")
    args = parser.parse_args()
    makers = {
        f"tavola.Games, {args.places} games": lambda: tavola_games(args.places),
        f"tavola, Gymnasium vector of {args.places}": lambda: tavola_vector(args.places),
        "tavola, Gymnasium": tavola_gymnasium,
        "tavola, PettingZoo": tavola_pettingzoo,
        "open_spiel": open_spiel,
        f"pgx, {args.places} games": lambda: pgx(args.places),
    }
    rates = {}
    for name, make in makers.items():
        try:
            run = make()
        except ImportError as error:
            print(f"{name}: left out ({error})")
            continue
        rates[name] = rate(run, args.seconds)
        if not args.json:
            print(f"{name:36} {rates[name]:12,.0f} turns/s")
    if args.json:
        print(json.dumps(rates))


if __name__ == "__main__":
    main()
