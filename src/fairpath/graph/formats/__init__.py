"""Read a graph from text or another library's object, and write it back."""

import re

from fairpath.errors import GraphError
from fairpath.graph.formats import refusals
from fairpath.graph.formats.causallearn import (
    raw_from_causallearn,
    to_causallearn,
    to_endpoint_matrix,
)
from fairpath.graph.formats.dot import looks_like_dot, parse_dot, to_dagitty, to_dot
from fairpath.graph.formats.edge_list import parse_edge_list, to_edge_list
from fairpath.graph.formats.edge_table import (
    looks_like_edge_table,
    parse_edge_table,
    to_edge_table,
)
from fairpath.graph.formats.gml import looks_like_gml, parse_gml, to_gml
from fairpath.graph.formats.networkx import raw_from_networkx, to_networkx
from fairpath.graph.formats.tetrad import looks_like_tetrad, parse_tetrad, to_tetrad
from fairpath.graph.marks import RawGraph

__all__ = [
    "parse_text",
    "raw_from_causallearn",
    "raw_from_networkx",
    "to_causallearn",
    "to_dagitty",
    "to_dot",
    "to_edge_list",
    "to_edge_table",
    "to_endpoint_matrix",
    "to_gml",
    "to_networkx",
    "to_tetrad",
]

_FOREIGN = {
    "HTML or XML": re.compile(r"\s*<[!?A-Za-z]"),
    "JSON": re.compile(r'\s*(?:\{\s*["}]|\[\s*["\[{\]\d-])'),
    "Mermaid": re.compile(r"\s*(?:graph|flowchart)\s+(?:TB|TD|BT|LR|RL)\b"),
}
_BETWEEN_NUMBERS = re.compile(r"[\s,;]+")
_NUMBER = re.compile(r"[+-]?(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?")


def parse_text(text: str, suffix: str = "") -> RawGraph:
    """Read a graph in any of the text formats.

    The text itself tells its format; ``suffix``, as in ``.csv``, counts where it does not.

    >>> parse_text("digraph { sex -> hours }").nodes
    ('sex', 'hours')
    """
    text = _clean(text)
    kind = suffix.lower().removeprefix(".")
    if looks_like_dot(text) or (kind in ("dot", "gv") and "{" in text):
        return parse_dot(text)
    if looks_like_gml(text) or (kind == "gml" and "[" in text):
        return parse_gml(text)
    _refuse_foreign(text)
    if looks_like_edge_table(text, named_csv=kind == "csv"):
        return parse_edge_table(text)
    if looks_like_tetrad(text):
        return parse_tetrad(text)
    return parse_edge_list(text)


def _clean(text: object) -> str:
    """Return the text without byte order mark, and with one kind of line end."""
    if not isinstance(text, str):
        raise GraphError(
            f"Expected the text of a graph, got an object of type {type(text).__name__}."
        )
    if "\0" in text:
        raise refusals.not_a_graph("binary data")
    if not text.removeprefix("\ufeff").strip():
        raise refusals.not_a_graph("no text")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _refuse_foreign(text: str) -> None:
    """Name what the text is, where an edge list would be a bad guess."""
    for name, pattern in _FOREIGN.items():
        if pattern.match(text):
            raise refusals.not_a_graph(name)
    words = [word for word in _BETWEEN_NUMBERS.split(text) if word]
    if words and all(_NUMBER.fullmatch(word) for word in words):
        raise refusals.not_a_graph("a table of numbers")
