"""ONNX models in an onnxruntime.InferenceSession."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairpath.errors import DataError
from fairpath.models.adapter import Adapter
from fairpath.models.table import Encoded, Table

_TYPES: Mapping[str, Any] = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(float16)": np.float16,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(bool)": np.bool_,
    "tensor(string)": np.object_,
}


def onnx_session(model: Any, table: Table, inputs: tuple[str, ...], probe: Encoded) -> Adapter:  # noqa: ANN401
    """Adapt a session: numbers alone, or a label and the probabilities of the classes."""
    feed = partial(_fed, model.get_inputs(), table, inputs)
    outputs = model.get_outputs()
    numbers = [one for one in outputs if "float" in one.type or "double" in one.type]
    labels = [one for one in outputs if one not in numbers]
    if len(numbers) > 1 or len(labels) > 1 or not outputs:
        named = ", ".join(f"{one.name} of type {one.type}" for one in outputs)
        raise DataError(
            f"The ONNX model has the outputs {named}, need one with numbers and at most one label. "
            "Export it so (with skl2onnx: zipmap=False), or pass a function that runs the session."
        )
    answer = partial(_numbers, model, numbers[0].name) if numbers else None
    if not labels:
        return Adapter("InferenceSession", "numbers", feed, answer, answer)
    label = partial(_first, model, labels[0].name)
    classes = (
        None if answer is None else _classes(model, numbers[0].name, labels[0].name, feed(probe))
    )
    return Adapter("InferenceSession", "classifier", feed, answer, None, label, classes)


def _fed(
    takes: list[Any], table: Table, inputs: tuple[str, ...], encoded: Encoded
) -> dict[str, NDArray[Any]]:
    """Return what the session takes: one tensor, or one for each column."""
    if len(takes) == 1:
        only = takes[0]
        words = only.type == "tensor(string)"
        rows = table.array(encoded, inputs) if words else table.matrix(encoded, inputs)
        return {only.name: _cast(rows, only)}
    return {one.name: _cast(table.array(encoded, [one.name]), one) for one in takes}


def _cast(values: NDArray[Any], takes: Any) -> NDArray[Any]:  # noqa: ANN401
    kind = _TYPES.get(takes.type)
    if kind is None:
        raise DataError(
            f"The ONNX model takes {takes.type} in {takes.name!r}. Use numbers or words."
        )
    if kind is not np.object_ and values.dtype == object:
        raise DataError(
            f"The ONNX model takes {takes.type} in {takes.name!r}, where the data has words."
        )
    if np.issubdtype(kind, np.integer) and not np.array_equal(values, np.rint(values)):
        odd = values[values != np.rint(values)][0]
        raise DataError(
            f"The ONNX model takes whole numbers in {takes.name!r}, and was asked about {odd:g}. "
            "Export it with a float input, or use links that only return values of the data."
        )
    return values.astype(kind)


def _first(session: Any, output: str, rows: Any) -> Any:  # noqa: ANN401
    return session.run([output], rows)[0]


def _numbers(session: Any, output: str, rows: Any) -> Any:  # noqa: ANN401
    """Return an output as numbers; where it is one dict per row, in the order of its keys."""
    answer = _first(session, output, rows)
    if isinstance(answer, list) and answer and isinstance(answer[0], dict):
        return np.array([list(row.values()) for row in answer], dtype=np.float64)
    return answer


def _classes(session: Any, output: str, label: str, rows: Any) -> tuple[Any, ...] | None:  # noqa: ANN401
    """Return the classes of the columns: keys, or the labels of the rows where one is largest."""
    answer, labels = session.run([output, label], rows)
    if isinstance(answer, list) and answer and isinstance(answer[0], dict):
        return tuple(answer[0])
    if answer.ndim != 2:  # noqa: PLR2004
        return None
    largest, labels = answer.argmax(axis=1), np.asarray(labels).ravel()
    found = [labels[largest == column][:1].tolist() for column in range(answer.shape[1])]
    return tuple(label for (label,) in found) if all(found) else None
