"""Edge tables: CSV with the columns source, target and, if there is one, edge."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from fairpath.errors import GraphError
from fairpath.graph.formats import refusals
from fairpath.graph.formats.arrows import edge_from_arrow
from fairpath.graph.marks import Marks, RawEdge, RawGraph
from fairpath.vocabulary import Reading

_CAUSES = {"source", "from", "cause", "parent"}
_EFFECTS = {"target", "to", "effect", "child"}
_ARROWS = {"": "->", "directed": "->", "undirected": "--", "none": "--", "bidirected": "<->"}
_ARROW = re.compile(r"[<o]?-{1,2}[>o]|[<o]-{1,2}|-{2,3}|[→←↔–—]")
_DELIMITERS = (",", ";", "\t")
_COLUMNS = 3
_CELL = re.compile(r' *"((?:[^"]|"")*+)" *')
_COMMENT = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
_READING = re.compile(r"[ \t]*#\s*reading:\s*(\w+)\s*")
_WORD = re.compile(r"[^\W\d][\w.-]*|[\d.+-]*")
_NUMBER = re.compile(r"[+-]?(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?")
_IMPOSSIBLE = re.compile(rf"[{refusals.UNENCODABLE}]|\A\Z")


class _Row(NamedTuple):
    line: int
    cells: tuple[str, ...]


def looks_like_edge_table(text: str, *, named_csv: bool) -> bool:
    """Tell a table from an edge list: by its header, or because every row could be an edge."""
    position, _, _ = _skip_comments(text)
    first = text[position:].split("\n", 1)[0]
    if _delimiter(first) is not None:
        return True
    if named_csv and "," in first:
        return True
    lines = [line for line in text[position:].split("\n") if line.strip()]
    cells = [[cell.strip() for cell in line.split(",")] for line in lines]
    return any(len(row) > 1 for row in cells) and all(
        len(row) <= _COLUMNS
        and all(_WORD.fullmatch(cell) or _CELL.fullmatch(cell) for cell in row[:2])
        and not any(_ARROW.fullmatch(cell) for cell in row[:2])
        for row in cells
    )


def parse_edge_table(text: str) -> RawGraph:
    r"""Read one edge per row; a row with one name is a node.

    The third column is an arrow, a word such as ``undirected``, the name of the cause, or empty.

    >>> print(*parse_edge_table("cause,effect\nsex,hours\n").edges)
    sex -> hours
    """
    position, line, reading = _skip_comments(text)
    delimiter = _delimiter(text[position:].split("\n", 1)[0])
    rows = list(_rows(text, position, line, delimiter or ","))
    if delimiter is None:
        _refuse_numbers(rows)
    nodes: dict[str, None] = {}
    edges: list[RawEdge] = []
    for number, cells in rows if delimiter is None else rows[1:]:
        if any(cells[_COLUMNS:]):
            found = refusals.excerpt(cells[_COLUMNS])
            raise GraphError(f"Line {number}: found {found}, expected two or three columns.")
        source, target, mark = (*cells, "", "", "")[:_COLUMNS]
        if source and target:
            nodes.update({source: None, target: None})
            edges.append(_edge(source, target, mark, number))
        elif mark:
            raise refusals.unexpected(number, mark, "two nodes for this edge")
        elif source or target:
            nodes[source or target] = None
    return RawGraph(tuple(nodes), tuple(edges), reading)


def to_edge_table(graph: Marks) -> str:
    """Write the columns source, target, edge; every cell in quotes."""
    refusals.refuse_names(graph.nodes, _IMPOSSIBLE, "CSV")
    connected = {node for edge in (*graph.directed, *graph.undirected) for node in edge}
    rows = [
        ("source", "target", "edge"),
        *((cause, effect, "->") for cause, effect in graph.directed),
        *((one, other, "--") for one, other in graph.undirected),
        *((node, "", "") for node in graph.nodes if node not in connected),
    ]
    lines = ["# reading: markov"] if graph.reading == "markov" else []
    lines += [",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows]
    return "\n".join([*lines, ""])


def _edge(source: str, target: str, mark: str, line: int) -> RawEdge:
    word = mark.lower()
    if word in _ARROWS or _ARROW.fullmatch(word):
        return edge_from_arrow(source, _ARROWS.get(word, word), target, line)
    if mark in (source, target):
        return edge_from_arrow(source, "->" if mark == source else "<-", target, line)
    raise GraphError(
        f"Line {line}: found {refusals.excerpt(mark, 30)} as the third cell of the edge "
        f"{refusals.excerpt(f'{source}, {target}', 30)}, expected ->, <-, --, directed, "
        "undirected, none, or the name of the cause."
    )


def _skip_comments(text: str) -> tuple[int, int, Reading]:
    """Return where the table begins, on which line, and the reading."""
    position, line = 0, 1
    reading: Reading = "drawn"
    while position < len(text) and (comment := _COMMENT.match(text, position)):
        if found := _READING.fullmatch(comment[0]):
            reading = refusals.known_reading(found[1], line)
        position, line = comment.end(), line + 1
    return position, line, reading


def _delimiter(first_line: str) -> str | None:
    """Return the separator if the line is a header."""
    for delimiter in _DELIMITERS:
        words = [cell.strip().strip('"').lower() for cell in first_line.split(delimiter)[:2]]
        if len(words) > 1 and words[0] in _CAUSES and words[1] in _EFFECTS:
            return delimiter
        if len(words) > 1 and words[0] in _EFFECTS and words[1] in _CAUSES:
            raise GraphError(
                f"The header {refusals.excerpt(first_line)} puts the effect first: "
                "swap the columns, so that the cause comes first."
            )
    return None


def _rows(text: str, position: int, line: int, delimiter: str) -> Iterator[_Row]:
    """Split the text into rows of cells; a quoted cell keeps its blanks and line ends."""
    unquoted = re.compile(rf"[^{delimiter}\n]*")
    cells: list[str] = []
    start = line
    while position <= len(text):
        quoted = _CELL.match(text, position)
        match = quoted or unquoted.match(text, position)
        if match is None or (quoted is None and match[0].lstrip(" ").startswith('"')):
            raise refusals.unexpected(line, text[position : position + 61], "a closing quote")
        cells.append(quoted[1].replace('""', '"') if quoted else match[0].strip())
        position = match.end()
        line += match[0].count("\n")
        following = text[position : position + 1]
        if following not in (delimiter, "\n", ""):
            found = text[position : position + 61].split("\n", 1)[0]
            raise refusals.unexpected(line, found, f'"{delimiter}" after the quoted cell')
        if following != delimiter:
            yield _Row(start, tuple(cells))
            cells, start = [], line + 1
            line += 1
        position += 1


def _refuse_numbers(rows: list[_Row]) -> None:
    """Refuse data: without a header, a row of numbers is hardly an edge."""
    for line, cells in rows:
        if all(_NUMBER.fullmatch(cell) for cell in cells):
            raise refusals.not_a_graph(
                f"numbers on line {line}: if they are nodes, add the header source,target,edge"
            )
