"""A trained model as one function: encoded columns in, one number per row out."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairpath.encoding import Encoding
from fairpath.errors import DataError
from fairpath.frames import Frame, as_frame, columns
from fairpath.models.adapter import Feed, as_array, is_untrained, quoted
from fairpath.models.families import adapter_for
from fairpath.models.names import check_inputs
from fairpath.models.outputs import Output, Reading, reading
from fairpath.models.table import Encoded, Table
from fairpath.vocabulary import FloatVector

MOST_PROBED = 1_000
"""Rows of the data that a model is tried on."""


@dataclass(frozen=True, eq=False)
class Score:
    """One number for each row, from a model of any kind.

    Attributes
    ----------
    inputs
        The columns that it reads.
    notes
        What the user should know of how the model is asked.
    is_bounded
        Whether its answers lie within [0, 1]: always for a probability and a decision; for the
        score of a function, in the data.
    """

    inputs: tuple[str, ...]
    notes: tuple[str, ...]
    is_bounded: bool
    name: str
    feed: Feed
    reading: Reading

    @property
    def before_threshold(self) -> "Score | None":
        """Return the number that a decision compares with its threshold; None if there is none."""
        if self.reading.compared is None:
            return None
        return replace(self, reading=Reading(self.reading.ask, self.reading.compared))

    def __call__(self, columns: Mapping[str, FloatVector]) -> FloatVector:
        """Ask the model about rows; the same rows give the same bits."""
        n_rows = len(columns[self.inputs[0]])
        if n_rows == 0:
            return np.empty(0)
        rows = self.feed(columns)
        answer = _asked(self.name, self.reading, rows, n_rows)
        if answer.shape[:1] != (n_rows,):
            raise DataError(
                f"{self.name} answers with shape {answer.shape} about {n_rows} rows. "
                "It must give one number for each row, in their order."
            )
        return np.array(self.reading.number(answer), dtype=np.float64)


def score_of(
    model: object,
    *,
    inputs: tuple[str, ...],
    data: object,
    encoding: Encoding,
    others: tuple[object, ...] = (),
    output: Output,
    favourable: object,
    threshold: float,
) -> Score:
    """Find out how to ask a model, and try it on some rows.

    Parameters
    ----------
    model
        An estimator, a booster, an ONNX session, a torch module, or a function.
    inputs
        The columns that the model reads, in its order where it does not know their names.
    data, others
        The table that is explained, and others with the same columns. The model is given rows
        of the type of ``data``.
    encoding
        How the columns are turned into numbers.
    output
        The number that is explained.
    favourable
        The class whose probability or decision it is; by default the second of two.
    threshold
        Decisions are probabilities above this.
    """
    inputs = tuple(inputs)
    if not inputs:
        raise DataError("inputs is empty: a model that reads no column has nothing to explain.")
    check_inputs(model, inputs)
    frame = as_frame(data)
    table = Table.of(frame, inputs, encoding, others)
    probe = _probe(frame, inputs, encoding)
    adapter = adapter_for(model, table, inputs, probe)
    chosen = reading(adapter, output, favourable, threshold)
    notes = (*adapter.notes, *chosen.notes)
    score = Score(inputs, notes, output != "score", adapter.name, adapter.feed, chosen)
    seen = score(probe)
    if output == "score" and adapter.kind == "numbers":
        within = bool(((seen >= 0) & (seen <= 1)).all())
        return Score(inputs, notes, within, adapter.name, adapter.feed, chosen)
    return score


def _probe(frame: Frame, inputs: tuple[str, ...], encoding: Encoding) -> Encoded:
    """Return some rows of the data, spread over it."""
    rows = np.unique(np.linspace(0, len(frame) - 1, MOST_PROBED).astype(np.intp))
    return encoding.encode(columns(frame[rows], inputs))


def _asked(name: str, reading: Reading, rows: Any, n_rows: int) -> NDArray[Any]:  # noqa: ANN401
    try:
        return as_array(reading.ask(rows))
    except Exception as error:
        if is_untrained(error):
            advice = "It is not trained yet: call its fit first."
        else:
            advice = "Check that it was trained on these columns and knows all their categories."
        raise DataError(f"{name} failed on {n_rows} rows with {quoted(error)}. {advice}") from error
