"""The causal graph: named columns, directed and undirected edges, checked where it is born."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Self, get_args

from fairpath.errors import GraphError
from fairpath.graph.drawing import to_svg
from fairpath.graph.formats import parse_text
from fairpath.graph.marks import RawEdge, RawGraph
from fairpath.vocabulary import Edge, Reading

EDGES_IN_REPR = 12


@dataclass(frozen=True, eq=False, repr=False)
class CausalGraph:
    """A partially directed acyclic graph over columns.

    Parameters
    ----------
    directed
        Pairs of cause and effect.
    undirected
        Pairs whose direction is not known.
    nodes
        Further nodes, without an edge.
    reading
        What an undirected edge means. ``"drawn"``: any direction that makes no cycle.
        ``"markov"``: the graph stands for a Markov equivalence class, so only the
        directions that add no unshielded collider.

    The prediction is never drawn: every model input is a parent of it.

    >>> graph = CausalGraph([("sex", "married")], undirected=[("sex", "age")])
    >>> graph
    <CausalGraph, drawn: age -- sex; sex -> married>
    >>> graph.children("sex"), graph.neighbours("sex")
    (('married',), ('age',))
    """

    directed: tuple[Edge, ...] = ()
    undirected: tuple[Edge, ...] = ()
    nodes: tuple[str, ...] = ()
    reading: Reading = "drawn"

    def __post_init__(self) -> None:
        edges = [RawEdge(*_pair(edge)) for edge in self.directed]
        edges += [RawEdge(*_pair(edge), directed=False) for edge in self.undirected]
        if isinstance(self.nodes, str):
            raise GraphError(f"nodes is a collection of names, got the string {self.nodes!r}.")
        raw = RawGraph(tuple(self.nodes), tuple(edges), self.reading)
        _refuse_what_is_no_graph(raw)
        ends = {end for edge in edges for end in (edge.source, edge.target)}
        content = {
            "nodes": tuple(sorted(ends.union(raw.nodes))),
            "directed": tuple(sorted((e.source, e.target) for e in edges if e.directed)),
            "undirected": tuple(
                sorted(_sorted_pair(e.source, e.target) for e in edges if not e.directed)
            ),
        }
        for name, value in content.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_raw(cls, raw: RawGraph) -> Self:
        """Check what a reader found; errors name the line."""
        _refuse_what_is_no_graph(raw)
        return cls(
            directed=tuple((e.source, e.target) for e in raw.edges if e.directed),
            undirected=tuple((e.source, e.target) for e in raw.edges if not e.directed),
            nodes=raw.nodes,
            reading=raw.reading,
        )

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read an edge list, CSV, DOT, GML, DAGitty or Tetrad text, told apart by content.

        >>> CausalGraph.parse("sex -> married; age -- sex; age -> married").parents("married")
        ('age', 'sex')
        """
        return cls.from_raw(parse_text(text))

    def parents(self, node: str) -> tuple[str, ...]:
        """Direct causes of ``node``."""
        return self._around(node).parents

    def children(self, node: str) -> tuple[str, ...]:
        """Direct effects of ``node``."""
        return self._around(node).children

    def neighbours(self, node: str) -> tuple[str, ...]:
        """Nodes joined to ``node`` by an undirected edge."""
        return self._around(node).neighbours

    def adjacent(self, node: str) -> tuple[str, ...]:
        """Nodes joined to ``node`` by any edge."""
        around = self._around(node)
        return tuple(sorted((*around.parents, *around.children, *around.neighbours)))

    def ancestors(self, node: str) -> tuple[str, ...]:
        """Nodes with a directed path to ``node``, itself excluded."""
        return self._reached(node, "parents")

    def descendants(self, node: str) -> tuple[str, ...]:
        """Nodes with a directed path from ``node``, itself excluded."""
        return self._reached(node, "children")

    def require(self, node: str, role: str = "node") -> str:
        """Return ``node``, or raise an error that names the closest nodes there are."""
        if node in self._surroundings:
            return node
        close = get_close_matches(str(node), self.nodes, n=3, cutoff=0.6)
        hint = f"Did you mean {' or '.join(map(repr, close))}?" if close else ""
        shown = ", ".join(self.nodes[:20]) + (", …" if len(self.nodes) > 20 else "")  # noqa: PLR2004
        raise GraphError(
            f"The {role} {node!r} is not in the graph. {hint or f'Its nodes are: {shown}.'}"
        )

    @cached_property
    def _surroundings(self) -> "dict[str, _Surroundings]":
        parents: dict[str, list[str]] = {node: [] for node in self.nodes}
        children: dict[str, list[str]] = {node: [] for node in self.nodes}
        neighbours: dict[str, list[str]] = {node: [] for node in self.nodes}
        for cause, effect in self.directed:
            parents[effect].append(cause)
            children[cause].append(effect)
        for one, other in self.undirected:
            neighbours[one].append(other)
            neighbours[other].append(one)
        return {
            node: _Surroundings(
                tuple(sorted(parents[node])),
                tuple(sorted(children[node])),
                tuple(sorted(neighbours[node])),
            )
            for node in self.nodes
        }

    def _around(self, node: str) -> "_Surroundings":
        return self._surroundings[self.require(node)]

    def _reached(self, node: str, direction: str) -> tuple[str, ...]:
        found: set[str] = set()
        waiting = [self.require(node)]
        while waiting:
            further = set(getattr(self._surroundings[waiting.pop()], direction)) - found
            found |= further
            waiting.extend(further)
        return tuple(sorted(found))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CausalGraph):
            return NotImplemented
        return self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)

    @property
    def _content(self) -> tuple[object, ...]:
        return (self.nodes, self.directed, self.undirected, self.reading)

    def __repr__(self) -> str:
        ends = {end for edge in (*self.directed, *self.undirected) for end in edge}
        parts = sorted(
            [f"{cause} -> {effect}" for cause, effect in self.directed]
            + [f"{one} -- {other}" for one, other in self.undirected]
            + [node for node in self.nodes if node not in ends]
        )
        shown = "; ".join(parts[:EDGES_IN_REPR])
        if len(parts) > EDGES_IN_REPR:
            shown += f"; … ({len(self.nodes)} nodes, {len(parts)} edges and lone nodes in all)"
        return f"<{type(self).__name__}, {self.reading}: {shown}>"

    def _repr_svg_(self) -> str:
        return to_svg(self)


@dataclass(frozen=True)
class _Surroundings:
    """The nodes next to one node, each sorted."""

    parents: tuple[str, ...]
    children: tuple[str, ...]
    neighbours: tuple[str, ...]


def _pair(edge: Iterable[str]) -> Edge:
    ends = () if isinstance(edge, str) else tuple(edge)
    if len(ends) != 2:  # noqa: PLR2004
        raise GraphError(f"An edge is a pair of two names, got {edge!r}.")
    return ends[0], ends[1]


def _sorted_pair(one: str, other: str) -> Edge:
    return (one, other) if one < other else (other, one)


def _refuse_what_is_no_graph(raw: RawGraph) -> None:
    """Raise for everything that cannot be a partially directed acyclic graph."""
    if raw.reading not in get_args(Reading):
        raise GraphError(f"A graph is read as 'drawn' or 'markov', got {raw.reading!r}.")
    for name in (*raw.nodes, *(end for e in raw.edges for end in (e.source, e.target))):
        if not isinstance(name, str):
            raise GraphError(
                f"Nodes are column names, so strings; got {name!r} of type "
                f"{type(name).__name__}. Rename it, in the data too."
            )
        if not name:
            raise GraphError("A node has an empty name. Give it the name of its column.")
    if not raw.nodes and not raw.edges:
        raise GraphError(
            "The graph is empty: it has no node and no edge. Write for example 'sex -> income'."
        )
    _refuse_repeated_edges(raw.edges)
    _refuse_cycles(raw.edges)


def _refuse_repeated_edges(edges: tuple[RawEdge, ...]) -> None:
    seen: dict[Edge, RawEdge] = {}
    for edge in edges:
        if edge.source == edge.target:
            where = _lines([edge.line])
            raise GraphError(f"The edge '{edge}' joins a node to itself{where}. Remove it.")
        pair = _sorted_pair(edge.source, edge.target)
        first = seen.setdefault(pair, edge)
        if first is edge:
            continue
        lines = _lines([first.line, edge.line])
        if str(first) == str(edge):
            raise GraphError(f"The edge '{edge}' is given twice{lines}. Remove one of the two.")
        raise GraphError(
            f"{edge.source!r} and {edge.target!r} are joined twice, as '{first}' and as "
            f"'{edge}'{lines}. Keep one, or write '{pair[0]} -- {pair[1]}' if the direction "
            "is not known."
        )


def _refuse_cycles(edges: tuple[RawEdge, ...]) -> None:
    sorter: TopologicalSorter[str] = TopologicalSorter()
    lines: dict[Edge, int | None] = {}
    for edge in sorted((e for e in edges if e.directed), key=lambda e: (e.source, e.target)):
        sorter.add(edge.target, edge.source)
        lines[edge.source, edge.target] = edge.line
    try:
        sorter.prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1][1:]
        first = cycle.index(min(cycle))
        cycle = [*cycle[first:], *cycle[:first], cycle[first]]
        where = _lines([lines[step] for step in pairwise(cycle)])
        raise GraphError(
            f"The graph has a cycle: {' -> '.join(cycle)}{where}. Remove or turn one of its edges."
        ) from None


def _lines(numbers: list[int | None]) -> str:
    """Return where something stands in a file, if it comes from one."""
    known = sorted({number for number in numbers if number is not None})
    if not known:
        return ""
    return f" (line{'s' * (len(known) > 1)} {', '.join(map(str, known))})"
