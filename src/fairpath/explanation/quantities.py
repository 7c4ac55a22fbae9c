"""Every number that is reported, as a function of a tally."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fairpath.disparity import BASE_RATES, SELECTION, View
from fairpath.tally import Tally
from fairpath.vocabulary import FloatMatrix, FloatVector


@dataclass(frozen=True)
class Columns:
    """Where things stand among the columns of a tally.

    φ of each path, f(x), v(∅), then v(P without it) for each path.
    """

    n_paths: int

    @property
    def factual(self) -> int:
        """f(x)."""
        return self.n_paths

    @property
    def base(self) -> int:
        """v(∅)."""
        return self.n_paths + 1

    @property
    def paths(self) -> slice:
        """φ."""
        return slice(0, self.n_paths)

    @property
    def cut(self) -> slice:
        """v(P without each path)."""
        return slice(self.n_paths + 2, 2 * self.n_paths + 2)

    @property
    def n_products(self) -> int:
        """Columns whose products are needed: φ, f(x), v(∅)."""
        return self.n_paths + 2


def stacked(
    paths: FloatMatrix, factual: FloatVector, base: FloatVector, cut: FloatMatrix
) -> FloatMatrix:
    """Return the columns of a tally."""
    return np.column_stack([paths, factual, base, cut])


@dataclass(frozen=True)
class Numbers:
    """Where things stand in `numbers`."""

    n_paths: int

    @property
    def disparity(self) -> int:
        """Δ."""
        return 0

    @property
    def remainder(self) -> int:
        """The disparity of v(∅)."""
        return 1

    @property
    def utility(self) -> int:
        """U(f)."""
        return 2

    @property
    def base_utility(self) -> int:
        """Ψ(∅)."""
        return 3

    @property
    def apart(self) -> int:
        """The base rates of, or the selection by, the outcome; zero where neither applies."""
        return 4

    @property
    def contributions(self) -> slice:
        """Φ of each path."""
        return self._paths(0)

    @property
    def utilities(self) -> slice:
        """Ψ of each path."""
        return self._paths(1)

    @property
    def disparities_if_cut(self) -> slice:
        """The disparity of v(P without each path)."""
        return self._paths(2)

    @property
    def utilities_if_cut(self) -> slice:
        """The utility of v(P without each path)."""
        return self._paths(3)

    def _paths(self, number: int) -> slice:
        return slice(5 + number * self.n_paths, 5 + (number + 1) * self.n_paths)


class Comparison(NamedTuple):
    """A stratum and the reference, by their positions, in one of the views."""

    view: View
    stratum: int
    reference: int


def numbers(
    tally: Tally,
    columns: Columns,
    compared: Comparison,
    signs: FloatVector | None,
    *,
    has_utility: bool,
) -> FloatVector:
    """Return Δ, the remainder, U, Ψ(∅), what stands apart, then Φ, Ψ, and both if cut.

    Columns of the tally are outputs as they enter the disparity: f(x) or 1 - f(x), by ``signs``.
    """
    view, stratum, reference = compared
    inside = tally.among(view.outcomes)
    gap = inside.contrast(stratum, reference)
    apart = _apart(inside, columns, compared, float(gap[columns.base]))
    gain, flat = utility_of(tally, signs, has_utility=has_utility)
    return np.concatenate(
        [
            [gap[columns.factual], gap[columns.base] - apart],
            [gain[columns.factual] + flat, gain[columns.base] + flat, apart],
            gap[columns.paths],
            gain[columns.paths],
            gap[columns.cut],
            gain[columns.cut] + flat,
        ]
    )


def _apart(inside: Tally, columns: Columns, compared: Comparison, base: float) -> float:
    """Return the part of the disparity of v(∅) that is no failure of graph or links."""
    view, stratum, reference = compared
    if view.apart == SELECTION:
        return base
    if view.apart != BASE_RATES:
        return 0.0
    # Σ_y (P(y|a) - P(y|reference)) E[v(∅)|y], the last pooled over strata
    weight = inside.weight
    rates = weight / weight.sum(axis=1, keepdims=True)
    total = weight.sum(axis=0)
    sums = inside.sums[:, :, columns.base].sum(axis=0)
    pooled = sums / np.where(total > 0, total, 1.0)
    return float((rates[stratum] - rates[reference]) @ pooled)


def utility_of(
    tally: Tally, signs: FloatVector | None, *, has_utility: bool
) -> tuple[FloatVector, float]:
    """Return E[(2y - 1) column] over all strata, and what U adds to it; NaN where there is none.

    U(v) = E[y v + (1 - y)(1 - v)] = E[(2y - 1) v] + P(y = 0). Where a row enters as 1 - v, its
    column holds that, and the gain is that of the column as it is.
    """
    if not has_utility:
        return np.full(tally.sums.shape[-1], np.nan), 0.0
    weight = tally.weight
    towards = np.array([-1.0, 1.0]) * (1.0 if signs is None else np.where(signs < 0, -1.0, 1.0))
    total = weight.sum()
    gain = (tally.sums * towards[:, None]).sum(axis=(0, 1)) / total
    return np.asarray(gain), float(weight[:, towards < 0].sum() / total)


def sampling_error_of_utility(tally: Tally, columns: Columns, signs: FloatVector | None) -> float:
    """Return the standard error of U(f), which does not depend on links."""
    f = columns.factual
    weight, total = tally.weight, tally.weight.sum()
    mean = tally.sums[:, :, f] / np.where(weight > 0, weight, 1.0)
    if signs is None or signs[0] >= 0:
        mean[:, 0] = 1 - mean[:, 0]  # u = f where y = 1, and 1 - f where y = 0
    if signs is not None and signs[1] < 0:
        mean[:, 1] = 1 - mean[:, 1]
    away = mean - (weight * mean).sum() / total
    scatter = tally.scatter[:, :, f, f].sum() + (weight * away**2).sum()
    return float(np.sqrt(scatter / total / max(total - 1, 1.0)))
