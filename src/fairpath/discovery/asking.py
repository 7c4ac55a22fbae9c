"""How the search asks for independence: many pairs at once, given one set of nodes.

Nodes are numbers. What the tests of one conditioning set share (a regression, a table, a
partial correlation matrix) is computed once, since they come together.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from math import log
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from fairpath.errors import DataError
from fairpath.vocabulary import FloatVector

Pair: TypeAlias = tuple[int, int]
"""Two nodes, the smaller number first."""

IndependenceFunction: TypeAlias = Callable[[str, str, tuple[str, ...]], float]
"""From two columns and those given, sorted, to a p-value."""

LEAST_P = 1e-300


class Question(NamedTuple):
    """Some pairs whose independence given some nodes is asked for."""

    given: tuple[int, ...]
    pairs: tuple[Pair, ...]


class Test(Protocol):
    """Anything with these two can be asked; there is nothing to inherit."""

    @property
    def block(self) -> int:
        """How many questions are asked at once; does not depend on the number of workers."""
        ...

    def log_p_values(self, questions: Sequence[Question]) -> list[FloatVector]:
        """Answer each question by the logarithm of a p-value for each pair.

        NaN where the data cannot tell: nothing is left to compare, or rows are too few.
        """
        ...


class ByFunction:
    """A test that is a function of names; asked once for each pair and set."""

    block = 1

    def __init__(self, names: Sequence[str], function: IndependenceFunction) -> None:
        self._names = names
        self._function = function

    def log_p_values(self, questions: Sequence[Question]) -> list[FloatVector]:
        """Call the function for each pair."""
        return [
            np.array([self._log_p(pair, given) for pair in pairs]) for given, pairs in questions
        ]

    def _log_p(self, pair: Pair, given: tuple[int, ...]) -> float:
        one, other = (self._names[node] for node in pair)
        names = tuple(self._names[node] for node in given)
        p = self._function(one, other, names)
        if not 0 <= p <= 1:
            raise DataError(
                f"The test said {p!r} for {one!r} and {other!r} given {list(names)}, "
                "a p-value lies between 0 and 1."
            )
        return log(max(p, LEAST_P))


def answered(test: Test, questions: Iterator[Question]) -> Iterator[tuple[Question, FloatVector]]:
    """Ask block by block; later questions may depend on what earlier blocks said."""
    while block := list(islice(questions, test.block)):
        yield from zip(block, test.log_p_values(block), strict=True)
