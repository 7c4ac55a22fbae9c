"""One number per row from what a model answers, in whatever shape that comes."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairpath.errors import DataError
from fairpath.models.adapter import Adapter
from fairpath.vocabulary import FloatMatrix, FloatVector

_ROUNDING = 1e-6
"""How far float32 arithmetic takes a probability out of [0, 1]."""

_SUM = 1e-3
"""How far half precision takes the sum of probabilities from 1."""


def probability(answer: NDArray[Any], *, adapter: Adapter, which: int | None) -> FloatVector:
    """Return the probability of the favourable class; refuse what cannot be one."""
    values = _column(answer, adapter, which, _complement)
    low, high = values.min(), values.max()
    if low < -_ROUNDING or high > 1 + _ROUNDING:
        raise DataError(
            f"{adapter.name} answers numbers from {low:.4g} to {high:.4g}, which are no "
            "probabilities. Use output='score' to explain them as they are, or end the model "
            "with a sigmoid."
        )
    if adapter.kind == "numbers" and answer.size > len(answer):
        sums = _floats(answer, adapter).sum(axis=1)
        if np.abs(sums - 1).max() > _SUM:
            raise DataError(
                f"The answers of {adapter.name} for one row add up to {sums[0]:.4g}, so they are "
                "no probabilities. End the model with a softmax, or use output='score'."
            )
    return np.clip(values, 0.0, 1.0)


def raw_score(answer: NDArray[Any], *, adapter: Adapter, which: int | None) -> FloatVector:
    """Return the number that speaks for the favourable class."""
    return _column(answer, adapter, which, np.negative)


def likely(
    answer: NDArray[Any], *, adapter: Adapter, which: int | None, threshold: float
) -> FloatVector:
    """Return 1.0 where the favourable class is more probable than the threshold."""
    return (probability(answer, adapter=adapter, which=which) > threshold).astype(np.float64)


def above(
    answer: NDArray[Any], *, adapter: Adapter, which: int | None, threshold: float
) -> FloatVector:
    """Return 1.0 where a number that need not be a probability is above the threshold."""
    return (_column(answer, adapter, which, _complement) > threshold).astype(np.float64)


def chosen(labels: NDArray[Any], *, adapter: Adapter, wanted: object) -> FloatVector:
    """Return 1.0 where the model chose the favourable class."""
    if labels.size != len(labels):
        raise DataError(f"{adapter.name} decides on several outcomes: shape {labels.shape}.")
    return np.asarray(labels.reshape(len(labels)) == wanted, dtype=np.float64)


def _column(
    answer: NDArray[Any],
    adapter: Adapter,
    which: int | None,
    turned: Callable[[FloatVector], FloatVector],
) -> FloatVector:
    """Return the favourable column of an answer; a single one stands for the second class."""
    values = _floats(answer, adapter)
    n_columns = values.size // len(values)
    n_classes = 2 if adapter.classes is None else len(adapter.classes)
    several = n_columns == n_classes > 1 and adapter.kind != "regressor"
    single = n_columns == 1 and n_classes == 2  # noqa: PLR2004
    if values.ndim > 2 or not (single or several):  # noqa: PLR2004
        need = "one number per row"
        if adapter.kind != "regressor":
            need += f", or one for each of {n_classes} classes"
        raise DataError(
            f"{adapter.name} answers with shape {values.shape}, need {need}. "
            "If it predicts several outcomes, pass a function that returns one of them."
        )
    if several:
        column = values.reshape(-1, n_columns)[:, 1 if which is None else which]
    else:
        column = values.reshape(-1)
        if which == 0 and adapter.classes is not None:
            column = turned(column)
    wrong = int((~np.isfinite(column)).sum())
    if wrong:
        raise DataError(
            f"{adapter.name} answers NaN or infinity for {wrong} of {len(column)} rows. "
            "Let it handle missing values, or fill them in before."
        )
    return column


def _floats(answer: NDArray[Any], adapter: Adapter) -> FloatVector | FloatMatrix:
    if answer.dtype.kind not in "biufO":
        example = answer.ravel()[:1].tolist()
        raise DataError(
            f"{adapter.name} answers {', '.join(map(repr, example))} and the like, need numbers. "
            "Pass a function that returns 1.0 for the favourable answer and 0.0 for others."
        )
    try:
        return answer.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{adapter.name} answers what is no number: {error}.") from error


def _complement(probability: FloatVector) -> FloatVector:
    return 1.0 - probability
