"""Interventional Shapley values of features, split by group."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

import numpy as np

from fairpath.baselines.concluding import concluded, group_tally, without_refit
from fairpath.baselines.features import FeatureGame, feature_contributions
from fairpath.baselines.joining import as_paths, drawn_donors, plan_for
from fairpath.baselines.request import Request
from fairpath.explanation import Explanation
from fairpath.explanation.quantities import Columns
from fairpath.frames import as_frame
from fairpath.frames import columns as columns_of
from fairpath.game.contributions import Key
from fairpath.game.worlds import Mechanisms, Sample
from fairpath.models import Output
from fairpath.paths import Arrangement
from fairpath.study import Lessons
from fairpath.tally import Tally
from fairpath.uncertainty import Part


def isv(
    model: object,
    data: object,
    *,
    sensitive: str,
    outcome: str | None = None,
    inputs: Iterable[str] | None = None,
    background: object = None,
    reference: object = None,
    output: Output = "probability",
    favourable: object = None,
    threshold: float = 0.5,
    sample_weight: object = None,
    method: Literal["auto", "exact", "sampled"] = "auto",
    rounds: int | Literal["auto"] = "auto",
    intervals: Literal["refit"] | None = "refit",
    keep_rows: bool | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Explanation:
    """Split a disparity into what each feature of the model carries, without a graph.

    v(S) of a row is the mean output if the features in S are the row's own and all others those
    of a row of the background. φ of a feature is its Shapley value, the mean of what it adds over
    all orders; its contribution is the mean φ of the stratum minus that of the reference
    (Lundberg 2020, Begley et al. 2020).

    Parameters
    ----------
    model, data, sensitive, outcome, inputs, reference, output, favourable, threshold
        As for `fairpath.explain`; ``inputs`` are by default all columns but these two.
    background
        A table with the model's inputs, or how many rows of the data to draw: 100.
    sample_weight, keep_rows, seed, n_jobs
        As for `fairpath.explain`. Rows of the background are drawn as often as they count.
    method, rounds
        ``"exact"`` evaluates all sets of features, ``"sampled"`` so many pairs of random orders,
        one the reverse of the other, for each row and row of the background: one by default.
    intervals
        Those of the mean of rows: there is no link to refit. The background is taken as given.

    >>> import numpy as np, pandas as pd, fairpath as fp
    >>> rng = np.random.default_rng(0)
    >>> sex = rng.integers(0, 2, 1000)
    >>> people = pd.DataFrame({"sex": sex, "job": sex + rng.normal(size=1000)})
    >>> people["pay"] = people["job"] + rng.normal(size=1000)
    >>> found = fp.baselines.isv(lambda rows: rows["pay"] + rows["job"], people, sensitive="sex",
    ...                          inputs=["job", "pay"], output="score", intervals=None)
    >>> for path, share in zip(found.paths, found.contributions().values, strict=True):
    ...     print(f"{path}: {share:.2f}")
    pay → prediction: 1.22
    job → prediction: 1.12
    """
    request = Request(
        model=model,
        data=data,
        graph=None,
        sensitive=sensitive,
        outcome=outcome,
        inputs=inputs,
        reference=reference,
        output=output,
        favourable=favourable,
        threshold=threshold,
        links={},
        sample_weight=sample_weight,
        intervals=intervals,
        keep_rows=keep_rows,
        seed=seed,
        n_jobs=n_jobs,
    )
    players = request.reads
    nothing_first = [frozenset[int]()] * len(players)
    plan = plan_for(players, nothing_first, method, rounds)
    game = request.game(Arrangement(sensitive, (), {}, (), as_paths(players)), {})
    study, notes = request.study(game, replace(plan, shares=game.shares))
    if background is None or isinstance(background, int | np.integer):
        donors, where = drawn_donors(study.weights, background, seed)
        stand_in = {name: study.columns[name][donors] for name in players}
    else:
        table = as_frame(background)
        stand_in = game.encoding.encode(columns_of(table, players))
        where = f"background: the {len(table)} rows of the table given"
    found = feature_contributions(
        study.model,
        FeatureGame(players, nothing_first, Mechanisms(sensitive, {}, {}), Sample(stand_in, {})),
        study.columns,
        study.plan,
        key=(seed,),
        n_jobs=n_jobs,
    )

    def look(part: Part, others: Lessons | None, key: Key) -> Tally:
        del others, key  # nothing is learned, so each row keeps its numbers
        return group_tally(study, part, found.part(part.rows))

    return concluded(
        request,
        study,
        found,
        group_tally(study, study.whole, found, Columns(len(players)).n_products),
        look,
        divide=without_refit,
        notes=(*notes, where),
        method="exact" if plan.draw is None else "sampled",
        order="uniform",
    )
