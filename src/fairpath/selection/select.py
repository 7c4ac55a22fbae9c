"""Which paths to keep: the objective, forced choices, all λ, and what each selection does."""

from collections.abc import Iterable, Sequence
from functools import partial
from math import isfinite
from typing import Literal, TypeAlias

import numpy as np
from tqdm import tqdm

from fairpath.errors import DataError
from fairpath.explanation import Explanation
from fairpath.game.players import PathLike
from fairpath.options import check_choices
from fairpath.paths import Path
from fairpath.selection.exact import exact
from fairpath.selection.frontier import Frontier, Point, Predicted, in_words
from fairpath.selection.greedy import Additive, Appraise, greedy
from fairpath.selection.measure import Evaluated, Measure, measure_of
from fairpath.selection.sweep import Chosen, envelope, follow, grid, largest_weight
from fairpath.selection.terms import Terms, terms_of
from fairpath.vocabulary import BoolVector

Method: TypeAlias = Literal["greedy", "exact"]
Objective: TypeAlias = Literal["additive", "measured"]

MOST_FOLLOWED = 100
"""With more paths a sweep is a grid of λ instead of every change."""


def select_paths(
    explanation: Explanation,
    *,
    fairness_weights: float | Iterable[float] | None = None,
    method: Method = "greedy",
    objective: Objective = "additive",
    prune: bool = False,
    keep: Iterable[PathLike] = (),
    drop: Iterable[PathLike] = (),
    measure: bool | None = None,
    progress: bool | None = None,
) -> Frontier:
    """Choose which paths shall carry the sensitive attribute, for one or many λ.

    The set T minimises ``L(T) = - Σ Ψ + λ |Σ Φ|``, sums over the paths in T: utility against what
    the kept paths carry of the disparity (the paper's equation 11). Of several comparisons, with
    more strata or two outcomes, the largest ``|Σ Φ|`` counts. The remainder is no part of L.

    Parameters
    ----------
    explanation
        Made by `explain` with an outcome. A disparity that looks at the outcome must be explained
        with ``conditioning="after"``.
    fairness_weights
        λ, or several; by default every λ at which the selection changes.
    method
        ``"greedy"``: the paper's Algorithm 3; ``"exact"``: the best set of all.
    objective
        ``"additive"``: sums of contributions, as above; ``"measured"``: the utility and the
        disparity of v(T), which is not linear in T, evaluated for every set that the algorithm
        looks at (the remainder is then part of it).
    prune
        λ = 0 means no selection: all paths are kept. With ``prune`` the objective as it is printed
        holds there too, so that paths with Ψ < 0 go.
    keep, drop
        Paths that are always kept, or always dropped: paths, what they print, or their nodes.
    measure
        Whether v(T*) is evaluated too; by default if the explanation knows its model.
    progress
        Whether to show a progress bar; by default on a terminal, if it takes long.

    Returns
    -------
    Print it, or see `Frontier.table`, `Frontier.kept`, `Frontier.within`.
    """
    check_choices(
        method=(method, ("greedy", "exact")),
        objective=(objective, ("additive", "measured")),
        prune=(prune, (False, True)),
        measure=(measure, (None, False, True)),
        progress=(progress, (None, False, True)),
    )
    if objective == "measured" and method == "exact":
        raise DataError(
            "method='exact' needs an objective that is a sum over paths; a measured one is none. "
            "Use method='greedy' with objective='measured'."
        )
    terms, notes = terms_of(explanation)
    knows = explanation.study is not None
    needs = objective == "measured" or measure
    asks = measure_of(explanation) if needs or (measure is None and knows) else None
    return selected(
        explanation,
        terms,
        asks,
        fairness_weights=fairness_weights,
        method=method,
        objective=objective,
        prune=prune,
        keep=keep,
        drop=drop,
        notes=notes,
        report=measure is not False,
        progress=progress,
    )


def selected(
    explanation: Explanation,
    terms: Terms,
    measure: Measure | None,
    *,
    fairness_weights: float | Iterable[float] | None,
    method: str,
    objective: str,
    prune: bool,
    keep: Iterable[PathLike],
    drop: Iterable[PathLike],
    notes: tuple[str, ...],
    report: bool,
    progress: bool | None,
) -> Frontier:
    """Select with given terms, and measure with what is given; see `select_paths`."""
    weights = None if fairness_weights is None else _weights(fairness_weights)
    always_kept, always_dropped = explanation.held(keep), explanation.held(drop)
    both = always_kept & always_dropped
    if both.any():
        path = explanation.paths[int(np.argmax(both))]
        raise DataError(f"{str(path)!r} is in keep= and in drop=. Take it out of one of them.")
    start = ~always_dropped
    removable = ~always_kept
    with tqdm(
        desc="select paths",
        unit=" sets",
        delay=2,
        leave=False,
        disable=None if progress is None else not progress,
    ) as bar:
        if method == "exact":
            solve = partial(exact, terms, start, removable)
        elif objective == "additive":
            solve = partial(_greedily, Additive(terms), start, removable)
        else:
            assert measure is not None  # noqa: S101 - the objective is measured
            solve = partial(_greedily, Evaluated(measure, bar), start, removable)
        swept = weights is None and objective == "additive"
        if weights is None:
            chosen, full = _sweep(terms, method, start, removable)
            swept = swept and full
            if objective == "measured":
                chosen = [Chosen(one, solve(one)) for one in (c.fairness_weight for c in chosen)]
        else:
            chosen = [Chosen(weight, solve(weight)) for weight in weights if weight > 0 or prune]
        if not prune and (weights is None or 0.0 in weights):
            # The smallest λ that was tried may select all paths too.
            same = swept and len(chosen) and (chosen[0].held == start).all()
            chosen = [Chosen(0.0, start), *chosen[1 if same else 0 :]]
        elif weights is None:
            chosen = [Chosen(0.0, chosen[0].held), *chosen[1:]]
        points = _points(explanation, terms, chosen, measure if report else None, bar)
    headline, comparisons = in_words(explanation)
    return Frontier(
        points=points,
        paths=explanation.paths,
        always_kept=_members(explanation.paths, always_kept),
        always_dropped=_members(explanation.paths, always_dropped),
        swept=swept,
        method=method,
        objective=objective,
        comparisons=comparisons,
        headline=headline,
        notes=notes,
        backend=explanation.setting.backend,
        measure=measure,
    )


def _greedily(
    appraise: Appraise, start: BoolVector, removable: BoolVector, fairness_weight: float
) -> BoolVector:
    return greedy(appraise, start, removable, fairness_weight).held


def _sweep(
    terms: Terms, method: str, start: BoolVector, removable: BoolVector
) -> tuple[list[Chosen], bool]:
    """Return every selection as λ grows, and whether these are all."""
    most = largest_weight(terms)
    if method == "exact":
        run_exact = partial(exact, terms, start, removable)
        if len(start) <= MOST_FOLLOWED:
            return envelope(run_exact, terms, most), True
        return [Chosen(weight, run_exact(weight)) for weight in grid(terms)], False
    run = partial(greedy, Additive(terms), start, removable)
    found = follow(run, most) if len(start) <= MOST_FOLLOWED else None
    if found is not None:
        return found, True
    return [Chosen(weight, run(weight).held) for weight in grid(terms)], False


def _points(
    explanation: Explanation,
    terms: Terms,
    chosen: Sequence[Chosen],
    measure: Measure | None,
    bar: tqdm,
) -> tuple[Point, ...]:
    held = np.array([one.held for one in chosen])
    found = [None] * len(chosen) if measure is None else measure.measured(held, bar)
    return tuple(
        Point(
            one.fairness_weight,
            _members(explanation.paths, one.held),
            _members(explanation.paths, ~one.held),
            Predicted(
                terms.loss(one.held, one.fairness_weight),
                float(terms.base_utility + terms.gains @ one.held),
                tuple(terms.carried(one.held).tolist()),
                tuple(terms.rest.tolist()),
            ),
            measured,
        )
        for one, measured in zip(chosen, found, strict=True)
    )


def _weights(given: float | Iterable[float]) -> tuple[float, ...]:
    """Return values of λ, ascending and without repetition."""
    listed = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    for weight in listed:
        is_number = isinstance(weight, int | float | np.number) and not isinstance(weight, bool)
        if not is_number or not isfinite(weight) or weight < 0:
            raise DataError(f"fairness_weights are finite numbers of at least 0, got {weight!r}.")
    if not listed:
        raise DataError(
            "fairness_weights is empty. Name at least one, or leave it out for all that matter."
        )
    return tuple(sorted({float(weight) for weight in listed}))


def _members(paths: Sequence[Path], mask: BoolVector) -> tuple[Path, ...]:
    return tuple(path for path, inside in zip(paths, mask, strict=True) if inside)
