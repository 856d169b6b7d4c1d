"""Positions."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from operator import index
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import numpy as np
from numpy.typing import NDArray

from ._arrays import COUNTS, refused
from ._tavola import afterstates

if TYPE_CHECKING:
    from ._engine import Engine, LegalPlay

#: A position as text in any form, 26 integers, or a :class:`Position`.
PositionLike: TypeAlias = Union[str, Sequence[int], NDArray[np.integer], "Position"]


_engines: dict[str, Engine] = {}


def _engine(game: str) -> Engine:
    """An engine that converts positions; its network is not loaded."""
    if game not in _engines:
        from ._engine import Engine

        _engines[game] = Engine(game=game, threads=1, tables=False)
    return _engines[game]


def written(position: PositionLike) -> str | list[int]:
    """A position as a request in JSON has it."""
    if isinstance(position, Position):
        return position.xgid
    if isinstance(position, str):
        return position
    if len(position) != COUNTS:
        raise refused("position", f"a position of {len(position)} numbers, expected {COUNTS}")
    return [index(count) for count in position]


class Position:
    """A position of backgammon or of a variant of it, seen from the player on roll.

    It is read from a text in any form that the engine reads, which may carry dice, cube and score,
    or from 26 integers: the opponent's bar (not above 0), points 1 to 24, own bar. Jupyter shows
    its board.

    >>> Position("4HPwATDgc/ABMA").pips
    167
    """

    __slots__ = ("_counts", "_game", "_xgid")

    def __init__(self, position: PositionLike = "start", *, game: str = "backgammon") -> None:
        self._game: str = game
        self._xgid: str
        self._counts: NDArray[np.int8]
        if isinstance(position, Position):
            self._game, self._xgid, self._counts = position.game, position.xgid, position.counts
            return
        engine = _engine(game)
        self._xgid = engine.ask("convert", position, to="xgid")["position"]
        counts = engine.ask("convert", self._xgid, to="ints")["position"]
        self._counts = np.array(counts, np.int8)
        self._counts.flags.writeable = False

    @property
    def game(self) -> str:
        """The variant of backgammon."""
        return self._game

    @property
    def counts(self) -> NDArray[np.int8]:
        """The 26 counts; the array can't be written to."""
        return self._counts

    @property
    def xgid(self) -> str:
        """The position as an XGID, with the dice, cube and score that it carries."""
        return self._xgid

    @property
    def gnu_id(self) -> str:
        """The GNU Position ID: the checkers alone."""
        return self.to("position-id")

    @property
    def pips(self) -> int:
        """Pips that the player on roll has to travel."""
        return int(self._shown()["pips"])

    @property
    def opponent_pips(self) -> int:
        """The same of the opponent."""
        return int(self._shown()["opponent_pips"])

    def _shown(self) -> dict[str, Any]:
        return _engine(self._game).ask("show", self._xgid)

    def to(self, form: str) -> str:
        """The position in a form: ``xgid``, ``ogid``, ``gnubg-id``, ``fibs``, ``board``, ``svg`` ..."""
        written = _engine(self._game).ask("convert", self._xgid, to=form)["position"]
        return written if isinstance(written, str) else json.dumps(written)

    def flip(self) -> Position:
        """The same checkers with the other player on roll, without dice, cube and score."""
        return Position(-self._counts[::-1], game=self._game)

    def plays(self, dice: str | Sequence[int] | None = None) -> list[LegalPlay]:
        """The legal plays of a roll, or of the one that the position carries."""
        return _engine(self._game).legal(self, dice)

    def afterstates(self, dice: tuple[int, int]) -> NDArray[np.int8]:
        """What a roll leads to: ``[K, 26]`` counts, each with the opponent on roll."""
        return afterstates(self._counts, dice, self._game)

    def __reduce__(self) -> tuple[Callable[[str], Position], tuple[str]]:
        return partial(Position, game=self._game), (self._xgid,)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return (self._game, self._xgid) == (other._game, other._xgid)

    def __hash__(self) -> int:
        return hash((self._game, self._xgid))

    def __repr__(self) -> str:
        return f"Position({self._xgid!r})"

    def __str__(self) -> str:
        return self.to("board")

    def _repr_svg_(self) -> str:
        """The board, as Jupyter shows it."""
        return self.to("svg")
