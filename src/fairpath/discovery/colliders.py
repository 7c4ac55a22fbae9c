"""Which unshielded triples are colliders: the second half of the PC algorithm.

The ends of a triple are tested given every set of possible causes of one of them. A set that
takes them apart speaks for a collider if it leaves the middle out, and against one if it
holds the middle. The votes decide, by majority or unanimously (Colombo and Maathuis 2014);
without a decision the set with the largest p-value does (Ramsey's PC-Max).
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations
from math import inf, isnan, log
from typing import Literal, TypeAlias

from tqdm import tqdm

from fairpath.discovery.asking import Pair, Question, Test, answered
from fairpath.discovery.knowledge import Knowledge, directed_by
from fairpath.discovery.settle import Verdict
from fairpath.discovery.skeleton import Answer, Skeleton
from fairpath.graph.bits import as_bits, members
from fairpath.graph.meek import Arrow

Rule: TypeAlias = Literal["majority", "conservative"]

NOTHING = Answer((), -inf)


@dataclass(frozen=True)
class Triple:
    """The evidence on an unshielded triple.

    Attributes
    ----------
    one, middle, other
        Nodes; the ends are not joined.
    without, including
        The most separating set that leaves the middle out, and that with it.
    for_collider, against
        How many sets without and with the middle take the ends apart.
    clear
        Whether the rule decides; else the larger p-value does.
    collider
        What the tests say.
    """

    one: int
    middle: int
    other: int
    without: Answer
    including: Answer
    for_collider: int
    against: int
    clear: bool
    collider: bool

    @property
    def verdict(self) -> Verdict:
        """Return what the tests say."""
        return Verdict(self.one, self.middle, self.other, self.collider)

    @property
    def strength(self) -> float:
        """By how much the best set for the decision beats the best against, in logarithms."""
        ahead = self.without.log_p - self.including.log_p
        return 0.0 if isnan(ahead) else ahead if self.collider else -ahead

    @property
    def divided(self) -> bool:
        """Whether some sets speak for a collider and some against."""
        return self.for_collider > 0 and self.against > 0


def triples(
    test: Test,
    knowledge: Knowledge,
    found: Skeleton,
    *,
    rule: Rule,
    alpha: float,
    max_conditioning: int | None = None,
    progress: tqdm | None = None,
) -> list[Triple]:
    """Return the evidence on every unshielded triple that is open, the strongest first."""
    middles = _open_triples(found.joined, directed_by(knowledge, found.joined))
    asked = _asked(knowledge, found, middles, max_conditioning)
    for (given, pairs), answers in answered(test, _questions(asked, found)):
        if progress is not None:
            progress.update(len(pairs))
        for pair, log_p in zip(pairs, answers.tolist(), strict=True):
            found.answers[pair, given] = log_p
    evidence: dict[Pair, list[Answer]] = {pair: [] for pair in middles}
    for given, those in asked.items():
        for pair in those:
            if not isnan(found.answers[pair, given]):
                evidence[pair].append(Answer(given, found.answers[pair, given]))
    listed = [
        _judged(pair, middle, _with(evidence[pair], found.separations.get(pair)), rule, log(alpha))
        for pair, between in middles.items()
        for middle in members(between)
    ]
    return sorted(listed, key=lambda t: (not t.clear, -t.strength, t.one, t.other, t.middle))


def _open_triples(joined: Sequence[int], arrows: AbstractSet[Arrow]) -> dict[Pair, int]:
    """Return the middles of each two nodes that are not joined, unless arrows tell already."""
    found = {}
    for u, v in combinations(range(len(joined)), 2):
        if joined[u] >> v & 1:
            continue
        middles = as_bits(
            z
            for z in members(joined[u] & joined[v])
            if (z, u) not in arrows
            and (z, v) not in arrows
            and not ((u, z) in arrows and (v, z) in arrows)
        )
        if middles:
            found[u, v] = middles
    return found


def _asked(
    knowledge: Knowledge, found: Skeleton, middles: dict[Pair, int], max_conditioning: int | None
) -> dict[tuple[int, ...], set[Pair]]:
    """Return each set of possible causes of an end, with all pairs that it may take apart.

    Sets may be larger by one than the set that took a pair apart: so there is room for the
    middle beside it. A pair that knowledge keeps apart has no such set, and no such limit.
    """
    sources = [near & knowledge.causes(v) for v, near in enumerate(found.joined)]
    asked: dict[tuple[int, ...], set[Pair]] = {}
    for pair in middles:
        separation = found.separations.get(pair)
        for end in pair:
            candidates = tuple(members(sources[end]))
            most = len(candidates) if separation is None else len(separation.given) + 1
            if max_conditioning is not None:
                most = min(most, max_conditioning)
            for size in range(min(most, len(candidates)) + 1):
                for given in combinations(candidates, size):
                    asked.setdefault(given, set()).add(pair)
    return asked


def _questions(asked: dict[tuple[int, ...], set[Pair]], found: Skeleton) -> Iterator[Question]:
    """Yield what was not asked before."""
    for given in sorted(asked, key=lambda given: (len(given), given)):
        pairs = tuple(sorted(p for p in asked[given] if (p, given) not in found.answers))
        if pairs:
            yield Question(given, pairs)


def _judged(
    pair: Pair,
    middle: int,
    answers: Sequence[Answer],
    rule: Rule,
    least: float,
) -> Triple:
    """Count the votes."""
    with_middle = [a for a in answers if as_bits(a.given) >> middle & 1]
    left_out = [a for a in answers if not as_bits(a.given) >> middle & 1]
    without = max(left_out, key=_independence, default=NOTHING)
    including = max(with_middle, key=_independence, default=NOTHING)
    for_collider = sum(a.log_p > least for a in left_out)
    against = sum(a.log_p > least for a in with_middle)
    unanimous = (for_collider == 0) != (against == 0)
    clear = unanimous or (rule == "majority" and for_collider != against)
    by_votes, by_p = for_collider > against, without.log_p > including.log_p
    return Triple(
        pair[0],
        middle,
        pair[1],
        without,
        including,
        for_collider,
        against,
        clear,
        by_votes if clear else by_p,
    )


def _with(answers: list[Answer], separation: Answer | None) -> list[Answer]:
    """Add the test that removed the edge, if its set is no longer among those asked about."""
    if separation is None or any(a.given == separation.given for a in answers):
        return answers
    return [*answers, separation]


def _independence(answer: Answer) -> tuple[float, int, tuple[int, ...]]:
    """Order answers: the largest p-value, then the smallest set."""
    return answer.log_p, -len(answer.given), tuple(-node for node in answer.given)
