"""Graphs from files and from the objects of other libraries."""

import os
from collections.abc import Sequence
from pathlib import Path

from fairpath.errors import GraphError
from fairpath.graph.causal_graph import CausalGraph
from fairpath.graph.formats import parse_text, raw_from_causallearn, raw_from_networkx


def read_graph(path: str | os.PathLike[str]) -> CausalGraph:
    """Read a graph file: edge list, CSV, DOT, GML, DAGitty or Tetrad, by content and suffix."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise GraphError(f"{file} is not a text file in UTF-8 ({error.reason}).") from None
    except OSError as error:
        raise GraphError(f"{file} cannot be read: {error.strerror}.") from None
    try:
        return CausalGraph.from_raw(parse_text(text, file.suffix))
    except GraphError as error:
        raise GraphError(f"{file}: {error}") from error


def from_networkx(graph: object) -> CausalGraph:
    """Take over a networkx graph.

    A pair of opposite edges, an edge attribute ``undirected=True``, or any edge of an
    undirected graph is an undirected edge.
    """
    return CausalGraph.from_raw(raw_from_networkx(graph))


def from_causallearn(graph: object, names: Sequence[str] | None = None) -> CausalGraph:
    """Take over causal-learn's ``GeneralGraph``, the result of its ``pc``, or an endpoint matrix.

    Read as markov, since that is what discovery returns. ``names`` are the columns of a matrix.
    """
    return CausalGraph.from_raw(raw_from_causallearn(graph, names))
