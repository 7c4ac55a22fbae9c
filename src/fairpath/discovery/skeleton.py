"""Which columns are joined: the first half of the PC algorithm, in its stable form.

Level k removes each edge whose ends are independent given some k of the possible causes of
one end. Who is next to whom is frozen during a level (Colombo and Maathuis 2014), so
that nothing depends on the order in which edges are looked at.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations, count
from math import inf, isnan, log
from operator import and_

from tqdm import tqdm

from fairpath.discovery.asking import Pair, Question, Test, answered
from fairpath.discovery.knowledge import Knowledge
from fairpath.graph.bits import as_bits, members


@dataclass(frozen=True)
class Answer:
    """A set of nodes and how independent a pair is given it."""

    given: tuple[int, ...]
    log_p: float


@dataclass
class Skeleton:
    """The edges, and why others are none.

    Attributes
    ----------
    joined
        The neighbours of each node, as bits.
    separations
        For each pair that a test took apart, the first set that did.
    support
        For each edge that was tested, the set given which its ends look most independent.
    """

    joined: list[int]
    separations: dict[Pair, Answer] = field(default_factory=dict)
    support: dict[Pair, Answer] = field(default_factory=dict)
    answers: dict[tuple[Pair, tuple[int, ...]], float] = field(default_factory=dict)
    """Everything that was asked, so that nothing is asked twice."""

    @property
    def n_tests(self) -> int:
        """How many tests there were."""
        return len(self.answers)

    @property
    def silent(self) -> list[tuple[Pair, tuple[int, ...]]]:
        """What the data could not answer."""
        return [asked for asked, log_p in self.answers.items() if isnan(log_p)]

    def pairs(self) -> Iterator[Pair]:
        """Yield each edge once."""
        for u, near in enumerate(self.joined):
            for v in members(near >> u + 1 << u + 1):
                yield u, v

    def part(self, u: int, v: int) -> None:
        """Remove an edge."""
        self.joined[u] &= ~(1 << v)
        self.joined[v] &= ~(1 << u)


def skeleton(
    test: Test,
    knowledge: Knowledge,
    *,
    alpha: float,
    max_conditioning: int | None = None,
    progress: tqdm | None = None,
) -> Skeleton:
    """Start with every edge that is allowed, and remove what some test takes apart."""
    nodes = range(len(knowledge.names))
    found = Skeleton(
        [as_bits(v for v in nodes if v != u and knowledge.may_join(u, v)) for u in nodes]
    )
    open_pairs = [
        as_bits(v for v in members(found.joined[u]) if not knowledge.is_required(u, v))
        for u in nodes
    ]
    causes = [knowledge.causes(v) for v in nodes]
    least = log(alpha)
    for size in count():
        sources = [near & causes[v] for v, near in enumerate(found.joined)]
        # An end may itself be among the candidates, so it takes one more than the size.
        if (max_conditioning is not None and size > max_conditioning) or not any(
            open_pairs[v] and (sources[v] & ~(1 << w)).bit_count() >= size
            for v in nodes
            for w in members(open_pairs[v])
        ):
            return found
        questions = _questions(sources, open_pairs, size)
        for (given, pairs), answers in answered(test, questions):
            if progress is not None:
                progress.update(len(pairs))
            for pair, log_p in zip(pairs, answers.tolist(), strict=True):
                found.answers[pair, given] = log_p
                _take(found, open_pairs, pair, Answer(given, log_p), least)
    raise AssertionError


def _take(found: Skeleton, open_pairs: list[int], pair: Pair, answer: Answer, least: float) -> None:
    """Remove the edge if the answer is independence."""
    u, v = pair
    # An earlier question of the same block may have taken it apart.
    if isnan(answer.log_p) or not open_pairs[u] >> v & 1:
        return
    if answer.log_p > least:
        found.part(u, v)
        open_pairs[u] &= ~(1 << v)
        open_pairs[v] &= ~(1 << u)
        found.separations[pair] = answer
        found.support.pop(pair, None)
    elif answer.log_p > found.support.get(pair, Answer((), -inf)).log_p:
        found.support[pair] = answer


def _questions(sources: Sequence[int], open_pairs: Sequence[int], size: int) -> Iterator[Question]:
    """Yield each set of the level once, with all the edges that it may take apart by then."""
    everyone = (1 << len(sources)) - 1
    holders = [
        as_bits(v for v, candidates in enumerate(sources) if candidates >> c & 1)
        for c in range(len(sources))
    ]
    seen: set[tuple[int, ...]] = set()
    for v, candidates in enumerate(sources):
        if not open_pairs[v]:
            continue
        for given in combinations(members(candidates), size):
            if given in seen:
                continue
            seen.add(given)
            inside = as_bits(given)
            ends = reduce(and_, (holders[c] for c in given), everyone) & ~inside
            pairs = {
                (min(u, w), max(u, w))
                for u in members(ends)
                for w in members(open_pairs[u] & ~inside)
            }
            if pairs:
                yield Question(given, tuple(sorted(pairs)))
