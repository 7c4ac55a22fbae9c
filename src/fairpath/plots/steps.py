"""From zero to the disparity, one path after another."""

from typing import TYPE_CHECKING

from fairpath.explanation import Explanation
from fairpath.options import check_counts
from fairpath.plots import canvas
from fairpath.plots.bars import THICK, axes_for, finish
from fairpath.plots.rows import MOST, Row, Rows, contributions

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def waterfall(
    explanation: Explanation,
    *,
    ax: "Axes | None" = None,
    most: int | None = MOST,
    stratum: object = None,
    outcome: object = None,
) -> "Axes":
    """Draw how contributions add up: a step for each path, then what no path carries, then Δ.

    Each bar starts where the one above it ends. Steps to the left are hatched; what no path
    carries is grey; the last bar runs from zero to the disparity.

    Parameters
    ----------
    explanation, ax, most, stratum, outcome
        As for `bar`.
    """
    compared = canvas.checked(explanation).comparison(stratum, outcome)
    check_counts(most=(most, 1))
    steps = contributions(explanation, compared, most)
    delta = canvas.disparity_at(explanation, compared)
    total = Row("disparity", "disparity", "disparity Δ", delta)
    rows = Rows((*steps.rows, total), steps.names)
    notes = canvas.notes([], rows.names)
    ax = axes_for(ax, rows, notes)
    reached = 0.0
    for place, row in enumerate(steps.rows):
        look = canvas.sign_of(row.estimate.value)
        if row.kind in ("outcome", "remainder"):
            look["facecolor"] = canvas.OTHER
        ax.barh(place, row.estimate.value, THICK, left=reached, gid=row.name, **look)
        reached += row.estimate.value
        ends = [place + THICK / 2, place + 1 - THICK / 2]
        ax.plot([reached, reached], ends, color=canvas.OTHER, linewidth=0.8)
    ax.barh(len(steps.rows), delta.value, THICK, color=canvas.TOTAL, gid=total.name)
    ax.axvline(0.0, color=canvas.INK, linewidth=0.8)
    finish(ax, rows, "contributions, added from top to bottom")
    canvas.title(ax, explanation, canvas.whom(explanation, compared))
    canvas.note(ax, notes)
    return ax
