"""Explain through which causal paths a model treats groups of people differently.

The names below follow the pipeline: a graph, what data say about it, the paths that carry
the sensitive attribute to the prediction, and the blocks that they run through.
"""

from fairpath import baselines, datasets, errors, links, plots
from fairpath.discovery import Discovery, Falsification, discover, falsify
from fairpath.doubt import confounding, overlap, ranges
from fairpath.errors import (
    DataError,
    FairpathError,
    GraphError,
    MissingExtraError,
    TooManyPathsError,
)
from fairpath.explain import explain
from fairpath.explanation import (
    Explanation,
    calibration,
    compare,
    cut,
    load,
    mark,
    threshold_split,
    to_shap,
)
from fairpath.game.path_game import PathGame
from fairpath.graph import (
    CausalGraph,
    Decision,
    ResolvedGraph,
    complete,
    dags,
    from_causallearn,
    from_networkx,
    read_graph,
    resolve,
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
from fairpath.paths import Arrangement, Path, active_paths, arrange
from fairpath.report import write_report
from fairpath.selection import Frontier, select_paths

__version__ = "0.1.0"

__all__ = [
    "Arrangement",
    "CausalGraph",
    "DataError",
    "Decision",
    "Discovery",
    "Explanation",
    "FairpathError",
    "Falsification",
    "Frontier",
    "GraphError",
    "MissingExtraError",
    "Path",
    "PathGame",
    "PathSelectionClassifier",
    "ResolvedGraph",
    "TooManyPathsError",
    "__version__",
    "active_paths",
    "arrange",
    "baselines",
    "calibration",
    "compare",
    "complete",
    "confounding",
    "cut",
    "dags",
    "datasets",
    "discover",
    "errors",
    "explain",
    "falsify",
    "from_causallearn",
    "from_networkx",
    "links",
    "load",
    "mark",
    "overlap",
    "plots",
    "ranges",
    "read_graph",
    "resolve",
    "select_paths",
    "threshold_split",
    "to_causallearn",
    "to_dagitty",
    "to_dot",
    "to_edge_list",
    "to_edge_table",
    "to_endpoint_matrix",
    "to_gml",
    "to_networkx",
    "to_shap",
    "to_tetrad",
    "write_report",
]


def __getattr__(name: str) -> object:
    """Load the classifier when it is asked for: scikit-learn is slow to import."""
    if name == "PathSelectionClassifier":
        from fairpath.selection import PathSelectionClassifier  # noqa: PLC0415

        return PathSelectionClassifier
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
