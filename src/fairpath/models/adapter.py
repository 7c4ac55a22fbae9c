"""What this library needs to know of a model, whatever family it is from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairpath.models.table import Encoded

Feed: TypeAlias = Callable[[Encoded], Any]
"""Turns encoded columns into what the model takes."""

Ask: TypeAlias = Callable[[Any], Any]
"""Asks the model about what it takes: one number per row, or one per row and class."""

Kind: TypeAlias = Literal["classifier", "regressor", "numbers"]
"""``numbers``: a model that does not say what its answers are, such as a function."""


@dataclass(frozen=True, eq=False)
class Adapter:
    """How one model is asked.

    Attributes
    ----------
    name
        What error messages call the model.
    kind
        What its answers are.
    feed
        Turns encoded columns into what the model takes.
    probability, score, label
        Ask for probabilities, for the number before that, for the class; None where the model
        has no such answer. A model of kind ``numbers`` has one answer for the first two.
    classes
        The classes that the columns of its answers stand for, in their order, if known.
    notes
        What the user should know of how the model is asked.
    """

    name: str
    kind: Kind
    feed: Feed
    probability: Ask | None = None
    score: Ask | None = None
    label: Ask | None = None
    classes: tuple[Any, ...] | None = None
    notes: tuple[str, ...] = ()


def families(model: object) -> frozenset[str]:
    """Return the packages that the model's classes are from, without importing any.

    >>> sorted(families(1.5))
    ['builtins']
    """
    return frozenset(kind.__module__.partition(".")[0] for kind in type(model).__mro__)


def as_array(answer: Any) -> NDArray[Any]:  # noqa: ANN401
    """Return a model's answer as an array, wherever it lies."""
    if hasattr(answer, "detach"):  # a torch tensor, perhaps on another device
        answer = answer.detach().cpu().double().numpy()
    return np.asarray(answer)


def quoted(error: BaseException) -> str:
    """Return a foreign error in one short line.

    >>> quoted(KeyError("age"))
    "KeyError: 'age'"
    """
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:MOST_QUOTED]}{'…' if len(text) > MOST_QUOTED else ''}"


def is_untrained(error: BaseException) -> bool:
    """Whether a model fails because it was never trained."""
    return "NotFitted" in type(error).__name__ or "no trained model" in str(error)


MOST_QUOTED = 500
"""Some libraries put the state of the machine into their messages."""
