"""What every format says when it refuses something, in the same words.

Each function returns the error, so that the caller's ``raise`` stays visible.
"""

import re
from collections.abc import Iterable

from fairpath.errors import GraphError
from fairpath.vocabulary import Reading

KNOWN_FORMATS = (
    'an edge list ("a -> b; b -- c"), CSV with the header source,target,edge, '
    "DOT, DAGitty, GML, Tetrad text"
)

UNENCODABLE = "\0\r\ud800-\udfff"
"""For a character class: what a text file cannot carry unescaped (``\\r`` becomes ``\\n``)."""


def excerpt(text: str, limit: int = 60) -> str:
    """Quote the beginning of ``text``, with control characters made visible."""
    visible = (c if c.isprintable() else repr(c)[1:-1] for c in text[: limit + 1])
    shown = "".join(visible)
    return f'"{shown}"' if len(shown) <= limit else f'"{shown[: limit - 1]}…"'


def at_line(line: int | None) -> str:
    """Begin a message with the place, where there is one."""
    return "" if line is None else f"Line {line}: "


def unexpected(line: int, found: str, expected: str) -> GraphError:
    """Report a syntax error; ``found`` is shown as an excerpt, or named if empty."""
    what = excerpt(found) if found else "the end"
    return GraphError(f"Line {line}: found {what}, expected {expected}.")


def bidirected(edge: str, line: int | None) -> GraphError:
    """Refuse an edge with two arrowheads."""
    return GraphError(
        f"{at_line(line)}the edge {excerpt(edge)} points both ways: add the common cause as a "
        "node of its own (u -> x; u -> y), or decide a direction."
    )


def circle(edge: str, line: int | None) -> GraphError:
    """Refuse an edge with an undecided mark."""
    return GraphError(
        f"{at_line(line)}the edge {excerpt(edge)} has an undecided end: decide the mark: "
        "->, <-, or -- for unknown direction."
    )


def not_a_graph(found: str) -> GraphError:
    """Refuse a text that is no graph at all; ``found`` describes it."""
    return GraphError(f"This is not a graph. Known formats: {KNOWN_FORMATS}. Found {found}.")


def refuse_names(nodes: Iterable[str], impossible: re.Pattern[str], where: str) -> None:
    """Raise for the first name that the format ``where`` cannot hold."""
    for node in nodes:
        if impossible.search(node):
            raise GraphError(
                f"{where} cannot hold the node name {excerpt(node)}: rename the node, "
                "or write an edge list or GML, which can hold every name."
            )


def known_reading(value: object, line: int | None = None) -> Reading:
    """Return ``value`` if it is a reading."""
    if value == "drawn":
        return "drawn"
    if value == "markov":
        return "markov"
    raise GraphError(
        f"{at_line(line)}the reading is {excerpt(str(value))}, expected drawn or markov."
    )
