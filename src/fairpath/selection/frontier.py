"""The result of path selection: which paths are kept at which λ, and what that does."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairpath.errors import DataError
from fairpath.explanation import Explanation
from fairpath.frames import as_table
from fairpath.game.players import held as held_among
from fairpath.paths import Path
from fairpath.selection import display
from fairpath.selection.measure import Measure
from fairpath.selection.mixture import Mixture, best_of_outputs
from fairpath.selection.rows import Measured
from fairpath.vocabulary import BoolVector


@dataclass(frozen=True)
class Predicted:
    """What contributions add up to: an approximation of what is `Measured`.

    Attributes
    ----------
    loss
        The objective L(T); it leaves the remainder out, as the paper's does.
    utility
        Ψ(∅) + Σ Ψ.
    carried
        Σ Φ over the kept paths, one for each comparison.
    remainder
        The disparity of v(∅), which no path carries, one for each comparison.
    """

    loss: float
    utility: float
    carried: tuple[float, ...]
    remainder: tuple[float, ...]

    @property
    def disparity(self) -> tuple[float, ...]:
        """What is carried, and the remainder: an estimate of Δ(v(T))."""
        return tuple(a + b for a, b in zip(self.carried, self.remainder, strict=True))


@dataclass(frozen=True)
class Point:
    """One selection.

    Attributes
    ----------
    fairness_weight
        λ; in a full sweep the one from which on this is selected.
    kept, removed
        T* and the other paths, in the order of the explanation.
    predicted, measured
        Numbers of v(T*): as contributions add up, and as the model says; the latter is None where
        the explanation no longer knows its model.
    """

    fairness_weight: float
    kept: tuple[Path, ...]
    removed: tuple[Path, ...]
    predicted: Predicted
    measured: Measured | None


@dataclass(frozen=True, eq=False, repr=False)
class Frontier:
    """Selections for several λ, made by `select_paths`.

    Print it to see which path goes at which λ.

    Attributes
    ----------
    points
        One for each λ that was asked for, ascending; in a full sweep one for each selection.
    paths
        All paths, in the order of the explanation.
    always_kept, always_dropped
        Paths that were no choice.
    swept
        Whether the points are all that there are, rather than those of some λ.
    method, objective
        As given to `select_paths`.
    comparisons
        What is compared with what, in words; the order of every disparity here.
    headline
        Disparity and output, in words.
    notes
        What was assumed.
    backend
        The library of the caller's tables.
    measure
        Asks the model about further sets; None where the explanation no longer knows it.
    """

    points: tuple[Point, ...]
    paths: tuple[Path, ...]
    always_kept: tuple[Path, ...]
    always_dropped: tuple[Path, ...]
    swept: bool
    method: str
    objective: str
    comparisons: tuple[str, ...]
    headline: str
    notes: tuple[str, ...]
    backend: str
    measure: Measure | None = None

    def at(self, fairness_weight: float) -> Point:
        """Return the selection for one λ.

        Of a full sweep any λ, else one of those that were asked for.
        """
        weights = [point.fairness_weight for point in self.points]
        if fairness_weight in weights:
            return self.points[weights.index(fairness_weight)]
        if not self.swept or not fairness_weight > 0:
            known = ", ".join(f"{weight:.6g}" for weight in weights)
            raise DataError(
                f"There is no selection for fairness_weight={fairness_weight!r}; there are: "
                f"{known}. Name it in select_paths(…, fairness_weights=[…])."
            )
        below = sum(weight <= fairness_weight for weight in weights)
        # Between zero and the smallest λ that was tried the selection is that of the latter.
        starts_at_zero = weights[0] == 0 and len(weights) > 1
        return self.points[max(below - 1, int(starts_at_zero))]

    def kept(self, fairness_weight: float) -> tuple[Path, ...]:
        """Return T* for one λ; see `at`."""
        return self.at(fairness_weight).kept

    def held(self, point: Point) -> BoolVector:
        """Return which of ``paths`` a selection keeps."""
        return held_among(self.paths, point.kept)

    def within(self, max_disparity: float) -> Mixture:
        """Return the most useful selection, or mixture of two, within ``max_disparity``.

        Δ is that of the explained output. A mixture answers with w v(T₁) + (1 - w) v(T₂) of
        neighbouring selections, so that every disparity between theirs is met exactly.
        """
        check_disparity(max_disparity)
        if self.measure is None:
            raise DataError(
                "Only measured numbers can be held within a limit, and this explanation no longer "
                "knows its model. Explain again, then select paths."
            )
        found = [point.measured for point in self.points if point.measured is not None]
        shares = best_of_outputs(found, max_disparity)
        sets = np.array([self.held(self.points[k]) for k, _ in shares])
        values = self.measure.values(sets) @ np.array([share for _, share in shares])
        (measured,) = self.measure.rows.measured(values[:, None])
        return Mixture(tuple((share, self.points[k].kept) for k, share in shares), measured)

    def table(self) -> Any:  # noqa: ANN401 - the caller's frame type
        """Return a row for each point, in the caller's frame type.

        Columns: ``fairness_weight`` λ, how many paths are ``kept``, which were ``removed`` or
        ``restored`` since the row before, the ``objective``, then ``predicted_utility``, what is
        ``carried``, ``predicted_disparity``, and measured ``utility``, ``disparity``,
        ``accuracy`` and ``decision_disparity`` (NaN where the model is not known). Of several
        comparisons the one with the largest absolute value is shown.
        """
        rows = display.rows_of(self)
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        return as_table(columns, self.backend)

    def __repr__(self) -> str:
        return display.as_text(self)

    def _repr_html_(self) -> str:
        return display.as_html(self)


def in_words(explanation: Explanation) -> tuple[str, tuple[str, ...]]:
    """Say what a disparity is of, and what is compared with what."""
    setting, levels = explanation.setting, explanation.levels
    compared = []
    for one in explanation.compared:
        text = f"{setting.sensitive} = {levels[one.stratum]} minus {levels[one.reference]}"
        if one.view.outcome is not None:
            given = f"{setting.favourable}" if one.view.outcome else f"not {setting.favourable}"
            text += f" among {setting.outcome} = {given}"
        compared.append(text)
    return f"{explanation.viewpoint.name}, {setting.output}", tuple(compared)


def check_disparity(limit: object) -> None:
    """Refuse what is no upper limit of an absolute difference."""
    is_number = isinstance(limit, int | float | np.number) and not isinstance(limit, bool)
    if not is_number or not 0 <= limit < np.inf:  # type: ignore[operator]
        raise DataError(f"max_disparity must be a number of at least 0, got {limit!r}.")
