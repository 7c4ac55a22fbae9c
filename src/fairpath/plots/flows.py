"""The causal graph, with what each edge carries as a ribbon of that width."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairpath.explanation import Explanation
from fairpath.explanation.quantities import Comparison, Numbers
from fairpath.options import check_counts
from fairpath.paths.path import LONGER
from fairpath.plots import canvas, key, strokes
from fairpath.plots.flow_map import PREDICTION, Flow, FlowMap, Node, Step, flow_map
from fairpath.plots.layout import Layout, Size, laid_out

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TALLEST = 110.0
"""Points of all flows together."""

THIN = 5.0
"""Points that an edge without a flow has for itself."""

WIDE, HAIR = 3.0, 0.5
"""Ribbons this wide have a white outline where they cross; thinner ones are drawn above them, with
an outline of their own colour, so that the thinnest can be seen."""

LINE, PADDING, SIDE = 11.5, 7.0, 8.0
LONGEST_NAME, MOST_FEATURES = 20, 8
MARGIN, LEAST_WIDTH = 8.0, 330.0


@dataclass(frozen=True)
class _Picture:
    """What is drawn where, and how many points a contribution of one is wide."""

    ax: "Axes"
    found: FlowMap
    layout: Layout
    scale: float
    sensitive: str


def graph(
    explanation: Explanation,
    *,
    ax: "Axes | None" = None,
    most: int | None = None,
    stratum: object = None,
    outcome: object = None,
) -> "Axes":
    """Draw the causal graph with contributions as flows from the attribute to the prediction.

    A ribbon is as wide as the contributions of the paths that run along its edge; what raises
    the disparity is apart from what lowers it, which is hatched. Grey lines are edges on no path
    that is shown; dashed boxes are outside features. The outcome is not drawn. An explanation
    from a file no longer knows its graph: then only paths are drawn.

    Parameters
    ----------
    explanation, stratum, outcome
        As for `bar`.
    ax
        Axes to draw on, scaled to fit; by default those of a new figure of the right size.
    most
        How many paths flow, largest contribution first; the edges of others are grey lines.
        None: all.
    """
    compared = canvas.checked(explanation).comparison(stratum, outcome)
    check_counts(most=(most, 1))
    found = flow_map(explanation, compared, most)
    scale = _scale(found)
    names = canvas.short_names((f for node in found.layers for f in node), LONGEST_NAME)
    texts = {node: _text(node, names) for node in found.layers}
    thickness = {step: scale * (f.raises + f.lowers) for step, f in found.flows.items()}
    thickness = {step: max(width, 1.0) for step, width in thickness.items()}
    thickness |= dict.fromkeys(found.lines, THIN)
    layout = laid_out(found.layers, _sizes(texts, thickness), thickness)
    notes = canvas.notes([_summary(explanation, compared, found, most)], names)
    listed = key.entries(found)
    width = max(layout.width, LEAST_WIDTH)
    height = layout.height + 2 * MARGIN + key.height(listed, width)
    ax = _prepared(ax, width, height, notes=canvas.note_height(notes))
    picture = _Picture(ax, found, layout, scale, explanation.setting.sensitive)
    for step, head in found.lines.items():
        dashes = strokes.DASHED if step[0] in found.outside else "solid"
        name = " – ".join(_name(node) for node in step)
        look = {"edgecolor": strokes.GREY, "linestyle": dashes, "linewidth": 0.8}
        # Lines inside a layer run beside ribbons that leave it, others below.
        look["zorder"] = 4 if found.layers[step[0]] == found.layers[step[1]] else 1
        strokes.line(ax, layout, step, head, gid=name, **look)
    for step, flow in found.flows.items():
        _draw_flow(picture, step, flow)
    for node, text in texts.items():
        _draw_box(picture, node, text)
    key.draw(ax, listed, top=layout.height + 2 * MARGIN, width=width)
    canvas.title(ax, explanation, canvas.whom(explanation, compared))
    canvas.note(ax, notes)
    return ax


def _scale(found: FlowMap) -> float:
    """Return how many points a contribution of one is wide."""
    total = sum(f.raises + f.lowers for (_, to), f in found.flows.items() if to == PREDICTION)
    return TALLEST / total if total > 0 else 0.0


def _text(node: Node, names: dict[str, str]) -> str:
    if node == PREDICTION:
        return "prediction"
    if node[0] == LONGER:
        return "longer paths"
    lines = [names[feature] for feature in node]
    if len(lines) > MOST_FEATURES:
        lines = [*lines[: MOST_FEATURES - 1], f"and {len(lines) - MOST_FEATURES + 1} more"]
    return "\n".join(lines)


def _sizes(texts: dict[Node, str], thickness: dict[Step, float]) -> dict[Node, Size]:
    sizes = {}
    for node, text in texts.items():
        leaving = sum(width for step, width in thickness.items() if step[0] == node)
        reaching = sum(width for step, width in thickness.items() if step[1] == node)
        height = LINE * (text.count("\n") + 1) + PADDING
        sizes[node] = Size(
            canvas.text_width(text) + 2 * SIDE, max(height, leaving + 4, reaching + 4)
        )
    return sizes


def _prepared(ax: "Axes | None", width: float, height: float, *, notes: float) -> "Axes":
    """Return axes whose unit is a point where there is room."""
    across, down = width + 2 * MARGIN, height + 2 * MARGIN
    ax = canvas.axes(ax, across + 14, down + 50 + notes)
    ax.set_xlim(-MARGIN, width + MARGIN)
    ax.set_ylim(height + MARGIN, -MARGIN)
    ax.set_aspect("equal", adjustable="box", anchor="NW")
    ax.set_xticks([])
    ax.set_yticks([])
    canvas.bare(ax, "left", "right", "top", "bottom")
    return ax


def _draw_flow(picture: _Picture, step: Step, flow: Flow) -> None:
    """Draw the part that raises above the part that lowers."""
    raises, lowers = picture.scale * flow.raises, picture.scale * flow.lowers
    along = strokes.centre(picture.layout, step)
    name = " → ".join(_name(node) for node in step)
    for width, shift, value in (
        (raises, -lowers / 2, flow.raises),
        (lowers, raises / 2, -flow.lowers),
    ):
        if value == 0:
            continue
        look = canvas.sign_of(value) | {"linewidth": HAIR, "zorder": 3 - width / (2 * TALLEST)}
        if width < WIDE:
            look |= {"edgecolor": look["facecolor"], "hatch": None}
        word = "raises" if value > 0 else "lowers"
        strokes.ribbon(picture.ax, along, shift, width, gid=f"{name}: {word}", **look)
    if mark := strokes.mark_of(flow.arrow):
        (x1, y1), (x2, y2) = along[:2]
        strokes.mark(picture.ax, ((x1 + x2) / 2, (y1 + y2) / 2), mark)


def _draw_box(picture: _Picture, node: Node, text: str) -> None:
    """Draw a box with the names of its features; outside features are grey and dashed."""
    box = picture.layout.boxes[node]
    is_end = node in (PREDICTION, (picture.sensitive,))
    look: dict[str, Any] = {"facecolor": "white", "edgecolor": canvas.INK, "linewidth": 0.9}
    colour = canvas.INK
    if is_end:
        look["facecolor"], colour = canvas.INK, "white"
    elif node in picture.found.outside:
        look, colour = strokes.OUTSIDE, "#555555"
    patch = canvas.matplotlib("patches").FancyBboxPatch(
        (box.left, box.middle - box.height / 2),
        box.right - box.left,
        box.height,
        boxstyle="round,pad=0,rounding_size=3",
        zorder=5,
        gid=f"box of {_name(node)}",
        **look,
    )
    picture.ax.add_patch(patch)
    middle = ((box.left + box.right) / 2, box.middle)
    look = {"ha": "center", "linespacing": 1.15, "color": colour, "zorder": 6}
    strokes.text(picture.ax, middle, text, canvas.TEXT, gid=_name(node), **look)


def _name(node: Node) -> str:
    return "prediction" if node == PREDICTION else ", ".join(node)


def _summary(
    explanation: Explanation, compared: Comparison, found: FlowMap, most: int | None
) -> str:
    """Say what the widths amount to, and what is not drawn."""
    ends = [flow for (_, to), flow in found.flows.items() if to == PREDICTION]
    raises, lowers = sum(f.raises for f in ends), sum(f.lowers for f in ends)
    estimates = explanation.estimates_at(compared)
    place = Numbers(len(explanation.paths))
    apart = float(estimates.values[place.apart])
    remainder = float(estimates.values[place.remainder])
    written = canvas.numbers([raises, lowers, remainder, apart])
    text = f"Flows: {written(raises)} and {written(-lowers)}; not drawn: "
    if compared.view.apart is not None:
        text += f"{compared.view.apart} {written(apart)}, "
    text += f"remainder {written(remainder)}"
    if most is not None and (left := len(explanation.paths) - most) > 0:
        text += f", {left} smaller paths"
    return f"{text}."
