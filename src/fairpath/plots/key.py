"""Below the picture of a graph: what its colours, lines and marks mean."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from fairpath.plots import canvas, strokes
from fairpath.plots.flow_map import FlowMap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Entry: TypeAlias = tuple[str, str]
"""What stands before a meaning, and the meaning."""

SWATCH, SPACE, LINE = 16.0, 16.0, 13.0
MEANING_OF_MARK = {
    "<": "the causal arrow points against the flow",
    "o": "direction not known",
    "D": "joined only by the outcome",
}


def entries(found: FlowMap) -> list[Entry]:
    """Return what has to be explained of a picture."""
    listed = [("raises", "raises the disparity"), ("lowers", "lowers it")]
    if found.lines:
        listed.append(("line", "edge on no path that is shown"))
    if found.outside:
        listed.append(("outside", "outside feature"))
    marks = {strokes.mark_of(flow.arrow) for flow in found.flows.values()}
    return [*listed, *((mark, text) for mark, text in MEANING_OF_MARK.items() if mark in marks)]


def height(listed: list[Entry], width: float) -> float:
    """Return how high the key is if it is this wide."""
    return LINE * (1 + max(row for row, _, _ in _placed(listed, width)))


def draw(ax: "Axes", listed: list[Entry], *, top: float, width: float) -> None:
    """Draw the key from the left edge on."""
    patches = canvas.matplotlib("patches")
    for row, x, (kind, text) in _placed(listed, width):
        y = top + LINE * (row + 0.5)
        if kind == "line":
            ax.plot([x, x + SWATCH], [y, y], color=strokes.GREY, linewidth=0.8)
        elif kind in MEANING_OF_MARK:
            strokes.mark(ax, (x + SWATCH / 2, y), kind)
        else:
            look = (
                strokes.OUTSIDE
                if kind == "outside"
                else canvas.sign_of(1 if kind == "raises" else -1)
            )
            ax.add_patch(patches.Rectangle((x, y - 3), SWATCH, 6, **look))
        place = (x + SWATCH + 5, y)
        strokes.text(ax, place, text, canvas.SMALL, ha="left", color=canvas.INK, gid=f"key: {text}")


def _placed(listed: list[Entry], width: float) -> Iterator[tuple[int, float, Entry]]:
    """Yield the line and the left end of each entry; a new line where one is full."""
    row, x = 0, 0.0
    for entry in listed:
        wide = SWATCH + 5 + canvas.text_width(entry[1], canvas.SMALL)
        if x and x + wide > width:
            row, x = row + 1, 0.0
        yield row, x, entry
        x += wide + SPACE
