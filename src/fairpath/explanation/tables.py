"""The columns of the tables that an explanation gives."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fairpath.explanation.quantities import Comparison, Numbers
from fairpath.uncertainty import Estimates

if TYPE_CHECKING:
    from fairpath.explanation.explanation import Explanation

REMAINDER = "remainder"
APART = "outcome"


def by_path(explanation: "Explanation") -> dict[str, list[Any]]:
    """Return a row for each path and stratum, and one for each remainder."""
    rows: list[dict[str, Any]] = []
    for compared in explanation.compared:
        found, bearer = explanation.estimates_at(compared), _bearer(explanation, compared)
        place = Numbers(len(explanation.paths))
        band = explanation.band(explanation.levels[compared.stratum], compared.view.outcome)
        order = np.argsort(-np.abs(found.values[place.contributions]), kind="stable")
        rows += [
            {
                "kind": "path",
                "path": str(explanation.paths[i]),
                "route": explanation.paths[i].kind,
            }
            | bearer
            | _contribution(found, place.contributions.start + i, band)
            | _named("utility", found, place.utilities.start + i)
            | _named("disparity_if_cut", found, place.disparities_if_cut.start + i)
            | _named("utility_if_cut", found, place.utilities_if_cut.start + i)
            for i in order.tolist()
        ]
        nothing = float("nan")
        without = dict.fromkeys(
            (*_with_ends("disparity_if_cut"), *_with_ends("utility_if_cut")), nothing
        )
        if compared.view.apart is not None:
            rows.append(
                {"kind": APART, "path": compared.view.apart, "route": None}
                | bearer
                | _contribution(found, place.apart, nothing)
                | dict.fromkeys(_with_ends("utility"), nothing)
                | without
            )
        rows.append(
            {"kind": REMAINDER, "path": REMAINDER, "route": None}
            | bearer
            | _contribution(found, place.remainder, nothing)
            | _named("utility", found, place.base_utility)
            | without
        )
    return {name: [row[name] for row in rows] for name in rows[0]}


def _bearer(explanation: "Explanation", compared: Comparison) -> dict[str, Any]:
    """Return whom a row is about."""
    bearer: dict[str, Any] = {"stratum": explanation.levels[compared.stratum]}
    if compared.view.outcome is not None:
        bearer["outcome"] = compared.view.outcome
    return bearer


def summed(explanation: "Explanation", name: str, labels: Sequence[str]) -> dict[str, list[Any]]:
    """Return a row for each label and stratum: the sum over the paths that bear it."""
    distinct = list(dict.fromkeys(labels))
    members = np.array([[label == one for label in labels] for one in distinct], dtype=np.float64)
    members = members.reshape(len(distinct), len(labels))
    place = Numbers(len(labels))
    names = [name, *_bearer(explanation, explanation.compared[0])]
    names += ["paths", "contribution", "low", "high", "share"]
    rows: list[dict[str, Any]] = []
    for compared in explanation.compared:
        found = explanation.estimates_at(compared)
        bearer = _bearer(explanation, compared)
        sums = _part(found, place.contributions).sums(members)
        gains = _part(found, place.utilities).sums(members)
        disparity = found.values[place.disparity]
        rows += [
            {name: distinct[i], **bearer, "paths": int(members[i].sum())}
            | _named("contribution", sums, i, prefix="")
            | {"share": _share(sums.values[i], disparity)}
            | _named("utility", gains, i)
            for i in np.argsort(-np.abs(sums.values), kind="stable").tolist()
        ]
    names += _with_ends("utility")
    return {column: [row[column] for row in rows] for column in names}


def _contribution(found: Estimates, position: int, band: float) -> dict[str, Any]:
    low, high = found.intervals(band)
    return (
        _named("contribution", found, position, prefix="")
        | {"standard_error": float(found.standard_errors[position])}
        | {"band_low": float(low[position]), "band_high": float(high[position])}
        | {"share": _share(found.values[position], found.values[0])}
    )


def _named(
    name: str, found: Estimates, position: int, prefix: str | None = None
) -> dict[str, float]:
    """Return a number and the ends of its interval."""
    estimate = found[position]
    numbers = (estimate.value, estimate.low, estimate.high)
    return dict(zip(_with_ends(name, prefix), numbers, strict=True))


def _with_ends(name: str, prefix: str | None = None) -> list[str]:
    before = f"{name}_" if prefix is None else prefix
    return [name, f"{before}low", f"{before}high"]


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole else float("nan")


def _part(found: Estimates, place: slice) -> Estimates:
    return Estimates(found.values[place], found.deviations[:, place], found.freedom)
