"""Causal graphs: read, checked, closed, settled by data."""

from fairpath.graph.causal_graph import CausalGraph
from fairpath.graph.formats import (
    to_causallearn,
    to_dagitty,
    to_dot,
    to_edge_list,
    to_edge_table,
    to_endpoint_matrix,
    to_gml,
    to_networkx,
    to_tetrad,
)
from fairpath.graph.orientation import closed, complete, dags
from fairpath.graph.reading import from_causallearn, from_networkx, read_graph
from fairpath.graph.resolve import Decision, ResolvedGraph, resolve

__all__ = [
    "CausalGraph",
    "Decision",
    "ResolvedGraph",
    "closed",
    "complete",
    "dags",
    "from_causallearn",
    "from_networkx",
    "read_graph",
    "resolve",
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
