"""How many observed rows are like the states at which a link is asked."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairpath.doubt.states import Asked
from fairpath.game.path_game import PathGame
from fairpath.game.tree import Features
from fairpath.vocabulary import FloatMatrix, FloatVector, IntVector

FEW, HARDLY_ANY = 0.05, 0.02
"""Shares of comparable rows below which a state counts as one with few, or hardly any."""

MOST_OBSERVED = 20_000
MOST_ASKED = 40_000
TREES = 50
LEAF = 20
"""Rows and states together in a leaf of the trees that tell them apart..."""

ROWS_OF_A_LEAF = 5
"""...and observed rows that one has where states are like rows, also of the smallest stratum."""

CLOSE = 0.5
"""Standard deviations between two observed numbers that leave no gap."""

NOTHING = float("nan")

_OBSERVED = 34


@dataclass(frozen=True)
class Scarcity:
    """How many of the states at which a link is asked have few comparable rows.

    Attributes
    ----------
    sources
        What the link reads.
    states
        How many states were looked at.
    few, hardly_any
        The share of them, by weight, in which less than 5 %, or 2 %, of what is there are
        observed rows.
    """

    sources: Features
    states: int
    few: float
    hardly_any: float


def scarcity_of(
    game: PathGame, feature: str, asked: Asked, seed: int, n_jobs: int | None
) -> Scarcity:
    """Tell states from rows, and count the states that few rows are like."""
    from sklearn.ensemble import RandomForestClassifier  # noqa: PLC0415 - slow to import

    sources = game.mechanisms.sources[feature]
    if not len(asked.weights) or not asked.weights.any():
        return Scarcity(sources, 0, 0.0, 0.0)
    observed, strata, mass = _observed(game, sources)
    numbers = [not game.encoding.variables[name].is_category for name in sources]
    states, weights = snapped(asked.parents, observed, numbers), asked.weights
    # As many rows as states of each stratum: else a small stratum would always be scarce.
    own = states[:, sources.index(game.sensitive)] if game.sensitive in sources else asked.levels
    wanted = np.bincount(own.astype(np.intp), weights, minlength=len(game.shares))
    there = np.bincount(strata, mass, minlength=len(game.shares))
    mass = mass * (wanted / there)[strata]
    some = np.random.default_rng(seed).permutation(len(states))[:MOST_ASKED]
    kept = weights[some] * (weights.sum() / weights[some].sum())
    forest = RandomForestClassifier(
        n_estimators=TREES,
        min_samples_leaf=LEAF,
        min_weight_fraction_leaf=min(0.25, ROWS_OF_A_LEAF * float(mass.max() / mass.sum())),
        max_features=None,
        random_state=seed,
        n_jobs=n_jobs,
    )
    forest.fit(
        np.concatenate([observed, states[some]]),
        np.repeat([1, 0], [len(observed), len(some)]),
        sample_weight=np.concatenate([mass, kept]),
    )
    share = forest.predict_proba(states[some])[:, 1]
    few, hardly_any = (
        float(np.average(share < limit, weights=kept)) for limit in (FEW, HARDLY_ANY)
    )
    return Scarcity(sources, len(states), few, hardly_any)


def _observed(game: PathGame, sources: Features) -> tuple[FloatMatrix, IntVector, FloatVector]:
    """Return what a link reads in the rows that taught it, their strata and weights.

    Of many rows some, and of each stratum as many as there can be.
    """
    columns, weights = game.lesson.columns, game.lesson.weights
    strata = columns[game.sensitive].astype(np.intp)
    order = np.random.default_rng([game.seed, _OBSERVED]).permutation(len(weights))
    most = MOST_OBSERVED // len(game.shares)
    rows = np.concatenate([order[strata[order] == k][:most] for k in range(len(game.shares))])
    return np.column_stack([columns[s][rows] for s in sources]), strata[rows], weights[rows]


def snapped(states: FloatMatrix, observed: FloatMatrix, numbers: Sequence[bool]) -> FloatMatrix:
    """Put numbers that lie between two observed ones that are close on the nearer of these.

    Nobody works 41.3 hours, and yet those who work 41 and 42 are comparable. ``numbers`` says which
    columns are numbers.
    """
    result = states.copy()
    for place in np.flatnonzero(numbers):
        known = np.unique(observed[~np.isnan(observed[:, place]), place])
        if len(known) < 2:  # noqa: PLR2004
            continue
        column = states[:, place]
        above = np.clip(np.searchsorted(known, column), 1, len(known) - 1)
        low, high = known[above - 1], known[above]
        spread = float(np.nanstd(observed[:, place]))
        between = (column >= low) & (column <= high) & (high - low <= CLOSE * spread)
        nearest = np.where(column - low < high - column, low, high)
        result[:, place] = np.where(between, nearest, column)
    return result
