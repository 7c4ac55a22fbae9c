"""Asymmetric Shapley values of features: causes join before their effects."""

from collections.abc import Iterable
from dataclasses import replace
from graphlib import TopologicalSorter
from typing import Literal

from fairpath.baselines.concluding import concluded, group_tally
from fairpath.baselines.features import FeatureGame, feature_contributions
from fairpath.baselines.joining import as_paths, drawn_donors, plan_for
from fairpath.baselines.request import Request
from fairpath.errors import DataError
from fairpath.explanation import Explanation
from fairpath.explanation.quantities import Columns
from fairpath.game.contributions import Contributions, Key
from fairpath.game.path_game import PathGame
from fairpath.game.tree import Features
from fairpath.graph import CausalGraph
from fairpath.links import Links
from fairpath.models import Output
from fairpath.paths import Arrangement
from fairpath.paths.active import check_roles
from fairpath.study import Lessons
from fairpath.tally import Tally
from fairpath.uncertainty import Part


def asv(
    model: object,
    data: object,
    *,
    graph: CausalGraph,
    sensitive: str,
    outcome: str | None = None,
    inputs: Iterable[str] | None = None,
    background: int | None = None,
    reference: object = None,
    output: Output = "probability",
    favourable: object = None,
    threshold: float = 0.5,
    links: Links = "auto",
    sample_weight: object = None,
    method: Literal["auto", "exact", "sampled"] = "auto",
    rounds: int | Literal["auto"] = "auto",
    intervals: Literal["refit"] | None = "refit",
    keep_rows: bool | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Explanation:
    """Split a disparity into what each feature carries, causes before effects (Frye et al. 2020).

    A feature joins after all inputs that are its ancestors by directed edges; all such orders
    count alike. v(S) of a row is the mean output if the features in S are held at the row's own
    values and the rest is generated from random other rows, the donors:

    - A feature outside S follows, by its link, from its parents in this world (those in S, those
      generated before it) and the donor's noise. Without a change above it, and without parents,
      it keeps the donor's own value. So v(∅) is the mean output of the donors.
    - The sensitive attribute is the donor's, drawn from P(A), unless the model reads it: then it
      is a feature like all others. Nodes that the model does not read are never in S.

    S is *set*, not seen: v(S) is conditional on x_S only where all parents of S are in S, as they
    are for orders of causes first if the model reads every node. Where the model reads the effect
    of something that it does not read, such as the sensitive attribute, v(S) does not reason
    backwards from the effect to it. The contribution is the mean φ of the stratum minus that of
    the reference. Where the graph does not know a direction, no order is asked for, and links
    take no notice of the edge.

    Parameters
    ----------
    model, data, graph, sensitive, outcome, inputs, reference, output, favourable, threshold
        As for `fairpath.explain`.
    background
        How many donors are drawn from the data: 100.
    links, sample_weight, keep_rows, seed, n_jobs
        As for `fairpath.explain`; a link reads the parents of a node and nothing else.
    method, rounds
        ``"exact"`` evaluates all sets that can come first, ``"sampled"`` so many pairs of random
        orders for each row and donor: one by default.
    intervals
        ``"refit"`` learns the links again from parts of the rows. The donors are taken as given.
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
    check_roles(graph, sensitive, None, ())
    players = request.reads
    above = {name: set(graph.ancestors(name)) for name in players if name in graph.nodes}
    before = [
        frozenset(i for i, other in enumerate(players) if other in above.get(name, ()))
        for name in players
    ]
    plan = plan_for(players, before, method, rounds)
    sources = _sources(request)
    game = request.game(_arrangement(request, sources), sources)
    study, notes = request.study(game, replace(plan, shares=game.shares))
    donors, where = drawn_donors(study.weights, background, seed)
    given = {name: values[donors] for name, values in study.columns.items()}

    def look_at(part: Part, game: PathGame, key: Key, n_jobs: int | None = None) -> Contributions:
        mine = {name: study.columns[name][part.rows] for name in players}
        stand_in = FeatureGame(players, before, game.mechanisms, game.sample(given, key=key))
        return feature_contributions(
            study.model, stand_in, mine, study.plan, key=key, n_jobs=n_jobs
        )

    def look(part: Part, others: Lessons | None, key: Key) -> Tally:
        again = game.relearned(study.lesson_of(part, others, None), key=key)
        return group_tally(study, part, look_at(part, again, key))

    found = look_at(study.whole, game, (seed,), n_jobs)
    return concluded(
        request,
        study,
        found,
        group_tally(study, study.whole, found, Columns(len(players)).n_products),
        look,
        notes=(*notes, where, *_unordered(graph, players)),
        method="exact" if plan.draw is None else "sampled",
        order="topological",
    )


def _sources(request: Request) -> dict[str, Features]:
    """Return the parents of every node that is generated: inputs and what is above them.

    The sensitive attribute is generated only if the model reads it, like any other feature.
    """
    graph, players = request.drawn, request.reads
    wanted = {name for name in players if name in graph.nodes}
    wanted |= {above for name in wanted for above in graph.ancestors(name)}
    if request.sensitive not in players:
        wanted -= {request.sensitive}
    hidden = sorted(name for name in wanted - {*request.frame.columns} if graph.parents(name))
    if hidden:
        raise DataError(
            f"{hidden[0]!r} is between causes and inputs of the model but no column of the data. "
            "Add the column, or take the node out of the graph and join its causes to its effects."
        )
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for name in sorted(wanted & {*request.frame.columns}):
        sorter.add(name, *request.parents(name))
    order = [name for name in sorter.static_order() if name in wanted]
    return {name: request.parents(name) for name in order if request.parents(name)}


def _arrangement(request: Request, sources: dict[str, Features]) -> Arrangement:
    """Let each generated node be a block of its own, and the features players."""
    roots = {source for read in sources.values() for source in read}
    return Arrangement(
        request.sensitive,
        blocks=tuple((name,) for name in sources),
        predecessors={(name,): tuple((p,) for p in read) for name, read in sources.items()},
        outside=tuple(sorted(roots - {*sources, request.sensitive})),
        players=as_paths(request.reads),
    )


def _unordered(graph: CausalGraph, players: Features) -> tuple[str, ...]:
    """Name the inputs that an edge without direction joins."""
    pairs = [f"{a} – {b}" for a, b in graph.undirected if a in players or b in players]
    return (f"in any order, for want of a direction: {', '.join(pairs)}",) if pairs else ()
