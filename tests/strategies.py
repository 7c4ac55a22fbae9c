"""Valid inputs for property tests, drawn from one place."""

from itertools import combinations

from hypothesis import strategies as st

from fairpath.graph.causal_graph import CausalGraph
from fairpath.graph.orientation import complete

NODES = "abcdefg"


@st.composite
def drawn_graphs(draw: st.DrawFn, max_nodes: int = 6) -> CausalGraph:
    """Graphs as a person draws them: directed edges point forward, so no cycle can be drawn."""
    nodes = draw(st.permutations(NODES[: draw(st.integers(2, max_nodes))]))
    marks = [
        (pair, draw(st.sampled_from(["none", "none", "directed", "directed", "undirected"])))
        for pair in combinations(nodes, 2)
    ]
    return CausalGraph(
        directed=[pair for pair, mark in marks if mark == "directed"],
        undirected=[pair for pair, mark in marks if mark == "undirected"],
        nodes=nodes,
    )


@st.composite
def markov_graphs(draw: st.DrawFn, max_nodes: int = 6) -> CausalGraph:
    """Equivalence classes of a DAG, with some of its directions known beforehand."""
    nodes = draw(st.permutations(NODES[: draw(st.integers(2, max_nodes))]))
    edges = [pair for pair in combinations(nodes, 2) if draw(st.booleans())]
    adjacent = {frozenset(pair) for pair in edges}
    known = {
        (cause, effect)
        for cause, effect in edges
        for other, same in edges
        if same == effect and other != cause and frozenset((cause, other)) not in adjacent
    } | {edge for edge in edges if draw(st.integers(0, 4)) == 0}
    undirected = [edge for edge in edges if edge not in known]
    return complete(CausalGraph(tuple(known), undirected, nodes, "markov"))


graphs = st.one_of(drawn_graphs(), markov_graphs())


@st.composite
def questions(draw: st.DrawFn) -> tuple[CausalGraph, str, tuple[str, ...]]:
    """A graph, a sensitive attribute, and a condition of no or one node."""
    graph = draw(graphs)
    sensitive, *others = draw(st.permutations(graph.nodes))
    return graph, sensitive, tuple(others[: draw(st.integers(0, 1))])
