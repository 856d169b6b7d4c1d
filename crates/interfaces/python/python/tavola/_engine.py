"""Questions to the engine."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import index
from os import PathLike
from typing import Any, TypeAlias, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _tavola
from ._arrays import places, refused, rows
from ._position import Position, PositionLike, written

#: Is called with what is done and how much there is; in rollouts also with the equity so far and
#: its standard error.
Progress: TypeAlias = Callable[..., object]

#: A roll, such as ``"31"`` or ``(3, 1)``.
Dice: TypeAlias = str | Sequence[int]

#: A match score, such as ``{"length": 7, "player": 3, "opponent": 5, "crawford": False}``.
Match: TypeAlias = Mapping[str, Any]

#: The cube, such as ``{"value": 2, "owner": "player"}``.
Cube: TypeAlias = Mapping[str, Any]

#: The longest time that a rollout may take where none is named.
_LONGEST = "24h"


class LegalPlay(TypedDict):
    """A legal play: its text, and the position after it with the opponent on roll."""

    play: str
    position: str


class _Cubeful(TypedDict, total=False):
    cubeful_equity: float
    mwc: float


class EvalAnswer(_Cubeful):
    """What a position is worth to the player on roll, before the roll."""

    probs: list[float]
    equity: float
    ply: int


class _WithInterval(_Cubeful, total=False):
    interval: float


class PlayAnswer(_WithInterval):
    """A play with what it is worth to the player who makes it."""

    play: str
    position: str
    equity: float
    loss: float
    probs: list[float]
    ply: int


class CubeAnswer(TypedDict, total=False):
    """A cube decision; equities are those of the player on roll."""

    question: str
    action: str
    response: str
    no_double: float
    double_take: float | None
    double_pass: float | None
    losses: dict[str, float] | None
    interval: float
    points: dict[str, float | None] | None
    gammon_values: dict[str, float]
    probs: list[float]
    equity: float
    cubeful_equity: float
    ply: int


class MatchAnalysis(TypedDict):
    """The analysis of a match, with the keys of ``tavola analyze --json``."""

    source: str
    length: int
    date: str
    event: str
    players: list[dict[str, Any]]
    games: list[dict[str, Any]]
    decisions: list[dict[str, Any]]
    notes: list[str]


class Engine:
    """The engine: networks, bear-off databases, match equities and searches, loaded once.

    ``model`` is a weights file, or ``None`` for the built-in network of the game. ``threads`` are
    those that a question uses, by default all of the machine. Without ``tables`` endings are left
    to the network; with them, bear-off databases are read from the user's data folder and generated
    at the first question if they are not there.

    Equal questions have equal answers on any number of threads. An engine may be asked by several
    threads of Python at the same time: the interpreter's lock is released while it works. Ctrl-C
    ends the work and raises ``KeyboardInterrupt``. Other failures raise :class:`TavolaError`. A pickle
    holds the arguments alone: whoever reads it loads the networks again.
    """

    def __init__(
        self,
        model: str | PathLike[str] | None = None,
        *,
        game: str = "backgammon",
        threads: int | None = None,
        tables: bool = True,
    ) -> None:
        self._engine = _tavola.Engine(model, game=game, threads=threads, tables=tables)
        self._again = partial(Engine, model, game=game, threads=threads, tables=tables)

    def __reduce__(self) -> tuple[Callable[[], Engine], tuple[()]]:
        return self._again, ()

    def __repr__(self) -> str:
        return f"<tavola.Engine of {self.game}, {self.threads} threads>"

    @property
    def game(self) -> str:
        """The game with its options."""
        return self._engine.game

    @property
    def threads(self) -> int:
        """Threads that a question uses."""
        return self._engine.threads

    def ask(
        self,
        operation: str,
        position: PositionLike,
        *,
        progress: Progress | None = None,
        **fields: Any,
    ) -> dict[str, Any]:
        """The answer to any operation of ``tavola batch``, with the fields of docs/batch.md.

        Fields that are ``None`` are left out.
        """
        request: dict[str, Any] = {"position": written(position)}
        request |= {key: value for key, value in fields.items() if value is not None}
        if isinstance(request.get("dice"), tuple | np.ndarray):
            request["dice"] = [index(die) for die in request["dice"]]
        trials = request.get("trials")
        total = trials if isinstance(trials, int) and 0 < trials < 1 << 63 else 0
        text = self._engine.answer(operation, json.dumps(request), progress, total)
        answer: dict[str, Any] = json.loads(text)
        if error := answer.get("error"):
            if error["kind"] == "canceled":
                raise KeyboardInterrupt
            raise refused(error["kind"], error["message"])
        del answer["id"]
        return answer

    def legal(self, position: PositionLike, dice: Dice | None = None) -> list[LegalPlay]:
        """Every distinct position that the roll leads to, each with one way to play it."""
        plays: list[LegalPlay] = self.ask("legal", position, dice=dice)["plays"]
        return plays

    def best(
        self,
        position: PositionLike,
        dice: Dice | None = None,
        *,
        level: str | None = None,
        ply: int | None = None,
        preset: str | None = None,
        time: str | None = None,
        top: int | None = None,
        cubeful: bool | None = None,
        explain: bool | None = None,
        cube: Cube | None = None,
        match: Match | None = None,
        jacoby: bool | None = None,
        beavers: bool | None = None,
    ) -> list[PlayAnswer]:
        """The plays of a roll, best first.

        ``level`` is how much work goes into the answer (``0``, ``0+``, ``1``, ``2``, ``3``,
        ``roller``, ``roller+``), in place of ``ply`` and ``preset``.
        ``ply`` is the depth of the search, 0 to 3, by default 2; ``preset`` its width (``fast``,
        ``normal``, ``wide``, ``full``); ``time`` a limit such as ``"200ms"``; ``top`` the most
        plays to answer.
        """
        answer = self.ask(
            "best",
            position,
            dice=dice,
            level=level,
            ply=ply,
            preset=preset,
            time=time,
            top=top,
            cubeful=cubeful,
            explain=explain,
            cube=cube,
            match=match,
            jacoby=jacoby,
            beavers=beavers,
        )
        plays: list[PlayAnswer] = answer["plays"]
        return plays

    def eval(
        self,
        position: PositionLike,
        *,
        level: str | None = None,
        ply: int | None = None,
        preset: str | None = None,
        time: str | None = None,
        cubeful: bool | None = None,
        cube: Cube | None = None,
        match: Match | None = None,
        jacoby: bool | None = None,
        beavers: bool | None = None,
    ) -> EvalAnswer:
        """What a position is worth to the player on roll, before the roll.

        ``probs`` are win, win gammon, win backgammon, lose gammon, lose backgammon.
        """
        return self.ask(  # type: ignore[return-value]
            "eval",
            position,
            level=level,
            ply=ply,
            preset=preset,
            time=time,
            cubeful=cubeful,
            cube=cube,
            match=match,
            jacoby=jacoby,
            beavers=beavers,
        )

    def cube(
        self,
        position: PositionLike,
        *,
        level: str | None = None,
        ply: int | None = None,
        preset: str | None = None,
        time: str | None = None,
        sure: str | None = None,
        cube: Cube | None = None,
        match: Match | None = None,
        jacoby: bool | None = None,
        beavers: bool | None = None,
    ) -> CubeAnswer:
        """Whether the player on roll should double, and how the opponent should respond.

        ``action`` is one of ``no_double_take``, ``double_take``, ``double_pass``,
        ``too_good_take``, ``too_good_pass`` and ``no_cube``. ``sure`` goes on for a time such as
        ``"10s"`` until that is certain, as in ``ask("best", ..., sure="10s")``.
        """
        return self.ask(  # type: ignore[return-value]
            "cube",
            position,
            level=level,
            ply=ply,
            preset=preset,
            time=time,
            sure=sure,
            cube=cube,
            match=match,
            jacoby=jacoby,
            beavers=beavers,
        )

    def rollout(
        self,
        position: PositionLike,
        dice: Dice | None = None,
        *,
        trials: int = 1296,
        plays: Sequence[str] | None = None,
        top: int | None = None,
        seed: int | None = None,
        truncate: int | None = None,
        ply: int | None = None,
        until_se: float | None = None,
        until_jsd: float | None = None,
        time: str = _LONGEST,
        cubeful: bool | None = None,
        cube: Cube | None = None,
        match: Match | None = None,
        progress: Progress | None = None,
    ) -> dict[str, Any]:
        """What a position, or the plays of a roll, are worth by playing ``trials`` games.

        ``progress`` is called a few times a second with the games so far, ``trials``, the equity of
        the best play and its standard error. An exception that it raises ends the rollout, and so
        does Ctrl-C. docs/batch.md describes the answer.
        """
        return self.ask(
            "rollout",
            position,
            dice=dice,
            trials=trials,
            plays=None if plays is None else list(plays),
            top=top,
            seed=seed,
            truncate=truncate,
            ply=ply,
            until_se=until_se,
            until_jsd=until_jsd,
            time=time,
            cubeful=cubeful,
            cube=cube,
            match=match,
            progress=progress,
        )

    def evaluate(
        self,
        positions: ArrayLike | Sequence[Position],
        *,
        outcomes: bool = False,
        out: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """Evaluates many positions of backgammon at 0-ply.

        ``positions`` are ``[N, 26]`` counts, each row from its player on roll. A contiguous array
        of ``int8`` is read where it is. The answer is ``[N, 5]``: win, win gammon, win backgammon,
        lose gammon, lose backgammon. With ``outcomes`` it is ``[N, 6]``: lose a single game, a
        gammon, a backgammon, win likewise. ``out``, a C-contiguous array, takes the answer, if
        given.
        """
        if isinstance(positions, list | tuple):
            positions = [row.counts if isinstance(row, Position) else row for row in positions]
        cells = rows(positions)  # type: ignore[arg-type]
        out = places(out, len(cells), 6 if outcomes else 5)
        self._engine.evaluate(cells, out, outcomes)
        return out

    def analyze(
        self,
        file: str | PathLike[str] | bytes,
        *,
        ply: int = 2,
        met: str | None = None,
        rollout_within: float | None = None,
        trials: int = 324,
        progress: Progress | None = None,
    ) -> list[MatchAnalysis]:
        """Every decision of the matches of a file (a path, or the content as bytes), evaluated.

        The formats are those of ``tavola analyze``: match text, SGF, XG and JSON. Decisions whose
        best choices are within ``rollout_within`` of each other are rolled out with ``trials``
        games. ``progress`` is called with the number of decisions done and their total.
        """
        content = file if isinstance(file, bytes) else _tavola.read_matches(file)
        source = "match" if isinstance(file, bytes) else str(file)
        text = self._engine.analyze(
            content,
            source,
            ply=ply,
            met=met,
            rollout_within=rollout_within,
            trials=trials,
            progress=progress,
        )
        matches: list[MatchAnalysis] = json.loads(text)["matches"]
        return matches
