"""The PC algorithm: edges, colliders, and what follows from them and from what is known.

The result always stands for at least one DAG: where tests contradict each other or what is
known, the stronger evidence stays.
"""

from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from math import inf

from tqdm import tqdm

from fairpath.discovery.asking import Test
from fairpath.discovery.colliders import Rule, Triple, triples
from fairpath.discovery.knowledge import Knowledge, directed_by
from fairpath.discovery.settle import Verdict, blamed, settled
from fairpath.discovery.skeleton import Answer, Skeleton, skeleton
from fairpath.graph import CausalGraph, complete
from fairpath.graph.meek import Arrow


@dataclass(frozen=True)
class Turned:
    """A triple that took the other answer, and the stronger ones that forbade its own."""

    triple: Triple
    blame: tuple[Verdict, ...]


@dataclass(frozen=True)
class Dropped:
    """An edge without a direction: what is known would close a cycle."""

    arrow: Arrow
    cycle: tuple[int, ...]
    support: Answer


@dataclass(frozen=True)
class Pattern:
    """What the search found, in numbers of nodes; `graph` has the names."""

    graph: CausalGraph
    skeleton: Skeleton
    triples: tuple[Triple, ...]
    turned: tuple[Turned, ...]
    dropped: tuple[Dropped, ...]


def pc(
    test: Test,
    knowledge: Knowledge,
    *,
    alpha: float,
    max_conditioning: int | None = None,
    colliders: Rule = "majority",
    explain: bool = True,
    progress: tqdm | None = None,
) -> Pattern:
    """Search for the class of graphs that has the independences which the test reports.

    Parameters
    ----------
    test
        Answers questions about independence, see `Test`; `ByFunction` makes one of a function.
    knowledge
        What is known beforehand.
    alpha
        Below this p-value two columns are dependent.
    max_conditioning
        The largest set that a test may condition on.
    colliders
        The rule for unshielded triples.
    explain
        Whether to find out which stronger tests forbade what was turned.

    >>> from fairpath.discovery import ByFunction, knowledge_of
    >>> def coins(one, other, given):
    ...     return float({one, other} == {"coin", "other coin"} and not given)
    >>> known = knowledge_of(["bell", "coin", "other coin"])
    >>> pc(ByFunction(known.names, coins), known, alpha=0.05).graph
    <CausalGraph, markov: coin -> bell; other coin -> bell>
    """
    n_nodes = len(knowledge.names)
    found = skeleton(
        test, knowledge, alpha=alpha, max_conditioning=max_conditioning, progress=progress
    )
    dropped = _without_known_cycles(knowledge, found)
    judged = triples(
        test,
        knowledge,
        found,
        rule=colliders,
        alpha=alpha,
        max_conditioning=max_conditioning,
        progress=progress,
    )
    arrows = directed_by(knowledge, found.joined)
    said = [triple.verdict for triple in judged]
    kept, turned = settled(n_nodes, arrows, said)
    why = [
        Turned(judged[i], tuple(blamed(n_nodes, arrows, kept[:i], said[i]) if explain else ()))
        for i in turned
    ]
    for one, middle, other, collider in kept:
        if collider:
            arrows |= {(one, middle), (other, middle)}
    names = knowledge.names
    pattern = CausalGraph(
        directed=tuple((names[u], names[v]) for u, v in arrows),
        undirected=tuple(
            (names[u], names[v])
            for u, v in found.pairs()
            if (u, v) not in arrows and (v, u) not in arrows
        ),
        nodes=names,
        reading="markov",
    )
    return Pattern(complete(pattern), found, tuple(judged), tuple(why), tuple(dropped))


def _without_known_cycles(knowledge: Knowledge, found: Skeleton) -> list[Dropped]:
    """Remove the weakest edge of each cycle among the directions that are known."""
    dropped = []
    while True:
        sorter: TopologicalSorter[int] = TopologicalSorter()
        for u, v in sorted(directed_by(knowledge, found.joined)):
            sorter.add(v, u)
        try:
            sorter.prepare()
        except CycleError as error:
            cycle = tuple(error.args[1])
            arrow = max(
                (step for step in pairwise(cycle) if step not in knowledge.required),
                key=lambda step: (_support(found, step).log_p, step),
            )
            dropped.append(Dropped(arrow, cycle, _support(found, arrow)))
            found.part(*arrow)
        else:
            return dropped


def _support(found: Skeleton, arrow: Arrow) -> Answer:
    return found.support.get((min(arrow), max(arrow)), Answer((), -inf))
