"""Networks as arrays, and their export."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _tavola
from ._arrays import places, rows


class Network:
    """A network of backgammon or a variant of it: a weights file, or the built-in one.

    It evaluates by itself: without bear-off databases, at 0-ply. Finished games get their certain
    outcome. A pickle holds the weights.
    """

    def __init__(
        self, model: str | PathLike[str] | None = None, *, game: str = "backgammon"
    ) -> None:
        self._network = _tavola.Network(model, game=game)

    def __getstate__(self) -> bytes:
        return self._network.to_bytes()

    def __setstate__(self, content: bytes) -> None:
        self._network = _tavola.Network.provided(content)

    def __repr__(self) -> str:
        shape = "-".join(str(width) for width in self.hidden)
        return f"<tavola.Network of {self.game}, {shape}, sha256 {self.checksum[:12]}>"

    @property
    def game(self) -> str:
        """The game that it was trained for."""
        return self._network.game

    @property
    def encoder(self) -> str:
        """The name of its feature set, see docs/network-file.md."""
        return self._network.encoder

    @property
    def inputs(self) -> int:
        """Number of inputs."""
        return self._network.inputs

    @property
    def hidden(self) -> list[int]:
        """The widths of the hidden layers, first to last."""
        return self._network.hidden

    @property
    def products(self) -> bool:
        """Whether the second layer gets products of the units of the first."""
        return self._network.products

    @property
    def checksum(self) -> str:
        """SHA-256 of the weights in hexadecimal: the identity of the network."""
        return self._network.checksum

    @property
    def training(self) -> dict[str, str]:
        """How it was trained, text by key."""
        return self._network.training

    def layers(self) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """The layers: weights ``[inputs, outputs]`` and biases ``[outputs]`` of each."""
        return self._network.layers()

    def encode(
        self, positions: ArrayLike, *, out: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32]:
        """The inputs that it has for ``[N, 26]`` counts: ``[N, inputs]``."""
        cells = rows(positions)
        out = places(out, len(cells), self.inputs)
        self._network.encode(cells, out)
        return out

    def evaluate(
        self,
        positions: ArrayLike,
        *,
        outcomes: bool = False,
        exact: bool = False,
        threads: int | None = 1,
        out: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """Evaluates ``[N, 26]`` counts, each row from its player on roll.

        A contiguous array of ``int8`` is read where it is. The answer is ``[N, 5]``: win, win
        gammon, win backgammon, lose gammon, lose backgammon. With ``outcomes`` it is ``[N, 6]``:
        lose a single game, a gammon, a backgammon, win likewise. ``exact`` computes in 32-bit
        floats, which is slower. ``out``, a C-contiguous array, takes the answer, if given.
        """
        cells = rows(positions)
        out = places(out, len(cells), 6 if outcomes else 5)
        self._network.evaluate(cells, out, outcomes, exact, threads)
        return out

    def to_onnx(self) -> bytes:
        """The network as a model of ONNX: ``features`` ``[N, inputs]`` in, ``outcomes`` out.

        The features are those of :meth:`encode`; the outcomes are the six of :meth:`evaluate`,
        computed in 32-bit floats.
        """
        return self._network.to_onnx()


def export_onnx(network: Network, path: str | PathLike[str]) -> None:
    """Writes a network to a file for ONNX, see :meth:`Network.to_onnx`."""
    Path(path).write_bytes(network.to_onnx())
