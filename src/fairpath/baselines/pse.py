"""Path-specific effects: what changes if the sensitive attribute does, along one causal path."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from fairpath.baselines.concluding import concluded
from fairpath.baselines.request import Request
from fairpath.explanation import Explanation
from fairpath.explanation.quantities import Columns, stacked
from fairpath.game.contributions import Contributions, Key, Plan, answers_between
from fairpath.game.path_game import PathGame
from fairpath.graph import CausalGraph
from fairpath.links import Links
from fairpath.models import Output
from fairpath.paths import Arrangement, Path, active_paths
from fairpath.paths.active import MAX_PATHS
from fairpath.study import Lessons, Study, tally_of
from fairpath.tally import Cube, Tally
from fairpath.uncertainty import Part
from fairpath.vocabulary import FloatVector


def pse(
    model: object,
    data: object,
    *,
    graph: CausalGraph,
    sensitive: str,
    outcome: str | None = None,
    inputs: Iterable[str] | None = None,
    reference: object = None,
    output: Output = "probability",
    favourable: object = None,
    threshold: float = 0.5,
    links: Links = "auto",
    sample_weight: object = None,
    intervals: Literal["refit"] | None = "refit",
    max_paths: int = MAX_PATHS,
    keep_rows: bool | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Explanation:
    """Return the effect of the sensitive attribute along each causal path alone.

    The effect along a path (Chiappa 2019, Nabi and Shpitser 2018) is the mean output over
    everybody if the stratum's level travels along this path and the reference level along all
    others, minus that if the reference level is everywhere. Each row keeps its noise, and what is
    no effect of the attribute stays as it is. Links read the parents of a node, not its direct
    predecessors.

    Only paths whose edges all point away from the attribute have an effect. What runs along other
    active paths (they are listed in ``notes``), and what paths do only together, is in the
    remainder: the disparity minus the sum of all effects.

    Utilities are those of the effects if everybody's level is drawn from P(A); ``values`` of a row
    average over the levels that are not the reference, by their shares. What the disparity would
    be without a path is not defined here: ``disparity_if_cut`` is NaN.

    Parameters
    ----------
    model, data, graph, sensitive, outcome, inputs, reference, output, favourable, threshold
        As for `fairpath.explain`.
    links, sample_weight, intervals, max_paths, keep_rows, seed, n_jobs
        As for `fairpath.explain`.
    """
    request = Request(
        model=model,
        data=data,
        graph=graph,
        sensitive=sensitive,
        outcome=outcome,
        inputs=inputs,
        reference=reference,
        output=output,
        favourable=favourable,
        threshold=threshold,
        links=links,
        sample_weight=sample_weight,
        intervals=intervals,
        keep_rows=keep_rows,
        seed=seed,
        n_jobs=n_jobs,
    )
    paths = active_paths(graph, sensitive=sensitive, inputs=request.reads, max_paths=max_paths)
    causal = tuple(path for path in paths if set(path.arrows) <= {"→"})
    without = "; ".join(str(path) for path in paths if path not in causal)
    arrangement = _arrangement(request, causal)
    game = request.game(arrangement, {b[0]: request.parents(b[0]) for b in arrangement.blocks})
    study, notes = request.study(game, Plan(game.shares, len(causal), None, cuts=False))
    place = request.place(study)
    n_products = Columns(len(causal)).n_products

    effects, factual, evaluations = _effects(
        study, study.whole, game, (seed,), reference=place, n_jobs=n_jobs
    )
    others = np.where(np.arange(len(game.shares)) == place, 0.0, game.shares)
    each = np.tensordot(others / others.sum(), effects, axes=1)
    noise = np.zeros(len(causal))
    found = Contributions(each, factual, factual - each.sum(axis=1), None, noise, evaluations)

    def look(part: Part, others: Lessons | None, key: Key) -> Tally:
        again = game.relearned(study.lesson_of(part, others, None), key=key)
        effects, factual, _ = _effects(study, part, again, key, reference=place)
        return _tally(study, part, effects, factual)

    return concluded(
        request,
        study,
        found,
        _tally(study, study.whole, effects, factual, n_products),
        look,
        notes=(*notes, *((f"not causal, so without an effect: {without}",) if without else ())),
        method="exact",
        order="uniform",
    )


def _arrangement(request: Request, causal: Sequence[Path]) -> Arrangement:
    """Let every node on a causal path be a block, preceded by its parents on such paths."""
    passed = {node for path in causal for node in path.nodes if isinstance(node, str)}
    deep = {
        node: max(path.nodes.index(node) for path in causal if node in path.nodes)
        for node in passed
    }  # a place in the longest path comes after all of its causes
    order = sorted(passed - {request.sensitive}, key=lambda node: (deep[node], node))
    before: dict[tuple[str, ...], tuple[tuple[str, ...], ...]] = {
        (node,): tuple((p,) for p in request.drawn.parents(node) if p in passed) for node in order
    }
    read = {source for node in order for source in request.parents(node)}
    return Arrangement(
        request.sensitive,
        tuple(before),
        before,
        outside=tuple(sorted(read - passed - {request.sensitive})),
        players=tuple(causal),
    )


def _effects(
    study: Study,
    part: Part,
    game: PathGame,
    key: Key,
    *,
    reference: int,
    n_jobs: int | None = None,
) -> tuple[Cube, FloatVector, int]:
    """Return effects, shape (strata, rows, paths), f(x), and how many rows the model was given."""
    n_paths, n_rows = len(game.players), len(part.rows)
    columns = {name: values[part.rows] for name, values in study.columns.items()}
    sample = game.sample(columns, key=key)
    effects = np.zeros((len(game.shares), n_rows, n_paths))
    factual, evaluations = study.model({name: columns[name] for name in game.inputs}), n_rows
    alone_or_nowhere = np.eye(n_paths + 1, n_paths, dtype=np.bool_)
    for level in range(len(game.shares) if n_paths else 0):
        if level == reference:
            continue
        answers = answers_between(
            study.model, game.board, sample, alone_or_nowhere, (level, reference), n_jobs=n_jobs
        )
        effects[level] = answers.values[0][:, :-1] - answers.values[0][:, -1:]
        evaluations += answers.evaluations
    return effects, factual, evaluations


def _tally(
    study: Study, part: Part, effects: Cube, factual: FloatVector, n_products: int = 0
) -> Tally:
    """Let a stratum hold everybody's effect of its level, with the share of the stratum."""
    nothing = np.zeros_like(effects[0])
    place = Columns(nothing.shape[1])
    tally = tally_of(study, part, stacked(nothing, factual, factual, nothing), n_products)
    share = tally.weight.sum(axis=1) / tally.weight.sum()
    sums, scatter = tally.sums.copy(), np.full_like(tally.scatter, np.nan)
    for outcome in range(tally.weight.shape[1]):
        who = part.weights * (study.favoured[part.rows] == outcome)
        carried = share[:, None] * (who @ effects)
        sums[:, outcome, place.paths] = carried
        sums[:, outcome, place.base] -= carried.sum(axis=1)
    sums[..., place.cut] = np.nan
    if n_products:
        known = (..., place.factual, place.factual)
        scatter[known] = tally.scatter[known]
    return replace(tally, sums=sums, scatter=scatter)
