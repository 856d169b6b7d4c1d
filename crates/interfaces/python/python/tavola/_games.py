"""Games as arrays: stepping through them, self-play, records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _tavola
from ._arrays import rows
from ._network import Network
from ._tavola import Games

__all__ = ["Games", "Records", "afterstates", "read_records", "selfplay"]


@dataclass(frozen=True)
class Records:
    """Turns of games of backgammon, one a row. All figures are those of the mover."""

    #: The number of the game within its run, ``[turns]``.
    games: NDArray[np.uint64]
    #: The state before the roll, seen by the mover, ``[turns, 26]``.
    states: NDArray[np.int8]
    #: The roll, the higher die first, ``[turns, 2]``.
    dice: NDArray[np.int8]
    #: The state after the play, seen by the opponent, who is then on roll, ``[turns, 26]``.
    afterstates: NDArray[np.int8]
    #: What the mover's evaluator thought of the play, six outcomes, ``[turns, 6]``.
    probs: NDArray[np.float32]
    #: Whether the play was drawn at random, ``[turns]``.
    explored: NDArray[np.bool_]
    #: Points that the mover got in the end, ``[turns]``.
    points: NDArray[np.int8]
    #: The variant of backgammon.
    game: str = "backgammon"

    def __len__(self) -> int:
        return len(self.games)


def afterstates(
    position: ArrayLike, dice: tuple[int, int], *, game: str = "backgammon"
) -> NDArray[np.int8]:
    """What a roll can lead to, ``[K, 26]``: every distinct position once, seen by the opponent.

    There is always one, as a player who can't move passes.
    """
    counts = rows(position)
    if len(counts) != 1:
        raise ValueError(f"{len(counts)} positions, expected one")
    return _tavola.afterstates(counts[0], dice, game)


def selfplay(
    network: Network,
    games: int,
    *,
    seed: int = 1,
    first: int = 0,
    random_play: float = 0.0,
    random_opening_plays: int = 0,
    threads: int | None = None,
    path: str | PathLike[str] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Records:
    """Games of a network against itself at 0-ply.

    Seed and number fix all that is random in a game: ``games`` of them are played from number
    ``first`` on. ``random_play`` is the probability of a play to be drawn at random,
    ``random_opening_plays`` the most of the first plays that are. ``path`` names a records file that
    is written too, whose games have no labels of their own. ``progress`` is called with the games
    that are played and their number. Ctrl-C ends the games.
    """
    columns = _tavola.selfplay(
        network._network,
        games,
        seed=seed,
        first=first,
        random_play=random_play,
        random_opening_plays=random_opening_plays,
        threads=threads,
        path=path,
        progress=progress,
    )
    return Records(**columns, game=network.game)


def read_records(path: str | PathLike[str]) -> Records:
    """The games of a records file, as training runs keep them (``.records``)."""
    columns, game = _tavola.read_records(path)
    return Records(**columns, game=game)
