"""Where a classifier finds inputs and the sensitive attribute in what it is given."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from fairpath.errors import DataError
from fairpath.frames import Frame, Numbers, as_frame, backend_of, column
from fairpath.graph import CausalGraph
from fairpath.strata import Strata

MOST_LEVELS = 10
"""A sensitive column of numbers with more distinct values is cut at its median."""


@dataclass(frozen=True)
class Layout:
    """The columns of X and their roles.

    Attributes
    ----------
    names
        The columns of X: X0, X1, … for an array.
    is_table
        Whether X is a table, rather than an array.
    sensitive
        The sensitive attribute.
    in_x
        Whether it is a column of X; else it comes as ``sensitive_features``.
    inputs
        The columns that the estimator reads, in their order.
    outcome
        The name that the outcome has in tables.
    strata
        How strata are made of the sensitive attribute; None if it is one already.
    """

    names: tuple[str, ...]
    is_table: bool
    sensitive: str
    in_x: bool
    inputs: tuple[str, ...]
    outcome: str
    strata: Strata | None = None

    @property
    def attribute(self) -> str:
        """The column whose levels are the strata."""
        return self.sensitive if self.strata is None else self.strata.name

    def read_by_model(self, x: Any) -> Any:  # noqa: ANN401 - any library's
        """Return the columns that the estimator reads, as they came."""
        if self.inputs == self.names:
            return x
        if self.is_table:
            return as_frame(x).select(self.inputs).to_native()
        return x[:, [self.names.index(name) for name in self.inputs]]

    def frame(self, x: Any, sensitive: object = None) -> Frame:  # noqa: ANN401
        """Return a table with the sensitive attribute and the strata."""
        frame = self._plain(x)
        if not self.in_x:
            frame = with_column(frame, self.sensitive, listed(sensitive, len(frame)))
        return frame if self.strata is None else self.strata.added_to(frame)

    def blind(self, x: Any, level: object) -> Frame:  # noqa: ANN401
        """Return a table in which everybody has the same level."""
        frame = self._plain(x)
        return with_column(frame, self.attribute, np.array([level] * len(frame)))

    def graph_of(self, graph: CausalGraph | None) -> CausalGraph:
        """Return the graph; by default the attribute points at every other column."""
        if graph is None:
            others = [name for name in self.names if name != self.sensitive]
            edges = tuple((self.sensitive, name) for name in others)
            graph = CausalGraph(directed=edges, nodes=(*others, self.sensitive))
        if self.strata is None:
            return graph
        placed = self.strata.put_into(graph, self.inputs)
        assert placed is not None  # noqa: S101 - there is a graph
        return placed

    def _plain(self, x: Any) -> Frame:  # noqa: ANN401
        if self.is_table:
            return as_frame(x)
        columns = dict(zip(self.names, np.asarray(x).T, strict=True))
        return as_frame(nw.from_dict(columns, backend="pyarrow").to_native())


def is_table(given: object) -> bool:
    """Whether this is a table with names, rather than an array."""
    read: Any = nw.from_native(given, pass_through=True)
    return isinstance(read, nw.DataFrame) and all(isinstance(name, str) for name in read.columns)


def layout_of(
    x: Any,  # noqa: ANN401
    names: tuple[str, ...],
    *,
    is_table: bool,
    sensitive: str | None,
    features: object,
    reads_sensitive: bool,
    outcome: str | None,
    bands: Iterable[float] | None,
) -> Layout:
    """Find the sensitive attribute: by name, as the last column, or in ``sensitive_features``."""
    if sensitive is None:
        sensitive = names[-1] if features is None else free("sensitive", names)
    in_x = sensitive in names
    if in_x and features is not None:
        raise DataError(
            f"The sensitive attribute {sensitive!r} is a column of X and sensitive_features= is "
            "given too. Drop the column, or leave sensitive_features out."
        )
    if not in_x and features is None:
        raise DataError(
            f"X has no column {sensitive!r}. Add it, or pass it: sensitive_features=…. "
            f"The columns are: {', '.join(names)}."
        )
    if reads_sensitive and not in_x:
        raise DataError(
            f"model_reads_sensitive=True needs {sensitive!r} as a column of X. Add it, or leave "
            "model_reads_sensitive out."
        )
    inputs = names if reads_sensitive else tuple(name for name in names if name != sensitive)
    if not inputs:
        raise DataError(
            f"Found X with 1 feature(s), the sensitive attribute {sensitive!r}, while a minimum "
            "of 2 is required: nothing is left to predict from."
        )
    target = free("outcome", (*names, sensitive)) if outcome is None else outcome
    if target in (*names, sensitive):
        raise DataError(f"outcome={target!r} is a column of X. Give y another name.")
    layout = Layout(names, is_table, sensitive, in_x, inputs, target)
    cuts = _cuts(layout.frame(x, features), sensitive, bands)
    if cuts is None:
        return layout
    return Layout(names, is_table, sensitive, in_x, inputs, target, Strata((sensitive,), cuts))


def with_column(frame: Frame, name: str, values: Any) -> Frame:  # noqa: ANN401
    """Add a column, or replace it."""
    backend: Any = backend_of(frame)
    return frame.with_columns(nw.new_series(name, values, backend=backend))


def listed(given: object, n_rows: int) -> Any:  # noqa: ANN401
    """Return the values of ``sensitive_features``: a series, an array, a list, or one column."""
    read: Any = nw.from_native(given, allow_series=True, pass_through=True)
    if isinstance(read, nw.DataFrame) and len(read.columns) == 1:
        read = read[read.columns[0]]
    values = read.to_list() if isinstance(read, nw.Series) else np.asarray(given)
    if isinstance(values, np.ndarray):
        if values.ndim == 2 and values.shape[1] == 1:  # noqa: PLR2004
            values = values[:, 0]
        shape: tuple[int, ...] = values.shape
        values = values.tolist() if values.dtype == object else values
    else:
        shape = (len(values),)
    if shape != (n_rows,):
        raise DataError(
            f"sensitive_features must be one value for each of the {n_rows} rows of X, got shape "
            f"{shape}. Cross several attributes into one column first."
        )
    return values


def free(name: str, taken: Iterable[str]) -> str:
    """Add strokes to a name until it is new."""
    taken = set(taken)
    while name in taken:
        name += "_"
    return name


def _cuts(frame: Frame, name: str, bands: Iterable[float] | None) -> tuple[float, ...] | None:
    """Return where a sensitive number is cut: as asked, or at the median if it has many values."""
    if bands is not None:
        return tuple(float(cut) for cut in bands)
    read = column(frame, name)
    if not isinstance(read, Numbers):
        return None
    known = np.unique(read.values[~read.missing])
    if len(known) <= MOST_LEVELS:
        return None
    # Bands hold their lower end, so the least value cannot be where they are cut.
    return (max(float(np.median(read.values[~read.missing])), float(known[1])),)
