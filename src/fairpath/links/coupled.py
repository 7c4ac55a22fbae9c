"""A law of an unordered category that is carried over so that as few rows change as can be."""

from dataclasses import dataclass, field

import numpy as np

from fairpath.encoding import Variable
from fairpath.links.coupling import coupled
from fairpath.links.design import Design, Designs
from fairpath.links.levels import Law
from fairpath.links.link import FittedLink
from fairpath.links.logistic import fit_levels
from fairpath.links.rows import counted
from fairpath.vocabulary import FloatMatrix, FloatVector


@dataclass(frozen=True)
class CoupledLogisticLink:
    """Multinomial logistic regression; unlike `LinearLink` it invents no order of the levels."""

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
        """Learn the coefficients; ``rng`` is not needed."""
        del rng
        assert target.n_levels is not None  # noqa: S101 - for categories only
        parents, values, weights = counted(parents, values, weights, target)
        design = self.design(parents, sources, weights)
        codes = values.astype(np.intp)
        return Coupled(fit_levels(design, parents, codes, target.n_levels, weights).law)


@dataclass(frozen=True, eq=False)
class Coupled:
    """Levels moved by the coupling. Noise: the level, two uniforms, the law of the own world."""

    law: Law

    def abduct(
        self, parents: FloatMatrix, values: FloatVector, uniforms: FloatMatrix
    ) -> FloatMatrix:
        """Return the noise of each row."""
        return np.column_stack([values, uniforms, self.law(parents)])

    def generate(self, parents: FloatMatrix, noise: FloatMatrix) -> FloatVector:
        """Return levels that follow the law of these parents."""
        rows = np.arange(len(parents))
        laws = np.concatenate([noise[:, 3:], self.law(parents)])
        codes = noise[:, 0].astype(np.intp)
        return coupled(codes, laws, rows, len(rows) + rows, noise[:, 1:3]).astype(np.float64)
