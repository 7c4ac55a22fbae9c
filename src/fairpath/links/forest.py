"""The forest link: a row keeps its rank among people like it.

A row draws one tree and keeps it in all worlds. Its noise is its rank in the distribution of
its leaf; in another world it takes the value with that rank in the leaf into which it falls
there. So a value is always one that was observed. Unordered levels, and whether a number is
missing, move from leaf to leaf by the coupling that changes as few rows as can be.
"""

from dataclasses import dataclass, field

import numpy as np

from fairpath.encoding import Variable
from fairpath.links.coupling import coupled
from fairpath.links.leaves import RankTable, missing_shares, shares
from fairpath.links.link import FittedLink
from fairpath.links.rows import counted
from fairpath.links.trees import Growth, Trees, grow
from fairpath.vocabulary import FloatMatrix, FloatVector, IntVector

MOST_GOALS = 12
"""Most levels of an unordered category that splits try to tell apart."""


@dataclass(frozen=True)
class ForestLink:
    """A bag of trees from the parents to the distribution of the variable.

    Where the sensitive attribute is a parent, each stratum has its own trees.

    Parameters
    ----------
    growth
        Number and size of the trees.
    """

    growth: Growth = field(default_factory=Growth)

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
        """Grow the trees on part of the rows and fill their leaves with all of them."""
        parents, values, weights = counted(parents, values, weights, target)
        goals = _goals(values, target, weights)
        trees, filled = grow(parents, goals, weights, sources=sources, growth=self.growth, rng=rng)
        n_leaves = trees.n_leaves
        if target.n_levels is not None and not target.ordered:
            codes = values.astype(np.intp)
            return _Levels(trees, shares(codes, target.n_levels, weights, filled, n_leaves))
        table = RankTable.of(values, weights, filled, n_leaves)
        missing = np.isnan(values)
        if not missing.any():
            return _Ranks(trees, table, None)
        return _Ranks(trees, table, missing_shares(missing, weights, filled, n_leaves))


def _goals(values: FloatVector, target: Variable, weights: FloatVector) -> FloatMatrix:
    """Return what splits should tell apart: ranks, missing values, levels."""
    if target.n_levels is not None and not target.ordered:
        mass = np.bincount(values.astype(np.intp), weights, target.n_levels)
        common = np.argsort(-mass, kind="stable")[: MOST_GOALS if np.count_nonzero(mass) > 2 else 1]  # noqa: PLR2004 - one of two levels tells all
        return np.asarray(values[:, None] == common, dtype=np.float64)
    missing = np.isnan(values)
    distinct, codes = np.unique(values[~missing], return_inverse=True)
    mass = np.bincount(codes, weights[~missing], len(distinct))
    ranks = np.full(len(values), 0.5)
    ranks[~missing] = ((np.cumsum(mass) - mass / 2) / max(mass.sum(), 1e-300))[codes]
    return np.column_stack([ranks, missing]) if missing.any() else ranks[:, None]


def _drawn_tree(uniforms: FloatVector, n_trees: int) -> tuple[IntVector, FloatVector]:
    """Return a tree for each row, and the uniform number that this leaves over."""
    scaled = uniforms * n_trees
    tree = np.minimum(scaled.astype(np.intp), n_trees - 1)
    return tree, scaled - tree


@dataclass(frozen=True, eq=False)
class _Ranks:
    """Numbers and ordered levels. Noise: the factual leaf and value, two uniforms, the rank."""

    trees: Trees
    table: RankTable
    missing: FloatMatrix | None

    def abduct(
        self, parents: FloatMatrix, values: FloatVector, uniforms: FloatMatrix
    ) -> FloatMatrix:
        tree, left = _drawn_tree(uniforms[:, 0], self.trees.n_trees)
        leaf = self.trees.leaf(parents, tree)
        rank = self.table.rank(leaf, values, uniforms[:, 1])
        if self.missing is None:
            # A value was always there: a row without one has a draw from its leaf instead.
            values = np.where(np.isnan(values), self.table.quantile(leaf, rank), values)
        return np.column_stack([leaf, values, left, rank])

    def generate(self, parents: FloatMatrix, noise: FloatMatrix) -> FloatVector:
        own, values = noise[:, 0].astype(np.intp), noise[:, 1]
        leaf = self.trees.leaf(parents, self.trees.tree_of_leaf[own])
        drawn = self.table.quantile(leaf, noise[:, 3])
        if self.missing is None:
            return np.where(leaf == own, values, drawn)
        was_missing = np.isnan(values).astype(np.intp)
        is_missing = coupled(was_missing, self.missing, own, leaf, noise[:, 2:])
        return np.where(leaf == own, values, np.where(is_missing == 1, np.nan, drawn))


@dataclass(frozen=True, eq=False)
class _Levels:
    """Unordered levels. Noise: the factual leaf and level, two uniforms."""

    trees: Trees
    laws: FloatMatrix

    def abduct(
        self, parents: FloatMatrix, values: FloatVector, uniforms: FloatMatrix
    ) -> FloatMatrix:
        tree, left = _drawn_tree(uniforms[:, 0], self.trees.n_trees)
        leaf = self.trees.leaf(parents, tree)
        return np.column_stack([leaf, values, left, uniforms[:, 1]])

    def generate(self, parents: FloatMatrix, noise: FloatMatrix) -> FloatVector:
        own, codes = noise[:, 0].astype(np.intp), noise[:, 1].astype(np.intp)
        leaf = self.trees.leaf(parents, self.trees.tree_of_leaf[own])
        return coupled(codes, self.laws, own, leaf, noise[:, 2:]).astype(np.float64)
