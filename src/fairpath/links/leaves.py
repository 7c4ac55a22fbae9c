"""The laws of a variable in leaves, kept in one table so that rows of all trees share a search."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from fairpath.vocabulary import BoolVector, FloatMatrix, FloatVector, IntVector

Filled = list[tuple[IntVector, IntVector]]
"""For each tree its rows, and the leaf of each of them."""


@dataclass(frozen=True, eq=False)
class RankTable:
    """The weighted distribution of numbers in every leaf.

    Attributes
    ----------
    distinct
        All values that were seen, ascending.
    keys
        leaf x number of distinct values + position of the value: one for each value in a leaf.
    upper
        leaf + share of its weight up to this value.
    start
        For each leaf the first of its keys, and the end of the last leaf.
    """

    distinct: FloatVector
    keys: IntVector
    upper: FloatVector
    start: IntVector

    @classmethod
    def of(cls, values: FloatVector, weights: FloatVector, filled: Filled, n_leaves: int) -> Self:
        """Fill the leaves with the rows that have a value."""
        distinct, codes = np.unique(values, return_inverse=True)
        there = ~np.isnan(values)
        distinct = distinct[~np.isnan(distinct)]
        n = max(1, len(distinct))
        ascending = np.argsort(codes, kind="stable")
        place = np.empty(len(values), dtype=np.intp)
        place[ascending] = np.arange(len(values))
        keys, mass = [], []
        last: IntVector | None = None
        for rows, leaf in filled:
            if rows is not last:
                order = np.argsort(place[rows])
                order = order[there[rows[order]]]
                sorted_codes, sorted_weights = codes[rows[order]], weights[rows[order]]
                last = rows
            inside = leaf[order]
            by_leaf = np.argsort(inside, kind="stable")
            keys.append(inside[by_leaf] * n + sorted_codes[by_leaf])
            mass.append(sorted_weights[by_leaf])
        return cls._merged(distinct, np.concatenate(keys), np.concatenate(mass), n_leaves)

    @classmethod
    def _merged(
        cls, distinct: FloatVector, keys: IntVector, mass: FloatVector, n_leaves: int
    ) -> Self:
        """Add up equal values in a leaf."""
        n = max(1, len(distinct))
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        keys = keys[first]
        start = np.searchsorted(keys, np.arange(n_leaves + 1) * n)
        if not len(keys):
            return cls(distinct, keys, np.empty(0), start)
        mass = np.add.reduceat(mass, first)
        leaf = keys // n
        total = np.concatenate([[0.0], np.cumsum(mass)])
        before, after = total[start[:-1]], total[start[1:]]
        share = (total[1:] - before[leaf]) / (after - before)[leaf]
        return cls(distinct, keys, leaf + share, start)

    def rank(self, leaf: IntVector, values: FloatVector, uniforms: FloatVector) -> FloatVector:
        """Return the rank of values in their leaves; among equal ones a uniform draw."""
        n = max(1, len(self.distinct))
        low, high = (
            np.searchsorted(self.keys, leaf * n + np.searchsorted(self.distinct, values, side))
            for side in ("left", "right")
        )
        start = self.start[leaf]
        upper = np.append(self.upper, 0.0)
        below = np.where(low > start, upper[low - 1] - leaf, 0.0)
        above = np.where(high > start, upper[high - 1] - leaf, 0.0)
        return np.where(np.isnan(values), uniforms, below + uniforms * (above - below))

    def quantile(self, leaf: IntVector, rank: FloatVector) -> FloatVector:
        """Return the values at these ranks; NaN in a leaf without values."""
        start, end = self.start[leaf], self.start[leaf + 1]
        place = np.searchsorted(self.upper, leaf + rank, side="right")
        place = np.minimum(np.maximum(place, start), end - 1)
        found = np.append(self.keys, 0)[place] % max(1, len(self.distinct))
        return np.where(start < end, np.append(self.distinct, np.nan)[found], np.nan)


def shares(
    codes: IntVector, n_levels: int, weights: FloatVector, filled: Filled, n_leaves: int
) -> FloatMatrix:
    """Return the weighted share of each level in every leaf."""
    cells = np.concatenate([leaf * n_levels + codes[rows] for rows, leaf in filled])
    mass = np.concatenate([weights[rows] for rows, _ in filled])
    table = np.bincount(cells, mass, n_leaves * n_levels).reshape(n_leaves, n_levels)
    return np.asarray(table / table.sum(axis=1, keepdims=True))


def missing_shares(
    missing: BoolVector, weights: FloatVector, filled: Filled, n_leaves: int
) -> FloatMatrix:
    """Return the shares of present and of missing values in every leaf."""
    return shares(missing.astype(np.intp), 2, weights, filled, n_leaves)
