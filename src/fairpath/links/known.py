"""A link that is a known function, for simulations and for mechanisms that are no secret."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from fairpath.encoding import Variable
from fairpath.errors import DataError
from fairpath.links.levels import Placed
from fairpath.links.link import FittedLink
from fairpath.vocabulary import FloatMatrix, FloatVector

Mechanism: TypeAlias = Callable[[dict[str, FloatVector]], FloatVector | FloatMatrix]
"""From the names of the parents and their values to a mean, or to probabilities."""

ROUNDING = 1e-6
"""How far probabilities may be from a sum of one."""


@dataclass(frozen=True)
class KnownLink:
    """A number that is function(parents) + noise, or a category with known probabilities.

    Parameters
    ----------
    function
        Takes a mapping from the names of the direct predecessors and outside features to
        arrays: numbers, NaN where missing, or the codes of categories and strata.

        For a number it returns its mean, shape (n,); a missing number is missing in all
        worlds. For a category it returns the probability of each level, shape (n, n_levels),
        in the order of the codes; a missing value is the last of them, where the column has any.
    """

    function: Mechanism

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
        """Take note of the columns; there is nothing to learn."""
        del parents, values, weights, rng
        names = tuple(source.name for source in sources)
        if target.n_levels is None:
            return _KnownNumber(self.function, names, target.name)
        return Placed(_KnownLaw(self.function, names, target.name, target.n_levels))


@dataclass(frozen=True)
class _KnownNumber:
    function: Mechanism
    sources: tuple[str, ...]
    name: str

    def abduct(
        self, parents: FloatMatrix, values: FloatVector, uniforms: FloatMatrix
    ) -> FloatMatrix:
        del uniforms
        return (values - self._mean(parents))[:, None]

    def generate(self, parents: FloatMatrix, noise: FloatMatrix) -> FloatVector:
        return self._mean(parents) + noise[:, 0]

    def _mean(self, parents: FloatMatrix) -> FloatVector:
        columns = dict(zip(self.sources, parents.T, strict=True))
        return _asked(self.function, columns, (len(parents),), self.name)


@dataclass(frozen=True)
class _KnownLaw:
    function: Mechanism
    sources: tuple[str, ...]
    name: str
    n_levels: int

    def __call__(self, parents: FloatMatrix) -> FloatMatrix:
        columns = dict(zip(self.sources, parents.T, strict=True))
        law = _asked(self.function, columns, (len(parents), self.n_levels), self.name)
        if not ((law >= 0).all() and (np.abs(law.sum(axis=1) - 1) <= ROUNDING).all()):
            raise DataError(
                f"The known function of {self.name!r} must return probabilities: "
                "none below zero, and a sum of one in every row."
            )
        return law


def _asked(
    function: Mechanism, columns: dict[str, FloatVector], shape: tuple[int, ...], name: str
) -> FloatMatrix:
    meaning = "the mean of each row" if len(shape) == 1 else "a probability for each level"
    try:
        array = np.asarray(function(columns), dtype=np.float64)
    except Exception as error:
        raise DataError(
            f"The known function of {name!r} failed with {type(error).__name__}: {error}. It is "
            f"given a mapping from {', '.join(map(repr, columns)) or 'nothing'} to arrays and must "
            f"return {meaning}."
        ) from error
    if array.shape != shape:
        raise DataError(
            f"The known function of {name!r} must return {meaning}, an array of shape {shape}, "
            f"and returned one of shape {array.shape}."
        )
    return array
