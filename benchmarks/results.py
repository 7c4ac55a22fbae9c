"""Results of the benchmarks: a line for each as they come, and a file at the end."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

WIDTH = 11


def shown(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Print each row when it is there, with its names wherever these change; return all."""
    names: tuple[str, ...] = ()
    kept = []
    for row in rows:
        if names != tuple(row):
            names = tuple(row)
            print("\n" + "  ".join(f"{name:>{WIDTH}}" for name in names))
        print(
            "  ".join(f"{_text(value):>{max(WIDTH, len(name))}}" for name, value in row.items()),
            flush=True,
        )
        kept.append(row)
    return kept


def write(rows: Iterable[Mapping[str, Any]], file: str | None) -> None:
    """Write rows as JSON, if there is a file to write to."""
    if file:
        Path(file).write_text(json.dumps(list(rows), indent=1) + "\n", encoding="utf-8")


def _text(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
