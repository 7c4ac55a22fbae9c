"""Sums over rows, by stratum and outcome: all that is reported is a function of them.

A tally is small and two of them merge into one, so memory need not grow with the rows.
"""

from dataclasses import dataclass
from functools import reduce
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fairpath.vocabulary import FloatMatrix, FloatVector, IntVector

ROWS_AT_ONCE = 4096

Cube = NDArray[np.float64]
"""Three or four axes: strata, outcomes, columns (and columns)."""


@dataclass(frozen=True, eq=False)
class Tally:
    """Weighted sums of some columns in each cell of stratum and outcome.

    Attributes
    ----------
    rows, weight
        How many rows a cell has, and how much they count; shape (strata, outcomes).
    sums
        Shape (strata, outcomes, columns).
    scatter
        Sums of the products of the first columns, each minus its mean in the cell; shape
        (strata, outcomes, some, some).
    """

    rows: FloatMatrix
    weight: FloatMatrix
    sums: Cube
    scatter: Cube

    @classmethod
    def of(
        cls,
        columns: FloatMatrix,
        *,
        strata: IntVector,
        outcomes: IntVector,
        weights: FloatVector,
        shape: tuple[int, int],
        n_products: int = 0,
    ) -> Self:
        """Add up the rows of a table, slice by slice; ``n_products`` columns have a scatter."""
        cells = strata * shape[1] + outcomes
        slices = (
            slice(start, start + ROWS_AT_ONCE)
            for start in range(0, max(1, len(columns)), ROWS_AT_ONCE)
        )
        return reduce(
            cls.merge,
            (cls._of_slice(columns[s], cells[s], weights[s], shape, n_products) for s in slices),
        )

    @classmethod
    def _of_slice(
        cls,
        columns: FloatMatrix,
        cells: IntVector,
        weights: FloatVector,
        shape: tuple[int, int],
        n_products: int,
    ) -> Self:
        n_cells, width = shape[0] * shape[1], columns.shape[1]
        rows = np.bincount(cells[weights > 0], minlength=n_cells).astype(np.float64)
        weight = np.bincount(cells, weights, minlength=n_cells).astype(np.float64)
        sums = np.zeros((n_cells, width))
        scatter = np.zeros((n_cells, n_products, n_products))
        for cell in np.flatnonzero(weight):
            inside = cells == cell
            part, counts = columns[inside], weights[inside]
            sums[cell] = counts @ part
            away = part[:, :n_products] - sums[cell, :n_products] / weight[cell]
            scatter[cell] = away.T @ (counts[:, None] * away)
        return cls(
            rows.reshape(shape),
            weight.reshape(shape),
            sums.reshape(*shape, width),
            scatter.reshape(*shape, n_products, n_products),
        )

    def merge(self, other: Self) -> Self:
        """Return the tally of both sets of rows."""
        # Two means that differ by d add d dᵀ times w₁ w₂ / (w₁ + w₂): no large numbers cancel.
        apart = self._centres() - other._centres()
        weight = self.weight + other.weight
        share = self.weight * other.weight / np.where(weight > 0, weight, 1.0)
        between = apart[..., :, None] * apart[..., None, :] * share[..., None, None]
        return type(self)(
            self.rows + other.rows,
            weight,
            self.sums + other.sums,
            self.scatter + other.scatter + between,
        )

    def among(self, outcomes: tuple[int, ...] | None) -> Self:
        """Return the tally of the rows with these outcomes; None: of all."""
        if outcomes is None:
            return self
        inside = np.zeros(self.weight.shape[1])
        inside[list(outcomes)] = 1.0
        return type(self)(
            self.rows * inside,
            self.weight * inside,
            self.sums * inside[:, None],
            self.scatter * inside[:, None, None],
        )

    def means(self) -> FloatMatrix:
        """Return the mean of each column in each stratum."""
        return np.asarray(self.sums.sum(axis=1) / self.weight.sum(axis=1)[:, None])

    def contrast(self, stratum: int, reference: int) -> FloatVector:
        """Return the means of a stratum minus those of the reference."""
        means = self.means()
        return np.asarray(means[stratum] - means[reference])

    def covariance(self, stratum: int, reference: int) -> FloatMatrix:
        """Return the sampling covariance of `contrast` for the columns with a scatter.

        It takes the links as given: rows differ, and so do their random orders.
        """
        return self.variance_of_mean(stratum) + self.variance_of_mean(reference)

    def variance_of_mean(self, stratum: int) -> FloatMatrix:
        """Return the sampling covariance of a stratum's means, of the columns with a scatter."""
        weight = self.weight[stratum]
        away = self._centres()[stratum] - self.means()[stratum, : self.scatter.shape[-1]]
        between = (weight[:, None] * away).T @ away
        total = weight.sum()
        scatter = self.scatter[stratum].sum(axis=0) + between
        return np.asarray(scatter / total / max(total - 1, 1.0))

    def _centres(self) -> Cube:
        """Return the means of the columns with a scatter in each cell, zero where it is empty."""
        weight = np.where(self.weight > 0, self.weight, 1.0)
        return np.asarray(self.sums[..., : self.scatter.shape[-1]] / weight[..., None])
