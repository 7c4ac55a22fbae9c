"""Columns as arrays of numbers, the same for the rows that teach and the rows that are explained.

Numbers stay as they are, NaN where missing. A category is its codes, a missing value one code
more. The sensitive attribute is a category whatever its type: its levels are the strata.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairpath.errors import DataError
from fairpath.frames import Categories, Column, Numbers
from fairpath.vocabulary import FloatVector, IntVector

MAX_STRATA = 50
"""More levels of the sensitive attribute than this are taken for a number without bands."""


@dataclass(frozen=True)
class Variable:
    """What a link knows of a column.

    Attributes
    ----------
    name
        The column.
    n_levels
        For a category how many codes it has, the one for missing values included.
    ordered
        Whether the codes of a category have a meaningful order.
    is_sensitive
        Whether this is the sensitive attribute: its codes are the strata.
    """

    name: str
    n_levels: int | None = None
    ordered: bool = False
    is_sensitive: bool = False

    @property
    def is_category(self) -> bool:
        """Whether values are codes."""
        return self.n_levels is not None


@dataclass(frozen=True, eq=False)
class Encoding:
    """How each column was turned into numbers.

    Attributes
    ----------
    variables
        What links are told of each column.
    levels
        The labels of each category, and of the sensitive attribute, in the order of their codes.
    numeric_strata
        Whether the sensitive attribute was a column of numbers.
    """

    variables: Mapping[str, Variable]
    levels: Mapping[str, tuple[Any, ...]]
    numeric_strata: bool

    @classmethod
    def of(cls, samples: Iterable[Mapping[str, Column]], sensitive: str) -> "Encoding":
        """Take note of every level in any of the samples, which have the same columns."""
        first, *others = samples
        variables, levels = {}, {}
        for name, column in first.items():
            columns = [column, *(other[name] for other in others)]
            if len({one.kind for one in columns}) > 1:
                raise DataError(
                    f"Column {name!r} holds numbers in one table and labels in the other. "
                    "Give it one type in both."
                )
            if name == sensitive:
                columns = [_as_strata(one) for one in columns]
            if all(isinstance(one, Numbers) for one in columns):
                variables[name] = Variable(name)
                continue
            known = _all_levels(name, columns)
            missing = any(bool(one.missing.any()) for one in columns)
            ordered = all(isinstance(one, Categories) and one.ordered for one in columns)
            levels[name] = known
            variables[name] = Variable(name, len(known) + missing, ordered, name == sensitive)
        return cls(variables, levels, isinstance(first[sensitive], Numbers))

    def encode(self, columns: Mapping[str, Column]) -> dict[str, FloatVector]:
        """Turn the columns of a sample into arrays."""
        return {name: self._encoded(name, column) for name, column in columns.items()}

    def _encoded(self, name: str, column: Column) -> FloatVector:
        variable = self.variables[name]
        if variable.n_levels is None:
            if isinstance(column, Categories):
                raise DataError(
                    f"Column {name!r} holds labels here and numbers in the rows that the "
                    "links were learned from. Give it one type in both."
                )
            return column.values
        if variable.is_sensitive:
            column = _as_strata(column)
        if isinstance(column, Numbers):
            raise DataError(
                f"Column {name!r} holds numbers here and labels in the rows that the "
                "links were learned from. Give it one type in both."
            )
        known = {_key(level): code for code, level in enumerate(self.levels[name])}
        unseen = [level for level in column.levels if _key(level) not in known]
        if unseen:
            raise DataError(
                f"Column {name!r} holds {unseen[0]!r}, which the rows that the links were learned "
                "from do not. Add such rows to them, or merge the level with another one."
            )
        if column.missing.any() and variable.n_levels == len(known):
            raise DataError(
                f"Column {name!r} has missing values here but none in the rows that the links "
                "were learned from. Add such rows to them, or fill the values in."
            )
        position = np.array([*(known[_key(level)] for level in column.levels), len(known)])
        return position[column.codes].astype(np.float64)

    def strata(self, columns: Mapping[str, Column], sensitive: str) -> IntVector:
        """Return the stratum of each row."""
        return self._encoded(sensitive, columns[sensitive]).astype(np.intp)


def _all_levels(name: str, columns: list[Column]) -> tuple[Any, ...]:
    """Return the levels of all samples: those of the first, then what others add, sorted."""
    labelled = [column for column in columns if isinstance(column, Categories)]
    if all(column.levels == labelled[0].levels for column in labelled):
        return labelled[0].levels
    found = {_key(level): level for column in labelled for level in column.levels}
    if all(column.ordered for column in labelled):
        longest = max(labelled, key=lambda column: len(column.levels))
        if len(longest.levels) == len(found):
            return longest.levels
        raise DataError(
            f"The ordered levels of column {name!r} differ between the two tables. "
            "Give it the same in both."
        )
    return tuple(found[key] for key in sorted(found))


def _as_strata(column: Column) -> Categories:
    """Read the sensitive attribute as a category."""
    missing = int(column.missing.sum())
    if missing:
        raise DataError(
            f"The sensitive attribute {column.name!r} is missing in {missing} "
            f"{'row' if missing == 1 else 'rows'}. Drop them, or name them a stratum of their own."
        )
    if isinstance(column, Categories):
        found = column
    else:
        values, codes = np.unique(column.values, return_inverse=True)
        whole = bool((values == np.round(values)).all())
        levels = tuple(int(v) if whole else float(v) for v in values)
        found = Categories(column.name, codes.astype(np.intp), levels, ordered=True)
    if len(found.levels) > MAX_STRATA:
        raise DataError(
            f"The sensitive attribute {column.name!r} has {len(found.levels)} levels. "
            "Cut it into a few bands first, for example with pandas.cut."
        )
    return found


def _key(level: object) -> tuple[str, Any]:
    """Tell 1 from True; sort by type first."""
    if isinstance(level, bool | np.bool_):
        return "bool", bool(level)
    if isinstance(level, str):
        return "str", str(level)
    return "number", level
