"""The model as the last link: its answers in every state of some rows, each distinct row once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from fairpath.game.coalitions import Coalitions, Codes, Spread
from fairpath.game.distinct import distinct_rows
from fairpath.game.tree import Features, Node, Stage
from fairpath.game.worlds import Mechanisms, Sample, Site, Worlds, combined, generated
from fairpath.vocabulary import FloatMatrix, FloatVector, IntVector

Model: TypeAlias = Callable[[Mapping[str, FloatVector]], FloatVector]
"""One number for each row of the columns that it reads."""

Views: TypeAlias = dict[Node, list[tuple[Coalitions, Spread]]]
"""For each node and question the coalitions there, and how its parent finds its states."""


@dataclass(frozen=True, eq=False)
class Question:
    """Coalitions of some rows, set against a level that need not be their own.

    Attributes
    ----------
    rows
        Positions in the sample; each may come several times.
    other
        The code of the level that players outside the coalition carry.
    coalitions
        The coalitions of each of the rows.
    own
        The code of the level that players inside carry; by default that of the row itself.
    """

    rows: IntVector
    other: FloatVector
    coalitions: Coalitions
    own: FloatVector | None = None


@dataclass(frozen=True, eq=False)
class Answers:
    """What the model says: f(x) of each row, for each question an array (rows, states).

    ``evaluations`` counts the rows that the model was given.
    """

    factual: FloatVector
    values: tuple[FloatMatrix, ...]
    evaluations: int


@dataclass(frozen=True, eq=False)
class Board:
    """What stays the same for all rows: the tree, its links, and what the model reads."""

    stages: tuple[Stage, ...]
    mechanisms: Mechanisms
    inputs: Features


def ask(model: Model, board: Board, sample: Sample, questions: Sequence[Question]) -> Answers:
    """Evaluate the model in all states, with one call for all rows that differ."""
    if not questions:
        return Answers(
            model({name: sample.columns[name] for name in board.inputs}), (), len(sample)
        )
    rows, own, other, cases = _cases(questions, sample.columns[board.mechanisms.sensitive])
    views = _views(board.stages, questions)
    start, *blocks, prediction = board.stages
    levels = np.column_stack([own, other]).ravel()
    found = [Worlds.of(np.arange(len(levels)) // 2, len(rows), {start.features[0]: levels})]
    nobody: list[Codes] = [np.ones((len(rows), 1), dtype=np.uint8)]
    codes = {
        leaf: [np.where(view.joined, 0, 1).astype(np.uint8)[None, :] for view, _ in views[leaf]]
        for leaf in start.nodes
    }
    for stage in blocks:
        inner = [node for node in stage.nodes if node.children]
        sites = _sites(inner, codes, views, cases)
        # The last one is the world in which no player is in.
        sites.append(Site(np.arange(len(rows)), [nobody[before] for before in stage.before]))
        parents, numbering = combined(sites, [found[b] for b in stage.before], len(rows))
        worlds, numbers = generated(stage.features, parents, rows, board.mechanisms, sample)
        *arrays, empty, _ = numbering.replaced(numbers)
        found.append(worlds)
        nobody.append(empty)
        codes |= {node: arrays[i :: len(inner)] for i, node in enumerate(inner)}
        codes |= _leaves(stage, empty, views, cases)

    sites = _sites(prediction.nodes, codes, views, cases)
    worlds, numbering = combined(sites, [found[b] for b in prediction.before], len(rows))
    row = rows[worlds.case]
    columns = [
        np.concatenate([sample.columns[n], worlds.values.get(n, sample.columns[n][row])])
        for n in board.inputs
    ]
    first, which = distinct_rows(columns)
    read = {name: column[first] for name, column in zip(board.inputs, columns, strict=True)}
    said = model(read)[which]
    *values, _ = numbering.replaced(said[len(sample) :])
    return Answers(said[: len(sample)], tuple(values), len(first))


def _cases(
    questions: Sequence[Question], factual: FloatVector
) -> tuple[IntVector, FloatVector, FloatVector, list[IntVector]]:
    """Return rows with the two levels they are set between, and which the rows of a question are.

    ``factual`` is the level of each row of the sample.
    """
    rows = np.concatenate([question.rows for question in questions])
    own = np.concatenate([factual[q.rows] if q.own is None else q.own for q in questions])
    other = np.concatenate([question.other for question in questions])
    first, which = distinct_rows([rows.astype(np.float64), own, other])
    ends = np.cumsum([len(question.rows) for question in questions])
    return rows[first], own[first], other[first], np.split(which, ends[:-1])


def _views(stages: Sequence[Stage], questions: Sequence[Question]) -> Views:
    """Return what each node sees of each question."""
    (root,) = stages[-1].nodes
    views: Views = {root: [(question.coalitions, np.asarray) for question in questions]}
    for stage in reversed(stages):
        for node in stage.nodes:
            for child in node.children:
                views[child] = [coalitions.seen_by(child) for coalitions, _ in views[node]]
    return views


def _leaves(
    stage: Stage, nobody: Codes, views: Views, cases: Sequence[IntVector]
) -> dict[Node, list[Codes]]:
    """Return the states of leaves: the factual world, or where the player is out that of nobody."""
    return {
        node: [
            np.where(coalitions.joined, nobody.dtype.type(0), nobody[case])
            for (coalitions, _), case in zip(views[node], cases, strict=True)
        ]
        for node in stage.nodes
        if not node.children
    }


def _sites(
    nodes: Sequence[Node],
    codes: Mapping[Node, Sequence[Codes]],
    views: Views,
    cases: Sequence[IntVector],
) -> list[Site]:
    """Return for each question and node the states of its children as its own."""
    return [
        Site(case, [views[child][i][1](codes[child][i]) for child in node.children])
        for i, case in enumerate(cases)
        for node in nodes
    ]
