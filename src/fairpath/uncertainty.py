"""Intervals that contain the error of the estimated links.

The rows are divided into parts; each part learns its own links and is explained on its own. How
far the parts differ shows how far the whole would differ in another sample: the spread of an
estimate from n rows is that between g parts of n / g rows, divided by the square root of g.
Several such partitions give more degrees of freedom.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from typing import NamedTuple, TypeVar

import numpy as np
from scipy.special import stdtrit

from fairpath.vocabulary import FloatMatrix, FloatVector, IntVector

T = TypeVar("T")

CONFIDENCE = 0.95

ROWS_OF_A_PART = 1000
"""Rows that a part should have where there are enough."""

MOST_PARTS = 10
LEAST_TO_DIVIDE = 4
"""With fewer rows in a stratum there is nothing to compare."""

LEAST_OF_A_STRATUM = 25
"""Rows that the smallest stratum should have in each part."""

FREEDOM = 16
"""Degrees of freedom aimed at..."""

MOST_PARTITIONS = 8
"""...but each partition costs as much as the explanation itself."""

BAND_DRAWS = 20_000

RANK = 1e-12
"""Parts of a correlation that are smaller than this share of the largest are rounding."""


class Part(NamedTuple):
    """Some rows, and how often each counts there."""

    rows: IntVector
    weights: FloatVector


@dataclass(frozen=True)
class Estimate:
    """A number and how sure it is.

    ``low`` and ``high`` bound a 95 % interval; they are NaN where no intervals were asked for.
    """

    value: float
    low: float
    high: float
    standard_error: float

    def __str__(self) -> str:
        if np.isnan(self.low):
            return f"{self.value:.4f}"
        return f"{self.value:.4f} [{self.low:.4f}, {self.high:.4f}]"

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True, eq=False)
class Estimates:
    """Several numbers with their joint error."""

    values: FloatVector
    deviations: FloatMatrix
    freedom: float

    @property
    def covariance(self) -> FloatMatrix:
        """Return the estimated covariance of the numbers."""
        return np.asarray(self.deviations.T @ self.deviations)

    @property
    def standard_errors(self) -> FloatVector:
        """Return the standard error of each."""
        if not self.freedom:
            return np.full(len(self.values), np.nan)
        return np.asarray(np.sqrt((self.deviations**2).sum(axis=0)))

    def intervals(self, quantile: float | None = None) -> tuple[FloatVector, FloatVector]:
        """Return the lower and upper ends; ``quantile`` replaces that of one interval alone."""
        if not self.freedom:
            nothing = np.full(len(self.values), np.nan)
            return nothing, nothing
        if quantile is None:
            quantile = float(stdtrit(self.freedom, (1 + CONFIDENCE) / 2))
        half = quantile * self.standard_errors
        return self.values - half, self.values + half

    def __getitem__(self, position: int) -> Estimate:
        low, high = self.intervals()
        return Estimate(
            float(self.values[position]),
            float(low[position]),
            float(high[position]),
            float(self.standard_errors[position]),
        )

    def sums(self, members: FloatMatrix) -> "Estimates":
        """Return sums of the numbers: a row of ``members`` for each, with its coefficients."""
        return Estimates(members @ self.values, self.deviations @ members.T, self.freedom)


def estimates(
    quantity: Callable[[T], FloatVector],
    tally: T,
    replicates: Sequence[Sequence[T]],
) -> Estimates:
    """Evaluate a function of the tally, or of several, and its error from the parts.

    The error has two sources: how far parts differ from each other, and how far they all lie from
    the whole. The second is what links smooth away: they smooth more where they have fewer rows.
    """
    values = quantity(tally)
    rows, shifts, freedom = [], [], 0
    for partition in replicates:
        parts = np.array([quantity(part) for part in partition])
        n_parts = len(parts)
        scale = 1 / sqrt(n_parts * (n_parts - 1) * len(replicates))
        rows.append((parts - parts.mean(axis=0)) * scale)
        # Were it to fall with the root of the rows, parts would have sqrt(g) times the bias.
        shifts.append((parts.mean(axis=0) - values) / max(1.0, sqrt(n_parts) - 1))
        freedom += n_parts - 1
    if rows:
        rows.append(np.mean(shifts, axis=0)[None, :])
    deviations = np.concatenate(rows) if rows else np.zeros((0, len(values)))
    return Estimates(values, deviations, float(freedom))


def band_quantile(covariance: FloatMatrix, freedom: float, *, seed: int) -> float:
    """Return by how many standard errors a band that holds all numbers at once must be wide.

    The largest of correlated t statistics, simulated; ``covariance`` gives their correlation.
    """
    scale = np.sqrt(np.diag(covariance))
    moves = scale > 0
    if not moves.any() or not freedom:
        return float("nan")
    correlation = (covariance / np.outer(scale, scale).clip(min=1e-300))[np.ix_(moves, moves)]
    values, vectors = np.linalg.eigh(correlation)
    apart = values > RANK * values[-1]
    root = (vectors[:, apart] * np.sqrt(values[apart])).T
    rng = np.random.default_rng([seed, 7])
    draws = max(1000, int(BAND_DRAWS / max(1, len(correlation) / 50)))
    normal = rng.normal(size=(draws, len(root))) @ root
    # Standard errors come from the same partitions, so they vary together as numbers do.
    squares = np.zeros_like(normal)
    for _ in range(int(freedom)):
        squares += (rng.normal(size=(draws, len(root))) @ root) ** 2
    largest = np.abs(normal / np.sqrt(squares / int(freedom))).max(axis=1)
    return float(np.quantile(largest, CONFIDENCE))


def sizes(n_rows: float, smallest: float) -> tuple[int, int]:
    """Return how many partitions to make, and into how many parts each; none if that is too few.

    ``smallest`` is the number of rows of the smallest stratum.
    """
    if smallest < LEAST_TO_DIVIDE:
        return 0, 0
    parts = int(min(MOST_PARTS, n_rows / ROWS_OF_A_PART, smallest / LEAST_OF_A_STRATUM))
    parts = max(2, parts)
    return min(MOST_PARTITIONS, ceil(FREEDOM / (parts - 1))), parts


def partitions(
    weights: FloatVector,
    strata: IntVector,
    shape: tuple[int, int],
    rng: np.random.Generator,
) -> list[list[Part]]:
    """Divide rows at random, ``shape`` being the number of partitions and of parts.

    Each stratum is dealt out evenly. A row that counts several times is divided like that many
    rows.
    """
    counted = np.flatnonzero(weights > 0)
    mass = weights[counted]
    repeated = bool((mass == np.round(mass)).all() and (mass > 1).any())
    copies = mass.astype(np.intp) if repeated else np.ones(len(counted), dtype=np.intp)
    each = mass / copies
    rows = np.repeat(np.arange(len(counted)), copies)
    found = []
    for _ in range(shape[0]):
        # Shuffled, then sorted by stratum: consecutive rows of a stratum go to different parts.
        shuffled = rng.permutation(rows)
        dealt = shuffled[np.argsort(strata[counted][shuffled], kind="stable")]
        part = (np.arange(len(dealt)) + rng.integers(shape[1])) % shape[1]
        counts = np.bincount(dealt * shape[1] + part, minlength=len(counted) * shape[1]).reshape(
            len(counted), shape[1]
        )
        found.append([Part(counted[times > 0], (times * each)[times > 0]) for times in counts.T])
    return found
