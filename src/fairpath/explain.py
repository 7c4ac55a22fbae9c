"""The whole pipeline, read from top to bottom."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeVar, get_args

import numpy as np
from tqdm import tqdm

from fairpath.errors import DataError
from fairpath.explanation import Explanation, Kept, Setting
from fairpath.explanation.quantities import Columns, stacked
from fairpath.frames import Frame, as_frame, backend_of, check_seed, checked_weights
from fairpath.game.contributions import Contributions, Key, Plan
from fairpath.game.orders import topological, uniform
from fairpath.game.path_game import PathGame
from fairpath.game.rows import strata_masses
from fairpath.graph import CausalGraph
from fairpath.links import Links
from fairpath.models import Output, Score, check_answers, inputs_of
from fairpath.options import (
    check_choice,
    check_count,
    check_jobs,
    check_outcome,
    check_threshold,
    favoured_rows,
    few_rows,
    reference_among,
)
from fairpath.paths.active import MAX_PATHS
from fairpath.study import Study, division, explained, over_parts, settled, tally_of
from fairpath.tally import Tally
from fairpath.uncertainty import Part
from fairpath.vocabulary import FloatMatrix, FloatVector, IntVector

KEPT_BYTES = 2**30
"""Contributions of single rows are kept by default as long as they fit in this."""

LEAST_PER_PLAYER = 4
"""All coalitions are evaluated where a row has at most so many for each player, and one more."""

MOST_EXACT = 16

_T = TypeVar("_T")


def explain(
    model: object,
    data: object,
    *,
    graph: CausalGraph | None = None,
    sensitive: str | None = None,
    outcome: str | None = None,
    inputs: Iterable[str] | None = None,
    reference: object = None,
    disparity: Literal["demographic_parity"] = "demographic_parity",
    output: Output = "probability",
    favourable: object = None,
    threshold: float = 0.5,
    links: Links = "auto",
    links_from: object = None,
    cross_fit: int | None = None,
    sample_weight: object = None,
    method: Literal["auto", "exact", "sampled"] = "auto",
    order: Literal["uniform", "topological"] = "uniform",
    rounds: int | Literal["auto"] = "auto",
    intervals: Literal["refit"] | None = "refit",
    resolve: bool = False,
    max_paths: int = MAX_PATHS,
    max_length: int | None = None,
    game: PathGame | None = None,
    keep_rows: bool | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    batch_size: int | None = None,
    progress: bool | None = None,
) -> Explanation:
    """Split a disparity of a model's predictions into what each causal path carries.

    Parameters
    ----------
    model
        A scikit-learn estimator or Pipeline, an XGBoost, LightGBM or CatBoost model, an ONNX
        session, a torch module, or a function of a table.
    data
        The rows to explain: a pandas, polars or pyarrow table.
    graph, sensitive, outcome
        The causal graph, the column whose levels are compared, and the outcome, if there is
        one. ``graph`` and ``sensitive`` are needed unless ``game`` is given.
    inputs
        The columns that the model reads; taken from the model where it knows them.
    reference
        The level that others are compared with; 0 or False if there is such a level, else the
        largest stratum.
    disparity
        ``"demographic_parity"``: the mean output of a stratum minus that of the reference.
    output, favourable, threshold
        ``"probability"`` of the ``favourable`` class (the positive one), ``"decision"``
        whether it exceeds the threshold, or ``"score"``, the raw output.
    links
        How each feature follows from its causes: ``"auto"``, ``"forest"``, ``"linear"``, a
        link, a scikit-learn estimator, a known function, or a mapping from features to these.
    links_from
        A table of other rows from which links are learned.
    cross_fit
        Number of folds: each row is explained with links learned from the other folds.
    sample_weight
        How often each row of ``data`` counts.
    method, rounds
        ``"exact"`` evaluates all coalitions, ``"sampled"`` so many pairs of random orders for
        each row; ``"auto"`` takes what costs less, and as many orders as are needed.
    order
        ``"uniform"``: all orders of paths. ``"topological"``: only those that follow the causes.
    intervals
        ``"refit"``: intervals that contain the error of the links, learned again from parts of
        the rows. None: no intervals, about ten times as fast.
    resolve
        Whether the data decide the open triples of a drawn graph first.
    max_paths, max_length
        As for `arrange`.
    game
        A fitted `PathGame`, to explain several models with the same links.
    keep_rows
        Whether the contributions to single predictions are kept; by default if they fit.
    seed
        Where all random numbers come from.
    n_jobs, batch_size
        How many threads work at the same time, and on how many rows each. The numbers do not
        depend on it.
    progress
        Whether to show a progress bar; by default on a terminal, if it takes long.

    Returns
    -------
    Print it, or see `Explanation.table`.

    >>> import numpy as np, pandas as pd, fairpath as fp
    >>> rng = np.random.default_rng(0)
    >>> sex = rng.integers(0, 2, 1000)
    >>> job = sex + rng.normal(size=1000)
    >>> pay = 2 * job + sex + rng.normal(size=1000)
    >>> people = pd.DataFrame({"sex": sex, "job": job, "pay": pay})
    >>> graph = fp.CausalGraph.parse("sex -> job; sex -> pay; job -> pay")
    >>> found = fp.explain(lambda frame: frame["pay"], people, graph=graph, sensitive="sex",
    ...                    inputs=["pay"], output="score", links="linear")
    >>> for path, share in zip(found.paths, found.contributions().values, strict=True):
    ...     print(f"{path}: {share:.2f}")
    sex → job → pay → prediction: 2.30
    sex → pay → prediction: 1.04
    """
    check_seed(seed)
    _check_options(
        choices={
            "disparity": (disparity, ("demographic_parity",)),
            "method": (method, ("auto", "exact", "sampled")),
            "order": (order, ("uniform", "topological")),
            "intervals": (intervals, ("refit", None)),
            "output": (output, get_args(Output)),
            "resolve": (resolve, (False, True)),
            "keep_rows": (keep_rows, (None, False, True)),
            "progress": (progress, (None, False, True)),
        },
        counts={"cross_fit": (cross_fit, 2), "batch_size": (batch_size, 1)},
    )
    check_jobs(n_jobs)
    check_threshold(threshold)
    frame = as_frame(data)
    weights = checked_weights(sample_weight, len(frame))
    if game is None:
        if links_from is not None and cross_fit is not None:
            raise DataError(
                "cross_fit= learns links from the explained rows and links_from= from others. "
                "Use one of them."
            )
        graph, sensitive = _needed("graph", graph), _needed("sensitive", sensitive)
        game = PathGame.fit(
            data if links_from is None else links_from,
            graph=graph,
            sensitive=sensitive,
            outcome=outcome,
            inputs=inputs_of(model) if inputs is None else inputs,
            links=links,
            sample_weight=weights if links_from is None else None,
            also=None if links_from is None else data,
            resolve=resolve,
            max_paths=max_paths,
            max_length=max_length,
            seed=seed,
            n_jobs=n_jobs,
        )
    else:
        _refuse_with_game(
            game,
            graph=(graph, None),
            sensitive=(sensitive, None),
            inputs=(inputs, None),
            links=(links, "auto"),
            links_from=(links_from, None),
            cross_fit=(cross_fit, None),
            resolve=(resolve, False),
            max_paths=(max_paths, MAX_PATHS),
            max_length=(max_length, None),
        )
        check_outcome(outcome, (*frame.columns, *game.graph.nodes), game.sensitive)
        outcome = _outcome_of(game, outcome)
    score = game.score(model, data, output=output, favourable=favourable, threshold=threshold)
    study, favoured, notes = _study(
        game,
        score,
        frame,
        weights=weights,
        outcome=outcome,
        favourable=favourable,
        positive=_positive(model),
        plan=_plan(game, method, order, rounds),
        folds=cross_fit,
        seed=seed,
    )
    levels, strata = game.strata, study.strata
    masses = np.bincount(strata, weights, minlength=len(levels)).astype(np.float64)
    place = reference_among(levels, masses, reference, game.sensitive)
    study, why = settled(study, rounds)

    divided = division(study) if intervals else []
    n_looks = study.n_rows * (1 + len(divided))
    with tqdm(
        total=n_looks,
        desc="explain",
        unit=" rows",
        delay=2,
        leave=False,
        disable=None if progress is None else not progress,
    ) as bar:
        found = explained(study, study.whole, n_jobs=n_jobs, batch_size=batch_size, progress=bar)
        sorting = _largest_first(study, found, place)
        width = Columns(len(sorting))

        def look(part: Part, others: Part | None, key: Key) -> Tally:
            again = explained(study, part, others, key=key)
            return tally_of(study, part, _stacked(again, sorting))

        tally = tally_of(study, study.whole, _stacked(found, sorting), width.n_products)
        replicates = over_parts(study, divided, look, n_jobs=n_jobs, progress=bar)

    if intervals and not divided:
        notes += ("no intervals: a stratum has too few rows to be divided",)
    each = found.evaluations / study.n_rows
    asked = f"model evaluations: {found.evaluations}, {each:.1f} for each row explained"
    keep = found.paths.nbytes <= KEPT_BYTES if keep_rows is None else keep_rows
    return Explanation(
        paths=tuple(game.players[i] for i in sorting),
        levels=levels,
        reference=place,
        tally=tally,
        replicates=replicates,
        setting=Setting(
            sensitive=game.sensitive,
            outcome=outcome,
            disparity=disparity,
            output=output,
            threshold=threshold,
            favourable=favoured,
            method="exact" if study.plan.draw is None else "sampled",
            order=order,
            backend=backend_of(frame),
            evaluations=found.evaluations,
            seed=seed,
        ),
        notes=(
            *game.notes,
            *score.notes,
            *notes,
            why,
            asked,
        ),
        kept=Kept(found.paths[:, sorting], found.factual, found.base, strata) if keep else None,
        study=study,
    )


def _plan(game: PathGame, method: str, order: str, rounds: object) -> Plan:
    """Choose between all coalitions and random orders."""
    n_players = len(game.players)
    is_counted = not (isinstance(rounds, str) and rounds == "auto")
    if is_counted:
        check_count("rounds", rounds, 1)
    if method == "exact" and is_counted:
        raise DataError(
            f"method='exact' has no rounds of orders, got rounds={rounds!r}. Leave rounds out, or "
            "use method='sampled'."
        )
    if method == "exact" and order != "uniform":
        raise DataError("method='exact' averages over all orders alike: use order='uniform'.")
    if method == "exact" and n_players > MOST_EXACT:
        raise DataError(
            f"method='exact' evaluates all 2 ** {n_players} coalitions of the {n_players} paths, "
            f"more than the 2 ** {MOST_EXACT} allowed. Use method='sampled', or merge paths with "
            "max_length."
        )
    cheap = n_players < MOST_EXACT and 1 << n_players <= LEAST_PER_PLAYER * (n_players + 1)
    exact = method == "exact" or (method == "auto" and order == "uniform" and cheap)
    draw = None if exact else (topological if order == "topological" else uniform)(game.arrangement)
    return Plan(game.shares, n_players, draw)


def _study(
    game: PathGame,
    score: Score,
    frame: Frame,
    *,
    weights: FloatVector,
    outcome: str | None,
    favourable: object,
    positive: object,
    plan: Plan,
    folds: int | None,
    seed: int,
) -> tuple[Study, object, tuple[str, ...]]:
    """Put together what the numbers depend on; say what is worth knowing of the rows."""
    encoded = game.encode(frame)
    strata = encoded[game.sensitive].astype(np.intp)
    strata_masses(encoded[game.sensitive], weights, game.encoding, game.sensitive)
    rows = np.bincount(strata[weights > 0], minlength=len(game.strata))
    if folds is not None and rows.min() < folds:
        raise DataError(
            f"cross_fit={folds} needs as many rows of each stratum, and the smallest has "
            f"{rows.min()}. Use fewer folds."
        )
    notes = few_rows(game.strata, rows, game.sensitive)
    if outcome in game.recipe.sources:
        notes += (f"the outcome {outcome} is on a path to the prediction, hence a mediator",)
    for note in notes:
        warnings.warn(note, UserWarning, stacklevel=3)
    notes += check_answers(score, encoded)
    favoured, level = np.zeros(len(strata), dtype=np.intp), None
    has_utility = False
    if outcome is not None and outcome in frame.columns:
        favoured, level = favoured_rows(frame, outcome, favourable, positive)
        has_utility = score.is_bounded
        if not has_utility:
            notes += ("no utility: the output is not within [0, 1]",)
        elif level is None:
            notes += (f"utility: no row has a favourable {outcome}",)
        else:
            notes += (f"utility: {outcome} = {level} is the favourable outcome",)
    elif outcome is not None:
        notes += (f"no utility: the data have no column {outcome!r}",)
    study = Study(
        game=game,
        model=score,
        columns=encoded,
        strata=strata,
        favoured=favoured,
        weights=weights,
        plan=plan,
        has_utility=has_utility,
        own_lesson=_are_taught(game, encoded, weights),
        folds=folds,
        seed=seed,
    )
    return study, level, notes


def _positive(model: object) -> object:
    """Return the second of two classes, which a classifier's output speaks for."""
    classes = getattr(getattr(model, "__self__", model), "classes_", None)
    known = [] if classes is None else np.asarray(classes).tolist()
    return known[1] if len(known) == 2 else None  # noqa: PLR2004


def _are_taught(game: PathGame, columns: Mapping[str, FloatVector], weights: FloatVector) -> bool:
    """Whether the links were learned from these very rows."""
    counted = weights > 0
    lesson = game.lesson
    return np.array_equal(lesson.weights, weights[counted]) and all(
        np.array_equal(values, columns[name][counted], equal_nan=True)
        for name, values in lesson.columns.items()
    )


def _largest_first(study: Study, found: Contributions, reference: int) -> IntVector:
    """Sort paths by their contribution to the disparity of the first stratum."""
    tally = tally_of(study, study.whole, found.paths)
    first = next(k for k in range(len(study.game.shares)) if k != reference)
    return np.argsort(-np.abs(tally.contrast(first, reference)), kind="stable")


def _stacked(found: Contributions, sorting: IntVector) -> FloatMatrix:
    """Return the columns of a tally, paths in the order of the explanation."""
    assert found.cut is not None  # noqa: S101 - the plan asks for it
    return stacked(found.paths[:, sorting], found.factual, found.base, found.cut[:, sorting])


def _check_options(
    choices: Mapping[str, tuple[object, Sequence[object]]],
    counts: Mapping[str, tuple[object, int]],
) -> None:
    """Refuse what is not among the choices of an option, or is given and no count."""
    for name, (value, allowed) in choices.items():
        check_choice(name, value, allowed)
    for name, (value, least) in counts.items():
        if value is not None:
            check_count(name, value, least)


def _outcome_of(game: PathGame, outcome: str | None) -> str | None:
    """Return the outcome of a fitted game, or one that is no part of it."""
    if outcome in {None, game.outcome}:
        return game.outcome
    if game.outcome is not None or outcome in game.encoding.variables:
        raise DataError(
            f"The game was fitted with outcome={game.outcome!r} and its links may read "
            f"{outcome!r}. Fit it with outcome={outcome!r}."
        )
    return outcome


def _needed(name: str, value: _T | None) -> _T:
    if value is None:
        raise DataError(f"explain() needs {name}=, or a fitted game=.")
    return value


def _refuse_with_game(game: object, **options: tuple[object, object]) -> None:
    """Refuse what a fitted game has decided already; each option with its default."""
    if not isinstance(game, PathGame):
        raise DataError(
            f"game must be a fitted PathGame, got {type(game).__name__}. "
            "Make one with PathGame.fit(data, graph=…, sensitive=…)."
        )
    for name, (value, default) in options.items():
        if value is not default and not (isinstance(value, int | str) and value == default):
            raise DataError(
                f"{name}= is settled by game=, whose links are learned. Leave {name} out, or "
                "leave game out."
            )
