"""``fairpath graph``: what a graph file says, in another format, against data."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from fairpath.cli.files import read_table
from fairpath.cli.printing import rows_of, write_json
from fairpath.discovery import falsify
from fairpath.errors import DataError
from fairpath.graph import (
    CausalGraph,
    read_graph,
    to_dagitty,
    to_dot,
    to_edge_list,
    to_edge_table,
    to_gml,
    to_tetrad,
)
from fairpath.paths import arrange

Format: TypeAlias = Literal["edge-list", "csv", "dot", "gml", "dagitty", "tetrad"]

WRITERS: dict[str, Callable[[CausalGraph], str]] = {
    "edge-list": to_edge_list,
    "csv": to_edge_table,
    "dot": to_dot,
    "gml": to_gml,
    "dagitty": to_dagitty,
    "tetrad": to_tetrad,
}


def graph(
    file: Annotated[Path, typer.Argument(help="Edge list, CSV, DOT, GML, DAGitty or Tetrad.")],
    *,
    sensitive: Annotated[str | None, typer.Option(help="Show the paths from this node.")] = None,
    inputs: Annotated[
        str | None, typer.Option(help="What the model reads: nodes, separated by commas.")
    ] = None,
    given: Annotated[str | None, typer.Option(help="Relative to this outcome.")] = None,
    to: Annotated[Format | None, typer.Option(help="Print the graph in this format.")] = None,
    data: Annotated[
        Path | None, typer.Option(help="A table: which independences does it reject?")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help='Write paths or tests; "-" prints them.')
    ] = None,
    seed: Annotated[int, typer.Option(help="Where all random numbers come from.")] = 0,
) -> None:
    """Read a causal graph: its paths, another format, or what data say against it."""
    drawn = read_graph(file)
    if to is not None:
        typer.echo(WRITERS[to](drawn), nl=False)
        return
    if data is not None:
        checked = falsify(drawn, read_table(data), seed=seed)
        if json_file is not None:
            write_json({"verdict": checked.verdict, "table": rows_of(checked.table())}, json_file)
        else:
            typer.echo(repr(checked))
        return
    if sensitive is None:
        if json_file is not None:
            raise DataError("--json goes with --sensitive or --data.")
        typer.echo(repr(drawn))
        return
    reads = tuple(part.strip() for part in inputs.split(",")) if inputs else None
    if reads is None:
        reads = tuple(node for node in drawn.nodes if node not in {sensitive, given})
    found = arrange(drawn, sensitive=sensitive, inputs=reads, given=(given,) if given else ())
    if json_file is not None:
        write_json({"paths": [str(path) for path in found.players]}, json_file)
    else:
        typer.echo(str(found))
