"""The result of an explanation, its tables, its file, and questions to ask it."""

from fairpath.explanation.calibration import calibration
from fairpath.explanation.compare import Change, compare
from fairpath.explanation.cut import Cut, cut, mark
from fairpath.explanation.explanation import Explanation, Kept, Setting
from fairpath.explanation.load import load
from fairpath.explanation.shap import to_shap
from fairpath.explanation.threshold import threshold_split

__all__ = [
    "Change",
    "Cut",
    "Explanation",
    "Kept",
    "Setting",
    "calibration",
    "compare",
    "cut",
    "load",
    "mark",
    "threshold_split",
    "to_shap",
]
