"""Tetrad's text format, which causal-learn prints too."""

import re
from bisect import bisect_right

from fairpath.errors import GraphError
from fairpath.graph.formats import refusals
from fairpath.graph.formats.arrows import edge_from_arrow
from fairpath.graph.marks import Marks, RawEdge, RawGraph
from fairpath.vocabulary import Reading

_NODES, _EDGES, _ATTRIBUTES = "Graph Nodes:", "Graph Edges:", "Graph Attributes:"
_SIGNATURE = re.compile(rf"^[ \t]*{_NODES}", re.MULTILINE)
_HEADING = re.compile(r"(Graph (?:Nodes|Edges|Attributes):)(.*)")
_OTHER_HEADING = re.compile(r"(?!\d+\.).*:")
_NUMBER = re.compile(r"\d+\.\s*")
_ARROW = re.compile(r"(?<=\s)[<o*-]-[>o*-](?=\s|$)")
_LATENT = re.compile(r"\((.+)\)|\[(.+)\]")
_IMPOSSIBLE = re.compile(
    rf"[{refusals.UNENCODABLE}\n;,]|\A\s|\s\Z|\A\Z|\A\(.+\)\Z|\A\[.+\]\Z|"
    r"\AGraph (?:Nodes|Edges|Attributes):|"
    r"(?:\A|\s)[<o*-]-[>o*-](?:\s|\Z)"
)


class _Names:
    """The node names, with what it takes to find them at the start of a text."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.all = frozenset(names)
        self.lengths = sorted({len(name) for name in names})

    def longest_at_start(self, text: str) -> str | None:
        """Return the longest name that ``text`` begins with, up to a blank or the end."""
        for length in reversed(self.lengths[: bisect_right(self.lengths, len(text))]):
            if text[:length] in self.all and text[length : length + 1].strip() == "":
                return text[:length]
        return None


def looks_like_tetrad(text: str) -> bool:
    """Recognise the heading of the list of nodes."""
    return _SIGNATURE.search(text) is not None


def parse_tetrad(text: str) -> RawGraph:
    """Read the nodes, the edges and, from the attributes, the reading.

    What else Tetrad may write (triples, attributes of nodes) is skipped.
    """
    sections = _sections(text)
    listed = [name for _, line in sections[_NODES] for name in _listed(line)]
    nodes = tuple(dict.fromkeys(listed))
    names = _Names(nodes)
    edges = tuple(_edge(line, number, names) for number, line in sections[_EDGES])
    return RawGraph(nodes, edges, _reading(sections[_ATTRIBUTES]))


def to_tetrad(graph: Marks) -> str:
    """Write Tetrad text; only a drawn graph needs to say its reading."""
    refusals.refuse_names(graph.nodes, _IMPOSSIBLE, "Tetrad text")
    edges = [f"{cause} --> {effect}" for cause, effect in graph.directed]
    edges += [f"{one} --- {other}" for one, other in graph.undirected]
    lines = [_NODES, ";".join(graph.nodes), "", _EDGES]
    lines += [f"{number}. {edge}" for number, edge in enumerate(edges, start=1)]
    if graph.reading == "drawn":
        lines += ["", _ATTRIBUTES, "reading: drawn"]
    return "\n".join([*lines, ""])


def _sections(text: str) -> dict[str, list[tuple[int, str]]]:
    """Return the numbered lines under each heading that matters."""
    sections: dict[str, list[tuple[int, str]]] = {_NODES: [], _EDGES: [], _ATTRIBUTES: []}
    current: str | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        content = line.strip()
        if heading := _HEADING.fullmatch(content):
            current, content = heading[1], heading[2].strip()
        elif current == _EDGES and _OTHER_HEADING.fullmatch(content):
            current = None
        if content and current:
            sections[current].append((number, content))
    return sections


def _reading(attributes: list[tuple[int, str]]) -> Reading:
    """Return the reading that the attributes name; without one, Tetrad's graphs are markov."""
    for number, line in attributes:
        key, _, value = line.partition(":")
        if key.strip() == "reading":
            return refusals.known_reading(value.strip(), number)
    return "markov"


def _listed(line: str) -> list[str]:
    """Split a list of nodes; Tetrad puts latent nodes in parentheses."""
    names = [name.strip() for name in line.split(";" if ";" in line else ",")]
    latent = [_LATENT.fullmatch(name) for name in names]
    bare = [m[1] or m[2] if m else name for m, name in zip(latent, names, strict=True)]
    return [name for name in bare if name]


def _edge(line: str, number: int, names: _Names) -> RawEdge:
    numbered = _NUMBER.match(line)
    content = line[numbered.end() :] if numbered else line
    arrow = _ARROW.search(content)
    if arrow is None:
        raise refusals.unexpected(number, content, 'an edge such as "1. X --> Y"')
    source, rest = content[: arrow.start()].strip(), content[arrow.end() :].strip()
    if source not in names.all:
        raise _unlisted(source, number)
    target = names.longest_at_start(rest)
    if target is None:
        raise _unlisted(rest.split(" ", 1)[0], number)
    return edge_from_arrow(source, arrow[0], target, number)


def _unlisted(name: str, number: int) -> GraphError:
    return GraphError(
        f"Line {number}: the edge names the node {refusals.excerpt(name)}, "
        f'which is not listed under "{_NODES}".'
    )
