"""A table with what goes with it: its graph, the roles of its columns, where it is from."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias

import narwhals as nw

from fairpath.datasets.examples import ExampleGraph
from fairpath.errors import DataError
from fairpath.graph.causal_graph import CausalGraph
from fairpath.options import check_choice

Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table with its causal graph and the roles of its columns.

    Attributes
    ----------
    data
        A table of the library that was asked for.
    graph, sensitive, outcome, inputs
        As `explain` takes them; a model for the outcome reads ``inputs``.
    description
        Origin, licence, how it was prepared, known biases.
    """

    name: str
    data: Any
    graph: CausalGraph
    sensitive: str
    outcome: str
    inputs: tuple[str, ...]
    description: str

    def __repr__(self) -> str:
        rows, columns = nw.from_native(self.data, eager_only=True).shape
        return (
            f"<Dataset {self.name}: {rows} rows, {columns} columns; sensitive {self.sensitive!r}, "
            f"outcome {self.outcome!r}>\n{self.description}"
        )


def dataset_of(
    name: str,
    table: nw.DataFrame[Any],
    example: ExampleGraph,
    description: str,
    prepared: Callable[[nw.DataFrame[Any]], nw.DataFrame[Any]],
    *,
    raw: bool,
    backend: Backend | None,
) -> Dataset:
    """Prepare a table, unless it shall stay ``raw``, and add the roles of its columns."""
    data = in_library(table if raw else prepared(table), backend)
    return Dataset(
        name, data, example.graph, example.sensitive, example.outcome, example.inputs, description
    )


def in_library(table: nw.DataFrame[Any], backend: Backend | None) -> Any:  # noqa: ANN401
    """Return a table of the library that was asked for."""
    library = usual_backend(backend)
    if library == "pandas":
        return table.to_pandas()
    return table.to_polars() if library == "polars" else table.to_arrow()


def usual_backend(backend: Backend | None) -> Backend:
    """Return the library that was asked for, which must be there; pandas if it is installed."""
    if backend is None:
        backend = "pandas" if find_spec("pandas") else "pyarrow"
    check_choice("backend", backend, ("pandas", "polars", "pyarrow"))
    if find_spec(backend) is None:
        raise DataError(f"backend={backend!r} is not installed: pip install {backend}.")
    return backend
