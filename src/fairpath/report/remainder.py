"""The remainder with links from other rows: what links learned by heart cannot hide there."""

from dataclasses import replace

import numpy as np
from scipy.special import ndtri

from fairpath.errors import FairpathError
from fairpath.explanation import Explanation
from fairpath.explanation.quantities import Comparison
from fairpath.study import kept_values, tally_of
from fairpath.uncertainty import CONFIDENCE, Estimate, Part

FOLDS = 5
MOST_ROWS = 50_000

_ROWS = 41
"""Keeps these random numbers apart from those of other purposes."""


def cross_fitted(explanation: Explanation) -> dict[Comparison, Estimate]:
    """Return the disparity of v(∅) if each row's links are learned from other rows.

    Links that are learned from the rows they explain leave a small remainder by construction; these
    do not. The error is that of two samples. Empty where it says nothing new: links are from other
    rows already, or not known any more, or the outcome has a part in v(∅).
    """
    study = explanation.study
    apart = any(one.view.apart for one in explanation.compared)
    if study is None or study.folds is not None or not study.own_lesson or apart:
        return {}
    rows = np.flatnonzero(study.weights > 0)
    if len(rows) > MOST_ROWS:
        rng = np.random.default_rng([study.seed, _ROWS])
        rows = np.sort(rng.choice(rows, size=MOST_ROWS, replace=False))
    part = Part(rows, study.weights[rows])
    nothing = np.zeros((1, len(explanation.paths)), dtype=np.bool_)
    try:
        values = kept_values(replace(study, folds=FOLDS), part, None, nothing)
    except FairpathError:
        return {}  # too few rows of a stratum to be divided
    tally = tally_of(study, part, values, n_products=1)
    quantile = float(ndtri((1 + CONFIDENCE) / 2))
    found = {}
    for one in explanation.compared:
        inside = tally.among(one.view.outcomes)
        value = float(inside.contrast(one.stratum, one.reference)[0])
        error = float(np.sqrt(inside.covariance(one.stratum, one.reference)[0, 0]))
        low, high = value - quantile * error, value + quantile * error
        found[one] = Estimate(value, low, high, error)
    return found
