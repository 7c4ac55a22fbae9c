"""A frontier as rows of a table, as text and for notebooks."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from fairpath.paths import Path

if TYPE_CHECKING:
    from fairpath.selection.frontier import Frontier

MOST_NAMED = 4
"""So many paths that go are named in one row of the text; the table names all of them."""

HEADS = ("λ", "paths", "utility", "disparity", "accuracy", "change")


def rows_of(frontier: "Frontier") -> list[dict[str, Any]]:
    """Return a row for each point."""
    rows, before = [], frontier.paths
    for point in frontier.points:
        gone, back = _change(before, point.kept)
        before = point.kept
        row: dict[str, Any] = {"fairness_weight": point.fairness_weight, "kept": len(point.kept)}
        row |= {"removed": _joined(gone), "restored": _joined(back)}
        row |= {"objective": point.predicted.loss, "predicted_utility": point.predicted.utility}
        row |= {
            "carried": largest(point.predicted.carried),
            "predicted_disparity": largest(point.predicted.disparity),
        }
        found = point.measured
        row |= {
            "utility": found.utility if found else np.nan,
            "disparity": largest(found.disparity) if found else np.nan,
            "accuracy": found.accuracy if found else np.nan,
            "decision_disparity": largest(found.decision_disparity) if found else np.nan,
        }
        rows.append(row)
    return rows


def as_text(frontier: "Frontier") -> str:
    """Return the headline, then which path goes at which λ."""
    lines = [_headline(frontier)]
    lines += [f"  {text}" for text in frontier.comparisons]
    cells = [HEADS, *_cells(frontier)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(HEADS) - 1)]
    for row in cells:
        left = "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=False))
        lines.append(f"  {left}  {row[-1]}".rstrip())
    return "\n".join([*lines, *_remarks(frontier)])


def as_html(frontier: "Frontier") -> str:
    """Return the same as a table."""
    head = "".join(f"<th>{escape(name)}</th>" for name in HEADS)
    body = "".join(
        "<tr>"
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[:-1])
        + f"<td style='text-align:left'>{escape(row[-1])}</td></tr>"
        for row in _cells(frontier)
    )
    compared = "; ".join(frontier.comparisons)
    remarks = "".join(f"<li>{escape(text)}</li>" for text in _remarks(frontier))
    return (
        f"<p><b>{escape(_headline(frontier))}</b><br>{escape(compared)}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><ul>{remarks}</ul>"
    )


def largest(numbers: Sequence[float]) -> float:
    """Return the number with the largest absolute value."""
    return max(numbers, key=abs)


def _headline(frontier: "Frontier") -> str:
    way = "measured" if frontier.objective == "measured" else "added up"
    return f"paths selected for {frontier.headline} ({frontier.method}, objective {way})"


def _cells(frontier: "Frontier") -> list[tuple[str, ...]]:
    """Return the measured numbers, with predicted ones in brackets."""
    cells: list[tuple[str, ...]] = []
    before = frontier.paths
    for point, row in zip(frontier.points, rows_of(frontier), strict=True):
        gone, back = _change(before, point.kept)
        before = point.kept
        told = [f"- {path}" for path in gone] + [f"+ {path}" for path in back]
        more = [f"… and {len(told) - MOST_NAMED} more"] if len(told) > MOST_NAMED else []
        cells.append(
            (
                f"{point.fairness_weight:.4g}",
                str(len(point.kept)),
                _both(row["utility"], row["predicted_utility"], ""),
                _both(row["disparity"], row["predicted_disparity"], "+"),
                "" if np.isnan(row["accuracy"]) else f"{row['accuracy']:.4f}",
                "; ".join([*told[:MOST_NAMED], *more]),
            )
        )
    return cells


def _both(measured: float, predicted: float, sign: str) -> str:
    added = f"({predicted:{sign}.4f})"
    return added if np.isnan(measured) else f"{measured:{sign}.4f} {added}"


def _remarks(frontier: "Frontier") -> list[str]:
    remarks = ["numbers in brackets are sums of contributions and the remainder"]
    if frontier.measure is None and all(point.measured is None for point in frontier.points):
        remarks[0] += "; nothing is measured: the explanation no longer knows its model"
    if len(frontier.comparisons) > 1:
        remarks.append("of several disparities the largest is shown, and counts")
    for what, paths in (
        ("always kept", frontier.always_kept),
        ("always dropped", frontier.always_dropped),
    ):
        if paths:
            remarks.append(f"{what}: {_joined(paths)}")
    return [*remarks, *frontier.notes]


def _joined(paths: Sequence[Path]) -> str:
    return "; ".join(map(str, paths))


def _change(
    before: Sequence[Path], after: Sequence[Path]
) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Return which paths go and which come back between two selections."""
    gone = tuple(path for path in before if path not in after)
    return gone, tuple(path for path in after if path not in before)
