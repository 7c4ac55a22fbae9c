"""Which number of a model's answer is explained, and what it has to be."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fairpath.errors import DataError
from fairpath.models.adapter import Adapter, Ask
from fairpath.models.numbers import above, chosen, likely, probability, raw_score
from fairpath.options import position_of
from fairpath.vocabulary import FloatVector

Output: TypeAlias = Literal["probability", "decision", "score"]
"""The probability of the favourable class, whether it is decided for, or the raw score."""


Number: TypeAlias = Callable[[NDArray[Any]], FloatVector]
"""Reads one number per row from an answer."""


@dataclass(frozen=True, eq=False)
class Reading:
    """A question to a model, and how one number per row is read from the answer.

    ``compared`` reads the number that a decision compares with the threshold, if there is one.
    """

    ask: Ask
    number: Number
    notes: tuple[str, ...] = ()
    compared: Number | None = None


def reading(adapter: Adapter, output: Output, favourable: object, threshold: float) -> Reading:
    """Choose the question for an output; refuse what the model cannot answer."""
    if not isinstance(output, str) or output not in get_args(Output):
        raise DataError(
            f"output must be 'probability', 'decision' or 'score', got {output!r}. "
            "For another number, pass a function of the table that returns it."
        )
    which, notes = _favoured(adapter, favourable)
    if output == "decision":
        return replace(_decision(adapter, which, threshold), notes=notes)
    ask = adapter.probability if output == "probability" else adapter.score
    if ask is None:
        raise _unanswered(adapter, output)
    number = probability if output == "probability" else raw_score
    return Reading(ask, partial(number, adapter=adapter, which=which), notes)


def _decision(adapter: Adapter, which: int | None, threshold: float) -> Reading:
    is_number = isinstance(threshold, int | float | np.number) and not isinstance(threshold, bool)
    if not is_number or not isfinite(threshold):
        raise DataError(f"threshold must be a number, got {threshold!r}.")
    if adapter.kind == "classifier" and not 0 < threshold < 1:
        raise DataError(
            f"threshold must lie between 0 and 1, as the probabilities of {adapter.name} do, "
            f"got {threshold}."
        )
    if adapter.kind == "classifier" and adapter.probability is not None:
        number = partial(likely, adapter=adapter, which=which, threshold=threshold)
        compared = partial(probability, adapter=adapter, which=which)
        return Reading(adapter.probability, number, compared=compared)
    if adapter.kind != "classifier" and adapter.score is not None:
        compared = partial(raw_score, adapter=adapter, which=which)
        decided = partial(above, adapter=adapter, which=which, threshold=threshold)
        return Reading(adapter.score, decided, compared=compared)
    if adapter.label is None:
        raise _unanswered(adapter, "decision")
    if threshold != 0.5:  # noqa: PLR2004
        raise DataError(
            f"{adapter.name} decides without probabilities, so threshold={threshold} has nothing "
            "to be compared with. Leave threshold out, or calibrate the model with "
            "sklearn.calibration.CalibratedClassifierCV."
        )
    if adapter.classes is None:
        raise DataError(
            f"{adapter.name} does not name its classes (classes_), so its decisions "
            "cannot be read. Pass a function that returns 1.0 for the favourable one."
        )
    wanted = adapter.classes[1 if which is None else which]
    return Reading(adapter.label, partial(chosen, adapter=adapter, wanted=wanted))


def _favoured(adapter: Adapter, favourable: object) -> tuple[int | None, tuple[str, ...]]:
    """Return the position of the favourable class, None if the model does not tell classes."""
    classes = adapter.classes
    if classes is None:
        if favourable is None:
            return None, ()
        note = (
            f"{adapter.name} does not name its classes: "
            f"its answer is taken as the one for {favourable!r}"
        )
        # Of two columns without names, 0 and 1 can only be the first and the second.
        return position_of((0, 1), favourable), (note,)
    listed = ", ".join(repr(label) for label in classes)
    if len(classes) == 1:
        raise DataError(f"{adapter.name} knows one class only, {listed}: it never decides.")
    if favourable is None:
        if len(classes) == 2:  # noqa: PLR2004
            return 1, ()
        raise DataError(f"{adapter.name} has the classes {listed}. Say which is favourable.")
    which = position_of(classes, favourable)
    if which is not None:
        return which, ()
    raise DataError(
        f"favourable={favourable!r} is no class of {adapter.name}. Its classes are {listed}."
    )


def _unanswered(adapter: Adapter, output: Output) -> DataError:
    """Say what the model can be asked instead."""
    asks = {"probability": adapter.probability, "score": adapter.score}
    able = [f"output={name!r}" for name, ask in asks.items() if ask is not None]
    if adapter.label is not None or adapter.probability is not None or adapter.kind == "regressor":
        able.append("output='decision'")
    what = {"probability": "probabilities", "score": "raw score", "decision": "decisions"}[output]
    more = (
        ", or calibrate it with sklearn.calibration.CalibratedClassifierCV"
        if output == "probability" and adapter.kind == "classifier"
        else ""
    )
    return DataError(f"{adapter.name} has no {what}. Use {' or '.join(able)}{more}.")
