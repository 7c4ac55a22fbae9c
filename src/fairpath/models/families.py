"""One door for every kind of model: which adapter it gets."""

from typing import Any

from fairpath.errors import DataError
from fairpath.models.adapter import Adapter, families
from fairpath.models.boosters import lightgbm_booster, xgboost_booster
from fairpath.models.estimators import estimator
from fairpath.models.functions import function
from fairpath.models.onnx_session import onnx_session
from fairpath.models.table import Encoded, Table
from fairpath.models.torch_module import torch_module


def adapter_for(model: Any, table: Table, inputs: tuple[str, ...], probe: Encoded) -> Adapter:  # noqa: ANN401
    """Find out how to ask a model; ``probe`` are some rows that it may be asked about."""
    family = families(model)
    if isinstance(model, type):
        raise DataError(
            f"Got the class {model.__name__}, need a trained model: {model.__name__}(…).fit(…)."
        )
    if "onnxruntime" in family and hasattr(model, "get_inputs"):
        return onnx_session(model, table, inputs, probe)
    if "torch" in family and hasattr(model, "modules"):
        return torch_module(model, table, inputs)
    if "xgboost" in family and hasattr(model, "inplace_predict"):
        return xgboost_booster(model, table, inputs)
    if "lightgbm" in family and hasattr(model, "dump_model"):
        return lightgbm_booster(model, table, inputs)
    if any(hasattr(model, verb) for verb in ("predict_proba", "decision_function", "predict")):
        return estimator(model, table, inputs, probe)
    if callable(model):
        return function(model, table, inputs, probe)
    raise DataError(
        f"Got a {type(model).__name__}, which answers nothing: it has no predict_proba, "
        "decision_function or predict and cannot be called. Pass a trained model, or a function "
        "from a table to one number per row."
    )
