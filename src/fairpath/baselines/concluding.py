"""From what a baseline found to an ordinary explanation."""

from collections.abc import Callable
from dataclasses import replace
from math import ceil

import numpy as np

from fairpath.baselines.request import Request
from fairpath.division import Division, Look, division, over_parts
from fairpath.explain import KEPT_BYTES
from fairpath.explanation import Explanation, Kept, Setting
from fairpath.explanation.people import People
from fairpath.explanation.quantities import Columns, stacked
from fairpath.frames import backend_of
from fairpath.game.contributions import Contributions
from fairpath.outcomes import Asked, read_outcome
from fairpath.study import Study, tally_of
from fairpath.tally import Tally
from fairpath.uncertainty import FREEDOM, LEAST_TO_DIVIDE, MOST_PARTITIONS, Part, partitions
from fairpath.vocabulary import IntVector

MOST_PARTS = 100
ROWS_OF_A_STRATUM = 5
"""Rows that the smallest stratum should have in a part, where nothing is learned from it."""

_PARTS = 22


def concluded(
    request: Request,
    study: Study,
    found: Contributions,
    whole: Tally,
    look: Look,
    *,
    divide: Callable[[Study], Division] = division,
    notes: tuple[str, ...],
    method: str,
    order: str,
) -> Explanation:
    """Turn what was found into an explanation; ``look`` finds the same in a part of the rows.

    Tallies have the players in the order of the game.
    """
    levels, paths = study.game.strata, study.game.players
    place = request.place(study)
    first = next(k for k in range(len(levels)) if k != place)
    largest = np.abs(whole.contrast(first, place)[: len(paths)])
    sorting = np.argsort(-largest, kind="stable")
    divided = divide(study) if request.intervals else []
    replicates = over_parts(study, divided, look, n_jobs=request.n_jobs)
    if request.intervals and not divided:
        notes += ("no intervals: a stratum has too few rows to be divided",)
    each = found.evaluations / len(found.factual)
    cost = f"model evaluations: {found.evaluations}, {each:.1f} for each row explained"
    keep = found.paths.nbytes <= KEPT_BYTES if request.keep_rows is None else request.keep_rows
    favoured = read_outcome(
        Asked(request.model, study.viewpoint, request.outcome, request.favourable), request.frame
    )
    return Explanation(
        paths=tuple(paths[i] for i in sorting),
        levels=levels,
        reference=place,
        viewpoint=study.viewpoint,
        has_utility=study.has_utility,
        tally=_sorted(whole, sorting),
        replicates=tuple(tuple(_sorted(t, sorting) for t in parts) for parts in replicates),
        setting=Setting(
            sensitive=request.sensitive,
            outcome=request.outcome,
            conditioning="paper",
            output=request.output,
            threshold=request.threshold,
            favourable=favoured.level,
            method=method,
            order=order,
            backend=backend_of(request.frame),
            evaluations=found.evaluations,
            seed=request.seed,
        ),
        notes=(*notes, cost),
        people=People.of(study, divided),
        kept=Kept(
            found.paths[:, sorting],
            found.factual,
            found.base,
            study.strata,
            study.favoured,
            study.weights,
        )
        if keep
        else None,
    )


def without_refit(study: Study) -> Division:
    """Divide the rows where nothing is learned from them: into many parts, which cost nothing."""
    counted = study.weights > 0
    smallest = int(np.bincount(study.strata[counted]).min())
    if smallest < LEAST_TO_DIVIDE:
        return []
    parts = int(np.clip(smallest // ROWS_OF_A_STRATUM, 2, MOST_PARTS))
    shape = (min(MOST_PARTITIONS, ceil(FREEDOM / (parts - 1))), parts)
    rng = np.random.default_rng([study.seed, _PARTS])
    found = partitions(study.weights, study.strata, shape, rng)
    return [[(part, None) for part in partition] for partition in found]


def group_tally(study: Study, part: Part, found: Contributions, n_products: int = 0) -> Tally:
    """Add up by stratum what was found for the rows of a part."""
    assert found.cut is not None  # noqa: S101 - features are always cut too
    columns = stacked(found.paths, found.factual, found.base, found.cut)
    return tally_of(study, part, columns, n_products)


def _sorted(tally: Tally, sorting: IntVector) -> Tally:
    """Put the columns of players into another order."""
    width = Columns(len(sorting))
    some = [*sorting, width.factual, width.base]
    sums = tally.sums[..., [*some, *(width.cut.start + sorting)]]
    if not tally.scatter.shape[-1]:
        return replace(tally, sums=sums)
    return replace(tally, sums=sums, scatter=tally.scatter[..., some, :][..., some])
