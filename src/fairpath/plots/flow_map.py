"""What a picture of the causal graph shows: nodes, flows along its edges, and other edges."""

from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import pairwise
from typing import TypeAlias

from fairpath.explanation import Explanation
from fairpath.explanation.quantities import Comparison
from fairpath.paths import Path
from fairpath.paths.path import LONGER
from fairpath.plots.rows import by_contribution
from fairpath.vocabulary import Edge, FloatVector

Node: TypeAlias = tuple[str, ...]
"""The features of a box; the prediction has none."""

Step: TypeAlias = tuple[Node, Node]
"""From left to right."""

PREDICTION: Node = ()
HEADS = {"→": 1, "←": -1}


@dataclass(frozen=True)
class Flow:
    """What paths carry along one edge: the sums of positive and of negative contributions.

    ``lowers`` is a size, so not negative; ``arrow`` is the mark of the graph (see `Path`).
    """

    raises: float
    lowers: float
    arrow: str


@dataclass(frozen=True)
class FlowMap:
    """The parts of the picture.

    Attributes
    ----------
    flows
        What runs along each step of the paths that are shown.
    lines
        Other edges between boxes, each with the side of its arrowhead: 1 at the right end, -1 at
        the left one, 0 at none.
    outside
        Boxes of outside features.
    layers
        How far to the right each box stands: right of all from which a path comes.
    """

    flows: dict[Step, Flow]
    lines: dict[Step, int]
    outside: tuple[Node, ...]
    layers: dict[Node, int]


def flow_map(explanation: Explanation, compared: Comparison, most: int | None) -> FlowMap:
    """Sum contributions along edges; the edges of paths beyond ``most`` are lines."""
    paths = explanation.paths
    order = by_contribution(explanation, compared).tolist()
    values = explanation.contributions(
        explanation.levels[compared.stratum], compared.view.outcome
    ).values
    shown = order[:most]
    flows = _flows([paths[i] for i in shown], values[shown])
    lines = {
        step: HEADS.get(arrow, 0)
        for i in order
        for step, arrow in _steps(paths[i])
        if step not in flows
    }
    layers = {(explanation.setting.sensitive,): 0, PREDICTION: 1} | _layers([*flows, *lines])
    found = FlowMap(flows, lines, (), layers)
    return found if explanation.study is None else _with_the_rest(found, explanation)


def _flows(paths: list[Path], values: FloatVector) -> dict[Step, Flow]:
    flows: dict[Step, Flow] = {}
    for path, value in zip(paths, values.tolist(), strict=True):
        for step, arrow in _steps(path):
            one = flows.get(step, Flow(0.0, 0.0, arrow))
            flows[step] = Flow(one.raises + max(value, 0.0), one.lowers + max(-value, 0.0), arrow)
    return flows


def _steps(path: Path) -> Iterator[tuple[Step, str]]:
    nodes = [(block,) if isinstance(block, str) else block for block in path.nodes]
    arrows = (*path.arrows, "→")
    if path.longer:
        nodes[1] = (*nodes[1], *nodes[2])  # one box for each end that longer paths lead to
        arrows = ("→",) * len(nodes)
    yield from zip(pairwise([*nodes, PREDICTION]), arrows, strict=True)


def _layers(steps: list[Step]) -> dict[Node, int]:
    sorter: TopologicalSorter[Node] = TopologicalSorter()
    causes: dict[Node, list[Node]] = {}
    for left, right in steps:
        sorter.add(right, left)
        causes.setdefault(right, []).append(left)
    layers: dict[Node, int] = {}
    for node in sorter.static_order():
        layers[node] = max((layers[cause] + 1 for cause in causes.get(node, [])), default=0)
    return layers


def _with_the_rest(found: FlowMap, explanation: Explanation) -> FlowMap:
    """Add edges of the graph that no path takes, and outside features with theirs."""
    assert explanation.study is not None  # noqa: S101 - asked before
    game = explanation.study.game
    node_of = {f: node for node in found.layers if LONGER not in node for f in node}
    marked = [
        *((edge, 1) for edge in game.graph.directed),
        *((edge, 0) for edge in game.graph.undirected),
    ]
    lines, layers = dict(found.lines), dict(found.layers)
    for (one, other), head in marked:
        if one in node_of and other in node_of:
            step, side = (node_of[one], node_of[other]), head
            if layers[step[1]] < layers[step[0]]:
                step, side = step[::-1], -head
            if step[0] != step[1] and step not in found.flows and step[::-1] not in lines:
                lines.setdefault(step, side)
    reached = {name: _reached(name, marked, node_of) for name in game.arrangement.outside}
    for name in reached.keys() & set(game.inputs):
        reached[name][PREDICTION] = 1
    # Those with the same edges share a box.
    alike: dict[tuple[tuple[Node, int], ...], Node] = {}
    for name, heads in reached.items():
        edges = tuple(sorted(heads.items()))
        alike[edges] = (*alike.get(edges, ()), name)
    alike.pop((), None)
    for edges, node in alike.items():
        layers[node] = max(0, min(layers[target] for target, _ in edges) - 1)
        lines |= {(node, target): head for target, head in edges}
    return FlowMap(found.flows, lines, tuple(alike.values()), layers)


def _reached(
    name: str, marked: list[tuple[Edge, int]], node_of: dict[str, Node]
) -> dict[Node, int]:
    """Return the boxes that an outside feature has an edge with, and where that has its head."""
    effects = {node_of[b]: head for (a, b), head in marked if a == name and b in node_of}
    return effects | {node_of[a]: -head for (a, b), head in marked if b == name and a in node_of}
