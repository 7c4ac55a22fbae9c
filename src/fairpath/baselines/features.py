"""Features as players: those that have joined are the row's own, the others another row's.

That other row, the donor, gives a feature that has not joined the value that the feature's link
makes of the donor's noise under the parents of this world. Where nothing has changed above it, or
it has no link, that is the donor's own value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from fairpath.game.contributions import CHUNK_ROWS, CHUNK_STATES, Contributions, Key, Plan
from fairpath.game.distinct import distinct_rows
from fairpath.game.evaluate import Model
from fairpath.game.shapley import from_chains
from fairpath.game.tree import Features
from fairpath.game.worlds import Mechanisms, Sample, linked
from fairpath.vocabulary import BoolMatrix, FloatMatrix, FloatVector, IntVector

Cases: TypeAlias = tuple[IntVector, IntVector]
"""Rows and their donors, by position."""

Joined: TypeAlias = NDArray[np.bool_]
"""Shape (cases or one, states, players): who has joined."""


@dataclass(frozen=True, eq=False)
class FeatureGame:
    """What stays the same for all rows.

    Attributes
    ----------
    players
        What the model reads.
    before
        For each player those that must have joined before it may, by their positions.
    mechanisms
        The links of what is generated anew, in causal order.
    donors
        The rows that give what a row does not.
    """

    players: Features
    before: Sequence[frozenset[int]]
    mechanisms: Mechanisms
    donors: Sample


def feature_contributions(
    model: Model,
    game: FeatureGame,
    columns: Mapping[str, FloatVector],
    plan: Plan,
    *,
    key: Key,
    n_jobs: int | None = None,
) -> Contributions:
    """Return φ of every row and feature; v(S) is the mean over all donors.

    Sampled orders are drawn for each row and donor, in pairs.
    """
    n_rows, n_donors = len(columns[game.players[0]]), len(game.donors)
    n_players = plan.n_players
    exactly = allowed_sets(game.before) if plan.draw is None else None
    room = max(1, CHUNK_STATES // (n_players + (len(exactly[0]) if exactly else n_players + 1)))
    size = max(1, min(CHUNK_ROWS, room // n_donors))

    def chunk(number: int) -> tuple[FloatMatrix, int]:
        rows = np.arange(number * size, min(n_rows, (number + 1) * size))
        rng = np.random.default_rng([*key, number])
        step = max(1, room // len(rows))
        table = _Table(model, game, columns)
        found = np.zeros((len(rows), 2 * n_players + 1))
        for start in range(0, n_donors, step):
            donors = np.arange(start, min(n_donors, start + step))
            cases = (np.repeat(rows, len(donors)), np.tile(donors, len(rows)))
            if exactly is None:
                values = _by_orders(table, cases, plan, rng)
            else:
                values = _by_sets(table, cases, *exactly)
            cut = table.worth(cases, ~np.eye(n_players, dtype=np.bool_)[None])
            values = np.column_stack([values, cut])
            found += values.reshape(len(rows), len(donors), -1).sum(axis=1)
        return found / n_donors, table.evaluations

    work = (delayed(chunk)(number) for number in range(-(-n_rows // size)))
    parts = Parallel(n_jobs=n_jobs, prefer="threads")(work)
    found = np.concatenate([part for part, _ in parts])
    return Contributions(
        paths=found[:, :n_players],
        factual=model({name: columns[name] for name in game.players}),
        base=found[:, n_players],
        cut=found[:, n_players + 1 :],
        order_noise=np.full(n_players, 0.0 if exactly else np.nan),
        evaluations=n_rows + sum(count for _, count in parts),
    )


def allowed_sets(before: Sequence[frozenset[int]]) -> tuple[BoolMatrix, FloatMatrix]:
    """Return the sets that can come first, and the weight of each in each player's contribution.

    All orders in which everybody waits for those that must come before count alike. The sets have
    the shape (sets, players), the first of them empty, and so have the weights: φ = v · weights.

    >>> sets, weights = allowed_sets([frozenset(), frozenset({0})])
    >>> sets.astype(int).tolist(), weights.tolist()
    ([[0, 0], [1, 0], [1, 1]], [[-1.0, 0.0], [1.0, -1.0], [0.0, 1.0]])
    """
    n_players = len(before)
    needs = [sum(1 << other for other in others) for others in before]
    ways_to: dict[int, int] = {0: 1}
    joining: list[tuple[int, int, int]] = []
    # A player's bit only ever makes a number larger, so sets come after those they grow from.
    for code in range(1 << n_players):
        if code not in ways_to:
            continue
        for player in range(n_players):
            if not code >> player & 1 and needs[player] & code == needs[player]:
                larger = code | 1 << player
                joining.append((code, player, larger))
                ways_to[larger] = ways_to.get(larger, 0) + ways_to[code]
    ways_from = dict.fromkeys(ways_to, 0)
    ways_from[(1 << n_players) - 1] = 1
    for code, _, larger in reversed(joining):
        ways_from[code] += ways_from[larger]
    codes = sorted(ways_to)
    place = {code: i for i, code in enumerate(codes)}
    weights = np.zeros((len(codes), n_players))
    for code, player, larger in joining:
        share = ways_to[code] * ways_from[larger] / ways_from[0]
        weights[place[code], player] -= share
        weights[place[larger], player] += share
    return (np.array(codes)[:, None] >> np.arange(n_players) & 1).astype(np.bool_), weights


@dataclass(eq=False)
class _Table:
    """The rows that share a game; counts how many of them the model was given."""

    model: Model
    game: FeatureGame
    columns: Mapping[str, FloatVector]
    evaluations: int = 0

    def worth(self, cases: Cases, joined: Joined) -> FloatMatrix:
        """Return the model's answers, shape (cases, states)."""
        game, links = self.game, self.game.mechanisms.links
        shape = (len(cases[0]), joined.shape[1])
        row, donor = (np.repeat(positions, shape[1]) for positions in cases)
        known: dict[str, FloatVector] = {}
        for name in (*(name for name in game.players if name not in links), *links):
            if name in links:
                given = linked(name, known, donor, game.mechanisms, game.donors)
            else:
                given = game.donors.columns[name][donor]
            if name in game.players:
                inside = np.broadcast_to(joined[:, :, game.players.index(name)], shape).ravel()
                given = np.where(inside, self.columns[name][row], given)
            known[name] = given
        read = {name: known[name] for name in game.players}
        first, which = distinct_rows(list(read.values()))
        self.evaluations += len(first)
        said = self.model({name: values[first] for name, values in read.items()})
        return np.asarray(said[which].reshape(shape))


def _by_sets(table: _Table, cases: Cases, sets: BoolMatrix, weights: FloatMatrix) -> FloatMatrix:
    """Return φ and v(∅) of each case over all orders."""
    values = table.worth(cases, sets[None])
    return np.column_stack([values @ weights, values[:, 0]])


def _by_orders(table: _Table, cases: Cases, plan: Plan, rng: np.random.Generator) -> FloatMatrix:
    """Return φ and v(∅) of each case over pairs of orders."""
    assert plan.draw is not None  # noqa: S101 - there are orders
    orders = [order for _ in range(plan.rounds) for order in plan.draw(len(cases[0]), rng)]
    gains = np.zeros(orders[0].shape)
    for order in orders:
        place = np.argsort(order, axis=1)
        joined = place[:, None, :] < np.arange(plan.n_players + 1)[:, None]
        values = table.worth(cases, joined)
        gains += from_chains(values, order) / len(orders)
    return np.column_stack([gains, values[:, 0]])
