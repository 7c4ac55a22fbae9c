"""One number that sums the parents up, then ranks among people with a similar number.

Where a number takes few values, such as a count, a line plus a residual leaves its support: nobody
has 0.3 convictions. Here the line says who is alike, and a row keeps its rank among them, so
every value is one that was observed.
"""

from dataclasses import dataclass, field

import numpy as np

from fairpath.encoding import Variable
from fairpath.links.design import Design, Designs
from fairpath.links.forest import ForestLink
from fairpath.links.linear import LinearMean, fit_mean
from fairpath.links.link import FittedLink
from fairpath.links.rows import counted
from fairpath.links.trees import Growth
from fairpath.vocabulary import FloatMatrix, FloatVector


@dataclass(frozen=True)
class IndexForestLink:
    """A forest on two parents only: the stratum, and the mean that a line of all parents predicts.

    For numbers and ordered levels.

    Parameters
    ----------
    growth
        Number and size of the trees.
    design
        Makes the regressors of the line.
    """

    growth: Growth = field(default_factory=Growth)
    design: Designs = field(default=Design.of, repr=False)

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
        """Fit least squares, then the forest on what it predicts."""
        parents, values, weights = counted(parents, values, weights, target)
        there = ~np.isnan(values)
        design = self.design(parents, sources, weights)
        index = Index(
            fit_mean(design, parents[there], values[there], weights[there]),
            next((i for i, source in enumerate(sources) if source.is_sensitive), None),
        )
        strata = [source for source in sources if source.is_sensitive]
        forest = ForestLink(self.growth).fit(
            index(parents),
            values,
            sources=(*strata, Variable(f"mean of {target.name}")),
            target=target,
            weights=weights,
            rng=rng,
        )
        return Indexed(index, forest)


@dataclass(frozen=True, eq=False)
class Index:
    """The stratum, where it is a parent, and a mean."""

    mean: LinearMean
    stratum: int | None

    def __call__(self, parents: FloatMatrix) -> FloatMatrix:
        """Return both for some rows."""
        mean = self.mean(parents)
        if self.stratum is None:
            return mean[:, None]
        return np.column_stack([parents[:, self.stratum], mean])


@dataclass(frozen=True, eq=False)
class Indexed:
    """A link of the index alone."""

    index: Index
    forest: FittedLink

    def abduct(
        self, parents: FloatMatrix, values: FloatVector, uniforms: FloatMatrix
    ) -> FloatMatrix:
        """Return the noise of the forest."""
        return self.forest.abduct(self.index(parents), values, uniforms)

    def generate(self, parents: FloatMatrix, noise: FloatMatrix) -> FloatVector:
        """Return the value with this rank among rows with such an index."""
        return self.forest.generate(self.index(parents), noise)
