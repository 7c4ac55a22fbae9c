"""The columns of the tables that an explanation gives."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fairpath.explanation.measures import Unit, factor
from fairpath.explanation.quantities import Comparison, Numbers
from fairpath.uncertainty import Estimates

if TYPE_CHECKING:
    from fairpath.explanation.explanation import Explanation

REMAINDER = "remainder"
APART = "outcome"


def by_path(explanation: "Explanation", unit: Unit) -> dict[str, list[Any]]:
    """Return a row for each path and comparison, and what no path carries."""
    rows: list[dict[str, Any]] = []
    for compared in explanation.compared:
        by = factor(explanation, compared, unit)
        rows += [_in_unit(row, by) for row in _of_comparison(explanation, compared)]
    return {name: [row[name] for row in rows] for name in rows[0]}


def _of_comparison(explanation: "Explanation", compared: Comparison) -> Iterator[dict[str, Any]]:
    found, bearer = explanation.estimates_at(compared), explanation.bearer(compared)
    place, nothing = Numbers(len(explanation.paths)), float("nan")
    band = explanation.band(explanation.levels[compared.stratum], compared.view.outcome)
    order = np.argsort(-np.abs(found.values[place.contributions]), kind="stable")
    for i in order.tolist():
        path = explanation.paths[i]
        yield (
            {"kind": "path", "path": str(path), "route": path.kind}
            | bearer
            | _contribution(found, place.contributions.start + i, band)
            | named("utility", found, place.utilities.start + i)
            | named("disparity_if_cut", found, place.disparities_if_cut.start + i)
            | named("utility_if_cut", found, place.utilities_if_cut.start + i)
        )
    uncut = (*with_ends("disparity_if_cut"), *with_ends("utility_if_cut"))
    if compared.view.apart is not None:
        yield (
            {"kind": APART, "path": compared.view.apart, "route": None}
            | bearer
            | _contribution(found, place.apart, nothing)
            | dict.fromkeys((*with_ends("utility"), *uncut), nothing)
        )
    yield (
        {"kind": REMAINDER, "path": REMAINDER, "route": None}
        | bearer
        | _contribution(found, place.remainder, nothing)
        | named("utility", found, place.base_utility)
        | dict.fromkeys(uncut, nothing)
    )


def _in_unit(row: dict[str, Any], factor: float) -> dict[str, Any]:
    """Count what is a difference in another unit; utilities and shares stay."""
    counted = {"contribution", "low", "high", "standard_error", "band_low", "band_high"}
    counted |= {*with_ends("disparity_if_cut")}
    return {name: value * factor if name in counted else value for name, value in row.items()}


def summed(explanation: "Explanation", name: str, labels: Sequence[str]) -> dict[str, list[Any]]:
    """Return a row for each label and stratum: the sum over the paths that bear it."""
    distinct = list(dict.fromkeys(labels))
    members = np.array([[label == one for label in labels] for one in distinct], dtype=np.float64)
    members = members.reshape(len(distinct), len(labels))
    place = Numbers(len(labels))
    names = [name, *explanation.bearer(explanation.compared[0])]
    names += ["paths", "contribution", "low", "high", "share"]
    rows: list[dict[str, Any]] = []
    for compared in explanation.compared:
        found = explanation.estimates_at(compared)
        bearer = explanation.bearer(compared)
        sums = _part(found, place.contributions).sums(members)
        gains = _part(found, place.utilities).sums(members)
        disparity = found.values[place.disparity]
        rows += [
            {name: distinct[i], **bearer, "paths": int(members[i].sum())}
            | named("contribution", sums, i, prefix="")
            | {"share": _share(sums.values[i], disparity)}
            | named("utility", gains, i)
            for i in np.argsort(-np.abs(sums.values), kind="stable").tolist()
        ]
    names += with_ends("utility")
    return {column: [row[column] for row in rows] for column in names}


def _contribution(found: Estimates, position: int, band: float) -> dict[str, Any]:
    low, high = found.intervals(band)
    return (
        named("contribution", found, position, prefix="")
        | {"standard_error": float(found.standard_errors[position])}
        | {"band_low": float(low[position]), "band_high": float(high[position])}
        | {"share": _share(found.values[position], found.values[0])}
    )


def named(
    name: str, found: Estimates, position: int, prefix: str | None = None
) -> dict[str, float]:
    """Return a number and the ends of its interval."""
    estimate = found[position]
    numbers = (estimate.value, estimate.low, estimate.high)
    return dict(zip(with_ends(name, prefix), numbers, strict=True))


def with_ends(name: str, prefix: str | None = None) -> list[str]:
    """Return the names of a number and of the ends of its interval."""
    before = f"{name}_" if prefix is None else prefix
    return [name, f"{before}low", f"{before}high"]


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole else float("nan")


def _part(found: Estimates, place: slice) -> Estimates:
    return Estimates(found.values[place], found.deviations[:, place], found.freedom)
