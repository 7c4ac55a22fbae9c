"""``fairpath explain``: through which paths a model treats people differently."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from fairpath.cli.printing import STDOUT, as_json, show, write_json
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
    level_of,
    roles_of,
    subject_of,
)
from fairpath.disparity import Named
from fairpath.doubt import confounding, overlap, ranges
from fairpath.explain import explain as run
from fairpath.explanation import Explanation
from fairpath.models import Output
from fairpath.report import write_report


def explain(
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
    reference: Annotated[str | None, typer.Option(help="The level to compare with.")] = None,
    disparity: Annotated[Named, typer.Option(help="Which disparity.")] = "demographic_parity",
    conditioning: Annotated[
        Literal["paper", "after"], typer.Option(help="How a disparity looks at the outcome.")
    ] = "paper",
    output: Annotated[Output, typer.Option(help="What of the model's answer.")] = "probability",
    favourable: Annotated[str | None, typer.Option(help="The favourable outcome.")] = None,
    threshold: Annotated[float, typer.Option(help="Of decisions.")] = 0.5,
    links: Annotated[
        Literal["auto", "forest", "linear"], typer.Option(help="How features follow from causes.")
    ] = "auto",
    intervals: Annotated[bool, typer.Option(help="Whether numbers have intervals.")] = True,
    resolve: Annotated[
        bool, typer.Option("--resolve", help="Let the data decide open triples of the graph.")
    ] = False,
    report: Annotated[Path | None, typer.Option(help="Write a report, an HTML file.")] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help='Write the numbers; "-" prints them.')
    ] = None,
    save: Annotated[Path | None, typer.Option(help="Write the explanation for later.")] = None,
    trust_pickle: TrustPickle = False,
    seed: Seed = 0,
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> None:
    """Split a disparity of a model's predictions into what each causal path carries.

    fairpath explain --example adult --train mlp --report adult.html

    fairpath explain people.csv --model model.skops --graph graph.txt --sensitive sex
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
    asked: dict[str, Any] = {
        "graph": subject.graph,
        "sensitive": subject.sensitive,
        "outcome": subject.outcome,
        "inputs": subject.inputs,
        "reference": level_of(subject.rows, subject.sensitive, reference),
        "disparity": disparity,
        "conditioning": conditioning,
        "output": output,
        "threshold": threshold,
        "links": links,
        "intervals": "refit" if intervals else None,
        "resolve": resolve,
        "seed": seed,
        "n_jobs": jobs,
        "progress": False if quiet else None,
    }
    if subject.outcome is not None:
        asked["favourable"] = level_of(subject.rows, subject.outcome, favourable)
    found = run(subject.model, subject.rows, **asked)
    written(found, subject.notes, report=report, json_file=json_file, save=save, quiet=quiet)


def written(
    found: Explanation,
    notes: tuple[str, ...],
    *,
    report: Path | None,
    json_file: Path | None,
    save: Path | None,
    quiet: bool,
) -> None:
    """Print an explanation and write the files that were asked for."""
    if not quiet:
        show(found)
        for note in notes:
            typer.echo(f"note: {note}", err=True)
    if json_file is not None:
        write_json(as_json(found, preparation=list(notes)), json_file)
    if save is not None:
        found.save(save)
    if report is not None:
        quietly = False if quiet else None
        checks = [ranges(found, progress=quietly), confounding(found), overlap(found)]
        write_report(found, report, checks=checks)
