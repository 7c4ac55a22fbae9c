"""The paper's Algorithm 3: remove one path after another, keep the best set that was seen."""

from typing import NamedTuple, Protocol

import numpy as np

from fairpath.selection.terms import Terms
from fairpath.vocabulary import BoolVector, FloatVector, IntVector


class Appraisal(NamedTuple):
    """For each of some sets of paths what speaks for it and what against it."""

    gain: FloatVector
    gap: FloatVector


class Appraise(Protocol):
    """What selection asks of sets of paths: the utility that they add, the disparity they leave."""

    def alone(self, held: BoolVector) -> Appraisal:
        """Appraise one set."""
        ...

    def without(self, held: BoolVector, places: IntVector) -> Appraisal:
        """Appraise a set without each of some of its paths."""
        ...


class Additive:
    """Sums of contributions, as the paper's objective has them."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms

    def alone(self, held: BoolVector) -> Appraisal:
        """Return Σ Ψ and the largest |Σ Φ|."""
        gap = np.abs(self._terms.carried(held)).max()
        return Appraisal(np.array([self._terms.gains @ held]), np.array([gap]))

    def without(self, held: BoolVector, places: IntVector) -> Appraisal:
        """Take each path out of the sums."""
        terms = self._terms
        left = terms.carried(held)[:, None] - terms.gaps[:, places]
        gain = terms.gains @ held - terms.gains[places]
        return Appraisal(np.asarray(gain), np.abs(left).max(axis=0))


class Run(NamedTuple):
    """T*, and up to which λ the algorithm takes the same decisions."""

    held: BoolVector
    until: float


def greedy(
    appraise: Appraise, start: BoolVector, removable: BoolVector, fairness_weight: float
) -> Run:
    """Return T* of Algorithm 3 for one λ.

    Where removing two paths leaves the same objective, the one that comes first is removed.

    Parameters
    ----------
    appraise
        The two parts of the objective.
    start
        The paths that are held at first.
    removable
        Which of them may go.
    fairness_weight
        λ.
    """
    held, best = start.copy(), start
    least = appraise.alone(start)
    until = np.inf
    while len(places := np.flatnonzero(held & removable)):
        found = appraise.without(held, places)
        which = int(np.argmin(fairness_weight * found.gap - found.gain))
        chosen = Appraisal(found.gain[[which]], found.gap[[which]])
        until = min(until, _overtaken(chosen, found, fairness_weight))
        held[places[which]] = False
        if _loss(chosen, fairness_weight) < _loss(least, fairness_weight):
            best, least, beaten = held.copy(), chosen, least
        else:
            beaten = chosen
        until = min(until, _overtaken(least, beaten, fairness_weight))
    return Run(best, until)


def _loss(found: Appraisal, fairness_weight: float) -> float:
    return float(fairness_weight * found.gap[0] - found.gain[0])


def _overtaken(chosen: Appraisal, others: Appraisal, fairness_weight: float) -> float:
    """Return the next λ at which one of the others, which leaves less disparity, is better."""
    flatter = others.gap < chosen.gap
    meets = (chosen.gain - others.gain[flatter]) / (chosen.gap - others.gap[flatter])
    return float(np.min(meets[meets > fairness_weight], initial=np.inf))
