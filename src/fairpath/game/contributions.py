"""Each path's contribution to each prediction, chunk by chunk of rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from joblib import Parallel, delayed
from tqdm import tqdm

from fairpath.game.coalitions import Chains, Chosen, Coalitions, LeaveOneOut, Subsets
from fairpath.game.evaluate import Answers, Board, Model, Question, ask
from fairpath.game.orders import Draw
from fairpath.game.shapley import from_chains, from_subsets
from fairpath.game.worlds import Sample
from fairpath.vocabulary import BoolMatrix, FloatMatrix, FloatVector, IntVector

CHUNK_ROWS = 4096
"""Rows of a chunk; fewer where each has many states. A chunk is evaluated as a whole."""

CHUNK_STATES = 2**20
"""Most states of a chunk, over all of its rows."""

FEW_STRATA = 5
"""Up to so many strata every other level is evaluated; beyond, one is drawn for each order."""

MOST_EXACT = 16
"""With more players not all coalitions are evaluated."""

Key = tuple[int, ...]
"""What a stream of random numbers is for: the seed, then numbers that tell tasks apart."""


@dataclass(frozen=True, eq=False)
class Plan:
    """How contributions are computed.

    Attributes
    ----------
    shares
        P(a') of each level of the sensitive attribute.
    draw
        Draws a pair of orders for each row; None: all coalitions, exactly.
    rounds
        Pairs of orders for each row.
    cuts
        Whether each path is also cut alone.
    """

    shares: FloatVector
    n_players: int
    draw: Draw | None
    rounds: int = 1
    cuts: bool = True

    @property
    def states_per_row(self) -> int:
        """How many states a row has, over all levels it is compared with."""
        if self.draw is None:
            each = 1 << self.n_players
        else:
            each = 2 * self.rounds * (self.n_players + 1) + self.cuts * (self.n_players + 1)
        return each * self.n_passes

    @property
    def n_passes(self) -> int:
        """How many other levels a row is compared with."""
        others = len(self.shares) - 1
        return 1 if self.draw and others >= FEW_STRATA else others

    @property
    def chunk_rows(self) -> int:
        """Rows of a chunk: a power of two, the same for any number of rows or workers."""
        room = max(1, CHUNK_STATES // max(1, self.states_per_row))
        return min(CHUNK_ROWS, 1 << room.bit_length() - 1)


@dataclass(frozen=True, eq=False)
class Contributions:
    """What was found for some rows.

    Attributes
    ----------
    paths
        φ, shape (rows, players).
    factual, base
        f(x) and v(∅).
    cut
        v(P without the player), shape (rows, players); None if nobody asked.
    order_noise
        For each player the variance that the choice of orders leaves in φ of a row, averaged
        over rows; NaN with one pair of orders, zero with all coalitions.
    evaluations
        How many rows the model was given.
    """

    paths: FloatMatrix
    factual: FloatVector
    base: FloatVector
    cut: FloatMatrix | None
    order_noise: FloatVector
    evaluations: int

    def part(self, rows: IntVector) -> "Contributions":
        """Return what was found for some of the rows, or all of them in another order."""
        return replace(
            self,
            paths=self.paths[rows],
            factual=self.factual[rows],
            base=self.base[rows],
            cut=None if self.cut is None else self.cut[rows],
        )

    @classmethod
    def concatenated(cls, parts: Sequence["Contributions"]) -> "Contributions":
        """Put chunks together in their order."""
        if len(parts) == 1:
            return parts[0]
        rows = np.array([len(part.factual) for part in parts])
        cuts = [part.cut for part in parts if part.cut is not None]
        return cls(
            np.concatenate([part.paths for part in parts]),
            np.concatenate([part.factual for part in parts]),
            np.concatenate([part.base for part in parts]),
            np.concatenate(cuts) if cuts else None,
            np.average([part.order_noise for part in parts], axis=0, weights=rows),
            sum(part.evaluations for part in parts),
        )


def contributions(
    model: Model,
    board: Board,
    sample: Sample,
    plan: Plan,
    *,
    key: Key,
    n_jobs: int | None = None,
    batch_size: int | None = None,
    progress: tqdm | None = None,
) -> Contributions:
    """Compute φ of every row; the same numbers for any ``n_jobs`` and ``batch_size``."""
    starts = range(0, len(sample), plan.chunk_rows)
    each = max(1, (batch_size or 1) // plan.chunk_rows)

    def batch(positions: Sequence[int]) -> list[Contributions]:
        found = []
        for start in positions:
            part = sample.part(slice(start, start + plan.chunk_rows))
            rng = np.random.default_rng([*key, start // plan.chunk_rows])
            found.append(_chunk(model, board, part, plan, rng))
            if progress is not None:
                progress.update(len(part))
        return found

    work = (delayed(batch)(positions) for positions in _batches(starts, each))
    parts = Parallel(n_jobs=n_jobs, prefer="threads")(work)
    return Contributions.concatenated([chunk for part in parts for chunk in part])


def coalition_values(
    model: Model,
    board: Board,
    sample: Sample,
    held: BoolMatrix,
    shares: FloatVector,
) -> FloatMatrix:
    """Return v(T) of every row for some coalitions, shape (rows, coalitions)."""
    coalitions = Chosen(np.arange(held.shape[1]), held)
    room = max(1, CHUNK_STATES // max(1, len(held) * (len(shares) - 1)))
    size = min(CHUNK_ROWS, 1 << room.bit_length() - 1)
    found = []
    for start in range(0, len(sample), size):
        part = sample.part(slice(start, start + size))
        asked = _against_all(part, board, shares, coalitions)
        answers = ask(model, board, part, [question for question, _ in asked])
        value = _own_share(part, board, shares)[:, None] * answers.factual[:, None]
        for (_, weight), values in zip(asked, answers.values, strict=True):
            value = value + weight[:, None] * values
        found.append(value)
    return np.concatenate(found)


def answers_between(
    model: Model,
    board: Board,
    sample: Sample,
    held: BoolMatrix,
    levels: tuple[int, int],
    *,
    n_jobs: int | None = None,
) -> Answers:
    """Ask about every row if some paths carry one level, whatever the row's own, others another.

    The first of ``levels`` is that of the paths in a row of ``held``. The only values have the
    shape (rows, coalitions).
    """
    coalitions = Chosen(np.arange(held.shape[1]), held)
    room = max(1, CHUNK_STATES // max(1, len(held)))
    size = min(CHUNK_ROWS, 1 << room.bit_length() - 1)

    def chunk(start: int) -> Answers:
        part = sample.part(slice(start, start + size))
        own, other = (np.full(len(part), float(level)) for level in levels)
        return ask(model, board, part, [Question(np.arange(len(part)), other, coalitions, own)])

    work = (delayed(chunk)(start) for start in range(0, len(sample), size))
    parts = Parallel(n_jobs=n_jobs, prefer="threads")(work)
    return Answers(
        np.concatenate([part.factual for part in parts]),
        (np.concatenate([part.values[0] for part in parts]),),
        sum(part.evaluations for part in parts),
    )


def _batches(starts: Sequence[int], each: int) -> Iterator[tuple[int, ...]]:
    waiting = iter(starts)
    while batch := tuple(islice(waiting, each)):
        yield batch


def _chunk(
    model: Model, board: Board, sample: Sample, plan: Plan, rng: np.random.Generator
) -> Contributions:
    """Evaluate all coalitions that the plan wants for some rows, in one call of the model."""
    if plan.draw is None:
        return _exact(model, board, sample, plan)
    n_rows = len(sample)
    asked: list[tuple[Question, FloatVector]] = []
    for _ in range(plan.rounds):
        pair = plan.draw(n_rows, rng)
        twice = np.concatenate([np.arange(n_rows)] * 2)
        coalitions = Chains.of(np.concatenate(pair))
        for other, weight in _others(sample, board, plan, rng):
            tiled = np.concatenate([other] * 2)
            asked.append((Question(twice, tiled, coalitions), weight))
    n_chains = len(asked)
    if plan.cuts:
        alone = LeaveOneOut(np.arange(plan.n_players))
        asked += [
            (Question(np.arange(n_rows), other, alone), weight)
            for other, weight in _others(sample, board, plan, rng)
        ]
    answers = ask(model, board, sample, [question for question, _ in asked])

    own = _own_share(sample, board, plan.shares)
    rounds = np.zeros((plan.rounds, n_rows, plan.n_players))
    base = own * answers.factual
    cut = own[:, None] * answers.factual[:, None] + np.zeros((n_rows, plan.n_players))
    per_round = n_chains // plan.rounds
    for i, ((question, weight), values) in enumerate(zip(asked, answers.values, strict=True)):
        if i >= n_chains:
            cut += weight[:, None] * values[:, :-1]
            continue
        gains = from_chains(values, question.coalitions.joining[:, 1:])  # type: ignore[attr-defined]
        rounds[i // per_round] += weight[:, None] * (gains[:n_rows] + gains[n_rows:]) / 2
        base += weight * values[:n_rows, 0] / plan.rounds
    paths = rounds.mean(axis=0)
    noise = np.full(plan.n_players, np.nan)
    if plan.rounds > 1:
        noise = rounds.var(axis=0, ddof=1).mean(axis=0) / plan.rounds
    return Contributions(
        paths, answers.factual, base, cut if plan.cuts else None, noise, answers.evaluations
    )


def _exact(model: Model, board: Board, sample: Sample, plan: Plan) -> Contributions:
    subsets = Subsets(np.arange(plan.n_players))
    asked = _against_all(sample, board, plan.shares, subsets)
    answers = ask(model, board, sample, [question for question, _ in asked])
    values = _own_share(sample, board, plan.shares)[:, None] * answers.factual[:, None]
    for (_, weight), said in zip(asked, answers.values, strict=True):
        values = values + weight[:, None] * said
    everyone = values.shape[1] - 1
    return Contributions(
        from_subsets(values),
        answers.factual,
        values[:, 0],
        values[:, everyone ^ 1 << np.arange(plan.n_players)] if plan.cuts else None,
        np.zeros(plan.n_players),
        answers.evaluations,
    )


def _own_share(sample: Sample, board: Board, shares: FloatVector) -> FloatVector:
    """Return P(a' = a): the term of the own level, whose value is f(x)."""
    return shares[_strata(sample, board)]


def _strata(sample: Sample, board: Board) -> IntVector:
    return sample.columns[board.mechanisms.sensitive].astype(np.intp)


def _against_all(
    sample: Sample, board: Board, shares: FloatVector, coalitions: Coalitions
) -> list[tuple[Question, FloatVector]]:
    """Ask about every level that is not the own one, with its share."""
    rows, strata = np.arange(len(sample)), _strata(sample, board)
    asked = []
    for step in range(1, len(shares)):
        other = (strata + step) % len(shares)
        asked.append((Question(rows, other.astype(np.float64), coalitions), shares[other]))
    return asked


def _others(
    sample: Sample, board: Board, plan: Plan, rng: np.random.Generator
) -> Iterator[tuple[FloatVector, FloatVector]]:
    """Yield levels to compare with and their weights: all, or one drawn from the others."""
    strata, shares = _strata(sample, board), plan.shares
    if len(shares) <= FEW_STRATA:
        for step in range(1, len(shares)):
            other = (strata + step) % len(shares)
            yield other.astype(np.float64), shares[other]
        return
    others = np.where(np.eye(len(shares), dtype=np.bool_), 0.0, shares)
    upper = np.cumsum(others, axis=1)[strata]
    uniforms = rng.random(len(strata)) * upper[:, -1]
    other = (uniforms[:, None] >= upper[:, :-1]).sum(axis=1)
    yield other.astype(np.float64), upper[:, -1]
