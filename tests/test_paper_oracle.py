"""The oracle of values and contributions itself, against examples done by hand."""

import math
import random
from dataclasses import dataclass

import numpy as np
import pytest

from fairpath import CausalGraph, arrange
from paper_oracle import Parts, Row, explain, from_links, phi, values

# The paper's G1: P = {A → X1 → Ŷ, A → X2 → Ŷ, A → X1 → X2 → Ŷ}, X3 outside.
G1 = CausalGraph.parse("A -> X1; A -> X2; X1 -> X2; X3 -> X1; X3 -> X2")
PLAYERS_OF_G1 = [("A", "X1"), ("A", "X2"), ("A", "X1", "X2")]


def arranged(graph, *players, **options):
    """Arrange a graph whose players are the ones the derivation in the test speaks of."""
    arrangement = arrange(graph, sensitive="A", **options)
    assert [player.nodes for player in arrangement.players] == list(players)
    return arrangement


def ordered(arrangement, gains):
    return {player.nodes: gain for player, gain in zip(arrangement.players, gains, strict=True)}


def factual_row(arrangement, mechanisms, index, columns):
    """Fill in the features that the mechanisms give at the row's own level, causes first."""
    columns = dict(columns)
    for block in arrangement.blocks:
        before = [name for earlier in arrangement.predecessors[block] for name in earlier]
        for place, feature in enumerate(block):
            parents = [*before, *arrangement.outside, *block[:place]]
            columns[feature] = mechanisms[feature]({name: columns[name] for name in parents}, index)
    return Row(index, columns)


# G1 with linear links and a linear model:
#   x1 = 1 + alpha a + x3 + e1,  x2 = beta a + delta x1 - 2 x3 + e2,  f = 3 + w1 x1 + w2 x2 + 5 x3.
# With c1, c2, c3 the levels that the three paths carry in the order of PLAYERS_OF_G1,
#   x1 as the model sees it is 1 + alpha c1 + x3 + e1, and as x2 sees it 1 + alpha c3 + x3 + e1, so
#   f(x(a'|T)) = constant + w1 alpha c1 + w2 beta c2 + w2 delta alpha c3.
# This is additive: whenever a path joins, it adds its product of coefficients times (a - a'),
# whoever joined before. Averaged over a': φ = product * (a - E a'), Φ = product * (a - a0).
ALPHA, BETA, DELTA, W1, W2 = 2.0, -3.0, 0.5, 4.0, 10.0
PRODUCTS = [W1 * ALPHA, W2 * BETA, W2 * DELTA * ALPHA]
NOISE = [(0.3, -0.2), (-1.1, 0.7), (0.9, 0.4), (0.1, -2.0), (-0.6, 1.5)]

LINEAR = {
    "X1": lambda x, i: 1 + ALPHA * x["A"] + x["X3"] + NOISE[i][0],
    "X2": lambda x, i: BETA * x["A"] + DELTA * x["X1"] - 2 * x["X3"] + NOISE[i][1],
}


def linear_model(x):
    return 3 + W1 * x["X1"] + W2 * x["X2"] + 5 * x["X3"]


def linear_rows(arrangement, levels):
    x3 = [0.5, -1.0, 2.0, 0.0, 1.0]
    return [
        factual_row(arrangement, LINEAR, i, {"A": level, "X3": x3[i]})
        for i, level in enumerate(levels)
    ]


@pytest.mark.parametrize("shares", [{0.0: 0.7, 1.0: 0.3}, {0.0: 0.2, 1.0: 0.3, 2.0: 0.5}])
def test_linear_contributions_are_products_of_coefficients(shares):
    arrangement = arranged(G1, *PLAYERS_OF_G1)
    mean = sum(level * share for level, share in shares.items())
    for row in linear_rows(arrangement, [*shares, 1.0]):
        a, x3, (e1, e2) = row.columns["A"], row.columns["X3"], NOISE[row.index]
        gains, v_empty, f_x = phi(arrangement, LINEAR, row, shares, linear_model)
        assert gains == pytest.approx([product * (a - mean) for product in PRODUCTS], abs=1e-12)
        # Everything at a', which f is linear in: E a' stands for a.
        x1 = 1 + ALPHA * mean + x3 + e1
        x2 = BETA * mean + DELTA * x1 - 2 * x3 + e2
        assert v_empty == pytest.approx(3 + W1 * x1 + W2 * x2 + 5 * x3, abs=1e-12)
        assert f_x == linear_model(row.columns)


def test_linear_disparity_of_three_weighted_strata():
    # v(∅) does not depend on a: its weighted means differ only through x3 and the noise, by
    #   (w1 + w2 delta)(x3 + e1) + w2 (e2 - 2 x3) + 5 x3 = 9 e1 + 10 e2 - 6 x3.
    # Row:       0     1     2      3      4
    # stratum    0     0     1      2      2
    # weight     1     3     2      1      1
    # this    -2.3   3.1   0.1  -19.1    3.6
    # means: stratum 0 (-2.3 + 9.3) / 4 = 1.75, stratum 1 0.1, stratum 2 -7.75.
    arrangement = arranged(G1, *PLAYERS_OF_G1)
    strata = [0.0, 0.0, 1.0, 2.0, 2.0]
    shares, weights = {0.0: 0.5, 1.0: 0.25, 2.0: 0.25}, [1, 3, 2, 1, 1]
    rows = linear_rows(arrangement, strata)
    parts = explain(arrangement, LINEAR, rows, strata, shares, weights, linear_model, 0.0)
    assert list(parts) == [1.0, 2.0]
    for stratum, remainder in [(1.0, 0.1 - 1.75), (2.0, -7.75 - 1.75)]:
        contributions = [product * stratum for product in PRODUCTS]
        assert parts[stratum].contributions == pytest.approx(contributions, abs=1e-12)
        assert parts[stratum].remainder == pytest.approx(remainder, abs=1e-12)
        disparity = sum(contributions) + remainder
        assert parts[stratum].disparity == pytest.approx(disparity, abs=1e-12)

    # Seen from stratum 1, stratum 0 is one level below.
    seen = explain(arrangement, LINEAR, rows, strata, shares, weights, linear_model, 1.0)[0.0]
    opposite = [-product for product in PRODUCTS]
    assert seen == Parts(
        pytest.approx(-parts[1.0].disparity), pytest.approx(opposite), pytest.approx(1.65)
    )


def test_the_coalition_that_the_paper_writes_out():
    # T = {A → X1 → X2 → Ŷ}: x1(a'|T) = g1(a', x3, e1), x2(a'|T) = g2(a', x1, x3, e2).
    def g1(a, x3, e1):
        return math.exp(a) + x3 * e1

    def g2(a, x1, x3, e2):
        return (1 + a) * x1**2 + x3 + e2

    e1, e2 = 0.4, -0.7
    mechanisms = {
        "X1": lambda x, _: g1(x["A"], x["X3"], e1),
        "X2": lambda x, _: g2(x["A"], x["X1"], x["X3"], e2),
    }
    arrangement = arranged(G1, *PLAYERS_OF_G1)
    a, other, x3 = 1.0, 3.0, 1.5
    row = factual_row(arrangement, mechanisms, 0, {"A": a, "X3": x3})
    x1 = row.columns["X1"]

    def f(x):
        return x["X1"] * x["X2"] + x["X3"]

    def value(coalition):
        return values(arrangement, mechanisms, row, a, other, coalition, f)

    to_x1, to_x2, through_x1 = arrangement.players
    expected = g1(other, x3, e1) * g2(other, x1, x3, e2) + x3
    assert value([through_x1]) == pytest.approx(expected, abs=1e-12)
    # The same for another coalition: x1 itself keeps a, but x2 sees it under a'.
    expected = x1 * g2(a, g1(other, x3, e1), x3, e2) + x3
    assert value([to_x1, to_x2]) == pytest.approx(expected, abs=1e-12)
    assert value(arrangement.players) == f(row.columns)


@pytest.mark.parametrize("a", [0.0, 1.0, 2.0])
def test_product_over_three_levels(a):
    # x1 = a, x2 = a + x1, f = x1 x2: with the levels c1, c2, c3 that the paths carry,
    # f = c1 c2 + c1 c3. In a game c1 c2 the first to join gains (a - a') a', the second
    # (a - a') a: both have φ = (a - a')(a + a') / 2. So φ1 = a² - E a'², φ2 = φ3 = half of it.
    shares = {0.0: 0.5, 1.0: 0.3, 2.0: 0.2}
    second_moment = 0.3 + 4 * 0.2
    mechanisms = {"X1": lambda x, _: x["A"], "X2": lambda x, _: x["A"] + x["X1"]}
    arrangement = arranged(G1, *PLAYERS_OF_G1)
    row = factual_row(arrangement, mechanisms, 0, {"A": a, "X3": 0.0})
    gains, v_empty, f_x = phi(arrangement, mechanisms, row, shares, lambda x: x["X1"] * x["X2"])
    whole = a**2 - second_moment
    assert gains == pytest.approx([whole, whole / 2, whole / 2], abs=1e-12)
    assert (v_empty, f_x) == (pytest.approx(2 * second_moment), 2 * a**2)


def test_block_mediator_and_direct_path():
    # J1 - J2 is a block, M is not read by the model, A is, and so is "unknown".
    #   j1 = a, j2 = 10 a + j1, m = 100 j1 + 1000 j2, z = a + m,
    #   f = 7 a + j1 + j2 + z + unknown, the block by {J} as one: j1 + j2 = 12 c, and as seen
    #   through M and Z 100 c + 1000 * 11 c = 11,100 c.
    graph = CausalGraph.parse("A -> J1; A -> J2; J1 -- J2; J1 -> M; J2 -> M; M -> Z; A -> Z")
    block = ("J1", "J2")
    arrangement = arranged(
        graph,
        ("A",),
        ("A", block),
        ("A", "Z"),
        ("A", block, "M", "Z"),
        inputs=["A", "J1", "J2", "Z", "unknown"],
    )
    mechanisms = {
        "J1": lambda x, _: x["A"],
        "J2": lambda x, _: 10 * x["A"] + x["J1"],
        "M": lambda x, _: 100 * x["J1"] + 1000 * x["J2"],
        "Z": lambda x, _: x["A"] + x["M"] + 0 * x["unknown"],
    }
    row = factual_row(arrangement, mechanisms, 0, {"A": 1.0, "unknown": 5.0})

    def f(x):
        return 7 * x["A"] + x["J1"] + x["J2"] + x["Z"] + x["unknown"]

    gains, v_empty, f_x = phi(arrangement, mechanisms, row, {0.0: 0.75, 1.0: 0.25}, f)
    effects = [7, 12, 1, 11_100]
    assert gains == pytest.approx([0.75 * effect for effect in effects])
    assert v_empty == pytest.approx(0.25 * sum(effects) + 5)
    assert f_x == sum(effects) + 5


def test_features_of_a_block_share_a_world():
    # j1 = a + e1 and j2 = j1² are equal only in one world; j2 never sees a j1 of another.
    graph = CausalGraph.parse("A -> J1; A -> J2; J1 -- J2")
    arrangement = arranged(graph, ("A", ("J1", "J2")))
    mechanisms = {"J1": lambda x, _: x["A"] + 0.5, "J2": lambda x, _: x["J1"] ** 2}
    row = factual_row(arrangement, mechanisms, 0, {"A": 2.0})
    seen = []

    def f(x):
        seen.append((x["J1"], x["J2"]))
        return 0.0

    values(arrangement, mechanisms, row, 2.0, 1.0, [], f)
    values(arrangement, mechanisms, row, 2.0, 1.0, arrangement.players, f)
    assert seen == [(1.5, 2.25), (2.5, 6.25)]


def test_the_factual_value_needs_no_mechanism():
    # At factual parents these mechanisms, which know nothing of the row, would be wrong.
    arrangement = arranged(G1, *PLAYERS_OF_G1)
    mechanisms = {"X1": lambda x, _: x["A"] * 0 + 1, "X2": lambda _x, _: 2.0}
    row = Row(0, {"A": 1.0, "X1": math.nan, "X2": 40.0, "X3": math.nan})
    _, to_x2, through_x1 = arrangement.players

    def value(coalition, model):
        return values(arrangement, mechanisms, row, 1.0, 0.0, coalition, model)

    assert value([], lambda x: x["X1"]) == 1
    assert value([], lambda x: x["X2"]) == 2
    # x2 stands as it was where A and x1 do: a missing number equals a missing number.
    assert value([to_x2, through_x1], lambda x: x["X2"]) == 40
    assert value([to_x2], lambda x: x["X2"]) == 2
    assert value([through_x1], lambda x: x["X2"]) == 2


GRAPHS = [
    (G1, None),
    (CausalGraph.parse("A -> X1; A -> X2; X1 -- X2; X1 -> Z; X2 -> Z; W -> Z"), None),
    (CausalGraph.parse("A -- R; R -> X; X -> Z; R -> Z; A -> Z"), ["A", "X", "Z"]),
    (CausalGraph.parse("A -> M; M -> X; M -> Z; X -> Z; W -> M"), ["X", "Z", "W", "V"]),
]


def non_linear(arrangement, rng):
    """Draw mechanisms that mix all parents, each row with its own noise."""

    def mechanism(noise, tilt):
        return lambda x, i: (
            math.sin(sum((k + tilt) * x[name] for k, name in enumerate(sorted(x)))) + noise[i]
        )

    return {
        feature: mechanism([rng.gauss(0, 1) for _ in range(4)], rng.random())
        for block in arrangement.blocks
        for feature in block
    }


@pytest.mark.parametrize(("graph", "inputs"), GRAPHS)
def test_efficiency_and_the_empty_coalition(graph, inputs):
    rng = random.Random(7)
    arrangement = arrange(graph, sensitive="A", inputs=inputs)
    assert 2 <= len(arrangement.players) <= 6
    mechanisms = non_linear(arrangement, rng)
    read = inputs or [name for name in graph.nodes if name != "A"]
    shares = {0.0: 0.5, 1.0: 0.3, 2.0: 0.2}

    def model(x):
        return math.tanh(sum(x[name] for name in read)) + math.prod(x[name] for name in read)

    for i, a in enumerate([0.0, 1.0, 2.0, 2.0]):
        outside = {name: rng.gauss(0, 1) for name in arrangement.outside}
        row = factual_row(arrangement, mechanisms, i, {"A": a, **outside})
        gains, v_empty, f_x = phi(arrangement, mechanisms, row, shares, model)
        assert sum(gains) == pytest.approx(f_x - v_empty, abs=1e-12)
        assert max(map(abs, gains)) > 1e-3
        # T = ∅: "calculate X_i under A = a'", every path in the same world.
        worlds = {
            level: factual_row(arrangement, mechanisms, i, {"A": level, **outside})
            for level in shares
        }
        nobody = sum(share * model(worlds[level].columns) for level, share in shares.items())
        assert v_empty == pytest.approx(nobody, abs=1e-12)


def test_a_player_that_changes_nothing_gets_nothing():
    arrangement = arranged(G1, *PLAYERS_OF_G1)
    row = linear_rows(arrangement, [1.0])[0]
    shares = {0.0: 0.5, 1.0: 0.5}
    gains, _, _ = phi(arrangement, LINEAR, row, shares, lambda x: math.exp(x["X1"]))
    assert ordered(arrangement, gains)["A", "X1"] > 1
    assert gains[1:] == [0.0, 0.0]


@dataclass
class Scaled:
    """A fitted link: coefficients in the order of the sources, then those of the noise."""

    coefficients: list[float]
    noise_coefficients: list[float]

    def abduct(self, parents, values, uniforms):
        raise NotImplementedError

    def generate(self, parents, noise):
        assert len(parents) == len(noise) == 1
        return parents @ np.array(self.coefficients) + noise @ np.array(self.noise_coefficients)


def test_links_are_mechanisms():
    # X1 and X2 of the linear example, X1's constant 1 as a second column of its noise.
    e1, e2 = np.array(NOISE).T
    mechanisms = from_links(
        {"X1": Scaled([1, ALPHA], [1, 1]), "X2": Scaled([DELTA, -2, BETA], [1])},
        {"X1": ("X3", "A"), "X2": ("X1", "X3", "A")},
        {"X1": np.column_stack([e1, np.ones(5)]), "X2": e2[:, None]},
    )
    arrangement = arranged(G1, *PLAYERS_OF_G1)
    shares = {0.0: 0.7, 1.0: 0.3}
    for row in linear_rows(arrangement, [0.0, 1.0, 1.0, 0.0, 1.0]):
        for feature in ("X1", "X2"):
            generated = mechanisms[feature](row.columns, row.index)
            assert generated == pytest.approx(row.columns[feature])
        gains, v_empty, _ = phi(arrangement, mechanisms, row, shares, linear_model)
        expected, v_expected, _ = phi(arrangement, LINEAR, row, shares, linear_model)
        assert gains == pytest.approx(expected, abs=1e-12)
        assert v_empty == pytest.approx(v_expected, abs=1e-12)


def test_what_it_does_not_take():
    chains = "; ".join(f"A -> X{i}" for i in range(7))
    row = Row(0, {"A": 0.0})
    arrangement = arrange(CausalGraph.parse(chains), sensitive="A")
    with pytest.raises(ValueError, match="up to 6 players"):
        phi(arrangement, {}, row, {0.0: 1.0}, linear_model)
    arrangement = arrange(G1, sensitive="A", max_length=1)
    with pytest.raises(ValueError, match="none for longer paths"):
        phi(arrangement, {}, row, {0.0: 1.0}, linear_model)
    # The model may not read what no player or outside feature brings.
    arrangement = arranged(G1, *PLAYERS_OF_G1)
    row = linear_rows(arrangement, [1.0])[0]
    with pytest.raises(KeyError, match="A"):
        phi(arrangement, LINEAR, row, {0.0: 0.5, 1.0: 0.5}, lambda x: x["A"])
