"""Numbers with additive noise, and numbers that may be missing."""

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from fairpath.links.link import FittedLink
from fairpath.vocabulary import FloatMatrix, FloatVector

SPLIT = 2.0**26
"""Moves half of the digits of a uniform number before the point."""


class Mean(Protocol):
    """What the parents alone say about a number."""

    def __call__(self, parents: FloatMatrix) -> FloatVector:
        """Return it for some rows."""
        ...


@dataclass(frozen=True, eq=False)
class Additive:
    """value = mean(parents) + noise.

    ``residuals``, ascending, and ``upper``, the share of the weight up to each, are what the
    noise of a row is drawn from that has no value to learn it from.
    """

    mean: Mean
    residuals: FloatVector
    upper: FloatVector

    @classmethod
    def of(cls, mean: Mean, residuals: FloatVector, weights: FloatVector) -> Self:
        """Take note of the residuals."""
        if not len(residuals):
            return cls(mean, np.zeros(1), np.ones(1))
        order = np.argsort(residuals, kind="stable")
        upper = np.cumsum(weights[order])
        return cls(mean, residuals[order], upper / upper[-1])

    def abduct(
        self, parents: FloatMatrix, values: FloatVector, uniforms: FloatMatrix
    ) -> FloatMatrix:
        """Return the residuals."""
        noise = values - self.mean(parents)
        missing = np.flatnonzero(np.isnan(noise))
        drawn = np.searchsorted(self.upper[:-1], uniforms[missing, 0], side="right")
        noise[missing] = self.residuals[drawn]
        return noise[:, None]

    def generate(self, parents: FloatMatrix, noise: FloatMatrix) -> FloatVector:
        """Add the residuals to the mean of other parents."""
        return self.mean(parents) + noise[:, 0]


@dataclass(frozen=True, eq=False)
class MaybeMissing:
    """Whether there is a value, then which."""

    presence: FittedLink
    numbers: FittedLink

    def abduct(
        self, parents: FloatMatrix, values: FloatVector, uniforms: FloatMatrix
    ) -> FloatMatrix:
        """Return the noise of the presence, then that of the number."""
        # The last digits are as good as new: what a number draws tells nothing of its presence.
        last_digits = uniforms * SPLIT % 1.0
        there = (~np.isnan(values)).astype(np.float64)
        presence = self.presence.abduct(parents, there, uniforms)
        return np.column_stack([presence, self.numbers.abduct(parents, values, last_digits)])

    def generate(self, parents: FloatMatrix, noise: FloatMatrix) -> FloatVector:
        """Return the number where there is one in this world."""
        there = self.presence.generate(parents, noise[:, :1]) == 1
        return np.where(there, self.numbers.generate(parents, noise[:, 1:]), np.nan)
