"""Learn a causal graph from data: the whole search, read from top to bottom."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, get_args

from tqdm import tqdm

from fairpath.discovery.asking import Test
from fairpath.discovery.colliders import Rule
from fairpath.discovery.confidence import graphs_of_halves, shares
from fairpath.discovery.discovery import Discovery
from fairpath.discovery.knowledge import knowledge_of
from fairpath.discovery.pc import Pattern, pc
from fairpath.discovery.reporting import Reporter
from fairpath.discovery.request import (
    Named,
    Rows,
    TestChoice,
    bar,
    check_alpha,
    check_test,
    named,
)
from fairpath.errors import DataError
from fairpath.frames import as_frame, backend_of, check_seed
from fairpath.options import check_choices, check_counts, check_jobs
from fairpath.vocabulary import Edge

if TYPE_CHECKING:
    from fairpath.graph import CausalGraph

ALPHA = 0.01


def discover(
    data: object,
    *,
    columns: Iterable[str] | None = None,
    sensitive: str | Sequence[str] | None = None,
    outcome: str | None = None,
    tiers: Iterable[Iterable[str]] | None = None,
    required: Iterable[Edge] = (),
    forbidden: Iterable[Edge] = (),
    test: TestChoice = "mixed",
    alpha: float = ALPHA,
    max_conditioning: int | None = None,
    colliders: Rule = "majority",
    sample_weight: object = None,
    bootstrap: int = 0,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Discovery:
    """Learn a causal graph by the PC algorithm, with what is known beforehand.

    The stable form: neither the order of columns nor that of rows matters.

    Parameters
    ----------
    data
        A pandas, polars or pyarrow table; values may be missing.
    columns
        Which columns to use; all of them by default.
    sensitive, outcome
        The sensitive attribute (or several), which has no cause among the columns, and the outcome,
        which has no effect among them, unless ``tiers`` says where they stand.
    tiers
        Lists of columns; none is an effect of a column in a later list.
    required, forbidden
        Pairs of cause and effect: edges that are there, directions that are not. With both
        directions forbidden two columns are not joined.
    test
        ``"mixed"``: any mix of numbers and categories, and bent relations, as `resolve` uses.
        ``"linear"``: Fisher's z; categories by their indicators. ``"discrete"``: Pearson's
        chi-square. Or a function of two columns and a tuple of given ones that returns a p-value.
    alpha
        Below this p-value two columns are dependent.
    max_conditioning
        The largest number of columns to condition on; no limit by default.
    colliders
        How separating sets vote on ``a – b – c``: by ``"majority"``, or only if unanimous
        (``"conservative"``). Without a decision the largest p-value decides.
    sample_weight
        How often each row counts.
    bootstrap
        In how many random halves of the rows to search again, for ``.confidence``.
    seed
        Where the halves come from.
    n_jobs
        How many threads work at the same time. The result does not depend on it.
    progress
        Whether to show a progress bar; by default on a terminal, if it takes long.

    Returns
    -------
    The graph with its evidence: print it, or see `Discovery.table`.

    >>> import numpy as np, pandas as pd, fairpath as fp
    >>> rng = np.random.default_rng(0)
    >>> sex, age = rng.integers(0, 2, 2000), rng.normal(size=2000)
    >>> job = np.where(sex + age + rng.normal(size=2000) > 0.5, "clerk", "cook")
    >>> pay = 1.0 * (job == "clerk") + rng.normal(size=2000)
    >>> people = pd.DataFrame({"sex": sex, "age": age, "job": job, "pay": pay})
    >>> discover(people, sensitive="sex").graph
    <CausalGraph, markov: age -> job; job -> pay; sex -> job>
    """
    check_seed(seed)
    check_choices(
        colliders=(colliders, get_args(Rule)),
        progress=(progress, (None, False, True)),
    )
    check_counts(max_conditioning=(max_conditioning, 0), bootstrap=(bootstrap, 0))
    check_jobs(n_jobs)
    check_alpha(alpha)
    check_test(test)
    if callable(test) and bootstrap:
        raise DataError(
            "bootstrap= draws rows, but a function of its own tests without them. Leave out "
            f"one of the two, or choose test= among {', '.join(map(repr, get_args(Named)))}."
        )
    frame = as_frame(data)
    names = _names(columns, frame.columns)
    known = knowledge_of(
        names,
        sensitive=sensitive,
        outcome=outcome,
        tiers=tiers,
        required=required,
        forbidden=forbidden,
    )
    rows = Rows(frame, known.names, sample_weight, test)

    def search(asked: Test, progress: tqdm | None = None, *, explain: bool = True) -> Pattern:
        return pc(
            asked,
            known,
            alpha=alpha,
            max_conditioning=max_conditioning,
            colliders=colliders,
            explain=explain,
            progress=progress,
        )

    with bar("discover", " tests", progress=progress) as shown:
        pattern = search(rows.test(n_jobs=n_jobs), shown)
    halves: tuple[CausalGraph, ...] = ()
    if bootstrap:
        with bar("discover in halves", " halves", progress=progress, total=bootstrap) as shown:
            halves = graphs_of_halves(
                lambda half: search(rows.test(half), explain=False).graph,
                rows.weights,
                n_halves=bootstrap,
                seed=seed,
                n_jobs=n_jobs,
                progress=shown,
            )
    report = Reporter(pattern)
    return Discovery(
        graph=pattern.graph,
        confidence=shares(halves) if halves else None,
        halves=halves,
        tests=report.tests(),
        separations=report.separations(),
        decisions=report.decisions(),
        conflicts=report.conflicts(),
        notes=(*rows.notes, *report.silence()),
        n_rows=rows.size,
        n_tests=pattern.skeleton.n_tests,
        alpha=alpha,
        test=named(test),
        backend=backend_of(frame),
    )


def _names(columns: Iterable[str] | None, known: Sequence[str]) -> list[str]:
    if columns is None:
        return list(known)
    if isinstance(columns, str):
        raise DataError(f"columns must be a list of names, got a string. Try [{columns!r}].")
    return list(dict.fromkeys(columns))
