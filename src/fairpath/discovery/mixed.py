"""The tests of `independence`, many at a time.

The numbers are those of `IndependenceTest`. Here all pairs of a conditioning set share its
regression, each column its residuals, and rows that agree in what is given are one row
of the regression.
"""

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from joblib import Parallel, delayed

from fairpath.discovery.asking import Question
from fairpath.discovery.distinct import SPARSE, numbered
from fairpath.errors import DataError
from fairpath.frames import Column
from fairpath.independence import chi_square, log_chi_square_tail
from fairpath.residuals import (
    EMPTY,
    Residuals,
    Sample,
    Space,
    Variable,
    bends,
    orthonormal,
    space_of,
)
from fairpath.vocabulary import FloatMatrix, FloatVector, IntVector

BLOCK = 8

KEPT = 400
"""Columns on a sample that are remembered."""

Holes = frozenset[int]
"""The columns that decide which rows a test can use: those with missing values."""

_K = TypeVar("_K")
_V = TypeVar("_V")


class MixedTest:
    """Questions about any mix of numbers and categories, with missing values and weights."""

    block = BLOCK

    def __init__(
        self,
        columns: Sequence[Column],
        weights: FloatVector,
        *,
        straight: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self._columns = columns
        self._weights = weights
        self._straight = straight
        self._n_jobs = n_jobs
        self._holed = frozenset(
            node for node, column in enumerate(columns) if column.missing[weights > 0].any()
        )
        self._samples: dict[Holes, Sample] = {}
        self._variables: dict[tuple[int, Holes], Variable] = {}

    def log_p_values(self, questions: Sequence[Question]) -> list[FloatVector]:
        """Answer each question."""
        work = (delayed(self._answer)(question) for question in questions)
        return list(Parallel(n_jobs=self._n_jobs, prefer="threads")(work))

    def _answer(self, question: Question) -> FloatVector:
        given, pairs = question
        conditions: dict[Holes, _Condition | None] = {}
        left: dict[tuple[int, Holes], _Left] = {}
        found = np.full(len(pairs), np.nan)
        for i, pair in enumerate(pairs):
            holes = self._holed.intersection((*pair, *given))
            if holes not in conditions:
                conditions[holes] = self._condition(given, holes)
            condition = conditions[holes]
            if condition is None:
                continue
            for node in pair:
                if (node, holes) not in left:
                    left[node, holes] = condition.left(self._variable(node, holes))
            found[i] = condition.log_p(*(left[node, holes] for node in pair))
        return found

    def _condition(self, given: tuple[int, ...], holes: Holes) -> "_Condition | None":
        """Prepare a regression, None where rows are too few."""
        try:
            variables = [self._variable(v, holes) for v in given]
            return _Condition.of(variables, self._sample(holes), straight=self._straight)
        except DataError:
            return None

    def _sample(self, holes: Holes) -> Sample:
        if holes not in self._samples:
            usable = self._weights > 0
            for node in holes:
                usable = usable & ~self._columns[node].missing
            weights = self._weights[usable]
            sample = Sample(np.flatnonzero(usable), weights, float(weights.sum()))
            return _kept(self._samples, holes, sample)
        return self._samples[holes]

    def _variable(self, node: int, holes: Holes) -> Variable:
        if (node, holes) not in self._variables:
            variable = Variable.of(self._columns[node], self._sample(holes))
            return _kept(self._variables, (node, holes), variable)
        return self._variables[node, holes]


def _kept(store: MutableMapping[_K, _V], key: _K, value: _V) -> _V:
    """Remember a value while there is room; threads may make one twice, to the same bits."""
    if len(store) < KEPT:
        store[key] = value
    return value


@dataclass(frozen=True)
class _Merged:
    """Rows that agree in some columns are one cell."""

    of_row: IntVector
    cells: Sample

    @classmethod
    def of(cls, variables: Sequence[Variable], sample: Sample) -> "_Merged":
        """Merge rows with the same levels."""
        of_row = np.zeros(len(sample.rows), dtype=np.intp)
        first = np.zeros(1, dtype=np.intp)
        for variable in variables:
            crossed = of_row * len(variable.counts) + variable.codes
            of_row, first = numbered(crossed, len(first) * len(variable.counts))
        weights = np.bincount(of_row, sample.weights).astype(np.float64)
        return cls(of_row, Sample(first, weights, sample.size))

    def finer(self, variable: Variable, sample: Sample) -> "_Merged":
        """Split cells by one more column; rows stay apart if that leaves few together."""
        if len(self.cells.rows) * len(variable.counts) > SPARSE * len(sample.rows):
            every = np.arange(len(sample.rows))
            return _Merged(every, Sample(every, sample.weights, sample.size))
        crossed = self.of_row * len(variable.counts) + variable.codes
        of_row, first = numbered(crossed, len(self.cells.rows) * len(variable.counts))
        weights = np.bincount(of_row, sample.weights).astype(np.float64)
        return _Merged(of_row, Sample(first, weights, sample.size))


@dataclass(frozen=True)
class _Left:
    """Residuals, one row for each cell."""

    residuals: Residuals
    rows: _Merged


@dataclass(frozen=True)
class _Condition:
    """What is given, merged, and the functions of it that a regression can use."""

    sample: Sample
    given: _Merged
    space: Space
    shrinking: FloatVector
    straight: bool

    @classmethod
    def of(cls, given: Sequence[Variable], sample: Sample, *, straight: bool) -> "_Condition":
        merged = _Merged.of(given, sample)
        first = merged.cells.rows
        space = space_of([replace(v, codes=v.codes[first]) for v in given], merged.cells)
        shrinking = np.maximum(1 - space.leverage, EMPTY) ** 0.25
        return cls(sample, merged, space, shrinking, straight)

    def left(self, variable: Variable) -> _Left:
        """Return what `fairpath.residuals.residuals` does, with one row for equal ones."""
        space, coarse = self.space, self.given.cells
        merged = self.given.finer(variable, self.sample)
        fine, inside = merged.cells, self.given.of_row[merged.cells.rows]
        target = self._target(variable, fine)
        target = target - fine.column_sums(target) / fine.size
        scale = np.sqrt(fine.column_sums(target**2))
        means = _means(target, fine, inside, coarse)
        explained = fitted = space.fitted(space.coordinates(means))
        if not space.saturated:
            bent = bends(fitted, coarse)
            kept = np.sqrt(coarse.column_sums(bent**2))
            bent = bent - space.fitted(space.coordinates(bent))
            basis = orthonormal(bent, coarse, kept)
            explained = fitted + basis @ (basis.T @ (coarse.weights[:, None] * (means - fitted)))
        values = orthonormal(target - explained[inside], fine, scale)
        covariance = self._covariance(values, fine, inside)
        return _Left(Residuals(values, covariance, space.saturated), merged)

    def _target(self, variable: Variable, fine: Sample) -> FloatMatrix:
        """Return what is tested of a column: of a number its score and how far out it is."""
        target = replace(variable, codes=variable.codes[fine.rows]).target()
        if variable.smooth is None or self.straight:
            return target
        return np.concatenate([target, target**2], axis=1)

    def log_p(self, one: _Left, other: _Left) -> float:
        """Compare the residuals of two columns."""
        if len(other.rows.cells.rows) > len(one.rows.cells.rows):
            one, other = other, one
        # The sum of products needs only the mean of one in each cell of the other.
        means = _means(
            one.residuals.values[one.rows.of_row],
            self.sample,
            other.rows.of_row,
            other.rows.cells,
        )
        statistic, dof = chi_square(
            replace(one.residuals, values=means), other.residuals, other.rows.cells
        )
        return log_chi_square_tail(statistic, dof) if dof else float("nan")

    def _covariance(self, values: FloatMatrix, fine: Sample, inside: IntVector) -> FloatMatrix:
        """Project the product of each pair of columns, raised to the size of the noise."""
        k = values.shape[1]
        if not k:
            return np.zeros((1, 0, 0))
        upper = np.triu_indices(k)
        columns = np.ascontiguousarray(values.T)
        weighted = columns * fine.weights
        n_cells = len(self.given.cells.rows)
        sums = [
            np.bincount(inside, weighted[a] * columns[b], minlength=n_cells)
            for a, b in zip(*upper, strict=True)
        ]
        size = self.given.cells.weights * self.shrinking**2
        projected = self.space.coordinates((np.stack(sums) / size).T)
        covariance = np.empty((len(projected), k, k))
        covariance[:, upper[0], upper[1]] = covariance[:, upper[1], upper[0]] = projected
        return covariance


def _means(values: FloatMatrix, fine: Sample, inside: IntVector, coarse: Sample) -> FloatMatrix:
    """Return the mean of each column in each coarse cell; ``inside`` says in which a row is."""
    sums = [
        np.bincount(inside, fine.weights * column, minlength=len(coarse.rows))
        for column in np.ascontiguousarray(values.T)
    ]
    return (
        np.asarray(np.stack(sums) / coarse.weights).T if sums else np.zeros((len(coarse.rows), 0))
    )
