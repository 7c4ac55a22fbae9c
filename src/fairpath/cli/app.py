"""The commands, and what happens to errors: one line that says what to change."""

import sys
from collections.abc import Sequence

import typer

import fairpath
from fairpath.cli import datasets, discover, explain, graph, mitigate, reproduce
from fairpath.errors import FairpathError

app = typer.Typer(
    name="fairpath",
    help="Through which causal paths does a model treat groups of people differently?",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    explain.explain,
    graph.graph,
    discover.discover,
    mitigate.mitigate,
    reproduce.reproduce,
    datasets.datasets,
):
    app.command()(command)

DEBUG = "--debug"
"""Anywhere on the command line: show where an error comes from."""


@app.callback(invoke_without_command=True)
def _about(
    *,
    version: bool = typer.Option(False, "--version", help="Print the version."),  # noqa: FBT003
) -> None:
    if version:
        typer.echo(fairpath.__version__)
        raise typer.Exit


def run(arguments: Sequence[str] | None = None) -> None:
    """Run a command line; leave with 0, 1 (an error of the user) or 2 (no such command)."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = DEBUG in given
    given = [argument for argument in given if argument != DEBUG]
    try:
        app(given, prog_name="fairpath")
    except FairpathError as error:
        if debug:
            raise
        typer.echo(f"error: {' '.join(str(error).split())}", err=True)
        sys.exit(1)
