"""Regressors that bend: a natural spline for each number, and the products of pairs.

Smooth dependence, and what two parents do only together, in a linear model. Beyond its outer
knots a spline goes on as a straight line.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import ClassVar, Self

import numpy as np

from fairpath.encoding import Variable
from fairpath.vocabulary import FloatMatrix, FloatVector

ROWS_PER_COLUMN = 15
"""Least number of rows behind a coefficient."""

MOST_COLUMNS = 80
MOST_BENDS = 10
OUTER = 0.02
"""Share of the rows beyond each outer knot."""

BENDS_OF_PAIRS = 3
"""Most columns of each of two numbers in their products."""


@dataclass(frozen=True, eq=False)
class CurveDesign:
    """How parents become regressors.

    ``terms`` are main effects and pairs, each a tuple of one or two single effects.
    """

    ridge: ClassVar[float] = 1.0

    terms: tuple[tuple["Effect", ...], ...]

    @classmethod
    def of(cls, parents: FloatMatrix, sources: tuple[Variable, ...], weights: FloatVector) -> Self:
        """Bend as much as the number of rows allows; small products come first."""
        room = min(MOST_COLUMNS, weights.sum() / ROWS_PER_COLUMN)
        shapes = [
            Shape.of(column, source, weights)
            for column, source in zip(parents.T, sources, strict=True)
        ]
        bends = int(np.clip(weights.sum() ** 0.25, 1, MOST_BENDS))
        while bends > 1 and sum(shape.width(bends) for shape in shapes) > room / 2:
            bends -= 1
        effects = [shape.effect(place, bends) for place, shape in enumerate(shapes)]
        terms: list[tuple[Effect, ...]] = [(effect,) for effect in effects if effect.width]
        used = sum(effect.width for effect in effects)
        pairs = combinations(range(len(shapes)), 2)
        for pair in sorted(pairs, key=lambda pair: prod(shapes[i].width(2) for i in pair)):
            for crossed in _crossings([shapes[i] for i in pair], pair, bends):
                width = prod(effect.width for effect in crossed)
                if 0 < width <= room - used:
                    used += width
                    terms.append(crossed)
                    break
        return cls(tuple(terms))

    def again(
        self, parents: FloatMatrix, sources: tuple[Variable, ...], weights: FloatVector
    ) -> Self:
        """Bend at the same knots whatever the rows: parts of a sample then differ by chance."""
        del parents, sources, weights
        return self

    def __call__(self, parents: FloatMatrix) -> FloatMatrix:
        """Return the regressors of some rows, the first of them an intercept."""
        known: dict[tuple[int, int], FloatMatrix] = {}
        columns = [np.ones((len(parents), 1))]
        for term in self.terms:
            product = columns[0]
            for effect in term:
                key = effect.place, len(effect.knots)
                if key not in known:
                    known[key] = effect(parents[:, effect.place])
                crossed = product[:, :, None] * known[key][:, None, :]
                product = crossed.reshape(len(parents), product.shape[1] * effect.width)
            columns.append(product)
        return np.concatenate(columns, axis=1)


@dataclass(frozen=True, eq=False)
class Shape:
    """What a parent looks like: levels, or the values of a number, each with its weight."""

    n_levels: int | None
    values: FloatVector
    upper: FloatVector
    has_missing: bool

    @classmethod
    def of(cls, column: FloatVector, source: Variable, weights: FloatVector) -> Self:
        """Take note of a column."""
        known = ~np.isnan(column)
        values, codes = np.unique(column[known], return_inverse=True)
        mass = np.bincount(codes, weights[known], minlength=len(values))
        upper = np.cumsum(mass) / max(mass.sum(), 1e-300)
        return cls(source.n_levels, values, upper, not known.all())

    def width(self, bends: int) -> int:
        """Count the columns of ``effect``."""
        if self.n_levels is not None:
            return self.n_levels - 1
        return max(0, min(bends, len(self.values) - 1)) + self.has_missing

    def effect(self, place: int, bends: int) -> "Effect":
        """Return regressors of this parent alone, with so many bends if it is a number."""
        if self.n_levels is not None:
            return Effect(place, self.n_levels, np.empty(0), has_missing=False)
        knots = self.values
        if len(knots) > bends + 1:
            shares = np.linspace(OUTER, 1 - OUTER, bends + 1)
            knots = self.values[np.unique(np.searchsorted(self.upper, shares))]
            if len(knots) == 1:
                knots = self.values[[0, -1]]
        return Effect(place, None, knots, self.has_missing)


@dataclass(frozen=True, eq=False)
class Effect:
    """Columns that depend on one parent: its levels but the first, or a spline with these knots."""

    place: int
    n_levels: int | None
    knots: FloatVector
    has_missing: bool

    @property
    def width(self) -> int:
        """How many columns."""
        if self.n_levels is not None:
            return self.n_levels - 1
        return max(0, len(self.knots) - 1) + self.has_missing

    def __call__(self, column: FloatVector) -> FloatMatrix:
        """Return the columns of some rows."""
        if self.n_levels is not None:
            return np.asarray(column[:, None] == np.arange(1, self.n_levels), dtype=np.float64)
        missing = np.isnan(column)
        parts = []
        if len(self.knots) > 1:
            low, high = self.knots[[0, -1]]
            middle = (low + high) / 2
            parts.append(_natural(np.where(missing, middle, column), self.knots))
        if self.has_missing:
            parts.append(missing[:, None].astype(np.float64))
        return np.concatenate([np.empty((len(column), 0)), *parts], axis=1)


def _crossings(
    shapes: Sequence[Shape], places: tuple[int, ...], bends: int
) -> list[tuple[Effect, ...]]:
    """Return what the product of two effects may be, finest first."""
    both = all(shape.n_levels is None and len(shape.values) > 2 for shape in shapes)  # noqa: PLR2004
    finest = min(bends, BENDS_OF_PAIRS) if both else bends
    return [
        tuple(shape.effect(place, b) for shape, place in zip(shapes, places, strict=True))
        for b in range(finest, 0, -1)
    ]


def _natural(column: FloatVector, knots: FloatVector) -> FloatMatrix:
    """Return a cubic spline that is straight beyond its outer knots, without the constant."""
    span = knots[-1] - knots[0]
    z, at = (column - knots[0]) / span, (knots - knots[0]) / span
    if len(at) == 2:  # noqa: PLR2004 - a straight line
        return np.asarray(z[:, None])
    beyond = np.maximum(z[:, None] - at, 0.0)
    cubes = beyond * beyond * beyond
    slopes = (cubes[:, :-1] - cubes[:, -1:]) / (at[-1] - at[:-1])
    return np.column_stack([z, slopes[:, :-1] - slopes[:, -1:]])
