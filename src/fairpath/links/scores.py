"""How well a fitted link predicts rows that it has not seen: one proper score for every link.

The energy form of the continuous ranked probability score, E|x - y| - E|x - x'| / 2, with
values x that the link generates for the parents of a row from the noise of other rows. It
needs nothing of a link but what the game uses, and for categories it is half the Brier score.
"""

import numpy as np

from fairpath.encoding import Variable
from fairpath.links.link import FittedLink
from fairpath.links.rows import Rows
from fairpath.vocabulary import FloatMatrix, FloatVector, IntMatrix, same


def energy_scores(
    link: FittedLink, noise: FloatMatrix, rows: Rows, donors: IntMatrix
) -> FloatVector:
    """Return the score of each row, lower is better.

    ``donors`` has a row for each of ``rows``: whose ``noise`` it borrows, at least twice.
    """
    n_rows, n_draws = donors.shape
    repeated = np.repeat(rows.parents, n_draws, axis=0)
    drawn = link.generate(repeated, noise[donors.ravel()]).reshape(n_rows, n_draws)
    scale = _spread(rows.values)
    to_truth = _distance(drawn, rows.values[:, None], rows.target, scale).mean(axis=1)
    # Each draw against the next one: unbiased, and linear in their number.
    between = _distance(drawn, np.roll(drawn, 1, axis=1), rows.target, scale).mean(axis=1)
    return np.asarray(to_truth - between / 2)


def _distance(one: FloatMatrix, other: FloatMatrix, target: Variable, scale: float) -> FloatMatrix:
    if target.n_levels is not None and not target.ordered:
        return np.asarray(one != other, dtype=np.float64)
    gap = np.abs(one - other) / scale
    return np.asarray(np.where(np.isnan(gap), ~same(one, other), gap))


def _spread(values: FloatVector) -> float:
    """Return the mean distance from the median, as one unit."""
    known = values[~np.isnan(values)]
    spread = float(np.abs(known - np.median(known)).mean()) if len(known) else 0.0
    return spread or 1.0
