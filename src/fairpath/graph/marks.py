"""What a graph file says, before anyone has asked whether it makes sense.

Readers of every format return a `RawGraph`; `CausalGraph` checks it. Writers of
every format take anything with the four attributes of `Marks`.
"""

from dataclasses import dataclass
from typing import Protocol

from fairpath.vocabulary import Edge, Reading


@dataclass(frozen=True)
class RawEdge:
    """One edge as written; ``line`` says where, for error messages."""

    source: str
    target: str
    directed: bool = True
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.source} {'->' if self.directed else '--'} {self.target}"


@dataclass(frozen=True)
class RawGraph:
    """Nodes in order of first mention, edges in order of appearance, not yet checked."""

    nodes: tuple[str, ...]
    edges: tuple[RawEdge, ...]
    reading: Reading = "drawn"


class Marks(Protocol):
    """The content of a causal graph, which is all that a writer or a drawing needs."""

    @property
    def nodes(self) -> tuple[str, ...]:
        """Column names, sorted."""
        ...

    @property
    def directed(self) -> tuple[Edge, ...]:
        """Sorted pairs of cause and effect."""
        ...

    @property
    def undirected(self) -> tuple[Edge, ...]:
        """Sorted pairs, each in sorted order."""
        ...

    @property
    def reading(self) -> Reading:
        """What the undirected edges mean."""
        ...
