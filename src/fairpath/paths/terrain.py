"""Where a walk can still lead: what lets the search turn back before a dead end.

Everything here is necessary for a path to exist, never sufficient, so it prunes and
decides nothing. Sets of nodes are bits of integers.
"""

from collections.abc import Callable

from fairpath.graph.bits import as_bits, members, spread
from fairpath.graph.causal_graph import CausalGraph
from fairpath.graph.orientation import Orientation


class Terrain:
    """The edges around each node of a closed graph, and what the condition opens.

    Attributes
    ----------
    adjacent, outward, inward
        For each node its neighbours by any edge, by an edge that can leave it, and by one
        that can enter it.
    openable
        Nodes of the condition and those that can lead to one, so can be open colliders.
    """

    def __init__(self, graph: CausalGraph, start: int, given: int) -> None:
        number = {node: i for i, node in enumerate(graph.nodes)}

        def bits(around: Callable[[str], tuple[str, ...]]) -> list[int]:
            return [as_bits(number[other] for other in around(node)) for node in graph.nodes]

        self.start = start
        self.given = given
        self.adjacent = bits(graph.adjacent)
        self.outward = bits(lambda node: graph.children(node) + graph.neighbours(node))
        self.inward = bits(lambda node: graph.parents(node) + graph.neighbours(node))
        self.openable = spread(given, self.inward)
        self._walks: dict[tuple[int, int, tuple[int, int]], tuple[int, int]] = {}

    def walks_into(
        self, targets: int, *, avoid: int = 0, seeds: tuple[int, int] = (0, 0)
    ) -> tuple[int, int]:
        """Nodes from which an active walk, which may repeat nodes, still ends in a target.

        The first set is for nodes entered by an arrowhead, the second by a tail; ``seeds``
        are nodes that count as targets when entered so.
        """
        key = targets, avoid, seeds
        if key not in self._walks:
            self._walks[key] = self._find_walks(targets, avoid, seeds)
        return self._walks[key]

    def _find_walks(self, targets: int, avoid: int, seeds: tuple[int, int]) -> tuple[int, int]:
        away, toward = (targets | seeds[0]) & ~avoid, (targets | seeds[1]) & ~avoid
        blocked = avoid | 1 << self.start
        before = None
        while before != (away, toward):
            before = away, toward
            for node in range(len(self.adjacent)):
                bit = 1 << node
                if blocked & bit:
                    continue
                passes = not self.given & bit
                leaves = passes and bool(self.outward[node] & away)
                turns = bool(self.inward[node] & toward)
                if leaves or (turns and self.openable & bit):
                    away |= bit
                if leaves or (turns and passes):
                    toward |= bit
        return away, toward

    def has_room(self, last: int, visited: int, aim: int, targets: int) -> bool:
        """Whether unvisited nodes join ``last`` to the aim and, apart from it, to a target.

        Looks at the skeleton only. If the aim is on the way to the target, two ways without
        a common node must lead from it, one back to ``last`` and one on to a target.
        """
        free = ~visited
        if aim & targets:
            return bool(spread(1 << last, self.adjacent, free) & aim & free)
        ends = 1 << last | targets
        allowed = free | 1 << last
        way = self._shortest_way(aim, ends, allowed)
        # Menger: two such ways exist unless one node lies on all of them.
        return bool(way) and all(
            spread(aim, self.adjacent, allowed & ~(1 << node)) & ends & ~(1 << node)
            for node in members(way)
        )

    def leads_on(
        self, way: tuple[Orientation, bool], last: int, visited: int, aim: int, targets: int
    ) -> bool:
        """Whether a collider-free prefix can go on to the aim and a target and close no cycle."""
        orientation, into = way
        free = ~visited
        if into:
            # From an arrowhead on, every further node is a descendant.
            found = spread(1 << last, self.outward, free & ~orientation.above(last))
        else:
            back = spread(1 << last, self.inward, free & ~orientation.below(last))
            found = spread(back, self.outward, free)
        return bool(found & aim and found & targets)

    def steps_towards_condition(self, orientation: Orientation, node: int) -> list[int]:
        """Return the effects of a node from which the condition may be reached, near ones first."""
        # Where each edge could point if it were the only one to be directed.
        outward = [
            out & ~orientation.above(v) if self.openable >> v & 1 else 0
            for v, out in enumerate(self.outward)
        ]
        distance = dict.fromkeys(members(self.given), 0)
        layer = self.given
        while layer:
            further = as_bits(
                v for v, out in enumerate(outward) if v not in distance and out & layer
            )
            distance.update(dict.fromkeys(members(further), len(distance)))
            layer = further
        effects = [v for v in members(outward[node]) if v in distance]
        return sorted(effects, key=lambda v: (distance[v], v))

    def _shortest_way(self, seed: int, ends: int, allowed: int) -> int:
        """Nodes of a shortest way from the seed to one of the ends, without the seed; 0 if none."""
        layers = [seed]
        found = seed
        while not layers[-1] & ends:
            further = 0
            for node in members(layers[-1]):
                further |= self.adjacent[node]
            layers.append(further & allowed & ~found)
            if not layers[-1]:
                return 0
            found |= layers[-1]
        node = next(members(layers[-1] & ends))
        way = 1 << node
        for layer in layers[-2:0:-1]:
            node = next(members(layer & self.adjacent[node]))
            way |= 1 << node
        return way
