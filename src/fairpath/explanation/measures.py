"""What auditors compare with a limit: rates, their ratio, the standardised difference."""

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from scipy.special import ndtri

from fairpath.errors import DataError
from fairpath.explanation.quantities import Columns, Comparison
from fairpath.uncertainty import CONFIDENCE, Estimate

if TYPE_CHECKING:
    from fairpath.explanation.explanation import Explanation

Unit: TypeAlias = Literal["difference", "ratio", "standard deviations"]
"""What contributions are counted in. As a ratio they sum to the ratio of rates minus one."""

FOUR_FIFTHS = 0.8


def measures(explanation: "Explanation") -> dict[str, list[Any]]:
    """Return a row for each comparison; see `Explanation.measures`."""
    rows = []
    for compared in explanation.compared:
        means, _, _ = _moments(explanation, compared)
        ratio, distance = rate_ratio(explanation, compared), standardised(explanation, compared)
        rows.append(
            explanation.bearer(compared)
            | {"rate": means[0], "reference_rate": means[1], "difference": means[0] - means[1]}
            | {"ratio": ratio.value, "ratio_low": ratio.low, "ratio_high": ratio.high}
            | {"four_fifths": _keeps_four_fifths(ratio.value)}
            | {
                "standardised": distance.value,
                "standardised_low": distance.low,
                "standardised_high": distance.high,
            }
        )
    return {name: [row[name] for row in rows] for name in rows[0]}


def _keeps_four_fifths(ratio: float) -> bool | None:
    """Whether the lower of the two rates is at least four fifths of the higher one."""
    return None if np.isnan(ratio) else bool(min(ratio, 1 / ratio) >= FOUR_FIFTHS)


def rate_ratio(explanation: "Explanation", compared: Comparison) -> Estimate:
    """Return the mean output of the stratum over that of the reference.

    The interval is symmetric for its logarithm, as is usual for ratios of rates.
    """
    means, errors, _ = _moments(explanation, compared)
    if not _is_rate(explanation) or min(means) <= 0:
        return Estimate(np.nan, np.nan, np.nan, np.nan)
    value = means[0] / means[1]
    relative = float(np.hypot(errors[0] / means[0], errors[1] / means[1]))
    reach = np.exp(ndtri((1 + CONFIDENCE) / 2) * relative)
    return Estimate(value, value / float(reach), value * float(reach), value * relative)


def standardised(explanation: "Explanation", compared: Comparison) -> Estimate:
    """Return the difference of mean outputs over their pooled standard deviation (Cohen's d)."""
    means, errors, spread = _moments(explanation, compared)
    if not spread:
        return Estimate(np.nan, np.nan, np.nan, np.nan)
    value = (means[0] - means[1]) / spread
    weight = explanation.tally.among(compared.view.outcomes).weight.sum(axis=1)
    total = weight[compared.stratum] + weight[compared.reference]
    error = float(np.hypot(np.hypot(*errors) / spread, value / np.sqrt(2 * total)))
    if np.isnan(errors[0]):
        error = np.nan
    half = ndtri((1 + CONFIDENCE) / 2) * error
    return Estimate(value, float(value - half), float(value + half), error)


def factor(explanation: "Explanation", compared: Comparison, unit: Unit) -> float:
    """Return by what a difference is multiplied to count it in a unit."""
    if unit == "difference":
        return 1.0
    means, _, spread = _moments(explanation, compared)
    if unit == "standard deviations":
        return 1 / spread if spread else np.nan
    if unit != "ratio":
        raise DataError(
            f"unit must be 'difference', 'ratio' or 'standard deviations', got {unit!r}."
        )
    return 1 / means[1] if _is_rate(explanation) and means[1] > 0 else np.nan


def _is_rate(explanation: "Explanation") -> bool:
    """Whether the output lies within [0, 1], so that its means are rates."""
    return explanation.has_utility or explanation.setting.output != "score"


def _moments(
    explanation: "Explanation", compared: Comparison
) -> tuple[tuple[float, float], tuple[float, float], float]:
    """Return both means of f(x), their standard errors, and the pooled standard deviation."""
    inside = explanation.tally.among(compared.view.outcomes)
    place = Columns(len(explanation.paths)).factual
    both = [compared.stratum, compared.reference]
    means = inside.means()[both, place]
    variances = np.array([inside.variance_of_mean(k)[place, place] for k in both])
    weight = inside.weight.sum(axis=1)[both]
    scatter = variances * weight * np.maximum(weight - 1, 1.0)
    spread = float(np.sqrt(scatter.sum() / max(weight.sum() - 2, 1.0)))
    errors = np.sqrt(variances) if explanation.replicates else np.full(2, np.nan)
    return (float(means[0]), float(means[1])), (float(errors[0]), float(errors[1])), spread
