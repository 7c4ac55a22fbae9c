"""Carry a level from one law to another so that as few rows change as can be."""

import numpy as np

from fairpath.vocabulary import FloatMatrix, FloatVector, IntVector


def coupled(
    codes: IntVector,
    laws: FloatMatrix,
    own: IntVector,
    other: IntVector,
    uniforms: FloatMatrix,
) -> IntVector:
    """Return levels that follow the ``other`` law where the codes follow their ``own``.

    A row keeps its level with probability min(1, other / own); the rest is drawn from what
    the other law has more of. So the share of rows that change is the total variation
    distance, the least there can be, and no order of the levels is invented.

    Parameters
    ----------
    codes
        The level of each row.
    laws
        One law a row: the probability of each level.
    own, other
        For each code its row in ``laws``, and the one to go to.
    uniforms
        Two columns: whether a row keeps its level, and what it is drawn from otherwise.
    """
    # A level that its own law rules out is kept too, as long as the other one allows it.
    lost = np.flatnonzero(uniforms[:, 0] * laws[own, codes] >= laws[other, codes])
    upper = np.cumsum(np.maximum(laws[other[lost]] - laws[own[lost]], 0.0), axis=1)
    total = upper[:, -1]
    drawn = np.minimum(uniforms[lost, 1] * total, np.nextafter(total, 0.0))
    result = codes.copy()
    # No row is lost between equal laws, save one whose level both of them rule out: it stays.
    result[lost] = np.where(total > 0, (upper <= drawn[:, None]).sum(axis=1), codes[lost])
    return result


def placed(laws: FloatMatrix, codes: IntVector, uniforms: FloatVector) -> FloatVector:
    """Return a place in the share of the unit interval that the law of a row gives its code."""
    upper = np.cumsum(laws, axis=1)
    rows = np.arange(len(codes))
    above = upper[rows, codes]
    below = np.where(codes > 0, upper[rows, codes - 1], 0.0)
    place = below + uniforms * (above - below)
    return np.minimum(place, np.nextafter(above, 0.0))


def level_at(laws: FloatMatrix, places: FloatVector) -> IntVector:
    """Return the level into whose share of the unit interval a place falls."""
    upper = np.cumsum(laws[:, :-1], axis=1)
    return np.asarray((places[:, None] >= upper).sum(axis=1), dtype=np.intp)
