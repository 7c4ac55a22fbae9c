"""Rows in an order of their own, equal ones counted once.

So tables that differ only in the order of rows give the same bits.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fairpath.frames import Categories, Column
from fairpath.vocabulary import FloatVector, IntVector

SPARSE = 4
"""With more possible codes for each row than this, those that occur are sorted."""


def distinct(columns: Sequence[Column], weights: FloatVector) -> tuple[list[Column], FloatVector]:
    """Sort rows by their values and add up the weights of equal rows.

    Rows without weight are left out. If weights are no whole numbers equal rows stay apart, since a
    row is what is drawn when rows are drawn at random.
    """
    used = np.flatnonzero(weights > 0)
    weights = weights[used]
    whole = bool((weights == np.round(weights)).all())
    place = np.zeros(len(used), dtype=np.intp)
    n_places = 1
    for column in columns:
        if n_places == len(used):
            break
        codes, n_codes = _codes(column, used)
        levels, place = np.unique(place * n_codes + codes, return_inverse=True)
        n_places = len(levels)
    if whole:
        _, first = np.unique(place, return_index=True)
        weights = np.bincount(place, weights).astype(np.float64)
    else:
        first = np.lexsort((weights, place))
        weights = weights[first]
    return [_at(column, used[first]) for column in columns], weights


def numbered(codes: IntVector, n_possible: int) -> tuple[IntVector, IntVector]:
    """Return a number for each code that occurs, ascending, and where each occurs first."""
    if n_possible > SPARSE * len(codes):
        _, first, number = np.unique(codes, return_index=True, return_inverse=True)
        return number, first
    # Several times as fast as sorting.
    occurs = np.bincount(codes, minlength=n_possible) > 0
    number = (np.cumsum(occurs) - 1)[codes]
    first = np.zeros(int(occurs.sum()), dtype=np.intp)
    first[number[::-1]] = np.arange(len(codes))[::-1]
    return number, first


def _codes(column: Column, rows: IntVector) -> tuple[IntVector, int]:
    if isinstance(column, Categories):
        return column.codes[rows] + 1, len(column.levels) + 1
    levels, codes = np.unique(column.values[rows], return_inverse=True)
    return codes, len(levels)


def _at(column: Column, rows: IntVector) -> Column:
    if isinstance(column, Categories):
        return replace(column, codes=column.codes[rows])
    return replace(column, values=column.values[rows])
