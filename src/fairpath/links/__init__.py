"""How a feature is computed from its direct predecessors, the outside features and its noise."""

from fairpath.encoding import Variable
from fairpath.links.auto import AutoLink
from fairpath.links.choose import Links, link_for
from fairpath.links.estimator import EstimatorLink
from fairpath.links.forest import ForestLink
from fairpath.links.known import KnownLink
from fairpath.links.linear import LinearLink
from fairpath.links.link import FittedLink, Link
from fairpath.links.trees import Growth

__all__ = [
    "AutoLink",
    "EstimatorLink",
    "FittedLink",
    "ForestLink",
    "Growth",
    "KnownLink",
    "LinearLink",
    "Link",
    "Links",
    "Variable",
    "link_for",
]
