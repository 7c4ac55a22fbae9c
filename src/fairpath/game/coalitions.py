"""Which coalitions a node is evaluated under, and which of them its children see.

A coalition of all players shows a node only the players below it. So a chain of nested
coalitions has, seen from a node with m players, only m + 1 different states, and all
subsets of many players are 2 ** m subsets.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairpath.game.tree import Node
from fairpath.vocabulary import BoolMatrix, BoolVector, IntMatrix, IntVector

Codes: TypeAlias = NDArray[Any]
"""Small integers: one for each state of each row, or one row of them for all rows."""

Spread: TypeAlias = Callable[[Codes], Codes]
"""Turns the states of a child into those of its parent."""


class Coalitions(Protocol):
    """The states of one node: coalitions of the players below it."""

    @property
    def n_states(self) -> int:
        """How many."""
        ...

    @property
    def joined(self) -> BoolVector:
        """Where there is one player: whether it has joined, for each state."""
        ...

    def seen_by(self, child: Node) -> tuple[Self, Spread]:
        """Return the states of a child, and how to find them in the states here."""
        ...


@dataclass(frozen=True, eq=False)
class Chains:
    """Each row's own nested coalitions: state k holds the first k players of its order.

    ``joining`` has the shape (rows, states): who joins in each state; in the first one nobody,
    who is written as the number of all players.
    """

    joining: IntMatrix

    @classmethod
    def of(cls, order: IntMatrix) -> "Chains":
        """Let all players join, in the order of each row."""
        n_rows, n_players = order.shape
        return cls(np.column_stack([np.full(n_rows, n_players), order]))

    @property
    def n_states(self) -> int:
        """One more than players."""
        return int(self.joining.shape[1])

    @property
    def joined(self) -> BoolVector:
        """No, then yes."""
        return np.array([False, True])

    def seen_by(self, child: Node) -> tuple["Chains", Spread]:
        """Keep the states in which one of the child's players joins, or nobody."""
        begins = np.flatnonzero(np.take(child.below, self.joining))
        shape = (len(self.joining), len(child.players) + 1)
        seen = Chains(np.take(self.joining, begins).reshape(shape))
        return seen, partial(_lasting, lasts=np.diff(begins, append=self.joining.size))


@dataclass(frozen=True, eq=False)
class Subsets:
    """All coalitions, the same for every row: state s holds the players whose bit in s is one."""

    players: IntVector

    @property
    def n_states(self) -> int:
        """Two to the number of players."""
        return int(1 << len(self.players))

    @property
    def joined(self) -> BoolVector:
        """No, then yes."""
        return np.array([False, True])

    def seen_by(self, child: Node) -> tuple["Subsets", Spread]:
        """Keep the bits of the child's players."""
        state = np.zeros(self.n_states, dtype=np.intp)
        for bit, player in enumerate(child.players):
            place = int(np.searchsorted(self.players, player))
            state |= (np.arange(self.n_states) >> place & 1) << bit
        return Subsets(child.players), partial(_picked, states=state)


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """State k holds all players but the k-th; the last state holds all of them."""

    players: IntVector

    @property
    def n_states(self) -> int:
        """One more than players."""
        return len(self.players) + 1

    @property
    def joined(self) -> BoolVector:
        """No, then yes."""
        return np.array([False, True])

    def seen_by(self, child: Node) -> tuple["LeaveOneOut", Spread]:
        """Let every player that is not the child's leave the child complete."""
        state = np.full(self.n_states, len(child.players), dtype=np.intp)
        state[np.searchsorted(self.players, child.players)] = np.arange(len(child.players))
        return LeaveOneOut(child.players), partial(_picked, states=state)


@dataclass(frozen=True, eq=False)
class Chosen:
    """Any coalitions, the same for every row: ``held`` has a row for each and a column a player."""

    players: IntVector
    held: BoolMatrix

    @property
    def n_states(self) -> int:
        """How many coalitions."""
        return len(self.held)

    @property
    def joined(self) -> BoolVector:
        """What the only column says."""
        return self.held[:, 0]

    def seen_by(self, child: Node) -> tuple["Chosen", Spread]:
        """Keep the columns of the child's players, and what differs in them."""
        columns = self.held[:, np.searchsorted(self.players, child.players)]
        held, state = np.unique(columns, axis=0, return_inverse=True)
        return Chosen(child.players, held), partial(_picked, states=state.ravel())


def _lasting(codes: Codes, lasts: IntVector) -> Codes:
    """Let each state of each row last until the next one of the child's players joins."""
    n_rows = len(lasts) // codes.shape[1]
    every = codes.ravel() if len(codes) == n_rows else np.tile(codes[0], n_rows)
    return np.repeat(every, lasts).reshape(n_rows, -1)


def _picked(codes: Codes, states: IntVector) -> Codes:
    return np.take(codes, states, axis=1)
