"""The whole pipeline, read from top to bottom."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np
from tqdm import tqdm

from fairpath.discovery import Discovery
from fairpath.disparity import Disparity, Named, Viewpoint
from fairpath.division import division, over_parts
from fairpath.doubt.graphs import GraphRange, graphs_asked
from fairpath.doubt.ranges import ranges
from fairpath.explanation import Explanation, Kept, Setting
from fairpath.explanation.people import People
from fairpath.explanation.quantities import Columns, stacked
from fairpath.frames import as_frame, backend_of, check_seed, checked_weights
from fairpath.game.contributions import Contributions, Key
from fairpath.game.path_game import PathGame
from fairpath.graph import CausalGraph
from fairpath.links import Links
from fairpath.models import Output, inputs_of
from fairpath.options import (
    check_choices,
    check_counts,
    check_jobs,
    check_threshold,
    reference_among,
)
from fairpath.outcomes import Asked, read_outcome
from fairpath.paths.active import MAX_PATHS
from fairpath.preparing import fitted_games, given_game, plan_of, study_of
from fairpath.strata import strata_of
from fairpath.study import Lessons, Study, explained, settled, tally_of
from fairpath.tally import Tally
from fairpath.uncertainty import Part
from fairpath.vocabulary import FloatMatrix, FloatVector, IntVector

KEPT_BYTES = 2**30
"""Contributions of single rows are kept by default as long as they fit in this."""


def explain(
    model: object,
    data: object,
    *,
    graph: CausalGraph | Discovery | Sequence[CausalGraph] | None = None,
    sensitive: str | Sequence[str] | None = None,
    outcome: str | None = None,
    inputs: Iterable[str] | None = None,
    reference: object = None,
    bands: Iterable[float] | None = None,
    disparity: Named | Disparity = "demographic_parity",
    conditioning: Literal["paper", "after"] = "paper",
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
    graph_range: GraphRange = None,
    outcome_parents: Literal["inputs"] | Iterable[str] | None = None,
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
        The causal graph, drawn or what `discover` found, the column whose levels are compared, and
        the outcome, if there is one. ``graph`` and ``sensitive`` are needed unless ``game`` is
        given. Several sensitive attributes in a list are crossed; cells of fewer than 30 rows are
        pooled.
    inputs
        The columns that the model reads; taken from the model where it knows them.
    reference
        The level that others are compared with; 0 or False if there is such a level, else the
        largest stratum.
    bands
        Where a sensitive number, such as age, is cut into strata.
    disparity
        ``"demographic_parity"``: the mean output of a stratum minus that of the reference;
        ``"equal_opportunity"``: the same among those with the favourable outcome;
        ``"equalized_odds"``: among those with either outcome; ``"accuracy_parity"``: of f(x) where
        the outcome is favourable and 1 - f(x) where it is not; or an object with two methods,
        see `fairpath.disparity.Disparity`.
    conditioning
        Where a disparity looks at the outcome: ``"paper"``, paths, links and P(a') relative to
        the outcome; ``"after"``, those of demographic parity, averaged within an outcome.
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
    graph_range
        Over which graphs the range of each contribution is wanted (`Explanation.graph_range`):
        ``"class"``, the DAGs of the class of the graph; ``"bootstrap"``, those that `discover`
        found in random halves of the rows. Of several graphs in ``graph`` the first is explained
        and the range is over all.
    outcome_parents
        The causes of an outcome that is no node of the graph: ``"inputs"``, or their names.
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
    check_choices(
        method=(method, ("auto", "exact", "sampled")),
        order=(order, ("uniform", "topological")),
        intervals=(intervals, ("refit", None)),
        conditioning=(conditioning, ("paper", "after")),
        output=(output, get_args(Output)),
        resolve=(resolve, (False, True)),
        keep_rows=(keep_rows, (None, False, True)),
        progress=(progress, (None, False, True)),
    )
    check_counts(cross_fit=(cross_fit, 2), batch_size=(batch_size, 1))
    check_jobs(n_jobs)
    check_threshold(threshold)
    drawn, others = graphs_asked(graph, graph_range)
    viewpoint = Viewpoint.of(disparity, after=conditioning == "after")
    frame = as_frame(data)
    weights = checked_weights(sample_weight, len(frame))
    asked = Asked(model, viewpoint, outcome, favourable)
    made = strata_of(frame, sensitive, bands, weights) if game is None else None
    if game is None:
        reads = inputs_of(model) if inputs is None else inputs
        if made is not None:
            reads = tuple(reads) if isinstance(reads, Iterable) else reads
            frame, sensitive = made.added_to(frame), made.name
            data, drawn = frame.to_native(), made.put_into(drawn, reads)
            if links_from is not None:
                links_from = made.added_to(as_frame(links_from)).to_native()
        games, favoured = fitted_games(
            asked,
            data,
            frame,
            weights,
            links_from=links_from,
            cross_fit=cross_fit,
            graph=drawn,
            sensitive=sensitive,
            inputs=reads,
            links=links,
            resolve=resolve,
            outcome_parents=outcome_parents,
            max_paths=max_paths,
            max_length=max_length,
            seed=seed,
            n_jobs=n_jobs,
        )
    else:
        asked = given_game(
            game,
            asked,
            frame,
            graph=(drawn, None),
            sensitive=(sensitive, None),
            bands=(bands, None),
            inputs=(inputs, None),
            links=(links, "auto"),
            links_from=(links_from, None),
            cross_fit=(cross_fit, None),
            resolve=(resolve, False),
            outcome_parents=(outcome_parents, None),
            max_paths=(max_paths, MAX_PATHS),
            max_length=(max_length, None),
        )
        games, favoured = {None: game}, read_outcome(asked, frame)
    game = next(iter(games.values()))
    score = game.score(model, data, output=output, favourable=favourable, threshold=threshold)
    study, notes = study_of(
        asked,
        games,
        score,
        frame,
        favoured,
        weights=weights,
        plan=plan_of(game, method, order, rounds),
        folds=cross_fit,
        seed=seed,
    )
    levels, strata = game.strata, study.strata
    masses = np.bincount(strata, weights, minlength=len(levels)).astype(np.float64)
    place = reference_among(levels, masses, reference, game.sensitive)
    study, why = settled(study, rounds)

    divided = division(study) if intervals else []
    with tqdm(
        total=study.n_rows * (1 + len(divided)),
        desc="explain",
        unit=" rows",
        delay=2,
        leave=False,
        disable=None if progress is None else not progress,
    ) as bar:
        found = explained(study, study.whole, n_jobs=n_jobs, batch_size=batch_size, progress=bar)
        sorting = _largest_first(study, found, place)
        width = Columns(len(sorting))

        def look(part: Part, others: Lessons | None, key: Key) -> Tally:
            again = explained(study, part, others, key=key)
            return tally_of(study, part, _stacked(again, sorting))

        tally = tally_of(study, study.whole, _stacked(found, sorting), width.n_products)
        replicates = over_parts(study, divided, look, n_jobs=n_jobs, progress=bar)

    if intervals and not divided:
        notes += ("no intervals: a stratum has too few rows to be divided",)
    each = found.evaluations / len(found.factual)
    cost = f"model evaluations: {found.evaluations}, {each:.1f} for each row explained"
    keep = found.paths.nbytes <= KEPT_BYTES if keep_rows is None else keep_rows
    explanation = Explanation(
        paths=tuple(game.players[i] for i in sorting),
        levels=levels,
        reference=place,
        viewpoint=viewpoint,
        has_utility=study.has_utility,
        tally=tally,
        replicates=replicates,
        setting=Setting(
            sensitive=game.sensitive,
            outcome=asked.outcome,
            conditioning=conditioning,
            output=output,
            threshold=threshold,
            favourable=favoured.level,
            method="exact" if study.plan.draw is None else "sampled",
            order=order,
            backend=backend_of(frame),
            evaluations=found.evaluations,
            seed=seed,
        ),
        notes=(*(made.notes if made else ()), *notes, why, cost),
        people=People.of(study, divided),
        kept=_kept(study, found, sorting) if keep else None,
        study=study,
    )
    if others is None:
        return explanation
    over = ranges(
        explanation, couplings=("ranks",), links=(), graphs=others, n_jobs=n_jobs, progress=progress
    )
    return replace(explanation, graph_range=over)


def _largest_first(study: Study, found: Contributions, reference: int) -> IntVector:
    """Sort paths by their contribution to the disparity of the first stratum."""
    tally = tally_of(study, study.whole, found.paths).among(study.viewpoint.views[0].outcomes)
    first = next(k for k in range(len(study.game.shares)) if k != reference)
    return np.argsort(-np.abs(tally.contrast(first, reference)), kind="stable")


def _stacked(found: Contributions, sorting: IntVector) -> FloatMatrix:
    """Return the columns of a tally, paths in the order of the explanation."""
    assert found.cut is not None  # noqa: S101 - the plan asks for it
    return stacked(found.paths[:, sorting], found.factual, found.base, found.cut[:, sorting])


def _kept(study: Study, found: Contributions, sorting: IntVector) -> Kept:
    """Return the results of single rows, NaN where the disparity does not look."""
    rows = study.looked_at(study.whole).rows

    def everywhere(values: FloatMatrix | FloatVector) -> FloatMatrix | FloatVector:
        if len(rows) == study.n_rows:
            return values
        result = np.full((study.n_rows, *values.shape[1:]), np.nan)
        result[rows] = values
        return result

    return Kept(
        everywhere(found.paths[:, sorting]),
        everywhere(found.factual),
        everywhere(found.base),
        study.strata,
        study.favoured,
        study.weights,
    )
