"""Which paths to keep: utility against disparity, and a classifier that predicts with v(T)."""

from typing import TYPE_CHECKING, Any

from fairpath.selection.frontier import Frontier, Point, Predicted
from fairpath.selection.mixture import Mixture
from fairpath.selection.rows import Measured
from fairpath.selection.select import select_paths

if TYPE_CHECKING:
    from fairpath.selection.classifier import PathSelectionClassifier

__all__ = [
    "Frontier",
    "Measured",
    "Mixture",
    "PathSelectionClassifier",
    "Point",
    "Predicted",
    "select_paths",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Load the classifier when it is asked for: its base classes take half a second to import."""
    if name == "PathSelectionClassifier":
        from fairpath.selection.classifier import PathSelectionClassifier  # noqa: PLC0415

        return PathSelectionClassifier
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
