"""Every λ at which the selected set changes."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fairpath.selection.greedy import Run
from fairpath.selection.terms import Terms
from fairpath.vocabulary import BoolVector

NEGLIGIBLE = 1e-3
"""A share of the disparity below which no λ is meant to push it."""

FIRST = 1e-9
"""The smallest λ that is tried, as a share of the largest."""

STEP = 1e-9
"""Next values of λ lie at least so much, relatively, above the last one."""

MOST_RUNS = 5_000
"""So many changes of decisions are followed, and then a grid is used."""

GRID = 50


class Chosen(NamedTuple):
    """The set that is selected from this λ on."""

    fairness_weight: float
    held: BoolVector


def largest_weight(terms: Terms) -> float:
    """Return the λ at which a negligible share of the disparity outweighs all utility."""
    whole = np.abs(terms.carried(np.ones(len(terms.gains), dtype=np.bool_))).max()
    gap = max(float(whole), float(np.abs(terms.gaps).max(initial=0.0)))
    gain = float(np.abs(terms.gains).sum())
    return gain / (NEGLIGIBLE * gap) if gap > 0 and gain > 0 else 1.0


def grid(terms: Terms) -> tuple[float, ...]:
    """Return values of λ evenly spread over four orders of magnitude."""
    most = largest_weight(terms)
    return tuple(np.geomspace(most * 1e-4, most, GRID).tolist())


def follow(run: Callable[[float], Run], most: float) -> list[Chosen] | None:
    """Follow the greedy algorithm as λ grows; None if its decisions change too often.

    Every decision compares straight lines in λ, so a run knows up to which λ it stays the same.
    """
    found: list[Chosen] = []
    weight = FIRST * most
    for _ in range(MOST_RUNS):
        held, until = run(weight)
        if not found or (held != found[-1].held).any():
            found.append(Chosen(weight, held))
        if until >= most:
            return found
        weight = until * (1 + STEP)
    return None


def envelope(solve: Callable[[float], BoolVector], terms: Terms, most: float) -> list[Chosen]:
    """Find every exact solution as λ grows.

    The least objective is the lower envelope of one straight line in λ for each set. Where the
    lines of two solutions meet, a third one is below them or there is none between.
    """
    ends = [Chosen(weight, solve(weight)) for weight in (FIRST * most, most)]
    return _distinct([ends[0], *_between(solve, terms, *ends)])


def _between(
    solve: Callable[[float], BoolVector], terms: Terms, low: Chosen, high: Chosen
) -> list[Chosen]:
    """Return solutions beyond the lower end, each with the λ from which it is the best."""
    gap = [float(np.abs(terms.carried(one.held)).max()) for one in (low, high)]
    gain = [float(terms.gains @ one.held) for one in (low, high)]
    if gap[0] <= gap[1] * (1 + STEP) or gain[0] <= gain[1]:
        return []
    meet = (gain[0] - gain[1]) / (gap[0] - gap[1])
    if not low.fairness_weight < meet < high.fairness_weight:
        return [high]
    middle = solve(meet)
    size = abs(terms.loss(low.held, meet)) + meet * gap[0]
    if terms.loss(middle, meet) >= terms.loss(low.held, meet) - STEP * size:
        return [Chosen(meet, high.held)]
    at = Chosen(meet, middle)
    return [*_between(solve, terms, low, at), *_between(solve, terms, at, high)]


def _distinct(found: list[Chosen]) -> list[Chosen]:
    kept = found[:1]
    for one in found[1:]:
        if (one.held != kept[-1].held).any():
            kept.append(one)
    return kept
