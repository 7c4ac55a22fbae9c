"""Blocks: features that the graph cannot put in order, treated as one (Algorithm 2).

Two features are adjacent if the graph joins them or if, relative to a condition, they
share an effect that is the condition or one of its ancestors in some DAG of the class.
Adjacent blocks that are not ordered are merged until there are none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from graphlib import CycleError, TopologicalSorter
from itertools import combinations
from operator import or_

from fairpath.graph.bits import members
from fairpath.paths.order import Order
from fairpath.paths.search import PathSearch


@dataclass(frozen=True)
class BlockGraph:
    """Blocks, causes before effects, with their direct predecessors.

    ``blocks[0]`` is the sensitive attribute alone; a block is a set of nodes as bits.
    """

    search: PathSearch
    blocks: tuple[int, ...]
    predecessors: tuple[tuple[int, ...], ...]

    def names(self, block: int) -> tuple[str, ...]:
        """Return the features of a block, sorted."""
        return tuple(self.search.graph.nodes[node] for node in members(self.blocks[block]))

    def arrow(self, earlier: int, later: int) -> str:
        """Return the mark between two adjacent blocks, through a common effect if need be."""
        search = self.search
        pairs = [(u, v) for u in members(self.blocks[earlier]) for v in members(self.blocks[later])]
        marks = {search.mark(u, v) for u, v in pairs if search.terrain.adjacent[u] >> v & 1}
        if marks:
            return marks.pop() if len(marks) == 1 else "–"
        # A child on which the disparity conditions is a shorter way than one of its ancestors.
        _, child, u, v = min(
            (not search.given >> child & 1, child, u, v)
            for u, v in pairs
            for child in search.common_effects(u, v)
        )
        name = search.graph.nodes[child]
        shown = name if search.given >> child & 1 else f"({name})"
        return f"{search.mark(u, child)} {shown} {search.mark(child, v)}"


def block_graph(search: PathSearch) -> BlockGraph:
    """Merge what is adjacent and not ordered, then find the direct predecessors."""
    order = Order(search)
    adjacent = _adjacency(search, order.reached)
    start = 1 << search.start
    blocks = [1 << node for node in members(order.reached)]
    parents: dict[int, list[int]] = {}
    while merging := _clashes(blocks, order, adjacent) or _circle(
        parents := _predecessors(start, blocks, order, adjacent)
    ):
        blocks = _merged(blocks, merging)

    ordered = _causes_first(parents)
    position = {block: i for i, block in enumerate([start, *ordered])}
    return BlockGraph(
        search,
        (start, *ordered),
        ((), *(tuple(sorted(position[p] for p in parents[block])) for block in ordered)),
    )


def _adjacency(search: PathSearch, reached: int) -> list[int]:
    """Return the features adjacent to each node, common effects of the condition included."""
    adjacent = list(search.terrain.adjacent)
    if search.given:
        nodes = list(members(reached | 1 << search.start))
        for i, u in enumerate(nodes):
            for v in nodes[i + 1 :]:
                if next(search.common_effects(u, v), None) is not None:
                    adjacent[u] |= 1 << v
                    adjacent[v] |= 1 << u
    return adjacent


def _clashes(blocks: Sequence[int], order: Order, adjacent: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the pairs of adjacent blocks of which neither precedes the other."""
    return [
        (one, other)
        for one, other in combinations(blocks, 2)
        if other & _union(adjacent, one) and order.visits(one, other) == order.visits(other, one)
    ]


def _predecessors(
    start: int, blocks: Sequence[int], order: Order, adjacent: Sequence[int]
) -> dict[int, list[int]]:
    """Return the adjacent blocks that precede each; the sensitive attribute precedes all."""
    return {
        block: [
            other
            for other in (start, *blocks)
            if other != block
            and _union(adjacent, block) & other
            and (other == start or order.precedes(other, block))
        ]
        for block in blocks
    }


def _circle(parents: dict[int, list[int]]) -> list[tuple[int, ...]]:
    """Return blocks that precede each other in a circle, if there are any.

    Relative to a condition, order by pairs need not be an order of all (seen once in some
    46,000 random graphs), and links could not be computed one after another.
    """
    try:
        TopologicalSorter(parents).prepare()
    except CycleError as error:
        return [tuple(error.args[1])]
    return []


def _merged(blocks: Sequence[int], clashes: Sequence[tuple[int, ...]]) -> list[int]:
    """Merge all clashing blocks at once, so that the result does not depend on names."""
    merged = list(blocks)
    for clash in clashes:
        union = reduce(or_, clash)
        union = reduce(or_, (block for block in merged if block & union))
        merged = [union, *(block for block in merged if not block & union)]
    return sorted(merged)


def _union(sets: Sequence[int], block: int) -> int:
    return reduce(or_, (sets[node] for node in members(block)), 0)


def _causes_first(parents: dict[int, list[int]]) -> list[int]:
    """Order blocks so that predecessors come first, ties in the order of the names."""
    sorter = TopologicalSorter({b: [p for p in ps if p in parents] for b, ps in parents.items()})
    sorter.prepare()
    ordered: list[int] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready(), key=lambda block: next(members(block)))
        ordered.extend(ready)
        sorter.done(*ready)
    return ordered
