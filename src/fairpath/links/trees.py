"""Trees that sort rows into leaves by their parents, grown for each stratum on its own."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Any, Protocol, Self, cast

import numpy as np
from numpy.typing import NDArray

from fairpath.encoding import Variable
from fairpath.vocabulary import FloatMatrix, FloatVector, IntVector

Columns = NDArray[np.float32]
"""Shape (n, columns): what the trees read."""


class Structure(Protocol):
    """What scikit-learn's compiled trees can do."""

    def apply(self, columns: Columns) -> IntVector:
        """Return the node in which each row ends."""
        ...


@dataclass(frozen=True)
class Growth:
    """How trees are grown.

    Attributes
    ----------
    n_trees
        Trees for each stratum.
    rows
        Most rows from which the structure of one tree is learned; its leaves hold all rows.
    share
        Share of the rows from which it is learned where they are few, so that trees differ.
    leaf
        Least weight in a leaf, among the rows from which the structure is learned.
    """

    n_trees: int = 8
    rows: int = 4000
    share: float = 0.632
    leaf: float = 20.0


@dataclass(frozen=True, eq=False)
class Sight:
    """What trees see of the parents: columns whose order means something, none missing.

    Numbers are brought to the unit interval, where single precision is enough; a missing one
    stands below all. Unordered levels are put in the order of what is to be told apart.
    """

    lows: FloatVector
    spans: FloatVector
    scores: tuple[FloatVector | None, ...]

    @classmethod
    def of(
        cls,
        parents: FloatMatrix,
        sources: tuple[Variable, ...],
        goals: FloatMatrix,
        weights: FloatVector,
    ) -> Self:
        """Take note of what the columns look like."""
        known = [column[~np.isnan(column)] for column in parents.T]
        lows = np.array([column.min() if len(column) else 0.0 for column in known])
        highs = np.array([column.max() if len(column) else 0.0 for column in known])
        scores = tuple(
            None
            if source.n_levels is None or source.ordered or source.n_levels <= 2  # noqa: PLR2004
            else _scores(column.astype(np.intp), source.n_levels, goals, weights)
            for column, source in zip(parents.T, sources, strict=True)
        )
        return cls(lows, np.where(highs > lows, highs - lows, 1.0), scores)

    def __call__(self, parents: FloatMatrix) -> Columns:
        """Return the columns for some rows; a constant one if there are no parents."""
        columns = np.zeros((len(parents), max(1, parents.shape[1])), dtype=np.float32)
        described = zip(parents.T, self.lows, self.spans, self.scores, strict=True)
        for place, (column, low, span, scores) in enumerate(described):
            if scores is not None:
                columns[:, place] = scores[column.astype(np.intp)]
            else:
                columns[:, place] = (column - low) / span
        columns[np.isnan(columns)] = -1.0
        return columns


def _scores(
    codes: IntVector, n_levels: int, goals: FloatMatrix, weights: FloatVector
) -> FloatVector:
    """Return one number for each level: the first correspondence score with the goals."""
    mass = np.bincount(codes, weights, n_levels)
    sums = np.column_stack([np.bincount(codes, weights * goal, n_levels) for goal in goals.T])
    centre = sums.sum(axis=0) / mass.sum()
    seen = mass > 0
    means = np.zeros_like(sums)
    means[seen] = sums[seen] / mass[seen, None] - centre
    if goals.shape[1] == 1:
        return np.asarray(means[:, 0], dtype=np.float64)
    *_, axes = np.linalg.svd(np.sqrt(mass)[:, None] * means, full_matrices=False)
    return np.asarray(means @ axes[0])


@dataclass(frozen=True, eq=False)
class Trees:
    """A bag of trees for each stratum; all leaves are numbered through.

    Attributes
    ----------
    stratum
        The column of the parents with the strata; None if they share their trees.
    sight
        What trees see of the other columns.
    n_trees
        Trees for each stratum.
    structures
        The trees of the first stratum, then those of the second...
    leaves
        For each tree and each of its nodes the number of the leaf.
    tree_of_leaf
        For each leaf the position of its tree in its stratum.
    """

    stratum: int | None
    sight: Sight
    n_trees: int
    structures: tuple[Structure, ...]
    leaves: tuple[IntVector, ...]
    tree_of_leaf: IntVector

    @property
    def n_leaves(self) -> int:
        """How many, in all trees."""
        return len(self.tree_of_leaf)

    def leaf(self, parents: FloatMatrix, tree: IntVector) -> IntVector:
        """Return the leaf into which each row falls in its tree of its stratum."""
        others, strata = split(parents, self.stratum)
        columns = self.sight(others)
        which = strata * self.n_trees + tree
        # A sort of short integers takes time linear in their number.
        short = np.min_scalar_type(len(self.structures))
        order = np.argsort(which.astype(short), kind="stable")
        ends = np.cumsum(np.bincount(which, minlength=len(self.structures)))
        columns = columns[order]
        sorted_leaf = np.empty(len(parents), dtype=np.intp)
        start = 0
        for structure, leaves, end in zip(self.structures, self.leaves, ends, strict=True):
            if end > start:
                sorted_leaf[start:end] = leaves[structure.apply(columns[start:end])]
            start = end
        result = np.empty(len(parents), dtype=np.intp)
        result[order] = sorted_leaf
        return result


def split(parents: FloatMatrix, stratum: int | None) -> tuple[FloatMatrix, IntVector]:
    """Return the other columns, and the strata."""
    if stratum is None:
        return parents, np.zeros(len(parents), dtype=np.intp)
    return np.delete(parents, stratum, axis=1), parents[:, stratum].astype(np.intp)


def grow(
    parents: FloatMatrix,
    goals: FloatMatrix,
    weights: FloatVector,
    *,
    sources: tuple[Variable, ...],
    growth: Growth,
    rng: np.random.Generator,
) -> tuple[Trees, list[tuple[IntVector, IntVector]]]:
    """Grow trees that tell the goals apart; return for each tree its rows and their leaves."""
    stratum = next((i for i, source in enumerate(sources) if source.is_sensitive), None)
    others, strata = split(parents, stratum)
    kept = tuple(source for i, source in enumerate(sources) if i != stratum)
    sight = Sight.of(others, kept, goals, weights)
    columns = sight(others)
    n_trees = growth.n_trees if kept else 1
    n_strata = 1 if stratum is None else cast("int", sources[stratum].n_levels)

    structures: list[Structure] = []
    leaves: list[IntVector] = []
    filled: list[tuple[IntVector, IntVector]] = []
    n_leaves: list[int] = []
    for rows in _rows_of_strata(strata, n_strata):
        inside = columns[rows]
        for _ in range(n_trees):
            learned = _learning_rows(len(rows), growth, rng)
            structure = _grown(
                inside[learned], goals[rows[learned]], weights[rows[learned]], growth.leaf, rng
            )
            node = structure.apply(inside)
            used = np.unique(node)
            numbers = np.full(used[-1] + 1, -1, dtype=np.intp)
            numbers[used] = sum(n_leaves) + np.arange(len(used))
            structures.append(structure)
            leaves.append(numbers)
            filled.append((rows, numbers[node]))
            n_leaves.append(len(used))
    tree = np.arange(len(structures)) % n_trees
    trees = Trees(
        stratum, sight, n_trees, tuple(structures), tuple(leaves), np.repeat(tree, n_leaves)
    )
    return trees, filled


def _rows_of_strata(strata: IntVector, n_strata: int) -> Iterator[IntVector]:
    """Yield the rows of each stratum; a stratum that has none learns from all of them."""
    for stratum in range(n_strata):
        rows = np.flatnonzero(strata == stratum)
        yield rows if len(rows) else np.arange(len(strata))


def _learning_rows(n_rows: int, growth: Growth, rng: np.random.Generator) -> IntVector:
    size = min(growth.rows, ceil(growth.share * n_rows))
    return np.sort(rng.choice(n_rows, size, replace=False, shuffle=False))


def _grown(
    columns: Columns,
    goals: FloatMatrix,
    weights: FloatVector,
    leaf: float,
    rng: np.random.Generator,
) -> Structure:
    """Grow one tree; a single leaf where two would be too small."""
    from sklearn.tree import DecisionTreeRegressor  # noqa: PLC0415 - slow to import

    if 2 * leaf > weights.sum():
        columns = np.zeros((len(columns), columns.shape[1]), dtype=np.float32)
    tree: Any = DecisionTreeRegressor(
        min_weight_fraction_leaf=min(0.5, leaf / weights.sum()),
        random_state=int(rng.integers(2**31)),
    )
    tree.fit(columns, np.ascontiguousarray(goals), sample_weight=weights, check_input=False)
    return cast("Structure", tree.tree_)
