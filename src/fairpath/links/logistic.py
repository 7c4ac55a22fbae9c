"""Logistic regression for levels: what the parents say about a category, or a yes or no."""

from dataclasses import dataclass

import numpy as np

from fairpath.links.design import Regressors, orthogonal
from fairpath.links.levels import Placed
from fairpath.vocabulary import FloatMatrix, FloatVector, IntVector

LEAST_RIDGE = 1e-9
"""Penalty a row on orthogonal regressors, only there so that separated levels have a solution."""

LARGEST_HESSIAN = 400
"""Up to so many coefficients Newton's method is faster than one without second derivatives."""

RIDGE_OF_MANY = 1.0
"""Of more coefficients many belong to rare levels that others separate: without this much of a
penalty, in rows, they grow for a thousand steps and say no more."""

TOLERANCE_OF_MANY = 1e-4


@dataclass(frozen=True, eq=False)
class LogisticLaw:
    """P(level | parents) is proportional to exp(regressors · coefficients)."""

    design: Regressors
    coefficients: FloatMatrix

    def __call__(self, parents: FloatMatrix) -> FloatMatrix:
        """Return the probability of each level, for some rows."""
        scores = self.design(parents) @ self.coefficients
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        return np.asarray(scores / scores.sum(axis=1, keepdims=True))


def fit_levels(
    design: Regressors, parents: FloatMatrix, codes: IntVector, n_levels: int, weights: FloatVector
) -> Placed:
    """Fit the law of a category; a level without rows has no chance."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - slow to import

    regressors = design(parents)
    basis = orthogonal(regressors, weights)
    levels = np.unique(codes)
    coefficients = np.zeros((regressors.shape[1], n_levels))
    coefficients[0] = -np.inf
    coefficients[0, levels] = 0.0
    if len(levels) > 1:
        many = basis.shape[1] * len(levels) > LARGEST_HESSIAN
        ridge = max(design.ridge, LEAST_RIDGE * weights.sum(), RIDGE_OF_MANY if many else 0.0)
        model = LogisticRegression(
            C=1 / ridge,
            fit_intercept=False,
            solver="lbfgs" if many else "newton-cholesky",
            tol=TOLERANCE_OF_MANY if many else 1e-9,
            max_iter=1000,
        )
        model.fit(regressors @ basis, codes, sample_weight=weights)
        # For two levels scikit-learn has the coefficients of the second one only.
        first = len(levels) - len(model.coef_)
        coefficients[:, levels[first:]] = basis @ model.coef_.T
    return Placed(LogisticLaw(design, coefficients))
