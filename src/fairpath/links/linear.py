"""The paper's own link: a linear regression for numbers, a logistic one for categories.

Exact for linear models. A number keeps its residual in every world, so it may leave the
support of its column. A category keeps a uniform draw, which is turned into a level by the
cumulative probabilities in each world; so does a number that takes two values only.
"""

from dataclasses import dataclass, field

import numpy as np

from fairpath.encoding import Variable
from fairpath.links.additive import Additive, MaybeMissing
from fairpath.links.design import Design, Designs, Regressors, orthogonal
from fairpath.links.levels import Relabelled
from fairpath.links.link import FittedLink
from fairpath.links.logistic import fit_levels
from fairpath.links.rows import counted
from fairpath.vocabulary import FloatMatrix, FloatVector


@dataclass(frozen=True)
class LinearLink:
    """Least squares with an intercept; logistic regression for categories.

    Missing numbers are a level of their own: first whether there is a value, then which.

    Parameters
    ----------
    design
        Makes regressors from parents; by default each number is one, and each level but the first.
    """

    design: Designs = field(default=Design.of, repr=False)

    def fit(
        self,
        parents: FloatMatrix,
        values: FloatVector,
        *,
        sources: tuple[Variable, ...],
        target: Variable,
        weights: FloatVector,
        rng: np.random.Generator,
    ) -> FittedLink:
        """Learn the coefficients; ``rng`` is not needed."""
        del rng
        parents, values, weights = counted(parents, values, weights, target)
        design = self.design(parents, sources, weights)
        if target.n_levels is not None:
            return fit_levels(design, parents, values.astype(np.intp), target.n_levels, weights)
        there = ~np.isnan(values)
        numbers = _fit_numbers(design, parents[there], values[there], weights[there])
        if there.all():
            return numbers
        presence = fit_levels(design, parents, there.astype(np.intp), 2, weights)
        return MaybeMissing(presence, numbers)


@dataclass(frozen=True, eq=False)
class LinearMean:
    """regressors · coefficients."""

    design: Regressors
    coefficients: FloatVector

    def __call__(self, parents: FloatMatrix) -> FloatVector:
        """Return it for some rows."""
        return np.asarray(self.design(parents) @ self.coefficients)


def _fit_numbers(
    design: Regressors, parents: FloatMatrix, values: FloatVector, weights: FloatVector
) -> FittedLink:
    labels = np.unique(values)
    if len(labels) == 2:  # noqa: PLR2004 - a yes or no is no straight line
        codes = (values == labels[1]).astype(np.intp)
        return Relabelled(labels, fit_levels(design, parents, codes, 2, weights))
    mean = fit_mean(design, parents, values, weights)
    return Additive.of(mean, values - mean(parents), weights)


def fit_mean(
    design: Regressors, parents: FloatMatrix, values: FloatVector, weights: FloatVector
) -> LinearMean:
    """Fit weighted least squares; without any weight the mean is zero."""
    regressors = design(parents)
    total = weights.sum()
    if total == 0:
        return LinearMean(design, np.zeros(regressors.shape[1]))
    basis = orthogonal(regressors, weights)
    centre = weights @ values / total
    components = regressors @ basis
    coefficients = basis @ (components.T @ (weights * (values - centre)) / total)
    coefficients[0] += centre
    return LinearMean(design, coefficients)
