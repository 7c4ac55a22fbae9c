"""DOT, the language of Graphviz, and DAGitty's dialect of it."""

import re
from collections.abc import Mapping

from fairpath.errors import GraphError
from fairpath.graph.formats import refusals
from fairpath.graph.formats.arrows import ARROW_OF_DIRECTION, edge_from_arrow
from fairpath.graph.formats.dot_statements import Statements
from fairpath.graph.formats.dot_tokens import Cursor, Token, tokens
from fairpath.graph.marks import Marks, RawEdge, RawGraph

_BLANK = r"(?:[ \t\n\r\f\v]|\#[^\n]*+|//[^\n]*+|/\*.*?\*/)"
_SIGNATURE = re.compile(
    rf"{_BLANK}*+(?:strict{_BLANK}++)?(digraph|graph|pdag|dag|mag|pag)\b{_BLANK}*+"
    rf'(?:(?:"(?:[^"\\]|\\.)*+"|[\w.-]++){_BLANK}*+)?\{{',
    re.DOTALL | re.IGNORECASE,
)
_KINDS = ("digraph", "graph", "dag", "pdag")
_DOT_PLAIN = re.compile(
    r"(?!(?:strict|graph|digraph|subgraph|node|edge)\Z)[A-Za-z_]\w*", re.ASCII | re.IGNORECASE
)
_DOT_IMPOSSIBLE = re.compile(rf"[{refusals.UNENCODABLE}]")
_DAGITTY_PLAIN = re.compile(r"[A-Za-z0-9_.]+")
_DAGITTY_IMPOSSIBLE = re.compile(r"[\0-\x1f\x7f\ud800-\udfff]|\\\Z|\A(?:graph|node)\Z")


def looks_like_dot(text: str) -> bool:
    """Recognise ``digraph {`` and its relatives."""
    return _SIGNATURE.match(text) is not None


def parse_dot(text: str) -> RawGraph:
    """Read DOT or DAGitty text.

    >>> print(*parse_dot("digraph { a -> {b c}; b -> c [dir=none] }").edges, sep=", ")
    a -> b, a -> c, b -- c
    """
    signature = _SIGNATURE.match(text)
    kind = signature[1].lower() if signature else "digraph"
    if kind in ("mag", "pag"):
        raise GraphError(
            f"A {kind} leaves hidden common causes and marks open: decide each mark, add common "
            "causes as nodes of their own (u -> x; u -> y), and call the graph dag or pdag."
        )
    dagitty = kind in ("dag", "pdag")
    cursor = Cursor(list(tokens(text, dagitty=dagitty)))
    strict = cursor.next.text.lower() == "strict"
    if strict:
        cursor.take()
    if cursor.next.text.lower() not in _KINDS:
        raise cursor.unexpected(", ".join(_KINDS))
    cursor.take()
    cursor.skip("name", "quoted")
    statements = Statements(cursor, _dagitty_edge if dagitty else _dot_edge)
    statements.body({})
    cursor.expect("end", expected="nothing after the closing brace")
    edges = _merged(statements.edges) if strict else statements.edges
    return RawGraph(tuple(statements.nodes), tuple(edges), statements.reading)


def to_dot(graph: Marks) -> str:
    """Write a digraph that Graphviz draws with the right arrowheads."""
    refusals.refuse_names(graph.nodes, _DOT_IMPOSSIBLE, "DOT")
    lines = ["  reading=markov;"] if graph.reading == "markov" else []
    lines += [f"  {_dot_name(node)};" for node in graph.nodes]
    lines += [f"  {_dot_name(a)} -> {_dot_name(b)};" for a, b in graph.directed]
    lines += [f"  {_dot_name(a)} -> {_dot_name(b)} [dir=none];" for a, b in graph.undirected]
    return "\n".join(["digraph {", *lines, "}", ""])


def to_dagitty(graph: Marks) -> str:
    """Write ``dag { }``, or ``pdag { }`` if there are undirected edges."""
    refusals.refuse_names(graph.nodes, _DAGITTY_IMPOSSIBLE, "DAGitty")
    lines = ['reading="markov"'] if graph.reading == "markov" else []
    lines += [_dagitty_name(node) for node in graph.nodes]
    lines += [f"{_dagitty_name(a)} -> {_dagitty_name(b)}" for a, b in graph.directed]
    lines += [f"{_dagitty_name(a)} -- {_dagitty_name(b)}" for a, b in graph.undirected]
    return "\n".join([f"{'pdag' if graph.undirected else 'dag'} {{", *lines, "}", ""])


def _dot_edge(source: str, arrow: Token, target: str, attributes: Mapping[str, str]) -> RawEdge:
    """Read the edge as Graphviz draws it: ``dir`` decides which ends have a head at all."""
    if arrow.text not in ("->", "<-", "--"):
        return edge_from_arrow(source, arrow.text, target, arrow.line)
    direction = attributes.get("dir") or ("none" if arrow.text == "--" else "forward")
    if direction not in ARROW_OF_DIRECTION:
        raise refusals.unexpected(arrow.line, f"dir={direction}", "dir=forward, back or none")
    tail = head = "-"
    if direction in ("back", "both"):
        tail = _mark(attributes.get("arrowtail", ""), "<")
    if direction in ("forward", "both"):
        head = _mark(attributes.get("arrowhead", ""), ">")
    listed = ", ".join(f"{key}={value}" for key, value in attributes.items())
    written = f"{source[:20]} {arrow.text} {target[:20]}" + (f" [{listed}]" if listed else "")
    if arrow.text == "<-":
        source, target = target, source
    return edge_from_arrow(source, f"{tail}-{head}", target, arrow.line, written=written)


def _mark(shape: str, normal: str) -> str:
    """Return the end of an arrow drawn with this shape; dots are what PAGs are drawn with."""
    if shape == "none":
        return "-"
    return "o" if "dot" in shape else normal


def _dagitty_edge(source: str, arrow: Token, target: str, attributes: Mapping[str, str]) -> RawEdge:
    """Read the edge by its arrow alone: in DAGitty no attribute changes it."""
    del attributes
    return edge_from_arrow(source, arrow.text, target, arrow.line)


def _merged(edges: list[RawEdge]) -> list[RawEdge]:
    """Keep the first of equal edges, as ``strict`` asks."""
    first: dict[tuple[object, bool], RawEdge] = {}
    for edge in edges:
        ends = (edge.source, edge.target)
        first.setdefault((ends if edge.directed else frozenset(ends), edge.directed), edge)
    return list(first.values())


def _dot_name(name: str) -> str:
    if _DOT_PLAIN.fullmatch(name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _dagitty_name(name: str) -> str:
    if _DAGITTY_PLAIN.fullmatch(name):
        return name
    return '"' + name.replace('"', '\\"') + '"'
