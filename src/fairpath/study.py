"""A model, a game and the rows to explain: what it takes to explain them, or some of them, again.

Intervals explain parts of the rows with links learned from those parts alone; cutting paths
later asks the same questions about other coalitions.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from tqdm import tqdm

from fairpath.game.contributions import (
    Contributions,
    Key,
    Plan,
    coalition_values,
    contributions,
)
from fairpath.game.evaluate import Model
from fairpath.game.path_game import Lesson, PathGame
from fairpath.tally import Tally
from fairpath.uncertainty import Part, partitions, sizes
from fairpath.vocabulary import BoolMatrix, FloatMatrix, FloatVector, IntVector

PILOT_ROWS = 1024
MOST_ROUNDS = 64
SMALL = 0.1
"""Monte-Carlo variance of a contribution, as a share of the sampling variance, that is small."""

_ORDERS, _FOLDS, _PILOT, _PARTS = 11, 12, 13, 14


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
    game
        The paths, with links learned from ``game.lesson``.
    model
        The model as a function of encoded columns.
    columns
        The rows to explain, encoded.
    strata, favoured, weights
        For each row its stratum, whether its outcome is the favourable one, and how often it
        counts.
    has_utility
        Whether there is an outcome and the model's output is within [0, 1].
    plan
        How contributions are computed.
    own_lesson
        Whether the links were learned from the explained rows (those with weight).
    folds
        Number of folds, if each row is explained with links learned from the other folds.
    """

    game: PathGame
    model: Model
    columns: Mapping[str, FloatVector]
    strata: IntVector
    favoured: IntVector
    weights: FloatVector
    plan: Plan
    has_utility: bool
    own_lesson: bool
    folds: int | None
    seed: int

    @property
    def n_rows(self) -> int:
        """How many rows are explained."""
        return len(self.strata)

    @property
    def whole(self) -> Part:
        """All rows."""
        return Part(np.arange(self.n_rows), self.weights)

    def part_of_lesson(self, part: Part, others: Part | None) -> Lesson:
        """Return the rows that teach the links of a part."""
        if not self.own_lesson:
            assert others is not None  # noqa: S101 - divided together with the explained rows
            return self.game.lesson.part(others.rows, others.weights)
        return Lesson({n: v[part.rows] for n, v in self.columns.items()}, part.weights)


def settled(study: Study, rounds: int | str) -> tuple[Study, str]:
    """Settle how many pairs of orders each row gets; say why."""
    plan = study.plan
    if plan.draw is None:
        return study, f"all {1 << plan.n_players} coalitions were evaluated: no Monte-Carlo error"
    if rounds != "auto":
        return replace(study, plan=replace(plan, rounds=int(rounds))), f"rounds of orders: {rounds}"
    key = (study.seed, _PILOT)
    rows = np.arange(min(PILOT_ROWS, study.n_rows))
    sample = study.game.sample({n: v[rows] for n, v in study.columns.items()}, key=(study.seed,))
    pilot = contributions(
        study.model, study.game.board, sample, replace(plan, rounds=2, cuts=False), key=key
    )
    # What one round leaves, against how much people differ. Paths that hardly matter do not count.
    noise, spread = 2 * pilot.order_noise, pilot.paths.var(axis=0)
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
    others: Part | None = None,
    *,
    key: Key = (),
    n_jobs: int | None = None,
    batch_size: int | None = None,
    progress: tqdm | None = None,
) -> Contributions:
    """Return φ, f(x), v(∅) of the rows of a part; without a key with the links of the game."""
    found = [
        (
            world.rows,
            contributions(
                study.model,
                world.game.board,
                _sample(study, world),
                study.plan,
                key=(*world.key, _ORDERS),
                n_jobs=n_jobs,
                batch_size=batch_size,
                progress=progress,
            ),
        )
        for world in _worlds(study, part, others, key, n_jobs)
    ]
    return _in_order(found)


def kept_values(
    study: Study, part: Part, others: Part | None, held: BoolMatrix, *, key: Key = ()
) -> FloatMatrix:
    """Return v(T) of the rows of a part, a column for each coalition (row of ``held``)."""
    result = np.empty((len(part.rows), len(held)))
    place = np.empty(study.n_rows, dtype=np.intp)
    place[part.rows] = np.arange(len(part.rows))
    for world in _worlds(study, part, others, key, None):
        result[place[world.rows]] = coalition_values(
            study.model, world.game.board, _sample(study, world), held, world.game.shares
        )
    return result


def tally_of(study: Study, part: Part, columns: FloatMatrix, n_products: int = 0) -> Tally:
    """Add up columns over the rows of a part."""
    return Tally.of(
        columns,
        strata=study.strata[part.rows],
        outcomes=study.favoured[part.rows] if study.has_utility else np.zeros_like(part.rows),
        weights=part.weights,
        shape=(len(study.game.shares), 2 if study.has_utility else 1),
        n_products=n_products,
    )


def division(study: Study) -> list[list[tuple[Part, Part | None]]]:
    """Divide the rows, and the rows that teach the links where these are others, into parts.

    Always the same for the same study; empty where a stratum has too few rows.
    """
    counted = study.weights > 0
    smallest = np.bincount(study.strata[counted], minlength=len(study.game.shares)).min()
    lesson = study.game.lesson
    taught = lesson.columns[study.game.sensitive].astype(np.intp)
    if not study.own_lesson:
        smallest = min(smallest, np.bincount(taught, minlength=len(study.game.shares)).min())
    shape = sizes(float(min(counted.sum(), len(lesson.weights))), float(smallest))
    rng = np.random.default_rng([study.seed, _PARTS])
    own = partitions(study.weights, study.strata, shape, rng)
    if study.own_lesson:
        return [[(part, None) for part in partition] for partition in own]
    others = partitions(lesson.weights, taught, shape, rng)
    return [list(zip(*both, strict=True)) for both in zip(own, others, strict=True)]


def over_parts(
    study: Study,
    divided: Sequence[Sequence[tuple[Part, Part | None]]],
    look: Callable[[Part, Part | None, Key], Tally],
    *,
    n_jobs: int | None = None,
    progress: tqdm | None = None,
) -> tuple[tuple[Tally, ...], ...]:
    """Look at every part of every partition; each has its own random numbers."""

    def one(part: Part, others: Part | None, key: Key) -> Tally:
        tally = look(part, others, key)
        if progress is not None:
            progress.update(len(part.rows))
        return tally

    tasks = [
        (part, others, (study.seed, i, k))
        for i, partition in enumerate(divided)
        for k, (part, others) in enumerate(partition)
    ]
    tallies = iter(Parallel(n_jobs=n_jobs, prefer="threads")(delayed(one)(*t) for t in tasks))
    return tuple(tuple(next(tallies) for _ in partition) for partition in divided)


def _worlds(
    study: Study, part: Part, others: Part | None, key: Key, n_jobs: int | None
) -> Iterator[Worlds]:
    """Yield games with their rows: one, or one for each fold."""
    if study.folds is None:
        game = study.game
        if key:
            game = game.relearned(study.part_of_lesson(part, others), key=key, n_jobs=n_jobs)
        yield Worlds(game, part.rows, key or (study.seed,))
        return
    key = key or (study.seed,)
    rng = np.random.default_rng([*key, _FOLDS])
    # Dealt out by stratum, so that rows of each are among those that teach.
    shuffled = rng.permutation(len(part.rows))
    alike = study.strata[part.rows] * 2 + (part.weights > 0)
    fold = np.empty(len(part.rows), dtype=np.intp)
    fold[shuffled[np.argsort(alike[shuffled], kind="stable")]] = (
        np.arange(len(part.rows)) % study.folds
    )
    for number in range(study.folds):
        learned = Part(part.rows[fold != number], part.weights[fold != number])
        inner = (*key, _FOLDS, number)
        game = study.game.relearned(study.part_of_lesson(learned, None), key=inner, n_jobs=n_jobs)
        yield Worlds(game, part.rows[fold == number], inner)


def _sample(study: Study, world: Worlds):  # type: ignore[no-untyped-def]  # noqa: ANN202
    columns = {name: values[world.rows] for name, values in study.columns.items()}
    return world.game.sample(columns, key=world.key)


def _in_order(found: list[tuple[IntVector, Contributions]]) -> Contributions:
    """Put the rows of all folds back in their order."""
    together = Contributions.concatenated([part for _, part in found])
    if len(found) == 1:
        return together
    order = np.argsort(np.concatenate([rows for rows, _ in found]), kind="stable")
    return replace(
        together,
        paths=together.paths[order],
        factual=together.factual[order],
        base=together.base[order],
        cut=None if together.cut is None else together.cut[order],
    )
