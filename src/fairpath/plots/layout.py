"""Where boxes stand and lines run in a picture of layers, from left to right.

An edge that spans several layers has a slot in each layer that it crosses, so that nothing is
drawn over a box. All lengths are points.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from fairpath.plots.flow_map import Node, Step

Slot: TypeAlias = Node | tuple[Node, Node, int]
"""A box, or the place where an edge crosses a layer."""

SWEEPS, SWAPS, RELAXATIONS = 16, 20, 40
BOX_GAP, SLOT_GAP = 16.0, 7.0
LEAST_GAP, MOST_GAP = 62.0, 120.0
"""Points between two layers."""


@dataclass(frozen=True)
class Size:
    """How large a box is."""

    width: float
    height: float


@dataclass(frozen=True)
class Box:
    """Where a box stands: its left and right side, its middle and its height."""

    left: float
    right: float
    middle: float
    height: float


@dataclass(frozen=True)
class Layout:
    """Boxes, the slots that each edge runs through, and the size of the whole.

    ``ports`` says at which height an edge leaves its left box and reaches its right one.
    """

    boxes: dict[Slot, Box]
    routes: dict[Step, list[Slot]]
    ports: dict[tuple[Step, Node], float]
    width: float
    height: float


def laid_out(
    layers: Mapping[Node, int], sizes: Mapping[Node, Size], thickness: Mapping[Step, float]
) -> Layout:
    """Place boxes and edges; ``thickness`` is that of each edge."""
    routes = {step: _route(step, layers) for step in thickness}
    heights: dict[Slot, float] = {node: sizes[node].height for node in layers}
    near: dict[Slot, list[tuple[Slot, float]]] = {node: [] for node in layers}
    for step, route in routes.items():
        for slot in route[1:-1]:
            heights[slot], near[slot] = thickness[step], []
        for one, other in pairwise(route):
            near[one].append((other, thickness[step]))
            near[other].append((one, thickness[step]))
    columns: list[list[Slot]] = [[] for _ in range(max(layers.values()) + 1)]
    for node, layer in layers.items():
        columns[layer].append(node)
    for route in routes.values():
        for slot in route[1:-1]:
            columns[_layer_of_crossing(slot)].append(slot)
    columns = _untangled(columns, near, heights)
    middles = _relaxed(columns, near, heights)
    boxes = _boxes(columns, middles, heights, sizes)
    return Layout(
        boxes,
        routes,
        _ports(boxes, routes, thickness),
        width=max(box.right for box in boxes.values()),
        height=max(box.middle + box.height / 2 for box in boxes.values()),
    )


def _route(step: Step, layers: Mapping[Node, int]) -> list[Slot]:
    left, right = step
    return [left, *((left, right, k) for k in range(layers[left] + 1, layers[right])), right]


def _layer_of_crossing(slot: Slot) -> int:
    layer = slot[2]
    assert isinstance(layer, int)  # noqa: S101 - a crossing, not a box
    return layer


def _is_box(slot: Slot) -> bool:
    return all(isinstance(part, str) for part in slot)


def _untangled(
    columns: list[list[Slot]],
    near: Mapping[Slot, list[tuple[Slot, float]]],
    heights: Mapping[Slot, float],
) -> list[list[Slot]]:
    """Order each layer by the mean place of its neighbours, forth and back; keep the best."""
    best, least = [list(column) for column in columns], _tangle(columns, near)
    columns = [list(column) for column in columns]
    for sweep in range(SWEEPS):
        forth = sweep % 2 == 0
        middles = {slot: y for column in columns for slot, y in _stack(column, heights).items()}
        layer_of = {slot: k for k, column in enumerate(columns) for slot in column}
        numbered = list(enumerate(columns))
        for k, column in numbered if forth else reversed(numbered):
            wanted = {}
            for slot in column:
                behind = [(n, w) for n, w in near[slot] if (layer_of[n] < k) == forth]
                wanted[slot] = _mean(behind or near[slot], middles, middles[slot])
            column.sort(key=lambda slot: wanted[slot])
            middles.update(_stack(column, heights))
        swapped = _swapped(columns, near)
        if (found := _tangle(swapped, near)) < least:
            best, least = swapped, found
    return best


def _swapped(
    columns: Sequence[Sequence[Slot]], near: Mapping[Slot, list[tuple[Slot, float]]]
) -> list[list[Slot]]:
    """Swap neighbours in a layer as long as that lets edges cross less."""
    found = [list(column) for column in columns]
    layer_of = {slot: k for k, column in enumerate(found) for slot in column}
    place = {slot: i for column in found for i, slot in enumerate(column)}

    def tangle(upper: Slot, lower: Slot) -> float:
        return sum(
            min(v, w)
            for one, v in near[upper]
            for other, w in near[lower]
            if layer_of[one] == layer_of[other] and place[one] > place[other]
        )

    for _ in range(SWAPS):
        swaps = 0
        for column in found:
            for i, (upper, lower) in enumerate(pairwise(list(column))):
                if column[i] == upper and tangle(upper, lower) > tangle(lower, upper):
                    column[i], column[i + 1] = lower, upper
                    place[upper], place[lower] = i + 1, i
                    swaps += 1
        if not swaps:
            break
    return found


def _mean(
    near: Sequence[tuple[Slot, float]], middles: Mapping[Slot, float], default: float
) -> float:
    total = sum(weight for _, weight in near)
    return sum(middles[slot] * weight for slot, weight in near) / total if total else default


def _tangle(columns: list[list[Slot]], near: Mapping[Slot, list[tuple[Slot, float]]]) -> float:
    """Return how much edges cross: for each two that do, the thinner one's thickness."""
    total = 0.0
    for left, right in pairwise(columns):
        place = {slot: i for i, slot in enumerate(right)}
        edges = [(i, place[n], w) for i, s in enumerate(left) for n, w in near[s] if n in place]
        for number, (i, j, w) in enumerate(edges):
            total += sum(min(w, v) for k, m, v in edges[:number] if (k - i) * (m - j) < 0)
    return total


def _stack(column: Sequence[Slot], heights: Mapping[Slot, float]) -> dict[Slot, float]:
    """Place slots one below the other, around zero."""
    offsets = _offsets(column, heights)
    shift = (offsets[0] + offsets[-1]) / 2 if offsets else 0.0
    return {slot: y - shift for slot, y in zip(column, offsets, strict=True)}


def _offsets(column: Sequence[Slot], heights: Mapping[Slot, float]) -> list[float]:
    """Return the middles of slots that stand as close as they may."""
    offsets = [0.0] if column else []
    for one, other in pairwise(column):
        gap = BOX_GAP if _is_box(one) and _is_box(other) else SLOT_GAP
        offsets.append(offsets[-1] + (heights[one] + heights[other]) / 2 + gap)
    return offsets


def _relaxed(
    columns: list[list[Slot]],
    near: Mapping[Slot, list[tuple[Slot, float]]],
    heights: Mapping[Slot, float],
) -> dict[Slot, float]:
    """Move slots towards their neighbours, without changing their order or touching."""
    middles = {slot: y for column in columns for slot, y in _stack(column, heights).items()}
    for sweep in range(RELAXATIONS):
        for column in columns if sweep % 2 else reversed(columns):
            wanted = [_mean(near[slot], middles, middles[slot]) for slot in column]
            offsets = _offsets(column, heights)
            free = _increasing([w - o for w, o in zip(wanted, offsets, strict=True)])
            for slot, y, offset in zip(column, free, offsets, strict=True):
                middles[slot] = y + offset
    return middles


def _increasing(values: Sequence[float]) -> list[float]:
    """Return the nearest numbers that do not decrease, by least squares."""
    pools: list[tuple[float, int]] = []
    for value in values:
        total, count = value, 1
        while pools and pools[-1][0] / pools[-1][1] > total / count:
            before, members = pools.pop()
            total, count = total + before, count + members
        pools.append((total, count))
    return [total / count for total, count in pools for _ in range(count)]


def _boxes(
    columns: list[list[Slot]],
    middles: Mapping[Slot, float],
    heights: Mapping[Slot, float],
    sizes: Mapping[Node, Size],
) -> dict[Slot, Box]:
    """Place layers beside each other, the higher the picture the wider apart."""
    top = min(middles[slot] - heights[slot] / 2 for slot in middles)
    height = max(middles[slot] + heights[slot] / 2 for slot in middles) - top
    gap = min(MOST_GAP, max(LEAST_GAP, 0.3 * height))
    widths: dict[Slot, float] = {node: size.width for node, size in sizes.items()}
    boxes: dict[Slot, Box] = {}
    left = 0.0
    for column in columns:
        right = left + max((widths.get(slot, 0.0) for slot in column), default=0.0)
        for slot in column:
            boxes[slot] = Box(left, right, middles[slot] - top, heights[slot])
        left = right + gap
    return boxes


def _ports(
    boxes: Mapping[Slot, Box], routes: Mapping[Step, list[Slot]], thickness: Mapping[Step, float]
) -> dict[tuple[Step, Node], float]:
    """Stack the edges at each side of a box in the order of where they go."""
    ports: dict[tuple[Step, Node], float] = {}
    for side, neighbour in ((0, 1), (-1, -2)):
        ends: dict[Node, list[tuple[float, Step]]] = {}
        for step, route in routes.items():
            ends.setdefault(step[side], []).append((boxes[route[neighbour]].middle, step))
        for node, edges in ends.items():
            y = boxes[node].middle - sum(thickness[step] for _, step in edges) / 2
            for _, step in sorted(edges):
                ports[step, node] = y + thickness[step] / 2
                y += thickness[step]
    return ports
