"""What a set of paths does to some rows: measured on v(T), not added up from contributions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairpath.disparity import Viewpoint
from fairpath.explanation.quantities import Comparison
from fairpath.vocabulary import BoolMatrix, FloatMatrix, FloatVector, IntVector


@dataclass(frozen=True)
class Measured:
    """Numbers of v(T).

    Attributes
    ----------
    utility
        U(v(T)).
    disparity
        Δ of v(T), one for each comparison.
    accuracy
        How often the decision v(T) > threshold is the outcome.
    decision_disparity
        Δ of that decision, one for each comparison.
    """

    utility: float
    disparity: tuple[float, ...]
    accuracy: float
    decision_disparity: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Rows:
    """People of whom it is known who they are and what became of them.

    Attributes
    ----------
    favoured
        Whether the outcome of a row is the favourable one.
    shares
        How much a row counts; they sum to one.
    gaps, constants
        Disparities as linear functions of outputs: a row of coefficients for each comparison, and
        what is added.
    threshold
        Decisions are outputs above it.
    """

    favoured: IntVector
    shares: FloatVector
    gaps: FloatMatrix
    constants: FloatVector
    threshold: float

    @classmethod
    def of(
        cls,
        strata: IntVector,
        favoured: IntVector,
        weights: FloatVector,
        *,
        viewpoint: Viewpoint,
        compared: Sequence[Comparison],
        threshold: float,
    ) -> "Rows":
        """Write down how each row enters each disparity."""
        gaps = np.zeros((len(compared), len(strata)))
        constants = np.zeros(len(compared))
        signs = np.ones(len(strata))
        if viewpoint.signs is not None:
            signs = viewpoint.signs[favoured]
        for place, one in enumerate(compared):
            enters = signs != 0
            if one.view.outcomes is not None:
                enters &= np.isin(favoured, one.view.outcomes)
            for stratum, towards in ((one.stratum, 1.0), (one.reference, -1.0)):
                counts = np.where(enters & (strata == stratum), weights, 0.0)
                counts *= towards / counts.sum()
                gaps[place] += counts * signs
                constants[place] += counts[signs < 0].sum()
        return cls(favoured, weights / weights.sum(), gaps, constants, threshold)

    def measured(self, values: FloatMatrix) -> list[Measured]:
        """Measure outputs, a column for each set of paths."""
        utility = self._agreement(values)
        decided = (values > self.threshold).astype(np.float64)
        accuracy = self._agreement(decided)
        gaps, decision_gaps = self.disparities(values), self.disparities(decided)
        return [
            Measured(
                float(utility[k]),
                tuple(gaps[:, k].tolist()),
                float(accuracy[k]),
                tuple(decision_gaps[:, k].tolist()),
            )
            for k in range(values.shape[1])
        ]

    def disparities(self, values: FloatMatrix) -> FloatMatrix:
        """Return Δ of outputs, shape (comparisons, sets)."""
        return np.asarray(self.gaps @ values + self.constants[:, None])

    def _agreement(self, values: FloatMatrix) -> FloatVector:
        """Return E[y v + (1 - y)(1 - v)] of each column."""
        towards = self.shares * (2.0 * self.favoured - 1)
        return np.asarray(towards @ values + self.shares @ (1 - self.favoured))


@dataclass(frozen=True, eq=False)
class Distinct:
    """Sets of paths without repetition, and which of them each one is."""

    held: BoolMatrix
    which: IntVector

    @classmethod
    def of(cls, held: BoolMatrix) -> "Distinct":
        """Find the sets that are the same; they stay in the order in which they first come."""
        _, first, which = np.unique(held, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.argsort(order)
        return cls(held[first[order]], rank[which.ravel()])
