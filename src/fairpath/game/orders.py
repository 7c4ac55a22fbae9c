"""In which orders the players join: all of them, or only those that follow the causes."""

from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from fairpath.errors import GraphError
from fairpath.paths import Arrangement
from fairpath.vocabulary import IntMatrix, IntVector

Draw: TypeAlias = Callable[[int, np.random.Generator], tuple[IntMatrix, IntMatrix]]
"""A pair of orders for each of some rows, shape (rows, players) each."""

MAX_STATES = 200_000
"""Most sets of blocks that can come first, for drawing uniformly among causal orders."""


def uniform(arrangement: Arrangement) -> Draw:
    """All orders alike (the paper's equation 5); the second is the first one reversed."""
    n_players = len(arrangement.players)

    def draw(n_rows: int, rng: np.random.Generator) -> tuple[IntMatrix, IntMatrix]:
        order = np.argsort(rng.random((n_rows, n_players)), axis=1)
        return order, order[:, ::-1]

    return draw


def topological(arrangement: Arrangement) -> Draw:
    """Blocks join in an order that fits their predecessors, all such orders alike.

    The paths of a block enter when it does, in the order in which their prefixes did.
    """
    causal = _CausalOrders(arrangement)

    def draw(n_rows: int, rng: np.random.Generator) -> tuple[IntMatrix, IntMatrix]:
        return causal.draw(n_rows, rng), causal.draw(n_rows, rng)

    return draw


class _CausalOrders:
    """Draws orders of blocks uniformly, by counting in how many ways each set can be completed."""

    def __init__(self, arrangement: Arrangement) -> None:
        start = (arrangement.sensitive,)
        blocks = arrangement.blocks
        number = {block: i for i, block in enumerate(blocks)}
        self._n_blocks = len(blocks)
        self._needs = [
            sum(1 << number[b] for b in arrangement.predecessors[block] if b != start)
            for block in blocks
        ]
        self._completions = lru_cache(maxsize=None)(self._count)
        # A player is the sequence of its blocks; it enters with the last of them.
        self._chains = [
            tuple(
                number[block]
                for part in path.nodes[1:]
                if (block := (part,) if isinstance(part, str) else part) in number
            )
            for path in arrangement.players
        ]
        self._merged = [path.longer for path in arrangement.players]

    def draw(self, n_rows: int, rng: np.random.Generator) -> IntMatrix:
        """Draw an order of the players for each row."""
        taken = np.zeros(n_rows, dtype=object)
        places = np.zeros((n_rows, self._n_blocks), dtype=np.intp)
        for place in range(self._n_blocks):
            following = taken.copy()
            for done in sorted(set(taken.tolist())):
                rows = np.flatnonzero(taken == done)
                free = [b for b in range(self._n_blocks) if self._may_follow(b, done)]
                ways = np.array([float(self._completions(done | 1 << b)) for b in free])
                chosen = rng.choice(free, size=len(rows), p=ways / ways.sum())
                places[rows, chosen] = place
                following[rows] = [done | 1 << int(block) for block in chosen]
            taken = following
        distinct, which = np.unique(places, axis=0, return_inverse=True)
        orders = np.array([self._players_in(place) for place in distinct], dtype=np.intp)
        return orders.reshape(len(distinct), len(self._chains))[which.ravel()]

    def _players_in(self, places: IntVector) -> list[int]:
        """Sort the players by the place of their last block, then by that of their prefix."""

        def rank(player: int) -> tuple[bool, tuple[int, ...]]:
            return self._merged[player], tuple(int(places[b]) for b in self._chains[player][::-1])

        return sorted(range(len(self._chains)), key=lambda p: (rank(p)[1][:1], *rank(p)))

    def _may_follow(self, block: int, done: int) -> bool:
        return not done >> block & 1 and self._needs[block] & done == self._needs[block]

    def _count(self, done: int) -> int:
        if self._completions.cache_info().currsize > MAX_STATES:
            raise GraphError(
                "There are too many causal orders to draw from. Use order='uniform', or limit the "
                "blocks with a graph that orders more of them."
            )
        free = [b for b in range(self._n_blocks) if self._may_follow(b, done)]
        return sum(self._completions(done | 1 << b) for b in free) if free else 1
