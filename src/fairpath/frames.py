"""Tables in: a column of a pandas, polars or pyarrow table becomes numbers or categories.

The same values give the same column whatever table they came in: missing is missing (None, NaN,
NA, null), and the codes of categories do not depend on the order of the rows.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from math import inf, isnan
from numbers import Real
from typing import Any, ClassVar, Literal, TypeAlias

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from fairpath.errors import DataError
from fairpath.vocabulary import BoolVector, FloatVector, IntVector

Frame: TypeAlias = nw.DataFrame[Any]
"""A checked table: at least one row, unique names, all of them strings."""

MOST_WEIGHT = 2.0**53
"""Floats above this are too coarse to count rows."""

MOST_SHOWN = 80
"""Characters of a caller's value that an error message shows."""

_LABELS = (nw.String, nw.Boolean, nw.Categorical, nw.Enum)
_PYTHON_VALUES = (nw.Object, nw.Unknown)


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of finite numbers, NaN where one is missing."""

    kind: ClassVar[Literal["number"]] = "number"

    name: str
    values: FloatVector

    @property
    def missing(self) -> BoolVector:
        """True where the row has no value."""
        return np.isnan(self.values)


@dataclass(frozen=True, eq=False)
class Categories:
    """A column of labels: codes into ``levels``, -1 where one is missing.

    ``levels`` are the labels that occur: in their declared order if the table declares one
    (``ordered``), else sorted by type and value.
    """

    kind: ClassVar[Literal["category"]] = "category"

    name: str
    codes: IntVector
    levels: tuple[Any, ...]
    ordered: bool = False

    @property
    def missing(self) -> BoolVector:
        """True where the row has no value."""
        return self.codes < 0


Column: TypeAlias = Numbers | Categories
"""All that later stages see of a column."""


def as_frame(data: object) -> Frame:
    """Check that ``data`` is a table this library can read, and wrap it."""
    try:
        frame = nw.from_native(data)  # type: ignore[call-overload]
        names = frame.columns if isinstance(frame, nw.DataFrame) else []
    except DuplicateError as error:
        raise DataError(f"Two columns share a name. {' '.join(str(error).split())}.") from None
    except TypeError:
        raise DataError(
            f"Got a {type(data).__name__}, need a pandas, polars or pyarrow table. "
            "A dict or an array becomes one by pandas.DataFrame(data)."
        ) from None
    if not isinstance(frame, nw.DataFrame):
        raise DataError("Got a lazy table. Load its rows first: .collect() or .to_pandas().")
    odd = [name for name in names if not isinstance(name, str)]
    if odd:
        raise DataError(
            f"Column names must be strings, got {odd[0]!r}. "
            "With pandas: data.columns = [str(name) for name in data.columns]."
        )
    if len(frame) == 0:
        raise DataError("The table has no rows. Give at least one row of each stratum.")
    return frame


def as_table(columns: Mapping[str, Any], backend: str) -> Any:  # noqa: ANN401 - any library's
    """Make a table of the library that the caller uses."""
    library: Any = backend
    return nw.from_dict(columns, backend=library).to_native()


def backend_of(frame: Frame) -> str:
    """Return the name of the library that a table is from."""
    return str(frame.implementation)


def column(data: object, name: str) -> Column:
    """Read one column.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"sex": ["m", "f", None], "age": [31, None, 45]})
    >>> column(people, "sex").codes, column(people, "sex").levels
    (array([ 1,  0, -1]), ('f', 'm'))
    >>> column(people, "age").values
    array([31., nan, 45.])
    """
    return columns(data, [name])[name]


def columns(data: object, names: Iterable[str] | None = None) -> dict[str, Column]:
    """Read the named columns, or all of them."""
    frame = as_frame(data)
    wanted = frame.columns if names is None else list(names)
    for name in wanted:
        check_name(name, frame.columns)
    return {name: _read(frame[name]) for name in wanted}


def check_name(name: str, known: Iterable[str]) -> None:
    """Refuse a name that is not among the ``known``, and say which are close to it."""
    known = list(known)
    if isinstance(name, str) and name in known:
        return
    by_folded = {other.casefold(): other for other in known}
    close = [by_folded[k] for k in get_close_matches(str(name).casefold(), by_folded, n=3)]
    hint = f"Did you mean {' or '.join(close)}?" if close else f"There are: {', '.join(known)}."
    raise DataError(f"There is no column {name!r}. {hint}")


def check_seed(seed: object) -> None:
    """Refuse what is no seed."""
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
        raise DataError(f"seed must be a whole number of at least 0, got {seed!r}.")


def checked_weights(weights: object, n_rows: int) -> FloatVector:
    """Return how often each row counts: once, if there are no weights."""
    if weights is None:
        return np.ones(n_rows)
    try:
        # Dates, strings and complex numbers would become floats without a word.
        readable = np.asarray(weights).dtype.kind in "biufO"
        checked = np.asarray(weights, dtype=np.float64) if readable else None
    except (OverflowError, TypeError, ValueError):
        checked = None
    if checked is None:
        raise DataError(
            f"Weights must be one number for each row, got {_shortened(repr(weights))}. "
            "If they are a column of the table: sample_weight=data['name']."
        )
    if checked.shape != (n_rows,):
        raise DataError(f"Need one weight for each of {n_rows} rows, got shape {checked.shape}.")
    wrong = int((~np.isfinite(checked) | (checked < 0)).sum())
    if wrong:
        raise DataError(f"Weights must be finite and not negative; {wrong} of them are not.")
    if not checked.any():
        raise DataError("All weights are zero. Give the rows that count a positive one.")
    if checked.sum() > MOST_WEIGHT:
        raise DataError(
            f"The weights add up to {checked.sum():.4g}, more than can be counted. "
            "Divide all of them by the same number."
        )
    return checked


def _shortened(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


def _read(series: nw.Series[Any]) -> Column:
    dtype = series.dtype
    if dtype.is_numeric():
        return _numbers(series.name, _as_floats(series))
    if isinstance(dtype, nw.Boolean) and not series.is_null().any():
        return _yes_or_no(series.name, series.to_numpy().astype(np.bool_))
    if isinstance(dtype, _LABELS):
        return _categories(series.name, _values(series), _declared_order(series))
    if isinstance(dtype, _PYTHON_VALUES):
        return _read_python_values(series)
    raise _unreadable(series.name, str(dtype))


def _as_floats(series: nw.Series[Any]) -> FloatVector:
    # NumPy has no type for these two; the others keep their nulls as NaN without a cast.
    if isinstance(series.dtype, nw.Decimal | nw.Int128 | nw.UInt128):
        series = series.cast(nw.Float64)
    return series.to_numpy().astype(np.float64)


def _numbers(name: str, values: FloatVector) -> Numbers:
    infinite = int(np.isinf(values).sum())
    if infinite:
        raise DataError(
            f"Column {name!r} holds {infinite} infinite "
            f"{'number' if infinite == 1 else 'numbers'}. "
            "Replace them by a finite number or by a missing value."
        )
    return Numbers(name, values)


def _read_python_values(series: nw.Series[Any]) -> Column:
    """Read a column of Python objects: numbers if all of them are, else labels."""
    values = _values(series)
    types = {type(value) for value in values if value is not None}
    if types and all(_sort(kind) == "number" for kind in types):
        floats = [np.nan if value is None else _as_float(value) for value in values]
        return _numbers(series.name, np.array(floats, dtype=np.float64))
    for kind in types:
        if _sort(kind) not in ("bool", "number", "str"):
            raise _unreadable(series.name, f"values of type {kind.__name__}")
    return _categories(series.name, values, None)


def _as_float(value: Any) -> float:  # noqa: ANN401
    try:
        return float(value)
    except OverflowError:
        return inf


def _values(series: nw.Series[Any]) -> list[Any]:
    """Return the values as Python objects, None where one is missing."""
    missing = series.is_null().to_list()
    return [
        None if gone or (isinstance(value, float) and isnan(value)) else value
        for value, gone in zip(series.to_list(), missing, strict=True)
    ]


def _yes_or_no(name: str, values: BoolVector) -> Categories:
    """Read truth values, none missing: the same column as `_categories` gives, without a loop."""
    levels = tuple(level for level in (False, True) if (values == level).any())
    return Categories(
        name, (values == levels[-1]).astype(np.intp) * (len(levels) - 1), levels, ordered=False
    )


def _declared_order(series: nw.Series[Any]) -> list[Any] | None:
    """Return the levels of an ordered categorical, in their order."""
    if isinstance(series.dtype, nw.Enum):
        return list(series.dtype.categories)
    native = series.to_native()
    if series.implementation.is_pyarrow() and getattr(native.type, "ordered", False):
        return list(native.unify_dictionaries().chunk(0).dictionary.to_pylist())
    return None


def _categories(name: str, values: list[Any], order: list[Any] | None) -> Categories:
    # 1 and True are equal and hash alike, so a label is a value with its type.
    pairs = list(zip(map(type, values), values, strict=True))
    labels = {pair: (_sort(pair[0]), pair[1]) for pair in set(pairs) if pair[1] is not None}
    # Of 1 and 1.0, which are one level, the whole number is kept, whatever the order of rows.
    by_type = sorted(labels, key=lambda pair: pair[0].__name__, reverse=True)
    present = dict.fromkeys(labels[pair] for pair in by_type)
    if order is None:
        try:
            levels = sorted(present)
        except TypeError:
            levels = sorted(present, key=repr)
    else:
        levels = [label for v in order if (label := (_sort(type(v)), v)) in present]
    position = {label: code for code, label in enumerate(levels)}
    code_of = {pair: position[label] for pair, label in labels.items()}
    codes = np.array([code_of.get(pair, -1) for pair in pairs], dtype=np.intp)
    return Categories(name, codes, tuple(v for _, v in levels), ordered=order is not None)


def _sort(kind: type) -> str:
    """Name what a value is, the same for Python's and NumPy's types."""
    if issubclass(kind, bool | np.bool_):
        return "bool"
    if issubclass(kind, Real | Decimal):
        return "number"
    return "str" if issubclass(kind, str) else kind.__name__


def _unreadable(name: str, what: str) -> DataError:
    return DataError(
        f"Column {name!r} holds {what}, neither numbers nor categories. "
        "Leave it out, or turn it into numbers (a date into a year or an age) or strings."
    )
