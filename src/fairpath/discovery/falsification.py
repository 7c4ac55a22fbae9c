"""What data say against a graph."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, isnan, log
from typing import Any

from fairpath.frames import as_table
from fairpath.graph import CausalGraph


@dataclass(frozen=True)
class Checked:
    """An independence and how well the data agree with it.

    Attributes
    ----------
    one, other, given
        The two columns, and the set given which they are compared.
    p_value, log_p
        Small if they depend on each other; NaN where the data cannot tell.
    corrected
        The p-value after Holm's correction for all independences of the graph; NaN for an edge.
    """

    one: str
    other: str
    given: tuple[str, ...]
    log_p: float
    corrected: float

    @property
    def p_value(self) -> float:
        """The p-value on its own."""
        return exp(self.log_p)

    def __str__(self) -> str:
        names = ", ".join(self.given) or "nothing"
        p = "no test" if isnan(self.log_p) else f"p = {self.p_value:.2g}"
        return f"{self.one} and {self.other} given {names} ({p})"


@dataclass(frozen=True, eq=False, repr=False)
class Falsification:
    """A graph put to the test of data; print it for a verdict.

    Attributes
    ----------
    graph
        The graph.
    independences
        Each one that it implies, the most clearly rejected first.
    edges
        For each edge, the independence that it denies: what would hold without it. A large
        p-value says that the data would not notice its removal. The most doubtful first.
    as_few
        The share of graphs with permuted nodes that violate as few independences as this one, each
        at ``alpha``; None if there were no permutations or nothing to test.
    n_permutations, n_rows, alpha, notes
        Permutations, rows (or their weight), family-wise level, what else to know.
    """

    graph: CausalGraph
    independences: tuple[Checked, ...]
    edges: tuple[Checked, ...]
    as_few: float | None
    n_permutations: int
    n_rows: float
    alpha: float
    notes: tuple[str, ...]
    backend: str

    @property
    def violations(self) -> tuple[Checked, ...]:
        """The independences that the data reject, all errors together at most ``alpha``."""
        return tuple(found for found in self.independences if found.corrected < self.alpha)

    @property
    def rejected(self) -> bool:
        """Whether the data reject the graph."""
        return bool(self.violations)

    @property
    def doubtful_edges(self) -> tuple[Checked, ...]:
        """The edges that the data would not miss, at ``alpha`` each."""
        return tuple(found for found in self.edges if found.log_p > log(self.alpha))

    @property
    def verdict(self) -> str:
        """One sentence."""
        tested = sum(not isnan(found.log_p) for found in self.independences)
        if not tested:
            return (
                "The data cannot speak against the graph: it implies no independence that can "
                "be tested on them."
            )
        compared = ""
        if self.as_few is not None:
            compared = (
                f"; {self.as_few:.0%} of {self.n_permutations} graphs with permuted nodes violate "
                "as few"
            )
        if not self.rejected:
            what = "its one independence" if tested == 1 else f"any of its {tested} independences"
            return f"The data do not reject {what} (together at {self.alpha:g}){compared}."
        return (
            f"The data reject the graph: {len(self.violations)} of its {tested} independences "
            f"{'fails' if len(self.violations) == 1 else 'fail'} (together at {self.alpha:g}), "
            f"most clearly {self.violations[0]}{compared}."
        )

    def table(self) -> Any:  # noqa: ANN401 - a table of the caller's library
        """Return independences, then edges; ``verdict`` says what the data make of each."""
        rows = [("independence", f, self._judged(f)) for f in self.independences]
        rows += [("edge", f, self._missed(f)) for f in self.edges]
        return as_table(
            {
                "kind": [kind for kind, _, _ in rows],
                "one": [found.one for _, found, _ in rows],
                "other": [found.other for _, found, _ in rows],
                "given": [", ".join(found.given) for _, found, _ in rows],
                "p_value": [found.p_value for _, found, _ in rows],
                "corrected": [found.corrected for _, found, _ in rows],
                "verdict": [verdict for _, _, verdict in rows],
            },
            self.backend,
        )

    def _judged(self, found: Checked) -> str:
        if isnan(found.log_p):
            return "not tested"
        return "rejected" if found.corrected < self.alpha else "not rejected"

    def _missed(self, found: Checked) -> str:
        if isnan(found.log_p):
            return "not tested"
        return "doubtful" if found.log_p > log(self.alpha) else "needed"

    def __repr__(self) -> str:
        lines = [f"<Falsification: {self.verdict}>"]
        lines += _listed("rejected", self.violations)
        lines += _listed("the data would not miss the edge of", self.doubtful_edges)
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(lines)


def _listed(what: str, found: Sequence[Checked], most: int = 5) -> list[str]:
    lines = [f"  {what} {one}" for one in found[:most]]
    if len(found) > most:
        lines.append(f"  … and {len(found) - most} more: see .table()")
    return lines
