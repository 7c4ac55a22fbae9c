"""Ribbons, lines and marks along an edge."""

from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from fairpath.plots import canvas
from fairpath.plots.flow_map import Step
from fairpath.plots.layout import Box, Layout

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Points: TypeAlias = list[tuple[float, float]]
"""Ends of curved and straight parts in turn: the curves run between two layers."""

BEND, HEAD, MARK = 22.0, 5.0, 3.0
GREY = "#b0b0b0"
DASHED = (0, (3, 2))
OUTSIDE = {"facecolor": "#f4f4f4", "edgecolor": canvas.OTHER, "linestyle": DASHED, "linewidth": 0.9}
MARKS = {"→": "", "←": "<", "–": "o"}


def centre(layout: Layout, step: Step) -> Points:
    """Return where an edge runs: from box to box, level where it crosses a layer."""
    points: Points = []
    for slot in layout.routes[step]:
        box = layout.boxes[slot]
        y = layout.ports.get((step, slot), box.middle)  # type: ignore[arg-type]
        points += [(box.left, y), (box.right, y)]
    return points[1:-1]


def ribbon(
    ax: "Axes",
    along: Points,
    shift: float,
    width: float,
    **look: Any,  # noqa: ANN401
) -> None:
    """Draw a band of this height along a line."""
    path = canvas.matplotlib("path").Path
    points, codes = _curves([(x, y + shift - width / 2) for x, y in along])
    back, back_codes = _curves([(x, y + shift + width / 2) for x, y in reversed(along)])
    shape = path(
        [*points, *back, points[0]], [*codes, path.LINETO, *back_codes[1:], path.CLOSEPOLY]
    )
    ax.add_patch(canvas.matplotlib("patches").PathPatch(shape, **look))


def line(ax: "Axes", layout: Layout, step: Step, head: int, **look: Any) -> None:  # noqa: ANN401
    """Draw an edge without a flow; ``head`` is 1 at its right end, -1 at its left one, or 0."""
    one, other = (layout.boxes[node] for node in step)
    path = canvas.matplotlib("path").Path
    if one.left == other.left:
        points, codes = _bracket(one, other)
        towards = (-HEAD, -HEAD)
    else:
        points, codes = _curves(centre(layout, step))
        towards = (-HEAD, HEAD)
    ends = points[0], points[-1]
    patches = canvas.matplotlib("patches")
    ax.add_patch(patches.PathPatch(path(points, codes), facecolor="none", **look))
    if head:
        (x, y), along = ends[0 if head < 0 else 1], towards[0 if head < 0 else 1]
        tip = [(x, y), (x - along, y - HEAD / 2), (x - along, y + HEAD / 2)]
        colour = look.get("edgecolor")
        ax.add_patch(patches.Polygon(tip, facecolor=colour, linewidth=0, zorder=look.get("zorder")))


def _bracket(one: Box, other: Box) -> tuple[Points, list[int]]:
    """Return points of a line beside two boxes of one layer, from one's edge to the other's."""
    path = canvas.matplotlib("path").Path
    side = 1 if one.middle < other.middle else -1
    start = one.middle + side * (one.height / 2 - HEAD)
    end = other.middle - side * (other.height / 2 - HEAD)
    out = one.right + BEND
    points = [(one.right, start), (out, start), (out, end), (one.right, end)]
    return points, [int(path.MOVETO), *[int(path.CURVE4)] * 3]


def _curves(ends: Points) -> tuple[Points, list[int]]:
    """Return points of a line that is level at all ends: curved, straight, curved and so on."""
    path = canvas.matplotlib("path").Path
    points, codes = [ends[0]], [int(path.MOVETO)]
    for number, (one, other) in enumerate(pairwise(ends)):
        if number % 2:
            points.append(other)
            codes.append(int(path.LINETO))
        else:
            middle = (one[0] + other[0]) / 2
            points += [(middle, one[1]), (middle, other[1]), other]
            codes += [int(path.CURVE4)] * 3
    return points, codes


def mark_of(arrow: str) -> str:
    """Return the mark of an edge that is not simply a cause of what is right of it."""
    return MARKS.get(arrow, "D")


def mark(ax: "Axes", at: tuple[float, float], kind: str) -> None:
    """Draw a triangle to the left, a circle or a diamond."""
    x, y = at
    look = {"facecolor": "white", "edgecolor": canvas.INK, "linewidth": 0.9, "zorder": 4}
    patches = canvas.matplotlib("patches")
    if kind == "o":
        ax.add_patch(patches.Circle(at, MARK, **look))
        return
    left, right = (x - 1.3 * MARK, y), (x + 1.3 * MARK, y)
    up, down = (x, y - 1.3 * MARK), (x, y + 1.3 * MARK)
    corners = [left, up, right, down]
    if kind == "<":
        corners = [left, (right[0], up[1]), (right[0], down[1])]
    ax.add_patch(patches.Polygon(corners, closed=True, **look))


def text(ax: "Axes", at: tuple[float, float], written: str, size: float, **look: Any) -> None:  # noqa: ANN401
    """Write letters that shrink with the axes."""
    canvas.matplotlib("text")
    fitted = import_module("fairpath.plots.fitted")
    one = fitted.FittedText(*at, canvas.plain(written), units=size, va="center", **look)
    ax.add_artist(one)
