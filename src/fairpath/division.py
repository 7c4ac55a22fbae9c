"""The rows of a study divided into parts, each to be explained again with links of its own."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from joblib import Parallel, delayed
from tqdm import tqdm

from fairpath.game.contributions import Key
from fairpath.study import Lessons, Study
from fairpath.tally import Tally
from fairpath.uncertainty import Part, partitions, sizes
from fairpath.vocabulary import IntVector

_PARTS = 14

Division: TypeAlias = Sequence[Sequence[tuple[Part, Lessons | None]]]
"""For each partition its parts, with the rows that teach them where these are others."""

Look: TypeAlias = Callable[[Part, Lessons | None, Key], Tally]


def division(study: Study) -> Division:
    """Divide the rows, and the rows that teach the links where these are others, into parts.

    Always the same for the same study; empty where a stratum has too few rows.
    """
    # Dealt out evenly: strata or, where the outcome plays a role, strata and outcomes.
    alike = study.strata if study.viewpoint.signs is None else 2 * study.strata + study.favoured
    taught = {
        outcome: (game.lesson.weights, game.lesson.columns[game.sensitive].astype(np.intp))
        for outcome, game in study.games.items()
    }
    explained = (study.weights > 0) & study.viewpoint.looks_at(study.favoured)
    smallest = min(_least(alike[explained]), *(_least(strata) for _, strata in taught.values()))
    n_rows = min(len(weights) for weights, _ in taught.values())
    if not study.own_lesson:
        n_rows = min(n_rows, int((study.weights > 0).sum()))
    shape = sizes(n_rows, smallest)
    rng = np.random.default_rng([study.seed, _PARTS])
    mine = partitions(study.weights, alike, shape, rng)
    if study.own_lesson:
        return [[(part, None) for part in partition] for partition in mine]
    others = {outcome: partitions(*rows, shape, rng) for outcome, rows in taught.items()}
    return [
        [
            (part, {outcome: found[i][k] for outcome, found in others.items()})
            for k, part in enumerate(partition)
        ]
        for i, partition in enumerate(mine)
    ]


def over_parts(
    study: Study,
    divided: Division,
    look: Look,
    *,
    n_jobs: int | None = None,
    progress: tqdm | None = None,
) -> tuple[tuple[Tally, ...], ...]:
    """Look at every part of every partition; each has its own random numbers."""

    def one(part: Part, others: Lessons | None, key: Key) -> Tally:
        tally = look(part, others, key)
        if progress is not None:
            progress.update(len(part.rows))
        return tally

    tasks = [
        (part, others, (study.seed, i, k))
        for i, partition in enumerate(divided)
        for k, (part, others) in enumerate(partition)
    ]
    tallies = iter(Parallel(n_jobs=n_jobs, prefer="threads")(delayed(one)(*t) for t in tasks))
    return tuple(tuple(next(tallies) for _ in partition) for partition in divided)


def _least(groups: IntVector) -> int:
    """Count the rows of the smallest group."""
    return int(np.unique(groups, return_counts=True)[1].min())
