"""Contributions to single predictions: how they are distributed in each stratum."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairpath.errors import DataError
from fairpath.explanation import Explanation
from fairpath.game.players import PathLike
from fairpath.options import check_choice, check_count, check_counts
from fairpath.paths import Path
from fairpath.plots import canvas
from fairpath.plots.bars import AREA, MARGINS
from fairpath.plots.rows import GAP, MOST, largest, named, with_paths, write_rows
from fairpath.vocabulary import BoolVector, FloatMatrix, FloatVector, IntMatrix, IntVector

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BINS = 30
WIDTH, HEIGHT = 420.0, 270.0
DASHES: tuple[Any, ...] = ("solid", (0, (5, 2)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))

DOTS = 2_000
LANE, HALF = 17.0, 0.43
COLUMNS = 140
"""Places across the picture in which dots are stacked."""

LEAST_STACK = 8
"""A lane is filled by as many dots in one place; fewer stand closer to its middle."""

_DOTS = 31


@dataclass(frozen=True)
class _Group:
    """Rows that share a colour."""

    name: str
    rows: BoolVector
    colour: str
    dash: Any


def histogram(
    explanation: Explanation,
    path: PathLike,
    *,
    ax: "Axes | None" = None,
    bins: int | Sequence[float] = BINS,
) -> "Axes":
    """Draw how a path's contributions to single predictions are distributed in each stratum.

    Relative frequencies, so that the bars of each stratum sum to one; the vertical lines are the
    means. Rows count as often as their weight says; rows that the disparity does not look at are
    left out.

    Parameters
    ----------
    explanation
        One that kept its rows.
    path
        A path, what it prints, or its nodes.
    ax
        Axes to draw on; by default those of a new figure.
    bins
        How many there are, or their edges; all strata share them.
    """
    kept = canvas.checked(explanation).values
    if not isinstance(path, Path | str | tuple):
        raise DataError(f"path must be a path, what it prints, or its nodes, got {path!r}.")
    place = int(np.flatnonzero(explanation.held([path]))[0])
    phi = kept[:, place]
    weights = _weights(explanation, phi)
    counted = weights > 0
    edges = _edges(phi[counted], bins)
    ax = canvas.axes(ax, WIDTH, HEIGHT)
    groups = _groups(explanation, "stratum", counted)
    found = [float(np.average(phi[g.rows], weights=weights[g.rows])) for g in groups]
    means = canvas.numbers(found)
    for group, mean in zip(groups, found, strict=True):
        heights = np.histogram(phi[group.rows], edges, weights=weights[group.rows])[0]
        ax.stairs(
            heights / weights[group.rows].sum(),
            edges,
            fill=True,
            facecolor=(group.colour, 0.3),
            edgecolor=group.colour,
            linestyle=group.dash,
            linewidth=1.4,
            label=f"{explanation.setting.sensitive} = {group.name}, mean {means(mean)}",
            gid=group.name,
        )
        ax.axvline(mean, color=group.colour, linestyle=group.dash, linewidth=1.0)
    canvas.title(ax, explanation, str(explanation.paths[place]))
    ax.set_xlabel("contribution φ to a prediction", fontsize=canvas.TEXT)
    ax.set_ylabel("relative frequency", fontsize=canvas.TEXT)
    ax.tick_params(labelsize=canvas.SMALL + 0.5)
    ax.legend(fontsize=canvas.SMALL + 0.5, frameon=False)
    canvas.bare(ax, "right", "top")
    return ax


def beeswarm(
    explanation: Explanation,
    *,
    ax: "Axes | None" = None,
    most: int | None = MOST,
    color_by: str = "stratum",
    dots: int = DOTS,
) -> "Axes":
    """Draw a dot for each person and path, where the path moves this person's prediction.

    Each stratum has a lane of its own in the row of a path, with a black line at its mean; dots
    in the same place are stacked. Rows that the disparity does not look at are left out.

    Parameters
    ----------
    explanation
        One that kept its rows.
    ax
        Axes to draw on; by default those of a new figure that fits the rows.
    most
        How many paths are shown, largest contribution first (of the first comparison). None: all.
    color_by
        What has a lane and a colour: ``"stratum"``, or ``"outcome"`` (favourable or not).
    dots
        With more rows, as many are drawn by chance, always the same, in proportion to weights.
    """
    values = canvas.checked(explanation).values
    check_choice("color_by", color_by, ("stratum", "outcome"))
    check_count("dots", dots, 1)
    check_counts(most=(most, 1))
    if color_by == "outcome" and explanation.setting.outcome is None:
        raise DataError(
            "color_by='outcome' needs an explanation with an outcome: name it in explain(outcome=)."
        )
    order = with_paths(explanation, explanation.compared[0])
    shown = largest(order, most)
    weights = _weights(explanation, values.sum(axis=1))
    drawn = _some(weights, dots, explanation.setting.seed)
    groups = _groups(explanation, color_by, weights > 0)
    rows = named([explanation.paths[i] for i in shown])
    height = max(rows.height, LANE * len(groups) + GAP)
    texts = [_caption(int((weights > 0).sum()), int(drawn.sum()))]
    if left := len(order) - len(shown):
        texts.append(f"{left} paths with smaller contributions are not shown.")
    notes = canvas.notes(texts, rows.names)
    tall = height * len(shown) + MARGINS + 20 + canvas.note_height(notes)
    ax = canvas.axes(ax, rows.width + 1.3 * AREA, tall)
    at = _places(values[:, shown], drawn)
    for number, group in enumerate(groups):
        inside = drawn & group.rows
        places = []
        for place, column in enumerate(shown):
            middle = place + 2 * HALF * ((number + 0.5) / len(groups) - 0.5)
            places.append(middle + _stacked(at[inside, place]) * HALF / len(groups))
            mean = np.average(values[group.rows, column], weights=weights[group.rows])
            lane = 0.85 * HALF / len(groups)
            ends = [middle - lane, middle + lane]
            ax.plot([mean, mean], ends, color=canvas.INK, linewidth=1.6, zorder=3)
        ax.scatter(
            values[np.ix_(inside, shown)].T.ravel(),
            np.concatenate(places) if places else [],
            s=4.0,
            color=group.colour,
            linewidths=0,
            alpha=0.7,
            rasterized=True,
            label=group.name,
            gid=group.name,
        )
    ax.axvline(0.0, color=canvas.INK, linewidth=0.8, zorder=0)
    write_rows(ax, rows, with_numbers=False)
    for place in range(len(shown) - 1):
        ax.axhline(place + 0.5, color=canvas.FAINT, linewidth=0.5, zorder=0)
    ax.set_xlabel("contribution φ to a prediction", fontsize=canvas.TEXT)
    ax.tick_params(axis="x", labelsize=canvas.SMALL + 0.5)
    canvas.bare(ax, "left", "right", "top")
    canvas.title(ax, explanation)
    _legend(ax, explanation, color_by)
    canvas.note(ax, notes)
    return ax


def _weights(explanation: Explanation, phi: FloatVector) -> FloatVector:
    """Return how often each row counts; not at all where the disparity does not look at it."""
    kept = explanation.kept
    assert kept is not None  # noqa: S101 - .values says so otherwise
    return np.where(np.isnan(phi), 0.0, kept.weights)


def _edges(phi: FloatVector, bins: int | Sequence[float]) -> FloatVector:
    """Return the edges of bins that hold all values."""
    if isinstance(bins, int | np.integer):
        check_count("bins", bins, 1)
        return np.asarray(np.histogram_bin_edges(phi, int(bins)), dtype=np.float64)
    try:
        edges = np.asarray(bins, dtype=np.float64)
    except (TypeError, ValueError):
        edges = np.zeros(0)
    if edges.ndim != 1 or len(edges) < 2 or not (np.diff(edges) > 0).all():  # noqa: PLR2004
        raise DataError(f"bins must be a whole number or increasing edges, got {bins!r}.")
    if edges[0] > phi.min() or edges[-1] < phi.max():
        raise DataError(
            f"bins must span all values, from {phi.min():.4g} to {phi.max():.4g}; they run from "
            f"{edges[0]:.4g} to {edges[-1]:.4g}. To show a part, use ax.set_xlim()."
        )
    return edges


def _groups(explanation: Explanation, by: str, counted: BoolVector) -> list[_Group]:
    """Return the strata, the reference first, or the two outcomes; without empty ones."""
    kept, setting = explanation.kept, explanation.setting
    assert kept is not None  # noqa: S101 - .values says so otherwise
    if by == "outcome":
        names = [f"not {setting.favourable}", str(setting.favourable)]
        codes: IntVector = kept.favoured
        order = [0, 1]
    else:
        names, codes = [str(level) for level in explanation.levels], kept.strata
        order = sorted(range(len(names)), key=lambda k: k != explanation.reference)
    found = []
    for number, k in enumerate(order):
        rows = counted & (codes == k)
        colour = canvas.GROUPS[number % len(canvas.GROUPS)]
        if rows.any():
            found.append(_Group(names[k], rows, colour, DASHES[number % len(DASHES)]))
    return found


def _some(weights: FloatVector, dots: int, seed: int) -> BoolVector:
    """Return which rows are drawn: all that count, or some by chance."""
    counted = np.flatnonzero(weights > 0)
    if len(counted) > dots:
        rng = np.random.default_rng([seed, _DOTS])
        shares = weights[counted] / weights[counted].sum()
        counted = rng.choice(counted, size=dots, replace=False, p=shares)
    drawn = np.zeros(len(weights), dtype=np.bool_)
    drawn[counted] = True
    return drawn


def _places(values: FloatMatrix, drawn: BoolVector) -> IntMatrix:
    """Return in which of the places across the picture each dot is; 0 if it is not drawn."""
    low, high = values[drawn].min(), values[drawn].max()
    places = np.zeros(values.shape, dtype=np.intp)
    places[drawn] = np.round((values[drawn] - low) / (high - low or 1.0) * COLUMNS)
    return places


def _stacked(places: IntVector) -> FloatVector:
    """Return how far each dot is from the middle of its lane, within 1, by those in its place."""
    if not len(places):
        return np.zeros(0)
    order = np.argsort(places, kind="stable")
    counts = np.bincount(places)
    rank = np.empty(len(places), dtype=np.intp)
    rank[order] = np.arange(len(places)) - (np.cumsum(counts) - counts)[places[order]]
    side = (rank + 1) // 2 * np.where(rank % 2, 1, -1)
    return np.asarray(0.85 * side / max(LEAST_STACK, int(counts.max())) * 2)


def _caption(rows: int, drawn: int) -> str:
    if drawn == rows:
        return f"{rows:,} rows"
    return f"{drawn:,} of {rows:,} rows, chosen by chance; means of all"


def _legend(ax: "Axes", explanation: Explanation, color_by: str) -> None:
    what = explanation.setting.sensitive if color_by == "stratum" else explanation.setting.outcome
    ax.legend(
        title=what,
        fontsize=canvas.SMALL + 0.5,
        title_fontsize=canvas.SMALL + 0.5,
        frameon=False,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        markerscale=2.5,
    )
