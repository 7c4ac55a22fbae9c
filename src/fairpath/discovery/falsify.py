"""Put a graph to the test: see which of its independences the data reject."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import exp, inf, isnan, log, nan

import numpy as np
from tqdm import tqdm

from fairpath.discovery.asking import Pair, Question, Test, answered
from fairpath.discovery.falsification import Checked, Falsification
from fairpath.discovery.implied import Claim, adjacencies, claim_of, implied
from fairpath.discovery.request import Rows, TestChoice, bar, check_alpha, check_test
from fairpath.errors import DataError, GraphError
from fairpath.frames import as_frame, backend_of, check_seed
from fairpath.graph import CausalGraph
from fairpath.options import check_choices, check_counts, check_jobs

PERMUTATIONS = 100

STREAM = 12
"""Keeps these random numbers apart from those of other purposes."""


def falsify(
    graph: CausalGraph,
    data: object,
    *,
    alpha: float = 0.05,
    permutations: int = PERMUTATIONS,
    test: TestChoice = "mixed",
    sample_weight: object = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Falsification:
    """Test every independence that a graph implies.

    Parameters
    ----------
    graph
        Drawn or markov. Undirected edges are taken seriously: only what every DAG of the graph
        implies is tested.
    data
        A table; nodes without a column are not observed, and what involves them is not tested.
    alpha
        The graph is rejected in at most this share of samples if it is right.
    permutations
        How many graphs with permuted nodes to compare with.
    test, sample_weight, n_jobs, progress
        As for `discover`.
    seed
        Where the permutations come from.

    Returns
    -------
    Print it for a verdict, or see `Falsification.table`.

    >>> import numpy as np, pandas as pd, fairpath as fp
    >>> rng = np.random.default_rng(0)
    >>> sex = rng.integers(0, 2, 1000)
    >>> job = sex + rng.normal(size=1000)
    >>> people = pd.DataFrame({"sex": sex, "job": job, "pay": job + rng.normal(size=1000)})
    >>> falsify(fp.CausalGraph.parse("sex -> job; sex -> pay"), people).rejected
    True
    >>> falsify(fp.CausalGraph.parse("sex -> job -> pay"), people, permutations=0)
    <Falsification: The data do not reject its one independence (together at 0.05).>
    """
    check_seed(seed)
    check_choices(progress=(progress, (None, False, True)))
    check_counts(permutations=(permutations, 0))
    check_jobs(n_jobs)
    check_alpha(alpha)
    check_test(test)
    if not isinstance(graph, CausalGraph):
        raise GraphError(
            f"graph must be a CausalGraph, got a {type(graph).__name__}. "
            "CausalGraph.parse(text) makes one; a discovery has it as .graph."
        )
    frame = as_frame(data)
    names = [name for name in graph.nodes if name in frame.columns]
    if len(names) < 2:  # noqa: PLR2004
        raise DataError(
            f"Of the graph's nodes only {names} are columns of the table, so there is nothing to "
            f"test. The nodes are: {', '.join(graph.nodes)}."
        )
    rows = Rows(frame, names, sample_weight, test)
    observed = frozenset(names)
    claims, denied = implied(graph, observed), adjacencies(graph, observed)
    shuffled = list(_permuted(claims, names, permutations, seed))
    with bar("falsify", " tests", progress=progress) as shown:
        asked = {*claims, *denied, *(claim for listed in shuffled for claim in listed)}
        log_ps = _answers(rows.test(n_jobs=n_jobs), rows.names, asked, shown)

    tested = [claim for claim in claims if not isnan(log_ps[claim])]
    corrected = dict(zip(tested, holm([log_ps[claim] for claim in tested]), strict=True))
    independences = [Checked(*c, log_ps[c], corrected.get(c, nan)) for c in claims]
    independences.sort(key=lambda f: (isnan(f.log_p), 0.0 if isnan(f.log_p) else f.log_p))
    return Falsification(
        graph=graph,
        independences=tuple(independences),
        edges=_edges(denied, log_ps),
        as_few=_as_few(claims, shuffled, log_ps, log(alpha)) if tested and shuffled else None,
        n_permutations=permutations,
        n_rows=rows.size,
        alpha=alpha,
        notes=(*rows.notes, *_unobserved(graph, names), *_silent(claims, tested)),
        backend=backend_of(frame),
    )


def holm(log_ps: Sequence[float]) -> list[float]:
    """Correct p-values so that all errors together keep the level (Holm 1979).

    >>> [round(p, 3) for p in holm([log(0.01), log(0.04), log(0.03)])]
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(log_ps, kind="stable")
    corrected, so_far = [1.0] * len(log_ps), 0.0
    for passed, i in enumerate(order):
        so_far = max(so_far, min(1.0, (len(log_ps) - passed) * exp(log_ps[i])))
        corrected[i] = so_far
    return corrected


def _permuted(
    claims: Sequence[Claim], names: Sequence[str], permutations: int, seed: int
) -> Iterator[list[Claim]]:
    """Yield what the same graph with other names at its nodes implies."""
    rng = np.random.default_rng([seed, STREAM])
    for _ in range(permutations):
        renamed = dict(zip(names, rng.permutation(names).tolist(), strict=True))
        yield [
            claim_of(
                renamed[claim.one], renamed[claim.other], (renamed[name] for name in claim.given)
            )
            for claim in claims
        ]


def _answers(
    test: Test, names: Sequence[str], claims: Iterable[Claim], progress: tqdm
) -> dict[Claim, float]:
    """Test all claims, those with the same set together."""
    number = {name: i for i, name in enumerate(names)}
    together: dict[tuple[int, ...], set[Pair]] = defaultdict(set)
    for one, other, given in claims:
        together[tuple(number[n] for n in given)].add((number[one], number[other]))
    questions = [Question(given, tuple(sorted(together[given]))) for given in sorted(together)]
    found = {}
    for question, log_ps in answered(test, iter(questions)):
        progress.update(len(question.pairs))
        for (u, v), log_p in zip(question.pairs, log_ps.tolist(), strict=True):
            found[claim_of(names[u], names[v], (names[n] for n in question.given))] = log_p
    return found


def _edges(denied: Sequence[Claim], log_ps: dict[Claim, float]) -> tuple[Checked, ...]:
    """Return for each edge the set given which its ends look most independent."""
    best: dict[Pair | tuple[str, str], Claim] = {}
    for claim in denied:
        ends = claim.one, claim.other
        if ends not in best or _or_least(log_ps[claim]) > _or_least(log_ps[best[ends]]):
            best[ends] = claim
    found = [Checked(*claim, log_ps[claim], nan) for claim in best.values()]
    return tuple(sorted(found, key=lambda f: (-_or_least(f.log_p), f.one, f.other)))


def _or_least(log_p: float) -> float:
    return -inf if isnan(log_p) else log_p


def _as_few(
    claims: Sequence[Claim],
    shuffled: Sequence[Sequence[Claim]],
    log_ps: dict[Claim, float],
    least: float,
) -> float:
    """Return the share of permuted graphs with no more violations."""

    def violations(listed: Sequence[Claim]) -> int:
        return sum(log_ps[claim] < least for claim in listed)

    own = violations(claims)
    return sum(violations(listed) <= own for listed in shuffled) / len(shuffled)


def _unobserved(graph: CausalGraph, names: Sequence[str]) -> tuple[str, ...]:
    missing = [name for name in graph.nodes if name not in names]
    if not missing:
        return ()
    return (f"not observed, so that nothing about them is tested: {', '.join(missing)}",)


def _silent(claims: Sequence[Claim], tested: Sequence[Claim]) -> tuple[str, ...]:
    if len(claims) == len(tested):
        return ()
    silent = len(claims) - len(tested)
    note = f"{silent} of {len(claims)} independences could not be tested: "
    return (f"{note}too few rows, or nothing of a column is left",)
