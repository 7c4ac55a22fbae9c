"""Whether other worlds are like anything that was observed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from tqdm import tqdm

from fairpath.disparity import Outcome
from fairpath.doubt.asking import study_behind, table_of
from fairpath.doubt.scarcity import FEW, NOTHING, Scarcity, scarcity_of
from fairpath.doubt.states import MOST_CASES, States, states_of
from fairpath.doubt.support import Neighbourhood, outside_range
from fairpath.explanation import Explanation
from fairpath.game.orders import topological, uniform
from fairpath.game.path_game import PathGame
from fairpath.options import check_choices, check_jobs
from fairpath.paths import Path
from fairpath.paths.path import LONGER
from fairpath.study import Study
from fairpath.vocabulary import BoolVector, FloatVector, IntVector

MOST_NEIGHBOURS = 5_000
LEAST_ROWS = 20
JOINTLY, ANY = "all together", "any of them"
MOST_ROWS = 12

_STATES = 33


@dataclass(frozen=True, eq=False, repr=False)
class Overlap:
    """Whether what links and model are asked is like anything that was observed.

    Made by `overlap`.

    Attributes
    ----------
    explanation
        The explanation.
    scarcity
        For each outcome that has links of its own (else None) and each feature.
    outside
        For each outcome and each input: the share of inputs outside, and that of rows.
    """

    explanation: Explanation
    scarcity: Mapping[tuple[Outcome | None, str], Scarcity]
    outside: Mapping[tuple[Outcome | None, str], tuple[float, float]]

    def table(self) -> Any:  # noqa: ANN401 - the caller's frame type
        """Return a row for each path: how scarce comparable rows are for its scarcest link.

        Columns: ``path``, ``outcome`` (where each has links of its own), ``few`` and
        ``hardly_any`` (as in `links`), ``scarcest``, the feature whose link it is. Zero for
        A → prediction, which needs no link; NaN for longer paths that are one.
        """
        outcomes = dict.fromkeys(outcome for outcome, _ in self.scarcity) or {None: None}
        rows = [
            {"path": str(path)}
            | ({} if outcome is None else {"outcome": outcome})
            | self._of_path(path, outcome)
            for outcome in outcomes
            for path in self.explanation.paths
        ]
        return table_of(rows, self.explanation)

    def links(self) -> Any:  # noqa: ANN401 - the caller's frame type
        """Return a row for each link, the scarcest first.

        Columns: ``feature``, ``outcome`` (where each has links of its own), ``sources``,
        ``states`` (how many were looked at), ``few`` and ``hardly_any``: the share of
        counterfactual states, by weight, where less than 5 % and 2 % of what is there are
        observed rows, if of each stratum there are as many in all as states.
        """
        rows = []
        for (outcome, feature), found in self._scarcest_first():
            row: dict[str, Any] = {"feature": feature}
            if outcome is not None:
                row |= {"outcome": outcome}
            row |= {"sources": ", ".join(found.sources), "states": found.states}
            rows.append(row | {"few": found.few, "hardly_any": found.hardly_any})
        return table_of(rows, self.explanation)

    def inputs(self) -> Any:  # noqa: ANN401 - the caller's frame type
        """Return a row for each input of the model, then for any of them and for all together.

        Columns: ``input``, ``outcome`` (where each has links of its own), ``outside``: the share
        of counterfactual inputs, by weight, beyond the extremes of the explained rows or with a
        level that none of them has; for ``"all together"`` of combinations that are far from
        every row. ``among_rows`` is the same share of rows: 0 but for combinations.
        """
        rows = []
        for (outcome, name), (share, of_rows) in self.outside.items():
            row: dict[str, Any] = {"input": name}
            if outcome is not None:
                row |= {"outcome": outcome}
            rows.append(row | {"outside": share, "among_rows": of_rows})
        return table_of(rows, self.explanation)

    def __repr__(self) -> str:
        lines = [
            f"share of other worlds with few comparable rows (less than {FEW:.0%} of what is there)"
        ]
        listed = self._scarcest_first()
        for (outcome, feature), found in listed[:MOST_ROWS]:
            whose = "" if outcome is None else f" (outcome {outcome})"
            lines.append(f"  {found.few:6.1%}  {feature}{whose} from {', '.join(found.sources)}")
        if len(listed) > MOST_ROWS:
            lines.append(f"  … and {len(listed) - MOST_ROWS} more links: see .links()")
        lines.append("share of the model's inputs in other worlds that no row is like")
        for (outcome, name), (outside, among) in self.outside.items():
            if name in {ANY, JOINTLY}:
                what = "beyond the range of an input" if name == ANY else "far from every row"
                what += "" if outcome is None else f" (outcome {outcome})"
                lines.append(f"  {outside:6.1%}  {what}; of the rows {among:.1%}")
        return "\n".join(lines)

    def _scarcest_first(self) -> list[tuple[tuple[Outcome | None, str], Scarcity]]:
        return sorted(self.scarcity.items(), key=lambda item: -item[1].few)

    def _of_path(self, path: Path, outcome: Outcome | None) -> dict[str, Any]:
        if LONGER in path.nodes:
            return {"few": NOTHING, "hardly_any": NOTHING, "scarcest": None}
        features = [
            feature
            for node in path.nodes[1:]
            for feature in ((node,) if isinstance(node, str) else node)
        ]
        if not features:
            return {"few": 0.0, "hardly_any": 0.0, "scarcest": None}
        most = max(features, key=lambda feature: self.scarcity[outcome, feature].few)
        found = self.scarcity[outcome, most]
        return {"few": found.few, "hardly_any": found.hardly_any, "scarcest": most}


def overlap(
    explanation: Explanation, *, n_jobs: int | None = None, progress: bool | None = None
) -> Overlap:
    """Ask how far the worlds that are compared are from what was observed.

    A random half of the rows, at most 10,000, goes through the coalitions of a random order of the
    paths. For each link a forest learns to tell the states at which it is asked from the rows that
    taught it, both counting alike in each stratum. The share of rows among what falls where a state
    falls is a propensity: 50 % where states are like rows, 0 where nobody is like that. Where it is
    small the link extrapolates, and the contributions of paths through it rest on its form.

    Parameters
    ----------
    explanation
        Made by `explain` in this session.
    n_jobs
        How many trees are grown at the same time; the numbers do not depend on it.
    progress
        Whether to show a progress bar; by default on a terminal, if it takes long.
    """
    study = study_behind(explanation, "overlap")
    check_jobs(n_jobs)
    check_choices(progress=(progress, (None, False, True)))
    scarcity: dict[tuple[Outcome | None, str], Scarcity] = {}
    outside: dict[tuple[Outcome | None, str], tuple[float, float]] = {}
    draws = topological if explanation.setting.order == "topological" else uniform
    with tqdm(
        total=sum(len(game.mechanisms.links) for game in study.games.values()),
        desc="overlap",
        unit=" links",
        delay=2,
        leave=False,
        disable=None if progress is None else not progress,
    ) as bar:
        for outcome, game in study.games.items():
            key = [study.seed, _STATES, *(() if outcome is None else (outcome,))]
            rng = np.random.default_rng(key)
            rows = study.looked_at(study.with_outcome(study.whole, outcome)).rows
            asked, others = _halves(rows[study.weights[rows] > 0], len(game.shares), rng)
            columns = {name: values[asked] for name, values in study.columns.items()}
            sample = game.sample(columns, key=tuple(key))
            draw = draws(game.arrangement)
            states = states_of(game, sample, study.weights[asked], draw, rng)
            for feature, found in states.links.items():
                seed = int(rng.integers(2**31))
                scarcity[outcome, feature] = scarcity_of(game, feature, found, seed, n_jobs)
                bar.update()
            for name, shares in _outside(study, game, states, (rows, asked, others)):
                outside[outcome, name] = shares
    return Overlap(explanation, scarcity, outside)


def _halves(
    rows: IntVector, n_strata: int, rng: np.random.Generator
) -> tuple[IntVector, IntVector]:
    """Return rows whose worlds are looked at, and others to compare them with."""
    shuffled = rng.permutation(rows)
    half = (len(rows) + 1) // 2
    most = max(1, MOST_CASES // (n_strata - 1))
    return np.sort(shuffled[:half][:most]), np.sort(shuffled[half:][:MOST_NEIGHBOURS])


def _outside(
    study: Study, game: PathGame, states: States, parts: tuple[IntVector, IntVector, IntVector]
) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield for each input, for any and for all together, the shares outside."""
    rows, asked, others = parts
    rows = rows[study.weights[rows] > 0]
    variables = game.encoding.variables
    total = states.masses.sum()
    beyond = {
        name: outside_range(values, study.columns[name][rows], variables[name])
        for name, values in states.inputs.items()
    }
    for name, is_beyond in beyond.items():
        yield name, (_share(is_beyond, states.masses, total), 0.0)
    anywhere = np.logical_or.reduce(list(beyond.values()))
    yield ANY, (_share(anywhere, states.masses, total), 0.0)
    if len(others) < LEAST_ROWS or not total:
        yield JOINTLY, (NOTHING, NOTHING)
        return
    near = Neighbourhood.of({n: study.columns[n][others] for n in game.inputs}, variables)
    far = near.is_far({name: study.columns[name][asked] for name in game.inputs})
    weights = study.weights[asked]
    among = _share(far, weights, weights.sum())
    yield JOINTLY, (_share(near.is_far(states.inputs), states.masses, total), among)


def _share(which: BoolVector, weights: FloatVector, total: float) -> float:
    return float(weights[which].sum() / total) if total else NOTHING
