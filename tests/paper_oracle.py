"""Brute force: the paper's values and Shapley equations as plain loops, for tests of the fast code.

Every row, level, coalition and permutation is visited. Values are numbers as the links see them:
categories and the sensitive attribute are codes. Where a disparity conditions on the outcome,
call this once for each outcome level, with its rows, mechanisms and shares.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np

from fairpath.links.link import FittedLink
from fairpath.paths import Arrangement, Path
from fairpath.paths.path import Block

Model = Callable[[dict[str, float]], float]
Mechanisms = Mapping[str, Callable[[dict[str, float], int], float]]
"""x_i = g_i(Dp_i, X̄(P), e_i): each feature from its parents and the noise of a row."""

MAX_PLAYERS = 6


class Row(NamedTuple):
    """One person: which noise, and the factual values of all columns, the attribute included."""

    index: int
    columns: Mapping[str, float]


class Parts(NamedTuple):
    """What makes up the difference between a stratum and the reference."""

    disparity: float
    contributions: list[float]
    remainder: float


def values(  # noqa: PLR0917 - the symbols of f(x(a'|T))
    arrangement: Arrangement,
    mechanisms: Mechanisms,
    row: Row,
    own: float,
    other: float,
    coalition: Collection[Path],
    model: Model,
) -> float:
    """f(x(a'|T)): the players in T carry the level ``own``, all others carry ``other``."""
    sensitive, factual = arrangement.sensitive, row.columns
    # "the values of A which pass through T will be set to a,
    #  while those passing through P \ T will be set to a'"
    level = {player.nodes: own if player in coalition else other for player in arrangement.players}
    # The paper's X̄: "the set of feature variables that are not in X(P)".
    outside = {name: factual[name] for name in arrangement.outside if name in factual}

    def seen(block: Block, suffix: tuple[Block, ...]) -> dict[str, float]:
        """Return a block's features as seen through the blocks that follow it on a chain."""
        if block == sensitive:
            return {sensitive: level[sensitive, *suffix]}
        features = (block,) if isinstance(block, str) else block
        known = dict(outside)
        for before in arrangement.predecessors[features]:
            known |= seen(before[0] if len(before) == 1 else before, (block, *suffix))
        # x_i(a'|T) = g_i(Dp_i(a'|T), X̄(P), e_i); in a block also given its earlier features
        for feature in sorted(features):
            if all(_same(value, factual[name]) for name, value in known.items()):
                known[feature] = factual[feature]
            else:
                known[feature] = mechanisms[feature](dict(known), row.index)
        return {feature: known[feature] for feature in features}

    inputs = dict(outside)
    for end in {player.nodes[-1] for player in arrangement.players}:
        inputs |= seen(end, ())
    return model(inputs)


def phi(
    arrangement: Arrangement,
    mechanisms: Mechanisms,
    row: Row,
    shares: Mapping[float, float],
    model: Model,
) -> tuple[list[float], float, float]:
    """Return the Shapley value of each player, v(∅) and f(x); ``shares`` is P(a') by level."""
    players, own = arrangement.players, row.columns[arrangement.sensitive]
    if len(players) > MAX_PLAYERS or any(player.longer for player in players):
        raise ValueError(f"The oracle takes up to {MAX_PLAYERS} players, none for longer paths.")

    # v(T) = E_{a' ~ P(A)} f(x(a'|T))
    v = {}
    for size in range(len(players) + 1):
        for coalition in combinations(players, size):
            v[frozenset(coalition)] = sum(
                share * values(arrangement, mechanisms, row, own, other, coalition, model)
                for other, share in shares.items()
            )

    # φ(p) = Σ_π [v({p': π(p') ≤ π(p)}) - v({p': π(p') < π(p)})] / |Π|
    gains = dict.fromkeys(players, 0.0)
    orders = list(permutations(players))
    for order in orders:
        for place, player in enumerate(order):
            gains[player] += v[frozenset(order[: place + 1])] - v[frozenset(order[:place])]
    return [gains[p] / len(orders) for p in players], v[frozenset()], model(dict(row.columns))


def explain(  # noqa: PLR0917 - as it says: everything that Δ depends on
    arrangement: Arrangement,
    mechanisms: Mechanisms,
    rows: Sequence[Row],
    strata: Sequence[float],
    shares: Mapping[float, float],
    weights: Sequence[float],
    model: Model,
    reference: float,
) -> dict[float, Parts]:
    """Return the parts of Δ for each stratum but the reference; ``strata`` and weights by row."""
    explained = [phi(arrangement, mechanisms, row, shares, model) for row in rows]

    def mean(stratum: float) -> tuple[float, list[float], float]:
        """E[f(X)|a], E[φ(p)|a] for each player, E[v(∅)|a]."""
        f, v_empty, gains, total = 0.0, 0.0, [0.0] * len(arrangement.players), 0.0
        for (row_gains, row_empty, row_f), label, weight in zip(
            explained, strata, weights, strict=True
        ):
            if label == stratum:
                f, v_empty, total = f + weight * row_f, v_empty + weight * row_empty, total + weight
                gains = [g + weight * gain for g, gain in zip(gains, row_gains, strict=True)]
        return f / total, [g / total for g in gains], v_empty / total

    # Δ = E[f(X)|a] - E[f(X)|a0], Φ(p) = E[φ(p)|a] - E[φ(p)|a0]
    f0, gains0, empty0 = mean(reference)
    parts = {}
    for stratum in sorted(set(strata) - {reference}):
        f, gains, empty = mean(stratum)
        contributions = [g - g0 for g, g0 in zip(gains, gains0, strict=True)]
        parts[stratum] = Parts(f - f0, contributions, empty - empty0)
    return parts


def from_links(
    fitted: Mapping[str, FittedLink],
    sources: Mapping[str, Sequence[str]],
    noise: Mapping[str, np.ndarray],
) -> Mechanisms:
    """Ask fitted links for one row at a time; ``sources`` name the columns of their parents."""

    def mechanism(feature: str) -> Callable[[dict[str, float], int], float]:
        def generate(parents: dict[str, float], row: int) -> float:
            matrix = np.array([[parents[name] for name in sources[feature]]], dtype=np.float64)
            return float(fitted[feature].generate(matrix, noise[feature][row : row + 1])[0])

        return generate

    return {feature: mechanism(feature) for feature in fitted}


def _same(one: float, other: float) -> bool:
    return one == other or (np.isnan(one) and np.isnan(other))
