"""Every number that is reported, as a function of a tally."""

from dataclasses import dataclass

import numpy as np

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
    def contributions(self) -> slice:
        """Φ of each path."""
        return slice(4, 4 + self.n_paths)

    @property
    def utilities(self) -> slice:
        """Ψ of each path."""
        return slice(4 + self.n_paths, 4 + 2 * self.n_paths)

    @property
    def disparities_if_cut(self) -> slice:
        """The disparity of v(P without each path)."""
        return slice(4 + 2 * self.n_paths, 4 + 3 * self.n_paths)

    @property
    def utilities_if_cut(self) -> slice:
        """The utility of v(P without each path)."""
        return slice(4 + 3 * self.n_paths, 4 + 4 * self.n_paths)


def numbers(tally: Tally, columns: Columns, stratum: int, reference: int) -> FloatVector:
    """Return Δ, the remainder, U, Ψ(∅), then Φ, Ψ, and both if cut, path by path."""
    gap = tally.contrast(stratum, reference)
    gain = signed_means(tally)
    flat = unfavoured_share(tally)  # U(v) = E[y v + (1 - y)(1 - v)] = E[(2y - 1) v] + P(y = 0)
    return np.concatenate(
        [
            [gap[columns.factual], gap[columns.base]],
            [gain[columns.factual] + flat, gain[columns.base] + flat],
            gap[columns.paths],
            gain[columns.paths],
            gap[columns.cut],
            gain[columns.cut] + flat,
        ]
    )


def signed_means(tally: Tally) -> FloatVector:
    """Return E[(2y - 1) column] over all strata; NaN without an outcome."""
    if tally.weight.shape[1] == 1:
        return np.full(tally.sums.shape[-1], np.nan)
    return np.asarray((tally.sums[:, 1] - tally.sums[:, 0]).sum(axis=0) / tally.weight.sum())


def unfavoured_share(tally: Tally) -> float:
    """Return P(y = 0)."""
    return float(tally.weight[:, 0].sum() / tally.weight.sum())


def sampling_error_of_utility(tally: Tally, columns: Columns) -> float:
    """Return the standard error of U(f), which does not depend on links."""
    f = columns.factual
    weight, total = tally.weight, tally.weight.sum()
    mean = tally.sums[:, :, f] / np.where(weight > 0, weight, 1.0)
    mean[:, 0] = 1 - mean[:, 0]  # u = f where y = 1, and 1 - f where y = 0
    away = mean - (weight * mean).sum() / total
    scatter = tally.scatter[:, :, f, f].sum() + (weight * away**2).sum()
    return float(np.sqrt(scatter / total / max(total - 1, 1.0)))
