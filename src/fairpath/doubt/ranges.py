"""How far contributions move with what data cannot tell: couplings, links, directions of edges."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from zlib import crc32

import numpy as np
from joblib import Parallel, delayed
from tqdm import tqdm

from fairpath.doubt.asking import study_behind
from fairpath.doubt.couplings import AS_FITTED, COUPLINGS, Carried, Coupling
from fairpath.doubt.games import Games, Setup, added_columns, fitted_setups, setups_of
from fairpath.doubt.graphs import Graphs, graphs_to_try
from fairpath.doubt.moved import AS_EXPLAINED, Assumed, Ranges
from fairpath.errors import DataError
from fairpath.explanation import Explanation
from fairpath.explanation.quantities import Columns, Numbers, numbers, stacked
from fairpath.game.worlds import Mechanisms
from fairpath.links import Links
from fairpath.options import check_choices, check_count, check_jobs
from fairpath.preparing import plan_of
from fairpath.study import Study, explained, settled, tally_of
from fairpath.vocabulary import FloatMatrix, FloatVector

MOST_GRAPHS = 20

_COUPLING = 32


def ranges(
    explanation: Explanation,
    *,
    couplings: Iterable[str | Coupling] = ("ranks", "redrawn"),
    links: Links | Sequence[Links] = ("forest", "linear"),
    graphs: Graphs = "class",
    most_graphs: int = MOST_GRAPHS,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Ranges:
    """Explain again under every combination of some assumptions, without intervals.

    The disparity itself depends on none of them. What the explanation assumed is always
    among the combinations, so every range holds its contribution. Intervals of the explanation
    say what other people would change; they come on top of a range.

    Parameters
    ----------
    explanation
        Made by `explain` in this session, without ``cross_fit``.
    couplings
        How noise is carried to other worlds. ``"ranks"``: as the link does. ``"redrawn"``: in
        other worlds a person has the noise of a random other one of the same stratum.
        ``"fresh"``: of another one in each other world. ``"reversed"``: the highest noise of the
        stratum becomes the lowest. Or a function, see `fairpath.doubt.couplings`.
    links
        Other links to try, each as for `explain`.
    graphs
        ``"class"``: every DAG of the class of the explained graph; some graphs with the same
        nodes; or None: the explained one only.
    most_graphs
        So many DAGs of the class; if there are more, as many drawn at random.
    n_jobs
        How many combinations are evaluated at the same time; the numbers do not depend on it.
    progress
        Whether to show a progress bar; by default on a terminal, if it takes long.
    """
    study = study_behind(explanation, "ranges")
    if study.folds is not None:
        raise DataError(
            f"ranges() learns each link once, from all rows, and this explanation has "
            f"cross_fit={study.folds}. Explain again without cross_fit."
        )
    check_jobs(n_jobs)
    check_count("most_graphs", most_graphs, 1)
    check_choices(progress=(progress, (None, False, True)))
    ways = _couplings(couplings)
    kinds = _kinds(links)
    tried, notes = graphs_to_try(study.game.graph, graphs, most_graphs, study.seed)
    setups = setups_of(study, tried)
    games, more = fitted_setups(study, setups, [None, *kinds.values()], n_jobs=n_jobs)
    study = added_columns(study, games[0][0])
    asked = [
        Assumed(g, k, c)
        for g in range(len(setups))
        for k in range(1 + len(kinds))
        for c in range(len(ways))
    ]
    ready = {place: _with_plan(study, games[place][0], explanation) for place in range(len(setups))}
    with tqdm(
        total=len(asked) - 1,
        desc="ranges",
        unit=" worlds",
        delay=2,
        leave=False,
        disable=None if progress is None else not progress,
    ) as bar:

        def one(assumed: Assumed) -> FloatMatrix:
            coupling = list(ways.values())[assumed.coupling]
            mine = replace(
                ready[assumed.graph],
                games=_carried(study, games[assumed.graph][assumed.links], coupling),
            )
            found = _numbers(mine, explanation)
            bar.update()
            return found

        work = (delayed(one)(assumed) for assumed in asked[1:])
        found = list(Parallel(n_jobs=n_jobs, prefer="threads")(work))
    return Ranges.of(
        explanation,
        setups=setups,
        graphs=tried,
        names=((AS_EXPLAINED, *kinds), tuple(ways)),
        assumed=tuple(asked),
        found=[_as_explained(explanation, setups[0]), *found],
        notes=(*notes, *more),
    )


def _couplings(couplings: object) -> dict[str, Coupling]:
    """Return couplings by name, that of the links first."""
    if isinstance(couplings, str) or not isinstance(couplings, Iterable):
        raise DataError(
            f"couplings is a collection of names or functions; write couplings=[{couplings!r}]."
        )
    found = {AS_FITTED: COUPLINGS[AS_FITTED]}
    for one in couplings:
        if callable(one):
            found[getattr(one, "__name__", repr(one))] = one
        elif isinstance(one, str) and one in COUPLINGS:
            found[one] = COUPLINGS[one]
        else:
            raise DataError(
                f"There is no coupling {one!r}. These are: {', '.join(map(repr, COUPLINGS))}; or "
                "give a function that takes a Carried and returns a fitted link."
            )
    return found


def _kinds(links: object) -> dict[str, Links]:
    """Return what is tried in the place of the links, by name."""
    listed: Any = links
    if isinstance(links, str | Mapping) or not isinstance(links, Iterable):
        listed = [links]
    found: dict[str, Links] = {}
    for one in listed:
        name = one if isinstance(one, str) else _name_of(one)
        while name in found:
            name += "'"
        found[name] = one
    return found


def _name_of(kind: object) -> str:
    if isinstance(kind, Mapping):
        return ", ".join(f"{feature}: {_name_of(one)}" for feature, one in kind.items())
    if isinstance(kind, str):
        return kind
    return str(getattr(kind, "__name__", type(kind).__name__))


def _with_plan(study: Study, games: Games, explanation: Explanation) -> Study:
    """Evaluate as many coalitions as the explanation did, or all where there are few."""
    game, setting, plan = next(iter(games.values())), explanation.setting, study.plan
    if game.arrangement is study.game.arrangement:
        return study
    exact = plan.draw is None
    keeps = exact and len(game.players) <= plan.n_players
    method = setting.method if keeps or not exact else "auto"
    mine = replace(study, games=games, plan=plan_of(game, method, setting.order, "auto"))
    if not exact and mine.plan.draw is not None:
        return replace(mine, plan=replace(mine.plan, rounds=plan.rounds))
    return settled(mine, "auto")[0]


def _carried(study: Study, games: Games, coupling: Coupling) -> Games:
    """Let every link carry noise in another way."""
    if coupling is COUPLINGS[AS_FITTED]:
        return games
    found = {}
    for outcome, game in games.items():
        rows = study.looked_at(study.with_outcome(study.whole, outcome)).rows
        strata = study.strata[rows]
        by_outcome = study.viewpoint.signs is not None
        cells = 2 * strata + study.favoured[rows] if by_outcome else strata
        columns = {name: values[rows] for name, values in study.columns.items()}
        mechanisms = game.mechanisms
        links = {}
        for feature, link in mechanisms.links.items():
            key = (
                study.seed,
                _COUPLING,
                2 if outcome is None else outcome,
                crc32(feature.encode()),
            )
            carried = Carried(
                link,
                game.encoding.variables[feature],
                np.column_stack([columns[name] for name in mechanisms.sources[feature]]),
                columns[feature],
                cells,
                study.weights[rows],
                np.random.default_rng(key),
            )
            links[feature] = coupling(carried)
        found[outcome] = replace(
            game, mechanisms=Mechanisms(mechanisms.sensitive, mechanisms.sources, links)
        )
    return found


def _numbers(study: Study, explanation: Explanation) -> FloatMatrix:
    """Return what `_as_explained` does, computed anew."""
    found = explained(study, study.whole)
    uncut = np.empty((len(found.factual), 0))
    width = Columns(study.plan.n_players)
    tally = tally_of(study, study.whole, stacked(found.paths, found.factual, found.base, uncut))
    signs = study.viewpoint.signs
    return np.array(
        [
            _picked(numbers(tally, width, compared, signs, has_utility=False), study.plan.n_players)
            for compared in explanation.compared
        ]
    )


def _as_explained(explanation: Explanation, setup: Setup) -> FloatMatrix:
    """Return Δ, what stands apart, the remainder, then contributions in the order of players.

    A row for each comparison.
    """
    place = {(path.nodes, path.longer): i for i, path in enumerate(explanation.paths)}
    sorting = [place[path.nodes, path.longer] for path in setup.arrangement.players]
    found = []
    for compared in explanation.compared:
        values = explanation.estimates_at(compared).values
        picked = _picked(values, len(sorting))
        found.append(np.concatenate([picked[:3], picked[3:][sorting]]))
    return np.array(found)


def _picked(values: FloatVector, n_paths: int) -> FloatVector:
    place = Numbers(n_paths)
    start = [values[place.disparity], values[place.apart], values[place.remainder]]
    return np.concatenate([start, values[place.contributions]])
