"""The few calls that pandas, polars and pyarrow do not share.

Everything here returns the library's own objects, so that a model meets what it was trained on.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from fairpath.vocabulary import FloatVector

Series = nw.Series[Any]
"""A column of the caller's table."""


def native_type(series: Series) -> Any:  # noqa: ANN401
    """Return the library's own type of a column, which says more than narwhals' one."""
    native = series.to_native()
    return native.type if series.implementation.is_pyarrow() else native.dtype


def series_of(values: Sequence[Any], like: Series) -> Series:
    """Build a column of Python values with the type of another column."""
    library, kind = like.implementation, native_type(like)
    namespace = library.to_native_namespace()
    if library.is_pyarrow():
        native = namespace.chunked_array([namespace.array(values, type=kind)])
    elif library.is_polars():
        native = namespace.Series(values, dtype=kind, strict=True)
    else:
        native = namespace.Series(values, dtype=kind)
    return nw.from_native(native, series_only=True)


def numbers_of(
    values: FloatVector,
    library: nw.Implementation,
    kind: Any,  # noqa: ANN401
    *,
    nan_is_null: bool,
) -> Any:  # noqa: ANN401
    """Build a native column of numbers; ``kind`` is its native type, None for float64."""
    namespace = library.to_native_namespace()
    if library.is_pyarrow():
        array = namespace.array(values, from_pandas=nan_is_null)
        return array if kind is None else array.cast(kind)
    if library.is_polars():
        series = namespace.Series(values, nan_to_null=nan_is_null)
        return series if kind is None else series.cast(kind)
    if kind is None or isinstance(kind, np.dtype):
        return namespace.Series(values if kind is None else values.astype(kind))
    return namespace.Series(namespace.array(values, dtype=kind))


def rows_of(palette: Series, codes: FloatVector) -> Any:  # noqa: ANN401
    """Gather rows of a short column, in its own type."""
    native = palette[codes.astype(np.intp)].to_native()
    # Columns of one pandas table must share an index.
    return native.reset_index(drop=True) if palette.implementation.is_pandas_like() else native


def table_of(columns: Mapping[str, Any], library: nw.Implementation) -> Any:  # noqa: ANN401
    """Put native columns side by side."""
    namespace = library.to_native_namespace()
    return (namespace.table if library.is_pyarrow() else namespace.DataFrame)(dict(columns))
