r"""Edge lists: one edge or chain per line, ``a -> b -> c; c -- d  # comment``.

A name needs quotes only where it would be misread: ``"a -> b"``, ``"say \"hi\""``.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from fairpath.graph.formats import refusals
from fairpath.graph.formats.arrows import edge_from_arrow
from fairpath.graph.marks import Marks, RawEdge, RawGraph
from fairpath.vocabulary import Reading

_TOKEN = re.compile(
    r"""
      (?P<comment> \#.* | (?<!\S)//.* )
    | (?P<quoted> "(?:[^"\\]|\\.)*+" )
    | (?P<quote> " )
    | (?P<stop> ; )
    | (?P<circle> (?<=\s)(?:o-{1,2}[>o-]|<-{1,2}o|-{2,3}o)(?=\s+[^\s;\#]) )
    | (?P<arrow> <-+>? | -+> | -{2,} | [→←↔–—] )
    | (?P<other> (?<!\S)(?:-|=+>|<=+>?|[<>⇒⇐⇔])(?!\S) )
    """,
    re.VERBOSE,
)
_READING = re.compile(r"\s*#\s*reading:\s*(\w+)\s*")
_PLAIN = re.compile(r"[^\W\d][\w.]*(?:-[\w.]+)*")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4}|.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}
_MAX_WORDS = 8


def parse_edge_list(text: str) -> RawGraph:
    """Read a graph from arrows between names.

    >>> print(*parse_edge_list("sex -> hours; age -- sex").edges, sep=", ")
    sex -> hours, age -- sex
    """
    nodes: dict[str, None] = {}
    edges: list[RawEdge] = []
    prose: str | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        for chain in _chains(line, number):
            names = [_unquoted(name, number) for name in chain[::2]]
            nodes.update(dict.fromkeys(names))
            for (source, target), arrow in zip(pairwise(names), chain[1::2], strict=True):
                edges.append(edge_from_arrow(source, arrow, target, number))
            if len(chain) == 1 and chain[0][0] != '"' and not _PLAIN.fullmatch(chain[0]):
                prose = prose or chain[0]
    reading = _reading(text)
    if not nodes and reading is None:
        raise refusals.not_a_graph("no node")
    if prose and not edges:
        raise refusals.not_a_graph(f"no edge, but {refusals.excerpt(prose)}")
    return RawGraph(tuple(nodes), tuple(edges), reading or "drawn")


def to_edge_list(graph: Marks) -> str:
    """Write one edge per line, then the nodes without edges."""
    # A graph without nodes says its reading too, so that its text is not empty.
    is_silent = graph.reading == "drawn" and graph.nodes
    lines = [] if is_silent else [f"# reading: {graph.reading}"]
    lines += [f"{_quoted(cause)} -> {_quoted(effect)}" for cause, effect in graph.directed]
    lines += [f"{_quoted(one)} -- {_quoted(other)}" for one, other in graph.undirected]
    connected = {node for edge in (*graph.directed, *graph.undirected) for node in edge}
    lines += [_quoted(node) for node in graph.nodes if node not in connected]
    return "\n".join([*lines, ""])


def _reading(text: str) -> Reading | None:
    """Return what the last comment about the reading says."""
    reading = None
    for number, line in enumerate(text.split("\n"), start=1):
        if comment := _READING.fullmatch(line):
            reading = refusals.known_reading(comment[1], number)
    return reading


def _chains(line: str, number: int) -> Iterator[list[str]]:
    """Yield name, arrow, name, arrow, ..., name for each statement of a line."""
    chain: list[str] = []
    for kind, text in (*_tokens(line, number), ("stop", "")):
        name_is_next = len(chain) % 2 == 0
        if kind == "stop":
            if chain and name_is_next:
                raise refusals.unexpected(number, text, f"a node name after {chain[-1]}")
            if chain:
                yield chain
            chain = []
        elif (kind == "name") != name_is_next:
            wanted = "a node name" if name_is_next else "an arrow (->, <-, --) or a new line"
            raise refusals.unexpected(number, text, wanted)
        else:
            chain.append(text)


def _tokens(line: str, number: int) -> Iterator[tuple[str, str]]:
    """Split a line into names (quoted ones still in quotes), arrows and stops."""
    position, after_name = 0, False
    for match in _TOKEN.finditer(line):
        kind, text = match.lastgroup, match[0]
        before = line[position : match.start()].strip()
        if kind == "circle" and not (before or after_name):
            continue  # "o-o -> b": where a name must stand, it is a name
        if kind == "quote" or (kind == "quoted" and before):
            raise refusals.unexpected(
                number, line[position:].strip(), r"quotes around the whole name, with \" inside"
            )
        if kind == "other":
            raise refusals.unexpected(number, text, "->, <- or --, or quotes around the name")
        position = match.end()
        if before:
            yield "name", _checked(before, number)
        if kind == "comment":
            continue
        kind = {"quoted": "name", "stop": "stop"}.get(str(kind), "arrow")
        after_name = kind == "name"
        yield kind, text
    if rest := line[position:].strip():
        yield "name", _checked(rest, number)


def _checked(name: str, number: int) -> str:
    """Return an unquoted name, unless it looks like something else."""
    if name[0] in "{}":
        raise refusals.unexpected(
            number, name, "a node name; braces belong into digraph { } or dag { }, or into quotes"
        )
    if len(name.split()) > _MAX_WORDS:
        raise refusals.unexpected(
            number, name, f"quotes around a name of more than {_MAX_WORDS} words"
        )
    return name


def _unquoted(name: str, number: int) -> str:
    if name[0] != '"':
        return name

    def character(match: re.Match[str]) -> str:
        if len(match[1]) > 1:
            return chr(int(match[1][1:], 16))
        if match[1] not in _ESCAPED:
            raise refusals.unexpected(number, match[0], r"\\ for a backslash inside quotes")
        return _ESCAPED[match[1]]

    return _ESCAPE.sub(character, name[1:-1])


def _quoted(name: str) -> str:
    if _PLAIN.fullmatch(name):
        return name
    spelled = {character: f"\\{letter}" for letter, character in _ESCAPED.items()}
    return '"' + "".join(spelled.get(c) or _visible(c) for c in name) + '"'


def _visible(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004
