"""What every link is: two small protocols, nothing to inherit.

Columns are float64 arrays: numbers as they are with NaN where missing, categories as their
codes, a missing category as one code more. A matrix of parents has one column for each.
"""

from typing import Protocol

import numpy as np

from fairpath.encoding import Variable
from fairpath.vocabulary import FloatMatrix, FloatVector


class FittedLink(Protocol):
    """A link that knows its law."""

    def abduct(
        self, parents: FloatMatrix, values: FloatVector, uniforms: FloatMatrix
    ) -> FloatMatrix:
        """Return the noise of each row, a few numbers, from its factual parents and value.

        ``uniforms`` has two columns, independent of everything, for what the value leaves open.
        """
        ...

    def generate(self, parents: FloatMatrix, noise: FloatMatrix) -> FloatVector:
        """Return the values that rows with this noise take under these parents.

        Where the parents are the factual ones nobody asks: the value is the factual one.
        """
        ...


class Link(Protocol):
    """Anything that learns how a variable depends on its parents."""

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
        """Learn from rows; ``sources`` describe the columns of ``parents``."""
        ...
