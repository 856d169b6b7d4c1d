"""Environments."""

import numpy as np
import pytest

import tavola

gymnasium = pytest.importorskip("gymnasium")
env = pytest.importorskip("tavola.env")


def play(environment, seed, choose):
    """The observations and the reward of a game."""
    observation, info = environment.reset(seed=seed)
    observations, over, reward = [observation], False, 0
    while not over:
        observation, reward, over, truncated, info = environment.step(choose(environment, info))
        observations.append(observation)
        assert not truncated and info["plays"] >= 1
    return observations, reward


def test_games_are_stepped_through():
    games = tavola.Games(8, seed=1)
    rng = np.random.default_rng(1)
    finished = 0
    while finished < 20:
        plays, offsets, afterstates = games.plays, games.offsets, games.afterstates
        assert (np.diff(offsets) == plays).all() and offsets[-1] == len(afterstates)
        chosen = rng.integers(plays)
        reached = afterstates[offsets[:-1] + chosen]
        points, over = games.step(chosen)
        np.testing.assert_array_equal(games.positions[~over], reached[~over])
        assert (points[~over] == 0).all() and np.isin(points[over], [1, 2, 3]).all()
        finished += over.sum()
    with pytest.raises(tavola.TavolaError, match="expected one from 0 to") as caught:
        games.step(np.full(8, -1))
    assert caught.value.kind == "play"


def test_gymnasium_is_content():
    from gymnasium.utils.env_checker import check_env

    # Its checks draw actions that are no plays, so only the first play is made.
    class FirstPlay(gymnasium.ActionWrapper):
        def action(self, action):
            return 0

    check_env(FirstPlay(env.BackgammonEnv()), skip_render_check=True)


def test_the_same_seed_is_the_same_game():
    def last(environment, info):
        return info["plays"] - 1

    first, reward = play(env.BackgammonEnv(), 5, last)
    again, same = play(env.BackgammonEnv(), 5, last)
    assert reward == same != 0 and np.array_equal(first, again)
    assert not np.array_equal(first[0], play(env.BackgammonEnv(), 6, last)[0][0])


def test_a_network_beats_a_random_opponent(network):
    choose = env.policy(network)
    rng = np.random.default_rng(0)

    def best(environment, _):
        return choose(environment.afterstates, rng)

    environment = env.BackgammonEnv("random")
    rewards = [play(environment, seed, best)[1] for seed in range(12)]
    assert sum(rewards) > 12
    # And the other way round.
    environment = env.BackgammonEnv(network, render_mode="ansi")
    rewards = [play(environment, seed, lambda *_: 0)[1] for seed in range(6)]
    assert sum(rewards) < -6 and "BAR" in environment.render()
    with pytest.raises(ValueError, match="expected 'random'"):
        env.BackgammonEnv("strong")


def test_a_vector_of_games():
    environment = env.BackgammonVectorEnv(16)
    observations, info = environment.reset(seed=2)
    assert environment.observation_space.contains(observations)
    rng, finished = np.random.default_rng(2), 0
    while finished < 5:
        observations, rewards, over, truncated, info = environment.step(rng.integers(info["plays"]))
        assert not truncated.any() and ((rewards != 0) == over).all()
        finished += over.sum()
    assert environment.observation_space.contains(observations)


def test_pettingzoo_is_content():
    pettingzoo = pytest.importorskip("pettingzoo.test")
    pettingzoo.api_test(env.aec(), num_cycles=300, verbose_progress=False)
    game = env.aec(render_mode="ansi")
    game.reset(seed=4)
    total = {"player_0": 0.0, "player_1": 0.0}
    for agent in game.agent_iter():
        observation, reward, over, _, info = game.last()
        total[agent] += reward
        if not over:
            assert observation["action_mask"].sum() == info["plays"]
        game.step(None if over else 0)
    assert sum(total.values()) == 0 and total["player_0"] != 0
