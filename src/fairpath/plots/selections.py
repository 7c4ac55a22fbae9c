"""What path selection does: utility against disparity, and which paths go at which λ."""

from typing import TYPE_CHECKING, Any

import numpy as np

from fairpath.errors import DataError
from fairpath.plots import canvas
from fairpath.plots.rows import named, write_rows
from fairpath.selection import Frontier, Measured, Point
from fairpath.vocabulary import FloatMatrix, FloatVector

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 400.0, 290.0
CELL_WIDTH = 30.0
MARGINS = 130.0
SELECTED, GONE = "#ff0051", "#e6e6e6"
MOST_WEIGHTS = 24
CLOSE = np.array([0.16, 0.07])
"""Shares of the axes within which two dots have one number."""


def frontier(
    frontier: Frontier,
    *,
    ax: "Axes | None" = None,
    chosen: float | None = None,
) -> "Axes":
    """Draw what the selections cost: accuracy of decisions against their disparity.

    A filled dot is a selection, measured on the model; the number beside it says how many paths are
    kept. Where the explanation no longer knows its model, hollow dots show utility against
    disparity as contributions add up.

    Parameters
    ----------
    frontier
        What `select_paths` returned.
    ax
        Axes to draw on; by default those of a new figure.
    chosen
        A λ, whose selection is marked by a ring.
    """
    checked(frontier)
    picked = None if chosen is None else frontier.at(chosen)
    ax = canvas.axes(ax, WIDTH, HEIGHT)
    measured = all(point.measured is not None for point in frontier.points)
    places = np.array([_place(point) for point in frontier.points])
    look = "-o" if measured else "--o"
    (line,) = ax.plot(*places.T, look, color=canvas.INK, linewidth=1.0, markersize=6.0)
    line.set_gid("frontier")
    if not measured:
        line.set_markerfacecolor("white")
    for point, place in zip(frontier.points, places, strict=True):
        if point is picked:
            ax.plot(*place, "o", color=SELECTED, markersize=14, fillstyle="none", gid="chosen")
    for place, text in _counted(frontier, places):
        ax.annotate(
            text,
            tuple(place),
            xytext=(6, -3),
            textcoords="offset points",
            fontsize=canvas.SMALL,
            va="top",
            color=canvas.INK,
        )
    what = "of the decisions" if measured else "as contributions add up"
    ax.set_xlabel(f"|disparity| {what}")
    ax.set_ylabel("accuracy of the decisions" if measured else "utility as contributions add up")
    ax.margins(0.12)
    ax.set_xlim(left=min(0.0, ax.get_xlim()[0]) if places[:, 0].min() < 0 else 0.0)
    canvas.bare(ax, "top", "right")
    ax.set_title(
        canvas.plain("\n".join((frontier.headline, *frontier.comparisons))),
        loc="left",
        fontsize=canvas.TEXT + 1,
        color=canvas.INK,
    )
    canvas.note(ax, ["beside a dot: how many paths are kept"])
    return ax


def path_matrix(frontier: Frontier, *, ax: "Axes | None" = None) -> "Axes":
    """Draw which paths are kept at which λ: a row for each path, a column for each selection.

    Kept paths are red with a dot, removed ones grey. The paths that are kept longest stand first.

    Parameters
    ----------
    frontier, ax
        As for `frontier`.
    """
    checked(frontier)
    points = _some(frontier.points)
    kept = np.array([frontier.held(point) for point in points]).T
    order = np.argsort(-kept.sum(axis=1), kind="stable")
    rows = named([frontier.paths[i] for i in order])
    notes = canvas.notes([], rows.names)
    ax = canvas.axes(
        ax,
        rows.width + CELL_WIDTH * max(len(points), 4) + MARGINS / 2,
        rows.height * len(order) + MARGINS + canvas.note_height(notes),
    )
    for row, i in enumerate(order):
        for column in range(len(points)):
            held = bool(kept[i, column])
            ax.add_patch(_cell(row, column, held=held, name=str(frontier.paths[i])))
            if held:
                ax.plot(column, row, ".", color="white", markersize=4)
    ax.set_xlim(-0.5, len(points) - 0.5)
    write_rows(ax, rows, with_numbers=False)
    weights = [f"{point.fairness_weight:.2g}" for point in points]
    ax.set_xticks(range(len(points)), weights, rotation=90, fontsize=canvas.SMALL)
    ax.set_xlabel("weight of fairness λ")
    ax.tick_params(length=0)
    canvas.bare(ax, "top", "right", "left", "bottom")
    ax.set_title(
        canvas.plain(f"paths that are kept: {frontier.headline}"),
        loc="left",
        fontsize=canvas.TEXT + 1,
        color=canvas.INK,
    )
    canvas.note(ax, notes)
    return ax


def checked(frontier: object) -> Frontier:
    """Refuse what is no frontier."""
    if not isinstance(frontier, Frontier):
        raise DataError(
            f"Expected what select_paths() returned, got {type(frontier).__name__}. "
            "Select paths of an explanation first."
        )
    return frontier


def _place(point: Point) -> tuple[float, float]:
    """Return disparity and accuracy, or the utility where nothing was measured."""
    found: Measured | None = point.measured
    if found is None:
        return max(map(abs, point.predicted.disparity)), point.predicted.utility
    return max(map(abs, found.decision_disparity)), found.accuracy


def _counted(frontier: Frontier, places: FloatMatrix) -> list[tuple[FloatVector, str]]:
    """Return how many paths are kept where; dots that are close share a number."""
    room = CLOSE * np.maximum(np.ptp(places, axis=0), 1e-12)
    shown: list[tuple[FloatVector, list[int]]] = []
    for point, place in zip(frontier.points, places, strict=True):
        for other, counts in shown:
            if (np.abs(other - place) < room).all():
                counts.append(len(point.kept))
                break
        else:
            shown.append((place, [len(point.kept)]))
    return [
        (place, f"{min(counts)}" + (f"–{max(counts)}" if max(counts) > min(counts) else ""))
        for place, counts in shown
    ]


def _some(points: tuple[Point, ...]) -> tuple[Point, ...]:
    """Return all points, or so many that they fit, evenly spread, with the first and the last."""
    if len(points) <= MOST_WEIGHTS:
        return points
    chosen = np.linspace(0, len(points) - 1, MOST_WEIGHTS).round().astype(int)
    return tuple(points[i] for i in chosen)


def _cell(row: int, column: int, *, held: bool, name: str) -> Any:  # noqa: ANN401
    patch = canvas.matplotlib("patches").Rectangle(
        (column - 0.45, row - 0.42), 0.9, 0.84, color=SELECTED if held else GONE
    )
    patch.set_gid(f"{name} {'kept' if held else 'removed'} {column}")
    return patch
