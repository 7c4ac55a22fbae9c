"""A straight line first, then a forest on what it leaves: between the two."""

from dataclasses import dataclass, field

import numpy as np

from fairpath.encoding import Variable
from fairpath.links.additive import MaybeMissing
from fairpath.links.design import Design, Designs
from fairpath.links.forest import ForestLink
from fairpath.links.linear import LinearLink, LinearMean, fit_mean
from fairpath.links.link import FittedLink
from fairpath.links.logistic import fit_levels
from fairpath.links.rows import counted
from fairpath.links.trees import Growth
from fairpath.vocabulary import FloatMatrix, FloatVector


@dataclass(frozen=True)
class ResidualForestLink:
    """value = line(parents) + residual, and a forest says how residuals depend on the parents.

    For numbers only. Exact where the truth is a line with the same noise everywhere, and it
    follows curves, interactions and changing spread where there are any.

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
        """Fit least squares, then the forest on the residuals."""
        parents, values, weights = counted(parents, values, weights, target)
        there = ~np.isnan(values)
        if not there.any():
            return LinearLink(self.design).fit(
                parents, values, sources=sources, target=target, weights=weights, rng=rng
            )
        design = self.design(parents, sources, weights)
        mean = fit_mean(design, parents[there], values[there], weights[there])
        forest = ForestLink(self.growth).fit(
            parents[there],
            values[there] - mean(parents[there]),
            sources=sources,
            target=Variable(target.name),
            weights=weights[there],
            rng=rng,
        )
        numbers = Shifted(mean, forest)
        if there.all():
            return numbers
        presence = fit_levels(design, parents, there.astype(np.intp), 2, weights)
        return MaybeMissing(presence, numbers)


@dataclass(frozen=True, eq=False)
class Shifted:
    """A link of what a mean leaves over."""

    mean: LinearMean
    residual: FittedLink

    def abduct(
        self, parents: FloatMatrix, values: FloatVector, uniforms: FloatMatrix
    ) -> FloatMatrix:
        """Return the noise of the residual."""
        return self.residual.abduct(parents, values - self.mean(parents), uniforms)

    def generate(self, parents: FloatMatrix, noise: FloatMatrix) -> FloatVector:
        """Add the residual in this world to the mean."""
        return self.mean(parents) + self.residual.generate(parents, noise)
