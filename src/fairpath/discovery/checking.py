"""Columns that no search can use, refused or named before it starts."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fairpath.discovery.distinct import numbered
from fairpath.errors import DataError
from fairpath.frames import Categories, Column
from fairpath.options import LEAST_ROWS
from fairpath.vocabulary import BoolVector, FloatVector, IntVector

GLANCE = 500
"""Rows on which most pairs of columns already show that they differ."""

DISTINCT = 0.98
"""A column with so many distinct values among these rows has no repeated ones to go by."""

REPEATS = 5
"""How often the values of a column must repeat for 'it decides another' to say anything."""


def checked_columns(columns: Sequence[Column], weights: FloatVector) -> tuple[str, ...]:
    """Refuse too few rows, constant columns and doubled ones; note what decides what."""
    size = float(weights.sum())
    if len(columns) < 2:  # noqa: PLR2004
        raise DataError(
            f"Discovery needs at least two columns, got {[column.name for column in columns]}."
        )
    if size < LEAST_ROWS:
        raise DataError(
            f"{size:g} rows are too few to learn a graph from, it takes at least {LEAST_ROWS}."
        )
    used = weights > 0
    for column in columns:
        if _n_levels(column, used) < 2:  # noqa: PLR2004
            raise DataError(
                f"Column {column.name!r} has no two different values, so it can depend on "
                "nothing. Leave it out of columns=."
            )
    same, decided = [], []
    looks = [_Look.at(column, used) for column in columns]
    for one, other in combinations(looks, 2):
        there, back = one.decides(other), other.decides(one)
        if there and back:
            same.append((one.name, other.name))
        elif there or back:
            decided.append((one.name, other.name) if there else (other.name, one.name))
    if same:
        pairs = "; ".join(f"{one!r} and {other!r}" for one, other in same)
        raise DataError(
            f"Columns that say the same, value for value: {pairs}. Given one of them nothing is "
            "left of the other, so no test can tell which one others depend on. Keep one of "
            "each in columns=."
        )
    return tuple(
        f"{one} decides {other}: given {one} no test can say whether {other} matters"
        for one, other in decided
    )


def _n_levels(column: Column, used: BoolVector) -> int:
    return len(np.unique(_values(column)[used & ~column.missing]))


@dataclass(frozen=True)
class _Look:
    """A column, and what a few of its rows already tell."""

    name: str
    values: FloatVector
    known: BoolVector
    all_known: bool
    n_levels: int
    codes: IntVector
    order: IntVector

    @classmethod
    def at(cls, column: Column, used: BoolVector) -> "_Look":
        values, known = _values(column), used & ~column.missing
        rows = np.flatnonzero(used)
        rows = rows[:: max(1, len(rows) // GLANCE)]
        n_levels, codes = _coded(values[rows])
        order = np.argsort(codes, kind="stable")
        return cls(column.name, values, known, bool(known[rows].all()), n_levels, codes, order)

    def decides(self, other: "_Look") -> bool:
        """Whether each value of this column goes with a single value of the other."""
        if self.all_known and other.all_known and self._differs_early(other):
            return False
        rows = np.flatnonzero(self.known & other.known)
        if not len(rows):
            return False
        levels, codes = _coded(self.values[rows])
        others, other_codes = _coded(other.values[rows])
        if levels * REPEATS > len(rows):
            # Values that hardly repeat decide everything; the order of both says more.
            return levels == others and _one_way(other_codes[np.argsort(codes, kind="stable")])
        return _one_value_each(codes, levels, other_codes, others)

    def _differs_early(self, other: "_Look") -> bool:
        if _one_way(other.codes[self.order]):
            return False
        hardly_repeats = self.n_levels > DISTINCT * len(self.codes)
        return hardly_repeats or not _one_value_each(
            self.codes, self.n_levels, other.codes, other.n_levels
        )


def _coded(values: FloatVector) -> tuple[int, IntVector]:
    levels, codes = np.unique(values, return_inverse=True)
    return len(levels), codes


def _one_value_each(one: IntVector, n_one: int, other: IntVector, n_other: int) -> bool:
    _, first = numbered(one * n_other + other, n_one * n_other)
    return len(first) == n_one


def _one_way(codes: IntVector) -> bool:
    """Whether codes never fall, or never rise."""
    steps = np.diff(codes)
    return bool((steps >= 0).all() or (steps <= 0).all())


def _values(column: Column) -> FloatVector:
    if isinstance(column, Categories):
        return column.codes.astype(np.float64)
    return column.values
