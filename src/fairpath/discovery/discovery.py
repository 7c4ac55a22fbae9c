"""What discovery found, with the evidence."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from typing import Any

from fairpath.discovery.confidence import Confidence
from fairpath.frames import as_table
from fairpath.graph import CausalGraph, Decision
from fairpath.vocabulary import Edge

MOST_SHOWN = 20


@dataclass(frozen=True)
class Tested:
    """Two columns, and the set given which they look most independent, or that parted them."""

    one: str
    other: str
    given: tuple[str, ...]
    log_p: float

    @property
    def p_value(self) -> float:
        """The p-value of their independence."""
        return exp(self.log_p)

    def __str__(self) -> str:
        names = ", ".join(self.given) or "nothing"
        return f"{self.one} and {self.other}: p = {self.p_value:.2g} given {names}"


@dataclass(frozen=True)
class Conflict:
    """Evidence that does not go together, and what was made of it.

    Attributes
    ----------
    nodes
        The columns in question: a triple, or the two ends of an edge.
    settled
        ``"stronger tests"``, ``"knowledge"``, ``"majority"`` or ``"largest p-value"``.
    text
        The same in words.
    """

    nodes: tuple[str, ...]
    settled: str
    text: str

    def __str__(self) -> str:
        return self.text


def graph_of(graph: Any) -> Any:  # noqa: ANN401 - whatever a caller takes for a graph
    """Return the graph that was discovered; all else as it is."""
    return graph.graph if isinstance(graph, Discovery) else graph


@dataclass(frozen=True, eq=False, repr=False)
class Discovery:
    """A graph learned from data; `explain` takes it as a graph.

    Attributes
    ----------
    graph
        A markov graph that stands for at least one DAG.
    confidence
        For each two columns, sorted, in which share of random halves of the rows they are
        joined, and how; None where it was not asked for. A pair that is missing was never joined.
    halves
        The graphs found in these halves.
    tests
        For each edge that was tested, the test that came closest to removing it.
    separations
        For each two columns that a test parted, that test.
    decisions
        For each unshielded triple that what is known leaves open, whether the middle is a
        collider, and why.
    conflicts
        Which tests contradict each other or what is known, and how that was settled.
    notes
        What else to know about the search.
    n_rows, n_tests, alpha, test
        Rows (or their weight), tests done on them, and the options.
    """

    graph: CausalGraph
    confidence: Mapping[Edge, Confidence] | None
    halves: tuple[CausalGraph, ...]
    tests: tuple[Tested, ...]
    separations: tuple[Tested, ...]
    decisions: tuple[Decision, ...]
    conflicts: tuple[Conflict, ...]
    notes: tuple[str, ...]
    n_rows: float
    n_tests: int
    alpha: float
    test: str
    backend: str

    def table(self) -> Any:  # noqa: ANN401 - a table of the caller's library
        """Return the edges: ends, mark, the test that came closest to removing it, confidence.

        ``survives`` is the share of halves with the edge, ``direction_survives`` that with the
        edge as it is here.
        """
        closest = {(tested.one, tested.other): tested for tested in self.tests}
        rows = []
        for cause, effect, mark in self._edges():
            edge = min(cause, effect), max(cause, effect)
            tested = closest.get(edge)
            row = {
                "source": cause,
                "target": effect,
                "edge": mark,
                "p_value": None if tested is None else tested.p_value,
                "given": None if tested is None else ", ".join(tested.given),
            }
            if self.confidence is not None:
                row |= self._survival(edge, cause, mark)
            rows.append(row)
        names = ["source", "target", "edge", "p_value", "given"]
        names += ["survives", "direction_survives"] * (self.confidence is not None)
        return as_table({name: [row[name] for row in rows] for name in names}, self.backend)

    def _edges(self) -> list[tuple[str, str, str]]:
        return sorted(
            [(*edge, "->") for edge in self.graph.directed]
            + [(*edge, "--") for edge in self.graph.undirected]
        )

    def _survival(self, edge: Edge, cause: str, mark: str) -> dict[str, float]:
        assert self.confidence is not None  # noqa: S101 - asked before
        found = self.confidence.get(edge, Confidence(0.0, 0.0, 0.0, 0.0))
        same = found.of_direction(forward=None if mark == "--" else cause == edge[0])
        return {"survives": found.joined, "direction_survives": same}

    def __repr__(self) -> str:
        edges = self._edges()
        found = f"{len(edges)} edges among {len(self.graph.nodes)} columns"
        tests = f"{self.n_tests} tests ({self.test}) at {self.alpha:g}"
        lines = [f"<Discovery: {found}, from {self.n_rows:g} rows by {tests}>"]
        width = max((len(f"{a} {mark} {b}") for a, b, mark in edges), default=0)
        for cause, effect, mark in edges[:MOST_SHOWN]:
            text = f"{cause} {mark} {effect}"
            if self.confidence is not None:
                share = self._survival((min(cause, effect), max(cause, effect)), cause, mark)
                text = (
                    f"{text:<{width}}  in {share['survives']:.0%} of the halves, "
                    f"{share['direction_survives']:.0%} as here"
                )
            lines.append(f"  {text}")
        if len(edges) > MOST_SHOWN:
            lines.append(f"  … and {len(edges) - MOST_SHOWN} more: see .table()")
        if self.conflicts:
            some = "conflict" if len(self.conflicts) == 1 else "conflicts"
            turned = sum(c.settled in ("stronger tests", "knowledge") for c in self.conflicts)
            lines.append(
                f"  {len(self.conflicts)} {some} of the tests, {turned} settled against "
                "them: see .conflicts"
            )
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(lines)
