"""How noise is carried from world to world: what no data can tell.

Data say what a feature is like under its factual parents. What the same person's feature would be
under others needs an assumption: that ranks are kept, say. A coupling is another one. It wraps a
fitted link and gives each row the noise of another row wherever parents differ from the factual
ones (elsewhere nobody asks: the value is the factual one). Who gives to whom stays inside a cell
of rows of the same stratum (and the same outcome, where the disparity looks at it), and everyone
gives as often as they count. So each cell has in each world the noises that it had, and
the law of the feature there is the link's, as before: couplings differ in nothing else.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from fairpath.encoding import Variable
from fairpath.links.link import FittedLink
from fairpath.vocabulary import FloatMatrix, FloatVector, IntVector

AS_FITTED = "ranks"
"""The coupling of the links themselves."""

DRAWS = 32
"""Noises with which a row is compared, to find its own rank."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIXERS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))
_DIGITS = np.uint64(11)


@dataclass(frozen=True, eq=False)
class Carried:
    """A fitted link, and the rows whose noise it carries.

    Attributes
    ----------
    link, target
        The link and the feature that it generates.
    parents, values
        What the link reads and what the feature is, for each row that is explained.
    cells
        Rows of the same cell are of the same stratum (and outcome).
    weights
        How often each row counts.
    rng
        Random numbers of this feature alone.
    """

    link: FittedLink
    target: Variable
    parents: FloatMatrix
    values: FloatVector
    cells: IntVector
    weights: FloatVector
    rng: np.random.Generator


Coupling: TypeAlias = Callable[[Carried], FittedLink]
"""Returns a link with the same law that carries noise in another way."""


def ranks(carried: Carried) -> FittedLink:
    """Leave it to the link: ranks or residuals are kept, categories change as it says."""
    return carried.link


def redrawn(carried: Carried) -> FittedLink:
    """Let a random other person of the cell give the noise, the same in all other worlds."""

    def orders(rows: IntVector) -> tuple[IntVector, IntVector]:
        return carried.rng.permutation(rows), carried.rng.permutation(rows)

    return Donated(carried.link, donors(carried, orders))


def turned(carried: Carried) -> FittedLink:
    """Let who has the highest noise of the cell get the lowest: the opposite of keeping ranks.

    A level of several without an order has no rank: it is redrawn.
    """
    target = carried.target
    if target.is_category and not target.ordered and target.n_levels > 2:  # type: ignore[operator]  # noqa: PLR2004
        return redrawn(carried)
    rank = _rank_of_noise(carried)

    def orders(rows: IntVector) -> tuple[IntVector, IntVector]:
        ascending = rows[np.argsort(rank[rows], kind="stable")]
        return ascending, ascending[::-1]

    return Donated(carried.link, donors(carried, orders))


def fresh(carried: Carried) -> FittedLink:
    """Draw the noise anew in each different world of the parents.

    Nodes of the tree that see a block in the same world still see the same value, so that the
    block has one joint law there. (A draw for each path would take it apart: in the world in
    which no path carries the own level two effects of a block would see two values of it.)
    """
    uniforms = carried.rng.random((len(carried.values), 2))
    noise = carried.link.abduct(carried.parents, carried.values, uniforms)
    by_cell = np.argsort(carried.cells, kind="stable")
    weights = _counting(carried)[by_cell]
    upper = np.cumsum(weights)
    cells = carried.cells[by_cell]
    start = np.searchsorted(cells, carried.cells, side="left")
    end = np.searchsorted(cells, carried.cells, side="right")
    salt = np.uint64(carried.rng.integers(1 << 62))
    return Fresh(carried.link, noise, by_cell, upper, start, end, salt)


COUPLINGS: Mapping[str, Coupling] = {
    AS_FITTED: ranks,
    "redrawn": redrawn,
    "fresh": fresh,
    "reversed": turned,
}


@dataclass(frozen=True, eq=False)
class Donated:
    """A link whose rows have each other's noise."""

    link: FittedLink
    donors: IntVector

    def abduct(
        self, parents: FloatMatrix, values: FloatVector, uniforms: FloatMatrix
    ) -> FloatMatrix:
        """Return the noise of each row's donor; rows are those of which donors were found."""
        return self.link.abduct(parents, values, uniforms)[self.donors]

    def generate(self, parents: FloatMatrix, noise: FloatMatrix) -> FloatVector:
        """Ask the link."""
        return self.link.generate(parents, noise)


@dataclass(frozen=True, eq=False)
class Fresh:
    """A link whose noise is drawn by a digest of the row and of what the parents are.

    ``order`` are the rows by cell, ``upper`` how much all up to each count; ``start`` and ``end``
    say for each row where its cell lies among them.
    """

    link: FittedLink
    noise: FloatMatrix
    order: IntVector
    upper: FloatVector
    start: IntVector
    end: IntVector
    salt: np.uint64

    def abduct(
        self, parents: FloatMatrix, values: FloatVector, uniforms: FloatMatrix
    ) -> FloatMatrix:
        """Return the number of each row, which is all that is known of the noise beforehand."""
        del parents, uniforms
        return np.arange(len(values), dtype=np.float64)[:, None]

    def generate(self, parents: FloatMatrix, noise: FloatMatrix) -> FloatVector:
        """Find who gives the noise of this row in this world, then ask the link."""
        rows = noise[:, 0].astype(np.intp)
        start, last = self.start[rows], self.end[rows] - 1
        below = np.where(start > 0, self.upper[start - 1], 0.0)
        at = below + _digest(np.column_stack([noise, parents]), self.salt) * (
            self.upper[last] - below
        )
        place = np.clip(np.searchsorted(self.upper, at, side="right"), start, last)
        return self.link.generate(parents, self.noise[self.order[place]])


def donors(
    carried: Carried, orders: Callable[[IntVector], tuple[IntVector, IntVector]]
) -> IntVector:
    """Return who gives noise to each row: rows of a cell in one order meet those in another.

    Both orders are laid out on a line, each row as long as it counts; who stands at the middle of
    a row gives to it. With equal weights everyone gives once.
    """
    weights = _counting(carried)
    found = np.arange(len(weights))
    for cell in np.unique(carried.cells):
        asking, giving = orders(np.flatnonzero(carried.cells == cell))
        middle = np.cumsum(weights[asking]) - weights[asking] / 2
        place = np.searchsorted(np.cumsum(weights[giving]), middle, side="right")
        found[asking] = giving[np.minimum(place, len(giving) - 1)]
    return found


def _counting(carried: Carried) -> FloatVector:
    """Return the weights, equal ones in a cell in which nobody counts."""
    mass = np.bincount(carried.cells, carried.weights)
    return np.where(mass[carried.cells] > 0, carried.weights, 1.0)


def _rank_of_noise(carried: Carried) -> FloatVector:
    """Return the share of noises with which a row would have less than it has; ties at random."""
    n_rows = len(carried.values)
    uniforms = carried.rng.random((n_rows, 2))
    noise = carried.link.abduct(carried.parents, carried.values, uniforms)
    chosen = carried.rng.permutation(n_rows)[:DRAWS]
    own = np.where(np.isnan(carried.values), -np.inf, carried.values)
    below, equal = np.zeros(n_rows), np.ones(n_rows)
    for donor in chosen:
        drawn = carried.link.generate(carried.parents, np.repeat(noise[[donor]], n_rows, axis=0))
        drawn = np.where(np.isnan(drawn), -np.inf, drawn)
        below += drawn < own
        equal += drawn == own
    return np.asarray(below + carried.rng.random(n_rows) * equal)


def _digest(columns: FloatMatrix, salt: np.uint64) -> FloatVector:
    """Return a number in [0, 1) for each row that depends on all of its bits."""
    mixed = np.full(len(columns), salt, dtype=np.uint64)
    for column in columns.T:
        # Adding zero makes -0.0 and 0.0 the same bits; missing values get one pattern.
        mixed = (mixed ^ np.where(np.isnan(column), np.nan, column + 0.0).view(np.uint64)) + _GOLDEN
        for shift, factor in zip(_SHIFTS, _MIXERS, strict=False):
            mixed = (mixed ^ (mixed >> shift)) * factor
        mixed ^= mixed >> _SHIFTS[-1]
    return (mixed >> _DIGITS).astype(np.float64) * 2.0**-53
