"""The value engine against plain loops over the paper's equations, and its laws as properties."""

import random
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, permutations

import numpy as np
import pytest

from fairpath import CausalGraph, arrange
from fairpath.encoding import Encoding, Variable
from fairpath.game.contributions import Plan, coalition_values, contributions
from fairpath.game.evaluate import Board
from fairpath.game.learning import Recipe, learn, with_noise
from fairpath.game.orders import topological, uniform
from fairpath.game.tree import unroll
from fairpath.game.worlds import Sample
from fairpath.links import KnownLink
from fairpath.links.forest import ForestLink
from fairpath.links.linear import LinearLink
from fairpath.paths import Arrangement
from paper_oracle import Row, explain, from_links, phi, values

N_LEVELS = 3
"""Levels of every feature that is a category."""


@dataclass
class Case:
    """A graph, what the model reads, and which features are categories."""

    graph: CausalGraph
    inputs: list[str]
    categories: list[str]
    n_strata: int
    seed: int

    def arranged(self, **options) -> Arrangement:
        return arrange(self.graph, sensitive="A", inputs=self.inputs, **options)


def drawn_case(seed):
    """Draw any graph: edges into A too, some without direction, some inputs it does not know."""
    rng = random.Random(seed)
    nodes = list("ABCDEF"[: rng.randint(3, 6)])
    forward = rng.sample(nodes, len(nodes))
    marks = {pair: rng.choice("..>>-") for pair in combinations(forward, 2)}
    graph = CausalGraph(
        directed=[pair for pair, mark in marks.items() if mark == ">"],
        undirected=[pair for pair, mark in marks.items() if mark == "-"],
        nodes=nodes,
    )
    inputs = [name for name in nodes if rng.random() < (0.3 if name == "A" else 0.8)] + ["V"]
    categories = [name for name in nodes if name != "A" and rng.random() < 0.4]
    return Case(graph, inputs, categories, rng.choice([2, 3]), seed)


def playable_cases(count):
    """Yield the first cases that have as many players as the oracle takes, no graph twice."""
    found = {}
    seed = 0
    while len(found) < count:
        case = drawn_case(seed)
        if 1 <= len(case.arranged().players) <= 6:
            found.setdefault((case.graph, tuple(case.inputs)), case)
        seed += 1
    return list(found.values())


CASES = playable_cases(80)


def known(columns):
    """Mix all parents, in any order, without a straight line or a missing value."""
    total = sum((1 + i) * np.nan_to_num(columns[n], nan=0.5) for i, n in enumerate(sorted(columns)))
    return np.sin(total)


def model_of(inputs, seed=0):
    """Return a model that is no sum over its inputs, and knows missing values."""
    weights = np.random.default_rng(seed).normal(size=(len(inputs), 3))

    def model(columns):
        matrix = np.column_stack([np.nan_to_num(columns[name], nan=-1.5) for name in inputs])
        return np.tanh(matrix @ weights).prod(axis=1) + np.sin(matrix @ weights[:, 0])

    return model


@dataclass
class Game:
    """Everything that contributions are computed from."""

    arrangement: Arrangement
    board: Board
    sample: Sample
    shares: np.ndarray
    variables: dict[str, Variable]

    def found(self, model=None, *, key=(5,), **options):
        model = model or model_of(self.board.inputs)
        execution = {k: options.pop(k) for k in ("n_jobs", "batch_size") if k in options}
        plan = {"draw": uniform(self.arrangement), **options}
        plan = Plan(self.shares, len(self.arrangement.players), **plan)
        return contributions(model, self.board, self.sample, plan, key=key, **execution)

    def part(self, rows):
        return replace(self, sample=self.sample.part(rows))


def game_of(case, *, n_rows=60, link=None, **options):
    """Draw rows of mixed columns and learn links of all kinds from them."""
    rng = np.random.default_rng(case.seed)
    arrangement = case.arranged(**options)
    strata = rng.permutation(np.arange(n_rows) % case.n_strata)
    columns = {"A": strata.astype(float)}
    variables = {"A": Variable("A", case.n_strata, is_sensitive=True)}
    on_paths = {f: None for block in arrangement.blocks for f in block}
    for name in [*on_paths, *arrangement.outside]:
        tilt = strata * rng.normal() + sum(np.nan_to_num(columns[n]) for n in list(columns)[-2:])
        numbers = tilt + rng.normal(size=n_rows)
        variables[name] = Variable(name)
        if name in case.categories:
            numbers = np.digitize(numbers, np.quantile(numbers, [0.3, 0.7])).astype(float)
            variables[name] = Variable(name, N_LEVELS, ordered=bool(rng.integers(2)))
        elif rng.random() < 0.3:
            numbers[rng.random(n_rows) < 0.2] = np.nan
        columns[name] = numbers
    kinds = {
        name: link or [LinearLink(), ForestLink(), KnownLink(known)][rng.integers(3)]
        for name in on_paths
    }
    for name in on_paths:  # A known link has no noise that could be missing, or a category.
        whole = name not in case.categories and not np.isnan(columns[name]).any()
        if isinstance(kinds[name], KnownLink) and not whole:
            kinds[name] = LinearLink()
    recipe = Recipe.of(arrangement, set(columns), kinds)
    encoding = Encoding(variables, {}, numeric_strata=False)
    mechanisms = learn(recipe, encoding, columns, rng.uniform(0.5, 2, n_rows), key=(case.seed,))
    shares = np.bincount(strata, minlength=case.n_strata) / n_rows
    sample = with_noise(mechanisms, columns, key=(case.seed,))
    board = Board(unroll(arrangement), mechanisms, tuple(case.inputs))
    return Game(arrangement, board, sample, shares, variables)


def kinds_of(game):
    for name, link in game.board.mechanisms.links.items():
        category = game.variables[name].is_category
        yield f"{type(link).__module__.split('.')[-1]}, {'category' if category else 'number'}"


@lru_cache
def cached_game(index):
    return game_of(CASES[index])


def oracle_of(game, rows):
    """Return the oracle's mechanisms, which answer each question once, its rows and its shares."""
    mechanisms = {}
    links, sources = game.board.mechanisms.links, game.board.mechanisms.sources
    for name, ask in from_links(links, sources, game.sample.noise).items():
        memory = {}

        def once(parents, row, ask=ask, memory=memory):
            key = (row, *(parents[name] for name in sorted(parents)))
            if key not in memory:
                memory[key] = ask(parents, row)
            return memory[key]

        mechanisms[name] = once
    columns = game.sample.columns
    people = [Row(i, {name: float(column[i]) for name, column in columns.items()}) for i in rows]
    return mechanisms, people, dict(enumerate(game.shares.tolist()))


def test_the_cases_have_everything():
    games = [cached_game(index) for index in range(len(CASES))]
    arrangements = [game.arrangement for game in games]
    paths = [path for arrangement in arrangements for path in arrangement.players]
    notes = " ".join(note for arrangement in arrangements for note in arrangement.notes)
    assert {path.kind for path in paths} == {"direct", "indirect", "spurious"}
    assert any(not isinstance(node, str) for path in paths for node in path.nodes)
    assert max(len(path.nodes) for path in paths) >= 4
    assert "not in the graph" in notes
    assert "not read by the model" in notes
    assert {case.n_strata for case in CASES} == {2, 3}
    assert {len(arrangement.players) for arrangement in arrangements} == {1, 2, 3, 4, 5, 6}
    assert {kind for game in games for kind in kinds_of(game)} == {
        "additive, number",
        "known, number",
        "levels, category",
        "forest, number",
        "forest, category",
    }


@pytest.mark.parametrize("index", range(len(CASES)))
def test_equal_to_the_oracle(index):
    game = cached_game(index)
    players, strata = game.arrangement.players, game.sample.columns["A"]
    each = 2 if len(players) < 5 else 1
    rows = np.concatenate([np.flatnonzero(strata == a)[:each] for a in range(len(game.shares))])
    found = game.part(rows).found(draw=None)

    columns_model = model_of(game.board.inputs)

    def model(columns):
        read = {name: np.array([value]) for name, value in columns.items()}
        return float(columns_model(read)[0])

    mechanisms, people, shares = oracle_of(game, rows)
    for place, row in enumerate(people):
        gains, base, factual = phi(game.arrangement, mechanisms, row, shares, model)
        assert found.paths[place] == pytest.approx(gains, abs=1e-10)
        assert found.base[place] == pytest.approx(base, abs=1e-10)
        assert found.factual[place] == pytest.approx(factual, abs=1e-10)

        def value(coalition, row=row):
            own = row.columns["A"]
            return sum(
                share * values(game.arrangement, mechanisms, row, own, other, coalition, model)
                for other, share in shares.items()
            )

        cut = [value([p for p in players if p != player]) for player in players]
        assert found.cut[place] == pytest.approx(cut, abs=1e-10)

    weights = np.random.default_rng(index).uniform(0.5, 2, len(rows))
    parts = explain(
        game.arrangement, mechanisms, people, strata[rows], shares, weights, model, reference=0.0
    )

    def difference(column, stratum):
        one, other = (strata[rows] == level for level in (stratum, 0))
        means = [np.average(column[who], axis=0, weights=weights[who]) for who in (one, other)]
        return means[0] - means[1]

    for stratum, part in parts.items():
        assert difference(found.factual, stratum) == pytest.approx(part.disparity, abs=1e-10)
        assert difference(found.paths, stratum) == pytest.approx(part.contributions, abs=1e-10)
        assert difference(found.base, stratum) == pytest.approx(part.remainder, abs=1e-10)


@pytest.mark.parametrize("index", range(0, len(CASES), 8))
def test_any_coalitions_equal_the_oracle(index):
    game = cached_game(index)
    players = game.arrangement.players
    rng = np.random.default_rng(index)
    held = rng.random((4, len(players))) < 0.5
    held[0], held[1] = True, False
    model = model_of(game.board.inputs)
    found = coalition_values(model, game.board, game.part([7, 8]).sample, held, game.shares)
    exact = game.part([7, 8]).found(draw=None)
    assert found[:, 0] == pytest.approx(exact.factual, abs=1e-12)
    assert found[:, 1] == pytest.approx(exact.base, abs=1e-12)
    for state, mask in enumerate(held):  # One alone is no different.
        alone = coalition_values(
            model, game.board, game.part([7, 8]).sample, mask[None, :], game.shares
        )
        assert alone[:, 0] == pytest.approx(found[:, state], abs=1e-12)
    mechanisms, people, shares = oracle_of(game, [7, 8])

    def scalar(columns):
        return float(model({name: np.array([value]) for name, value in columns.items()})[0])

    for place, row in enumerate(people):
        for state, mask in enumerate(held):
            kept = [player for player, kept in zip(players, mask, strict=True) if kept]
            expected = sum(
                share
                * values(game.arrangement, mechanisms, row, row.columns["A"], other, kept, scalar)
                for other, share in shares.items()
            )
            assert found[place, state] == pytest.approx(expected, abs=1e-10)


LARGE = [i for i, case in enumerate(CASES) if len(case.arranged().players) >= 4]


def all_orders(n_players):
    """Return a draw that gives each order once, and how many rounds that takes."""
    orders = [np.array(order) for order in permutations(range(n_players))]
    pairs = [(order, order[::-1]) for order in orders if order[0] < order[-1]]
    waiting = iter(pairs)

    def draw(n_rows, rng):
        del rng
        return tuple(np.tile(order, (n_rows, 1)) for order in next(waiting))

    return draw, len(pairs)


@pytest.mark.parametrize("index", [i for i in LARGE if len(CASES[i].arranged().players) < 6][:8])
def test_all_orders_average_to_the_exact_method(index):
    game = cached_game(index)
    draw, rounds = all_orders(len(game.arrangement.players))
    every = game.found(draw=draw, rounds=rounds)
    exact = game.found(draw=None)
    for name in ("paths", "base", "cut", "factual"):
        np.testing.assert_allclose(getattr(every, name), getattr(exact, name), atol=1e-12)


@pytest.mark.parametrize("index", LARGE[:4])
def test_sampling_converges_at_the_rate_it_reports(index):
    game = cached_game(index)
    exact, found = game.found(draw=None), game.found(rounds=400)
    error = found.paths - exact.paths
    moves = found.order_noise > 1e-20
    assert moves.sum() >= 2
    z = error.mean(axis=0)[moves] / np.sqrt(found.order_noise[moves] / len(error))
    assert np.abs(z).max() < 4
    # The mean over rows of a squared error is what order_noise estimates.
    assert (error**2).mean(axis=0).sum() == pytest.approx(found.order_noise.sum(), rel=0.5)
    assert error[:, ~moves] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("index", range(0, len(CASES), 5))
@pytest.mark.parametrize("method", ["exact", "uniform", "topological"])
def test_efficiency(index, method):
    game = cached_game(index)
    draws = {"exact": None, "uniform": uniform, "topological": topological}
    draw = draws[method] and draws[method](game.arrangement)
    found = game.found(draw=draw, rounds=2)
    assert found.paths.sum(axis=1) == pytest.approx(found.factual - found.base, abs=1e-12)
    assert np.isnan(game.found(rounds=1).order_noise).all()


@pytest.mark.parametrize("draw", [None, uniform])
def test_what_the_model_does_not_read_gets_nothing(draw):
    seen = 0
    for index in LARGE[:12]:
        game = cached_game(index)
        ends = sorted({player.nodes[-1] for player in game.arrangement.players}, key=str)
        unread = ends[-1]
        read = tuple(name for name in game.board.inputs if name not in np.array([unread]).ravel())
        found = game.found(model_of(read), draw=draw and draw(game.arrangement))
        nothing = [player.nodes[-1] == unread for player in game.arrangement.players]
        assert not found.paths[:, nothing].any()
        seen += bool(found.paths.any())
    assert seen >= 10


@pytest.mark.parametrize("draw", [None, uniform])
def test_linear_in_the_model(draw):
    for index in LARGE[:6]:
        game = cached_game(index)
        draw_pair = draw and draw(game.arrangement)
        one, two = (model_of(game.board.inputs, seed) for seed in (1, 2))

        def mix(columns, one=one, two=two):
            return 3 * one(columns) - 2 * two(columns)

        found, left, right = (game.found(f, draw=draw_pair, rounds=2) for f in (mix, one, two))
        for name in ("paths", "base", "cut"):
            whole = 3 * getattr(left, name) - 2 * getattr(right, name)
            np.testing.assert_allclose(getattr(found, name), whole, atol=1e-12)


def test_paths_with_the_same_role_get_the_same():
    # Two features with equal columns and links, and a model that is symmetric in them.
    graph = CausalGraph.parse("A -> B; A -> C; B -> D; C -> D")
    link = KnownLink(lambda x: np.sin(sum((1 + (n == "A")) * x[n] for n in x)))
    game = game_of(Case(graph, ["B", "C", "D"], [], 2, 3), link=link)
    columns = game.sample.columns | {"C": game.sample.columns["B"]}
    noise = game.sample.noise | {"C": game.sample.noise["B"]}
    game = replace(game, sample=Sample(columns, noise))
    found = game.found(lambda x: x["B"] * x["C"] * x["D"] + np.cos(x["B"] + x["C"]), draw=None)
    place = {player.nodes: i for i, player in enumerate(game.arrangement.players)}
    for one, two in [(("A", "B"), ("A", "C")), (("A", "B", "D"), ("A", "C", "D"))]:
        left, right = found.paths[:, place[one]], found.paths[:, place[two]]
        assert left == pytest.approx(right, abs=1e-12)
        assert np.abs(left).max() > 0.1


@lru_cache
def long_game():
    graph = CausalGraph.parse("A -> B; A -> C; B -> C; A -> D; C -> D; F -> C")
    return game_of(Case(graph, list("BCD"), ["C"], 2, 1), n_rows=9_000)


@pytest.mark.parametrize("draw", [None, uniform, topological])
def test_the_same_bits_for_any_batch_and_number_of_workers(draw):
    game = long_game()
    draw = draw and draw(game.arrangement)
    plain = game.found(draw=draw, rounds=2)
    assert len(plain.paths) > 2 * 4096
    for options in ({"batch_size": 4096 * 2, "n_jobs": 2}, {"batch_size": 1000}, {"n_jobs": 2}):
        other = game.found(draw=draw, rounds=2, **options)
        for name in ("paths", "base", "cut", "factual", "order_noise"):
            assert getattr(plain, name).tobytes() == getattr(other, name).tobytes()
        assert plain.evaluations == other.evaluations


@pytest.mark.parametrize("draw", [None, uniform, topological])
def test_a_full_chunk_does_not_know_what_follows(draw):
    game = long_game()
    draw = draw and draw(game.arrangement)
    assert Plan(game.shares, len(game.arrangement.players), draw, 2).chunk_rows == 4096
    alone = game.part(slice(0, 4096)).found(draw=draw, rounds=2)
    longer = game.found(draw=draw, rounds=2)
    for name in ("paths", "base", "cut"):
        assert getattr(alone, name).tobytes() == getattr(longer, name)[:4096].tobytes()


def test_many_strata_draw_the_other_level():
    graph = CausalGraph.parse("A -> B; A -> C; B -> C")
    game = game_of(Case(graph, ["B", "C"], [], 8, 2), n_rows=400)
    exact = game.found(draw=None)
    rounds = 300
    found = game.found(rounds=rounds)
    once = game.found(rounds=1)
    assert once.evaluations < exact.evaluations / 3
    assert found.paths.sum(axis=1) == pytest.approx(found.factual - found.base, abs=1e-12)
    error = found.paths - exact.paths
    z = error.mean(axis=0) / np.sqrt(found.order_noise / len(error))
    assert np.abs(z).max() < 4
    assert (error**2).mean(axis=0) == pytest.approx(found.order_noise, rel=0.3)
    # One draw leaves the cut unbiased: standardise its error over rows.
    off = once.cut - exact.cut
    assert np.abs(off.mean(axis=0) / (off.std(axis=0) / np.sqrt(len(off)))).max() < 4


@pytest.mark.parametrize("max_length", [1, 2])
def test_merged_longer_paths_sum_to_the_whole(max_length):
    seen = 0
    for index in LARGE:
        case = CASES[index]
        if not any(player.longer for player in case.arranged(max_length=max_length).players):
            continue
        whole, game = cached_game(index), game_of(case, max_length=max_length)
        assert [p for p in game.arrangement.players if not p.longer] == [
            p for p in whole.arrangement.players if len(p.nodes) <= max_length + 1
        ]
        exact, found, full = game.found(draw=None), game.found(), whole.found(draw=None)
        assert exact.base == pytest.approx(full.base, abs=1e-12)
        for one in (exact, found):
            assert one.paths.sum(axis=1) == pytest.approx(full.factual - full.base, abs=1e-12)
        seen += 1
    assert seen >= 3


def test_equal_rows_cost_one_evaluation():
    game = cached_game(LARGE[0])
    calls = []

    def model(columns):
        calls.append(np.column_stack(list(columns.values())))
        return model_of(game.board.inputs)(columns)

    doubled = game.part(np.arange(60).repeat(2))
    found, single = doubled.found(model, draw=None), game.found(draw=None)
    assert found.paths == pytest.approx(single.paths.repeat(2, axis=0), abs=1e-12)
    assert found.evaluations == single.evaluations
    (asked,) = calls
    assert len(asked) == found.evaluations == len(np.unique(asked, axis=0))
