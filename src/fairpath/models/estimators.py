"""Estimators: anything with predict_proba, decision_function or predict."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from fairpath.errors import DataError
from fairpath.models.adapter import Adapter, Ask, Kind, families
from fairpath.models.feeds import feed_of_estimator
from fairpath.models.table import Encoded, Table

_RAW: Mapping[str, Mapping[str, Any]] = {
    "xgboost": {"output_margin": True},
    "lightgbm": {"raw_score": True},
    "catboost": {"prediction_type": "RawFormulaVal"},
}
"""How the predict of boosters is asked for the number before the probability."""


def estimator(model: Any, table: Table, inputs: tuple[str, ...], probe: Encoded) -> Adapter:  # noqa: ANN401
    """Adapt an estimator, a Pipeline, or a search over estimators."""
    while hasattr(model, "best_estimator_"):
        model = model.best_estimator_
    steps = getattr(model, "steps", None)
    family = families(steps[-1][1] if steps else model)
    booster = next((name for name in _RAW if name in family), None)
    classes = _classes(model)
    kind = _kind(model, classes, booster)
    if classes is None and _declared(model) == "classifier" and not hasattr(model, "predict_proba"):
        raise DataError(
            f"{type(model).__name__} is a classifier without classes_, so it is not trained yet. "
            "Call its fit first."
        )
    probability: Ask | None = getattr(model, "predict_proba", None)
    score: Ask | None = getattr(model, "decision_function", None)
    label: Ask | None = getattr(model, "predict", None)
    if kind != "classifier":
        # A regressor's prediction is its score; of others nobody knows what it is.
        score, label, probability = label, None, None if kind == "regressor" else label
    elif booster:
        score = partial(model.predict, **_RAW[booster])
        if probability is None and booster == "catboost":
            probability = partial(model.predict, prediction_type="Probability")
    ask = getattr(model, "predict_proba", None) or getattr(model, "predict", None)
    feed, notes = feed_of_estimator(model, ask or model.decision_function, table, inputs, probe)
    return Adapter(type(model).__name__, kind, feed, probability, score, label, classes, notes)


def _classes(model: Any) -> tuple[Any, ...] | None:  # noqa: ANN401
    classes = getattr(model, "classes_", None)
    if classes is None or len(classes) == 0:
        return None
    if isinstance(classes, list) and isinstance(classes[0], np.ndarray | list):
        raise DataError(
            f"{type(model).__name__} predicts {len(classes)} outcomes at once. "
            "Pass a model, or a function of the table, that answers for one of them."
        )
    return tuple(np.asarray(classes).tolist())


def _kind(model: Any, classes: tuple[Any, ...] | None, booster: str | None) -> Kind:  # noqa: ANN401
    if classes is not None or hasattr(model, "predict_proba"):
        return "classifier"
    if booster or _declared(model) in {"regressor", "ranker"}:
        return "regressor"
    return "classifier" if hasattr(model, "decision_function") else "numbers"


def _declared(model: Any) -> str | None:  # noqa: ANN401
    """Return what a scikit-learn estimator says it is."""
    tags = getattr(model, "__sklearn_tags__", None)
    if tags is not None:
        found: str | None = tags().estimator_type
        return found
    return getattr(model, "_estimator_type", None)
