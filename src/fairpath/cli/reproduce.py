"""``fairpath reproduce``: the tables and figures of the paper."""

from pathlib import Path
from typing import Annotated

import typer

from fairpath.errors import DataError
from fairpath.experiments import NAMES, experiment
from fairpath.experiments.page import page
from fairpath.experiments.reproduce import default_folder
from fairpath.experiments.reproduce import reproduce as run

ALL, PAGE = "all", "page"


def reproduce(
    name: Annotated[
        str, typer.Argument(help=f"One of {', '.join(NAMES)}; or {ALL}; or {PAGE}.")
    ] = ALL,
    *,
    quick: Annotated[bool, typer.Option(help="Few rows, one repeat.")] = False,
    folder: Annotated[
        Path | None, typer.Option(help="Where results are written, or read from.")
    ] = None,
) -> None:
    """Reproduce a table or figure of the paper, or all of them.

    Writes the numbers (JSON, CSV) and the picture (SVG, PNG), and prints how they compare. "page"
    makes the page that shows all results, docs/reproduction.md, from those in the folder.
    """
    where = folder or default_folder(quick=quick)
    if name == PAGE:
        typer.echo(page(where, NAMES), nl=False)
        return
    if name not in {ALL, *NAMES}:
        raise DataError(f"No experiment is called {name!r}. There are: {', '.join(NAMES)}, {ALL}.")
    for one in NAMES if name == ALL else (name,):
        typer.echo(run(experiment(one), where, quick=quick))
