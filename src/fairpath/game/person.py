"""One person at a time: features and answers in single worlds, and exact contributions.

What a row's value leaves open of its noise (its tree and its place in a leaf, a label that could
have been another) is drawn by its position in the table, as it is for `explain` with the same
seed. So rows are named by their position in the table that they came in; a row alone is the
first of its table.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fairpath.errors import DataError
from fairpath.frames import Frame, as_frame, as_table, backend_of
from fairpath.game.coalitions import Chosen
from fairpath.game.contributions import MOST_EXACT, Plan
from fairpath.game.contributions import contributions as contributions_of
from fairpath.game.evaluate import Question, ask
from fairpath.game.worlds import Sample
from fairpath.models import Score
from fairpath.models.native import table_of
from fairpath.models.table import Encoded, Table
from fairpath.paths import Path
from fairpath.vocabulary import BoolMatrix, FloatVector, IntVector

if TYPE_CHECKING:
    from fairpath.game.path_game import PathGame


def worlds_of_row(game: "PathGame", data: object, row: object, score: Score | None) -> Any:  # noqa: ANN401
    """Return the model's inputs, and its answer if there is a model, in each world of one row."""
    frame = as_frame(data)
    if row is None and len(frame) > 1:
        raise DataError(
            f"The table has {len(frame)} rows. Say whose worlds are wanted: row=0 is the first."
        )
    sample = _sample(game, frame, _positions([0 if row is None else row], len(frame)))
    texts, held = _coalitions(game.players)
    own = sample.columns[game.sensitive][0]
    others = np.array([code for code in range(len(game.strata)) if code != own], dtype=np.float64)
    coalitions = Chosen(np.arange(len(game.players)), held)
    seen: list[Encoded] = []

    def numbered(columns: Encoded) -> FloatVector:
        """Answer each row with its number, so that what is asked can be found again."""
        seen.append(columns)
        return np.arange(len(columns[game.inputs[0]]), dtype=np.float64)

    questions = [Question(np.zeros(1, dtype=np.intp), code[None], coalitions) for code in others]
    answers = ask(numbered, game.board, sample, questions)
    # Without paths there is one state, whatever is held.
    states = [np.broadcast_to(values[0], len(held)) for values in answers.values]
    number = np.concatenate(states).astype(np.intp)

    table = Table.of(
        frame,
        dict.fromkeys((game.sensitive, *game.inputs)),
        game.encoding,
        () if game.table is data else (game.table,),
    )
    makers = table.makers
    columns = {
        _free("other", game.inputs): makers[game.sensitive].native(np.repeat(others, len(held))),
        _free("held", game.inputs): texts * len(others),
    }
    columns |= {name: makers[name].native(seen[0][name][number]) for name in game.inputs}
    if score is not None:
        columns[_free("output", game.inputs)] = score(seen[0])[number]
    return table_of(columns, table.library)


def exact_contributions(game: "PathGame", score: Score, data: object, rows: object) -> Any:  # noqa: ANN401
    """Return φ of some rows over all coalitions, f(x) and v(∅)."""
    n_players = len(game.players)
    if n_players > MOST_EXACT:
        raise DataError(
            f"contributions() evaluates all 2 ** {n_players} coalitions of the {n_players} paths, "
            f"more than the 2 ** {MOST_EXACT} allowed. Take those rows of explain(model, data, "
            "game=game, method='sampled').values, or merge paths with max_length."
        )
    frame = as_frame(data)
    sample = _sample(game, frame, _positions(rows, len(frame)))
    plan = Plan(game.shares, n_players, None, cuts=False)
    found = contributions_of(score, game.board, sample, plan, key=(game.seed,))
    columns = dict(zip(map(str, game.players), found.paths.T, strict=True))
    columns |= {"prediction": found.factual, "base": found.base}
    return as_table(columns, backend_of(frame))


def _sample(game: "PathGame", frame: Frame, rows: IntVector) -> Sample:
    return game.sample(game.encode(frame), key=(game.seed,), rows=rows)


def _coalitions(players: Sequence[Path]) -> tuple[list[str], BoolMatrix]:
    """Return all paths, each of them missing, each of them alone, and none, with their names."""
    n, names = len(players), [str(player) for player in players]
    one = np.eye(n, dtype=np.bool_)
    held = np.concatenate([np.ones((1, n), dtype=np.bool_), ~one, one, np.zeros((1, n), np.bool_)])
    return [
        "all",
        *(f"without {name}" for name in names),
        *(f"only {name}" for name in names),
        "none",
    ], held


def _positions(rows: object, n_rows: int) -> IntVector:
    """Return the positions of rows, all by default; refuse what is none."""
    if rows is None:
        return np.arange(n_rows)
    several = isinstance(rows, Iterable) and not isinstance(rows, str)
    listed: list[Any] = list(rows) if several else [rows]  # type: ignore[call-overload]
    for row in listed:
        whole = isinstance(row, int | np.integer) and not isinstance(row, bool)
        if not whole or not 0 <= row < n_rows:
            raise DataError(
                f"A row is named by its position, a whole number from 0 to {n_rows - 1}; "
                f"got {row!r}."
            )
    if not listed:
        raise DataError("rows is empty. Name at least one row, or leave rows out for all of them.")
    return np.array(listed, dtype=np.intp)


def _free(name: str, taken: Sequence[str]) -> str:
    """Add a stroke to a name that an input has already."""
    while name in taken:
        name += "_"
    return name
