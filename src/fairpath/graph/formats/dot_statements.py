"""The grammar of DOT and DAGitty text: statements, scopes, subgraphs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import Protocol

from fairpath.errors import GraphError
from fairpath.graph.formats import refusals
from fairpath.graph.formats.dot_tokens import Cursor, Token
from fairpath.graph.marks import RawEdge
from fairpath.vocabulary import Reading

_USED = frozenset({"dir", "arrowhead", "arrowtail", "reading"})
_MAX_DEPTH = 50
_MAX_VALUE = 40
_MAX_EDGES = 100_000

Attributes = dict[str, str]
Mentioned = dict[str, None]


class MakeEdge(Protocol):
    """How a format reads one edge."""

    def __call__(
        self, source: str, arrow: Token, target: str, attributes: Mapping[str, str]
    ) -> RawEdge:
        """Return the edge, or refuse it."""
        ...


@dataclass
class Statements:
    """What was read so far, and the place where the reading goes on."""

    cursor: Cursor
    make_edge: MakeEdge
    nodes: Mentioned = field(default_factory=dict)
    edges: list[RawEdge] = field(default_factory=list)
    reading: Reading = "drawn"

    def body(self, defaults: Attributes, depth: int = 0) -> Mentioned:
        """Read statements up to the closing brace; return the nodes mentioned."""
        mentioned: Mentioned = {}
        opened = self.cursor.expect("{", expected='"{"')
        if depth > _MAX_DEPTH:
            raise GraphError(f"Line {opened.line}: more than {_MAX_DEPTH} nested subgraphs.")
        while not self.cursor.skip("}"):
            if self.cursor.sees("end"):
                raise self.cursor.unexpected(f'"}}" for the "{{" of line {opened.line}')
            if not self.cursor.skip(";"):
                mentioned |= self._statement(defaults, depth)
        return mentioned

    def _statement(self, defaults: Attributes, depth: int) -> Mentioned:
        word = self.cursor.next
        keyword = word.text.lower()
        if self.cursor.sees("keyword", "[") and keyword in ("graph", "node", "edge"):
            self.cursor.take()
            attributes = self._attributes()
            if keyword == "edge":
                defaults |= attributes
            if keyword == "graph" and depth == 0:
                self._keep_reading(attributes, word.line)
            return {}
        if self.cursor.sees(word.kind, "="):
            key = self._text("an attribute")
            self.cursor.take()
            value = self._text("a value")
            if depth == 0:
                self._keep_reading({key: value}, word.line)
            return {}
        return self._nodes_or_edges(defaults, depth)

    def _nodes_or_edges(self, defaults: Attributes, depth: int) -> Mentioned:
        ends = [self._end(defaults, depth)]
        arrows: list[Token] = []
        while self.cursor.sees("arrow"):
            arrows.append(self.cursor.take())
            ends.append(self._end(defaults, depth))
        attributes = defaults | self._attributes()
        for (left, right), arrow in zip(pairwise(ends), arrows, strict=True):
            if len(self.edges) + len(left) * len(right) > _MAX_EDGES:
                raise GraphError(f"Line {arrow.line}: more than {_MAX_EDGES} edges.")
            for source, target in product(left, right):
                self.edges.append(self.make_edge(source, arrow, target, attributes))
        return {name: None for end in ends for name in end}

    def _end(self, defaults: Attributes, depth: int) -> Mentioned:
        """Read what may stand at the end of an edge: a node, with or without port, or several."""
        cursor = self.cursor
        if cursor.sees("keyword") and cursor.next.text.lower() == "subgraph":
            cursor.take()
            if not cursor.sees("{"):
                self._text('a name or "{"')
            return self.body(dict(defaults), depth + 1)
        if cursor.sees("{"):
            return self.body(dict(defaults), depth + 1)
        if cursor.sees("keyword"):
            raise cursor.unexpected("a node name, or quotes around it")
        name = self._text("a node name")
        while cursor.skip(":"):
            self._text("a port")
        self.nodes[name] = None
        return {name: None}

    def _attributes(self) -> Attributes:
        """Read any number of lists in brackets; return the attributes that matter here."""
        found: Attributes = {}
        while self.cursor.skip("["):
            while not self.cursor.skip("]"):
                if self.cursor.skip(",", ";"):
                    continue
                key = self._text('an attribute or "]"')
                value = self._text("a value") if self.cursor.skip("=") else "true"
                if key in _USED:
                    found[key] = value[:_MAX_VALUE]
        return found

    def _text(self, expected: str) -> str:
        """Read a name or string; strings may be joined by plus signs."""
        first = self.cursor.expect("name", "keyword", "quoted", expected=expected)
        parts = [first.text]
        while first.kind == "quoted" and self.cursor.skip("+"):
            parts.append(self.cursor.expect("quoted", expected="a string in quotes").text)
        return "".join(parts)

    def _keep_reading(self, attributes: Attributes, line: int) -> None:
        if "reading" in attributes:
            self.reading = refusals.known_reading(attributes["reading"], line)
