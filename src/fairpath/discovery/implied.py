"""The independences that a graph implies: the local Markov condition, pair by pair.

In a DAG each node is independent of every node that it does not lead to, given its parents. A graph
with undirected edges implies what all its DAGs imply. A Markov class agrees on every
independence, so one of its DAGs tells; a drawn graph keeps those of any of its DAGs that
hold in all of them.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from fairpath.errors import GraphError
from fairpath.graph import CausalGraph, complete, dags
from fairpath.graph.bits import as_bits, members, spread

MOST_DAGS = 2000


class Claim(NamedTuple):
    """Two nodes, by name, and the set given which a graph says something of them."""

    one: str
    other: str
    given: tuple[str, ...]


def claim_of(one: str, other: str, given: Iterable[str]) -> Claim:
    """Return a claim with its names in sorted order."""
    return Claim(min(one, other), max(one, other), tuple(sorted(given)))


class Dag(NamedTuple):
    """Parents and children of numbered nodes, as bits."""

    parents: tuple[int, ...]
    children: tuple[int, ...]

    @classmethod
    def of(cls, graph: CausalGraph, names: Sequence[str]) -> "Dag":
        """Take over a graph without undirected edges."""
        number = {name: i for i, name in enumerate(names)}

        def bits(listed: tuple[str, ...]) -> int:
            return as_bits(number[name] for name in listed)

        return cls(
            tuple(bits(graph.parents(name)) for name in names),
            tuple(bits(graph.children(name)) for name in names),
        )

    def separated(self, one: int, other: int, given: int) -> bool:
        """Whether the graph implies independence given some nodes (d-separation)."""
        up, down = 1 << one, 0
        waiting = [(one, True)]
        while waiting:
            node, upwards = waiting.pop()
            blocked = bool(given >> node & 1)
            # From below the ball goes on to parents; from above a node that is given sends it back.
            if upwards != blocked:
                further = self.parents[node] & ~up
                up |= further
                waiting += [(parent, True) for parent in members(further)]
            if not blocked:
                further = self.children[node] & ~down
                down |= further
                waiting += [(child, False) for child in members(further)]
        return not (up | down) >> other & 1

    def local(self) -> Iterator[tuple[int, int, int]]:
        """Yield each node, one that it does not lead to, and its parents; each claim once."""
        seen = set()
        everyone = (1 << len(self.parents)) - 1
        for node, parents in enumerate(self.parents):
            below = spread(1 << node, self.children)
            for other in members(everyone & ~below & ~parents):
                claim = min(node, other), max(node, other), parents
                if claim not in seen:
                    seen.add(claim)
                    yield claim


def members_of(graph: CausalGraph) -> list[CausalGraph]:
    """Return one DAG of a Markov class, or all DAGs of a drawn graph."""
    if graph.reading == "markov":
        return [next(dags(complete(graph)))]
    found = list(islice(dags(graph), MOST_DAGS + 1))
    if len(found) > MOST_DAGS:
        raise GraphError(
            f"The {len(graph.undirected)} undirected edges stand for more than {MOST_DAGS} DAGs, "
            "too many to find what all of them imply. Direct some, or let the data: resolve()."
        )
    return found


def implied(graph: CausalGraph, observed: frozenset[str]) -> tuple[Claim, ...]:
    """Return the independences among observed nodes that every DAG of the graph implies."""
    names = graph.nodes
    known = as_bits(i for i, name in enumerate(names) if name in observed)
    listed = [Dag.of(dag, names) for dag in members_of(graph)]
    found = set()
    for dag in listed:
        for one, other, given in dag.local():
            involved = 1 << one | 1 << other | given
            if not involved & ~known and all(d.separated(one, other, given) for d in listed):
                found.add((one, other, given))
    return tuple(
        sorted(
            Claim(names[one], names[other], tuple(names[i] for i in members(given)))
            for one, other, given in found
        )
    )


def adjacencies(graph: CausalGraph, observed: frozenset[str]) -> tuple[Claim, ...]:
    """Return, for each edge between observed nodes, the independences that it denies.

    Were there no edge u → v, u and v would be independent given the other parents of v; those of
    every DAG of the graph are listed.
    """
    found = set()
    for dag in members_of(graph):
        for cause, effect in dag.directed:
            given = tuple(name for name in dag.parents(effect) if name != cause)
            if observed.issuperset((cause, effect, *given)):
                found.add(claim_of(cause, effect, given))
    return tuple(sorted(found))
