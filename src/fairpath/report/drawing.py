"""The causal graph as an inline picture, whose parts say which path they belong to."""

from itertools import pairwise

from fairpath.explanation import Explanation
from fairpath.plots import strokes
from fairpath.plots.flow_map import PREDICTION, Node, Step
from fairpath.plots.key import entries
from fairpath.plots.layout import Box
from fairpath.report.markup import Markup, element
from fairpath.report.numbers import Style
from fairpath.report.picture import LETTER, LINE, Picture, lines_of, name_of

MARGIN = 8.0

OUTLINED = 3.0
"""Edges this wide have an outline of the ground's colour where they cross; thinner ones have one of
their own colour, so that they can be seen."""

WIDE = 600.0
"""A picture that is wider shrinks to this on a narrow page, and can be scrolled from there on."""


def drawn(explanation: Explanation, picture: Picture, *, number: int, summary: str) -> Markup:
    """Return the picture as SVG; its parts say which path they belong to."""
    layout, found = picture.layout, picture.found
    style = Style.of([one.value for along in picture.strands.values() for one in along])
    width, height = layout.width + 2 * MARGIN, layout.height + 2 * MARGIN
    thick_first = sorted(
        picture.strands, key=lambda s: -(found.flows[s].raises + found.flows[s].lowers)
    )
    title, description = f"graph-title-{number}", f"graph-text-{number}"
    return element(
        "svg",
        element("title", "The causal graph with what each path carries", id=title),
        element("desc", summary, id=description),
        *(_line(picture, step, head) for step, head in found.lines.items()),
        *(_ribbon(explanation, picture, step, style) for step in thick_first),
        *(_box(picture, node, explanation.setting.sensitive) for node in found.layers),
        class_="graph wide" if width > WIDE else "graph",
        viewBox=f"{-MARGIN:g} {-MARGIN:g} {width:.1f} {height:.1f}",
        width=f"{width:.0f}",
        height=f"{height:.0f}",
        role="img",
        aria_labelledby=f"{title} {description}",
    )


def legend(picture: Picture) -> Markup:
    """Return what colours, lines and marks mean."""
    return element(
        "ul",
        *(element("li", _swatch(kind), " ", meaning) for kind, meaning in entries(picture.found)),
        class_="legend",
    )


def _ribbon(explanation: Explanation, picture: Picture, step: Step, style: Style) -> Markup:
    """Return the strands of an edge, one below the other, and the mark on it."""
    along = strokes.centre(picture.layout, step)
    flow = picture.found.flows[step]
    whole = picture.scale * (flow.raises + flow.lowers)
    parts = []
    if whole >= OUTLINED:
        parts.append(element("path", class_="edge", d=band(along, 0.0, whole)))
    thin = "" if whole >= OUTLINED else " thin"
    top = -whole / 2
    for one in picture.strands[step]:
        width = picture.scale * abs(one.value)
        told = f"{explanation.paths[one.path]}: {style.signed(one.value)}"
        parts.append(
            element(
                "path",
                element("title", told),
                class_=f"strand {'lowers' if one.value < 0 else 'raises'}{thin}",
                data_path=one.path,
                d=band(along, top + width / 2, width),
            )
        )
        top += width
    if kind := strokes.mark_of(flow.arrow):
        (x1, y1), (x2, y2) = along[:2]
        parts.append(_mark((x1 + x2) / 2, (y1 + y2) / 2, kind))
    return element("g", *parts)


def band(along: strokes.Points, shift: float, width: float) -> str:
    """Return the outline of a band of this height along a line."""
    upper = [(x, y + shift - width / 2) for x, y in along]
    lower = [(x, y + shift + width / 2) for x, y in reversed(along)]
    return f"M{_point(upper[0])}{_curves(upper)}L{_point(lower[0])}{_curves(lower)}Z"


def _curves(ends: strokes.Points) -> str:
    """Return a line that is level at all ends: curved, straight, curved and so on."""
    parts = []
    for number, (one, other) in enumerate(pairwise(ends)):
        if number % 2:
            parts.append(f"L{_point(other)}")
        else:
            middle = (one[0] + other[0]) / 2
            points = ((middle, one[1]), (middle, other[1]), other)
            parts.append(f"C{' '.join(map(_point, points))}")
    return "".join(parts)


def _point(point: tuple[float, float]) -> str:
    return f"{_short(point[0])},{_short(point[1])}"


def _short(number: float) -> str:
    return f"{round(number, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def _line(picture: Picture, step: Step, head: int) -> Markup:
    """Return an edge without a flow, with its arrowhead if it has one."""
    one, other = (picture.layout.boxes[node] for node in step)
    same_layer = one.left == other.left
    ends = _beside(one, other) if same_layer else strokes.centre(picture.layout, step)
    look = "line outside" if step[0] in picture.found.outside else "line"
    d = f"M{_point(ends[0])}{_curves(ends)}"
    if same_layer:
        out = one.right + strokes.BEND
        corners = ((out, ends[0][1]), (out, ends[1][1]), ends[1])
        d = f"M{_point(ends[0])}C{' '.join(map(_point, corners))}"
    parts = [element("path", class_=look, d=d)]
    if head:
        (x, y), towards = (ends[0], -1) if head < 0 else (ends[-1], 1)
        back = x - (-1 if same_layer else towards) * strokes.HEAD
        corners = ((x, y), (back, y - strokes.HEAD / 2), (back, y + strokes.HEAD / 2))
        parts.append(element("path", class_="head", d=f"M{'L'.join(map(_point, corners))}Z"))
    return element("g", *parts)


def _beside(one: Box, other: Box) -> strokes.Points:
    """Return the ends of a line between two boxes of one layer, which runs on their right."""
    side = 1 if one.middle < other.middle else -1
    start = one.middle + side * (one.height / 2 - strokes.HEAD)
    end = other.middle - side * (other.height / 2 - strokes.HEAD)
    return [(one.right, start), (other.right, end)]


def _mark(x: float, y: float, kind: str) -> Markup:
    """Return a triangle to the left, a circle or a diamond."""
    size = strokes.MARK
    if kind == "o":
        return element("circle", class_="mark", cx=_short(x), cy=_short(y), r=size)
    left, right = (x - 1.3 * size, y), (x + 1.3 * size, y)
    up, down = (x, y - 1.3 * size), (x, y + 1.3 * size)
    corners = [left, up, right, down]
    if kind == "<":
        corners = [left, (right[0], up[1]), (right[0], down[1])]
    return element("path", class_="mark", d=f"M{'L'.join(map(_point, corners))}Z")


def _box(picture: Picture, node: Node, sensitive: str) -> Markup:
    """Return a box with the names of its features."""
    box, lines = picture.layout.boxes[node], lines_of(node, picture.names)
    kind = "outside" if node in picture.found.outside else "inner"
    kind = "end" if node in (PREDICTION, (sensitive,)) else kind
    middle, first = (box.left + box.right) / 2, box.middle - LINE * (len(lines) - 1) / 2
    return element(
        "g",
        element("title", name_of(node)),
        element(
            "rect",
            x=_short(box.left),
            y=_short(box.middle - box.height / 2),
            width=_short(box.right - box.left),
            height=_short(box.height),
            rx=3,
        ),
        element(
            "text",
            *(
                element("tspan", line, x=_short(middle), y=_short(first + LINE * k + LETTER * 0.36))
                for k, line in enumerate(lines)
            ),
        ),
        class_=f"box {kind}",
    )


def _swatch(kind: str) -> Markup:
    """Return what stands before a meaning in the legend."""
    if kind in ("raises", "lowers"):
        inside = element("rect", class_=f"strand {kind}", x=0, y=3, width=20, height=8)
    elif kind == "outside":
        box = element("rect", x=0.5, y=2.5, width=19, height=9)
        inside = element("g", box, class_="box outside")
    elif kind == "line":
        inside = element("path", class_="line", d="M0,7L20,7")
    else:
        inside = _mark(10, 7, kind)
    return element("svg", inside, width=20, height=14, aria_hidden="true")
