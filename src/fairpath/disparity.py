"""Which rows are compared, how their output enters, and whether the outcome is given.

A disparity is the difference of a mean between a stratum and the reference. It says for each
outcome level whether a row enters as f(x), as 1 - f(x), or not at all, and whether its paths and
links are those relative to the outcome. Anything with these two methods is one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import numpy as np

from fairpath.errors import DataError
from fairpath.vocabulary import BoolVector, FloatMatrix, FloatVector, IntVector

Outcome: TypeAlias = Literal[0, 1]
"""1: the favourable outcome, 0: the other one."""


class Disparity(Protocol):
    """What two methods say about a difference between strata."""

    def signs(self, favoured: BoolVector) -> FloatVector:
        """Return how rows with these outcomes enter: 1 as f(x), -1 as 1 - f(x), 0 not at all.

        ``favoured`` says whether a row's outcome is the favourable one.
        """
        ...

    def given_outcome(self) -> bool:
        """Whether paths, links and P(a') are those relative to the outcome."""
        ...


@dataclass(frozen=True)
class DemographicParity:
    """The mean output of a stratum minus that of the reference."""

    def signs(self, favoured: BoolVector) -> FloatVector:
        """All rows enter as they are."""
        return np.ones(len(favoured))

    def given_outcome(self) -> bool:
        """No."""
        return False


@dataclass(frozen=True)
class EqualOpportunity:
    """The same among those with one outcome: the favourable one, if nothing else is said.

    Parameters
    ----------
    outcome
        1 for the favourable outcome, 0 for the other one.
    """

    outcome: Outcome = 1

    def signs(self, favoured: BoolVector) -> FloatVector:
        """Only rows with this outcome enter."""
        return np.where(favoured == bool(self.outcome), 1.0, 0.0)

    def given_outcome(self) -> bool:
        """Yes."""
        return True


@dataclass(frozen=True)
class AccuracyParity:
    """The mean of f(x) where the outcome is favourable and of 1 - f(x) where it is not."""

    def signs(self, favoured: BoolVector) -> FloatVector:
        """All rows enter, those with the other outcome as 1 - f(x)."""
        return np.where(favoured, 1.0, -1.0)

    def given_outcome(self) -> bool:
        """Yes."""
        return True


Named: TypeAlias = Literal[
    "demographic_parity", "equal_opportunity", "equalized_odds", "accuracy_parity"
]

Disparities: TypeAlias = Mapping[Outcome | None, Disparity]
"""One disparity under None; under equalized odds one for each outcome."""

NAMED: Mapping[str, Disparities] = {
    "demographic_parity": {None: DemographicParity()},
    "equal_opportunity": {None: EqualOpportunity()},
    "equalized_odds": {1: EqualOpportunity(1), 0: EqualOpportunity(0)},
    "accuracy_parity": {None: AccuracyParity()},
}

BOTH = np.array([False, True])
"""The two outcomes, in the order of a tally's cells."""


def disparities_of(disparity: object) -> tuple[str, Disparities]:
    """Return the name and the parts of what a caller asks for.

    >>> disparities_of("equalized_odds")
    ('equalized odds', {1: EqualOpportunity(outcome=1), 0: EqualOpportunity(outcome=0)})
    """
    if isinstance(disparity, str) and disparity in NAMED:
        return disparity.replace("_", " "), NAMED[disparity]
    methods = [getattr(disparity, name, None) for name in ("signs", "given_outcome")]
    if isinstance(disparity, type) or not all(callable(method) for method in methods):
        raise DataError(
            f"disparity must be one of {', '.join(map(repr, NAMED))} or an object with the methods "
            f"signs and given_outcome, got {disparity!r}."
        )
    return type(disparity).__name__, {None: disparity}  # type: ignore[dict-item]


@dataclass(frozen=True)
class View:
    """One difference that is reported, among rows with some outcomes.

    Attributes
    ----------
    outcome
        Which outcome it is about, under equalized odds.
    outcomes
        The outcomes of the rows that enter; None if the outcome plays no role.
    apart
        What is neither carried by a path nor part of the remainder, if there is such a thing.
    """

    outcome: Outcome | None = None
    outcomes: tuple[int, ...] | None = None
    apart: str | None = None


BASE_RATES = "base rates of the outcome"
SELECTION = "selection by the outcome"


@dataclass(frozen=True, eq=False)
class Viewpoint:
    """What all disparities that are asked for together need of a row.

    Attributes
    ----------
    name
        What was asked for.
    views
        The differences that are reported.
    signs
        How rows of either outcome enter; None if all do as they are, whatever their outcome.
    given
        Whether paths, links and P(a') are those relative to the outcome.
    """

    name: str
    views: tuple[View, ...]
    signs: FloatVector | None
    given: bool

    @classmethod
    def of(cls, disparity: object, *, after: bool) -> "Viewpoint":
        """Settle what a caller asks for; ``after`` takes paths and links without the outcome."""
        name, parts = disparities_of(disparity)
        signs = {label: cell_signs(part) for label, part in parts.items()}
        given = not after and any(part.given_outcome() for part in parts.values())
        if not given and all((one == 1).all() for one in signs.values()):
            return cls(name, (View(),), None, given=False)
        views = []
        for label, one in signs.items():
            enter = tuple(np.flatnonzero(one).tolist())
            apart = SELECTION if not given else BASE_RATES if len(enter) > 1 else None
            views.append(View(label, enter, apart))
        return cls(name, tuple(views), sum(signs.values(), np.zeros(2)), given=given)

    @property
    def flips(self) -> bool:
        """Whether rows enter as 1 - f(x)."""
        return self.signs is not None and bool((self.signs < 0).any())

    def looks_at(self, favoured: IntVector) -> BoolVector:
        """Return which rows enter."""
        if self.signs is None:
            return np.ones(len(favoured), dtype=np.bool_)
        return np.asarray(self.signs[favoured] != 0)

    def entered(self, values: FloatMatrix, favoured: IntVector) -> FloatMatrix:
        """Return f(x) or 1 - f(x), for values whose rows have these outcomes."""
        if not self.flips:
            return values
        assert self.signs is not None  # noqa: S101 - it flips
        return np.where(self.signs[favoured][:, None] < 0, 1 - values, values)

    def gained(self, gains: FloatMatrix, favoured: IntVector) -> FloatMatrix:
        """Return differences between two outputs as they enter: φ or -φ."""
        if not self.flips:
            return gains
        assert self.signs is not None  # noqa: S101 - it flips
        return np.asarray(gains * self.signs[favoured][:, None])


def cell_signs(disparity: Disparity) -> FloatVector:
    """Return how rows of either outcome enter; refuse what is neither 1, -1 nor 0."""
    signs = np.asarray(disparity.signs(BOTH), dtype=np.float64)
    if signs.shape != (2,) or not np.isin(signs, (-1, 0, 1)).all() or not signs.any():
        raise DataError(
            f"{type(disparity).__name__}.signs must return 1, -1 or 0 for each row, and not 0 for "
            f"all of them; for outcomes {BOTH.tolist()} it returned {signs.tolist()}."
        )
    return signs
