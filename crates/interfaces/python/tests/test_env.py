"""Environments."""

import pickle

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
        assert not truncated and info["action_mask"].sum() == info["plays"]
        assert over == (info["plays"] == 0)
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
        np.testing.assert_array_equal(games.reached, reached)
    for play in [-1, 10**6]:
        expected = f"play {play} of game 2, expected one from 0 to {games.plays[2] - 1}"
        with pytest.raises(tavola.TavolaError, match=expected) as caught:
            games.step(np.array([0, 0, play, 0, 0, 0, 0, 0]))
        assert caught.value.kind == "play"
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(games)
    for count in [-1, 0, 10**6 + 1]:
        with pytest.raises(tavola.TavolaError, match=f"`count` is {count}, expected 1 to"):
            tavola.Games(count)


@pytest.mark.filterwarnings("error", "ignore:.*not having a spec:UserWarning")
def test_gymnasium_is_content():
    from gymnasium.utils.env_checker import check_env

    check_env(env.BackgammonEnv())
    check_env(gymnasium.make("tavola.env:tavola/Backgammon-v0", game="hypergammon").unwrapped)
    assert gymnasium.make_vec("tavola/Backgammon-v0", num_envs=3).reset(seed=1)[0].shape == (3, 28)


@pytest.mark.parametrize("illegal", [-1, "plays", env.MOST_PLAYS - 1])
def test_an_action_that_is_no_play_forfeits_the_game(illegal):
    environment = env.BackgammonEnv()
    before, info = environment.reset(seed=1)
    action = info["plays"] if illegal == "plays" else illegal
    observation, reward, over, truncated, info = environment.step(action)
    assert (reward, over, truncated, info["plays"]) == (-env.FORFEIT, True, False, 0)
    np.testing.assert_array_equal(observation[:26], before[:26])
    for call in [lambda: environment.step(0), environment.action_masks]:
        with pytest.raises(gymnasium.error.ResetNeeded):
            call()
    environment.reset()
    assert not environment.step(0)[2]


def test_the_last_observation_is_the_end_of_the_game():
    for seed in range(6):
        observations, reward = play(env.BackgammonEnv(), seed, lambda *_: 0)
        last = observations[-1]
        mine, theirs = last[:26].clip(0).sum(), -last[:26].clip(max=0).sum()
        assert (mine == 0) == (reward > 0) and (theirs == 0) == (reward < 0)
        assert (last[26:] == 0).all() and env.BackgammonEnv.observation_space.contains(last)


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
    assert sum(rewards) < -6
    environment.reset()
    assert "BAR" in environment.render()
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
    np.testing.assert_array_equal(environment.action_masks().sum(1), info["plays"])
    with pytest.raises(tavola.TavolaError, match="play -1 of game 3"):
        environment.step(np.where(np.arange(16) == 3, -1, 0))


def test_pettingzoo_is_content():
    checks = pytest.importorskip("pettingzoo.test")
    checks.api_test(env.aec(), num_cycles=300, verbose_progress=False)
    checks.seed_test(env.aec, num_cycles=100)
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
    game.step(None)  # Nothing but a warning, as after the end of any game of PettingZoo.
    game.reset(seed=4)
    agent = game.agent_selection
    game.step(int(game.infos[agent]["plays"]))
    assert all(game.terminations.values()) and game.last()[0]["action_mask"].sum() == 0
    rewards = {name: game._cumulative_rewards[name] for name in game.agents}
    assert rewards == {agent: -env.FORFEIT, game.agent_selection: 0.0}
