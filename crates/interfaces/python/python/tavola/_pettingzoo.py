"""Backgammon for PettingZoo."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from pettingzoo import AECEnv

from ._games import Games
from .env import _OBSERVATION, MOST_PLAYS, _mask, _observations


class BackgammonAEC(AECEnv):
    """A game of backgammon without a cube between ``player_0`` and ``player_1``.

    Actions and observations are those of :mod:`tavola.env`, with an ``action_mask`` beside each
    observation. The agent that is not on roll observes the same position from the other side, with
    no dice. Rewards are points, of both agents when the game is over.
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
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[int(self._rng.integers(2))]
        self._tell()

    @property
    def afterstates(self) -> np.ndarray:
        """What each play of the agent on roll leads to, ``[plays, 26]``."""
        return self._games.afterstates

    def _other(self, agent: str) -> str:
        return self.possible_agents[1 - self.possible_agents.index(agent)]

    def _tell(self) -> None:
        on_roll = self.agent_selection
        self._observed = _observations(self._games)[0]
        self._plays = int(self._games.plays[0])
        self.infos[on_roll] = {"plays": self._plays}
        self.infos[self._other(on_roll)] = {}

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent observes."""
        over = self.terminations.get(agent, False)
        if agent == self.agent_selection and not over:
            return {"observation": self._observed, "action_mask": _mask(self._plays)}
        observed = np.zeros(28, np.int8)
        if not over:
            observed[:26] = -self._observed[25::-1]
        return {"observation": observed, "action_mask": _mask(0)}

    def step(self, action: int | None) -> None:
        """Makes a play of the agent on roll."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        points, over = self._games.step(np.array([action], np.int64))
        other = self._other(agent)
        self._cumulative_rewards[agent] = 0.0
        self.rewards = {agent: float(points[0]), other: -float(points[0])}
        if over[0]:
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = other
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
