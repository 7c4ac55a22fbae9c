"""Whether links say what held-out rows are like: a test for each link, in each stratum."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.stats import chi2

from fairpath.errors import DataError
from fairpath.explanation.explanation import Explanation
from fairpath.frames import as_frame, as_table, backend_of
from fairpath.game.path_game import PathGame
from fairpath.links.auto import ChosenLink
from fairpath.links.rows import Rows
from fairpath.vocabulary import FloatVector, IntVector

DRAWS = 19
"""Values that a link generates for each held-out row, which has one of 20 ranks among them."""

HELD_OUT = 0.2
MOST_ROWS = 50_000
LEAST_ROWS = 40
ALL = "all"


def calibration(of: Explanation | PathGame) -> Any:  # noqa: ANN401 - the caller's frame type
    """Return a table that says for each link, and each stratum, how well it is calibrated.

    A link learns from four fifths of its rows and generates 19 values for each of the others, from
    its own parents and the noise of rows that taught. If it is right, the rank of the true value
    among them is uniform, for numbers and categories alike (ties are broken at random).

    Columns: ``feature``, ``link`` (its kind), ``stratum`` (``"all"`` first), ``rows`` that were
    tested, ``distance``, the largest difference between the shares of ranks and uniform ones up to
    any rank, and ``p_value`` (chi-square). With many rows small distances have small p-values; a
    distance of 0.02 moves two of a hundred people to another rank.

    Parameters
    ----------
    of
        An explanation made in this session, or a fitted game. Relative to the outcome there is a
        column ``outcome``: each has links of its own.
    """
    if isinstance(of, PathGame):
        games: dict[Any, PathGame] = {None: of}
    elif isinstance(of, Explanation) and of.study is not None:
        games = dict(of.study.games)
    else:
        raise DataError(
            "calibration() needs a fitted PathGame, or an explanation made in this session: one "
            "from a file does not know its links."
        )
    rows = [
        row | ({} if outcome is None else {"outcome": outcome})
        for outcome, game in games.items()
        for row in _of_game(game)
    ]
    if not rows:
        raise DataError("There is no link to check: no path leads through a feature.")
    backend = backend_of(as_frame(next(iter(games.values())).table))
    return as_table({name: [row[name] for row in rows] for name in rows[0]}, backend)


def _of_game(game: PathGame) -> Iterator[dict[str, Any]]:
    columns, weights = game.lesson.columns, game.lesson.weights
    rng = np.random.default_rng([game.seed, 21])
    shuffled = rng.permutation(len(weights))[:MOST_ROWS]
    if len(shuffled) < LEAST_ROWS:
        raise DataError(
            f"Calibration needs {LEAST_ROWS} rows that taught the links, got {len(shuffled)}."
        )
    cut = int(len(shuffled) * HELD_OUT)
    tested, learned = shuffled[:cut], shuffled[cut:]
    strata = columns[game.sensitive][tested].astype(np.intp)
    for feature, sources in game.recipe.sources.items():
        link = game.recipe.choices[feature]
        fitted = game.mechanisms.links[feature]
        rows = Rows(
            np.column_stack([columns[name] for name in sources]),
            columns[feature],
            weights,
            tuple(game.encoding.variables[name] for name in sources),
            game.encoding.variables[feature],
        )
        teachers, others = rows.part(learned), rows.part(tested)
        taught = teachers.fit(link, rng)
        noise = taught.abduct(teachers.parents, teachers.values, rng.random((len(learned), 2)))
        donors = rng.choice(
            len(learned), size=len(tested) * DRAWS, p=teachers.weights / teachers.weights.sum()
        )
        drawn = taught.generate(np.repeat(others.parents, DRAWS, axis=0), noise[donors])
        ranks = _ranks(others.values, drawn.reshape(len(tested), DRAWS), rng)
        kind = fitted.chosen if isinstance(fitted, ChosenLink) else type(link).__name__
        for label, inside in (
            (ALL, np.ones(len(tested), dtype=np.bool_)),
            *((str(level), strata == k) for k, level in enumerate(game.strata)),
        ):
            yield {"feature": feature, "link": kind, "stratum": label} | _tested(
                ranks[inside], others.weights[inside]
            )


def _ranks(values: FloatVector, drawn: Any, rng: np.random.Generator) -> IntVector:  # noqa: ANN401
    """Return the rank of each value among its draws; a missing value stands above all."""
    value = np.where(np.isnan(values), np.inf, values)[:, None]
    drawn = np.where(np.isnan(drawn), np.inf, drawn)
    below, equal = (drawn < value).sum(axis=1), (drawn == value).sum(axis=1)
    return np.asarray(below + rng.integers(equal + 1))


def _tested(ranks: IntVector, weights: FloatVector) -> dict[str, Any]:
    counts = np.bincount(ranks, weights, minlength=DRAWS + 1)
    total = counts.sum()
    if total == 0:
        return {"rows": 0, "distance": float("nan"), "p_value": float("nan")}
    expected = total / (DRAWS + 1)
    uniform = np.arange(1, DRAWS + 2) / (DRAWS + 1)
    return {
        "rows": len(ranks),
        "distance": float(np.abs(np.cumsum(counts) / total - uniform).max()),
        "p_value": float(chi2.sf(((counts - expected) ** 2 / expected).sum(), DRAWS)),
    }
