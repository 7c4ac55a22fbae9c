"""Encoded arrays back into rows of the caller's table, as the model was trained on them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fairpath.encoding import Encoding
from fairpath.errors import DataError
from fairpath.frames import as_frame, check_name
from fairpath.models.columns import Labels, Maker, amounts_like, labels_like
from fairpath.models.native import table_of
from fairpath.vocabulary import FloatMatrix, FloatVector

Encoded = Mapping[str, FloatVector]
"""Columns as the game has them: numbers, NaN where missing, and codes of categories."""


@dataclass(frozen=True, eq=False)
class Table:
    """Turns encoded columns into rows of a table; it is not changed by that.

    >>> import pandas as pd
    >>> from fairpath.frames import columns
    >>> people = pd.DataFrame({"sex": ["m", "f"], "age": [31, 45]})
    >>> encoding = Encoding.of([columns(people)], sensitive="sex")
    >>> table = Table.of(people, ("sex", "age"), encoding)
    >>> table.frame({"sex": np.array([0.0, 1.0]), "age": np.array([31.0, 31.0])}, ("sex", "age"))
      sex  age
    0   f   31
    1   m   31
    """

    makers: Mapping[str, Maker]
    library: nw.Implementation

    @classmethod
    def of(
        cls,
        data: object,
        names: Iterable[str],
        encoding: Encoding,
        others: Iterable[object] = (),
    ) -> "Table":
        """Learn how the named columns look in ``data``; levels it lacks may be in the others."""
        frame, more = as_frame(data), [as_frame(other) for other in others]
        makers: dict[str, Maker] = {}
        for name in names:
            check_name(name, frame.columns)
            if encoding.variables[name].is_category:
                makers[name] = labels_like(frame, name, encoding, more)
            else:
                makers[name] = amounts_like(frame[name])
        return cls(makers, frame.implementation)

    @property
    def labelled(self) -> tuple[str, ...]:
        """The columns that hold words."""
        return tuple(
            name
            for name, maker in self.makers.items()
            if isinstance(maker, Labels) and maker.plain.dtype == object
        )

    def frame(self, encoded: Encoded, names: Iterable[str]) -> Any:  # noqa: ANN401
        """Return a table of the caller's type."""
        native = {name: self.makers[name].native(encoded[name]) for name in names}
        return table_of(native, self.library)

    def array(self, encoded: Encoded, names: Iterable[str]) -> NDArray[Any]:
        """Return a float64 array, or one of objects if a column holds words."""
        return np.column_stack([self.makers[name].values(encoded[name]) for name in names])

    def matrix(self, encoded: Encoded, names: Iterable[str]) -> FloatMatrix:
        """Return a float64 array; refuse words."""
        names = tuple(names)
        words = [name for name in self.labelled if name in names]
        if words:
            raise DataError(
                f"This model takes numbers only, and column {words[0]!r} holds words. "
                "Pass a function that takes the table, turns words into the numbers that "
                "the model was trained on, and calls it."
            )
        return self.array(encoded, names)

    def as_pandas(self) -> "Table":
        """Return the same table for a library that reads pandas best; itself without pandas."""
        if self.library.is_pandas_like() or find_spec("pandas") is None:
            return self
        pandas = nw.Implementation.PANDAS.to_native_namespace()
        makers = {name: maker.as_pandas(pandas) for name, maker in self.makers.items()}
        return replace(self, makers=makers, library=nw.Implementation.PANDAS)
