"""A model, a game and the rows to explain: what it takes to explain them, or some of them, again.

Relative to the outcome there is a game for each outcome, with links learned from its rows.

Intervals explain parts of the rows with links learned from those parts alone; cutting paths
later asks the same questions about other coalitions.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil
from typing import NamedTuple, TypeAlias

import numpy as np
from tqdm import tqdm

from fairpath.disparity import Outcome, Viewpoint
from fairpath.game.contributions import (
    Contributions,
    Key,
    Plan,
    coalition_values,
    contributions,
)
from fairpath.game.evaluate import Model
from fairpath.game.path_game import Lesson, PathGame
from fairpath.game.worlds import Sample
from fairpath.tally import Tally
from fairpath.uncertainty import Part
from fairpath.vocabulary import BoolMatrix, FloatMatrix, FloatVector, IntVector

PILOT_ROWS = 1024
MOST_ROUNDS = 64
SMALL = 0.1
"""Monte-Carlo variance of a contribution, as a share of the sampling variance, that is small."""

_ORDERS, _FOLDS, _PILOT = 11, 12, 13

Lessons: TypeAlias = Mapping[Outcome | None, Part]
"""For each game the rows that teach its links, where these are not the explained ones."""


class Worlds(NamedTuple):
    """A game, and the rows that are explained with its links."""

    game: PathGame
    rows: IntVector
    key: Key


@dataclass(frozen=True, eq=False)
class Study:
    """Everything that the numbers of an explanation depend on.

    Attributes
    ----------
    games
        The paths, with links learned from ``game.lesson``: one game under None or, relative to the
        outcome, one for each outcome that is looked at (1: the favourable one).
    viewpoint
        Which rows enter the disparity, and how.
    model
        The model as a function of encoded columns.
    columns
        The rows to explain, encoded.
    strata, favoured, weights
        For each row its stratum, whether its outcome is the favourable one, and how often it
        counts.
    has_outcome
        Whether there is an outcome, so that ``favoured`` means something.
    has_utility
        Whether there is, and the model's output is within [0, 1].
    plan
        How contributions are computed.
    own_lesson
        Whether all links were learned from the explained rows (those with weight).
    folds
        Number of folds, if each row is explained with links learned from the other folds.
    """

    games: Mapping[Outcome | None, PathGame]
    viewpoint: Viewpoint
    model: Model
    columns: Mapping[str, FloatVector]
    strata: IntVector
    favoured: IntVector
    weights: FloatVector
    plan: Plan
    has_outcome: bool
    has_utility: bool
    own_lesson: bool
    folds: int | None
    seed: int

    @property
    def n_rows(self) -> int:
        """How many rows are explained."""
        return len(self.strata)

    @property
    def game(self) -> PathGame:
        """One of the games: they have the same players, strata and inputs."""
        return next(iter(self.games.values()))

    @property
    def whole(self) -> Part:
        """All rows."""
        return Part(np.arange(self.n_rows), self.weights)

    def looked_at(self, part: Part) -> Part:
        """Return the rows of a part that enter the disparity."""
        enters = self.viewpoint.looks_at(self.favoured[part.rows])
        return part if enters.all() else Part(part.rows[enters], part.weights[enters])

    def with_outcome(self, part: Part, outcome: Outcome | None) -> Part:
        """Return the rows of a part that have an outcome; None: all."""
        if outcome is None:
            return part
        inside = self.favoured[part.rows] == outcome
        return Part(part.rows[inside], part.weights[inside])

    def lesson_of(self, part: Part, others: Lessons | None, outcome: Outcome | None) -> Lesson:
        """Return the rows that teach the links of a part."""
        if not self.own_lesson:
            assert others is not None  # noqa: S101 - divided together with the explained rows
            taught = others[outcome]
            return self.games[outcome].lesson.part(*taught)
        taught = self.with_outcome(part, outcome)
        return Lesson({n: v[taught.rows] for n, v in self.columns.items()}, taught.weights)


def settled(study: Study, rounds: int | str) -> tuple[Study, str]:
    """Settle how many pairs of orders each row gets; say why."""
    plan = study.plan
    if plan.draw is None:
        return study, f"all {1 << plan.n_players} coalitions were evaluated: no Monte-Carlo error"
    if rounds != "auto":
        return replace(study, plan=replace(plan, rounds=int(rounds))), f"rounds of orders: {rounds}"
    pilot = replace(study, plan=replace(plan, rounds=2, cuts=False))
    rows = study.looked_at(study.whole).rows[:PILOT_ROWS]
    found = explained(pilot, Part(rows, study.weights[rows]), key=(study.seed, _PILOT), learn=False)
    # What one round leaves, against how much people differ. Paths that hardly matter do not count.
    noise, spread = 2 * found.order_noise, found.paths.var(axis=0)
    share = float(np.max(noise / (spread + 0.01 * spread.max() + 1e-300), initial=0.0))
    wanted = min(MOST_ROUNDS, max(1, ceil(share / SMALL)))
    study = replace(study, plan=replace(plan, rounds=wanted))
    return study, (
        f"pairs of orders for each row: {wanted} (the choice of orders adds "
        f"{share / wanted:.1%} to the sampling variance of the noisiest path)"
    )


def explained(
    study: Study,
    part: Part,
    others: Lessons | None = None,
    *,
    key: Key = (),
    learn: bool = True,
    n_jobs: int | None = None,
    batch_size: int | None = None,
    progress: tqdm | None = None,
) -> Contributions:
    """Return φ, f(x), v(∅) of the rows of a part that are looked at, as they enter the disparity.

    Without a key, or if nothing is to ``learn``, with the links of the games.
    """
    found = [
        (
            world.rows,
            contributions(
                study.model,
                world.game.board,
                _sample(study, world),
                replace(study.plan, shares=world.game.shares),
                key=(*world.key, _ORDERS),
                n_jobs=n_jobs,
                batch_size=batch_size,
                progress=progress,
            ),
        )
        for world in _worlds(study, part, others, key, n_jobs, learn=learn)
    ]
    together = _in_order(found)
    favoured = study.favoured[study.looked_at(part).rows]
    view = study.viewpoint
    if not view.flips:
        return together
    return replace(
        together,
        paths=view.gained(together.paths, favoured),
        factual=view.entered(together.factual[:, None], favoured)[:, 0],
        base=view.entered(together.base[:, None], favoured)[:, 0],
        cut=None if together.cut is None else view.entered(together.cut, favoured),
    )


def kept_values(
    study: Study, part: Part, others: Lessons | None, held: BoolMatrix, *, key: Key = ()
) -> FloatMatrix:
    """Return v(T) of the rows of a part that are looked at, a column for each row of ``held``."""
    looked = study.looked_at(part)
    result = np.empty((len(looked.rows), len(held)))
    place = np.empty(study.n_rows, dtype=np.intp)
    place[looked.rows] = np.arange(len(looked.rows))
    for world in _worlds(study, part, others, key, None):
        result[place[world.rows]] = coalition_values(
            study.model, world.game.board, _sample(study, world), held, world.game.shares
        )
    return study.viewpoint.entered(result, study.favoured[looked.rows])


def tally_of(study: Study, part: Part, columns: FloatMatrix, n_products: int = 0) -> Tally:
    """Add up columns over the rows of a part that are looked at."""
    looked = study.looked_at(part)
    return Tally.of(
        columns,
        strata=study.strata[looked.rows],
        outcomes=study.favoured[looked.rows],
        weights=looked.weights,
        shape=(len(study.game.shares), 2 if study.has_outcome else 1),
        n_products=n_products,
    )


def _worlds(
    study: Study,
    part: Part,
    others: Lessons | None,
    key: Key,
    n_jobs: int | None,
    *,
    learn: bool = True,
) -> Iterator[Worlds]:
    """Yield games with their rows: one for each outcome that has its own, and for each fold."""
    for outcome, game in study.games.items():
        mine = study.with_outcome(part, outcome)
        enters = study.looked_at(mine).rows
        own = key or (study.seed,)
        if outcome is not None:
            own = (*own, outcome)
        if study.folds is None or not learn:
            if key and learn:
                game = game.relearned(  # noqa: PLW2901
                    study.lesson_of(part, others, outcome), key=own, n_jobs=n_jobs
                )
            if len(enters):
                yield Worlds(game, enters, own)
            continue
        fold = _folds_of(study, mine, own)
        for number in range(study.folds):
            learned = Part(mine.rows[fold != number], mine.weights[fold != number])
            inner = (*own, _FOLDS, number)
            lesson = study.lesson_of(learned, None, outcome)
            again = game.relearned(lesson, key=inner, n_jobs=n_jobs)
            asked = np.intersect1d(mine.rows[fold == number], enters)
            if len(asked):
                yield Worlds(again, asked, inner)


def _folds_of(study: Study, part: Part, key: Key) -> IntVector:
    """Deal rows out by stratum, so that rows of each are among those that teach."""
    assert study.folds is not None  # noqa: S101 - asked for
    shuffled = np.random.default_rng([*key, _FOLDS]).permutation(len(part.rows))
    alike = study.strata[part.rows] * 2 + (part.weights > 0)
    fold = np.empty(len(part.rows), dtype=np.intp)
    fold[shuffled[np.argsort(alike[shuffled], kind="stable")]] = (
        np.arange(len(part.rows)) % study.folds
    )
    return fold


def _sample(study: Study, world: Worlds) -> Sample:
    columns = {name: values[world.rows] for name, values in study.columns.items()}
    return world.game.sample(columns, key=world.key)


def _in_order(found: list[tuple[IntVector, Contributions]]) -> Contributions:
    """Put the rows of all games and folds back in their order."""
    together = Contributions.concatenated([part for _, part in found])
    if len(found) == 1:
        return together
    order = np.argsort(np.concatenate([rows for rows, _ in found]), kind="stable")
    return together.part(order)
