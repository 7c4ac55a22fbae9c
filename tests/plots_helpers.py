"""Explanations to draw, and what tests read from the pictures."""

from functools import lru_cache
from itertools import combinations

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.text import Text

import fairpath as fp
import worlds

mpl.use("Agg")

LONG = "months_since_the_last_reported_contact_with_an_authority_of_the_county"


@lru_cache
def small():
    """Seven paths with intervals."""
    return worlds.explained(worlds.people(400), outcome="hired", intervals="refit")


@lru_cache
def without_intervals():
    return worlds.explained(worlds.people(300), reference=1)


@lru_cache
def three():
    return worlds.explained(worlds.people(400, strata=("a", "b", "c")), intervals="refit")


@lru_cache
def odds():
    return worlds.hired(disparity="equalized_odds", conditioning="after", intervals="refit")[1]


@lru_cache
def accuracy():
    return worlds.hired(disparity="accuracy_parity", intervals="refit")[1]


@lru_cache
def opportunity():
    """Half of the rows are not looked at."""
    return worlds.hired(disparity="equal_opportunity")[1]


@lru_cache
def many(prefix=""):
    """More than forty paths through three layers, with names as long as the prefix makes them."""
    rng = np.random.default_rng(0)
    sex = rng.integers(0, 2, 300)
    columns, edges, before = {"sex": sex}, [], ["sex"]
    for letter, size in (("m", 4), ("n", 3), ("o", 2)):
        layer = [f"{prefix}{letter}{i}" for i in range(size)]
        for name in layer:
            columns[name] = sum(columns[b] * rng.normal(0.2, 0.5) for b in before)
            columns[name] = columns[name] + rng.normal(size=300)
            edges += [(b, name) for b in before]
        before = ["sex", *layer]
    inputs = [name for name in columns if name != "sex"]
    weights = dict(zip(inputs, rng.normal(0.1, 0.6, len(inputs)), strict=True))

    def model(rows):
        return 1 / (1 + np.exp(-sum(w * worlds.number(rows, n) for n, w in weights.items())))

    return fp.explain(
        model, pd.DataFrame(columns), graph=fp.CausalGraph(directed=edges), sensitive="sex",
        inputs=inputs, links="linear", rounds=1, intervals="refit",
    )  # fmt: skip


def long_names():
    return many(f"{LONG}_")


DIFFERENT = [small, without_intervals, three, odds, accuracy, many]
EXPLANATIONS = [*DIFFERENT, long_names]
"""Long names change what is written, but no number."""


def settled(ax):
    """Lay out the figure, so that everything has its place."""
    ax.figure.draw_without_rendering()
    return ax


def written(ax):
    """Return the texts that are seen, and the area of each."""
    settled(ax)
    beyond = _beyond(ax.get_xticklabels(), 0, ax.get_xlim())
    beyond |= _beyond(ax.get_yticklabels(), 1, ax.get_ylim())
    found = {}
    for text in ax.findobj(Text):
        if not text.get_visible() or not text.get_text().strip() or text in beyond:
            continue
        found[text] = text.get_window_extent()
    return found


def _beyond(labels, side, limits):
    """Return the labels of ticks that are beyond the axis, which are not drawn."""
    low, high = sorted(limits)
    return {label for label in labels if not low <= label.get_position()[side] <= high}


def assert_apart(areas, slack=0.5):
    """Whether no two areas overlap."""
    for (one, a), (other, b) in combinations(areas.items(), 2):
        across = min(a.x1, b.x1) - max(a.x0, b.x0)
        down = min(a.y1, b.y1) - max(a.y0, b.y0)
        assert across <= slack or down <= slack, (one, other)


def by_gid(artists):
    return {artist.get_gid(): artist for artist in artists if artist.get_gid()}


def records(explanation, stratum=None, outcome=None):
    """Return the rows of the table of one comparison."""
    compared = explanation.comparison(stratum, outcome)
    bearer = explanation.bearer(compared)
    return [
        row
        for row in explanation.table().to_dict("records")
        if all(row[name] == value for name, value in bearer.items())
    ]


def comparisons(explanation):
    """Return the options that pick each comparison."""
    return [
        {"stratum": explanation.levels[one.stratum], "outcome": one.view.outcome}
        for one in explanation.compared
    ]
