"""One column back from its encoded numbers, in the type that the caller's table gives it."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fairpath.encoding import Encoding
from fairpath.errors import DataError
from fairpath.frames import Frame, column
from fairpath.models.native import Series, native_type, numbers_of, rows_of, series_of
from fairpath.vocabulary import FloatVector, IntVector

_EXACT_AS_FLOAT = (nw.Decimal, nw.Int128, nw.UInt128)
"""Numbers that are read as float64 and stay so."""


@dataclass(frozen=True, eq=False)
class Labels:
    """A category: its rows are gathered from a palette with one row per code."""

    palette: Series
    plain: NDArray[Any]  # float64 where all labels are numbers or truth values, else objects

    def native(self, codes: FloatVector) -> Any:  # noqa: ANN401
        """Return the column in the caller's library and type."""
        return rows_of(self.palette, codes)

    def values(self, codes: FloatVector) -> NDArray[Any]:
        """Return the column as an array."""
        return self.plain[codes.astype(np.intp)]

    def as_pandas(self, pandas: Any) -> "Labels":  # noqa: ANN401
        """Return the same labels for a pandas table."""
        is_category = isinstance(self.palette.dtype, nw.Categorical | nw.Enum)
        native = pandas.Series(self.palette.to_list(), dtype="category" if is_category else None)
        return Labels(nw.from_native(native, series_only=True), self.plain)


@dataclass(frozen=True, eq=False)
class Amounts:
    """A column of numbers.

    Attributes
    ----------
    library, kind
        Its library and native type; no type is float64.
    bounds
        The least and the greatest number it holds if it is of a whole-number type.
    nullable, nan_is_null
        Whether whole numbers can be missing, and whether missing is null rather than NaN.
    """

    library: nw.Implementation
    kind: Any = None
    bounds: tuple[int, int] | None = None
    nullable: bool = False
    nan_is_null: bool = True

    def native(self, values: FloatVector) -> Any:  # noqa: ANN401
        """Return the column in the caller's library, and in its type if that holds the values."""
        kind = self.kind if self._holds(values) else None
        return numbers_of(values, self.library, kind, nan_is_null=self.nan_is_null)

    def values(self, values: FloatVector) -> NDArray[Any]:
        """Return the column as an array."""
        return values

    def as_pandas(self, pandas: Any) -> "Amounts":  # noqa: ANN401, ARG002
        """Return the same numbers for a pandas table."""
        kind = None
        if self.bounds is not None:
            kind = np.dtype(np.int64 if self.bounds[0] < 0 else np.uint64)
        return Amounts(nw.Implementation.PANDAS, kind, self.bounds)

    def _holds(self, values: FloatVector) -> bool:
        if self.bounds is None:
            return True
        missing = np.isnan(values)
        if missing.any():
            if not self.nullable:
                return False
            values = values[~missing]
        low, high = self.bounds
        # A float one above the greatest integer is exact, the greatest integer itself may not be.
        return bool(((values == np.rint(values)) & (values >= low) & (values < high + 1)).all())


Maker: TypeAlias = Labels | Amounts
"""What turns encoded numbers back into a column."""


def amounts_like(series: Series) -> Amounts:
    """Learn the type of a column of numbers."""
    dtype, library, kind = series.dtype, series.implementation, native_type(series)
    if not dtype.is_numeric() or isinstance(dtype, _EXACT_AS_FLOAT):
        kind = None
    nullable = not isinstance(kind, np.dtype)
    if kind is not None and dtype.is_integer():
        info = np.iinfo(str(dtype).lower())
        return Amounts(library, kind, (int(info.min), int(info.max)), nullable)
    return Amounts(library, kind, nullable=nullable, nan_is_null=_nan_is_null(series))


def labels_like(
    frame: Frame, name: str, encoding: Encoding, others: Sequence[Frame] = ()
) -> Labels:
    """Find a row for every code, in ``frame`` if it has one."""
    levels = encoding.levels[name]
    n_codes = encoding.variables[name].n_levels or len(levels)
    rows, codes = _first_rows(frame, name, encoding)
    palette = mine = frame[name][rows]
    if len(rows) < n_codes:
        values = [*levels, None][:n_codes]
        for code, value, missing in zip(codes, mine.to_list(), mine.is_null(), strict=True):
            # An object column keeps its own missing value: None and NaN are not the same to all.
            values[code] = value if not missing or isinstance(mine.dtype, nw.Object) else None
        like = [frame[name], *(o[name] for o in others if name in o.columns)]
        palette = _built(
            name, values, [s for s in like if s.implementation is like[0].implementation]
        )
    return Labels(palette, _plain(palette, levels))


def _first_rows(frame: Frame, name: str, encoding: Encoding) -> tuple[IntVector, IntVector]:
    """Return where each code that occurs does so first, and these codes in order."""
    series = frame[name]
    rows = np.arange(len(frame))
    # Among Python objects 1 and True are no different; elsewhere this saves reading all rows.
    if not isinstance(series.dtype, nw.Object | nw.Unknown):
        rows = np.flatnonzero(series.is_first_distinct().to_numpy())
    read = column(frame[rows].select(name), name)
    codes, first = np.unique(encoding.encode({name: read})[name], return_index=True)
    return rows[first], codes.astype(np.intp)


def _built(name: str, values: list[Any], like: list[Series]) -> Series:
    """Build a palette in the first type that holds all its labels."""
    for series in like:
        try:
            palette = series_of(values, series)
        except Exception:  # noqa: BLE001, S112 - each library has its own errors
            continue
        missing = palette.is_null().to_list()
        same = zip(values, palette.to_list(), missing, strict=True)
        # pandas casts what a type cannot hold to missing, or to a string, without a word.
        if all(gone if _is_missing(v) else not gone and v == got for v, got, gone in same):
            return palette
    raise DataError(
        f"Column {name!r} is of type {native_type(like[0])} in the data, which does not hold all "
        f"its levels: {', '.join('missing' if _is_missing(v) else repr(v) for v in values[:20])}. "
        "Give it one type with all of them, in every table."
    )


def _plain(palette: Series, levels: tuple[Any, ...]) -> NDArray[Any]:
    values = palette.to_list()
    if not all(isinstance(level, Number | np.bool_) for level in levels):
        plain = np.empty(len(values), dtype=object)
        plain[:] = values
        return plain
    gone = palette.is_null().to_list()
    return np.array(
        [np.nan if no else float(v) for v, no in zip(values, gone, strict=True)], dtype=np.float64
    )


def _is_missing(value: object) -> bool:
    return value is None or value != value or type(value).__name__ == "NAType"  # noqa: PLR0124


def _nan_is_null(series: Series) -> bool:
    """Whether a missing number is null: also where none is missing, but not where NaN stands."""
    if series.implementation.is_pandas_like() or series.null_count() or not series.dtype.is_float():
        return True
    return not series.is_nan().any()
