"""GML, the format of yEd, igraph, Gephi and networkx."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from html.entities import html5

from fairpath.errors import GraphError
from fairpath.graph.formats import refusals
from fairpath.graph.formats.arrows import ARROW_OF_DIRECTION, edge_from_arrow
from fairpath.graph.marks import Marks, RawEdge, RawGraph

_SIGNATURE = re.compile(
    r'\s*+(?:(?:\#[^\n]*|[A-Za-z]\w*+\s++(?:"[^"]*"|[-+.\w]++))(?=\s)\s*+)*+graph\s*\[', re.VERBOSE
)
_TOKEN = re.compile(
    r"""
      (?P<blank> \s+ | \#[^\n]* )
    | (?P<word> [A-Za-z_]\w* | [+-]?(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?(?!\w) )
    | (?P<string> "[^"]*" )
    | (?P<open> \[ )
    | (?P<close> \] )
    """,
    re.VERBOSE,
)
_ENTITY = re.compile(r"&(?:#(\d{1,7})|#x([0-9A-Fa-f]{1,6})|(\w{1,31}));")
_ESCAPED = re.compile(r'[^ -~]|[&"]')


@dataclass(frozen=True)
class _Entry:
    """A key with its text, or with the entries of its list."""

    key: str
    line: int
    text: str = ""
    entries: tuple["_Entry", ...] | None = None

    def get(self, *keys: str) -> str | None:
        """Return the text of the first of ``keys`` that is here."""
        texts = {e.key: e.text for e in reversed(self.entries or ()) if e.entries is None}
        return next((texts[key] for key in keys if key in texts), None)

    def all(self, key: str) -> list["_Entry"]:
        """Return the lists called ``key``."""
        return [e for e in self.entries or () if e.key == key and e.entries is not None]


def looks_like_gml(text: str) -> bool:
    """Recognise ``graph [``, with comments and a creator before it."""
    return _SIGNATURE.match(text) is not None


def parse_gml(text: str) -> RawGraph:
    """Read a GML graph; a node is named by its label, or else by its name or id."""
    graphs = _parse(text).all("graph")
    if len(graphs) != 1:
        raise refusals.not_a_graph(f"GML with {len(graphs)} graphs instead of one")
    graph = graphs[0]
    directed = graph.get("directed") or "0"
    if directed not in ("0", "1"):
        raise GraphError(f'GML: "directed" is {refusals.excerpt(directed)}, expected 0 or 1.')
    names = _names(graph.all("node"))
    edges = tuple(_edge(edge, names, directed=directed == "1") for edge in graph.all("edge"))
    reading = refusals.known_reading(graph.get("reading") or "drawn", graph.line)
    return RawGraph(tuple(names.values()), edges, reading)


def to_gml(graph: Marks) -> str:
    """Write a directed GML graph; an undirected edge carries ``undirected 1``."""
    ids = {node: number for number, node in enumerate(graph.nodes)}
    lines = ["graph [", "  directed 1", f'  reading "{graph.reading}"']
    for node, number in ids.items():
        label = _ESCAPED.sub(lambda match: f"&#{ord(match[0])};", node)
        lines += ["  node [", f"    id {number}", f'    label "{label}"', "  ]"]
    for edges, mark in ((graph.directed, []), (graph.undirected, ["    undirected 1"])):
        for source, target in edges:
            ends = [f"    source {ids[source]}", f"    target {ids[target]}"]
            lines += ["  edge [", *ends, *mark, "  ]"]
    return "\n".join([*lines, "]", ""])


def _names(nodes: list[_Entry]) -> dict[str, str]:
    """Return the name of each id."""
    names: dict[str, str] = {}
    lines: dict[str, int] = {}
    for node in nodes:
        identity = node.get("id")
        if identity is None:
            raise GraphError(f"Line {node.line}: the node has no id.")
        if identity in names:
            shown = refusals.excerpt(identity)
            raise GraphError(f"Line {node.line}: the node id {shown} is used twice.")
        name = node.get("label", "name", "id") or ""
        if name in lines:
            raise GraphError(
                f"Line {node.line}: the label {refusals.excerpt(name)} was already given "
                f"on line {lines[name]}: labels name the nodes, so they must differ."
            )
        names[identity], lines[name] = name, node.line
    return names


def _edge(edge: _Entry, names: dict[str, str], *, directed: bool) -> RawEdge:
    ends = []
    for key in ("source", "target"):
        identity = edge.get(key)
        if identity is None:
            raise GraphError(f"Line {edge.line}: the edge has no {key}.")
        if identity not in names:
            shown = refusals.excerpt(identity)
            raise GraphError(f"Line {edge.line}: the {key} {shown} is not the id of any node.")
        ends.append(names[identity])
    if not directed or edge.get("undirected") in ("1", "true"):
        return RawEdge(ends[0], ends[1], directed=False, line=edge.line)
    direction = edge.get("dir") or "forward"
    if direction not in ARROW_OF_DIRECTION:
        raise refusals.unexpected(edge.line, direction, 'dir "forward", "back" or "none"')
    return edge_from_arrow(ends[0], ARROW_OF_DIRECTION[direction], ends[1], edge.line)


def _parse(text: str) -> _Entry:
    """Read nested lists with a stack of open lists, so that no depth is too deep."""
    stack: list[tuple[str, int, list[_Entry]]] = [("", 1, [])]
    key: str | None = None
    last = text.count("\n") + 1
    for kind, word, line in _tokens(text):
        if key is None and kind == "word":
            key = word
        elif key is None and kind == "close" and len(stack) > 1:
            name, opened, entries = stack.pop()
            stack[-1][2].append(_Entry(name, opened, entries=tuple(entries)))
        elif key is None:
            raise refusals.unexpected(line, word, 'a key or "]"' if len(stack) > 1 else "a key")
        elif kind == "close":
            raise refusals.unexpected(line, word, f"a value for {refusals.excerpt(key, 20)}")
        elif kind == "open":
            stack.append((key, line, []))
            key = None
        else:
            value = _ENTITY.sub(_character, word[1:-1]) if kind == "string" else word
            stack[-1][2].append(_Entry(key, line, value))
            key = None
    if key is not None:
        raise refusals.unexpected(last, "", f"a value for {refusals.excerpt(key, 20)}")
    if len(stack) > 1:
        raise refusals.unexpected(last, "", f'"]" for the "[" of line {stack[-1][1]}')
    return _Entry("", 1, entries=tuple(stack[0][2]))


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    position, line = 0, 1
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            expected = "a closing quote" if text[position] == '"' else "a key, a value, [ or ]"
            raise refusals.unexpected(line, text[position : position + 61], expected)
        if match.lastgroup != "blank":
            yield str(match.lastgroup), match[0], line
        line += match[0].count("\n")
        position = match.end()


def _character(match: re.Match[str]) -> str:
    """Return the character of an entity, or the text itself if there is none."""
    decimal, hexadecimal, name = match.groups()
    if name:
        return html5.get(f"{name};", match[0])
    code = int(decimal) if decimal else int(hexadecimal, 16)
    return chr(code) if code <= sys.maxunicode else match[0]
