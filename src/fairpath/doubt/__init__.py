"""What rests on the model and the graph, not on the data: assumptions and what hangs on them."""

from fairpath.doubt.confounding import Confounding, confounding
from fairpath.doubt.couplings import Carried, Coupling
from fairpath.doubt.moved import Ranges
from fairpath.doubt.overlap import Overlap, overlap
from fairpath.doubt.ranges import ranges

__all__ = [
    "Carried",
    "Confounding",
    "Coupling",
    "Overlap",
    "Ranges",
    "confounding",
    "overlap",
    "ranges",
]
