"""Graphs of the causal-learn library, which is imported only to write one.

In an endpoint matrix, entry (i, j) is the mark at node i of the edge between i and j:
-1 a tail, 1 an arrowhead, 2 a circle, 0 no edge. So i -> j is -1 at (i, j) and 1 at (j, i).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairpath.errors import GraphError, MissingExtraError
from fairpath.graph.formats import refusals
from fairpath.graph.formats.arrows import edge_from_arrow
from fairpath.graph.marks import Marks, RawEdge, RawGraph

if TYPE_CHECKING:
    from causallearn.graph.GeneralGraph import GeneralGraph

IntMatrix: TypeAlias = NDArray[np.intp]
"""Shape (n, n)."""

TAIL, NONE, ARROWHEAD, CIRCLE = -1, 0, 1, 2
_LEFT = {TAIL: "-", ARROWHEAD: "<", CIRCLE: "o"}
_RIGHT = {TAIL: "-", ARROWHEAD: ">", CIRCLE: "o"}
_EXPECTED = (
    "Expected a GeneralGraph of causal-learn, what pc() returns (of ges(): result['G']), "
    "or a square endpoint matrix"
)


def raw_from_causallearn(graph: Any, names: Sequence[str] | None = None) -> RawGraph:  # noqa: ANN401
    """Read a GeneralGraph, what ``pc()`` returns, or an endpoint matrix.

    ``names`` names the rows; without it, a graph or data frame names its own, and the rows of
    any other matrix are X1, X2, ... The graph is markov, unless its attribute ``reading`` says
    that it was drawn.

    >>> str(raw_from_causallearn([[0, -1], [1, 0]], names=["sex", "hours"]).edges[0])
    'sex -> hours'
    """
    inner = getattr(graph, "G", None)
    graph = inner if hasattr(inner, "get_node_names") else graph
    is_graph = hasattr(graph, "graph") and hasattr(graph, "get_node_names")
    matrix = _matrix(graph.graph if is_graph else graph)
    if names is None:
        names = graph.get_node_names() if is_graph else _columns(graph, len(matrix))
    nodes = _names(names, len(matrix))
    attributes = getattr(graph, "attributes", None) if is_graph else None
    reading = attributes.get("reading", "markov") if isinstance(attributes, dict) else "markov"
    return RawGraph(nodes, _edges(matrix, nodes), refusals.known_reading(reading))


def to_endpoint_matrix(graph: Marks) -> IntMatrix:
    """Return the endpoint matrix, with rows in the order of ``graph.nodes``."""
    row = {node: number for number, node in enumerate(graph.nodes)}
    matrix = np.zeros((len(row), len(row)), dtype=np.intp)
    for cause, effect in graph.directed:
        matrix[row[cause], row[effect]] = TAIL
        matrix[row[effect], row[cause]] = ARROWHEAD
    for one, other in graph.undirected:
        matrix[row[one], row[other]] = matrix[row[other], row[one]] = TAIL
    return matrix


def to_causallearn(graph: Marks) -> "GeneralGraph":
    """Return a GeneralGraph; only a drawn graph needs to say its reading."""
    try:
        from causallearn.graph.Edge import Edge  # noqa: PLC0415
        from causallearn.graph.Endpoint import Endpoint  # noqa: PLC0415
        from causallearn.graph.GeneralGraph import GeneralGraph  # noqa: PLC0415
        from causallearn.graph.GraphNode import GraphNode  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("causal-learn") from error
    nodes = {name: GraphNode(name) for name in graph.nodes}
    result = GeneralGraph(list(nodes.values()))
    for edges, head in ((graph.directed, Endpoint.ARROW), (graph.undirected, Endpoint.TAIL)):
        for source, target in edges:
            result.add_edge(Edge(nodes[source], nodes[target], Endpoint.TAIL, head))
    if graph.reading == "drawn":
        result.add_attribute("reading", "drawn")
    return result


def _matrix(given: object) -> IntMatrix:
    """Return a square matrix of whole numbers."""
    got = f"got an object of type {type(given).__name__}"
    try:
        values = np.asarray(given)
        numbers = values.astype(np.float64) if values.dtype.kind in "biufO" else np.empty(0)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise GraphError(f"{_EXPECTED}; {got}.") from error
    if numbers.ndim != 2 or numbers.shape[0] != numbers.shape[1]:  # noqa: PLR2004
        shape = f" of shape {values.shape}" if values.ndim else ""
        raise GraphError(f"{_EXPECTED}; {got}{shape}.")
    odd = np.argwhere(~np.isin(numbers, (*_LEFT, NONE)))
    if len(odd):
        i, j = odd[0]
        raise GraphError(
            f"The endpoint matrix has {numbers[i, j]:g} at ({i}, {j}), expected -1 (tail), "
            "1 (arrowhead), 2 (circle) or 0 (no edge)."
        )
    return numbers.astype(np.intp)


def _columns(matrix: object, size: int) -> Sequence[str]:
    """Return the names that a data frame gives to its columns, or X1, X2, ..."""
    columns = list(getattr(matrix, "columns", ()))
    if not columns or not all(isinstance(column, str) for column in columns):
        return [f"X{number}" for number in range(1, size + 1)]
    index = list(getattr(matrix, "index", columns))
    if index != columns and set(index) == set(columns):
        raise GraphError("The rows and columns of the data frame are in a different order.")
    return columns


def _names(names: Sequence[str], size: int) -> tuple[str, ...]:
    given = () if isinstance(names, str) or not isinstance(names, Iterable) else tuple(names)
    if (names and not given) or not all(isinstance(name, str) for name in given):
        raise GraphError(f"Expected names as a list of strings, got {type(names).__name__}.")
    if len(given) != size:
        raise GraphError(f"Got {len(given)} names for {size} nodes.")
    for name, count in Counter(given).items():
        if count > 1:
            raise GraphError(f"The name {refusals.excerpt(name)} is given to {count} nodes.")
    return tuple(str(name) for name in given)


def _edges(matrix: IntMatrix, nodes: tuple[str, ...]) -> tuple[RawEdge, ...]:
    if np.diagonal(matrix).any():
        node = nodes[int(np.flatnonzero(np.diagonal(matrix))[0])]
        raise GraphError(f"The endpoint matrix joins {refusals.excerpt(node)} to itself.")
    one_sided = np.argwhere((matrix == NONE) & (matrix.T != NONE))
    if len(one_sided):
        one, other = (refusals.excerpt(nodes[i], 30) for i in one_sided[0])
        raise GraphError(
            f"The endpoint matrix marks the edge between {one} and {other} on one side only: "
            "an edge has two marks, as in -1 and 1. (A 0/1 adjacency matrix is read by "
            "networkx.from_numpy_array.)"
        )
    return tuple(
        edge_from_arrow(
            nodes[i], f"{_LEFT[int(matrix[i, j])]}-{_RIGHT[int(matrix[j, i])]}", nodes[j]
        )
        for i, j in np.argwhere(np.triu(matrix))
    )
