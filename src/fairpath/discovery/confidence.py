"""How often each edge is found again in a random half of the rows.

Drawn with replacement, as in the bootstrap, a repeated row would count as evidence: a test at
5 % then rejects true independence 17 % of the time, or more with more degrees of freedom.
Halves without replacement have the power of a bootstrap that is corrected for this, and keep
the level.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from tqdm import tqdm

from fairpath.graph import CausalGraph
from fairpath.vocabulary import Edge, FloatVector

STREAM = 11
"""Keeps these random numbers apart from those of other purposes."""


@dataclass(frozen=True)
class Confidence:
    """In which share of the halves two columns are joined, and in which direction.

    Attributes
    ----------
    joined
        By any edge.
    forward, backward, undirected
        By an arrow from the first to the second, from the second to the first, by an
        undirected edge; they sum to ``joined``.
    """

    joined: float
    forward: float
    backward: float
    undirected: float

    def of_direction(self, *, forward: bool | None) -> float:
        """Return the share with this direction; None: undirected."""
        return {True: self.forward, False: self.backward, None: self.undirected}[forward]


def graphs_of_halves(
    search: Callable[[FloatVector], CausalGraph],
    weights: FloatVector,
    *,
    n_halves: int,
    seed: int,
    n_jobs: int | None,
    progress: tqdm,
) -> tuple[CausalGraph, ...]:
    """Search in random halves of the rows."""

    def one(number: int) -> CausalGraph:
        return search(half(weights, np.random.default_rng([seed, STREAM, number])))

    work = (delayed(one)(number) for number in range(n_halves))
    graphs = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(work)
    return tuple(_counted(graphs, progress))


def half(weights: FloatVector, rng: np.random.Generator) -> FloatVector:
    """Keep each row with probability one half; one that counts several times, each time."""
    if (weights == np.round(weights)).all():
        return rng.binomial(weights.astype(np.int64), 0.5).astype(np.float64)
    return weights * rng.integers(0, 2, len(weights))


def _counted(graphs: Iterable[CausalGraph], progress: tqdm) -> Iterable[CausalGraph]:
    for graph in graphs:
        progress.update()
        yield graph


def shares(graphs: Sequence[CausalGraph]) -> dict[Edge, Confidence]:
    """Return how often each two columns are joined; a pair that never was is left out."""
    n_halves = len(graphs)
    counts: dict[Edge, list[int]] = {}
    for graph in graphs:
        for cause, effect in graph.directed:
            edge = min(cause, effect), max(cause, effect)
            counts.setdefault(edge, [0, 0, 0])[int(cause > effect)] += 1
        for edge in graph.undirected:
            counts.setdefault(edge, [0, 0, 0])[2] += 1
    return {
        edge: Confidence(sum(times) / n_halves, *(count / n_halves for count in times))
        for edge, times in sorted(counts.items())
    }
