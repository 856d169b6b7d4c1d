"""Backgammon for learners: environments of Gymnasium and PettingZoo.

An action is the number of a play in the list of its roll, so it is below ``plays`` of the ``info``,
and ``action_mask`` has a one for each. What each play leads to is in ``afterstates``: a player that
looks at these evaluates them and chooses the row that is worst for the opponent, who is then on
roll. An observation is 28 numbers: the 26 counts of the position from the player on roll, and the
dice, the higher one first; zeros in place of dice when the game is over. A player who can't move has
one play, which passes. Who chooses an action that is no play loses the game and :data:`FORFEIT`
points.

``gymnasium.make("tavola.env:tavola/Backgammon-v0")`` and ``make_vec`` make the environments of
Gymnasium by name.

``pip install 'tavola[env]'`` brings Gymnasium and PettingZoo. :class:`tavola.Games` does the same
without them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, Union

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from ._engine import Engine
from ._games import Games
from ._network import Network

#: No roll has more plays: four steps of a double by fifteen checkers.
MOST_PLAYS = 3060

#: What an action costs that is no play of the roll: as much as a backgammon.
FORFEIT = 3.0

#: Chooses a play: from the afterstates ``[K, 26]`` and a generator to the number of a row.
Policy: TypeAlias = Callable[[NDArray[np.int8], np.random.Generator], int]

#: An opponent: ``"random"``, a network or an engine at 0-ply, or a function.
Opponent: TypeAlias = Union[str, Network, Engine, Policy]

_OBSERVATION = gym.spaces.Box(-15, 15, (28,), np.int8)


def equity(probs: NDArray[np.float32]) -> NDArray[np.float32]:
    """Cubeless money equities of rows of win, win gammon, win backgammon, lose gammon, lose
    backgammon."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = np.asarray(probs).T
    worth = 2 * win - 1 + win_gammon + win_backgammon - lose_gammon - lose_backgammon
    return np.asarray(worth, np.float32)


def policy(opponent: Opponent) -> Policy:
    """The policy that an opponent stands for."""
    if opponent == "random":
        return lambda afterstates, rng: int(rng.integers(len(afterstates)))
    if isinstance(opponent, Network | Engine):
        evaluator = opponent
        return lambda afterstates, _: int(equity(evaluator.evaluate(afterstates)).argmin())
    if callable(opponent):
        return opponent
    raise ValueError(f"opponent is {opponent!r}, expected 'random', a network, an engine, a function")


def _observations(games: Games) -> NDArray[np.int8]:
    return np.concatenate((games.positions, games.dice), axis=1)


def _final(reached: NDArray[np.int8]) -> NDArray[np.int8]:
    """What is observed of a position in which the game is over: no dice."""
    return np.concatenate((reached, np.zeros(2, np.int8)))


def _mask(plays: int) -> NDArray[np.int8]:
    mask = np.zeros(MOST_PLAYS, np.int8)
    mask[:plays] = 1
    return mask


class BackgammonEnv(gym.Env[NDArray[np.int8], np.int64]):
    """One player of a game of backgammon without a cube; the other one follows a policy.

    The reward is the points of the player when the game is over (1, 2 or 3, negative if the
    opponent wins), and 0 before. Each player begins half of the games. An action that is no play of
    the roll ends the game with the reward ``-FORFEIT``; a step after the end raises
    ``gymnasium.error.ResetNeeded``.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}
    observation_space = _OBSERVATION
    action_space = gym.spaces.Discrete(MOST_PLAYS)

    def __init__(
        self,
        opponent: Opponent = "random",
        *,
        game: str = "backgammon",
        render_mode: str | None = None,
    ) -> None:
        self.render_mode = render_mode
        self._policy = policy(opponent)
        self._game = game
        self._games: Games | None = None
        self._over = True

    @property
    def afterstates(self) -> NDArray[np.int8]:
        """What each play leads to, ``[plays, 26]``, seen by the opponent."""
        return self._playing().afterstates

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are plays of the roll."""
        return _mask(len(self.afterstates)).astype(bool)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begins a game."""
        super().reset(seed=seed)
        run = int(self.np_random.integers(2**63))
        self._games, self._over = Games(1, seed=run, game=self._game), False
        if self.np_random.integers(2):
            self._reply()
        return self._observed()

    def step(
        self, action: np.int64 | int
    ) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Makes a play; the opponent answers."""
        games = self._playing()
        if not 0 <= action < games.plays[0]:
            self._over = True
            return _final(games.positions[0]), -FORFEIT, True, False, self._info(0)
        points, self._over = self._play(int(action))
        if self._over:
            return _final(-games.reached[0, ::-1]), points, True, False, self._info(0)
        points, self._over = self._reply()
        if self._over:
            return _final(games.reached[0]), -points, True, False, self._info(0)
        observation, info = self._observed()
        return observation, 0.0, False, False, info

    def render(self) -> str | None:
        """The board as text."""
        if self.render_mode != "ansi":
            return None
        from ._position import Position

        games = self._playing()
        dice = "".join(str(die) for die in games.dice[0])
        return f"{Position(games.positions[0], game=self._game)}\nroll {dice}"

    def _playing(self) -> Games:
        if self._games is None or self._over:
            raise gym.error.ResetNeeded("no game is being played, expected a call of reset")
        return self._games

    def _play(self, action: int) -> tuple[float, bool]:
        points, over = self._playing().step(np.array([action], np.int64))
        return float(points[0]), bool(over[0])

    def _reply(self) -> tuple[float, bool]:
        return self._play(self._policy(self.afterstates, self.np_random))

    def _observed(self) -> tuple[NDArray[np.int8], dict[str, Any]]:
        games = self._playing()
        return _observations(games)[0], self._info(int(games.plays[0]))

    def _info(self, plays: int) -> dict[str, Any]:
        return {"plays": plays, "action_mask": _mask(plays)}


class BackgammonVectorEnv(gym.vector.VectorEnv):
    """Many games at the same time, of which the caller makes the plays of both sides.

    Each step makes a play in every game; the next observation is that of the other player. The
    reward is the points of the player who made the play. A game that is over is followed by another
    one in the same step; its last position is not observed.

    ``info`` has ``plays``, the number of plays of each game, of which :meth:`action_masks` makes
    masks. :attr:`games` has the afterstates. An action that is no play raises :class:`TavolaError`.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(self, num_envs: int, *, game: str = "backgammon", seed: int = 0) -> None:
        self.num_envs = num_envs
        self.single_observation_space = _OBSERVATION
        self.single_action_space = gym.spaces.Discrete(MOST_PLAYS)
        self.observation_space = gym.vector.utils.batch_space(_OBSERVATION, num_envs)
        self.action_space = gym.vector.utils.batch_space(self.single_action_space, num_envs)
        self._game = game
        self.games = Games(num_envs, seed=seed, game=game)
        self._never = np.zeros(num_envs, bool)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begins all games again; another run of games with another seed."""
        super().reset(seed=seed)
        run = int(self.np_random.integers(2**63))
        self.games = Games(self.num_envs, seed=run, game=self._game)
        return _observations(self.games), {"plays": self.games.plays}

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are plays of the rolls, ``[num_envs, MOST_PLAYS]``."""
        return np.arange(MOST_PLAYS) < self.games.plays[:, np.newaxis]

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[
        NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """Makes a play in each game."""
        points, over = self.games.step(np.asarray(actions, np.int64))
        return _observations(self.games), points, over, self._never, {"plays": self.games.plays}


gym.register(
    "tavola/Backgammon-v0",
    entry_point="tavola.env:BackgammonEnv",
    vector_entry_point="tavola.env:BackgammonVectorEnv",
)


def aec(*, game: str = "backgammon", render_mode: str | None = None) -> Any:
    """A game of two agents for PettingZoo (agent-environment cycle)."""
    from ._pettingzoo import BackgammonAEC

    return BackgammonAEC(game=game, render_mode=render_mode)
