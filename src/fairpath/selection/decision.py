"""Mixtures and thresholds by what they decide: the most accurate decisions within a limit."""

from dataclasses import dataclass, replace

import numpy as np

from fairpath.selection.mixture import SLACK, Shares, mixed
from fairpath.selection.rows import Rows
from fairpath.vocabulary import FloatMatrix, FloatVector

SHARES = tuple(k / 20 for k in range(1, 20))
"""Shares of the first selection in a mixture that are tried."""


@dataclass(frozen=True)
class Choice:
    """A mixture of selections with a threshold, and what it decides.

    Attributes
    ----------
    shares
        Positions of selections, with their shares.
    threshold
        Decisions are mixed outputs above it.
    accuracy, disparity
        Of the decisions; of several comparisons the largest |Δ|.
    """

    shares: Shares
    threshold: float
    accuracy: float
    disparity: float


def most_accurate(
    values: FloatMatrix, rows: Rows, *, limit: float | None, tuned: bool, mixes: bool = True
) -> Choice:
    """Return the most accurate choice whose decisions have |Δ| within the limit.

    Without one within the limit, the choice with the least |Δ|; of equally accurate ones the
    first: selections come before mixtures, and earlier ones before later ones.

    Parameters
    ----------
    values
        v(T) of the rows, a column for each selection.
    rows
        Who they are; its threshold is used unless it is ``tuned``.
    limit
        The largest |Δ| that is allowed; None: any.
    mixes
        Whether neighbours, and the first with the last, are mixed too.
    """
    last = values.shape[1] - 1
    pairs = [(k, k + 1) for k in range(last)] + ([(0, last)] if last > 1 else [])
    tried: list[Shares] = [((k, 1.0),) for k in range(last + 1)]
    if mixes:
        tried += [mixed(one, other, share) for one, other in pairs for share in SHARES]
    best: Choice | None = None
    for shares in tried:
        output = values[:, [k for k, _ in shares]] @ np.array([share for _, share in shares])
        found = _decided(output, rows, limit, tuned=tuned)
        if best is None or better(found, best, limit):
            best = replace(found, shares=shares)
    assert best is not None  # noqa: S101 - there is at least one selection
    return best


def better(one: Choice, other: Choice, limit: float | None) -> bool:
    """Whether decisions are more accurate within the limit, or at least closer to it."""
    if limit is not None:
        within = [choice.disparity <= limit + SLACK for choice in (one, other)]
        if not all(within):
            return within[0] or (not within[1] and one.disparity < other.disparity)
    return one.accuracy > other.accuracy


def _decided(output: FloatVector, rows: Rows, limit: float | None, *, tuned: bool) -> Choice:
    if not tuned:
        (found,) = rows.measured(output[:, None])
        gap = max(map(abs, found.decision_disparity))
        return Choice((), rows.threshold, found.accuracy, gap)
    # Row by row from the highest output on, one more is decided for; ties are decided together.
    order = np.argsort(-output, kind="stable")
    falling = output[order]
    ends = np.append(falling[1:] < falling[:-1], True)
    towards = (rows.shares * (2.0 * rows.favoured - 1))[order]
    accuracy = np.append(0.0, np.cumsum(towards)[ends]) + rows.shares @ (1 - rows.favoured)
    moved = np.cumsum(rows.gaps[:, order], axis=1)[:, ends]
    gaps = np.abs(np.hstack([np.zeros((len(moved), 1)), moved]) + rows.constants[:, None])
    worst = gaps.max(axis=0)
    allowed = np.ones(len(worst), dtype=np.bool_) if limit is None else worst <= limit + SLACK
    place = int(
        np.argmax(np.where(allowed, accuracy, -np.inf)) if allowed.any() else worst.argmin()
    )
    steps = falling[ends]
    higher = steps[place - 1] if place else np.inf
    lower = steps[place] if place < len(steps) else -np.inf
    return Choice((), _between(lower, higher), float(accuracy[place]), float(worst[place]))


def _between(lower: float, higher: float) -> float:
    """Return a threshold that ``higher`` exceeds and ``lower`` does not."""
    if np.isinf(higher):
        return float(lower)
    if np.isinf(lower):
        return float(np.nextafter(higher, -np.inf))
    middle = (lower + higher) / 2
    return float(middle if middle < higher else lower)
