"""``fairpath mitigate``: which paths to remove, and what that does to accuracy and disparity."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from fairpath.cli.printing import STDOUT, rows_of, write_json
from fairpath.cli.subject import (
    Data,
    Discover,
    Example,
    GraphFile,
    Inputs,
    Jobs,
    ModelFile,
    Outcome,
    Quiet,
    Seed,
    Sensitive,
    Train,
    TrustPickle,
    roles_of,
    subject_of,
)
from fairpath.explain import explain
from fairpath.models import Output
from fairpath.report import write_report
from fairpath.selection import select_paths


def mitigate(
    data: Data = None,
    example: Example = None,
    model: ModelFile = None,
    train: Train = None,
    graph: GraphFile = None,
    *,
    find_graph: Discover = False,
    sensitive: Sensitive = None,
    outcome: Outcome = None,
    inputs: Inputs = None,
    output: Annotated[Output, typer.Option(help="What of the model's answer.")] = "decision",
    method: Annotated[
        Literal["greedy", "exact"], typer.Option(help="The paper's algorithm, or the best set.")
    ] = "greedy",
    keep: Annotated[list[str] | None, typer.Option(help="A path that stays, as printed.")] = None,
    drop: Annotated[list[str] | None, typer.Option(help="A path that goes, as printed.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write a report, an HTML file.")] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help='Write the numbers; "-" prints them.')
    ] = None,
    trust_pickle: TrustPickle = False,
    seed: Seed = 0,
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> None:
    """Choose paths to remove for every weight of fairness, and measure what is left.

    fairpath mitigate --example compas --train mlp
    """
    quiet = quiet or str(json_file) == STDOUT
    roles = roles_of(data, example, graph, sensitive, outcome, inputs)
    subject = subject_of(
        roles,
        model,
        train,
        find_graph=find_graph,
        trust_pickle=trust_pickle,
        seed=seed,
        quiet=quiet,
    )
    progress = False if quiet else None
    found = explain(
        subject.model,
        subject.rows,
        graph=subject.graph,
        sensitive=subject.sensitive,
        outcome=subject.outcome,
        inputs=subject.inputs,
        output=output,
        intervals="refit" if report is not None else None,
        seed=seed,
        n_jobs=jobs,
        progress=progress,
    )
    frontier = select_paths(
        found, method=method, keep=keep or (), drop=drop or (), progress=progress
    )
    if not quiet:
        typer.echo(repr(frontier))
        for note in subject.notes:
            typer.echo(f"note: {note}", err=True)
    if json_file is not None:
        write_json({"frontier": rows_of(frontier.table())}, json_file)
    if report is not None:
        write_report(found, report, frontier=frontier)
