"""What a classifier is given, checked before anything is fitted."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_consistent_length, column_or_1d

from fairpath.errors import DataError
from fairpath.frames import check_seed
from fairpath.options import check_choices, check_counts, check_threshold
from fairpath.selection.frontier import check_disparity


def check_parameters(given: Mapping[str, Any]) -> None:
    """Refuse parameters of the classifier that mean nothing, alone or together."""
    choices: dict[str, tuple[object, ...]] = {
        "sensitive_at_prediction": ("given", "average"),
        "model_reads_sensitive": (False, True),
        "output": ("probability", "decision"),
        "method": ("greedy", "exact"),
        "objective": ("additive", "measured"),
        "prune": (False, True),
    }
    check_choices(**{name: (given[name], allowed) for name, allowed in choices.items()})
    check_counts(n_draws=(given["n_draws"], 1))
    if not isinstance(given["fine_tune"], bool):
        check_counts(fine_tune=(given["fine_tune"], 1))
    check_seed(given["seed"])
    if given["threshold"] != "tuned":
        check_threshold(given["threshold"])
    if given["max_disparity"] is not None:
        check_disparity(given["max_disparity"])
    share = given["held_out"]
    if share is not None and not (isinstance(share, float) and 0 < share < 1):
        raise DataError(f"held_out is a share of the rows between 0 and 1, got {share!r}.")
    if given["model_reads_sensitive"] and given["sensitive_at_prediction"] == "average":
        raise DataError(
            "A model that reads the sensitive attribute needs it at prediction. Use "
            "sensitive_at_prediction='given', or leave model_reads_sensitive out."
        )


def check_probabilities(estimator: object) -> None:
    """Refuse an estimator that only decides."""
    if not hasattr(estimator, "predict_proba"):
        raise DataError(
            f"{type(estimator).__name__} gives no probabilities, and v(T) is a mean of them. "
            "Wrap it in sklearn.calibration.CalibratedClassifierCV."
        )


def two_classes(x: Any, y: Any) -> tuple[NDArray[Any], NDArray[Any]]:  # noqa: ANN401
    """Return y as an array, and its classes; refuse what is not two classes."""
    if y is None:
        raise DataError(
            "This classifier requires y to be passed, but the target y is None. Give the class "
            "of each row."
        )
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_consistent_length(x, y)
    check_classification_targets(y)
    kind = type_of_target(y, input_name="y", raise_unknown=True)
    if kind != "binary":
        raise DataError(
            f"Only binary classification is supported. The type of the target is {kind}. "
            "Make it a yes or no, or fit one classifier for each class."
        )
    classes = np.unique(y)
    if len(classes) < 2:  # noqa: PLR2004
        raise DataError(
            f"y has only one class, {classes[0]!r}: nothing can be learned. Add rows of another "
            "one."
        )
    return np.asarray(y), classes
