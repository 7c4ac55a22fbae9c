"""The rows that a link learns from."""

from dataclasses import dataclass

import numpy as np

from fairpath.encoding import Variable
from fairpath.errors import DataError
from fairpath.links.link import FittedLink, Link
from fairpath.vocabulary import FloatMatrix, FloatVector, IntVector


@dataclass(frozen=True, eq=False)
class Rows:
    """All that a link is told: parents, values, weights, and what the columns are."""

    parents: FloatMatrix
    values: FloatVector
    weights: FloatVector
    sources: tuple[Variable, ...]
    target: Variable

    def part(self, rows: IntVector) -> "Rows":
        """Return some of the rows."""
        return Rows(
            self.parents[rows], self.values[rows], self.weights[rows], self.sources, self.target
        )

    def fit(self, link: Link, rng: np.random.Generator) -> FittedLink:
        """Let a link learn from them."""
        return link.fit(
            self.parents,
            self.values,
            sources=self.sources,
            target=self.target,
            weights=self.weights,
            rng=rng,
        )


def counted(
    parents: FloatMatrix, values: FloatVector, weights: FloatVector, target: Variable
) -> tuple[FloatMatrix, FloatVector, FloatVector]:
    """Return the rows that have any weight, and their weights."""
    counts = weights > 0
    if not counts.any():
        raise DataError(
            f"There is no row with weight to learn the link of {target.name!r} from. "
            "Give at least one row a positive weight."
        )
    if counts.all():
        return parents, values, weights
    rows = np.flatnonzero(counts)
    return parents[rows], values[rows], weights[rows]
