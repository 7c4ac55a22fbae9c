"""The page docs/reproduction.md, made from the results: ours beside the paper's, cell by cell."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fairpath.errors import DataError
from fairpath.experiments.experiment import Row

INTRODUCTION = """# The paper, reproduced

Made by `fairpath reproduce page` from the results in `experiments/`; every number there comes from
`fairpath reproduce all`. Means over repeats, ± their standard deviation; *paper* is what Pan et al.
(KDD 2021) print. Unless said otherwise, rows are divided 70 to 30 at random, five times; models are
tuned by three-fold cross-validation; networks have one layer of 32 (simulations), 16 (Adult), 8
(COMPAS) and 16 (Nutrition) units; links are `auto`, learned from the rows that are explained.
"""

HEADINGS = {
    "mean": "ours",
    "utility": "utility",
    "paper": "paper",
    "paper_utility": "paper, utility",
    "form": "design",
    "outcome": "data",
}
HIDDEN = ("sd", "utility_sd", "paper_sd", "repeats", "seed")
SPREAD = " sd"
"""Names of spreads that stand behind their mean."""

MOST = 12
"""Lines of a table of paths: the paper's, and the largest others."""


def page(folder: Path, names: Sequence[str], pictures: str = "../experiments") -> str:
    """Return the page for these experiments, of which the results are in a folder."""
    parts = [INTRODUCTION]
    for name in names:
        file = folder / f"{name}.json"
        if not file.exists():
            raise DataError(f"There are no results of {name} in {folder}: fairpath reproduce all.")
        result = json.loads(file.read_text(encoding="utf-8"))
        parts.append("\n".join(_section(result, pictures)))
    return "\n".join(parts)


def _section(result: dict[str, Any], pictures: str) -> Iterator[str]:
    yield f"## {result['source']}: {result['title'].lower()}\n"
    yield f"**{_sentence(result['verdict'])}** {result['differs']}\n"
    yield f"![{result['title']}]({pictures}/{result['name']}.svg)\n"
    yield from _table(_shown(result["summary"]))
    yield ""


def _shown(rows: Sequence[Row]) -> list[Row]:
    """Leave out small paths that the paper does not print."""
    shown, seen = [], dict.fromkeys({row.get("data") for row in rows}, 0)
    for row in rows:
        seen[row.get("data")] += 1
        if row.get("paper") is not None or seen[row.get("data")] <= MOST:
            shown.append(row)
    return shown


def _table(rows: Sequence[Row]) -> Iterator[str]:
    columns = [
        name
        for name in rows[0]
        if name not in HIDDEN
        and not name.endswith(SPREAD)
        and any(row[name] is not None for row in rows)
    ]
    yield "| " + " | ".join(HEADINGS.get(name, name) for name in columns) + " |"
    yield "|" + "---|" * len(columns)
    for row in rows:
        yield "| " + " | ".join(_cell(row, name) for name in columns) + " |"


def _cell(row: Row, name: str) -> str:
    value = row[name]
    if value is None:
        return ""
    if not isinstance(value, float):
        return str(value)
    digits = 4 if "path" in row else 3
    behind = {"mean": "sd", "utility": "utility_sd", "paper": "paper_sd"}
    spread = row.get(behind.get(name, name + SPREAD))
    if name in {"paper", "paper_utility"}:
        return f"{value:g}" + (f" ± {spread:g}" if spread is not None else "")
    return f"{value:.{digits}f}" + (f" ± {spread:.{digits}f}" if spread is not None else "")


def _sentence(verdict: str) -> str:
    return verdict[0].upper() + verdict[1:] + "."
