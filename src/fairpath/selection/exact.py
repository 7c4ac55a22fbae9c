"""The best set of all: the paper's objective as a small mixed-integer programme."""

import numpy as np

from fairpath.errors import DataError
from fairpath.selection.terms import Terms
from fairpath.vocabulary import BoolVector, FloatVector, IntVector

SIZE = 1e3
"""Numbers of the programme are of this size: the solver's tolerances are absolute, about 1e-6."""

TIE = 1e-9
"""Objectives that differ by less than this share of their size are equal."""


def exact(
    terms: Terms, start: BoolVector, removable: BoolVector, fairness_weight: float
) -> BoolVector:
    """Return the set T with the least L(T); of equally good ones one with the most paths.

    Minimise - Σ Ψ x + λ t over yes-or-no x and t ≥ |Σ Φ x|, for every comparison.

    Parameters
    ----------
    terms
        Ψ and Φ.
    start
        The paths that are held unless they are removed.
    removable
        Which of them may go.
    fairness_weight
        λ.
    """
    free = np.flatnonzero(start & removable)
    if not len(free):
        return start
    forced = start & ~removable
    programme = _Programme(terms, free, terms.carried(forced), fairness_weight)
    best = programme.least()
    fullest = programme.fullest(programme.loss(best))
    # The solver works within tolerances; what is better is settled by the sums themselves.
    tied = programme.loss(fullest) <= programme.loss(best) + TIE * programme.size
    if tied and fullest.sum() > best.sum():
        best = fullest
    held = forced.copy()
    held[free] = best
    return held


class _Programme:
    """The objective as a function of the paths that may go or stay."""

    def __init__(
        self, terms: Terms, free: IntVector, forced: FloatVector, fairness_weight: float
    ) -> None:
        self._gains, self._gaps, self._forced = terms.gains[free], terms.gaps[:, free], forced
        self._weight = fairness_weight
        self._reach = float((np.abs(forced) + np.abs(self._gaps).sum(axis=1)).max()) or 1.0
        self.size = float(np.abs(self._gains).sum() + fairness_weight * self._reach) or 1.0

    def loss(self, chosen: BoolVector) -> float:
        """Return the objective of the paths that stay."""
        gap = np.abs(self._forced + self._gaps @ chosen).max()
        return float(self._weight * gap - self._gains @ chosen)

    def least(self) -> BoolVector:
        """Return the paths that stay if the objective is least."""
        found, message = self._solved(self._costs, None)
        if found is None:
            raise DataError(
                f"No best set of {len(self._gains)} paths was found: {message} "
                "Use method='greedy', or settle some paths with keep= and drop=."
            )
        return self._descended(found)

    def fullest(self, loss: float) -> BoolVector:
        """Return as many paths as can stay with an objective about as large as this."""
        costs = np.append(-np.ones(len(self._gains)), 0.0)
        found, _ = self._solved(costs, loss * SIZE / self.size + TIE * SIZE)
        return np.zeros(len(self._gains), dtype=np.bool_) if found is None else found

    @property
    def _costs(self) -> FloatVector:
        return np.append(-self._gains, self._weight * self._reach / SIZE) * SIZE / self.size

    def _solved(self, costs: FloatVector, limit: float | None) -> tuple[BoolVector | None, str]:
        """Return the answers, if there are any, and what the solver says."""
        from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415 - slow to import

        n = len(self._gains)
        scale = SIZE / self._reach
        gaps, forced = self._gaps * scale, self._forced * scale
        ones = np.ones((len(gaps), 1))
        rules = [
            LinearConstraint(np.hstack([-gaps, ones]), lb=forced),
            LinearConstraint(np.hstack([gaps, ones]), lb=-forced),
        ]
        if limit is not None:
            rules.append(LinearConstraint(self._costs[None, :], ub=limit))
        found = milp(
            costs,
            integrality=np.append(np.ones(n), 0),
            bounds=Bounds(np.zeros(n + 1), np.append(np.ones(n), np.inf)),
            constraints=rules,
            options={"mip_rel_gap": 0.0},
        )
        answers = None if found.x is None else np.asarray(found.x[:n] > 0.5)  # noqa: PLR2004
        return answers, str(found.message)

    def _descended(self, chosen: BoolVector) -> BoolVector:
        """Turn single answers as long as that helps: the solver may stop a tolerance short."""
        while True:
            turn = np.where(chosen, -1.0, 1.0)
            gap = self._forced + self._gaps @ chosen
            left = np.abs(gap[:, None] + turn * self._gaps).max(axis=0)
            losses = self._weight * left - (self._gains @ chosen + turn * self._gains)
            which = int(np.argmin(losses))
            if losses[which] >= self.loss(chosen):
                return chosen
            turned = chosen.copy()
            turned[which] ^= True
            if self.loss(turned) >= self.loss(chosen):  # rounding
                return chosen
            chosen = turned
