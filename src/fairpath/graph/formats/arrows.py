"""From an arrow to an edge, the same for every format."""

from fairpath.graph.formats import refusals
from fairpath.graph.marks import RawEdge

_ASCII = str.maketrans({"→": "->", "←": "<-", "↔": "<->", "–": "--", "—": "--"})

ARROW_OF_DIRECTION = {"forward": "->", "back": "<-", "none": "--", "both": "<->"}
"""The values of Graphviz's attribute ``dir``, which GML and networkx files use too."""


def edge_from_arrow(
    source: str, arrow: str, target: str, line: int | None = None, *, written: str = ""
) -> RawEdge:
    """Return the edge that the two ends of ``arrow`` describe.

    ``written`` is how the file spells the edge, where that is not source, arrow, target.

    >>> str(edge_from_arrow("income", "<--", "sex"))
    'sex -> income'
    """
    marks = arrow.translate(_ASCII)
    if not set(marks) <= set("<->"):
        raise refusals.circle(written or f"{source} {arrow} {target}", line)
    match marks[0] == "<", marks[-1] == ">":
        case True, True:
            raise refusals.bidirected(written or f"{source} {arrow} {target}", line)
        case True, False:
            return RawEdge(target, source, line=line)
        case False, True:
            return RawEdge(source, target, line=line)
        case _:
            return RawEdge(source, target, directed=False, line=line)
