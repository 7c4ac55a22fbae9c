"""From what a caller asks for to a study: options that fit together, fitted games, checked rows."""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from fairpath.disparity import Outcome
from fairpath.errors import DataError
from fairpath.frames import Frame, as_frame, checked_weights
from fairpath.game.contributions import MOST_EXACT, Plan
from fairpath.game.orders import topological, uniform
from fairpath.game.path_game import PathGame
from fairpath.game.rows import strata_masses
from fairpath.graph import CausalGraph
from fairpath.models import Score, check_answers
from fairpath.options import check_count, check_outcome, few_rows, normalised
from fairpath.outcomes import (
    Asked,
    Favoured,
    check_cells,
    check_outcome_node,
    outcomes_of,
    read_outcome,
    utility_notes,
    with_outcome,
)
from fairpath.study import Study
from fairpath.vocabulary import BoolVector, FloatVector

LEAST_PER_PLAYER = 4
"""All coalitions are evaluated where a row has at most so many for each player, and one more."""

_T = TypeVar("_T")


def fitted_games(
    asked: Asked,
    data: object,
    frame: Frame,
    weights: FloatVector,
    *,
    links_from: object,
    cross_fit: int | None,
    graph: CausalGraph | None,
    sensitive: object,
    inputs: Iterable[str] | None,
    outcome_parents: object,
    **options: Any,  # noqa: ANN401 - those of PathGame.fit
) -> tuple[Mapping[Outcome | None, PathGame], Favoured]:
    """Learn the links: once or, relative to the outcome, from the rows of each outcome."""
    if links_from is not None and cross_fit is not None:
        raise DataError(
            "cross_fit= learns links from the explained rows and links_from= from others. "
            "Use one of them."
        )
    graph, sensitive = _needed("graph", graph), _needed("sensitive", sensitive)
    if not isinstance(sensitive, str):
        raise DataError(
            f"sensitive is the name of a column, or a list of several to cross; got {sensitive!r}."
        )
    if isinstance(inputs, Iterable) and not isinstance(inputs, str):
        inputs = tuple(inputs)
    if outcome_parents is not None:
        graph = with_outcome(graph, asked.outcome, outcome_parents, inputs)

    def fit(weights: FloatVector | None, *, given: bool) -> PathGame:
        return PathGame.fit(
            data if links_from is None else links_from,
            graph=graph,
            sensitive=sensitive,
            outcome=asked.outcome,
            inputs=inputs,
            sample_weight=weights,
            also=None if links_from is None else data,
            given_outcome=given,
            **options,
        )

    own = links_from is None
    if not asked.viewpoint.given:
        game = fit(weights if own else None, given=False)
        return {None: game}, read_outcome(asked, frame)
    favoured = read_outcome(asked, frame)
    check_outcome_node(graph, asked.outcome)
    taught = favoured if own else read_outcome(asked, as_frame(links_from))
    counts = weights if own else checked_weights(None, len(taught.rows))
    games: dict[Outcome | None, PathGame] = {}
    for outcome in outcomes_of(asked.viewpoint):
        inside = taught.rows == outcome
        if not (inside & (counts > 0)).any():
            raise DataError(
                f"No row has the {'' if outcome else 'un'}favourable {asked.outcome}, so there is "
                "nothing to compare. Check favourable=, or add such rows."
            )
        try:
            games[outcome] = fit(counts * inside, given=True)
        except DataError as error:
            name = f"{asked.outcome} = {favoured.level}"
            whom = name if outcome else f"{asked.outcome} other than {favoured.level}"
            raise DataError(f"Among rows with {whom}: {error}") from error
    return games, favoured


def given_game(game: object, asked: Asked, frame: Frame, **options: tuple[object, object]) -> Asked:
    """Refuse what a fitted game has decided already; each option comes with its default."""
    if not isinstance(game, PathGame):
        raise DataError(
            f"game must be a fitted PathGame, got {type(game).__name__}. "
            "Make one with PathGame.fit(data, graph=…, sensitive=…)."
        )
    for name, (value, default) in options.items():
        if value is not default and not (isinstance(value, int | str) and value == default):
            raise DataError(
                f"{name}= is settled by game=, whose links are learned. Leave {name} out, or "
                "leave game out."
            )
    if asked.viewpoint.given:
        raise DataError(
            f"{asked.viewpoint.name} has links of its own for each outcome, which game= has not. "
            "Leave game out, or use conditioning='after'."
        )
    check_outcome(asked.outcome, (*frame.columns, *game.graph.nodes), game.sensitive)
    return replace(asked, outcome=_outcome_of(game, asked.outcome))


def plan_of(game: PathGame, method: str, order: str, rounds: object) -> Plan:
    """Choose between all coalitions and random orders."""
    n_players = len(game.players)
    is_counted = not (isinstance(rounds, str) and rounds == "auto")
    if is_counted:
        check_count("rounds", rounds, 1)
    if method == "exact" and is_counted:
        raise DataError(
            f"method='exact' has no rounds of orders, got rounds={rounds!r}. Leave rounds out, or "
            "use method='sampled'."
        )
    if method == "exact" and order != "uniform":
        raise DataError("method='exact' averages over all orders alike: use order='uniform'.")
    if method == "exact" and n_players > MOST_EXACT:
        raise DataError(
            f"method='exact' evaluates all 2 ** {n_players} coalitions of the {n_players} paths, "
            f"more than the 2 ** {MOST_EXACT} allowed. Use method='sampled', or merge paths with "
            "max_length."
        )
    cheap = n_players < MOST_EXACT and 1 << n_players <= LEAST_PER_PLAYER * (n_players + 1)
    exact = method == "exact" or (method == "auto" and order == "uniform" and cheap)
    draw = None if exact else (topological if order == "topological" else uniform)(game.arrangement)
    return Plan(game.shares, n_players, draw)


def study_of(
    asked: Asked,
    games: Mapping[Outcome | None, PathGame],
    score: Score,
    frame: Frame,
    favoured: Favoured,
    *,
    weights: FloatVector,
    plan: Plan,
    folds: int | None,
    seed: int,
) -> tuple[Study, tuple[str, ...]]:
    """Put together what the numbers depend on; say what is worth knowing of the rows."""
    game = next(iter(games.values()))
    encoded = game.encode(frame)
    strata = encoded[game.sensitive].astype(np.intp)
    strata_masses(encoded[game.sensitive], weights, game.encoding, game.sensitive)
    check_cells(asked, game, strata, favoured, weights)
    rows = np.bincount(strata[weights > 0], minlength=len(game.strata))
    if folds is not None and rows.min() < folds:
        raise DataError(
            f"cross_fit={folds} needs as many rows of each stratum, and the smallest has "
            f"{rows.min()}. Use fewer folds."
        )
    if asked.viewpoint.flips and not score.is_bounded:
        raise DataError(
            f"{asked.viewpoint.name} needs outputs within [0, 1], where 1 - f(x) means something. "
            "Use output='probability' or 'decision'."
        )
    notes = normalised(weights)
    notes += few_rows(game.strata, np.bincount(strata, weights).astype(np.float64), game.sensitive)
    if not asked.viewpoint.given and asked.outcome in game.recipe.sources:
        notes += (f"the outcome {asked.outcome} is on a path to the prediction, hence a mediator",)
    for note in notes:
        warnings.warn(note, UserWarning, stacklevel=3)
    study = Study(
        games=games,
        viewpoint=asked.viewpoint,
        model=score,
        columns=encoded,
        strata=strata,
        favoured=favoured.rows,
        weights=weights,
        plan=plan,
        has_outcome=favoured.known,
        has_utility=favoured.known and score.is_bounded,
        own_lesson=all(
            _are_taught(one, encoded, weights, None if y is None else favoured.rows == y)
            for y, one in games.items()
        ),
        folds=folds,
        seed=seed,
    )
    return study, (
        *_notes_of(games),
        *score.notes,
        *notes,
        *check_answers(score, encoded),
        *utility_notes(asked, favoured, score),
    )


def _notes_of(games: Mapping[Outcome | None, PathGame]) -> tuple[str, ...]:
    """Return the notes of all games; what is true of one outcome only says so."""
    common = [
        n for n in next(iter(games.values())).notes if all(n in g.notes for g in games.values())
    ]
    return (
        *common,
        *(
            f"{'un' if outcome == 0 else ''}favourable outcome: {note}"
            for outcome, game in games.items()
            for note in game.notes
            if note not in common
        ),
    )


def _are_taught(
    game: PathGame,
    columns: Mapping[str, FloatVector],
    weights: FloatVector,
    among: BoolVector | None,
) -> bool:
    """Whether the links were learned from these very rows."""
    counted = weights > 0 if among is None else (weights > 0) & among
    lesson = game.lesson
    return np.array_equal(lesson.weights, weights[counted]) and all(
        np.array_equal(values, columns[name][counted], equal_nan=True)
        for name, values in lesson.columns.items()
    )


def _outcome_of(game: PathGame, outcome: str | None) -> str | None:
    """Return the outcome of a fitted game, or one that is no part of it."""
    if outcome in {None, game.outcome}:
        return game.outcome
    if game.outcome is not None or outcome in game.encoding.variables:
        raise DataError(
            f"The game was fitted with outcome={game.outcome!r} and its links may read "
            f"{outcome!r}. Fit it with outcome={outcome!r}."
        )
    return outcome


def _needed(name: str, value: _T | None) -> _T:
    if value is None:
        raise DataError(f"explain() needs {name}=, or a fitted game=.")
    return value
