"""The backgammon engine tavola.

>>> import tavola
>>> engine = tavola.Engine(tables=False)
>>> engine.best("start", "31", ply=0)[0]["play"]
'8/5 6/5'

Positions are texts in any form that the engine reads (XGID, GNU Position ID, OGID, a FIBS board),
26 integers, or a :class:`Position`. Answers are dictionaries with the keys of ``tavola batch``.
:mod:`tavola.env` has environments for Gymnasium and PettingZoo.
"""

from ._engine import (
    CubeAnswer,
    Engine,
    EvalAnswer,
    LegalPlay,
    MatchAnalysis,
    PlayAnswer,
    Progress,
)
from ._games import Games, Records, afterstates, read_records, selfplay
from ._network import Network, export_onnx
from ._position import Position, PositionLike
from ._tavola import TavolaError, __version__

__all__ = [
    "CubeAnswer",
    "Engine",
    "EvalAnswer",
    "Games",
    "LegalPlay",
    "MatchAnalysis",
    "Network",
    "PlayAnswer",
    "Position",
    "PositionLike",
    "Progress",
    "Records",
    "TavolaError",
    "__version__",
    "afterstates",
    "export_onnx",
    "read_records",
    "selfplay",
]
