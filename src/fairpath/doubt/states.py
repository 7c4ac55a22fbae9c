"""The states at which links and model are asked while contributions are computed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from fairpath.game.coalitions import Chains
from fairpath.game.contributions import CHUNK_STATES
from fairpath.game.evaluate import Board, Question, ask
from fairpath.game.orders import Draw
from fairpath.game.path_game import PathGame
from fairpath.game.worlds import Mechanisms, Sample
from fairpath.links import FittedLink
from fairpath.vocabulary import FloatMatrix, FloatVector, IntVector

MOST_CASES = 10_000
"""Rows, each set against another level, whose states are looked at."""


@dataclass(frozen=True, eq=False)
class Recorder:
    """A link that writes down for which row and under which parents it is asked."""

    link: FittedLink
    seen: list[FloatMatrix] = field(default_factory=list)

    def abduct(
        self, parents: FloatMatrix, values: FloatVector, uniforms: FloatMatrix
    ) -> FloatMatrix:
        """Put the number of each row beside its noise."""
        noise = self.link.abduct(parents, values, uniforms)
        return np.column_stack([np.arange(len(values)), noise])

    def generate(self, parents: FloatMatrix, noise: FloatMatrix) -> FloatVector:
        """Take note, and ask the link."""
        self.seen.append(np.column_stack([noise[:, 0], parents]))
        return self.link.generate(parents, noise[:, 1:])


@dataclass(frozen=True, eq=False)
class Asked:
    """What a link was asked.

    Attributes
    ----------
    parents
        One state a row: the values of the link's sources.
    weights
        How much a state counts: the row's weight times P(a'), shared by the states that the row
        meets when it is set against a'.
    levels
        The code of the level that the row is set against.
    """

    parents: FloatMatrix
    weights: FloatVector
    levels: FloatVector


@dataclass(frozen=True, eq=False)
class States:
    """Everything that was asked about some rows.

    Attributes
    ----------
    links
        By feature.
    inputs, masses
        Different inputs of the model, and how much each counts: over the coalitions that orders
        of the paths go through, without the one of all paths.
    """

    links: Mapping[str, Asked]
    inputs: Mapping[str, FloatVector]
    masses: FloatVector


def states_of(
    game: PathGame, sample: Sample, weights: FloatVector, draw: Draw, rng: np.random.Generator
) -> States:
    """Set every row against every other level, in one random order of the paths each."""
    n_rows = len(sample)
    recorders = {feature: Recorder(link) for feature, link in game.mechanisms.links.items()}
    board = Board(
        game.board.stages,
        Mechanisms(game.sensitive, game.mechanisms.sources, recorders),
        game.inputs,
    )
    order, _ = draw(n_rows, rng)
    strata = sample.columns[game.sensitive].astype(np.intp)
    numbers = np.arange(n_rows, dtype=np.float64)[:, None]
    noted = Sample(
        sample.columns,
        {name: np.column_stack([numbers, noise]) for name, noise in sample.noise.items()},
    )
    parts: dict[str, list[Asked]] = {feature: [] for feature in recorders}
    inputs: list[Mapping[str, FloatVector]] = []
    masses: list[FloatVector] = []
    for level, share in enumerate(game.shares):
        others = np.flatnonzero(strata != level)
        for rows in _chunks(others, order.shape[1] + 1):
            question = Question(
                np.arange(len(rows)), np.full(len(rows), float(level)), Chains.of(order[rows])
            )
            read, mass = _model_states(board, noted.part(rows), question, weights[rows] * share)
            inputs.append(read)
            masses.append(mass)
        for feature, recorder in recorders.items():
            width = 1 + len(game.mechanisms.sources[feature])
            seen = np.concatenate([np.empty((0, width)), *recorder.seen])
            recorder.seen.clear()
            row = seen[:, 0].astype(np.intp)
            times = np.bincount(row, minlength=n_rows)[row]
            against = np.full(len(row), float(level))
            parts[feature].append(Asked(seen[:, 1:], weights[row] * share / times, against))
    return States(
        {feature: _joined(found) for feature, found in parts.items()},
        {name: np.concatenate([one[name] for one in inputs]) for name in game.inputs},
        np.concatenate(masses),
    )


def _model_states(
    board: Board, sample: Sample, question: Question, weights: FloatVector
) -> tuple[Mapping[str, FloatVector], FloatVector]:
    """Return the inputs of some rows that differ, and their masses."""
    read: dict[str, FloatVector] = {}

    def numbered(columns: Mapping[str, FloatVector]) -> FloatVector:
        """Answer each input with its number, so that it can be found again."""
        read.update(columns)
        return np.arange(len(columns[board.inputs[0]]), dtype=np.float64)

    answers = ask(numbered, board, sample, [question])
    n_players = question.coalitions.n_states - 1
    number = np.broadcast_to(answers.values[0], (len(sample), n_players + 1))[:, :n_players]
    each = np.repeat(weights / max(1, n_players), n_players)
    numbers = number.ravel().astype(np.intp)
    mass = np.bincount(numbers, each, minlength=answers.evaluations).astype(np.float64)
    there = mass > 0
    return {name: column[there] for name, column in read.items()}, mass[there]


def _chunks(rows: IntVector, states: int) -> Iterator[IntVector]:
    size = max(1, CHUNK_STATES // states)
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _joined(found: list[Asked]) -> Asked:
    return Asked(
        np.concatenate([one.parents for one in found]),
        np.concatenate([one.weights for one in found]),
        np.concatenate([one.levels for one in found]),
    )
