"""The compiled part of the package; its functions are wrapped by those of ``tavola``."""

from collections.abc import Callable
from os import PathLike
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Engine",
    "Games",
    "Network",
    "TavolaError",
    "__version__",
    "afterstates",
    "read_matches",
    "read_records",
    "selfplay",
]

__version__: str

class TavolaError(ValueError):
    kind: str

@final
class Engine:
    def __new__(
        cls,
        model: str | PathLike[str] | None = None,
        *,
        game: str = "backgammon",
        threads: int | None = None,
        tables: bool = True,
    ) -> Engine: ...
    def answer(
        self,
        operation: str,
        request: str,
        progress: Callable[..., object] | None = None,
        total: int = 0,
    ) -> str: ...
    def evaluate(
        self, positions: NDArray[np.int8], out: NDArray[np.float32], outcomes: bool
    ) -> None: ...
    def analyze(
        self,
        file: bytes,
        source: str,
        *,
        ply: int = 2,
        met: str | None = None,
        rollout_within: float | None = None,
        trials: int = 324,
        progress: Callable[..., object] | None = None,
    ) -> str: ...
    @property
    def threads(self) -> int: ...
    @property
    def game(self) -> str: ...

@final
class Network:
    def __new__(
        cls, model: str | PathLike[str] | None = None, *, game: str = "backgammon"
    ) -> Network: ...
    @staticmethod
    def provided(content: bytes) -> Network: ...
    def to_bytes(self) -> bytes: ...
    def evaluate(
        self,
        positions: NDArray[np.int8],
        out: NDArray[np.float32],
        outcomes: bool,
        exact: bool,
        threads: int | None,
    ) -> None: ...
    def encode(self, positions: NDArray[np.int8], out: NDArray[np.float32]) -> None: ...
    def layers(self) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]: ...
    def to_onnx(self) -> bytes: ...
    @property
    def training(self) -> dict[str, str]: ...
    @property
    def name(self) -> str: ...
    @property
    def game(self) -> str: ...
    @property
    def encoder(self) -> str: ...
    @property
    def inputs(self) -> int: ...
    @property
    def hidden(self) -> list[int]: ...
    @property
    def products(self) -> bool: ...
    @property
    def checksum(self) -> str: ...

@final
class Games:
    def __new__(cls, count: int, *, seed: int = 0, game: str = "backgammon") -> Games: ...
    def step(self, plays: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]: ...
    @property
    def positions(self) -> NDArray[np.int8]: ...
    @property
    def reached(self) -> NDArray[np.int8]: ...
    @property
    def dice(self) -> NDArray[np.int8]: ...
    @property
    def plays(self) -> NDArray[np.int64]: ...
    @property
    def offsets(self) -> NDArray[np.int64]: ...
    @property
    def afterstates(self) -> NDArray[np.int8]: ...
    @property
    def numbers(self) -> NDArray[np.uint64]: ...
    def __len__(self) -> int: ...

def afterstates(
    position: NDArray[np.int8], dice: tuple[int, int], game: str = "backgammon"
) -> NDArray[np.int8]: ...
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
    progress: Callable[..., object] | None = None,
) -> dict[str, NDArray[Any]]: ...
def read_matches(path: str | PathLike[str]) -> bytes: ...
def read_records(path: str | PathLike[str]) -> tuple[dict[str, NDArray[Any]], str]: ...
