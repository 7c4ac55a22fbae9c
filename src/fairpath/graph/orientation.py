"""Which directions the undirected edges can take together.

An orientation is a graph in which some undirected edges have been given a direction.
``orient(u, v)`` decides one more and returns the new orientation, or None if no DAG of
the class agrees. Both readings answer exactly and in polynomial time: a drawn graph
needs only that no cycle closes, a markov graph is closed under Meek's four rules.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol, Self

from fairpath.errors import GraphError
from fairpath.graph.bits import as_bits, members
from fairpath.graph.causal_graph import CausalGraph
from fairpath.graph.meek import Conflict, MeekClosure
from fairpath.vocabulary import Edge


class Orientation(Protocol):
    """Directions decided so far; nodes are numbers in the order of ``graph.nodes``."""

    def orient(self, u: int, v: int) -> Self | None:
        """Decide u → v for two adjacent nodes, or return None if no DAG allows it."""
        ...

    def below(self, u: int) -> int:
        """Return the descendants of ``u``, itself left out."""
        ...

    def above(self, u: int) -> int:
        """Return the ancestors of ``u``, itself left out."""
        ...


class DrawnOrientation:
    """Directions of a drawn graph: any that close no cycle.

    Kept as the descendants of each node, so an edge whose other direction would close a
    cycle counts as decided without further work.
    """

    __slots__ = ("_below",)

    def __init__(self, below: list[int]) -> None:
        self._below = below

    def orient(self, u: int, v: int) -> "DrawnOrientation | None":
        """Decide u → v unless v already leads to u."""
        below = self._below
        if below[u] >> v & 1:
            return self
        if below[v] >> u & 1:
            return None
        source, added = 1 << u, below[v] | 1 << v
        extended = [b | added if b & source else b for b in below]
        extended[u] |= added
        return DrawnOrientation(extended)

    def below(self, u: int) -> int:
        """Return the descendants of ``u``."""
        return self._below[u]

    def above(self, u: int) -> int:
        """Return the ancestors of ``u``."""
        return as_bits(node for node, below in enumerate(self._below) if below >> u & 1)


def orientation_of(graph: CausalGraph) -> Orientation:
    """Return the directions that the graph itself gives; a markov graph must be complete."""
    number = {node: i for i, node in enumerate(graph.nodes)}
    if graph.reading == "markov":
        return MeekClosure.of(graph)
    below = [as_bits(number[d] for d in graph.descendants(node)) for node in graph.nodes]
    return DrawnOrientation(below)


def complete(graph: CausalGraph) -> CausalGraph:
    """Read the graph as markov and direct every edge on which all its DAGs agree.

    Closes under Meek's rules (1995) and extends to one DAG (Dor and Tarsi 1992), since
    the closure alone does not notice every graph that no DAG fits.

    >>> complete(CausalGraph.parse("a -> b; b -- c"))
    <CausalGraph, markov: a -> b; b -> c>
    """
    closure = MeekClosure.of(graph)
    conflict = closure.close()
    if conflict is not None:
        raise GraphError(_conflict_message(graph, closure, conflict))
    stuck = closure.stuck_nodes()
    if stuck:
        names = ", ".join(graph.nodes[i] for i in members(stuck))
        raise GraphError(
            f"No directed graph fits: however the undirected edges among {names} are directed, "
            "there is a cycle or a new collider of two nodes that are not adjacent. "
            "Direct one of these edges, add the missing one, or keep the graph as drawn."
        )
    return CausalGraph(
        directed=_named(graph, closure.directed()),
        undirected=_named(graph, closure.undirected()),
        nodes=graph.nodes,
        reading="markov",
    )


def closed(graph: CausalGraph) -> CausalGraph:
    """Direct every undirected edge that has the same direction in all DAGs of the class."""
    if graph.reading == "markov":
        return complete(graph)
    number = {node: i for i, node in enumerate(graph.nodes)}
    orientation = orientation_of(graph)
    directed, undirected = list(graph.directed), list(graph.undirected)
    found = True
    while found:
        found = False
        for edge in list(undirected):
            one, other = number[edge[0]], number[edge[1]]
            there, back = orientation.orient(one, other), orientation.orient(other, one)
            if there is None or back is None:
                undirected.remove(edge)
                directed.append(edge if back is None else edge[::-1])
                orientation = there or back or orientation
                found = True
    return CausalGraph(tuple(directed), tuple(undirected), graph.nodes)


def dags(graph: CausalGraph) -> Iterator[CausalGraph]:
    """Yield every DAG of the class of the graph, lazily and in a fixed order.

    >>> [dag.directed for dag in dags(CausalGraph.parse("a -- b"))]
    [(('a', 'b'),), (('b', 'a'),)]
    """
    if graph.reading == "markov":
        graph = complete(graph)
    number = {node: i for i, node in enumerate(graph.nodes)}
    open_edges = [(number[one], number[other]) for one, other in graph.undirected]
    # Last in, first out: (how many open edges are decided, their directions, the orientation).
    waiting: list[tuple[tuple[tuple[int, int], ...], Orientation]] = [((), orientation_of(graph))]
    while waiting:
        chosen, orientation = waiting.pop()
        if len(chosen) == len(open_edges):
            yield CausalGraph(directed=(*graph.directed, *_named(graph, chosen)), nodes=graph.nodes)
            continue
        u, v = open_edges[len(chosen)]
        for cause, effect in ((v, u), (u, v)):
            oriented = orientation.orient(cause, effect)
            if oriented is not None:
                waiting.append(((*chosen, (cause, effect)), oriented))


def _named(graph: CausalGraph, pairs: Sequence[tuple[int, int]]) -> tuple[Edge, ...]:
    return tuple((graph.nodes[u], graph.nodes[v]) for u, v in pairs)


def _conflict_message(graph: CausalGraph, closure: MeekClosure, conflict: Conflict) -> str:
    """Tell the chain of forced directions that ends in the contradiction."""
    steps = [
        f"{graph.nodes[a]} -> {graph.nodes[b]} forces {graph.nodes[u]} -> {graph.nodes[v]}"
        for (a, b), (u, v) in closure.why(conflict)
    ]
    one, middle, other = (graph.nodes[i] for i in (*conflict.edge, conflict.other))
    return (
        f"No directed graph fits: {'; '.join(steps)}; together a new collider at {middle} of "
        f"{one} and {other}, which are not adjacent. "
        "Direct or remove one of these edges, or keep the graph as drawn."
    )
