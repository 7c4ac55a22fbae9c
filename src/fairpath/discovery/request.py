"""What discovery and falsification ask for alike: columns, rows, a test, a progress bar."""

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from tqdm import tqdm

from fairpath.discovery.asking import ByFunction, IndependenceFunction, Test
from fairpath.discovery.checking import checked_columns
from fairpath.discovery.counts import DiscreteTest
from fairpath.discovery.distinct import distinct
from fairpath.discovery.linear import LinearTest
from fairpath.discovery.mixed import MixedTest
from fairpath.errors import DataError
from fairpath.frames import Column, Frame, checked_weights
from fairpath.frames import columns as read
from fairpath.options import check_choices
from fairpath.vocabulary import FloatVector

Named: TypeAlias = Literal["mixed", "linear", "discrete"]

TestChoice: TypeAlias = Named | IndependenceFunction
"""A test of the package, or a function of two columns and those given."""


class Rows:
    """The columns of a search on the rows that count, sorted and checked."""

    def __init__(
        self, frame: Frame, names: Sequence[str], sample_weight: object, test: TestChoice
    ) -> None:
        by_name = read(frame, names)
        self.names = tuple(names)
        self.columns, self.weights = distinct(
            [by_name[name] for name in names], checked_weights(sample_weight, len(frame))
        )
        self.notes = checked_columns(self.columns, self.weights)
        self._choice = test
        if test == "linear":
            self.notes += _incomplete(self.columns, self.weights)

    @property
    def size(self) -> float:
        """How many rows there are, or their total weight."""
        return float(self.weights.sum())

    def test(self, weights: FloatVector | None = None, *, n_jobs: int | None = None) -> Test:
        """Return the test, on these rows or with other weights."""
        weights = self.weights if weights is None else weights
        if callable(self._choice):
            return ByFunction(self.names, self._choice)
        if self._choice == "linear":
            return LinearTest.of(self.columns, weights)
        if self._choice == "discrete":
            return DiscreteTest(self.columns, weights)
        return MixedTest(self.columns, weights, n_jobs=n_jobs)


def check_alpha(alpha: object) -> None:
    """Refuse what is no level of a test."""
    if not isinstance(alpha, float) or not 0 < alpha < 1:
        raise DataError(f"alpha must be a number between 0 and 1, got {alpha!r}.")


def check_test(test: object) -> None:
    """Refuse what is no test."""
    if not callable(test):
        check_choices(test=(test, get_args(Named)))


def named(test: TestChoice) -> str:
    """Return what to call a test."""
    return test if isinstance(test, str) else "a function"


def _incomplete(columns: Sequence[Column], weights: FloatVector) -> tuple[str, ...]:
    """Say how many rows one correlation matrix of all columns leaves out."""
    complete = weights.copy()
    for column in columns:
        complete[column.missing] = 0.0
    if complete.sum() == weights.sum():
        return ()
    shares = f"{complete.sum():g} of {weights.sum():g} rows are complete"
    return (f"{shares}; test='linear' leaves the others out",)


def bar(what: str, unit: str, *, progress: bool | None, total: int | None = None) -> tqdm:
    """Return a progress bar that shows itself once the work takes long."""
    return tqdm(
        total=total,
        desc=what,
        unit=unit,
        delay=2,
        leave=False,
        disable=None if progress is None else not progress,
    )
