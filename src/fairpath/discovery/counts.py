"""Pearson's chi-square in the cells of what is given, for columns of few distinct values.

Few possible cells are a table; of many, those that occur are listed, so nothing grows with
those that do not.
"""

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairpath.discovery.asking import Pair, Question
from fairpath.discovery.distinct import distinct, numbered
from fairpath.errors import DataError
from fairpath.frames import Categories, Column
from fairpath.independence import log_chi_square_tail
from fairpath.vocabulary import FloatVector, IntMatrix, IntVector

BLOCK = 16

MOST_LEVELS = 100

KEPT_BYTES = 2**27

DENSE_CELLS = 2**13
"""Up to so many possible cells all of them are counted, once for all tests of these columns."""


class DiscreteTest:
    """Questions answered from counts; a row counts where the columns of a test have values.

    A stratum has a degree of freedom less for each level of an end that it lacks.
    """

    block = BLOCK

    def __init__(self, columns: Sequence[Column], weights: FloatVector) -> None:
        columns, weights = distinct(columns, weights)
        coded = [_codes(column) for column in columns]
        self._codes = np.stack([codes for codes, _ in coded])
        self._n_levels = [n_levels for _, n_levels in coded]
        self._weights = weights
        self._holed = frozenset(np.flatnonzero((self._codes < 0).any(axis=1)).tolist())
        self._counts: dict[frozenset[int], _Counts] = {}

    def log_p_values(self, questions: Sequence[Question]) -> list[FloatVector]:
        """Answer each question."""
        found = [np.full(len(pairs), np.nan) for _, pairs in questions]
        tables: dict[tuple[int, ...], list[FloatVector]] = {}
        places: dict[tuple[int, ...], list[tuple[int, int]]] = {}
        for i, (given, pairs) in enumerate(questions):
            for j, pair in enumerate(pairs):
                counts = self._at(pair, given)
                table = counts.table(pair, given)
                if table is None:
                    found[i][j] = counts.log_p(pair, given)
                else:
                    tables.setdefault(table.shape, []).append(table)
                    places.setdefault(table.shape, []).append((i, j))
        for shape, listed in tables.items():
            log_ps = _of_tables(np.stack(listed))
            for (i, j), log_p in zip(places[shape], log_ps, strict=True):
                found[i][j] = log_p
        return found

    def _at(self, pair: Pair, given: tuple[int, ...]) -> "_Counts":
        """Return counts of the rows that are complete in these columns."""
        holes = self._holed.intersection((*pair, *given))
        if holes not in self._counts:
            used = (self._codes[sorted(holes)] >= 0).all(axis=0)
            made = _Counts(self._codes[:, used], self._n_levels, self._weights[used])
            if len(self._counts) >= 2**6:
                self._counts.clear()
            self._counts[holes] = made
        return self._counts[holes]


class _Cells(NamedTuple):
    """The combinations of levels of some columns that occur."""

    of_row: IntVector
    first_row: IntVector
    counts: FloatVector


class _Counts:
    """Cells of any columns of one sample, each counted once."""

    def __init__(self, codes: IntMatrix, n_levels: Sequence[int], weights: FloatVector) -> None:
        self._codes = codes
        self._n_levels = n_levels
        self._weights = weights
        # Tables of few cells are counted often: short codes, and no weights if all are 1.
        self._short = codes.astype(np.int16)
        self._repeats = None if (weights == 1).all() else weights
        self._forget()

    def table(self, pair: Pair, given: tuple[int, ...]) -> FloatVector | None:
        """Return the counts (strata, one end, other end) if all possible cells are few."""
        nodes = tuple(sorted((*given, *pair)))
        shape = [self._n_levels[node] for node in nodes]
        if prod(shape) > DENSE_CELLS:
            return None
        axes = [nodes.index(node) for node in (*given, *pair)]
        ends = [self._n_levels[node] for node in pair]
        return self._table(nodes, shape).transpose(axes).reshape(-1, *ends)

    def log_p(self, pair: Pair, given: tuple[int, ...]) -> float:
        """Add up the cells that occur: sum of o^2 / e - n, where e = row x column / stratum."""
        if not len(self._weights):
            return float("nan")
        nodes = tuple(sorted((*given, *pair)))
        strata, (one, n_one), (other, n_other) = (
            self._cells(given),
            *(self._margin(given, node) for node in pair),
        )
        dof = int((n_one * n_other).sum())
        if dof == 0:
            return float("nan")
        cells = self._cells(nodes)
        rows = cells.first_row
        expected = one.counts[one.of_row[rows]] * other.counts[other.of_row[rows]]
        shares = cells.counts * cells.counts * strata.counts[strata.of_row[rows]] / expected
        return log_chi_square_tail(max(float(shares.sum() - strata.counts.sum()), 0.0), dof)

    def _forget(self) -> None:
        n_rows = len(self._weights)
        nothing = _Cells(
            np.zeros(n_rows, dtype=np.intp),
            np.zeros(1, dtype=np.intp),
            np.array([self._weights.sum()]),
        )
        self._kept: dict[tuple[int, ...], _Cells] = {(): nothing}
        self._margins: dict[tuple[tuple[int, ...], int], tuple[_Cells, IntVector]] = {}
        self._tables: dict[tuple[int, ...], FloatVector] = {}
        self._places: dict[tuple[int, ...], NDArray[np.int16]] = {}
        self._room = KEPT_BYTES

    def _table(self, nodes: tuple[int, ...], shape: list[int]) -> FloatVector:
        """Count every combination of a few levels."""
        if nodes not in self._tables:
            if len(self._tables) * DENSE_CELLS * 8 > KEPT_BYTES:
                self._tables.clear()
            places = self._place(nodes)
            counts = np.bincount(places, self._repeats, minlength=prod(shape))
            self._tables[nodes] = counts.reshape(shape).astype(np.float64)
        return self._tables[nodes]

    def _place(self, nodes: tuple[int, ...]) -> NDArray[np.int16]:
        """Return the place of each row in the table of all but the last node, kept, and then it."""
        first, last = nodes[:-1], nodes[-1]
        if not first:
            return np.asarray(self._short[last])
        if first not in self._places:
            if len(self._places) * self._short[0].nbytes > KEPT_BYTES:
                self._places.clear()
            self._places[first] = self._place(first)
        levels = np.int16(self._n_levels[last])
        return np.asarray(self._places[first] * levels + self._short[last])

    def _margin(self, given: tuple[int, ...], node: int) -> tuple[_Cells, IntVector]:
        """Return the cells with one end, and how many levels above one it has in each stratum."""
        key = given, node
        if key not in self._margins:
            strata, cells = self._cells(given), self._cells(tuple(sorted((*given, node))))
            n_levels = np.bincount(strata.of_row[cells.first_row], minlength=len(strata.counts))
            self._margins[key] = cells, n_levels - 1
        return self._margins[key]

    def _cells(self, nodes: tuple[int, ...]) -> _Cells:
        if nodes not in self._kept:
            if self._room < 0:
                self._forget()
            coarser = self._cells(nodes[:-1])
            n_levels = self._n_levels[nodes[-1]]
            crossed = coarser.of_row * n_levels + self._codes[nodes[-1]]
            of_row, first = numbered(crossed, len(coarser.counts) * n_levels)
            cells = _Cells(of_row, first, np.bincount(of_row, self._weights).astype(np.float64))
            self._kept[nodes] = cells
            self._room -= cells.of_row.nbytes + cells.first_row.nbytes + cells.counts.nbytes
        return self._kept[nodes]


def _of_tables(tables: FloatVector) -> list[float]:
    """Do the same for tables of one shape (tables, strata, one end, other end)."""
    one, other = tables.sum(axis=3), tables.sum(axis=2)
    strata = one.sum(axis=2)
    freedom = ((one > 0).sum(axis=2) - 1) * ((other > 0).sum(axis=2) - 1)
    dof = np.where(strata > 0, freedom, 0).sum(axis=1)
    expected = one[..., :, None] * other[..., None, :]
    shares = tables * tables * strata[..., None, None] / np.where(expected > 0, expected, 1.0)
    statistic = np.maximum(shares.sum(axis=(1, 2, 3)) - strata.sum(axis=1), 0.0)
    return [
        log_chi_square_tail(x, k) if k else float("nan")
        for x, k in zip(statistic.tolist(), dof.tolist(), strict=True)
    ]


def _codes(column: Column) -> tuple[IntVector, int]:
    """Return the level of each row, -1 where there is none, and the number of levels."""
    values = column.codes if isinstance(column, Categories) else column.values
    levels, codes = np.unique(values[~column.missing], return_inverse=True)
    if len(levels) > MOST_LEVELS:
        raise DataError(
            f"Column {column.name!r} has {len(levels)} distinct values, too many for "
            f"test='discrete', which counts the rows of each (at most {MOST_LEVELS}). "
            "Cut it into bands, or use test='mixed'."
        )
    whole = np.full(len(values), -1, dtype=np.intp)
    whole[~column.missing] = codes
    return whole, len(levels)
