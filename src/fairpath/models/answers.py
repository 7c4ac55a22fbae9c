"""Whether a model answers equal rows equally."""

import warnings
from collections.abc import Mapping

import numpy as np

from fairpath.models.score import Score
from fairpath.vocabulary import FloatVector

N_ROWS = 300
TOLERANCE = 1e-6
"""Relative to the largest answer; arithmetic in another order moves single precision less."""


def check_answers(score: Score, columns: Mapping[str, FloatVector]) -> tuple[str, ...]:
    """Ask a model about some rows twice, in another order and in other batches.

    Returns a note, and warns, if its answers differ: then every contribution carries that noise.
    """
    n_rows = min(N_ROWS, len(columns[score.inputs[0]]))
    rows = {name: columns[name][:n_rows] for name in score.inputs}
    once = score(rows)
    order = np.random.default_rng(0).permutation(n_rows)
    # Two batches of unequal size, so that neither has a row where it was.
    cut = n_rows // 3
    again = np.empty(n_rows)
    for part in (order[:cut], order[cut:]):
        again[part] = score({name: column[part] for name, column in rows.items()})
    differs = np.abs(again - once)
    if n_rows == 0 or differs.max() <= TOLERANCE * np.abs([once, again]).max():
        return ()
    note = (
        f"{score.name} does not answer equal rows equally: asked again in other batches, "
        f"{int((differs > 0).sum())} of {n_rows} answers differ, by up to {differs.max():.3g}. "
        "Contributions carry this noise; fix its random state, or what it takes from the batch."
    )
    warnings.warn(note, UserWarning, stacklevel=2)
    return (note,)
