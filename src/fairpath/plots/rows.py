"""The rows of a picture: the largest paths, the sum of the others, and what no path carries."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from fairpath.errors import DataError
from fairpath.explanation import Explanation
from fairpath.explanation.quantities import Comparison, Numbers
from fairpath.explanation.tables import REMAINDER
from fairpath.paths import Path
from fairpath.paths.path import label
from fairpath.plots.canvas import (
    POINTS,
    SMALL,
    TEXT,
    interval,
    numbers,
    plain,
    short_names,
    text_width,
)
from fairpath.uncertainty import Estimate
from fairpath.vocabulary import IntVector

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 12
LONGEST_NAME, LONGEST_LINE = 18, 58
SHOWN_OF_A_BLOCK = 3
LINE, GAP = 11.5, 8.5
"""Points for a line of text, and between two rows."""

Kind = Literal["path", "others", "outcome", "remainder", "disparity"]


@dataclass(frozen=True)
class Row:
    """One row: its label as it is written, its full name, and the number."""

    kind: Kind
    name: str
    text: str
    estimate: Estimate


@dataclass(frozen=True)
class Rows:
    """The rows from top to bottom, and the full name of each name that they shorten."""

    rows: tuple[Row, ...]
    names: dict[str, str]

    @property
    def height(self) -> float:
        """Points that each row needs."""
        return GAP + LINE * max(row.text.count("\n") + 1 for row in self.rows)

    @property
    def width(self) -> float:
        """Points that the labels need."""
        return max(text_width(row.text) for row in self.rows)


def by_contribution(explanation: Explanation, compared: Comparison) -> IntVector:
    """Return the positions of paths, largest contribution first."""
    found = explanation.estimates_at(compared)
    values = found.values[Numbers(len(explanation.paths)).contributions]
    return np.argsort(-np.abs(values), kind="stable")


def with_paths(explanation: Explanation, compared: Comparison) -> IntVector:
    """Return the same; refuse an explanation without paths."""
    if not explanation.paths:
        raise DataError(
            "There is no path to draw: the graph joins the sensitive attribute with nothing that "
            "the model reads. plots.bar() and plots.graph() show the remainder."
        )
    return by_contribution(explanation, compared)


def largest(order: IntVector, most: int | None) -> IntVector:
    """Return the first of them; one more rather than a sum of one."""
    return order if most is None or len(order) <= most + 1 else order[:most]


def contributions(explanation: Explanation, compared: Comparison, most: int | None) -> Rows:
    """Return the largest contributions, the sum of the others, and what no path carries."""
    found = explanation.estimates_at(compared)
    place = Numbers(len(explanation.paths))
    start = place.contributions.start
    order = by_contribution(explanation, compared)
    shown = largest(order, most)
    rows, names = _of_paths(
        [explanation.paths[i] for i in shown], [found[start + int(i)] for i in shown]
    )
    if left := len(order) - len(shown):
        text = f"{left} other paths"
        together = explanation.contribution(
            [explanation.paths[i] for i in order[len(shown) :]],
            explanation.levels[compared.stratum],
            compared.view.outcome,
        )
        rows.append(Row("others", text, text, together))
    if (apart := compared.view.apart) is not None:
        rows.append(Row("outcome", apart, apart, found[place.apart]))
    rows.append(Row("remainder", REMAINDER, REMAINDER, found[place.remainder]))
    return Rows(tuple(rows), names)


def if_cut(explanation: Explanation, compared: Comparison, most: int | None) -> Rows:
    """Return the disparity without each of the largest paths."""
    found = explanation.estimates_at(compared)
    start = Numbers(len(explanation.paths)).disparities_if_cut.start
    shown = largest(with_paths(explanation, compared), most)
    rows, names = _of_paths(
        [explanation.paths[i] for i in shown], [found[start + int(i)] for i in shown]
    )
    return Rows(tuple(rows), names)


def named(paths: Sequence[Path]) -> Rows:
    """Return a row for each path, without a number."""
    nothing = float("nan")
    rows, names = _of_paths(paths, [Estimate(nothing, nothing, nothing, nothing)] * len(paths))
    return Rows(tuple(rows), names)


def _of_paths(
    paths: Sequence[Path], estimates: Sequence[Estimate]
) -> tuple[list[Row], dict[str, str]]:
    features = (
        feature
        for path in paths
        for block in path.nodes
        for feature in ([block] if isinstance(block, str) else block[:SHOWN_OF_A_BLOCK])
    )
    names = short_names(features, LONGEST_NAME)
    rows = [
        Row("path", str(path), _wrapped(path, names), estimate)
        for path, estimate in zip(paths, estimates, strict=True)
    ]
    return rows, names


def _wrapped(path: Path, names: dict[str, str]) -> str:
    """Write a path in short names, broken before arrows where a line is full."""
    nodes = []
    for block in path.nodes:
        if isinstance(block, str):
            nodes.append(names[block])
        else:
            listed = [names[feature] for feature in block[:SHOWN_OF_A_BLOCK]]
            if left := len(block) - len(listed):
                listed.append(f"{left} more")
            nodes.append(label(tuple(listed)))
    short = replace(path, nodes=tuple(nodes))
    if short.longer:
        return str(short)
    steps = zip((*short.arrows, "→"), (*nodes[1:], "prediction"), strict=True)
    lines = [nodes[0]]
    for piece in (f"{arrow} {node}" for arrow, node in steps):
        if len(lines[-1]) + len(piece) < LONGEST_LINE:
            lines[-1] += f" {piece}"
        else:
            lines.append(f"    {piece}")
    return "\n".join(lines)


def write_rows(ax: "Axes", rows: Rows, *, with_numbers: bool = True) -> None:
    """Label the rows on the left, the numbers and their intervals on the right."""
    shown = rows.rows
    places = range(len(shown))
    ax.set_ylim(len(shown) - 0.4, -0.6)
    size = _fitting(ax, rows)
    ax.set_yticks(places, [plain(row.text) for row in shown], fontsize=size)
    ax.tick_params(axis="y", length=0)
    for tick, row in zip(ax.get_yticklabels(), shown, strict=True):
        tick.set_gid(row.name)
        tick.set_multialignment("left")
        if row.kind != "path":
            tick.set_fontstyle("italic")
    if not with_numbers:
        return
    written = numbers(row.estimate.value for row in shown)
    for place, row in zip(places, shown, strict=True):
        ax.text(
            1.02,
            place,
            written(row.estimate.value) + interval(row.estimate, written),
            transform=ax.get_yaxis_transform(),
            va="center",
            ha="left",
            fontsize=min(size, SMALL + 0.5),
            gid=f"number of {row.name}",
        )


def _fitting(ax: "Axes", rows: Rows) -> float:
    """Return the size of letters at which rows do not touch on these axes."""
    height = ax.bbox.height / ax.figure.dpi * POINTS
    room = height / (len(rows.rows) + 0.2)
    return float(min(TEXT, room / (1.32 * (rows.height - GAP) / LINE)))
