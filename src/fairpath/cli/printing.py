"""What commands print: a table with bars on a terminal, plain lines elsewhere, or JSON."""

import json
import math
from pathlib import Path
from typing import Any

import narwhals as nw
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fairpath.explanation import Explanation
from fairpath.uncertainty import Estimate

BAR = 24
MOST = 12
STDOUT = "-"


def show(explanation: Explanation) -> None:
    """Print an explanation."""
    console = Console()
    if not console.is_terminal:
        typer.echo(repr(explanation))
    else:
        # The headline of each comparison; the rows follow as tables.
        for compared, (head, rows) in enumerate(_comparisons(explanation)):
            console.print(Text(head, style="bold"))
            console.print(_table(rows))
            if compared == 0 and explanation.utility is not None:
                console.print(f"utility {explanation.utility}")
    for note in explanation.notes:
        typer.echo(f"note: {note}", err=True)


def _comparisons(explanation: Explanation) -> list[tuple[str, list[dict[str, Any]]]]:
    rows = rows_of(explanation.table())
    bearers = ("stratum", "outcome") if "outcome" in rows[0] else ("stratum",)
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in bearers), []).append(row)
    setting, reference = explanation.setting, explanation.levels[explanation.reference]
    found = []
    for key, inside in groups.items():
        among = f" among {setting.outcome} = {key[1]}" if len(key) > 1 else ""
        total = sum(row["contribution"] for row in inside)
        head = f"{explanation.viewpoint.name}{among}, {setting.output}: "
        head += f"{setting.sensitive} = {key[0]} minus {reference}: {total:+.4f}"
        found.append((head, inside))
    return found


def _table(rows: list[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("path", overflow="fold")
    for name in ("contribution", "95 % interval"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    paths = [row for row in rows if row["kind"] == "path"]
    shown = [*paths[:MOST], *(row for row in rows if row["kind"] != "path")]
    largest = max(abs(row["contribution"]) for row in shown) or 1.0
    for row in shown:
        value, ends = row["contribution"], (row["low"], row["high"])
        interval = "" if any(map(math.isnan, ends)) else f"{ends[0]:+.4f} to {ends[1]:+.4f}"
        bar = "█" * round(BAR * abs(value) / largest)
        colour = "rgb(255,0,81)" if value > 0 else "rgb(0,139,251)"
        table.add_row(Text(row["path"]), f"{value:+.4f}", interval, Text(bar, style=colour))
    if len(paths) > MOST:
        table.add_row(f"… and {len(paths) - MOST} smaller paths", "", "", "")
    return table


def as_json(explanation: Explanation, **more: object) -> dict[str, Any]:
    """Return the numbers of an explanation."""
    setting = explanation.setting
    return {
        "disparity": explanation.disparity,
        "remainder": explanation.remainder,
        "utility": explanation.utility,
        "table": rows_of(explanation.table()),
        "sensitive": setting.sensitive,
        "outcome": setting.outcome,
        "levels": explanation.levels,
        "reference": explanation.levels[explanation.reference],
        "disparity_name": explanation.viewpoint.name,
        "output": setting.output,
        "conditioning": setting.conditioning,
        "seed": setting.seed,
        "notes": list(explanation.notes),
        **more,
    }


def rows_of(table: object) -> list[dict[str, Any]]:
    """Return the rows of a table of any library."""
    frame: nw.DataFrame[Any] = nw.from_native(table, eager_only=True)
    return list(frame.iter_rows(named=True))


def write_json(value: object, file: Path) -> None:
    """Write to a file, or print for the name "-"."""
    text = json.dumps(_plain(value), indent=1, ensure_ascii=False, allow_nan=False)
    if str(file) == STDOUT:
        typer.echo(text)
    else:
        file.write_text(text + "\n", encoding="utf-8")


def _plain(value: Any) -> Any:  # noqa: ANN401
    """Return a value as JSON has it; what is no number is null."""
    if isinstance(value, Estimate):
        names = ("value", "low", "high", "standard_error")
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
