"""How strongly two blocks go together beyond others: a partial R² for any mix of columns.

Both are regressed on what is given (`fairpath.residuals`: a mean for each cell where the given
columns cross in few, else curves and products). A number enters by its normal scores, a category
by an indicator for each level. Partial R² is the square of the largest correlation that a
combination of the residuals of one block has with one of the other: of two numbers, a number and
a binary, or two binaries the squared partial correlation.
"""

from collections.abc import Mapping
from functools import lru_cache
from math import ceil, sqrt

import numpy as np

from fairpath.encoding import Variable as Known
from fairpath.frames import Categories, Column, Numbers
from fairpath.game.tree import Features
from fairpath.residuals import Sample, Space, Variable, orthonormal, residuals, space_of
from fairpath.vocabulary import FloatMatrix, FloatVector

MOST_ROWS = 10_000
"""Rows that are looked at."""

_KEPT = 64


class Associations:
    """Partial R² among the columns of one sample; what several share is computed once.

    Parameters
    ----------
    columns, variables
        Encoded columns, and what they are.
    weights
        How often each row counts.
    """

    def __init__(
        self,
        columns: Mapping[str, FloatVector],
        variables: Mapping[str, Known],
        weights: FloatVector,
    ) -> None:
        step = ceil(len(weights) / MOST_ROWS)
        self._weights = weights[::step]
        self._columns = {
            name: _column(name, values[::step], variables[name]) for name, values in columns.items()
        }
        self._space = lru_cache(_KEPT)(self._make_space)
        self._left = lru_cache(_KEPT)(self._make_left)

    def partial_r2(self, one: Features, other: Features, given: Features) -> float:
        """Return it from the rows that are complete in all of these columns."""
        holes = frozenset(
            name for name in (*one, *other, *given) if self._columns[name].missing.any()
        )
        given = tuple(sorted(given))
        ours, theirs = (self._left(tuple(sorted(b)), given, holes) for b in (one, other))
        if ours.shape[1] == 0 or theirs.shape[1] == 0:
            return 0.0
        products = ours.T @ (self._sample(holes).weights[:, None] * theirs)
        return min(1.0, float(np.linalg.norm(products, ord=2)) ** 2)

    def _sample(self, holes: frozenset[str]) -> Sample:
        usable = self._weights > 0
        for name in holes:
            usable = usable & ~self._columns[name].missing
        weights = self._weights[usable]
        return Sample(np.flatnonzero(usable), weights, float(weights.sum()))

    def _make_space(self, given: Features, holes: frozenset[str]) -> Space:
        sample = self._sample(holes)
        return space_of([Variable.of(self._columns[name], sample) for name in given], sample)

    def _make_left(self, block: Features, given: Features, holes: frozenset[str]) -> FloatMatrix:
        """Return an orthonormal basis of what is left of a block."""
        sample, space = self._sample(holes), self._space(given, holes)
        parts = [
            residuals(Variable.of(self._columns[name], sample), space, sample).values
            for name in block
        ]
        return parts[0] if len(parts) == 1 else orthonormal(np.column_stack(parts), sample)


def robustness_value(r2: float) -> float:
    """Return how strong a common cause must be to explain an association away.

    As partial R² with each of the two (Cinelli and Hazlett, 2020): with f² = R² / (1 - R²),
    (sqrt(f⁴ + 4 f²) - f²) / 2.

    >>> robustness_value(0.0), round(robustness_value(0.2), 4), robustness_value(1.0)
    (0.0, 0.3904, 1.0)
    """
    return 1.0 if r2 >= 1 else equal_strength(r2 / (1 - r2))


def equal_strength(f2: float) -> float:
    """Return the r with r² / (1 - r) = f²: a cause so strong on both sides moves as much."""
    # The other form of the root: nothing cancels where f² is large.
    return 2 * f2 / (sqrt(f2 * f2 + 4 * f2) + f2) if f2 > 0 else 0.0


def as_strong_as(with_parent: float, with_child: float) -> tuple[float, float]:
    """Return the partial R² of an unobserved cause that is as strong as an observed one.

    Cinelli and Hazlett's bounds for k = 1: the observed one has these partial R² with the
    parent given the rest, and with the child given the rest and the parent.
    """
    if with_parent >= 0.5:  # noqa: PLR2004 - what is left of the parent could be all of it
        return 1.0, 1.0
    parent = with_parent / (1 - with_parent)
    shared = with_parent**2 / (1 - with_parent) ** 2
    if shared >= 1 or with_child >= 1:
        return parent, 1.0
    root = (1 + sqrt(shared)) / sqrt(1 - shared)
    return parent, min(1.0, root**2 * with_child / (1 - with_child))


def _column(name: str, values: FloatVector, known: Known) -> Column:
    """Read an encoded column; a missing category is one of its levels."""
    if known.n_levels is None:
        return Numbers(name, values)
    return Categories(name, values.astype(np.intp), tuple(range(known.n_levels)))
