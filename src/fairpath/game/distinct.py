"""What differs among many rows or numbers, so that equal ones are evaluated once."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairpath.vocabulary import FloatVector, IntVector, same

MAX_TABLE = 1 << 20
"""Numbers up to this bound are looked up in a table; larger ones are hashed."""

_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)

Hashes = NDArray[np.uint64]


def distinct_rows(columns: Sequence[FloatVector]) -> tuple[IntVector, IntVector]:
    """Return the first row of each kind, and for each row which of them it equals.

    >>> distinct_rows([np.array([1.0, 2.0, 1.0]), np.array([0.0, 0.0, 0.0])])
    (array([0, 1]), array([0, 1, 0]))
    """
    first, which = _distinct(_hashes(columns))
    representative = first[which]
    if all(same(column, column[representative]).all() for column in columns):
        return first, which
    # Two rows share 64 bits: practically never, so the slow way is good enough.
    _, first, which = np.unique(
        np.column_stack(columns), axis=0, return_index=True, return_inverse=True, equal_nan=True
    )
    rank = np.argsort(np.argsort(first))
    return np.sort(first), rank[which.ravel()]


class Numbering:
    """The distinct numbers in some arrays, and a way to put something else in their place.

    >>> numbering = Numbering([np.array([7, 3]), np.array([[3, 5]])], 8)
    >>> numbering.distinct
    array([3, 5, 7])
    >>> numbering.replaced(np.array([0.1, 0.2, 0.3]))
    [array([0.3, 0.1]), array([[0.1, 0.2]])]
    """

    distinct: IntVector
    """Ascending."""

    def __init__(self, arrays: Sequence[NDArray[np.intp]], bound: int) -> None:
        """Take note of arrays of numbers from zero up to a bound."""
        self._arrays = arrays
        self._bound = bound
        if bound <= MAX_TABLE:
            there = np.zeros(bound, dtype=np.bool_)
            for array in arrays:
                there[array] = True
            self.distinct = np.flatnonzero(there)
        else:
            everything = np.concatenate([array.ravel() for array in arrays])
            # An odd factor loses nothing: only equal numbers have equal hashes.
            first, which = _distinct(everything.astype(np.uint64) * _ODD)
            order = np.argsort(everything[first])
            self.distinct = everything[first[order]]
            rank = np.empty_like(order)
            rank[order] = np.arange(len(order))
            self._place = rank[which]

    def replaced(self, labels: NDArray[Any]) -> list[NDArray[Any]]:
        """Return the arrays with the label of each distinct number in its place."""
        if self._bound <= MAX_TABLE:
            table = np.empty(self._bound, dtype=labels.dtype)
            table[self.distinct] = labels
            return [np.take(table, array) for array in self._arrays]
        ends = np.cumsum([array.size for array in self._arrays])
        parts = np.split(np.take(labels, self._place), ends[:-1])
        return [part.reshape(a.shape) for part, a in zip(parts, self._arrays, strict=True)]


def _distinct(hashes: Hashes) -> tuple[IntVector, IntVector]:
    """Return the first position of each hash, and for each position which of them it equals."""
    representative = np.empty(len(hashes), dtype=np.intp)
    bits = max(4, len(hashes).bit_length() + 1)
    table = np.empty(1 << bits, dtype=np.intp)
    waiting, left = np.arange(len(hashes)), hashes
    while len(waiting):
        slot = (left >> np.uint64(64 - bits)).astype(np.intp)
        # The last assignment stands, so the first position of a slot wins.
        table[slot[::-1]] = waiting[::-1]
        found = table[slot]
        settled = hashes[found] == hashes[waiting]
        representative[waiting[settled]] = found[settled]
        waiting = waiting[~settled]
        left = left[~settled] * _ODD
    is_first = representative == np.arange(len(hashes))
    return np.flatnonzero(is_first), (np.cumsum(is_first) - 1)[representative]


def _hashes(columns: Sequence[FloatVector]) -> Hashes:
    mixed = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        # Adding zero makes -0.0 and 0.0 the same bits; missing values get one pattern.
        bits = np.where(np.isnan(column), np.nan, column + 0.0).view(np.uint64)
        mixed ^= bits ^ (bits >> _SHIFT)
        mixed *= _ODD
        mixed ^= mixed >> _SHIFT
    return mixed * _ODD
