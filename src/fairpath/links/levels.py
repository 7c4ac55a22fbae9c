"""Levels drawn from a law that depends on the parents; noise is a place in the unit interval."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fairpath.links.coupling import level_at, placed
from fairpath.links.link import FittedLink
from fairpath.vocabulary import FloatMatrix, FloatVector

SMALLEST = 1e-12
"""Least probability of a level, so that whoever has a level has a place in its share."""


class Law(Protocol):
    """What the parents alone say about a level."""

    def __call__(self, parents: FloatMatrix) -> FloatMatrix:
        """Return the probability of each level, for some rows."""
        ...


@dataclass(frozen=True, eq=False)
class Placed:
    """The level into whose share of the unit interval the noise falls."""

    law: Law

    def abduct(
        self, parents: FloatMatrix, values: FloatVector, uniforms: FloatMatrix
    ) -> FloatMatrix:
        """Return a place in the share of each row's level; anywhere without a level."""
        unknown = np.isnan(values)
        codes = np.where(unknown, 0.0, values).astype(np.intp)
        places = placed(self._floored(parents), codes, uniforms[:, 1])
        return np.where(unknown, uniforms[:, 1], places)[:, None]

    def generate(self, parents: FloatMatrix, noise: FloatMatrix) -> FloatVector:
        """Return the level at the same place under other parents."""
        return level_at(self._floored(parents), noise[:, 0]).astype(np.float64)

    def _floored(self, parents: FloatMatrix) -> FloatMatrix:
        law = np.maximum(self.law(parents), SMALLEST)
        return np.asarray(law / law.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class Relabelled:
    """Numbers that take few values, as levels of a link for categories."""

    labels: FloatVector
    levels: FittedLink

    def abduct(
        self, parents: FloatMatrix, values: FloatVector, uniforms: FloatMatrix
    ) -> FloatMatrix:
        """Return the noise of the levels; a value that was never seen counts as the next one."""
        codes = np.minimum(np.searchsorted(self.labels, values), len(self.labels) - 1)
        levels = np.where(np.isnan(values), np.nan, codes)
        return self.levels.abduct(parents, levels, uniforms)

    def generate(self, parents: FloatMatrix, noise: FloatMatrix) -> FloatVector:
        """Return the numbers that the levels stand for."""
        return self.labels[self.levels.generate(parents, noise).astype(np.intp)]
