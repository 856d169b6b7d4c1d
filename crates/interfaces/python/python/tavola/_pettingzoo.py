"""Backgammon for PettingZoo."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv  # type: ignore[import-untyped]
from pettingzoo.utils.env_logger import EnvLogger  # type: ignore[import-untyped]

from ._games import Games
from .env import _OBSERVATION, FORFEIT, MOST_PLAYS, _final, _mask, _observations


class BackgammonAEC(AECEnv):  # type: ignore[misc] # untyped
    """A game of backgammon without a cube between ``player_0`` and ``player_1``.

    Actions and observations are those of :mod:`tavola.env`, with an ``action_mask`` beside each
    observation. The agent that is not on roll observes the same position from the other side, with
    no dice. Rewards are points, of both agents when the game is over. An action that is no play ends
    the game with the reward ``-FORFEIT`` for its agent, and none for the other one. A step after the
    end does nothing but warn.
    """

    metadata = {"name": "tavola_backgammon", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(self, *, game: str = "backgammon", render_mode: str | None = None) -> None:
        super().__init__()
        self.render_mode = render_mode
        self.possible_agents = ["player_0", "player_1"]
        self._game = game
        self._rng = np.random.default_rng()
        self._observation_space = gym.spaces.Dict(
            {
                "observation": _OBSERVATION,
                "action_mask": gym.spaces.Box(0, 1, (MOST_PLAYS,), np.int8),
            }
        )
        self._action_space = gym.spaces.Discrete(MOST_PLAYS)

    def observation_space(self, agent: str) -> gym.spaces.Dict:
        """The space of what an agent observes."""
        return self._observation_space

    def action_space(self, agent: str) -> gym.spaces.Discrete:
        """The space of an agent's actions."""
        return self._action_space

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game; each agent begins half of them."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self._games = Games(1, seed=int(self._rng.integers(2**63)), game=self._game)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]]
        self.agent_selection = self.possible_agents[int(self._rng.integers(2))]
        self._on_roll = self.agent_selection
        self._tell()

    @property
    def afterstates(self) -> NDArray[np.int8]:
        """What each play of the agent on roll leads to, ``[plays, 26]``."""
        return self._games.afterstates

    def _other(self, agent: str) -> str:
        return self.possible_agents[1 - self.possible_agents.index(agent)]

    def _tell(self) -> None:
        """What is seen of the games by the agent on roll."""
        self._observed = _observations(self._games)[0]
        self._plays = int(self._games.plays[0])
        self.infos = {agent: {} for agent in self.agents}
        self.infos[self.agent_selection] = {"plays": self._plays}

    def observe(self, agent: str) -> dict[str, NDArray[np.int8]]:
        """What an agent observes."""
        if agent == self._on_roll:
            return {"observation": self._observed.copy(), "action_mask": _mask(self._plays)}
        return {"observation": _final(-self._observed[25::-1]), "action_mask": _mask(0)}

    def step(self, action: int | None) -> None:
        """Makes a play of the agent on roll."""
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        other = self._other(agent)
        self._cumulative_rewards[agent] = 0.0
        if action is None or not 0 <= action < self._plays:
            EnvLogger.warn_on_illegal_move()
            self.rewards, over = {agent: -FORFEIT, other: 0.0}, True
            reached = -self._observed[25::-1]
        else:
            points, ends = self._games.step(np.array([action], np.int64))
            self.rewards, over = {agent: float(points[0]), other: -float(points[0])}, bool(ends[0])
            reached = self._games.reached[0]
        self.agent_selection = self._on_roll = other
        if over:
            self.terminations = dict.fromkeys(self.agents, True)
            self.infos = {agent: {"plays": 0} for agent in self.agents}
            self._observed, self._plays = _final(reached), 0
        else:
            self._tell()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The board as text."""
        if self.render_mode != "ansi":
            return None
        from ._position import Position

        return str(Position(self._observed[:26], game=self._game))

    def close(self) -> None:
        """There is nothing to close."""
