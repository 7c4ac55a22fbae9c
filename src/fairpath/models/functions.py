"""Functions of a table, or of an array."""

from typing import Any

import numpy as np

from fairpath.models.adapter import Adapter
from fairpath.models.feeds import feed_by_trial, feed_of_estimator
from fairpath.models.table import Encoded, Table


def function(model: Any, table: Table, inputs: tuple[str, ...], probe: Encoded) -> Adapter:  # noqa: ANN401
    """Adapt a function, a method of an estimator, or any object that can be called."""
    name = getattr(model, "__qualname__", type(model).__name__)
    owner: Any = getattr(model, "__self__", None)
    classes = None
    if hasattr(owner, "predict"):
        feed, notes = feed_of_estimator(owner, model, table, inputs, probe)
        if getattr(model, "__name__", "") == "predict_proba" and hasattr(owner, "classes_"):
            classes = tuple(np.asarray(owner.classes_).tolist())
    else:
        feed, notes = feed_by_trial(model, table, inputs, probe)
    return Adapter(name, "numbers", feed, model, model, None, classes, notes)
