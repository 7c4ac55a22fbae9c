"""Native boosters of XGBoost and LightGBM, which know columns by name but not their classes."""

import json
from functools import partial
from typing import Any

from fairpath.models.adapter import Adapter, Ask, Feed, Kind
from fairpath.models.names import inputs_of
from fairpath.models.table import Table

_PROBABILITIES = {
    "binary:logistic",
    "reg:logistic",
    "multi:softprob",
    "binary",
    "cross_entropy",
    "multiclass",
    "multiclassova",
}
_CLASSES_ONLY = {"binary:hinge", "multi:softmax"}
_SCORES_ONLY = {"binary:logitraw"}


def xgboost_booster(model: Any, table: Table, inputs: tuple[str, ...]) -> Adapter:  # noqa: ANN401
    """Adapt an xgboost.Booster."""
    learner = json.loads(model.save_config())["learner"]
    names = inputs_of(model) or inputs
    types = model.feature_types or ()
    if "c" in types:
        feed: Feed = partial(table.frame, names=names)
    else:
        # An array is the fastest way in, and all that the model needs.
        feed = partial(table.matrix, names=names)
    if learner["gradient_booster"]["name"] != "gblinear":
        in_place = partial(model.inplace_predict, validate_features=False)
        answer: Ask = in_place
        raw: Ask = partial(in_place, predict_type="margin")
    else:
        answer = partial(_by_matrix, model)
        raw = partial(_by_matrix, model, output_margin=True)
    n_classes = int(learner["learner_model_param"]["num_class"])
    return _adapted(learner["objective"]["name"], n_classes, feed, answer, raw)


def lightgbm_booster(model: Any, table: Table, inputs: tuple[str, ...]) -> Adapter:  # noqa: ANN401
    """Adapt a lightgbm.Booster."""
    names = inputs_of(model) or inputs
    if model.pandas_categorical or table.labelled:
        feed: Feed = partial(table.as_pandas().frame, names=names)
    else:
        feed = partial(table.matrix, names=names)
    objective = str(model.dump_model(num_iteration=1).get("objective", "")).split(" ")[0]
    raw = partial(model.predict, raw_score=True)
    return _adapted(objective, model.num_model_per_iteration(), feed, model.predict, raw)


def _adapted(objective: str, n_classes: int, feed: Feed, answer: Ask, raw: Ask) -> Adapter:
    """Sort the answers by what the booster was trained for."""
    # A booster numbers its classes; the names that they had are lost.
    classes = tuple(range(max(n_classes, 2)))
    if objective in _PROBABILITIES:
        return Adapter("Booster", "classifier", feed, answer, raw, None, classes)
    if objective in _CLASSES_ONLY:
        return Adapter("Booster", "classifier", feed, None, raw, answer, classes)
    if objective in _SCORES_ONLY:
        return Adapter("Booster", "classifier", feed, None, raw, None, classes)
    # A function as the objective leaves no name: what it returns is taken as it is.
    kind: Kind = "regressor" if objective else "numbers"
    return Adapter("Booster", kind, feed, answer if kind == "numbers" else None, answer)


def _by_matrix(model: Any, rows: Any, **options: Any) -> Any:  # noqa: ANN401
    """Predict by XGBoost's own table, which every kind of booster takes."""
    import xgboost  # noqa: PLC0415 - the model is from it

    return model.predict(xgboost.DMatrix(rows), validate_features=False, **options)
