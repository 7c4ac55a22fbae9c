"""How sure the numbers are, and what would change them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from fairpath.errors import DataError
from fairpath.explanation import Explanation, calibration
from fairpath.explanation.quantities import Comparison, Numbers
from fairpath.plots.canvas import disparity_at
from fairpath.report.comparing import Room, each, records, rows_of
from fairpath.report.made import without_addresses
from fairpath.report.markup import Markup, details, element, items, label, phrase, table
from fairpath.report.numbers import INTERVAL, NOTHING, Style, percent
from fairpath.report.remainder import cross_fitted
from fairpath.uncertainty import Estimate

MOST_CHECKED = 200
"""Rows of the table of a check that the page shows."""

NO_INTERVALS = (
    "No intervals were computed, so nothing here says how far the numbers would differ in another "
    "sample. Explain again with intervals='refit'."
)

NOT_IN_THE_INTERVALS = (
    "a wrong graph: a missing edge, a wrong direction, a feature that stands for another",
    "a common cause that nobody observed",
    "how a person's own noise is carried from one world to another, which no data can show",
    "people who are not like those that were explained",
)


@dataclass(frozen=True)
class Again:
    """What the model and the links are asked again for the report.

    Attributes
    ----------
    calibration
        The rows of the table, or why there is none.
    remainder
        With links from other rows, where that says something new.
    """

    calibration: list[dict[str, Any]] | str
    remainder: dict[Comparison, Estimate]

    @classmethod
    def of(cls, explanation: Explanation) -> "Again":
        """Ask them."""
        try:
            found: list[dict[str, Any]] | str = list(rows_of(calibration(explanation)))
        except DataError as error:
            found = str(error)
        return cls(found, cross_fitted(explanation))


def certainty(explanation: Explanation, again: Again, checks: Sequence[Any], room: Room) -> Markup:
    """Return intervals, the remainder, the calibration of links, checks, and notes."""
    bands = explanation.table()

    def told(_: int, compared: Comparison) -> Markup:
        return phrase(
            _numbers(explanation, compared, again.remainder.get(compared)),
            _bands(explanation, records(explanation, bands, compared), room.rows),
        )

    return phrase(
        element("p", _about_intervals(explanation)),
        each(explanation, told),
        element("h3", "Are the links right?"),
        _calibration(again.calibration),
        element("h3", "What else was checked"),
        *map(_check, checks),
        ""
        if checks
        else element("p", "No further checks were passed to this report.", class_="missing"),
        element("h3", "What no interval here contains"),
        items(NOT_IN_THE_INTERVALS),
        element(
            "p",
            "Contributions are statements about the model in the world that the graph and the "
            "links describe. They are no legal verdict on a path or a person.",
        ),
        element("h3", "What was assumed or decided on the way"),
        items(explanation.notes) if explanation.notes else element("p", "Nothing was noted."),
    )


def _about_intervals(explanation: Explanation) -> str:
    if not explanation.replicates:
        return NO_INTERVALS
    n_parts = len(explanation.replicates[0])
    n_times = len(explanation.replicates)
    times = f", {n_times} times over" if n_times > 1 else ""
    return (
        "Intervals hold the true number in about 95 of 100 samples. They contain the error of "
        f"the links: the rows were divided into {n_parts} parts{times}, and each part was "
        "explained with links learned from it alone."
    )


def _numbers(explanation: Explanation, compared: Comparison, again: Estimate | None) -> Markup:
    """Return the disparity, what no path carries, and the utility."""
    found = explanation.estimates_at(compared)
    place = Numbers(len(explanation.paths))
    delta = disparity_at(explanation, compared)
    rows: list[tuple[object, Estimate]] = [("disparity Δ", delta)]
    if compared.view.apart is not None:
        rows.append((compared.view.apart, found[place.apart]))
    left = found[place.remainder]
    rows.append(("remainder: what no path carries", left))
    if again is not None:
        rows.append(("remainder with links from other rows", again))
    if explanation.utility is not None and explanation.base_utility is not None:
        rows.append(("utility of the model", explanation.utility))
        rows.append(("utility with all paths cut", explanation.base_utility))
    style = Style.of([one.value for _, one in rows])
    written = [(name, style.plain(one.value), style.interval(one) or NOTHING) for name, one in rows]
    heads = ("number", "value", INTERVAL)
    return phrase(
        table("Numbers that are no path's", heads, written, class_="small"),
        element("p", _about_the_remainder(left, delta, again)),
    )


def _about_the_remainder(left: Estimate, delta: Estimate, again: Estimate | None) -> str:
    if not delta.value:
        return ""
    text = f"The remainder is {percent(left.value / delta.value)} of the difference"
    if isfinite(left.standard_error) and left.standard_error > 0:
        text += f" and {abs(left.value / left.standard_error):.1f} standard errors from zero"
    if again is not None and again.standard_error > 0:
        far = abs(again.value / again.standard_error)
        text += f"; with links from other rows it is {far:.1f} standard errors from zero"
    return f"{text}. One that is clearly not zero says that the graph or the links miss something."


def _bands(explanation: Explanation, rows: list[dict[str, Any]], most: int) -> Markup:
    """Return intervals that hold for all paths at once."""
    paths = [row for row in rows if row["kind"] == "path"][:most]
    if not explanation.replicates or not paths:
        return phrase()
    style = Style.of([row["contribution"] for row in paths])
    told = [
        (
            label(row["path"]),
            style.signed(row["contribution"]),
            *(
                style.interval(Estimate(row["contribution"], row[low], row[high], 0.0)) or NOTHING
                for low, high in (("low", "high"), ("band_low", "band_high"))
            ),
        )
        for row in paths
    ]
    heads = ("path", "contribution", "interval of this path", "band of all paths at once")
    caption = "Intervals hold for one path at a time, bands for all paths together"
    return details("Bands for all paths at once", table(caption, heads, told))


def _calibration(found: list[dict[str, Any]] | str) -> Markup:
    """Return how well links say what held-out rows are like."""
    if isinstance(found, str):
        return element("p", found, class_="missing")
    has_outcome = "outcome" in found[0]
    overall = [row for row in found if row["stratum"] == "all" and isfinite(row["distance"])]
    intro = (
        "A link says how a feature follows from its causes. Each learned from four fifths of its "
        "rows; the ranks of held-out values among those that it generates should be uniform. "
        "Distance is the largest difference from that: 0.02 moves two of a hundred people to "
        "another rank. Small p-values with small distances are usual where there are many rows."
    )
    worst = ""
    if overall:
        far = max(overall, key=lambda row: row["distance"])
        worst = phrase(
            " The farthest is that of ", label(far["feature"]), f", {far['distance']:.3f}."
        )
    heads = ["feature", "link", "stratum", "rows", "distance", "p-value"]
    heads += ["outcome"] if has_outcome else []
    told = [
        (
            label(row["feature"]),
            str(row["link"]),
            label(row["stratum"]),
            f"{row['rows']:,}",
            _number(row["distance"]),
            _number(row["p_value"]),
            *([str(row["outcome"])] if has_outcome else []),
        )
        for row in found
    ]
    caption = "Calibration of each link on held-out rows"
    written = table(caption, heads, told)
    return phrase(element("p", intro, worst), details("Calibration of each link", written))


def _check(one: Any) -> Markup:  # noqa: ANN401 - anything with a table
    """Return the verdict and the table of a check."""
    verdict = getattr(one, "verdict", None)
    said = verdict if isinstance(verdict, str) else without_addresses(repr(one))
    rows = list(rows_of(one.table()))
    name = _title(type(one).__name__)
    if not rows:
        return phrase(element("h4", name), element("pre", said))
    heads = list(rows[0])
    told = [[_cell(row[head]) for head in heads] for row in rows[:MOST_CHECKED]]
    left = len(rows) - len(told)
    more = f" (the first {MOST_CHECKED} of {len(rows)} rows)" if left else ""
    titled = f"{name}{more}"
    body = element("p", said) if isinstance(verdict, str) else element("pre", said)
    return element(
        "section",
        element("h4", name),
        body,
        details("Its table", table(titled, [head.replace("_", " ") for head in heads], told)),
        class_="check",
    )


def _title(name: str) -> str:
    """Write the name of a class as words.

    >>> _title("HiddenConfounding")
    'Hidden confounding'
    """
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name)
    return words.strip().capitalize()


def _cell(value: object) -> object:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: NOTHING}[value]
    if isinstance(value, float):
        return _number(value)
    return label(value)


def _number(value: float) -> str:
    """Write a number that is alone.

    >>> _number(0.00031), _number(12.5), _number(float("nan"))
    ('0.00031', '12.5', '–')
    """
    if not isfinite(value):
        return NOTHING
    return f"{value:.4g}".replace("-", "\N{MINUS SIGN}")
