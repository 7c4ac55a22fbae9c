"""Which columns a model reads, as far as it knows."""

from typing import Any

from fairpath.errors import DataError
from fairpath.models.adapter import families

_INVENTED = ("Column_", "f", "")
"""What boosters put before a number when they were given no names."""


def inputs_of(model: object) -> tuple[str, ...] | None:
    """Return the columns that a model was trained on, in its order; None if it does not know.

    >>> import pandas as pd
    >>> from sklearn.linear_model import LinearRegression
    >>> people = pd.DataFrame({"age": [20, 30], "hours": [40, 10]})
    >>> inputs_of(LinearRegression().fit(people, [1, 2]))
    ('age', 'hours')
    """
    names = _known_names(model)
    if names is None:
        owner = getattr(model, "__self__", None)
        return None if owner is None else inputs_of(owner)
    names = [str(name) for name in names]
    for prefix in _INVENTED:
        if names == [f"{prefix}{i}" for i in range(len(names))]:
            return None
    return tuple(names)


def check_inputs(model: object, inputs: tuple[str, ...]) -> None:
    """Refuse inputs other than the columns that the model was trained on."""
    known = inputs_of(model)
    if known is None:
        width = _width(model)
        if width is not None and width != len(inputs):
            raise DataError(
                f"The model was trained on {width} columns without names, and inputs names "
                f"{len(inputs)}: {', '.join(inputs)}. Give inputs these {width} columns in order."
            )
        return
    lacking = [name for name in known if name not in inputs]
    if lacking:
        raise DataError(
            f"The model also reads {_listed(lacking)}, which inputs lacks. "
            "Name all columns that it was trained on, or leave inputs out."
        )
    unseen = [name for name in inputs if name not in known]
    if unseen:
        raise DataError(
            f"The model was not trained on {_listed(unseen)}. It reads {_listed(known)}: "
            "give these as inputs, or leave inputs out."
        )


def _known_names(model: Any) -> Any:  # noqa: ANN401
    family = families(model)
    if "onnxruntime" in family:
        inputs = model.get_inputs()
        return [one.name for one in inputs] if len(inputs) > 1 else None
    if "lightgbm" in family and callable(getattr(model, "feature_name", None)):
        return model.feature_name()
    if "xgboost" in family and hasattr(model, "feature_names"):
        return model.feature_names
    if "catboost" in family:
        return model.feature_names_
    return getattr(model, "feature_names_in_", None)


def _width(model: Any) -> int | None:  # noqa: ANN401
    family = families(model)
    if "onnxruntime" in family:
        inputs = model.get_inputs()
        width = inputs[0].shape[-1] if len(inputs) == 1 and inputs[0].shape else None
    elif "xgboost" in family and hasattr(model, "num_features"):
        width = model.num_features()
    elif "lightgbm" in family and callable(getattr(model, "num_feature", None)):
        width = model.num_feature()
    else:
        width = getattr(model, "n_features_in_", None)
    return width if isinstance(width, int) else None


def _listed(names: list[str] | tuple[str, ...]) -> str:
    return ", ".join(repr(name) for name in names)
