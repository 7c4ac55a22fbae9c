"""The outcome: which rows have the favourable one, and its place in the graph."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairpath.disparity import Outcome, Viewpoint
from fairpath.errors import DataError, GraphError
from fairpath.frames import Frame, check_name
from fairpath.game.path_game import PathGame
from fairpath.graph import CausalGraph
from fairpath.models import Score
from fairpath.options import favoured_rows
from fairpath.vocabulary import FloatVector, IntVector


@dataclass(frozen=True, eq=False)
class Asked:
    """The model, and how the outcome enters."""

    model: object
    viewpoint: Viewpoint
    outcome: str | None
    favourable: object


@dataclass(frozen=True, eq=False)
class Favoured:
    """For each row whether its outcome is the favourable one, and which level that is.

    ``known`` says whether there is an outcome at all; without it no row is favoured.
    """

    rows: IntVector
    level: Any
    known: bool


def read_outcome(asked: Asked, frame: Frame) -> Favoured:
    """Read the outcome, if there is one."""
    needed = asked.viewpoint.signs is not None
    if asked.outcome is None:
        if needed:
            raise DataError(
                f"{asked.viewpoint.name} compares rows by their outcome. "
                "Name its column: outcome='…'."
            )
        return Favoured(np.zeros(len(frame), dtype=np.intp), None, known=False)
    if asked.outcome not in frame.columns:
        if needed:
            check_name(asked.outcome, frame.columns)
        return Favoured(np.zeros(len(frame), dtype=np.intp), None, known=False)
    rows, level = favoured_rows(frame, asked.outcome, asked.favourable, _positive(asked.model))
    return Favoured(rows, level, known=True)


def outcomes_of(viewpoint: Viewpoint) -> tuple[Outcome, ...]:
    """Return the outcomes whose rows enter, the favourable one first."""
    assert viewpoint.signs is not None  # noqa: S101 - relative to the outcome
    both: tuple[Outcome, ...] = (1, 0)
    return tuple(outcome for outcome in both if viewpoint.signs[outcome])


def check_cells(
    asked: Asked, game: PathGame, strata: IntVector, favoured: Favoured, weights: FloatVector
) -> None:
    """Refuse a stratum none of whose rows enter the disparity."""
    for view in asked.viewpoint.views:
        if view.outcomes is None:
            continue
        enters = np.isin(favoured.rows, view.outcomes) & (weights > 0)
        rows = np.bincount(strata[enters], minlength=len(game.strata))
        if not rows.all():
            level = game.strata[int(np.argmin(rows))]
            kind = "unfavourable" if view.outcomes == (0,) else "favourable"
            raise DataError(
                f"No row with {game.sensitive} = {level!r} has the {kind} {asked.outcome}, so "
                f"{asked.viewpoint.name} cannot compare it. Add such rows, or drop the stratum."
            )


def check_outcome_node(graph: CausalGraph, outcome: str | None) -> None:
    """Refuse a graph without the outcome, where paths are relative to it."""
    if isinstance(graph, CausalGraph) and outcome not in graph.nodes:
        raise GraphError(
            f"Paths relative to the outcome need {outcome!r} in the graph. Add it with the edges "
            f"from its causes ('age -> {outcome}; …'), or use outcome_parents='inputs', or "
            "conditioning='after'."
        )


def with_outcome(
    graph: CausalGraph, outcome: str | None, parents: object, inputs: Iterable[str] | None
) -> CausalGraph:
    """Add the outcome to a graph that lacks it."""
    if outcome is None:
        raise DataError("outcome_parents= needs outcome=, the node to add.")
    if outcome in graph.nodes:
        raise GraphError(
            f"{outcome!r} is a node of the graph, so its causes are known. Leave out "
            "outcome_parents."
        )
    if parents == "inputs":
        named = graph.nodes if inputs is None else inputs
        names = tuple(name for name in named if name in graph.nodes)
    elif isinstance(parents, str) or not isinstance(parents, Iterable):
        raise DataError(f"outcome_parents is 'inputs' or a collection of nodes, got {parents!r}.")
    else:
        names = tuple(parents)
        for name in names:
            check_name(name, graph.nodes)
    return CausalGraph(
        (*graph.directed, *((name, outcome) for name in names)),
        graph.undirected,
        (*graph.nodes, outcome),
        graph.reading,
    )


def utility_notes(asked: Asked, favoured: Favoured, score: Score) -> tuple[str, ...]:
    """Say which outcome is favourable, or why there is no utility."""
    if asked.outcome is None:
        return ()
    if not favoured.known:
        return (f"no utility: the data have no column {asked.outcome!r}",)
    if not score.is_bounded:
        return ("no utility: the output is not within [0, 1]",)
    if favoured.level is None:
        return (f"utility: no row has a favourable {asked.outcome}",)
    return (f"utility: {asked.outcome} = {favoured.level} is the favourable outcome",)


def _positive(model: object) -> object:
    """Return the second of two classes, which a classifier's output speaks for."""
    classes = getattr(getattr(model, "__self__", model), "classes_", None)
    known = [] if classes is None else np.asarray(classes).tolist()
    return known[1] if len(known) == 2 else None  # noqa: PLR2004
