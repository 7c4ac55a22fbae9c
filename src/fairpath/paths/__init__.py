"""Which paths carry the sensitive attribute to the prediction, and in which blocks."""

from fairpath.paths.active import active_paths
from fairpath.paths.arrange import Arrangement, arrange
from fairpath.paths.path import Path

__all__ = ["Arrangement", "Path", "active_paths", "arrange"]
