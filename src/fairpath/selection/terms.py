"""What the objective of path selection is made of: each path's share of utility and disparity."""

from dataclasses import dataclass, replace

import numpy as np

from fairpath.disparity import Viewpoint
from fairpath.errors import DataError
from fairpath.explanation import Explanation
from fairpath.explanation.quantities import Numbers
from fairpath.study import Study, explained
from fairpath.vocabulary import BoolVector, FloatMatrix, FloatVector

LOOKED_AT = "utility is that of the rows which the disparity looks at: the others are not known"


@dataclass(frozen=True, eq=False)
class Terms:
    """Contributions of paths, in the order of the explanation.

    Attributes
    ----------
    gains
        Ψ of each path.
    gaps
        Φ of each path, a row for each comparison.
    base_utility
        Ψ(∅).
    rest
        For each comparison the disparity of v(∅): the remainder, and what stands apart from it.
    """

    gains: FloatVector
    gaps: FloatMatrix
    base_utility: float
    rest: FloatVector

    def carried(self, held: BoolVector) -> FloatVector:
        """Return Σ Φ over the held paths, for each comparison."""
        return np.asarray(self.gaps @ held)

    def loss(self, held: BoolVector, fairness_weight: float) -> float:
        """Return L(T) = - Σ Ψ + λ |Σ Φ|; of several comparisons the largest |Σ Φ| counts."""
        gap = float(np.abs(self.carried(held)).max())
        return float(-(self.gains @ held) + fairness_weight * gap)


def terms_of(explanation: object) -> tuple[Terms, tuple[str, ...]]:
    """Read Ψ and Φ from an explanation; say whose utility it is, if not everybody's.

    Ψ is an average over all rows. Where the disparity looks at some rows only, contributions to
    the others are computed now.
    """
    if not isinstance(explanation, Explanation):
        raise DataError(
            f"select_paths() takes an explanation, got {type(explanation).__name__}. "
            "Make one with explain(model, data, outcome=…)."
        )
    if explanation.viewpoint.given:
        raise DataError(
            f"The paths of {explanation.viewpoint.name} are relative to the outcome, which nobody "
            "knows of a person to be predicted. Explain with conditioning='after'."
        )
    if not explanation.has_utility:
        raise DataError(
            "This explanation has no utility, so nothing would speak for keeping a path. Explain "
            "with outcome=… and output='probability' or 'decision'."
        )
    place = Numbers(len(explanation.paths))
    notes: tuple[str, ...] = ()
    found = [explanation.estimates_at(one).values for one in explanation.compared]
    gains, base = found[0][place.utilities], float(found[0][place.base_utility])
    if _looks_away(explanation.viewpoint):
        if explanation.study is None:
            notes = (LOOKED_AT,)
        else:
            gains, base = _over_all_rows(explanation, explanation.study)
    return Terms(
        np.asarray(gains),
        np.array([one[place.contributions] for one in found]),
        base,
        np.array([one[place.remainder] + one[place.apart] for one in found]),
    ), notes


def everybody(study: Study) -> Study:
    """Return the study of all rows, each of them as f(x)."""
    return replace(study, viewpoint=Viewpoint.of("demographic_parity", after=True))


def _looks_away(viewpoint: Viewpoint) -> bool:
    return viewpoint.signs is not None and bool((viewpoint.signs == 0).any())


def _over_all_rows(explanation: Explanation, study: Study) -> tuple[FloatVector, float]:
    """Return Ψ of each path and Ψ(∅) over all rows."""
    found = explained(everybody(study), study.whole)
    share = study.weights / study.weights.sum()
    towards = share * (2.0 * study.favoured - 1)
    order = [study.game.players.index(path) for path in explanation.paths]
    base = float(towards @ found.base + share @ (1 - study.favoured))
    return (towards @ found.paths)[order], base
