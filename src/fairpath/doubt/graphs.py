"""Which graphs to try: those of the class, or those that a caller names."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Literal, TypeAlias, TypeGuard, get_args

import numpy as np

from fairpath.discovery import Discovery, graph_of
from fairpath.errors import DataError, GraphError
from fairpath.graph import CausalGraph, dags
from fairpath.graph.orientation import closed, orientation_of
from fairpath.options import check_choice

Graphs: TypeAlias = Literal["class"] | Iterable[CausalGraph] | None
"""Every DAG of the class of the explained graph, some graphs, or none but the explained one."""

GraphRange: TypeAlias = Literal["class", "bootstrap"] | None

TRIES = 20
"""Random directions that are drawn for each graph that is wanted."""

_GRAPHS = 31


def graphs_asked(graph: object, graph_range: GraphRange) -> tuple[CausalGraph | None, Graphs]:
    """Return the graph to explain, and those over which a range is wanted; None: no range."""
    check_choice("graph_range", graph_range, (None, *get_args(get_args(GraphRange)[0])))
    one: CausalGraph | None = graph_of(graph)
    if _several(graph):
        if graph_range is not None:
            raise DataError(
                f"graph names {len(graph)} graphs, over which the range is taken; leave out "
                f"graph_range={graph_range!r}, or name one graph."
            )
        return graph_of(graph[0]), tuple(graph_of(each) for each in graph)
    if graph_range == "bootstrap":
        if not isinstance(graph, Discovery) or not graph.halves:
            raise DataError(
                "graph_range='bootstrap' needs what discover(…, bootstrap=20) found, as graph=."
            )
        return one, (graph.graph, *graph.halves)
    return one, graph_range


def _several(graph: object) -> TypeGuard[Sequence[CausalGraph | Discovery]]:
    """Say whether these are graphs; other lists are refused where any graph is."""
    kinds = CausalGraph | Discovery
    return (
        isinstance(graph, list | tuple)
        and len(graph) > 0
        and all(isinstance(one, kinds) for one in graph)
    )


def graphs_to_try(
    graph: CausalGraph, graphs: Graphs, most: int, seed: int
) -> tuple[tuple[CausalGraph, ...], tuple[str, ...]]:
    """Return them, and what is to be said of the choice."""
    if graphs is None:
        return (graph,), ()
    if isinstance(graphs, str):
        if graphs != "class":
            raise DataError(
                f"graphs must be 'class', a collection of graphs or None, got {graphs!r}."
            )
        return _of_class(graph, most, seed)
    if isinstance(graphs, CausalGraph):
        raise GraphError("graphs is a collection of graphs, got one: write graphs=[graph].")
    if not isinstance(graphs, Iterable):
        raise GraphError(f"graphs must be 'class', a collection of graphs or None, got {graphs!r}.")
    named = tuple(graphs)
    if not named:
        raise GraphError(
            "graphs is empty. Name at least one graph, or use graphs='class' or graphs=None."
        )
    for one in named:
        _check_nodes(one, graph)
    return named, ()


def _of_class(
    graph: CausalGraph, most: int, seed: int
) -> tuple[tuple[CausalGraph, ...], tuple[str, ...]]:
    """Return all DAGs of the class, or some drawn at random if there are more than ``most``."""
    found = tuple(islice(dags(graph), most + 1))
    if len(found) <= most:
        return found, ()
    # The first ones differ only in the last edges, so they would say little.
    rng = np.random.default_rng([seed, _GRAPHS])
    start = closed(graph)
    drawn: dict[CausalGraph, None] = {}
    for _ in range(TRIES * most):
        if len(drawn) == most:
            break
        drawn[_random_dag(start, rng)] = None
    note = (
        f"{len(drawn)} DAGs, drawn at random from a class of more than {most}: the range over the "
        "class can be wider. Raise most_graphs, or direct edges that are known"
    )
    return tuple(drawn), (note,)


def _random_dag(graph: CausalGraph, rng: np.random.Generator) -> CausalGraph:
    """Direct the edges one after another in random order, each by a coin where both are possible.

    ``graph`` is closed.
    """
    number = {node: i for i, node in enumerate(graph.nodes)}
    orientation = orientation_of(graph)
    directed = list(graph.directed)
    for place in rng.permutation(len(graph.undirected)):
        edge = graph.undirected[place]
        if rng.random() < 0.5:  # noqa: PLR2004
            edge = edge[::-1]
        decided = orientation.orient(number[edge[0]], number[edge[1]])
        if decided is None:
            edge = edge[::-1]
            decided = orientation.orient(number[edge[0]], number[edge[1]])
        assert decided is not None  # noqa: S101 - one of the two directions is always possible
        orientation = decided
        directed.append(edge)
    return CausalGraph(tuple(directed), nodes=graph.nodes)


def _check_nodes(one: object, graph: CausalGraph) -> None:
    if not isinstance(one, CausalGraph):
        raise GraphError(
            f"graphs holds {one!r}, which is no CausalGraph. Make one with CausalGraph.parse(…)."
        )
    more, fewer = set(one.nodes) - set(graph.nodes), set(graph.nodes) - set(one.nodes)
    if more or fewer:
        told = [
            *(f"{name} is not in the explained graph" for name in sorted(more)[:1]),
            *(f"{name} is missing" for name in sorted(fewer)[:1]),
        ]
        raise GraphError(
            f"The graphs must have the same nodes: in {one!r} {' and '.join(told)}. Add a lone "
            "node with CausalGraph(…, nodes=[…]), or explain with a graph that has all of them."
        )
