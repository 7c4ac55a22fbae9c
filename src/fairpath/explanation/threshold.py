"""A hard decision is a score and a threshold: how much of each contribution comes from either."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from fairpath.division import division, over_parts
from fairpath.errors import DataError
from fairpath.explanation.explanation import Explanation
from fairpath.explanation.quantities import Comparison
from fairpath.explanation.tables import named
from fairpath.frames import as_table
from fairpath.game.contributions import Key
from fairpath.study import Lessons, Study, explained, tally_of
from fairpath.tally import Tally
from fairpath.uncertainty import Part, estimates
from fairpath.vocabulary import FloatVector

NO_PATH = "no path"
"""What is not carried by any: the disparity of v(∅)."""


def threshold_split(explanation: Explanation, *, n_jobs: int | None = None) -> Any:  # noqa: ANN401
    """Return a table: how much of each contribution comes from the score, how much from the rest.

    A decision is the score plus what the threshold adds to it, 1[s > t] = s + (1[s > t] - s), and
    contributions are linear in the output. So a row's ``contribution`` is ``score``, what the path
    carries to the score with the same orders and noise, plus ``threshold``, both with intervals
    where the explanation has them. A path with a large second part moves many people across the
    threshold for what it moves their scores.

    Parameters
    ----------
    explanation
        One made by `explain` with ``output="decision"`` in this session, of a model that has a
        score.
    n_jobs
        How many parts of the rows are evaluated at the same time.
    """
    study = explanation.study
    if study is None:
        raise DataError(
            "This explanation no longer knows its model. Explain again to split decisions."
        )
    score = getattr(study.model, "before_threshold", None)
    if explanation.setting.output != "decision" or score is None:
        raise DataError(
            "Only decisions of a model that has a score can be split. Use output='decision' with a "
            "model that gives probabilities or a number."
        )
    pair = (study, replace(study, model=score))
    order = [study.game.players.index(path) for path in explanation.paths]

    def look(study: Study, part: Part, others: Lessons | None, key: Key = ()) -> Tally:
        found = explained(study, part, others, key=key, n_jobs=None if key else n_jobs)
        columns = np.column_stack([found.paths[:, order], found.base])
        return tally_of(study, part, columns)

    whole = [look(one, one.whole, None) for one in pair]
    replicates: list[list[Sequence[Tally]]] = []
    if explanation.replicates:
        both = [over_parts(one, division(one), partial(look, one), n_jobs=n_jobs) for one in pair]
        replicates = [list(zip(*parts, strict=True)) for parts in zip(*both, strict=True)]
    names = [*map(str, explanation.paths), NO_PATH]
    rows: list[dict[str, Any]] = []
    for compared in explanation.compared:
        found = estimates(partial(_parts, compared=compared), whole, replicates)
        n_paths = len(explanation.paths)
        largest_first = np.argsort(-np.abs(found.values[:n_paths]), kind="stable").tolist()
        rows += [
            {"path": names[i]}
            | explanation.bearer(compared)
            | named("contribution", found, i, prefix="")
            | named("score", found, len(names) + i)
            | named("threshold", found, 2 * len(names) + i)
            for i in [*largest_first, n_paths]
        ]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return as_table(columns, explanation.setting.backend)


def _parts(tallies: Sequence[Tally], compared: Comparison) -> FloatVector:
    """Return differences of decisions, of the scores behind them, and of what is left."""
    view, stratum, reference = compared
    decided, scored = (tally.among(view.outcomes).contrast(stratum, reference) for tally in tallies)
    return np.concatenate([decided, scored, decided - scored])
