"""Run an experiment and write what it found: numbers (JSON, CSV) and the picture (SVG, PNG)."""

import argparse
import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import fairpath
from fairpath.experiments.experiment import FULL, QUICK, Experiment, Row

FOLDER = "experiments"
"""Where results are written by default, below the current folder."""


def reproduce(experiment: Experiment, folder: Path, *, quick: bool = False) -> str:
    """Run one experiment, write its four files, and return the line that compares."""
    found = experiment.run(QUICK if quick else FULL)
    folder.mkdir(parents=True, exist_ok=True)
    result = {
        "name": experiment.name,
        "title": experiment.title,
        "source": experiment.source,
        "differs": experiment.differs,
        "verdict": found.verdict,
        "quick": quick,
        "version": fairpath.__version__,
        "summary": found.summary,
        "rows": found.rows,
    }
    text = json.dumps(result, indent=1, ensure_ascii=False) + "\n"
    (folder / f"{experiment.name}.json").write_text(text, encoding="utf-8")
    _write_csv(folder / f"{experiment.name}.csv", found.summary)
    drawn = found.draw()
    drawn.savefig(folder / f"{experiment.name}.png", dpi=150)
    # Neither a date nor random names, so that the same numbers give the same file.
    import matplotlib as mpl  # noqa: PLC0415 - slow, and optional

    with mpl.rc_context({"svg.hashsalt": "fairpath", "svg.fonttype": "none"}):
        drawn.savefig(folder / f"{experiment.name}.svg", metadata={"Date": None})
    return f"{experiment.source}: {found.verdict}."


def main(experiment: Experiment, arguments: Sequence[str] | None = None) -> int:
    """Run one experiment from the command line."""
    parser = argparse.ArgumentParser(description=f"{experiment.title} ({experiment.source}).")
    parser.add_argument("--quick", action="store_true", help="few rows, one repeat")
    parser.add_argument("--folder", type=Path, help=f"where to write ({FOLDER})")
    asked = parser.parse_args(arguments)
    print(
        reproduce(experiment, asked.folder or default_folder(quick=asked.quick), quick=asked.quick)
    )
    return 0


def default_folder(*, quick: bool) -> Path:
    """Return where results go: those of quick runs beside the real ones."""
    return Path(FOLDER, "quick") if quick else Path(FOLDER)


def _write_csv(file: Path, rows: Iterable[Row]) -> None:
    rows = list(rows)
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
