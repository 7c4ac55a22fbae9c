"""Regressors from parents: numbers, and an indicator for each level but one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol, Self, TypeAlias

import numpy as np

from fairpath.encoding import Variable
from fairpath.vocabulary import FloatMatrix, FloatVector

RANK_TOLERANCE = 1e-11
"""Directions in which standardised regressors vary less than this, relatively, count as none."""


class Regressors(Protocol):
    """Turns parents into regressors, the first of them an intercept.

    ``ridge`` is by how many rows' worth logistic coefficients are drawn to zero.
    """

    @property
    def ridge(self) -> float:
        """Zero where coefficients are free."""
        ...

    def __call__(self, parents: FloatMatrix) -> FloatMatrix:
        """Return the regressors of some rows."""
        ...


Designs: TypeAlias = Callable[[FloatMatrix, tuple[Variable, ...], FloatVector], Regressors]
"""Makes regressors that suit the parents and weights of some rows."""


@dataclass(frozen=True, eq=False)
class Design:
    """How parents become regressors.

    A number with missing values has its mean in their place and an indicator beside it. A
    level that no row had when the links were learned counts as the first one.
    """

    ridge: ClassVar[float] = 0.0

    n_levels: tuple[int | None, ...]
    means: tuple[float, ...]
    has_missing: tuple[bool, ...]

    @classmethod
    def of(cls, parents: FloatMatrix, sources: tuple[Variable, ...], weights: FloatVector) -> Self:
        """Take note of what the columns look like."""
        missing = np.isnan(parents)
        mass = weights @ ~missing
        sums = weights @ np.where(missing, 0.0, parents)
        return cls(
            tuple(source.n_levels for source in sources),
            tuple((sums / np.where(mass > 0, mass, 1.0)).tolist()),
            tuple(bool(column.any()) for column in missing.T),
        )

    def __call__(self, parents: FloatMatrix) -> FloatMatrix:
        """Return the regressors of some rows, the first of them an intercept."""
        columns = [np.ones(len(parents))]
        described = zip(parents.T, self.n_levels, self.means, self.has_missing, strict=True)
        for column, n_levels, mean, has_missing in described:
            if n_levels is not None:
                columns += [(column == level).astype(np.float64) for level in range(1, n_levels)]
                continue
            missing = np.isnan(column)
            columns.append(np.where(missing, mean, column))
            if has_missing:
                columns.append(missing.astype(np.float64))
        return np.column_stack(columns)


def orthogonal(regressors: FloatMatrix, weights: FloatVector) -> FloatMatrix:
    """Return a basis B: the columns of regressors @ B are orthogonal, with unit mean square.

    Regressors that repeat others leave no trace in it, so every fit on the basis has one solution.
    The first regressor is an intercept.
    """
    total = weights.sum()
    centre = weights @ regressors / total
    scale = np.sqrt(weights @ (regressors - centre) ** 2 / total)
    varies = scale > RANK_TOLERANCE * np.abs(centre)
    centre[0], varies[0] = 0.0, False
    standard = (regressors[:, varies] - centre[varies]) / scale[varies]
    root = np.sqrt(weights / total)[:, None]
    _, size, axes = np.linalg.svd(root * standard, full_matrices=False)
    kept = size > RANK_TOLERANCE * size.max(initial=0.0)
    basis = np.zeros((regressors.shape[1], 1 + int(kept.sum())))
    basis[0, 0] = 1.0
    basis[varies, 1:] = axes[kept].T / size[kept] / scale[varies][:, None]
    basis[0, 1:] -= centre @ basis[:, 1:]
    return basis
