"""The potential active paths of a graph as a list of `Path` (Algorithm 1)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from fairpath.errors import GraphError, TooManyPathsError
from fairpath.graph.bits import as_bits
from fairpath.graph.causal_graph import CausalGraph
from fairpath.paths.path import Path
from fairpath.paths.search import Nodes, PathSearch

MAX_PATHS = 10_000


def active_paths(
    graph: CausalGraph,
    *,
    sensitive: str,
    inputs: Iterable[str] | None = None,
    given: Sequence[str] = (),
    max_paths: int = MAX_PATHS,
    max_length: int | None = None,
) -> tuple[Path, ...]:
    """Return every potential active path from the sensitive attribute to the prediction.

    Parameters
    ----------
    graph
        The causal graph; without the prediction, which every input points to.
    sensitive
        The sensitive attribute.
    inputs
        What the model reads, by default every other node. Names that the graph does not
        know are on no path. If the sensitive attribute is among them, ``(sensitive,)`` is a
        path.
    given
        What the disparity conditions on, such as the outcome: colliders on it, and on its
        ancestors, are open; a path that passes it lists it.
    max_paths
        More paths than this are an error that says which nodes make them so many.
    max_length
        Longest path, in features on it. All longer ones into one feature become one path.

    Returns
    -------
    Shortest first, then in the order of the names.

    >>> graph = CausalGraph.parse("sex -> married; married -> hours; sex -> hours")
    >>> for path in active_paths(graph, sensitive="sex", inputs=["hours"]):
    ...     print(path)
    sex → hours → prediction
    sex → married → hours → prediction
    """
    given = check_roles(graph, sensitive, inputs, given)
    check_limits(max_paths, max_length)
    search = PathSearch(graph, sensitive, given)
    read = set(graph.nodes).difference((sensitive, *given)) if inputs is None else set(inputs)
    targets = as_bits(search.number[node] for node in read.intersection(graph.nodes))

    found: list[Nodes] = []
    ends_of_longer = 0

    def narrow(prefix: Nodes) -> int:
        """Beyond the limit only ask which inputs a longer path reaches at all."""
        return targets if fits(prefix) else targets & ~ends_of_longer

    def fits(prefix: Nodes) -> bool:
        conditions = sum(search.given >> node & 1 for node in prefix)
        return max_length is None or len(prefix) - 1 - conditions <= max_length

    for nodes in search.paths(targets, narrow=None if max_length is None else narrow):
        if not fits(nodes):
            ends_of_longer |= 1 << nodes[-1]
            continue
        found.append(nodes)
        if len(found) > max_paths:
            raise TooManyPathsError(_too_many(search, found, max_paths))
    found.sort(key=lambda nodes: (len(nodes), nodes))
    merged = [
        Path.longer_into(sensitive, node)
        for node in graph.nodes
        if ends_of_longer >> search.number[node] & 1
    ]
    return (*(_as_path(search, nodes) for nodes in found), *merged)


def check_roles(
    graph: CausalGraph, sensitive: str, inputs: Iterable[str] | None, given: Sequence[str]
) -> tuple[str, ...]:
    """Refuse roles that contradict the graph or each other; return ``given`` as a tuple."""
    if not isinstance(graph, CausalGraph):
        raise GraphError(
            f"graph must be a CausalGraph, got {type(graph).__name__}. "
            "Use CausalGraph.parse(text), read_graph(file) or from_networkx(graph)."
        )
    graph.require(sensitive, "sensitive attribute")
    for name, value in (("inputs", inputs), ("given", given)):
        if isinstance(value, str):
            raise GraphError(f"{name} is a collection of names; write {name}=[{value!r}].")
    given = tuple(given)
    for node in given:
        if node not in graph.nodes:
            raise GraphError(
                f"The disparity conditions on {node!r}, which is not in the graph. Add it with "
                f"the edges from its causes, for example '{graph.nodes[0]} -> {node}'."
            )
    if sensitive in given:
        raise GraphError(f"The sensitive attribute {sensitive!r} cannot be conditioned on.")
    for node in given:
        if inputs is not None and node in set(inputs):
            raise GraphError(
                f"The model reads {node!r}, on which the disparity conditions. "
                "Leave it out of the inputs."
            )
    return given


def check_limits(max_paths: int, max_length: int | None) -> None:
    """Refuse limits that are not counts."""
    for name, value in (("max_paths", max_paths), ("max_length", max_length)):
        if value is not None and (not isinstance(value, int) or value < 1):
            raise GraphError(f"{name} must be a whole number of at least 1, got {value!r}.")


def _as_path(search: PathSearch, nodes: Nodes) -> Path:
    arrows = tuple(search.mark(u, v) for u, v in pairwise(nodes))
    return Path(tuple(search.graph.nodes[node] for node in nodes), arrows)


def _too_many(search: PathSearch, found: list[Nodes], max_paths: int) -> str:
    """Name the nodes that most of the paths pass."""
    inner = Counter(node for nodes in found for node in nodes[1:-1])
    common = [search.graph.nodes[node] for node, _ in inner.most_common(3)]
    return (
        f"The graph has more than {max_paths} paths from {search.graph.nodes[search.start]}. "
        f"Most of them pass {', '.join(common)}: merge these into one column or drop them from "
        "the graph, merge long paths with max_length, or raise max_paths."
    )
