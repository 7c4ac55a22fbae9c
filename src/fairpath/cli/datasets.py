"""``fairpath datasets``: what data come with the package."""

import json
from collections.abc import Callable
from typing import Annotated, Any

import narwhals as nw
import typer

from fairpath.datasets import Dataset, load_adult, load_compas, load_nutrition, make_synthetic
from fairpath.errors import DataError

LOADERS: dict[str, Callable[[], Dataset]] = {
    "adult": load_adult,
    "compas": load_compas,
    "nutrition": load_nutrition,
    "synthetic": make_synthetic,
}


def datasets(
    name: Annotated[str | None, typer.Argument(help=f"One of {', '.join(LOADERS)}.")] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the data sets, or say what is in one: roles, origin, licence, known biases."""
    if name is None:
        listed = {one: (loader.__doc__ or "").split("\n")[0] for one, loader in LOADERS.items()}
        lines = "\n".join(f"{one:<10} {about}" for one, about in listed.items())
        typer.echo(json.dumps(listed, indent=1) if as_json else lines)
        return
    about = _about(loaded(name))
    if as_json:
        typer.echo(json.dumps(about, indent=1, ensure_ascii=False))
        return
    typer.echo(
        f"{name}: {about['rows']} rows; sensitive {about['sensitive']}, outcome "
        f"{about['outcome']}, inputs {', '.join(about['inputs'])}\n{about['description']}"
    )


def loaded(name: str) -> Dataset:
    """Load a data set by its name."""
    if name not in LOADERS:
        raise DataError(f"No data set is called {name!r}. There are: {', '.join(LOADERS)}.")
    return LOADERS[name]()


def _about(data: Dataset) -> dict[str, Any]:
    return {
        "rows": len(nw.from_native(data.data, eager_only=True)),
        "sensitive": data.sensitive,
        "outcome": data.outcome,
        "inputs": list(data.inputs),
        "description": data.description,
    }
