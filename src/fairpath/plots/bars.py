"""A bar for each path, and what would remain without it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fairpath.explanation import Explanation
from fairpath.options import check_counts
from fairpath.plots import canvas
from fairpath.plots.rows import (
    MOST,
    Row,
    Rows,
    contributions,
    if_cut,
    write_rows,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

THICK = 0.62
AREA = 290.0
"""Points across the area that is drawn on, beside its labels."""

NUMBER, NUMBERS = 50.0, 150.0
"""Points that a number needs, alone and with its interval."""

MARGINS = 110.0


def bar(
    explanation: Explanation,
    *,
    ax: "Axes | None" = None,
    most: int | None = MOST,
    stratum: object = None,
    outcome: object = None,
) -> "Axes":
    """Draw a bar for what each path carries, largest first, then for what no path carries.

    Bars to the right raise the disparity; bars to the left are hatched and lower it. Lines are
    95 % intervals, where the explanation has them; the numbers stand on the right.

    Parameters
    ----------
    explanation
        What `explain` returned.
    ax
        Axes to draw on; by default those of a new figure that fits the rows.
    most
        How many paths have a bar of their own; the others share one, with the interval of
        their sum. None: all.
    stratum, outcome
        Which comparison, as for `Explanation.contributions`.
    """
    compared = canvas.checked(explanation).comparison(stratum, outcome)
    check_counts(most=(most, 1))
    rows = contributions(explanation, compared, most)
    notes = canvas.notes([], rows.names)
    ax = axes_for(ax, rows, notes)
    for place, row in enumerate(rows.rows):
        look = canvas.sign_of(row.estimate.value)
        if row.kind in ("outcome", "remainder"):
            look["facecolor"] = canvas.OTHER
        ax.barh(place, row.estimate.value, THICK, gid=row.name, **look)
        _interval(ax, place, row)
    ax.axvline(0.0, color=canvas.INK, linewidth=0.8)
    finish(ax, rows, "contribution to the disparity")
    canvas.title(ax, explanation, canvas.whom(explanation, compared))
    canvas.note(ax, notes)
    return ax


def cuts(
    explanation: Explanation,
    *,
    ax: "Axes | None" = None,
    most: int | None = MOST,
    stratum: object = None,
    outcome: object = None,
) -> "Axes":
    """Draw which disparity would remain if each path alone were cut.

    The line at Δ is the disparity as it is. A bar runs from there to what remains: to the left if
    the path raises the disparity, hatched and to the right if it lowers it. Intervals are those of
    what remains.

    Parameters
    ----------
    explanation, ax, stratum, outcome
        As for `bar`.
    most
        How many paths are shown, largest contribution first. None: all.
    """
    compared = canvas.checked(explanation).comparison(stratum, outcome)
    check_counts(most=(most, 1))
    rows = if_cut(explanation, compared, most)
    left = len(explanation.paths) - len(rows.rows)
    unseen = [f"{left} paths with smaller contributions are not shown."] if left else []
    notes = canvas.notes(unseen, rows.names)
    ax = axes_for(ax, rows, notes)
    delta = canvas.disparity_at(explanation, compared).value
    for place, row in enumerate(rows.rows):
        change = row.estimate.value - delta
        look = canvas.sign_of(-change)
        ax.barh(place, change, THICK / 2, left=delta, gid=row.name, **look)
        _interval(ax, place, row, marker="o")
    ax.axvline(0.0, color=canvas.INK, linewidth=0.8)
    ax.axvline(delta, color=canvas.INK, linewidth=1.0, linestyle=(0, (4, 2)), gid="disparity")
    ax.annotate(
        "Δ",
        (delta, 1.0),
        xycoords=ax.get_xaxis_transform(),
        xytext=(0, 1),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=canvas.TEXT,
    )
    finish(ax, rows, "disparity if this path alone is cut")
    canvas.title(ax, explanation, canvas.whom(explanation, compared), pad=16)
    canvas.note(ax, notes)
    return ax


def axes_for(ax: "Axes | None", rows: Rows, notes: Sequence[str]) -> "Axes":
    """Return the caller's axes, or new ones of a size that fits rows, numbers and notes."""
    beside = NUMBERS if any(np.isfinite(row.estimate.low) for row in rows.rows) else NUMBER
    height = rows.height * len(rows.rows) + MARGINS + canvas.note_height(notes)
    return canvas.axes(ax, rows.width + AREA + beside, height)


def finish(ax: "Axes", rows: Rows, meaning: str) -> None:
    """Label rows and the axis that they share, and leave out lines that say nothing."""
    write_rows(ax, rows)
    ax.set_xlabel(meaning, fontsize=canvas.TEXT)
    ax.tick_params(axis="x", labelsize=canvas.SMALL + 0.5)
    ax.locator_params(axis="x", nbins=6)
    ax.grid(axis="x", color=canvas.FAINT, linewidth=0.5)
    ax.set_axisbelow(True)
    canvas.bare(ax, "left", "right", "top")
    ax.use_sticky_edges = False
    ax.margins(x=0.04)


def _interval(ax: "Axes", place: int, row: Row, marker: str = "") -> None:
    """Draw the interval, if there is one, and a marker at the number."""
    one = row.estimate
    half = None
    if np.isfinite(one.low):
        half = [[one.value - one.low], [one.high - one.value]]
    if half is None and not marker:
        return
    ax.errorbar(
        one.value,
        place,
        xerr=half,
        fmt=marker or "none",
        color=canvas.INK,
        ecolor=canvas.INK,
        elinewidth=1.0,
        capsize=2.5,
        markersize=4.0,
    )
