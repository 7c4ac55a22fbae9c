"""From numbers of nodes to names: the evidence behind a pattern, and its conflicts in words."""

from collections.abc import Iterable
from math import isinf

from fairpath.discovery.asking import Pair
from fairpath.discovery.colliders import Triple
from fairpath.discovery.discovery import Conflict, Tested
from fairpath.discovery.pc import Dropped, Pattern, Turned
from fairpath.discovery.settle import Verdict
from fairpath.discovery.skeleton import Answer
from fairpath.graph import Decision
from fairpath.graph.resolve import Separation


class Reporter:
    """The evidence of a pattern, with names."""

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern
        self._names = pattern.graph.nodes

    def tests(self) -> tuple[Tested, ...]:
        """Return for each edge the test that came closest to removing it."""
        return self._tested(self._pattern.skeleton.support)

    def separations(self) -> tuple[Tested, ...]:
        """Return the tests that removed edges."""
        return self._tested(self._pattern.skeleton.separations)

    def decisions(self) -> tuple[Decision, ...]:
        """Return what was decided on each unshielded triple, the strongest first."""
        blame = {id(turned.triple): turned.blame for turned in self._pattern.turned}
        return tuple(
            Decision(
                self._triple(triple),
                triple.collider != (id(triple) in blame),
                self._separation(triple.without),
                self._separation(triple.including),
                tuple(map(self._triple, blame.get(id(triple), ()))),
            )
            for triple in self._pattern.triples
        )

    def conflicts(self) -> tuple[Conflict, ...]:
        """Return what contradicts what."""
        turned = {id(t.triple) for t in self._pattern.turned}
        divided = [
            self._divided(triple)
            for triple in self._pattern.triples
            if (triple.divided or not triple.clear) and id(triple) not in turned
        ]
        return (
            *map(self._dropped, self._pattern.dropped),
            *map(self._turned, self._pattern.turned),
            *divided,
        )

    def silence(self) -> tuple[str, ...]:
        """Say which tests the data could not answer."""
        silent = sorted(self._pattern.skeleton.silent, key=lambda s: (len(s[1]), s))
        if not silent:
            return ()
        (one, other), given = silent[0]
        names = ", ".join(self._named(given)) or "nothing"
        tests = "test" if len(silent) == 1 else "tests"
        first = f"{self._names[one]} and {self._names[other]} given {names}"
        note = f"{len(silent)} {tests} could not tell and removed no edge, since too few rows or "
        return (f"{note}nothing of a column is left; the first: {first}",)

    def _tested(self, answers: dict[Pair, Answer]) -> tuple[Tested, ...]:
        return tuple(
            Tested(self._names[one], self._names[other], self._named(answer.given), answer.log_p)
            for (one, other), answer in sorted(answers.items())
        )

    def _named(self, nodes: Iterable[int]) -> tuple[str, ...]:
        return tuple(self._names[node] for node in nodes)

    def _triple(self, triple: Triple | Verdict) -> tuple[str, str, str]:
        names = self._names
        return names[triple.one], names[triple.middle], names[triple.other]

    def _separation(self, answer: Answer) -> Separation:
        return Separation(self._named(answer.given), answer.log_p)

    def _dropped(self, dropped: Dropped) -> Conflict:
        cycle = " -> ".join(self._named(dropped.cycle))
        ends = self._named(dropped.arrow)
        return Conflict(
            ends,
            "knowledge",
            f"{ends[0]} – {ends[1]}: the directions that are allowed would close the cycle "
            f"{cycle}; this edge was removed, its evidence is the weakest "
            f"({self._separation(dropped.support)})",
        )

    def _turned(self, turned: Turned) -> Conflict:
        triple = turned.triple
        said = "a collider" if triple.collider else "no collider"
        text = f"{self._text(triple)}: the tests say {said} ({self._evidence(triple)})"
        if not turned.blame:
            return Conflict(self._triple(triple), "knowledge", f"{text}; what is known forbids it")
        stronger = "; ".join(
            f"{self._text(verdict)} {'a collider' if verdict.collider else 'no collider'}"
            for verdict in turned.blame
        )
        return Conflict(
            self._triple(triple), "stronger tests", f"{text}; stronger tests forbid it: {stronger}"
        )

    def _divided(self, triple: Triple) -> Conflict:
        by = "majority" if triple.clear else "largest p-value"
        decided = "a collider" if triple.collider else "no collider"
        return Conflict(
            self._triple(triple),
            by,
            f"{self._text(triple)}: {triple.for_collider} of "
            f"{triple.for_collider + triple.against} separating sets say a collider; decided by "
            f"{by}: {decided} ({self._evidence(triple)})",
        )

    def _text(self, triple: Triple | Verdict) -> str:
        return " – ".join(self._triple(triple))

    def _evidence(self, triple: Triple) -> str:
        def best(answer: Answer) -> str:
            if isinf(answer.log_p):
                return "no set"
            return str(self._separation(answer))

        return f"without the middle {best(triple.without)}, with it {best(triple.including)}"
