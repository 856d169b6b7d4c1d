"""Arrays of positions, taken as they are where their type and order allow it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._tavola import TavolaError

#: Numbers of a position: the opponent's bar, points 1 to 24, own bar.
COUNTS = 26


def refused(kind: str, message: str) -> TavolaError:
    """The error of this kind."""
    error = TavolaError(message)
    error.kind = kind
    return error


def rows(positions: ArrayLike) -> NDArray[np.int8]:
    """Positions as rows of 26 signed bytes; no copy of a contiguous array of ``int8``."""
    array = np.asarray(positions)
    if array.ndim not in (1, 2) or array.shape[-1] != COUNTS or array.dtype.kind not in "biuf":
        found = f"{array.dtype} with the shape {array.shape}"
        raise refused("request", f"positions are {found}, expected {COUNTS} counts a position")
    if array.dtype != np.int8:
        # What can't be converted is refused below.
        with np.errstate(invalid="ignore"):
            small = array.astype(np.int8)
        if not np.array_equal(small, array):
            raise ValueError("positions hold numbers that no count can be, expected -15 to 15")
        array = small
    return np.ascontiguousarray(array[np.newaxis] if array.ndim == 1 else array)


def places(out: NDArray[np.float32] | None, rows: int, width: int) -> NDArray[np.float32]:
    """The array for figures: the caller's, or a new one."""
    if out is None:
        return np.empty((rows, width), np.float32)
    if not isinstance(out, np.ndarray) or out.dtype != np.float32 or out.ndim != 2:
        is_array = isinstance(out, np.ndarray)
        found = f"{out.dtype} with the shape {out.shape}" if is_array else type(out).__name__
        message = f"`out` is {found}, expected an array of float32 with the shape ({rows}, {width})"
        raise refused("request", message)
    return out
