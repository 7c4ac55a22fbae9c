"""What if paths were cut: the disparity and utility that the others alone would carry."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from fairpath.division import division, over_parts
from fairpath.errors import DataError
from fairpath.explanation.explanation import ByComparison, Explanation
from fairpath.explanation.quantities import utility_of
from fairpath.game.contributions import Key
from fairpath.game.players import PathLike
from fairpath.options import check_jobs
from fairpath.paths import Path
from fairpath.study import Lessons, Study, kept_values, tally_of
from fairpath.tally import Tally
from fairpath.uncertainty import Estimate, Part, estimates
from fairpath.vocabulary import BoolVector, FloatVector


@dataclass(frozen=True, repr=False)
class Cut:
    """What remains without some paths.

    Attributes
    ----------
    paths
        The paths that were cut.
    disparity
        The disparity of v(P without them).
    utility
        The utility of v(P without them); None where there is none.
    """

    paths: tuple[Path, ...]
    disparity: ByComparison
    utility: Estimate | None

    def __repr__(self) -> str:
        lines = ["without " + ("; ".join(map(str, self.paths)) or "nothing")]
        if isinstance(self.disparity, Estimate):
            lines.append(f"  disparity {self.disparity}")
        else:
            lines += [f"  disparity of {level}: {one}" for level, one in self.disparity.items()]
        if self.utility is not None:
            lines.append(f"  utility {self.utility}")
        return "\n".join(lines)


def cut(explanation: Explanation, paths: Iterable[PathLike], *, n_jobs: int | None = None) -> Cut:
    """Evaluate the model in the worlds where ``paths`` no longer carry the own level.

    Costs about as much as one state of the explanation for each row; intervals, where the
    explanation has them, learn the links of each part of the rows again.

    Parameters
    ----------
    explanation
        One made by `explain` in this session: a loaded one no longer knows its model.
    paths
        Paths, what they print, or their nodes.
    n_jobs
        How many parts of the rows are evaluated at the same time.
    """
    gone = explanation.held(paths)
    disparity, utility = _without(explanation, gone, n_jobs)
    return Cut(_members(explanation, gone), disparity, utility)


def mark(
    explanation: Explanation,
    *,
    allowed: Iterable[PathLike] | None = None,
    contested: Iterable[PathLike] | None = None,
    n_jobs: int | None = None,
) -> Explanation:
    """Mark paths as allowed or as contested; the rest are the opposite.

    The headline then says which disparity would remain if only the allowed paths carried the
    sensitive attribute (``if_contested_cut``).
    """
    if (allowed is None) == (contested is None):
        raise DataError("Name either the allowed paths or the contested ones.")
    if contested is not None:
        gone = explanation.held(contested)
    else:
        assert allowed is not None  # noqa: S101 - one of the two is given
        gone = ~explanation.held(allowed)
    disparity, _ = _without(explanation, gone, n_jobs)
    return replace(explanation, contested=_members(explanation, gone), if_contested_cut=disparity)


def _without(
    explanation: Explanation, gone: BoolVector, n_jobs: int | None
) -> tuple[ByComparison, Estimate | None]:
    """Return the disparity and the utility that are left without some paths."""
    check_jobs(n_jobs)
    study = explanation.study
    if study is None:
        raise DataError(
            "This explanation does not know its model: it was loaded from a file, or is that of a "
            "baseline. Explain again to cut or mark paths."
        )
    held = ~gone[_places(explanation, study)][None, :]

    def look(part: Part, others: Lessons | None, key: Key = ()) -> Tally:
        return tally_of(study, part, kept_values(study, part, others, held, key=key))

    whole = look(study.whole, None)
    replicates = (
        over_parts(study, division(study), look, n_jobs=n_jobs) if explanation.replicates else ()
    )

    signs = study.viewpoint.signs

    def quantity(tally: Tally) -> FloatVector:
        gaps = [
            tally.among(view.outcomes).contrast(stratum, reference)[0]
            for view, stratum, reference in explanation.compared
        ]
        gain, flat = utility_of(tally, signs, has_utility=study.has_utility)
        return np.array([*gaps, gain[0] + flat])

    found = estimates(quantity, whole, replicates)
    disparities = [found[place] for place in range(len(explanation.compared))]
    utility = found[len(disparities)] if study.has_utility else None
    return explanation.by_comparison(disparities), utility


def _members(explanation: Explanation, mask: BoolVector) -> tuple[Path, ...]:
    return tuple(path for path, inside in zip(explanation.paths, mask, strict=True) if inside)


def _places(explanation: Explanation, study: Study) -> list[int]:
    """Return for each player of the game its place among the paths of the explanation."""
    place = {path: i for i, path in enumerate(explanation.paths)}
    return [place[player] for player in study.game.players]
