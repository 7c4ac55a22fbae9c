"""A small picture of a graph for notebooks: layers from causes (left) to effects (right)."""

from dataclasses import dataclass
from html import escape
from itertools import pairwise

from fairpath.graph.marks import Marks
from fairpath.vocabulary import Edge

LONGEST_NAME = 24
DIRECTED, UNDIRECTED = "#555", "#ff0051"
CHARACTER, HEIGHT, ROW, CROSSING, GAP, MARGIN = 7.4, 26.0, 42.0, 14.0, 64.0, 14.0
SWEEPS = 8

_OPEN = """\
<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif" font-size="13">
<title>{title}</title>
<defs><marker id="effect" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8"
orient="auto"><path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>"""

Slot = str | tuple[str, str, int]
"""A node, or the place where an edge that spans several layers crosses one of them."""


@dataclass(frozen=True)
class _Box:
    """Where a slot is drawn: the centre, and half of its width (0 for a crossing)."""

    x: float
    y: float
    half: float


def to_svg(graph: Marks) -> str:
    """Draw the graph as a self-contained SVG; undirected edges have no arrowhead."""
    layer = _layers(graph)
    routes = {edge: _route(edge, layer) for edge in sorted((*graph.directed, *graph.undirected))}
    columns = _ordered_columns(layer, routes)
    boxes, width, height = _place(columns)
    directed = set(graph.directed)
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    title = (
        f"Causal graph with {len(graph.nodes)} nodes, {len(graph.directed)} directed and "
        f"{len(graph.undirected)} undirected edges"
    )
    edges = [
        _edge(edge, [boxes[slot] for slot in route], has_head=edge in directed)
        for edge, route in routes.items()
    ]
    nodes = [_node(name, boxes[name]) for name in graph.nodes]
    return "\n".join([_OPEN.format(size=size, title=title), *edges, *nodes, "</svg>"])


def _layers(graph: Marks) -> dict[str, int]:
    """Give each node a layer right of all its causes, and lone causes one near their effects."""
    causes: dict[str, list[str]] = {node: [] for node in graph.nodes}
    effects: dict[str, list[str]] = {node: [] for node in graph.nodes}
    beside: dict[str, list[str]] = {node: [] for node in graph.nodes}
    for cause, effect in graph.directed:
        causes[effect].append(cause)
        effects[cause].append(effect)
    for one, other in graph.undirected:
        beside[one].append(other)
        beside[other].append(one)
    layer: dict[str, int] = {}
    waiting = [node for node in graph.nodes if not causes[node]]
    missing = {node: len(causes[node]) for node in graph.nodes}
    for node in waiting:
        layer[node] = max((layer[cause] + 1 for cause in causes[node]), default=0)
        for effect in effects[node]:
            missing[effect] -= 1
            if not missing[effect]:
                waiting.append(effect)
    for node in graph.nodes:
        if not causes[node] and not beside[node]:
            layer[node] = min((layer[effect] - 1 for effect in effects[node]), default=0)
        elif not causes[node]:
            near = max(layer[other] for other in beside[node])
            layer[node] = min([near, *(layer[effect] - 1 for effect in effects[node])])
    return layer


def _route(edge: Edge, layer: dict[str, int]) -> list[Slot]:
    """Return the slots that an edge runs through, from left to right."""
    left, right = sorted(edge, key=lambda node: layer[node])
    return [left, *((*edge, i) for i in range(layer[left] + 1, layer[right])), right]


def _ordered_columns(layer: dict[str, int], routes: dict[Edge, list[Slot]]) -> list[list[Slot]]:
    """Order each layer by the mean place of its neighbours, sweeping forth and back."""
    columns: list[list[Slot]] = [[] for _ in range(max(layer.values()) + 1)]
    near: dict[Slot, list[Slot]] = {node: [] for node in layer}
    for node in sorted(layer):
        columns[layer[node]].append(node)
    for route in routes.values():
        for slot in route[1:-1]:
            columns[int(slot[2])].append(slot)
            near[slot] = []
        for one, other in pairwise(route):
            near[one].append(other)
            near[other].append(one)
    place = {slot: y for column in columns for slot, y in _heights(column).items()}
    for sweep in range(SWEEPS):
        for column in columns if sweep % 2 == 0 else reversed(columns):
            middle = {
                slot: sum(place[n] for n in near[slot]) / len(near[slot])
                if near[slot]
                else place[slot]
                for slot in column
            }
            column.sort(key=lambda slot: (middle[slot], str(slot)))
            place.update(_heights(column))
    return columns


def _heights(column: list[Slot]) -> dict[Slot, float]:
    """Return where the slots of a layer are, from its middle; crossings need little room."""
    heights: dict[Slot, float] = {}
    edge = 0.0
    for slot in column:
        room = ROW if isinstance(slot, str) else CROSSING
        heights[slot] = edge + room / 2
        edge += room
    return {slot: y - edge / 2 for slot, y in heights.items()}


def _place(columns: list[list[Slot]]) -> tuple[dict[Slot, _Box], float, float]:
    heights = [_heights(column) for column in columns]
    top = min(min(ys.values()) for ys in heights) - HEIGHT / 2 - MARGIN
    bottom = max(max(ys.values()) for ys in heights) + HEIGHT / 2 + MARGIN
    boxes: dict[Slot, _Box] = {}
    # Undirected edges inside the first layer bend into this margin.
    left = MARGIN + ROW / 2
    for column, ys in zip(columns, heights, strict=True):
        half = max(map(_half_width, column))
        for slot in column:
            boxes[slot] = _Box(left + half, ys[slot] - top, half * isinstance(slot, str))
        left += 2 * half + GAP
    return boxes, left - GAP + MARGIN, bottom - top


def _half_width(slot: Slot) -> float:
    return len(_short(slot)) * CHARACTER / 2 + 10 if isinstance(slot, str) else 0.0


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def _line(boxes: list[_Box]) -> str:
    """Return the curve through the boxes: sideways between layers, up and down inside one."""
    first, last = boxes[0], boxes[-1]
    if first.x == last.x:
        up, down = sorted((first, last), key=lambda box: box.y)
        if down.y - up.y <= ROW:
            points = (up.y + HEIGHT / 2, down.y - HEIGHT / 2)
            ends = points if first is up else points[::-1]
            return f"M{first.x:.1f} {ends[0]:.1f}L{last.x:.1f} {ends[1]:.1f}"
        bend = min(first.x - first.half, last.x - last.half) - ROW / 2
        return (
            f"M{first.x - first.half:.1f} {first.y:.1f}C{bend:.1f} {first.y:.1f} "
            f"{bend:.1f} {last.y:.1f} {last.x - last.half:.1f} {last.y:.1f}"
        )
    curve = f"M{first.x + first.half:.1f} {first.y:.1f}"
    for one, other in pairwise(boxes):
        start, end = one.x + one.half, other.x - other.half
        middle = (start + end) / 2
        curve += f"C{middle:.1f} {one.y:.1f} {middle:.1f} {other.y:.1f} {end:.1f} {other.y:.1f}"
    return curve


def _edge(edge: Edge, boxes: list[_Box], *, has_head: bool) -> str:
    mark, colour = ("->", DIRECTED) if has_head else ("--", UNDIRECTED)
    head = ' marker-end="url(#effect)"' if has_head else ""
    return (
        f'<path d="{_line(boxes)}" fill="none" stroke="{colour}"{head}>'
        f"<title>{escape(f'{edge[0]} {mark} {edge[1]}')}</title></path>"
    )


def _node(name: str, box: _Box) -> str:
    return (
        f'<g><title>{escape(name)}</title><rect x="{box.x - box.half:.1f}" '
        f'y="{box.y - HEIGHT / 2:.1f}" width="{2 * box.half:.1f}" height="{HEIGHT:.0f}" rx="5" '
        'fill="#e8f4ff" stroke="#008bfb"/>'
        f'<text x="{box.x:.1f}" y="{box.y + 4.5:.1f}" text-anchor="middle">'
        f"{escape(_short(name))}</text></g>"
    )
