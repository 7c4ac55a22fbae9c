"""Which path's contribution changed between two explanations: of two models, or of two periods."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fairpath.errors import DataError
from fairpath.explanation.display import BAR, MOST_ROWS
from fairpath.explanation.explanation import ByComparison, Explanation
from fairpath.explanation.quantities import Comparison, Numbers
from fairpath.explanation.tables import APART, REMAINDER
from fairpath.frames import as_table
from fairpath.game.players import PathLike, held
from fairpath.paths import Path
from fairpath.tally import Tally
from fairpath.uncertainty import Estimate, Estimates

DISPARITY = "disparity"

_REMAINDER, _APART, _PATHS = 0, 1, 2
"""Where things stand among the numbers that are compared."""

PAIRED = "the same people in both, divided alike: what both share cancels in the intervals"
DIVIDED = (
    "the same people in both, but divided otherwise, so that intervals of contributions are those "
    "of independent samples, too wide. Explain both with the same seed, intervals and links_from"
)
INDEPENDENT = "other people: taken as independent samples, whose variances add"


@dataclass(frozen=True, eq=False, repr=False)
class Change:
    """What changed from one explanation to another; made by `compare`.

    A change is always after minus before. A path of only one explanation carries nothing in the
    other, so that changes sum to the change of the disparity.

    Attributes
    ----------
    before, after
        The explanations.
    paths
        The paths of either, largest change first (in the first stratum that is compared).
    paired
        Whether intervals of contributions use that both are about the same parts of people.
    notes
        How intervals were made, and which paths are in one explanation only.
    """

    before: Explanation
    after: Explanation
    paths: tuple[Path, ...]
    paired: bool
    notes: tuple[str, ...]

    @property
    def disparity(self) -> ByComparison:
        """The change of Δ."""
        return self.after.by_comparison([self._disparity(one) for one in self.after.compared])

    @property
    def remainder(self) -> ByComparison:
        """The change of what no path carries."""
        return self._at(_REMAINDER)

    @property
    def apart(self) -> ByComparison | None:
        """The change of the base rates of, or the selection by, the outcome, where one applies."""
        if not any(one.view.apart for one in self.after.compared):
            return None
        return self._at(_APART)

    def contributions(self, stratum: object = None, outcome: object = None) -> Estimates:
        """Return the changes of contributions with their joint error, in the order of ``paths``.

        ``stratum`` and ``outcome`` as for `Explanation.contributions`.
        """
        found = self._estimates[self.after.comparison(stratum, outcome)]
        return Estimates(found.values[_PATHS:], found.deviations[:, _PATHS:], found.freedom)

    def contribution(
        self, paths: Iterable[PathLike], stratum: object = None, outcome: object = None
    ) -> Estimate:
        """Return the change of what some paths carry together."""
        member = held(self.paths, paths).astype(np.float64)[None, :]
        return self.contributions(stratum, outcome).sums(member)[0]

    def table(self) -> Any:  # noqa: ANN401 - the caller's frame type
        """Return a row for each path, largest change first, then what no path carries, then Δ.

        Columns: ``kind``, ``path``, ``stratum``, ``outcome`` (under equalized odds), ``before``,
        ``after`` (NaN where there is no such path), ``change`` with ``low`` and ``high``.
        """
        rows = [
            {"kind": kind, "path": name}
            | self._whom(compared)
            | {"before": before, "after": after}
            | {"change": change.value, "low": change.low, "high": change.high}
            for compared in self.after.compared
            for kind, name, before, after, change in self._rows(compared)
        ]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        return as_table(columns, self.after.setting.backend)

    def __repr__(self) -> str:
        lines = []
        for compared in self.after.compared:
            *rows, (_, _, before, after, change) = self._rows(compared)
            lines.append(f"{self._headline(compared)}: {before:.4f} → {after:.4f}, {_text(change)}")
            paths = [row for row in rows if row[0] == "path"]
            left = len(paths) - MOST_ROWS if len(paths) > MOST_ROWS + 1 else 0
            shown = paths[: len(paths) - left] + rows[len(paths) :]
            width = max(len(row[1]) for row in shown)
            largest = max(abs(row[4].value) for row in shown) or 1.0
            lines += [
                f"  {name:<{width}}  {_number(one)} → {_number(two)}  {_text(moved)}"
                f"  {'█' * round(BAR * abs(moved.value) / largest)}".rstrip()
                for _, name, one, two, moved in shown
            ]
            if left:
                lines.append(f"  … and {left} smaller changes: see .table()")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    @cached_property
    def _estimates(self) -> dict[Comparison, Estimates]:
        return {one: _differences(self, one) for one in self.after.compared}

    def _at(self, place: int) -> ByComparison:
        return self.after.by_comparison(
            [self._estimates[one][place] for one in self.after.compared]
        )

    def _rows(self, compared: Comparison) -> Iterator[tuple[str, str, float, float, Estimate]]:
        """Yield kind, name, both sides and the change of each row of the table."""
        change = self._estimates[compared]
        sides = [
            _picked(one, compared, self.paths, absent=np.nan).values
            for one in (self.before, self.after)
        ]
        names = [REMAINDER, compared.view.apart or "", *map(str, self.paths)]
        order = _PATHS + np.argsort(-np.abs(change.values[_PATHS:]), kind="stable")
        places = [("path", place) for place in order.tolist()]
        if compared.view.apart is not None:
            places.append((APART, _APART))
        places.append((REMAINDER, _REMAINDER))
        for kind, place in places:
            before, after = (float(side[place]) for side in sides)
            yield kind, names[place], before, after, change[place]
        before, after = (_delta(one, compared) for one in (self.before, self.after))
        yield DISPARITY, DISPARITY, before, after, self._disparity(compared)

    def _disparity(self, compared: Comparison) -> Estimate:
        """Return the change of Δ: from pairs of rows, pairs of parts, or two samples."""
        value = np.array([_delta(self.after, compared) - _delta(self.before, compared)])
        pair = (self.before, self.after)
        if not all(one.replicates for one in pair):
            return Estimates(value, np.zeros((0, 1)), 0.0)[0]
        kept = [one.kept for one in pair]
        if self.before.people.are(self.after.people) and None not in kept:
            error = _error_of_pairs(self, compared)
        elif self.paired:
            before, after = (one.estimates_at(compared) for one in pair)
            place = Numbers(len(self.after.paths)).disparity
            moved = after.deviations[:, [place]] - before.deviations[:, [place]]
            return Estimates(value, moved, after.freedom)[0]
        else:
            errors = [_error_of_sample(one, compared) for one in pair]
            error = float(np.hypot(errors[0], errors[1]))
        return Estimates(value, np.array([[error]]), np.inf)[0]

    def _whom(self, compared: Comparison) -> dict[str, Any]:
        whom: dict[str, Any] = {"stratum": self.after.levels[compared.stratum]}
        if compared.view.outcome is not None:
            whom["outcome"] = compared.view.outcome
        return whom

    def _headline(self, compared: Comparison) -> str:
        one = self.after
        name = one.viewpoint.name
        if compared.view.outcome is not None:
            favoured = "" if compared.view.outcome else "not "
            name += f" among {one.setting.outcome} = {favoured}{one.setting.favourable}"
        return (
            f"change of {name}, {one.setting.output}: {one.setting.sensitive} = "
            f"{one.levels[compared.stratum]} minus {one.levels[one.reference]}"
        )


def compare(before: Explanation, after: Explanation) -> Change:
    """Return which path's contribution changed from one explanation to another.

    Two models explained on the same people are compared part by part of these, so that what both
    share cancels in the intervals. Whether people are the same is seen from digests of the columns
    that both explanations know. Explanations of other people are independent samples: variances
    add, and t quantiles are those of the smaller number of degrees of freedom.

    Parameters
    ----------
    before, after
        Explanations of the same disparity of the same output, as made by `explain` or `load`;
        their graphs, paths and models may differ.
    """
    for one in (before, after):
        if not isinstance(one, Explanation):
            raise DataError(f"compare() needs two explanations, got {type(one).__name__}.")
    _check_alike(before, after)
    paths = (*after.paths, *(p for p in before.paths if _key(p) not in {*map(_key, after.paths)}))
    paired = before.people.are_divided_like(after.people)
    how = PAIRED if paired else DIVIDED if before.people.are(after.people) else INDEPENDENT
    notes = [how] if before.replicates and after.replicates else ["no intervals: one has none"]
    for one, when in ((before, "before"), (after, "after")):
        known = {_key(path) for path in one.paths}
        notes += [
            f"no path {path} {when}: it counts as 0 there"
            for path in paths
            if _key(path) not in known
        ]
    found = Change(before, after, paths, paired, tuple(notes))
    order = np.argsort(-np.abs(found.contributions().values), kind="stable")
    return Change(before, after, tuple(paths[i] for i in order), paired, tuple(notes))


def _key(path: Path) -> object:
    return path.nodes, path.longer


def _differences(change: Change, compared: Comparison) -> Estimates:
    """Return the changes of the remainder, what stands apart, and contributions, jointly."""
    before, after = (
        _picked(one, compared, change.paths, absent=0.0) for one in (change.before, change.after)
    )
    values, freedom = after.values - before.values, min(before.freedom, after.freedom)
    if not freedom:
        deviations = np.zeros((0, len(values)))
    elif change.paired:
        # Row by row the same part in both, or the shift of all: deviations are linear in numbers.
        deviations = after.deviations - before.deviations
    else:
        deviations = np.concatenate([after.deviations, -before.deviations])
    return Estimates(values, deviations, freedom)


def _picked(
    explanation: Explanation, compared: Comparison, paths: Iterable[Path], *, absent: float
) -> Estimates:
    """Return the remainder, what stands apart, and the contributions of some paths."""
    found = explanation.estimates_at(compared)
    place = Numbers(len(explanation.paths))
    known = {_key(path): place.contributions.start + i for i, path in enumerate(explanation.paths)}
    nowhere = len(found.values)
    places = [place.remainder, place.apart, *(known.get(_key(path), nowhere) for path in paths)]
    return Estimates(
        np.append(found.values, absent)[places],
        np.column_stack([found.deviations, np.zeros(len(found.deviations))])[:, places],
        found.freedom,
    )


def _delta(explanation: Explanation, compared: Comparison) -> float:
    place = Numbers(len(explanation.paths)).disparity
    return float(explanation.estimates_at(compared).values[place])


def _error_of_sample(explanation: Explanation, compared: Comparison) -> float:
    """Return the standard error of Δ, which no link enters."""
    inside = explanation.tally.among(compared.view.outcomes)
    factual = len(explanation.paths)
    covariance = inside.covariance(compared.stratum, compared.reference)
    return float(np.sqrt(covariance[factual, factual]))


def _error_of_pairs(change: Change, compared: Comparison) -> float:
    """Return the standard error of the change of Δ from the change of each row's output."""
    before, after = change.before.kept, change.after.kept
    assert before is not None  # noqa: S101 - both were asked for
    assert after is not None  # noqa: S101
    moved = after.factual - before.factual
    rows = np.flatnonzero(~np.isnan(moved))
    tally = Tally.of(
        moved[rows, None],
        strata=after.strata[rows],
        outcomes=after.favoured[rows],
        weights=after.weights[rows],
        shape=(len(change.after.levels), 2),
        n_products=1,
    ).among(compared.view.outcomes)
    return float(np.sqrt(tally.covariance(compared.stratum, compared.reference)[0, 0]))


def _check_alike(before: Explanation, after: Explanation) -> None:
    """Refuse explanations of two different questions."""
    asked = [_question(one) for one in (before, after)]
    differing = [
        f"{name}: {asked[0][name]} before, {asked[1][name]} after"
        for name in asked[0]
        if asked[0][name] != asked[1][name] and None not in (asked[0][name], asked[1][name])
    ]
    if differing:
        raise DataError(
            "compare() needs two explanations of the same disparity of the same output. They "
            f"differ in {'; in '.join(differing)}. Explain both with the same options."
        )


def _question(one: Explanation) -> dict[str, Any]:
    """Return what must be the same in both; None where it plays no role."""
    setting, view = one.setting, one.viewpoint
    looks = view.signs is not None
    return {
        "the sensitive attribute": setting.sensitive,
        "its levels": one.levels,
        "the reference": one.levels[one.reference],
        "the disparity": view.name,
        "how the outcome enters": tuple(view.signs.tolist()) if view.signs is not None else (),
        "the conditioning": setting.conditioning if looks else None,
        "the outcome": setting.outcome if looks else None,
        "the favourable outcome": setting.favourable,
        "the output": setting.output,
        "the threshold": setting.threshold if setting.output == "decision" else None,
    }


def _number(value: float) -> str:
    return f"{'–':^7}" if np.isnan(value) else f"{value:+.4f}"


def _text(change: Estimate) -> str:
    if np.isnan(change.low):
        return f"{change.value:+.4f}"
    return f"{change.value:+.4f} [{change.low:+.4f}, {change.high:+.4f}]"
