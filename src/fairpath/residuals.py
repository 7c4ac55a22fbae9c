"""What some columns leave of another one, on one sample of rows.

A variable is the level of each row; a number also has normal scores, so that neither tails nor
a logarithm taken beforehand matter much. The given variables span a space of functions: one per
cell if they cross in few enough cells, else curves and their products. A variable is projected
on it, then on curves of the fitted values; what is left are the residuals.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import prod, sqrt
from typing import ClassVar, TypeAlias

import numpy as np
from scipy.special import ndtri

from fairpath.errors import DataError
from fairpath.frames import Categories, Column
from fairpath.vocabulary import FloatMatrix, FloatVector, IntVector

ROWS_PER_COLUMN = 8
"""Least average number of rows behind a cell mean or a regression coefficient."""

MAX_COLUMNS = 240
"""Most columns of curves and products."""

MAX_LEVELS = 20
"""Most levels of a tested category; rarer ones are pooled."""

SMOOTH_AT = (0.05, 0.3, 0.5, 0.7, 0.95)
"""The quantiles where the smooth score of a number meets its normal score."""

OUTER_KNOT = 2.2
BINARY = 2
EMPTY = 1e-7


@dataclass(frozen=True)
class Sample:
    """The rows of a test, and how often each counts."""

    rows: IntVector
    weights: FloatVector
    size: float

    def column_sums(self, values: FloatMatrix) -> FloatVector:
        """Return the weighted sum of each column."""
        return self.weights @ values


@dataclass(frozen=True)
class Variable:
    """A column on a sample; the levels of a number are its distinct values."""

    codes: IntVector
    counts: FloatVector
    by_rank: FloatVector | None = None  # normal score of each level
    smooth: FloatVector | None = None

    @classmethod
    def of(cls, column: Column, sample: Sample) -> "Variable":
        """Read a column; a number with two values is a category."""
        values = column.codes if isinstance(column, Categories) else column.values
        levels, codes = np.unique(values[sample.rows], return_inverse=True)
        counts = np.bincount(codes, sample.weights, minlength=len(levels)).astype(np.float64)
        if isinstance(column, Categories) or len(levels) <= BINARY:
            return cls(codes, counts)
        # Ranks alone are rough: what x and y share with z would not quite cancel.
        by_rank = ndtri((np.cumsum(counts) - counts / 2) / counts.sum())
        nearest = np.abs(by_rank[:, None] - ndtri(SMOOTH_AT)).argmin(axis=0)
        knots = np.unique([0, *nearest, len(levels) - 1])
        smooth = increasing_curve(levels.astype(np.float64), levels[knots], by_rank[knots])
        return cls(codes, counts, by_rank, smooth)

    def target(self) -> FloatMatrix:
        """Return what is tested: the score of a number, an indicator of each frequent level."""
        if self.smooth is not None:
            return self.smooth[self.codes][:, None]
        return indicators(self._pooled()[self.codes])

    def _pooled(self) -> IntVector:
        """Give each level a number; rare ones share one with neighbours, so that none is rare.

        Without a frequent level the pools are all there is to test.
        """
        least = sqrt(self.counts.sum())  # then no expected count is far below 1
        by_count = np.argsort(-self.counts, kind="stable")
        n_kept = min(int((self.counts >= least).sum()), MAX_LEVELS - 1)
        rare = np.sort(by_count[n_kept:])
        total = self.counts[rare].sum()
        n_pools = max(1, min(int(total / (2 * least)), MAX_LEVELS - n_kept))
        middle = np.cumsum(self.counts[rare]) - self.counts[rare] / 2
        # Too few for a pool of their own join the least frequent level that is kept.
        first_pool = n_kept if total >= least or n_kept == 1 else n_kept - 1
        numbers = np.empty(len(self.counts), dtype=np.intp)
        numbers[by_count[:n_kept]] = np.arange(n_kept)
        numbers[rare] = first_pool + (middle * n_pools / total).astype(np.intp)
        return numbers

    def width(self, dof: int) -> int:
        """Count the columns of ``effect``."""
        bends = self.by_rank is not None and len(self.counts) > dof + 1
        return dof if bends else len(self.counts) - 1

    def effect(self, dof: int) -> FloatMatrix:
        """Return what a regression on this variable can use: a curve, or the levels if fewer."""
        if self.by_rank is None or len(self.counts) <= dof + 1:
            return indicators(self.codes)[:, 1:]
        return natural_spline(self.by_rank, dof)[self.codes]


def indicators(codes: IntVector) -> FloatMatrix:
    """Return one column for each code that occurs."""
    return np.asarray(codes[:, None] == np.unique(codes), dtype=np.float64)


def increasing_curve(x: FloatVector, knots: FloatVector, heights: FloatVector) -> FloatVector:
    """Interpolate by a cubic between knots that never turns (Fritsch and Butland, 1984)."""
    largest = np.abs(knots).max()  # neither huge nor tiny numbers shall overflow below
    x, knots = x / largest, knots / largest
    width = np.diff(knots)
    rise = np.diff(heights) / width
    before, after = 2 * width[1:] + width[:-1], width[1:] + 2 * width[:-1]
    share = before / (before + after)
    inner = 1 / (share / rise[:-1] + (1 - share) / rise[1:])
    slope = np.concatenate([rise[:1], inner, rise[-1:]])
    i = np.clip(np.searchsorted(knots, x, side="right") - 1, 0, len(width) - 1)
    t = (x - knots[i]) / width[i]
    bend = (slope[i] - rise[i]) * (1 - t) + (rise[i] - slope[i + 1]) * t
    return np.asarray(heights[i] + width[i] * t * (rise[i] + (1 - t) * bend))


def natural_spline(z: FloatVector, dof: int) -> FloatMatrix:
    """Return a cubic spline without the constant: ``dof`` columns, straight at both ends."""
    knots, change = _spline_setup(dof)
    return np.asarray((_truncated_powers(z, knots) @ change)[:, 1:])


@lru_cache
def _spline_setup(dof: int) -> tuple[FloatVector, FloatMatrix]:
    """Return knots, and the change of basis that makes the columns orthonormal on scores."""
    knots = np.linspace(-OUTER_KNOT, OUTER_KNOT, dof + 1)
    grid = ndtri((np.arange(2000) + 0.5) / 2000)
    return knots, np.linalg.inv(np.linalg.qr(_truncated_powers(grid, knots) / sqrt(2000)).R)


def _truncated_powers(z: FloatVector, knots: FloatVector) -> FloatMatrix:
    beyond = np.maximum(z[:, None] - knots, 0)
    cubes = beyond * beyond * beyond  # ten times as fast as a power
    slopes = (cubes[:, :-1] - cubes[:, -1:]) / (knots[-1] - knots[:-1])
    return np.column_stack([np.ones_like(z), z, slopes[:, :-1] - slopes[:, -1:]])


@dataclass(frozen=True)
class Cells:
    """The functions of the cell that a row is in."""

    saturated: ClassVar[bool] = True

    codes: IntVector
    totals: FloatVector
    weights: FloatVector

    @property
    def leverage(self) -> FloatVector:
        """How much of its own fit a row decides."""
        return (1 / self.totals)[self.codes]

    def coordinates(self, values: FloatMatrix) -> FloatMatrix:
        """Project each column."""
        sums = [np.bincount(self.codes, self.weights * column) for column in values.T]
        return np.column_stack(sums) / np.sqrt(self.totals)[:, None]

    def fitted(self, coordinates: FloatMatrix) -> FloatMatrix:
        """Return the function that has these coordinates."""
        return (coordinates / np.sqrt(self.totals)[:, None])[self.codes]


@dataclass(frozen=True)
class Span:
    """The functions spanned by an orthonormal basis."""

    saturated: ClassVar[bool] = False

    basis: FloatMatrix
    weights: FloatVector

    @property
    def leverage(self) -> FloatVector:
        """How much of its own fit a row decides."""
        return np.asarray(np.einsum("ij,ij->i", self.basis, self.basis))

    def coordinates(self, values: FloatMatrix) -> FloatMatrix:
        """Project each column."""
        return np.asarray(self.basis.T @ (self.weights[:, None] * values))

    def fitted(self, coordinates: FloatMatrix) -> FloatMatrix:
        """Return the function that has these coordinates."""
        return np.asarray(self.basis @ coordinates)


Space: TypeAlias = Cells | Span
"""What a regression on the given variables can express."""


def space_of(given: list[Variable], sample: Sample) -> Space:
    """Span the functions of the given variables that the sample can afford."""
    cells = np.zeros(len(sample.rows), dtype=np.intp)
    n_cells = 1
    for variable in given:
        crossed = cells * len(variable.counts) + variable.codes
        present, cells = np.unique(crossed, return_inverse=True)
        n_cells = len(present)
        if n_cells > sample.size / ROWS_PER_COLUMN:
            return _curves(given, sample)
    _check_size(sample, n_cells)
    return Cells(cells, np.bincount(cells, sample.weights).astype(np.float64), sample.weights)


def _curves(given: list[Variable], sample: Sample) -> Span:
    room = min(sample.size / ROWS_PER_COLUMN, MAX_COLUMNS) - 1 - len(given)
    dof = max(1, round(1.5 * sample.size**0.25))
    while dof > 1 and sum(variable.width(dof) for variable in given) > room:
        dof -= 1
    used = sum(variable.width(dof) for variable in given)
    _check_size(sample, used + 1 + len(given))
    terms = [np.ones((len(sample.rows), 1))]
    for variable in given:
        terms.append(variable.effect(dof))
        if variable.smooth is not None:
            terms.append(variable.smooth[variable.codes][:, None])
    pairs = combinations(given, 2)
    for one, other in sorted(pairs, key=lambda pair: prod(v.width(3) for v in pair)):
        for bends in (3, 2, 1):
            if used + one.width(bends) * other.width(bends) <= room:
                used += one.width(bends) * other.width(bends)
                terms.append(_products(one.effect(bends), other.effect(bends)))
                break
    return Span(orthonormal(np.concatenate(terms, axis=1), sample), sample.weights)


def _products(one: FloatMatrix, other: FloatMatrix) -> FloatMatrix:
    return (one[:, :, None] * other[:, None, :]).reshape(len(one), -1)


def _check_size(sample: Sample, parameters: int) -> None:
    if sample.size < parameters + 5:
        raise DataError(
            f"{sample.size:g} complete rows are too few, this test needs {parameters + 5}. "
            "Condition on fewer columns, merge rare levels, or fill in missing values."
        )


def orthonormal(
    columns: FloatMatrix, sample: Sample, scale: FloatVector | None = None
) -> FloatMatrix:
    """Return an orthonormal basis, without directions that are empty next to ``scale``."""
    gram = columns.T @ (sample.weights[:, None] * columns)
    if scale is None:
        scale = np.sqrt(np.diag(gram))
    scale = np.where(scale > 0, scale, 1.0)
    values, vectors = np.linalg.eigh(gram / np.outer(scale, scale))
    kept = values > EMPTY
    return np.asarray(columns @ (vectors[:, kept] / np.sqrt(values[kept]) / scale[:, None]))


@dataclass(frozen=True)
class Residuals:
    """Residuals as orthonormal columns, and their covariance as a function of what is given."""

    values: FloatMatrix
    covariance: FloatMatrix  # (coordinates in the space, columns, columns)
    exact: bool  # the covariance is that of shuffling within cells


def residuals(variable: Variable, space: Space, sample: Sample) -> Residuals:
    """Take out of a variable what the space explains."""
    target = variable.target()
    target = target - sample.column_sums(target) / sample.size
    scale = np.sqrt(sample.column_sums(target**2))
    fitted = space.fitted(space.coordinates(target))
    left = target - fitted
    if not space.saturated:
        bent = bends(fitted, sample)
        kept = np.sqrt(sample.column_sums(bent**2))
        bent = bent - space.fitted(space.coordinates(bent))
        basis = orthonormal(bent, sample, kept)
        left = left - basis @ (basis.T @ (sample.weights[:, None] * left))
    left = orthonormal(left, sample, scale)
    # A residual is smaller than the noise by 1 - leverage; half of that for each of x and y.
    raised = left / np.maximum(1 - space.leverage, EMPTY)[:, None] ** 0.25
    return Residuals(left, _covariance(raised, space), space.saturated)


def _covariance(values: FloatMatrix, space: Space) -> FloatMatrix:
    """Project the product of each pair of columns."""
    k = values.shape[1]
    upper = [space.coordinates(values[:, a:] * values[:, [a]]) for a in range(k)]
    covariance = np.zeros((len(upper[0]) if upper else 1, k, k))
    for a, products in enumerate(upper):
        covariance[:, a, a:] = covariance[:, a:, a] = products
    return covariance


def bends(fitted: FloatMatrix, sample: Sample) -> FloatMatrix:
    """Return curves of the fitted values: they catch a link function, such as the logistic."""
    if fitted.shape[1] == BINARY:
        fitted = fitted[:, :1]
    spread = np.sqrt(sample.column_sums(fitted**2) / sample.size)
    moves = spread > EMPTY
    fitted = fitted[:, moves] / spread[moves]
    room = sample.size / (2 * ROWS_PER_COLUMN)
    each = min(3, int(room / max(1, fitted.shape[1])))
    curves = [natural_spline(column, each + 1)[:, 1:] for column in fitted.T]
    return np.concatenate([np.zeros((len(fitted), 0)), *curves], axis=1)
