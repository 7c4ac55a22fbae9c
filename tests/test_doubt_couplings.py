"""Other ways to carry noise: the law in each world stays, linear worlds do not notice."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ks_2samp, spearmanr

import fairpath as fp
from fairpath.doubt import Carried, ranges
from fairpath.doubt.couplings import COUPLINGS, donors, fresh, redrawn, turned
from fairpath.encoding import Variable
from fairpath.links import ForestLink, LinearLink
from fairpath.links.coupled import CoupledLogisticLink
from worlds import GRAPH, INPUTS, number, people

NUMBER, LEVELS, ORDERED = (
    Variable("x"),
    Variable("x", n_levels=3),
    Variable("x", n_levels=3, ordered=True),
)
KINDS = [
    (LinearLink(), NUMBER),
    (ForestLink(), NUMBER),
    (LinearLink(), LEVELS),
    (ForestLink(), LEVELS),
    (ForestLink(), ORDERED),
    (CoupledLogisticLink(), LEVELS),
]
each_kind = pytest.mark.parametrize(("link", "target"), KINDS, ids=lambda one: str(one)[:30])
GIVEN_AWAY = [redrawn, turned]


def carried(link, target, n=300, seed=0, weights=None):
    """A link of a number or level from the stratum and a number, fitted to rows."""
    rng = np.random.default_rng(seed)
    strata = rng.integers(0, 2, n)
    z = rng.normal(size=n)
    values = strata + z + rng.normal(size=n)
    if target.n_levels:
        values = np.digitize(values, [-0.3, 1.0]).astype(np.float64)
    parents = np.column_stack([strata, z])
    sources = (Variable("a", n_levels=2, is_sensitive=True), Variable("z"))
    weights = np.ones(n) if weights is None else weights
    fitted = link.fit(parents, values, sources=sources, target=target, weights=weights, rng=rng)
    return Carried(fitted, target, parents, values, strata, weights, np.random.default_rng(seed))


def generated(one, link, parents):
    """Values of all rows under the same parents, with the noise that a link carries."""
    uniforms = np.random.default_rng(9).random((len(one.values), 2))
    noise = link.abduct(one.parents, one.values, uniforms)
    return link.generate(np.tile(parents, (len(one.values), 1)), noise)


@each_kind
@pytest.mark.parametrize("coupling", GIVEN_AWAY)
def test_in_each_world_a_cell_has_the_values_that_it_had(link, target, coupling):
    one = carried(link, target)
    changed = coupling(one)
    moved = 0
    for parents, cell in product([(0.0, 0.3), (1.0, -1.0)], (0, 1)):
        inside = one.cells == cell
        before = generated(one, one.link, parents)[inside]
        after = generated(one, changed, parents)[inside]
        assert np.array_equal(np.sort(before), np.sort(after))
        moved += (before != after).sum()
    assert moved > 50


@each_kind
def test_drawn_anew_in_each_world_the_law_stays(link, target):
    one = carried(link, target, 3000)
    changed = fresh(one)
    for parents, cell in product([(0.0, 0.3), (1.0, -1.0)], (0, 1)):
        inside = one.cells == cell
        before, after = (generated(one, by, parents)[inside] for by in (one.link, changed))
        if target.n_levels is None:
            assert ks_2samp(before, after).pvalue > 1e-3
        else:
            shares = [np.bincount(v.astype(int), minlength=3) / len(v) for v in (before, after)]
            assert np.abs(shares[0] - shares[1]).max() < 0.06


def test_a_world_has_one_draw_and_two_worlds_have_two():
    one = carried(LinearLink(), NUMBER)
    changed = fresh(one)
    first, again, other = (generated(one, changed, (1.0, z)) for z in (0.3, 0.3, 0.4))
    noise = [v - one.link.generate(np.tile((1.0, z), (300, 1)), np.zeros((300, 1)))
             for v, z in ((first, 0.3), (other, 0.4))]  # fmt: skip
    assert np.array_equal(first, again)
    assert abs(np.corrcoef(*noise)[0, 1]) < 0.25
    zeros = [generated(one, changed, (1.0, z)) for z in (0.0, -0.0)]
    assert np.array_equal(*zeros)


@pytest.mark.parametrize("link", [LinearLink(), ForestLink()])
def test_reversed_turns_ranks_and_redrawn_forgets_them(link):
    one = carried(link, NUMBER, 2000)
    for cell in (0, 1):
        inside = one.cells == cell
        # Under the same parents for all, and in one tree, a value is as high as its noise.
        kept = generated(one, one.link, (1.0, 0.0))[inside]
        other = generated(one, turned(one), (1.0, 0.0))[inside]
        assert spearmanr(kept, other).statistic < -0.75
        other = generated(one, redrawn(one), (1.0, 0.0))[inside]
        assert abs(spearmanr(kept, other).statistic) < 0.12


def test_unordered_levels_have_no_rank_to_turn():
    one, same = (carried(LinearLink(), LEVELS) for _ in range(2))
    assert np.array_equal(turned(one).donors, redrawn(same).donors)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 5), min_size=2, max_size=12), st.integers(0, 99))
def test_everyone_gives_about_as_often_as_they_count(weights, seed):
    weights = np.array(weights)
    n = len(weights)
    rng = np.random.default_rng(seed)
    nothing = np.zeros(n)
    one = Carried(None, NUMBER, nothing[:, None], nothing, np.zeros(n, dtype=int), weights, rng)
    found = donors(one, lambda rows: (rng.permutation(rows), rng.permutation(rows)))
    counts = weights if weights.any() else np.ones(n)
    given_away = np.bincount(found, counts, minlength=n)
    assert np.abs(given_away - counts).max() <= counts.max() * (1 + 1e-9)
    assert (counts[found[counts > 0]] > 0).all()
    if (counts == counts[0]).all():
        assert sorted(found) == list(range(n))


def test_a_linear_world_does_not_notice_how_noise_is_carried():
    # age -> sex <- nothing: age, job, hours, pay from sex with fitted coefficients, and a line.
    table = people(300, 2)

    def line(rows):
        return 2 * number(rows, "pay") + number(rows, "hours") - 0.5 * number(rows, "job")

    found = fp.explain(line, table, graph=GRAPH, sensitive="sex", inputs=INPUTS, links="linear",
                       output="score", intervals=None, method="exact")  # fmt: skip
    seen = ranges(found, couplings=["redrawn", "reversed", "fresh"], links=[])

    def slopes(effect, causes):
        columns = np.column_stack([np.ones(300), *(table[c] for c in (*causes, "city"))])
        fitted = np.linalg.lstsq(columns, table[effect], rcond=None)[0]
        return dict(zip(causes, fitted[1:], strict=False))

    age, job = slopes("age", ["sex"]), slopes("job", ["sex", "age"])
    hours, pay = slopes("hours", ["sex"]), slopes("pay", ["sex", "job", "hours"])
    # Wright's rule: a path carries the product of its coefficients.
    expected = {
        ("sex", "age", "job"): -0.5 * age["sex"] * job["age"],
        ("sex", "age", "job", "pay"): 2 * age["sex"] * job["age"] * pay["job"],
        ("sex", "job"): -0.5 * job["sex"],
        ("sex", "job", "pay"): 2 * job["sex"] * pay["job"],
        ("sex", "hours"): hours["sex"],
        ("sex", "hours", "pay"): 2 * hours["sex"] * pay["hours"],
        ("sex", "pay"): 2 * pay["sex"],
    }
    truth = np.array([expected[path.nodes] for path in seen.paths])
    for one, values in zip(seen.assumed, seen.values[:, 0, 3:], strict=True):
        exact = seen.couplings[one.coupling] != "fresh"
        assert np.allclose(values, truth, atol=1e-9 if exact else 0.35)


def test_blocks_keep_one_joint_law_when_drawn_anew():
    # Two effects of m: were they to see two values of it, x y would lose E[x y], the remainder
    # would be far from zero.
    rng = np.random.default_rng(0)
    n = 6000
    a = rng.integers(0, 2, n)
    m = rng.normal(size=n) * 2 + a
    table = {"a": a, "m": m, "x": m + rng.normal(size=n), "y": m + rng.normal(size=n)}
    graph = fp.CausalGraph.parse("a -> m; m -> x; m -> y")
    found = fp.explain(lambda rows: rows["x"] * rows["y"], pd.DataFrame(table), graph=graph,
                       sensitive="a", inputs=["x", "y"], output="score", links="linear",
                       intervals=None)  # fmt: skip
    seen = ranges(found, couplings=list(COUPLINGS), links=[])
    spread = np.std(table["x"] * table["y"]) * np.sqrt(4 / n)
    assert spread < 0.4
    assert np.abs(seen.values[:, 0, 2]).max() < 4 * spread
