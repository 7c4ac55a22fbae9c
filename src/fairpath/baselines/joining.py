"""In which orders features join, and which rows give what has not joined yet."""

from collections.abc import Sequence

import numpy as np

from fairpath.errors import DataError
from fairpath.game.contributions import MOST_EXACT, Plan
from fairpath.game.orders import topological, uniform
from fairpath.game.tree import Features
from fairpath.options import check_choice, check_count
from fairpath.paths import Arrangement, Path
from fairpath.preparing import LEAST_PER_PLAYER
from fairpath.vocabulary import FloatVector, IntVector

DONORS = 100
"""Rows of the background, if nothing else is said."""

_BACKGROUND = 21
_START = ""


def as_paths(features: Features) -> tuple[Path, ...]:
    """Return each feature as the last step to the prediction.

    >>> print(*as_paths(("job", "pay")), sep="; ")
    job → prediction; pay → prediction
    """
    return tuple(Path((feature,), ()) for feature in features)


def plan_for(
    players: Features, before: Sequence[frozenset[int]], method: str, rounds: object
) -> Plan:
    """Choose between all sets of features and random orders, pairs for each row and donor."""
    check_choice("method", method, ("auto", "exact", "sampled"))
    n_players = len(players)
    is_counted = not (isinstance(rounds, str) and rounds == "auto")
    if is_counted:
        check_count("rounds", rounds, 1)
    if method == "exact" and is_counted:
        raise DataError(
            f"method='exact' has no rounds of orders, got rounds={rounds!r}. Leave rounds out, or "
            "use method='sampled'."
        )
    if method == "exact" and n_players > MOST_EXACT:
        raise DataError(
            f"method='exact' evaluates up to 2 ** {n_players} sets of the {n_players} features, "
            f"more than the 2 ** {MOST_EXACT} allowed. Use method='sampled'."
        )
    cheap = n_players < MOST_EXACT and 1 << n_players <= LEAST_PER_PLAYER * (n_players + 1)
    nobody_cares = np.zeros(0)  # P(a') belongs to games of paths
    if method == "exact" or (method == "auto" and cheap):
        return Plan(nobody_cares, n_players, None)
    blocks = tuple((player,) for player in players)
    causal = Arrangement(
        _START,
        blocks,
        {blocks[i]: tuple(blocks[other] for other in others) for i, others in enumerate(before)},
        outside=(),
        players=tuple(Path((_START, player), ("→",)) for player in players),
    )
    draw = (topological if any(before) else uniform)(causal)
    return Plan(nobody_cares, n_players, draw, int(rounds) if is_counted else 1)  # type: ignore[call-overload]


def drawn_donors(weights: FloatVector, background: object, seed: int) -> tuple[IntVector, str]:
    """Draw rows of the background, each as often as it counts; say which they are.

    Without replacement where all rows count alike.
    """
    size = DONORS if background is None else background
    check_count("background", size, 1)
    counted = np.flatnonzero(weights > 0)
    mass = weights[counted]
    alike = bool((mass == mass[0]).all())
    size = min(int(size), len(counted)) if alike else int(size)  # type: ignore[call-overload]
    rng = np.random.default_rng([seed, _BACKGROUND])
    rows = np.sort(rng.choice(counted, size, replace=not alike, p=mass / mass.sum()))
    return rows, f"background: {size} rows of the data, drawn with seed {seed}"
