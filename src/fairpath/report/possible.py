"""What can be done: the frontier of path selection, as a table, a picture and a slider."""

from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from fairpath.errors import DataError
from fairpath.explanation import Explanation
from fairpath.explanation.quantities import Numbers
from fairpath.paths import Path
from fairpath.report.markup import Markup, details, element, items, listed, path, phrase, scrolling
from fairpath.report.numbers import NOTHING, Style
from fairpath.selection import Frontier, Point

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560.0, 240.0, 62.0, 16.0, 14.0, 40.0

MOST_NAMED = 4
"""Of the paths that go or come back; longer lists are folded away."""

NO_FRONTIER = (
    "No selection of paths was passed to this report. The table of paths says what would remain of "
    "the difference, and of the utility, if one path alone were cut; "
    "write_report(…, frontier=select_paths(explanation)) adds what happens if several are."
)


@dataclass(frozen=True)
class Written:
    """What is written of a selection; accuracy only where the model was asked."""

    utility: float
    disparity: float
    accuracy: float
    decision_disparity: float

    @classmethod
    def of(cls, point: Point) -> "Written":
        """Take what the model says, or else what contributions add up to."""
        found = point.measured
        if found is None:
            added = point.predicted
            return cls(added.utility, _largest(added.disparity), nan, nan)
        return cls(
            found.utility,
            _largest(found.disparity),
            found.accuracy,
            _largest(found.decision_disparity),
        )


def _largest(numbers: tuple[float, ...]) -> float:
    return max(numbers, key=abs)


def check_frontier(explanation: Explanation, frontier: object) -> Frontier | None:
    """Refuse what is no selection from the paths of the explanation."""
    if frontier is None:
        return None
    if not isinstance(frontier, Frontier):
        raise DataError(
            f"frontier= takes what select_paths(explanation) returned, got "
            f"{type(frontier).__name__}."
        )
    if frontier.paths != explanation.paths or not _adds_up(explanation, frontier.points[0]):
        raise DataError(
            "frontier= belongs to another explanation: its paths, or what they carry, are others. "
            "Give select_paths(explanation) of this one."
        )
    return frontier


def _adds_up(explanation: Explanation, point: Point) -> bool:
    """Whether what the kept paths of a selection carry is what the explanation says."""
    place = Numbers(len(explanation.paths)).contributions
    held = explanation.held(point.kept)
    carried = [explanation.estimates_at(one).values[place] @ held for one in explanation.compared]
    found = point.predicted.carried
    return len(found) == len(carried) and bool(np.allclose(found, carried, atol=1e-9))


def selection(explanation: Explanation, frontier: Frontier | None) -> Markup:
    """Return the frontier, if there is one."""
    if frontier is None:
        return element("p", NO_FRONTIER, class_="missing")
    numbers = [Written.of(point) for point in frontier.points]
    measured = all(point.measured is not None for point in frontier.points)
    return phrase(
        element("p", _intro(measured=measured)),
        _slider(frontier),
        element(
            "figure",
            scrolling("utility beside the difference", _picture(numbers)),
            element(
                "figcaption",
                "Each point is a selection: to the left less difference, to the top more "
                "utility. The numbers are those of the table.",
            ),
            class_="frontier",
        ),
        _table(explanation, frontier, numbers, measured=measured),
        element("ul", *(element("li", note) for note in _notes(frontier))),
    )


def _intro(*, measured: bool) -> Markup:
    told = (
        "Numbers are measured on the model, asked with only the kept paths carrying a person's "
        "own level."
        if measured
        else "Numbers are sums of contributions: this explanation no longer knows its model."
    )
    return phrase(
        "If some paths no longer carried the sensitive attribute, how much of the difference and "
        "of the utility would be left? λ is what a unit of difference is worth in units of "
        f"utility. {told}",
    )


def _notes(frontier: Frontier) -> list[object]:
    way = "measured" if frontier.objective == "measured" else "added up from contributions"
    first = f"paths were selected for {frontier.headline}: {frontier.method}, objective {way}"
    notes: list[object] = [first]
    if len(frontier.comparisons) > 1:
        compared = "; ".join(frontier.comparisons)
        notes.append(f"of several differences the largest is shown, and counts: {compared}")
    for name, paths in (
        ("always kept: ", frontier.always_kept),
        ("always dropped: ", frontier.always_dropped),
    ):
        if paths:
            notes.append(phrase(name, _named(paths)))
    return [*notes, *frontier.notes]


def _named(paths: tuple[Path, ...]) -> Markup:
    return listed(map(path, paths), "; ")


def _slider(frontier: Frontier) -> Markup:
    """Return the control, which shows only with a script."""
    return element(
        "div",
        element(
            "label",
            "λ ",
            element(
                "input",
                type="range",
                id="lambda",
                min=0,
                max=len(frontier.points) - 1,
                step=1,
                value=0,
            ),
        ),
        element("output", "", id="selected", aria_live="polite"),
        class_="tools needs-script",
        hidden=True,
    )


HEADS = ("λ", "paths kept", "utility", "Δ", "accuracy", "Δ of decisions", "what goes or comes back")


def _table(
    explanation: Explanation, frontier: Frontier, numbers: list[Written], *, measured: bool
) -> Markup:
    heads = HEADS if measured else (*HEADS[:4], HEADS[-1])
    style = Style(4)
    place = {one: i for i, one in enumerate(explanation.paths)}
    before = frontier.paths
    rows = []
    for point, found in zip(frontier.points, numbers, strict=True):
        cells = [
            f"{len(point.kept)} of {len(frontier.paths)}",
            style.plain(found.utility),
            style.signed(found.disparity),
        ]
        if measured:
            cells += [style.plain(found.accuracy), style.signed(found.decision_disparity)]
        rows.append(
            element(
                "tr",
                element("th", f"{point.fairness_weight:.4g}", scope="row"),
                *(element("td", cell) for cell in cells),
                element("td", _change(before, point.kept), class_="text"),
                data_kept=" ".join(str(place[one]) for one in point.kept),
                data_named=_spoken(point, found, style),
            )
        )
        before = point.kept
    caption = "Which paths go as λ grows, and what that does"
    written = element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *(element("th", head, scope="col") for head in heads))),
        element("tbody", *rows),
        id="frontier",
    )
    return scrolling(caption, written)


def _spoken(point: Point, found: Written, style: Style) -> str:
    """Return a selection in words, for the slider."""
    text = (
        f"λ = {point.fairness_weight:.4g}: {len(point.kept)} paths kept, {len(point.removed)} "
        f"gone; utility {style.plain(found.utility)}, Δ {style.signed(found.disparity)}"
    )
    if isnan(found.accuracy):
        return text
    return (
        f"{text}; accuracy {style.plain(found.accuracy)}, Δ of decisions "
        f"{style.signed(found.decision_disparity)}"
    )


def _change(before: tuple[Path, ...], after: tuple[Path, ...]) -> Markup:
    gone = [phrase("\N{MINUS SIGN} ", path(one)) for one in before if one not in after]
    back = [phrase("+ ", path(one)) for one in after if one not in before]
    if not gone and not back:
        return phrase(NOTHING)
    every = items([*gone, *back], class_="changes")
    if len(gone) + len(back) <= MOST_NAMED:
        return every
    return details(f"{len(gone)} go, {len(back)} come back", every)


def _picture(numbers: list[Written]) -> Markup:
    """Return utility beside the absolute difference, a point for each selection."""
    gaps, gains = [abs(one.disparity) for one in numbers], [one.utility for one in numbers]
    wide = max(gaps) or 1.0
    low, high = min(gains), max(gains)
    tall = (high - low) or 1.0

    def at(gap: float, gain: float) -> tuple[float, float]:
        x = LEFT + gap / wide * (WIDTH - LEFT - RIGHT - 10)
        return x, HEIGHT - BOTTOM - (gain - low) / tall * (HEIGHT - TOP - BOTTOM - 10) - 5

    places = [at(gap, gain) for gap, gain in zip(gaps, gains, strict=True)]
    line = "L".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = [
        element(
            "circle",
            element("title", f"utility {gain:.4f}, Δ {gap:.4f}"),
            class_="dot",
            cx=f"{x:.1f}",
            cy=f"{y:.1f}",
            r=5,
            data_point=k,
        )
        for k, ((x, y), gap, gain) in enumerate(zip(places, gaps, gains, strict=True))
    ]
    floor, gap_style, gain_style = HEIGHT - BOTTOM, Style.of([wide], 2), Style.of([low, high], 3)
    ends = [at(0, low), at(wide, low), at(0, high)]
    texts = [
        ("0", ends[0][0], floor + 16, "middle"),
        (gap_style.plain(wide), ends[1][0], floor + 16, "middle"),
        ("|Δ|", (LEFT + WIDTH - RIGHT) / 2, floor + 32, "middle"),
        (gain_style.plain(low), LEFT - 6, ends[0][1] + 4, "end"),
        (gain_style.plain(high), LEFT - 6, ends[2][1] + 4, "end"),
        ("utility", LEFT - 6, (ends[0][1] + ends[2][1]) / 2 + 4, "end"),
    ]
    return element(
        "svg",
        element("title", "Utility beside the absolute difference, for each selection of paths"),
        element("path", class_="zero", d=f"M{LEFT:g},{TOP:g}V{floor:g}H{WIDTH - RIGHT:g}"),
        element("path", class_="trail", d=f"M{line}"),
        *dots,
        *(
            element("text", text, x=f"{x:.1f}", y=f"{y:.1f}", class_=f"tick {side}")
            for text, x, y, side in texts
        ),
        class_="chart",
        viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}",
        width=f"{WIDTH:g}",
        role="img",
    )
