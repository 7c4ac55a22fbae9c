"""Meek's four rules: what a Markov equivalence class forces (Meek 1995).

Every rule reads "this undirected edge must point that way, else there is a directed
cycle or a new unshielded collider". Rules are triggered by each newly directed edge,
so a closure costs little more than the edges that it directs.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from fairpath.graph.bits import as_bits, members, spread
from fairpath.graph.causal_graph import CausalGraph

Arrow = tuple[int, int]


@dataclass(frozen=True)
class Conflict:
    """A forced direction that the graph cannot take.

    ``edge`` makes a new collider of its source and ``other``, which are not adjacent.
    """

    edge: Arrow
    other: int


class MeekClosure:
    """Parents, children and undecided neighbours of each node, as bit sets."""

    __slots__ = ("adjacent", "children", "forced_by", "parents", "undecided")

    def __init__(
        self, parents: list[int], children: list[int], undecided: list[int], adjacent: list[int]
    ) -> None:
        self.parents = parents
        self.children = children
        self.undecided = undecided
        self.adjacent = adjacent
        self.forced_by: dict[Arrow, Arrow] = {}

    @classmethod
    def of(cls, graph: CausalGraph) -> "MeekClosure":
        """Take the marks of the graph as they are, without closing."""
        number = {node: i for i, node in enumerate(graph.nodes)}

        def bits(names: tuple[str, ...]) -> int:
            return as_bits(number[name] for name in names)

        return cls(
            [bits(graph.parents(node)) for node in graph.nodes],
            [bits(graph.children(node)) for node in graph.nodes],
            [bits(graph.neighbours(node)) for node in graph.nodes],
            [bits(graph.adjacent(node)) for node in graph.nodes],
        )

    def orient(self, u: int, v: int) -> "MeekClosure | None":
        """Direct u → v in a closed graph and close again; None if no DAG of the class has it."""
        if self.children[u] >> v & 1:
            return self
        if not self.undecided[u] >> v & 1:
            return None
        closure = MeekClosure(
            self.parents.copy(), self.children.copy(), self.undecided.copy(), self.adjacent
        )
        closure._direct(u, v)
        return closure if closure._spread([(u, v)]) is None else None

    def below(self, u: int) -> int:
        """Return the descendants of ``u``, itself left out."""
        return spread(1 << u, self.children) & ~(1 << u)

    def above(self, u: int) -> int:
        """Return the ancestors of ``u``, itself left out."""
        return spread(1 << u, self.parents) & ~(1 << u)

    def close(self) -> Conflict | None:
        """Apply the rules until nothing changes, or return the first conflict."""
        return self._spread(self.directed())

    def directed(self) -> list[Arrow]:
        """All directed edges."""
        return [(u, v) for u, below in enumerate(self.children) for v in members(below)]

    def undirected(self) -> list[Arrow]:
        """All undirected edges, each once."""
        return [(u, v) for u, near in enumerate(self.undecided) for v in members(near) if u < v]

    def why(self, conflict: Conflict) -> list[tuple[Arrow, Arrow]]:
        """Return the forced directions behind a conflict, each after the edge that forced it."""
        ends = [conflict.edge, (conflict.other, conflict.edge[1])]
        steps: list[tuple[Arrow, Arrow]] = []
        for edge in ends:
            chain: list[tuple[Arrow, Arrow]] = []
            while edge in self.forced_by:
                chain.append((self.forced_by[edge], edge))
                edge = self.forced_by[edge]  # noqa: PLW2901 - walk back to where it began
            steps.extend(step for step in reversed(chain) if step not in steps)
        return steps

    def stuck_nodes(self) -> int:
        """Extend to one DAG by taking away sinks (Dor and Tarsi 1992); what is left cannot be."""
        left = (1 << len(self.parents)) - 1
        found = True
        while left and found:
            found = False
            for node in members(left):
                if self._can_be_last(node, left):
                    left &= ~(1 << node)
                    found = True
        return left

    def _can_be_last(self, node: int, left: int) -> bool:
        """Whether all edges among ``left`` can point to ``node`` without a new collider."""
        if self.children[node] & left:
            return False
        around = self.adjacent[node] & left
        return all(
            not around & ~(self.adjacent[near] | 1 << near)
            for near in members(self.undecided[node] & left)
        )

    def _direct(self, u: int, v: int) -> None:
        self.parents[v] |= 1 << u
        self.children[u] |= 1 << v
        self.undecided[u] &= ~(1 << v)
        self.undecided[v] &= ~(1 << u)

    def _spread(self, waiting: list[Arrow]) -> Conflict | None:
        """Follow what each newly directed edge forces; ``waiting`` is used up."""
        while waiting:
            trigger = waiting.pop()
            for u, v in self._forced(*trigger):
                if not self.undecided[u] >> v & 1:
                    continue
                self.forced_by[u, v] = trigger
                self._direct(u, v)
                strangers = self.parents[v] & ~self.adjacent[u] & ~(1 << u)
                if strangers:
                    return Conflict((u, v), next(members(strangers)))
                waiting.append((u, v))
        return None

    def _forced(self, u: int, v: int) -> Iterator[Arrow]:
        """Directions that the rules draw from u → v together with the marks around it."""
        parents, children = self.parents, self.children
        undecided, adjacent = self.undecided, self.adjacent
        # Rule 1: u → v – c, u and c not adjacent.
        for c in members(undecided[v] & ~adjacent[u]):
            yield v, c
        # Rule 2: u → v → c and u – c; a → u → v and a – v.
        for c in members(children[v] & undecided[u]):
            yield u, c
        for a in members(parents[u] & undecided[v]):
            yield a, v
        # Rule 3: a – v, a – u → v, a – d → v, u and d not adjacent.
        for a in members(undecided[u] & undecided[v]):
            if parents[v] & undecided[a] & ~adjacent[u] & ~(1 << u):
                yield a, v
        # Rule 4: u → v → b, a – b, a – u, a and v adjacent, b and u not. (If u → v came first,
        # rule 1 has just drawn v → b, so the rule need not be asked again from there.)
        for b in members(children[v] & ~adjacent[u] & ~(1 << u)):
            for a in members(undecided[b] & undecided[u] & adjacent[v]):
                yield a, b
