"""``fairpath discover``: a causal graph from data."""

from pathlib import Path
from typing import Annotated

import typer

from fairpath.cli.files import read_table
from fairpath.cli.printing import rows_of, write_json
from fairpath.cli.subject import Data, Example, Jobs, Outcome, Quiet, Seed, Sensitive, roles_of
from fairpath.discovery import discover as run
from fairpath.errors import DataError
from fairpath.graph import to_edge_list
from fairpath.vocabulary import Edge


def discover(
    data: Data = None,
    example: Example = None,
    *,
    sensitive: Sensitive = None,
    outcome: Outcome = None,
    columns: Annotated[str | None, typer.Option(help="Which columns: a,b,c")] = None,
    tiers: Annotated[
        str | None, typer.Option(help="What comes before what: sex,age;job,hours")
    ] = None,
    required: Annotated[str | None, typer.Option(help="Edges that are there: a->b,c->d")] = None,
    forbidden: Annotated[str | None, typer.Option(help="Directions that are not: a->b")] = None,
    alpha: Annotated[float, typer.Option(help="Level of the tests.")] = 0.01,
    bootstrap: Annotated[
        int, typer.Option(help="In how many random halves of the rows to search again.")
    ] = 0,
    graph: Annotated[
        Path | None, typer.Option("--write", help="Write the graph as an edge list.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help='Write the edges; "-" prints them.')
    ] = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> None:
    """Learn a causal graph by the PC algorithm, with what is known beforehand."""
    if example is not None:
        roles = roles_of(None, example, None, sensitive, outcome, None)
        table, sensitive, outcome = roles.table, roles.sensitive, roles.outcome
    elif data is not None:
        table = read_table(data)
    else:
        raise DataError("Name a table, or an example with --example.")
    found = run(
        table,
        columns=_names(columns) if columns else None,
        sensitive=sensitive,
        outcome=outcome,
        tiers=[_names(tier) for tier in tiers.split(";")] if tiers else None,
        required=_edges(required),
        forbidden=_edges(forbidden),
        alpha=alpha,
        bootstrap=bootstrap,
        seed=seed,
        n_jobs=jobs,
        progress=False if quiet else None,
    )
    if graph is not None:
        graph.write_text(to_edge_list(found.graph), encoding="utf-8")
    if json_file is not None:
        conflicts = [str(conflict) for conflict in found.conflicts]
        write_json({"edges": rows_of(found.table()), "conflicts": conflicts}, json_file)
    elif not quiet:
        typer.echo(repr(found))


def _names(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


def _edges(text: str | None) -> list[Edge]:
    edges = []
    for part in _names(text) if text else ():
        cause, arrow, effect = part.partition("->")
        if not (arrow and cause.strip() and effect.strip()):
            raise DataError(f"{part!r} is no edge: write it as cause->effect.")
        edges.append((cause.strip(), effect.strip()))
    return edges
