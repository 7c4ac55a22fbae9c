"""What the commands are about: rows, model, graph and roles, from files or from an example."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from fairpath.cli.datasets import LOADERS, loaded
from fairpath.cli.files import read_model, read_table
from fairpath.discovery import discover
from fairpath.errors import DataError
from fairpath.frames import as_frame, check_name
from fairpath.graph import CausalGraph, read_graph
from fairpath.models import inputs_of
from fairpath.training import Kind, trained

if TYPE_CHECKING:
    import narwhals as nw

    from fairpath.datasets import Dataset

TEST_SHARE = 0.3

Data: TypeAlias = Annotated[
    Path | None, typer.Argument(help="A table: CSV, TSV, Parquet, Arrow or Feather.")
]
Example: TypeAlias = Annotated[
    str | None, typer.Option(help=f"An example instead of a table: {', '.join(LOADERS)}.")
]
ModelFile: TypeAlias = Annotated[
    Path | None,
    typer.Option("--model", help="A trained model: skops, ONNX, XGBoost, LightGBM, CatBoost."),
]
Train: TypeAlias = Annotated[
    Kind | None, typer.Option(help="Train a model on 70 % of the rows, explain it on the rest.")
]
GraphFile: TypeAlias = Annotated[
    Path | None, typer.Option("--graph", help="The causal graph: edge list, DOT, DAGitty, …")
]
Discover: TypeAlias = Annotated[
    bool, typer.Option("--discover", help="Learn the graph from the data.")
]
Sensitive: TypeAlias = Annotated[str | None, typer.Option(help="The sensitive column.")]
Outcome: TypeAlias = Annotated[str | None, typer.Option(help="The column that is predicted.")]
Inputs: TypeAlias = Annotated[
    str | None, typer.Option(help="What the model reads: columns, separated by commas.")
]
TrustPickle: TypeAlias = Annotated[
    bool, typer.Option("--trust-pickle", help="Read models that can run code while they are read.")
]
Seed: TypeAlias = Annotated[int, typer.Option(help="Where all random numbers come from.")]
Jobs: TypeAlias = Annotated[int | None, typer.Option(help="How many threads.")]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", help="Print no table and no progress.")]


@dataclass(frozen=True, eq=False)
class Subject:
    """A model and the rows on which it is explained.

    Attributes
    ----------
    train
        The rows that trained it; None where it came from a file.
    notes
        What was decided on the way.
    """

    model: Any
    rows: Any
    train: Any
    graph: CausalGraph
    sensitive: str
    outcome: str | None
    inputs: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Roles:
    """A table with what is known of it before there is a model."""

    table: Any
    graph: CausalGraph | None
    sensitive: str
    outcome: str | None
    inputs: tuple[str, ...] | None


def roles_of(  # noqa: PLR0917 - as on the command line
    data: Path | None,
    example: str | None,
    graph: Path | None,
    sensitive: str | None,
    outcome: str | None,
    inputs: str | None,
) -> Roles:
    """Put together what the command line and the example say; the command line counts."""
    if (data is None) == (example is None):
        raise DataError("Name a table, or an example with --example, and not both.")
    given: Dataset | None = loaded(example) if example else None
    table = given.data if given else read_table(data)  # type: ignore[arg-type]
    named = sensitive or (given.sensitive if given else None)
    if named is None:
        raise DataError("Name the sensitive column with --sensitive.")
    frame = as_frame(table)
    reads = tuple(part.strip() for part in inputs.split(",")) if inputs else None
    roles = Roles(
        table,
        read_graph(graph) if graph else None,
        named,
        outcome or (given.outcome if given else None),
        reads or (given.inputs if given else None),
    )
    for column in (roles.sensitive, *([roles.outcome] if roles.outcome else ())):
        check_name(column, frame.columns)
    if given and graph is None:
        roles = replace(roles, graph=given.graph)
    return roles


def subject_of(
    roles: Roles,
    model: Path | None,
    train: Kind | None,
    *,
    find_graph: bool,
    trust_pickle: bool,
    seed: int,
    quiet: bool,
) -> Subject:
    """Read or train the model, and find the graph if there is none."""
    if (model is None) == (train is None):
        raise DataError("Name a trained model with --model, or a kind with --train, and not both.")
    rows, rest, notes = roles.table, None, []
    if train is not None:
        if roles.outcome is None:
            raise DataError("To train a model, name what it predicts with --outcome.")
        reads = roles.inputs or _others(roles)
        rows, rest = _divided(roles.table, seed)
        fitted = trained(train, rest, inputs=reads, outcome=roles.outcome, seed=seed)
        notes.append(_accuracy(fitted, rows, reads, roles.outcome, train))
    else:
        fitted = read_model(model, trust_pickle=trust_pickle)  # type: ignore[arg-type]
        reads = roles.inputs or inputs_of(fitted) or _others(roles)
    graph = roles.graph
    if find_graph:
        columns = [roles.sensitive, *reads, *([roles.outcome] if roles.outcome else [])]
        found = discover(
            rows,
            columns=columns,
            sensitive=roles.sensitive,
            outcome=roles.outcome,
            seed=seed,
            progress=False if quiet else None,
        )
        graph = found.graph
        notes += [f"the graph was learned from the {len(as_frame(rows))} rows", *found.notes]
    if graph is None:
        raise DataError("Name the causal graph with --graph, or learn it with --discover.")
    return Subject(fitted, rows, rest, graph, roles.sensitive, roles.outcome, reads, tuple(notes))


def level_of(table: object, column: str, text: str | None) -> object:
    """Return the value of a column that is written so."""
    if text is None:
        return None
    values = as_frame(table)[column].drop_nulls().unique().to_list()
    for value in values:
        if str(value) == text:
            return value
    shown = ", ".join(sorted(map(str, values))[:10])
    raise DataError(f"{column!r} has no value {text}; it has: {shown}.")


def _others(roles: Roles) -> tuple[str, ...]:
    names = as_frame(roles.table).columns
    return tuple(name for name in names if name not in {roles.sensitive, roles.outcome})


def _divided(table: object, seed: int) -> tuple[Any, Any]:
    """Return the rows to explain and those to train with."""
    from sklearn.model_selection import train_test_split  # noqa: PLC0415 - slow to import

    frame: nw.DataFrame[Any] = as_frame(table)
    train, test = train_test_split(range(len(frame)), test_size=TEST_SHARE, random_state=seed)
    return frame[test].to_native(), frame[train].to_native()


def _accuracy(
    model: Any,  # noqa: ANN401
    rows: object,
    inputs: tuple[str, ...],
    outcome: str,
    kind: str,
) -> str:
    frame = as_frame(rows)
    found = (model.predict(frame.select(*inputs).to_native()) == frame[outcome].to_numpy()).mean()
    return f"trained {kind} on 70 % of the rows; accuracy {found:.3f} on the others, explained here"
