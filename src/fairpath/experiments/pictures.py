"""The pictures of the experiments."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fairpath.errors import MissingExtraError
from fairpath.experiments.experiment import Row

OURS, OTHER = "#ff0051", "#008bfb"
MOST = 12
"""Paths in a picture: the paper's, and the largest others."""


def figure(
    columns: int = 1, *, width: float = 5.0, height: float = 3.6, shared: bool = False
) -> tuple[Any, Any]:
    """Return an empty figure and its axes, which no window shows."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - slow, and optional
    except ImportError as error:
        raise MissingExtraError("plots") from error
    paper = Figure(figsize=(width * columns + 3.0 * shared, height), layout="constrained")
    return paper, paper.subplots(1, columns, squeeze=False, sharex=shared, sharey=shared)[0]


def errors(summary: Sequence[Row], label: str, split_by: str | None = None) -> Any:  # noqa: ANN401
    """Draw bars of mean errors with their spread, and the paper's numbers as crosses."""
    panels = list(dict.fromkeys(row[split_by] for row in summary)) if split_by else [None]
    drawn, axes = figure(len(panels), width=7.0)
    for panel, ax in zip(panels, axes, strict=True):
        rows = [row for row in summary if split_by is None or row[split_by] == panel]
        methods = list(dict.fromkeys(row["method"] for row in rows))
        places = list(dict.fromkeys(_place(row) for row in rows))
        for i, method in enumerate(methods):
            mine = [row for row in rows if row["method"] == method]
            at = np.array([places.index(_place(row)) for row in mine]) + (i - 1) * 0.27
            colour = OTHER if method == "PSE" else OURS
            ax.bar(
                at,
                [row["mean"] for row in mine],
                width=0.25,
                yerr=[row["sd"] or 0.0 for row in mine],
                color=colour,
                alpha=1 if i < 2 else 0.5,  # noqa: PLR2004
                label=method,
                error_kw={"linewidth": 0.8},
            )
            printed = [
                (x, row["paper"])
                for x, row in zip(at, mine, strict=True)
                if row["paper"] is not None
            ]
            if printed:
                label_once = {"label": "printed in the paper"} if i == 0 else {}
                ax.plot(*zip(*printed, strict=True), "x", color="black", **label_once)
        ax.set_xticks(range(len(places)), [place.replace(" ", "\n") for place in places])
        ax.set_ylabel(label)
        ax.set_title(panel or "")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].legend(frameon=False)
    return drawn


def contributions(summary: Sequence[Row]) -> Any:  # noqa: ANN401
    """Draw a bar for each path in a panel for each data set, and the paper's numbers as crosses."""
    panels = list(dict.fromkeys(row["data"] for row in summary))
    printed = [row["path"] for row in summary if row["paper"] is not None]
    largest = sorted(summary, key=lambda row: -abs(row["mean"]))
    paths = list(dict.fromkeys([*printed, *(row["path"] for row in largest)]))[:MOST]
    drawn, axes = figure(len(panels), width=4.0, height=0.32 * len(paths) + 1.2, shared=True)
    for panel, ax in zip(panels, axes, strict=True):
        rows = {row["path"]: row for row in summary if row["data"] == panel}
        shown = [(at, rows[path]) for at, path in enumerate(paths) if path in rows]
        ax.barh(
            [at for at, _ in shown],
            [row["mean"] for _, row in shown],
            xerr=[row["sd"] or 0.0 for _, row in shown],
            color=[OURS if row["mean"] > 0 else OTHER for _, row in shown],
            error_kw={"linewidth": 0.8},
        )
        crosses = [(row["paper"], at) for at, row in shown if row["paper"] is not None]
        ax.plot(*zip(*crosses, strict=True), "x", color="black", label="printed in the paper")
        ax.axvline(0, color="black", linewidth=0.8)
        ax.set_title(panel)
        ax.set_xlabel("contribution to the disparity")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_yticks(range(len(paths)), paths)
    axes[0].invert_yaxis()
    axes[-1].legend(frameon=False, loc="lower right")
    return drawn


def _place(row: Row) -> str:
    return f"{row.get('outcome') or row['data']} {row['model']}"
