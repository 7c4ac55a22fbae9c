"""Let the data decide which open triples of a drawn graph are colliders.

The third condition of the paper's definition: directions must agree with the
independences in the data. For an unshielded triple x – z – y, x and y are independent
given some set without z if z is a collider, and given some set with z if it is not. So
the set with the largest p-value decides (Ramsey's PC-Max), strongest evidence first;
what contradicts stronger evidence takes the only answer that is left, and is named.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import exp

from fairpath.errors import GraphError
from fairpath.graph.causal_graph import CausalGraph
from fairpath.graph.orientation import Orientation, closed, complete, orientation_of
from fairpath.independence import IndependenceTest
from fairpath.vocabulary import FloatVector

MAX_CONDITIONING = 3


@dataclass(frozen=True)
class Separation:
    """The set given which two nodes look most independent, and how much so."""

    given: tuple[str, ...]
    log_p: float

    def __str__(self) -> str:
        names = ", ".join(self.given) or "nothing"
        return f"p = {exp(self.log_p):.2g} given {names}"


@dataclass(frozen=True)
class Decision:
    """Whether the middle of an unshielded triple is a collider, and on what evidence.

    Attributes
    ----------
    triple
        The two ends and, between them, the node in question.
    collider
        What was decided.
    without, including
        The best separation of the ends by a set without the middle, and by one with it.
    contradicts
        Stronger decisions that left no choice, if the tests spoke for the opposite.
    """

    triple: tuple[str, str, str]
    collider: bool
    without: Separation
    including: Separation
    contradicts: tuple[tuple[str, str, str], ...] = ()

    @property
    def strength(self) -> float:
        """How far the two p-values are apart, in logarithms."""
        return abs(self.without.log_p - self.including.log_p)

    def __str__(self) -> str:
        one, middle, other = self.triple
        verdict = "is a collider" if self.collider else "is no collider"
        text = (
            f"{one} – {middle} – {other}: {middle} {verdict}; "
            f"{one} and {other} independent: {self.without}, {self.including}"
        )
        if self.contradicts:
            stronger = "; ".join(" – ".join(triple) for triple in self.contradicts)
            text += f"; the tests say the opposite, but stronger ones forbid it: {stronger}"
        return text


@dataclass(frozen=True, eq=False, repr=False)
class ResolvedGraph(CausalGraph):
    """A graph whose open triples were decided by data; equal to the same graph drawn."""

    decisions: tuple[Decision, ...] = ()

    def __str__(self) -> str:
        decided = "\n".join(f"  {decision}" for decision in self.decisions)
        return f"{self!r}\n{decided or '  no open triple: nothing was to be decided'}"


def resolve(
    graph: CausalGraph,
    data: object,
    *,
    weights: FloatVector | None = None,
    max_conditioning: int = MAX_CONDITIONING,
) -> ResolvedGraph:
    """Decide every open unshielded triple of a drawn graph by independence tests.

    Parameters
    ----------
    graph
        A drawn graph. A markov graph has no open triple and is only completed.
    data
        A table with a column for each node that a test needs.
    weights
        How often each row counts.
    max_conditioning
        How many nodes of unknown direction may be conditioned on besides the parents.

    Returns
    -------
    The closed markov graph, with its ``decisions``; print it to see them.
    """
    if max_conditioning < 1:
        raise GraphError(f"max_conditioning must be at least 1, got {max_conditioning!r}.")
    graph = closed(graph)
    test = None
    undecided = []
    for one, middle, other in _open_triples(graph):
        test = test or IndependenceTest(data, weights=weights)
        separations = list(_separations(graph, test, (one, middle, other), max_conditioning))
        without = max((s for s in separations if middle not in s.given), key=lambda s: s.log_p)
        including = max((s for s in separations if middle in s.given), key=lambda s: s.log_p)
        collider = without.log_p > including.log_p
        undecided.append(Decision((one, middle, other), collider, without, including))
    undecided.sort(key=lambda decision: (-decision.strength, decision.triple))

    decisions: list[Decision] = []
    for decision in undecided:
        decisions.append(_settled(graph, decisions, decision))
    colliders = [decision.triple for decision in decisions if decision.collider]
    arrows = {(end, z) for x, z, y in colliders for end in (x, y)}
    pattern = CausalGraph(
        directed=tuple(arrows.union(graph.directed)),
        undirected=tuple(e for e in graph.undirected if not arrows & {e, e[::-1]}),
        nodes=graph.nodes,
        reading="markov",
    )
    found = complete(pattern)
    return ResolvedGraph(found.directed, found.undirected, found.nodes, "markov", tuple(decisions))


def _open_triples(graph: CausalGraph) -> Iterator[tuple[str, str, str]]:
    """Yield the unshielded triples whose marks do not say whether the middle is a collider."""
    if graph.reading == "markov":
        return
    for middle in graph.nodes:
        causes = (*graph.parents(middle), *graph.neighbours(middle))
        for one, other in combinations(sorted(causes), 2):
            directed = one in graph.parents(middle) and other in graph.parents(middle)
            if other not in graph.adjacent(one) and not directed:
                yield one, middle, other


def _separations(
    graph: CausalGraph,
    test: IndependenceTest,
    triple: tuple[str, str, str],
    max_conditioning: int,
) -> Iterator[Separation]:
    """Yield the test given each set that can be the parents of one end."""
    one, _, other = triple
    tried: set[tuple[str, ...]] = set()
    for end in (one, other):
        parents, unknown = graph.parents(end), graph.neighbours(end)
        for size in range(min(max_conditioning, len(unknown)) + 1):
            for chosen in combinations(unknown, size):
                given = tuple(sorted((*parents, *chosen)))
                if given not in tried:
                    tried.add(given)
                    yield Separation(given, test.test(one, other, given).log_p_value)


def _settled(graph: CausalGraph, stronger: Sequence[Decision], decision: Decision) -> Decision:
    """Keep the decision if some DAG agrees with it and all stronger ones, else turn it."""
    if _agree(graph, [*stronger, decision]):
        return decision
    blame = list(stronger)
    for other in reversed(stronger):
        fewer = [d for d in blame if d is not other]
        if not _agree(graph, [*fewer, decision]):
            blame = fewer
    return replace(
        decision,
        collider=not decision.collider,
        contradicts=tuple(other.triple for other in blame),
    )


def _agree(graph: CausalGraph, decisions: Sequence[Decision]) -> bool:
    """Whether some DAG of the drawn graph has exactly these colliders among the triples."""
    number = {node: i for i, node in enumerate(graph.nodes)}
    orientation: Orientation | None = orientation_of(graph)
    for decision in decisions:
        one, middle, other = (number[node] for node in decision.triple)
        if decision.collider:
            orientation = orientation and orientation.orient(one, middle)
            orientation = orientation and orientation.orient(other, middle)
    chains = [tuple(number[n] for n in d.triple) for d in decisions if not d.collider]
    return orientation is not None and _leaves_room(orientation, chains)


def _leaves_room(orientation: Orientation, chains: Sequence[tuple[int, ...]]) -> bool:
    """Whether the middle of each chain can have an arrow to one of the ends, all at once."""
    if not chains:
        return True
    one, middle, other = chains[0]
    ways = (orientation.orient(middle, end) for end in (one, other))
    return any(way is not None and _leaves_room(way, chains[1:]) for way in ways)
