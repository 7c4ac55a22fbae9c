"""Let the model learn on in the worlds that it is asked about under v(T).

v(T) is a mean of f over worlds in which the dropped paths carry a level a' drawn by P(a'). So in
every pass each row stands in one such world, with its own outcome.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

import narwhals as nw
import numpy as np

from fairpath.game.coalitions import Chosen
from fairpath.game.contributions import CHUNK_ROWS
from fairpath.game.evaluate import Question, ask
from fairpath.game.path_game import PathGame
from fairpath.game.worlds import Sample
from fairpath.models import Score
from fairpath.selection.draws import drawn_sample
from fairpath.vocabulary import BoolMatrix, FloatVector, IntVector

PASSES = 10
"""How often the rows are seen unless something else is said."""

_WORLDS = 22


def tuned(
    model: Any,  # noqa: ANN401 - scikit-learn is untyped
    score: Score,
    game: PathGame,
    encoded: Mapping[str, FloatVector],
    outcome: Any,  # noqa: ANN401 - labels of any type
    *,
    held: BoolMatrix,
    shares: Sequence[float],
    passes: int,
) -> Any:  # noqa: ANN401
    """Return a copy of the model that has also seen the worlds of v(T).

    One with ``partial_fit``, also as the last step of a Pipeline, goes on from where it is. Any
    other is fitted anew, to the worlds of all passes together.

    Parameters
    ----------
    model, score
        The fitted model, and the same as a function of encoded columns.
    game, encoded, outcome
        Links; the rows and their outcomes.
    held, shares
        The selections that are mixed: which players each holds, and its share.
    passes
        How often every row is seen.
    """
    worlds = (
        score.feed(world_inputs(game, encoded, held, shares, number=number, passes=passes))
        for number in range(passes)
    )
    steps = getattr(model, "steps", None)
    last = steps[-1][1] if steps else model
    if not hasattr(last, "partial_fit"):
        return _anew(model, list(worlds), outcome)
    model = deepcopy(model)
    last = model.steps[-1][1] if steps else model
    if "early_stopping" in last.get_params():
        last.set_params(early_stopping=False)
    for rows in worlds:
        last.partial_fit(model[:-1].transform(rows) if steps and len(steps) > 1 else rows, outcome)
    return model


def world_inputs(
    game: PathGame,
    encoded: Mapping[str, FloatVector],
    held: BoolMatrix,
    shares: Sequence[float],
    *,
    number: int,
    passes: int,
) -> dict[str, FloatVector]:
    """Return what a model reads of every row in one world of v(T): level and selection are drawn.

    ``number`` tells the passes apart; each has its own draw of the noise.
    """
    sample = drawn_sample(game, encoded, number, passes)
    n_rows = len(sample)
    rng = np.random.default_rng([game.seed, _WORLDS, number])
    other = rng.choice(len(game.shares), n_rows, p=game.shares).astype(np.float64)
    which = rng.choice(len(held), n_rows, p=np.asarray(shares) / np.sum(shares))
    found = {name: sample.columns[name].copy() for name in game.inputs}
    for rows, columns in _asked(game, sample, other, which, held):
        for name in game.inputs:
            found[name][rows] = columns[name]
    return found


def _asked(
    game: PathGame, sample: Sample, other: FloatVector, which: IntVector, held: BoolMatrix
) -> Iterator[tuple[IntVector, dict[str, FloatVector]]]:
    """Yield rows with their inputs, chunk by chunk, by asking a model that takes note of them."""
    players = np.arange(held.shape[1])
    for start in range(0, len(sample), CHUNK_ROWS):
        part = sample.part(slice(start, start + CHUNK_ROWS))
        inside = slice(start, start + len(part))
        rows = [np.flatnonzero(which[inside] == place) for place in range(len(held))]
        questions = [
            Question(some, other[inside][some], Chosen(players, held[[place]]))
            for place, some in enumerate(rows)
            if len(some)
        ]
        seen: list[Mapping[str, FloatVector]] = []

        def numbered(
            columns: Mapping[str, FloatVector], seen: list[Mapping[str, FloatVector]] = seen
        ) -> FloatVector:
            seen.append(columns)
            return np.arange(len(columns[game.inputs[0]]), dtype=np.float64)

        answers = ask(numbered, game.board, part, questions)
        for question, values in zip(questions, answers.values, strict=True):
            at = np.broadcast_to(values[:, :1], (len(question.rows), 1))[:, 0].astype(np.intp)
            yield start + question.rows, {name: seen[0][name][at] for name in game.inputs}


def _anew(model: Any, worlds: Sequence[Any], outcome: Any) -> Any:  # noqa: ANN401
    from sklearn.base import clone  # noqa: PLC0415 - slow to import

    if isinstance(worlds[0], np.ndarray):
        rows: Any = np.concatenate(worlds)
    else:
        rows = nw.concat([nw.from_native(one) for one in worlds]).to_native()
    return clone(model).fit(rows, np.tile(outcome, len(worlds)))
