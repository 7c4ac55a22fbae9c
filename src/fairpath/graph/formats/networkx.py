"""Graphs of the networkx library; networkx itself is imported only to write one."""

from itertools import islice
from typing import TYPE_CHECKING, Any

from fairpath.errors import GraphError, MissingExtraError
from fairpath.graph.formats import refusals
from fairpath.graph.formats.arrows import ARROW_OF_DIRECTION, edge_from_arrow
from fairpath.graph.marks import Marks, RawEdge, RawGraph

if TYPE_CHECKING:
    import networkx as nx


def raw_from_networkx(graph: Any) -> RawGraph:  # noqa: ANN401
    """Read a networkx graph.

    An undirected edge is an edge of an undirected graph, a pair of opposite edges, or an edge
    with the attribute ``undirected=True`` or ``dir="none"``.
    """
    directed, nodes, edges = _content(graph)
    names = {node: _name(node) for node in nodes}
    kept: list[RawEdge] = []
    waiting: dict[tuple[str, str], list[int]] = {}
    for source, target, attributes in edges:
        edge = _edge(names[source], names[target], attributes, directed=directed)
        opposite = waiting.get((edge.target, edge.source))
        if directed and edge.source != edge.target and opposite:
            kept[opposite.pop()] = RawEdge(edge.target, edge.source, directed=False)
        else:
            waiting.setdefault((edge.source, edge.target), []).append(len(kept))
            kept.append(edge)
    about = getattr(graph, "graph", None)
    reading = about.get("reading", "drawn") if isinstance(about, dict) else "drawn"
    return RawGraph(tuple(names.values()), tuple(kept), refusals.known_reading(reading))


def to_networkx(graph: Marks) -> "nx.DiGraph":
    """Return a ``networkx.DiGraph``; an undirected edge is a pair of opposite edges."""
    try:
        import networkx as nx  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("networkx") from error
    result = nx.DiGraph(reading=graph.reading)
    result.add_nodes_from(graph.nodes)
    result.add_edges_from(graph.directed)
    result.add_edges_from(graph.undirected, undirected=True)
    result.add_edges_from([(other, one) for one, other in graph.undirected], undirected=True)
    return result


def _content(graph: Any) -> tuple[bool, list[Any], list[tuple[Any, Any, dict[str, Any]]]]:  # noqa: ANN401
    """Return whether the graph is directed, its nodes and its edges."""
    try:
        directed = graph.is_directed()
        # No more than the graph says it has: an iterator without end must not hang.
        nodes = list(islice(graph.nodes, len(graph.nodes)))
        found = islice(graph.edges(data=True), len(graph.edges))
        edges = [(source, target, dict(attributes)) for source, target, attributes in found]
        known = set(nodes)
        complete = all(source in known and target in known for source, target, _ in edges)
    except (AttributeError, TypeError, ValueError) as error:
        raise _odd(graph) from error
    if not isinstance(directed, bool) or not complete:
        raise _odd(graph)
    return directed, nodes, edges


def _odd(graph: object) -> GraphError:
    return GraphError(f"Expected a networkx graph, got an object of type {type(graph).__name__}.")


def _name(node: object) -> str:
    if not isinstance(node, str):
        raise GraphError(
            f"The node {refusals.excerpt(str(node))} is of type {type(node).__name__}, but nodes "
            "are named like columns: relabel it with networkx.relabel_nodes."
        )
    return str(node)


def _edge(source: str, target: str, attributes: dict[str, Any], *, directed: bool) -> RawEdge:
    undirected = str(attributes.get("undirected", False)).lower() in ("true", "1")
    direction = str(attributes.get("dir", "forward"))
    if not directed or undirected:
        return RawEdge(source, target, directed=False)
    if direction not in ARROW_OF_DIRECTION:
        raise GraphError(
            f"The edge {refusals.excerpt(f'{source} -> {target}', 40)} has the direction "
            f"{refusals.excerpt(direction, 20)}, expected forward, back or none."
        )
    return edge_from_arrow(source, ARROW_OF_DIRECTION[direction], target)
