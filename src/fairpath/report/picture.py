"""The parts of the picture of the graph and where they stand: a strand for each path and edge."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from unicodedata import east_asian_width

from fairpath.explanation import Explanation
from fairpath.explanation.quantities import Comparison
from fairpath.paths import Path
from fairpath.paths.path import LONGER
from fairpath.plots.canvas import short_names
from fairpath.plots.flow_map import PREDICTION, Flow, FlowMap, Node, Step, flow_map
from fairpath.plots.layout import Layout, Size, laid_out
from fairpath.plots.rows import by_contribution
from fairpath.report.markup import Markup, label, phrase

TALLEST = 130.0
"""Units of all flows together."""

THIN, LEAST = 5.0, 1.0
"""Units that an edge without a flow has for itself, and that one with a flow has at least."""

LETTER, LINE, PADDING, SIDE = 12.0, 15.0, 8.0, 9.0
LONGEST_NAME, MOST_FEATURES = 22, 8

_NARROW, _WIDE = frozenset("fijlrt.,:;'|!()[]{}I "), frozenset("mwMW@%")


@dataclass(frozen=True)
class Strand:
    """What one path carries along one edge."""

    path: int
    value: float


@dataclass(frozen=True)
class Picture:
    """The parts of the picture and where they stand.

    Attributes
    ----------
    found
        Flows, other edges and boxes.
    strands
        For each edge with a flow the paths along it: those that raise the disparity first.
    layout, scale
        Places, and how many units a contribution of one is wide.
    names
        How features are written.
    """

    found: FlowMap
    strands: dict[Step, list[Strand]]
    layout: Layout
    scale: float
    names: dict[str, str]


def pictured(explanation: Explanation, compared: Comparison, most: int) -> Picture:
    """Place the paths with the largest contributions; the edges of others are thin lines."""
    found = flow_map(explanation, compared, most)
    values = explanation.contributions(
        explanation.levels[compared.stratum], compared.view.outcome
    ).values
    strands: dict[Step, list[Strand]] = defaultdict(list)
    for place in by_contribution(explanation, compared)[:most].tolist():
        for step in steps_of(explanation.paths[place]):
            strands[step].append(Strand(place, float(values[place])))
    for along in strands.values():
        along.sort(key=lambda one: one.value < 0)
    reached = [flow for (_, to), flow in found.flows.items() if to == PREDICTION]
    total = sum(flow.raises + flow.lowers for flow in reached)
    scale = TALLEST / total if total > 0 else 0.0
    names = short_names((f for node in found.layers for f in node), LONGEST_NAME)
    thickness = {
        step: max(scale * (flow.raises + flow.lowers), LEAST) for step, flow in found.flows.items()
    }
    thickness |= dict.fromkeys(found.lines, THIN)
    sizes = {node: _size(node, lines_of(node, names), thickness) for node in found.layers}
    layout = laid_out(found.layers, sizes, thickness)
    return Picture(found, dict(strands), layout, scale, names)


def steps_of(path: Path) -> list[Step]:
    """Return the edges that a path runs along, to the prediction."""
    nodes: list[Node] = [(block,) if isinstance(block, str) else block for block in path.nodes]
    if path.longer:
        nodes[1] = (*nodes[1], *nodes[2])  # as in `flow_map`: a box for each end
    return list(pairwise([*nodes, PREDICTION]))


def name_of(node: Node) -> str:
    """Return what a box stands for."""
    if node == PREDICTION:
        return "prediction"
    if node[0] == LONGER:
        return "longer paths"
    return ", ".join(node)


def flows(picture: Picture) -> Iterator[tuple[Markup, Markup, Flow]]:
    """Yield the edges that paths run along, the widest first, with what they carry."""
    found = picture.found.flows
    for left, right in sorted(found, key=lambda s: -(found[s].raises + found[s].lowers)):
        ends = (
            phrase("prediction") if node == PREDICTION else _in_words(node)
            for node in (left, right)
        )
        one, other = ends
        yield one, other, found[left, right]


def _in_words(node: Node) -> Markup:
    return phrase("longer paths") if node[0] == LONGER else label(", ".join(node))


def lines_of(node: Node, names: dict[str, str]) -> list[str]:
    """Return what is written in a box."""
    if node == PREDICTION or node[0] == LONGER:
        return [name_of(node)]
    lines = [names[feature] for feature in node]
    if len(lines) > MOST_FEATURES:
        lines = [*lines[: MOST_FEATURES - 1], f"and {len(lines) - MOST_FEATURES + 1} more"]
    return lines


def _size(node: Node, lines: Sequence[str], thickness: dict[Step, float]) -> Size:
    leaving = sum(width for step, width in thickness.items() if step[0] == node)
    reaching = sum(width for step, width in thickness.items() if step[1] == node)
    height = LINE * len(lines) + PADDING
    return Size(max(map(text_width, lines)) + 2 * SIDE, max(height, leaving + 4, reaching + 4))


def text_width(text: str) -> float:
    """Return about how wide letters are: fonts differ, so rather too much than too little.

    >>> text_width("ill") < text_width("own") < text_width("WWW")
    True
    """
    return LETTER * sum(map(_width, text))


def _width(letter: str) -> float:
    if east_asian_width(letter) in "WF":
        return 1.0
    if letter in _NARROW:
        return 0.38
    if letter in _WIDE:
        return 0.95
    return 0.72 if letter.isupper() else 0.6
