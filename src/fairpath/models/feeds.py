"""Which form of the rows a model takes: a table, or an array."""

from functools import partial
from typing import Any

from fairpath.errors import DataError
from fairpath.models.adapter import Ask, Feed, families, is_untrained, quoted
from fairpath.models.names import inputs_of
from fairpath.models.table import Encoded, Table


def feed_of_estimator(
    model: Any,  # noqa: ANN401
    ask: Ask,
    table: Table,
    inputs: tuple[str, ...],
    probe: Encoded,
) -> tuple[Feed, tuple[str, ...]]:
    """Give an estimator what it was trained on: names if it knows some, else an array."""
    if families(model) & {"lightgbm", "catboost"}:
        # Both read categories from pandas; those of other tables can end the process.
        table = table.as_pandas()
    names = inputs_of(model)
    if names is not None:
        return partial(table.frame, names=names), ()
    if hasattr(model, "n_features_in_"):
        return partial(table.array, names=inputs), ()
    return feed_by_trial(ask, table, inputs, probe)


def feed_by_trial(
    ask: Ask, table: Table, inputs: tuple[str, ...], probe: Encoded
) -> tuple[Feed, tuple[str, ...]]:
    """Give a model rows as a table; if it refuses that, as an array."""
    as_frame: Feed = partial(table.frame, names=inputs)
    as_array: Feed = partial(table.array, names=inputs)
    refused = _refusal(ask, as_frame, probe)
    # A model that was never trained says so when it is asked; no other form will help.
    if refused is None or is_untrained(refused):
        return as_frame, ()
    refused_too = _refusal(ask, as_array, probe)
    if refused_too is not None:
        raise DataError(
            f"The model answers neither to a table ({quoted(refused)}) "
            f"nor to an array of its columns ({quoted(refused_too)}). "
            f"It was given {', '.join(inputs)}, in this order. Check that these are its columns."
        ) from refused
    note = (
        f"the model refused a table ({quoted(refused)}); "
        f"it is given an array of the columns {', '.join(inputs)}"
    )
    return as_array, (note,)


def _refusal(ask: Ask, feed: Feed, probe: Encoded) -> Exception | None:
    rows = feed(probe)
    try:
        ask(rows)
    except Exception as error:  # noqa: BLE001 - a model may raise anything
        return error
    return None
