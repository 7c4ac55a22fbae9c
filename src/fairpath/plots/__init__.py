"""Pictures of an explanation, on axes of matplotlib (``pip install 'fairpath[plots]'``).

Every function takes the explanation and returns the axes that it drew on; none opens a window.
"""

from fairpath.plots.bars import bar, cuts
from fairpath.plots.flows import graph
from fairpath.plots.people import beeswarm, histogram
from fairpath.plots.selections import frontier, path_matrix
from fairpath.plots.steps import waterfall

__all__ = [
    "bar",
    "beeswarm",
    "cuts",
    "frontier",
    "graph",
    "histogram",
    "path_matrix",
    "waterfall",
]
