"""The columns of the tables that an explanation gives."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fairpath.explanation.quantities import Numbers
from fairpath.uncertainty import Estimates

if TYPE_CHECKING:
    from fairpath.explanation.explanation import Explanation

REMAINDER = "remainder"


def by_path(explanation: "Explanation") -> dict[str, list[Any]]:
    """Return a row for each path and stratum, and one for each remainder."""
    rows: list[dict[str, Any]] = []
    for position in explanation.compared:
        found, stratum = explanation.estimates_at(position), explanation.levels[position]
        place = Numbers(len(explanation.paths))
        band = explanation.band(stratum)
        order = np.argsort(-np.abs(found.values[place.contributions]), kind="stable")
        rows += [
            {
                "kind": "path",
                "path": str(explanation.paths[i]),
                "route": explanation.paths[i].kind,
                "stratum": stratum,
            }
            | _contribution(found, place.contributions.start + i, band)
            | _named("utility", found, place.utilities.start + i)
            | _named("disparity_if_cut", found, place.disparities_if_cut.start + i)
            | _named("utility_if_cut", found, place.utilities_if_cut.start + i)
            for i in order.tolist()
        ]
        rows.append(
            {"kind": REMAINDER, "path": REMAINDER, "route": None, "stratum": stratum}
            | _contribution(found, place.remainder, float("nan"))
            | _named("utility", found, place.base_utility)
            | dict.fromkeys(_with_ends("disparity_if_cut"), float("nan"))
            | dict.fromkeys(_with_ends("utility_if_cut"), float("nan"))
        )
    return {name: [row[name] for row in rows] for name in rows[0]}


def summed(explanation: "Explanation", name: str, labels: Sequence[str]) -> dict[str, list[Any]]:
    """Return a row for each label and stratum: the sum over the paths that bear it."""
    distinct = list(dict.fromkeys(labels))
    members = np.array([[label == one for label in labels] for one in distinct], dtype=np.float64)
    members = members.reshape(len(distinct), len(labels))
    place = Numbers(len(labels))
    names = [name, "stratum", "paths", "contribution", "low", "high", "share"]
    rows: list[dict[str, Any]] = []
    for position in explanation.compared:
        found = explanation.estimates_at(position)
        sums = _part(found, place.contributions).sums(members)
        gains = _part(found, place.utilities).sums(members)
        disparity = found.values[place.disparity]
        rows += [
            {
                name: distinct[i],
                "stratum": explanation.levels[position],
                "paths": int(members[i].sum()),
            }
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
