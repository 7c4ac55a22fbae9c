"""PyTorch modules: a tensor of the inputs in, one number per row or two classes out."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import Any

from fairpath.models.adapter import Adapter
from fairpath.models.table import Table
from fairpath.vocabulary import FloatMatrix

_LOCK = Lock()
_SWITCHED: dict[int, tuple[int, list[Any]]] = {}
"""By module: how many threads are asking it, and which of its parts were being trained."""


def torch_module(model: Any, table: Table, inputs: tuple[str, ...]) -> Adapter:  # noqa: ANN401
    """Adapt a torch.nn.Module."""
    answer = partial(_answer, model)
    return Adapter(
        type(model).__name__, "numbers", partial(table.matrix, names=inputs), answer, answer
    )


def _answer(model: Any, rows: FloatMatrix) -> Any:  # noqa: ANN401
    import torch  # noqa: PLC0415 - the model is from it

    held = next((p for p in model.parameters() if p.is_floating_point()), None)
    kind, device = (torch.float32, None) if held is None else (held.dtype, held.device)
    with torch.no_grad(), _switched_to_answering(model):
        return model(torch.as_tensor(rows).to(device=device, dtype=kind))


@contextmanager
def _switched_to_answering(model: Any) -> Iterator[None]:  # noqa: ANN401
    """Turn dropout and the like off; the last thread to leave turns them on again."""
    with _LOCK:
        threads, training = _SWITCHED.get(id(model), (0, []))
        if threads == 0:
            training = [part for part in model.modules() if part.training]
            if training:
                model.eval()
        _SWITCHED[id(model)] = threads + 1, training
    try:
        yield
    finally:
        with _LOCK:
            threads, training = _SWITCHED.pop(id(model))
            if threads > 1:
                _SWITCHED[id(model)] = threads - 1, training
            else:
                for part in training:
                    part.training = True
