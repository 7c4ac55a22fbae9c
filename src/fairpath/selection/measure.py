"""v(T) itself, for any sets of paths: the model asked in the worlds where only these are held."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from tqdm import tqdm

from fairpath.errors import DataError
from fairpath.explanation import Explanation
from fairpath.selection.greedy import Appraisal
from fairpath.selection.rows import Distinct, Measured, Rows
from fairpath.selection.terms import everybody
from fairpath.study import kept_values
from fairpath.vocabulary import BoolMatrix, BoolVector, FloatMatrix, FloatVector, IntVector

Values: TypeAlias = Callable[[BoolMatrix], FloatMatrix]
"""v(T) of every row, a column for each set; sets are rows of yes or no, in the order of paths."""

SETS_AT_ONCE = 8
"""So many columns of v(T) are in memory at the same time."""

HALF = 0.5
"""Where the output is a decision, v(T) is a share of decisions, and the larger one counts."""


@dataclass(frozen=True, eq=False)
class Measure:
    """Asks the model about sets of paths, and says what that means for some rows."""

    values: Values
    rows: Rows

    def measured(self, held: BoolMatrix, bar: tqdm | None = None) -> list[Measured]:
        """Measure sets of paths; each different one is evaluated once."""
        distinct = Distinct.of(held)
        found: list[Measured] = []
        for start in range(0, len(distinct.held), SETS_AT_ONCE):
            block = distinct.held[start : start + SETS_AT_ONCE]
            found += self.rows.measured(self.values(block))
            if bar is not None:
                bar.update(len(block))
        return [found[k] for k in distinct.which]

    def decided_above(self, threshold: float) -> "Measure":
        """Return the same with another threshold."""
        return replace(self, rows=replace(self.rows, threshold=threshold))


def measure_of(explanation: Explanation) -> Measure:
    """Return how to measure sets of the paths of an explanation, on the rows that it explains."""
    study = explanation.study
    if study is None:
        raise DataError(
            "This explanation no longer knows its model: it was loaded from a file, or is that of "
            "a baseline. Explain again to measure what a selection does."
        )
    all_rows = everybody(study)
    place = {path: i for i, path in enumerate(explanation.paths)}
    order = [place[player] for player in study.game.players]

    def values(held: BoolMatrix) -> FloatMatrix:
        return kept_values(all_rows, all_rows.whole, None, held[:, order])

    setting = explanation.setting
    return Measure(
        values,
        Rows.of(
            study.strata,
            study.favoured,
            study.weights,
            viewpoint=explanation.viewpoint,
            compared=explanation.compared,
            threshold=HALF if setting.output == "decision" else setting.threshold,
        ),
    )


def remembered(values: Values) -> Values:
    """Return the same, with every set evaluated once."""
    known: dict[bytes, FloatVector] = {}

    def recalled(held: BoolMatrix) -> FloatMatrix:
        new = Distinct.of(held).held
        new = new[[one.tobytes() not in known for one in new]]
        if len(new):
            known.update(zip((one.tobytes() for one in new), values(new).T, strict=True))
        return np.column_stack([known[one.tobytes()] for one in held])

    return recalled


class Evaluated:
    """The measured parts of the objective, for Algorithm 3: U(v(T)) and the largest |Δ(v(T))|."""

    def __init__(self, measure: Measure, bar: tqdm | None = None) -> None:
        self._measure, self._bar = measure, bar
        self._known: dict[bytes, tuple[float, float]] = {}

    def alone(self, held: BoolVector) -> Appraisal:
        """Measure one set."""
        return self._appraised(held[None, :])

    def without(self, held: BoolVector, places: IntVector) -> Appraisal:
        """Measure a set without each of some of its paths."""
        sets = np.repeat(held[None, :], len(places), axis=0)
        sets[np.arange(len(places)), places] = False
        return self._appraised(sets)

    def _appraised(self, sets: BoolMatrix) -> Appraisal:
        keys = [one.tobytes() for one in sets]
        new = [k for k, key in enumerate(keys) if key not in self._known]
        if new:
            for k, one in zip(new, self._measure.measured(sets[new], self._bar), strict=True):
                self._known[keys[k]] = one.utility, max(map(abs, one.disparity))
        gain, gap = np.array([self._known[key] for key in keys]).T
        return Appraisal(gain, gap)
