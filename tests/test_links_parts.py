"""What links are made of, against definitions written out in plain loops and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression

from fairpath.links import ForestLink, LinearLink, Variable
from fairpath.links.additive import Additive
from fairpath.links.coupling import coupled, level_at, placed
from fairpath.links.design import Design, orthogonal
from fairpath.links.forest import _drawn_tree
from fairpath.links.leaves import RankTable, missing_shares, shares
from fairpath.links.levels import Placed, Relabelled
from fairpath.links.linear import fit_mean
from fairpath.links.logistic import LARGEST_HESSIAN, fit_levels
from fairpath.links.trees import Sight, Trees

SEX = Variable("sex", 2, is_sensitive=True)


# Two laws of a few levels, as counts of the same number of tokens.
@st.composite
def two_laws(draw):
    n_tokens, n_levels = draw(st.integers(1, 30)), draw(st.integers(1, 5))
    random = draw(st.randoms(use_true_random=False))
    tokens = (random.choices(range(n_levels), k=n_tokens) for _ in range(2))
    return tuple(np.bincount(found, minlength=n_levels) for found in tokens)


def midpoints(n):
    return (np.arange(n) + 0.5) / n


@given(two_laws())
def test_coupling_gives_the_other_law_and_changes_as_few_as_can_be(counts):
    own, other = counts
    n_tokens, n_levels = own.sum(), len(own)
    n_moved = np.maximum(own - other, 0).sum()  # the total variation distance, in tokens
    # A grid of uniform numbers on which every share comes out exactly.
    codes = np.repeat(np.arange(n_levels), own)
    keeps = np.concatenate([midpoints(n) for n in own if n])
    draws = midpoints(max(1, n_moved))
    rows, columns = (grid.ravel() for grid in np.indices((n_tokens, len(draws))))
    laws = np.stack([np.full(n_levels, np.nan), other / n_tokens, own / n_tokens])

    found = coupled(
        codes[rows],
        laws,
        np.full(len(rows), 2),
        np.full(len(rows), 1),
        np.column_stack([keeps[rows], draws[columns]]),
    )

    assert_array_equal(np.bincount(found, minlength=n_levels), other * len(draws))
    assert (found != codes[rows]).sum() == n_moved * len(draws)


def test_a_level_that_both_laws_rule_out_stays():
    laws = np.array([[0.5, 0.5, 0.0]])
    found = coupled(np.array([2]), laws, np.array([0]), np.array([0]), np.array([[0.3, 0.9]]))
    assert found == [2]


def test_a_level_that_both_laws_rule_out_goes_where_the_other_law_has_more():
    laws = np.array([[0.5, 0.5, 0.0], [0.1, 0.9, 0.0]])
    nobody = np.zeros(1, dtype=int)
    assert coupled(np.array([2]), laws, nobody, nobody + 1, np.array([[0.3, 0.9]])) == [1]


def test_a_level_that_its_own_law_rules_out_is_kept_where_the_other_allows_it():
    laws = np.array([[1.0, 0.0], [0.9, 0.1], [0.6, 0.4]])
    nobody = np.zeros(1, dtype=int)
    kept = coupled(np.array([1]), laws, nobody, nobody + 1, np.array([[0.99, 0.5]]))
    assert kept == [1]


@given(two_laws(), st.integers(1, 5))
def test_places_are_uniform_and_give_levels_back(counts, times):
    own, other = counts
    codes = np.repeat(np.arange(len(own)), own * times)
    uniforms = np.concatenate([midpoints(n * times) for n in own if n])
    law, elsewhere = (np.tile(c / own.sum(), (len(codes), 1)) for c in counts)
    places = placed(law, codes, uniforms)
    assert_allclose(places, midpoints(len(codes)), atol=1e-12)
    assert_array_equal(level_at(law, places), codes)
    assert_array_equal(np.bincount(level_at(elsewhere, places), minlength=len(own)), other * times)


@given(st.floats(0, 1, exclude_max=True), st.integers(0, 2))
def test_a_level_that_is_next_to_impossible_has_a_place(uniform, code):
    link = Placed(lambda parents: np.tile([0.0, 1.0, 0.0], (len(parents), 1)))
    noise = link.abduct(np.zeros((1, 1)), np.array([float(code)]), np.array([[0.5, uniform]]))
    assert link.generate(np.zeros((1, 1)), noise) == [code]


# Rows of two trees: the leaf of each in either, a value and a weight.
leaf_rows = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.integers(2, 3),
        st.sampled_from([-1.5, 0.0, 2.0, 3.0, np.nan]),
        st.integers(1, 4),
    ),
    min_size=1,
    max_size=12,
)
N_LEAVES = 4


def table_of(rows):
    first, second, values, weights = (np.array(column) for column in zip(*rows, strict=True))
    everyone = np.arange(len(rows))
    filled = [(everyone, first), (everyone, second)]
    return RankTable.of(values, weights.astype(float), filled, N_LEAVES)


def in_leaf(rows, leaf):
    """List the values of a leaf, each as often as it counts."""
    return sorted(
        value
        for first, second, value, weight in rows
        if leaf in {first, second} and value == value  # noqa: PLR0124 - NaN
        for _ in range(weight)
    )


@given(leaf_rows, st.floats(0.01, 0.99))
def test_ranks_and_quantiles_of_leaves_are_those_of_a_plain_loop(rows, uniform):
    table = table_of(rows)
    for leaf in range(N_LEAVES):
        inside = in_leaf(rows, leaf)
        at = np.array([leaf])
        if not inside:
            assert np.isnan(table.quantile(at, np.array([uniform]))).all()
            continue
        for value in [-2.0, -1.5, 0.0, 1.0, 2.0, 3.0, 4.0]:
            below = sum(other < value for other in inside) / len(inside)
            equal = sum(other == value for other in inside) / len(inside)
            found = table.rank(at, np.array([value]), np.array([uniform]))
            assert_allclose(found, below + uniform * equal, atol=1e-9)
            if equal:
                assert table.quantile(at, found) == [value]
        ranks = midpoints(len(inside))
        assert_array_equal(table.quantile(np.full(len(ranks), leaf), ranks), inside)
        ends = table.quantile(np.array([leaf, leaf]), np.array([0.0, np.nextafter(1, 0)]))
        assert_array_equal(ends, [inside[0], inside[-1]])


def test_where_the_share_of_a_value_ends_the_next_one_begins():
    table = table_of([(0, 2, 1.0, 1), (0, 3, 2.0, 1)])
    assert table.rank(np.array([0]), np.array([2.0]), np.array([0.0])) == [0.5]
    assert table.quantile(np.array([0]), np.array([0.5])) == [2]


@given(st.integers(1, 9), st.integers(1, 9))
def test_what_is_left_of_a_uniform_number_tells_nothing_of_the_tree(n_trees, n_draws):
    tree, left = _drawn_tree(midpoints(n_trees * n_draws), n_trees)
    for one in range(n_trees):
        assert_allclose(left[tree == one], midpoints(n_draws), atol=1e-12)


def test_a_stratum_without_rows_has_trees_of_all_rows():
    sex = np.repeat([0.0, 1.0], 10)
    values = np.where(sex == 1, 5.0, 1.0)
    fitted = ForestLink().fit(
        sex[:, None],
        values,
        sources=(Variable("sex", 3, is_sensitive=True),),
        target=Variable("pay"),
        weights=np.where(sex == 1, 3.0, 1.0),
        rng=np.random.default_rng(0),
    )
    ranks = midpoints(20)
    noise = fitted.abduct(sex[:, None], values, np.column_stack([ranks, ranks]))
    found = fitted.generate(np.full((20, 1), 2.0), noise)
    # Of the whole weight the value 1 has a quarter.
    assert_array_equal(found, np.where(ranks < 0.25, 1, 5))


@given(leaf_rows)
def test_the_rank_of_a_missing_value_is_its_uniform_number(rows):
    leaf = np.arange(N_LEAVES)
    found = table_of(rows).rank(leaf, np.full(N_LEAVES, np.nan), midpoints(N_LEAVES))
    assert_array_equal(found, midpoints(N_LEAVES))


@given(leaf_rows)
def test_shares_of_levels_in_leaves_are_those_of_a_plain_loop(rows):
    first, second, values, weights = (np.array(column) for column in zip(*rows, strict=True))
    everyone = np.arange(len(rows))
    # Every leaf holds somebody, as those of a tree do.
    _, first = np.unique(first, return_inverse=True)
    _, second = np.unique(second, return_inverse=True)
    second = second + first.max() + 1
    filled = [(everyone, first), (everyone, second)]
    n_leaves = int(second.max()) + 1
    codes = np.where(np.isnan(values), 0, 1)
    found = shares(codes, 3, weights.astype(float), filled, n_leaves)
    for leaf in range(n_leaves):
        inside = [
            (code, weight)
            for one, two, code, weight in zip(first, second, codes, weights, strict=True)
            if leaf in {one, two}
        ]
        total = sum(weight for _, weight in inside)
        for level in range(3):
            mass = sum(weight for code, weight in inside if code == level)
            assert_allclose(found[leaf, level], mass / total)
    missing = missing_shares(np.isnan(values), weights.astype(float), filled, n_leaves)
    assert_allclose(missing, found[:, [1, 0]])


regressors = arrays(
    float,
    st.tuples(st.integers(1, 12), st.integers(0, 5)),
    elements=st.integers(-3, 3).map(float),
)


@given(regressors, st.randoms(use_true_random=False), st.sampled_from([1.0, 1e-6, 1e6]))
def test_the_basis_is_orthonormal_and_spans_what_the_regressors_span(columns, random, scale):
    n_rows = len(columns)
    with_intercept = np.column_stack([np.ones(n_rows), scale * columns])
    weights = np.array([random.choice([0.0, 1.0, 2.5]) for _ in range(n_rows)])
    weights[0] = 1.0
    basis = orthogonal(with_intercept, weights)

    components = with_intercept @ basis
    gram = components.T @ (weights[:, None] * components) / weights.sum()
    assert_allclose(gram, np.eye(basis.shape[1]), atol=1e-8)
    root = np.sqrt(weights)[:, None]
    rank = np.linalg.matrix_rank(root * np.column_stack([np.ones(n_rows), columns]))
    assert basis.shape[1] == rank


def test_large_and_constant_columns_are_no_trouble_for_the_basis():
    rng = np.random.default_rng(0)
    year = 2e3 + rng.normal(size=50)
    constants = np.tile([9.81, 0.0, 0.1, -1 / 3, 1e9 + 0.1], (50, 1))
    columns = np.column_stack([np.ones(50), year, 3 * year - 1, constants])
    weights = rng.random(50)
    basis = orthogonal(columns, weights)
    assert basis.shape == (8, 2)
    assert_array_equal(basis[3:], 0)
    components = columns @ basis
    gram = components.T @ (weights[:, None] * components) / weights.sum()
    assert_allclose(gram, np.eye(2), atol=1e-6)


def test_a_design_by_hand():
    sources = (SEX, Variable("hours"), Variable("job", 3), Variable("age"))
    parents = np.array([[0, 40.0, 2, 30], [1, np.nan, 0, 50], [1, 10.0, 1, 20]])
    design = Design.of(parents, sources, np.array([1.0, 7.0, 3.0]))
    filled = (40 + 3 * 10) / 4
    assert_allclose(
        design(parents),
        [
            # intercept, sex 1, hours, hours missing, job 1, job 2, age
            [1, 0, 40, 0, 0, 1, 30],
            [1, 1, filled, 1, 0, 0, 50],
            [1, 1, 10, 0, 1, 0, 20],
        ],
    )
    # A number that was always there: its mean takes the place of a missing one.
    other = design(np.array([[0, 1.0, 0, np.nan]]))
    assert_allclose(other, [[1, 0, 1, 0, 0, 0, (30 + 7 * 50 + 3 * 20) / 11]])


def some_parents(rng, n_rows):
    sources = (SEX, Variable("job", 3), Variable("age"), Variable("year"), Variable("twice"))
    age = rng.normal(40, 10, n_rows)
    columns = [rng.integers(0, 2, n_rows), rng.integers(0, 3, n_rows), age]
    columns += [2000 + rng.normal(size=n_rows), 2 * age]
    return sources, np.column_stack(columns).astype(float)


def plain(parents):
    sex, job, *others = parents.T
    return np.column_stack([np.ones(len(sex)), sex, job == 1, job == 2, *others])


def test_the_mean_is_the_least_squares_of_numpy():
    rng = np.random.default_rng(0)
    sources, parents = some_parents(rng, 80)
    values = 1e3 + parents @ [3, -2, 0.5, 1, 0] + rng.normal(size=80)
    weights = rng.integers(0, 4, 80).astype(float)
    design = Design.of(parents, sources, weights)
    mean = fit_mean(design, parents, values, weights)

    root = np.sqrt(weights)
    expected, *_ = np.linalg.lstsq(root[:, None] * plain(parents), root * values, rcond=1e-12)
    assert_allclose(mean(parents), plain(parents) @ expected, rtol=1e-9)
    _, elsewhere = some_parents(rng, 80)
    assert_allclose(mean(elsewhere), plain(elsewhere) @ expected, rtol=1e-9)


def test_an_additive_link_by_hand():
    link = Additive.of(
        lambda parents: 10 * parents[:, 0], np.array([1.0, -1.0]), np.array([3.0, 1.0])
    )
    parents = np.array([[1.0], [2.0], [3.0]])
    uniforms = np.array([[0.2, 0], [0.26, 0], [0.5, 0]])
    # A quarter of the weight has the residual -1, so 0.2 draws that one and 0.26 the other.
    noise = link.abduct(parents, np.array([np.nan, np.nan, 37.0]), uniforms)
    assert_array_equal(noise, [[-1], [1], [7]])
    assert_array_equal(link.generate(parents[::-1], noise), [29, 21, 17])


def logistic_rows(n_levels, rng):
    sources, parents = some_parents(rng, 400)
    sources, parents = sources[:3], parents[:, :3]
    scores = np.outer(parents[:, 0] + 0.03 * parents[:, 2], np.linspace(-1, 1, n_levels))
    codes = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    weights = rng.integers(1, 4, 400).astype(float)
    return sources, parents, codes, weights, plain(parents / [1, 1, 40])


@pytest.mark.parametrize("n_levels", [2, 3, 5])
def test_the_law_of_levels_is_the_most_likely_one(n_levels):
    sources, parents, codes, weights, columns = logistic_rows(n_levels, np.random.default_rng(0))
    design = Design.of(parents, sources, weights)
    law = fit_levels(design, parents, codes, n_levels, weights).law(parents)

    def loss(flat):
        scores = columns @ np.column_stack([np.zeros(5), flat.reshape(5, -1)])
        found = log_softmax(scores, axis=1)
        error = np.exp(found) - (codes[:, None] == np.arange(n_levels))
        gradient = columns.T @ (weights[:, None] * error)
        total = -weights @ found[np.arange(400), codes]
        return total / weights.sum(), gradient[:, 1:].ravel() / weights.sum()

    best = minimize(
        loss, np.zeros(5 * (n_levels - 1)), jac=True, method="BFGS", options={"gtol": 1e-8}
    )
    scores = columns @ np.column_stack([np.zeros(5), best.x.reshape(5, -1)])
    assert np.abs(law - 1 / n_levels).max() > 0.2  # the parents matter
    assert_allclose(law, np.exp(log_softmax(scores, axis=1)), atol=1e-6)
    # What makes it so: on average over the rows, it predicts what every regressor goes with.
    error = law - (codes[:, None] == np.arange(n_levels))
    assert_allclose(columns.T @ (weights[:, None] * error) / weights.sum(), 0, atol=1e-7)


def test_the_law_of_levels_is_that_of_scikit_learn_without_penalty():
    sources, parents, codes, weights, columns = logistic_rows(3, np.random.default_rng(1))
    design = Design.of(parents, sources, weights)
    law = fit_levels(design, parents, codes, 3, weights).law(parents)
    model = LogisticRegression(C=1e12, fit_intercept=False, tol=1e-8, max_iter=10_000)
    model.fit(columns, codes, sample_weight=weights)
    assert_allclose(law, model.predict_proba(columns), atol=1e-5)


def test_separated_levels_have_a_law():
    codes = np.repeat([0, 1, 2], 20)
    parents = np.column_stack([codes == 2, codes + np.linspace(0, 0.1, 60)]).astype(float)
    link = LinearLink().fit(
        parents,
        codes.astype(float),
        sources=(SEX, Variable("age")),
        target=Variable("job", 3),
        weights=np.ones(60),
        rng=np.random.default_rng(0),
    )
    noise = link.abduct(parents, codes.astype(float), np.full((60, 2), 0.5))
    assert_array_equal(link.generate(parents[::-1], noise), codes[::-1])


def test_a_level_without_rows_has_no_chance():
    sources, parents, codes, weights, _ = logistic_rows(2, np.random.default_rng(2))
    law = fit_levels(Design.of(parents, sources, weights), parents, 2 * codes, 4, weights).law
    assert_array_equal(law(parents)[:, [1, 3]], 0)


def test_a_value_that_was_never_seen_is_the_next_label_and_a_missing_one_any():
    link = Relabelled(
        np.array([1.0, 5.0]), Placed(lambda parents: np.tile([0.25, 0.75], (len(parents), 1)))
    )
    parents = np.zeros((5, 1))
    values = np.array([1.0, 3.0, 9.0, np.nan, np.nan])
    uniforms = np.column_stack([np.zeros(5), [0.5, 0.5, 0.5, 0.2, 0.3]])
    assert_array_equal(
        link.generate(parents, link.abduct(parents, values, uniforms)), [1, 5, 5, 1, 5]
    )


def test_more_trees_than_a_short_integer_can_count():
    class Stump:
        def apply(self, columns):
            return np.zeros(len(columns), dtype=np.intp)

    n_strata, n_trees = 50, 800
    numbers = np.arange(n_strata * n_trees)
    trees = Trees(
        0,
        Sight(np.empty(0), np.empty(0), ()),
        n_trees,
        (Stump(),) * len(numbers),
        tuple(numbers[:, None]),
        numbers % n_trees,
    )
    strata, tree = np.array([49, 0, 45, 49]), np.array([799, 3, 0, 798])
    assert_array_equal(trees.leaf(strata[:, None] * 1.0, tree), strata * n_trees + tree)


def test_many_levels_have_their_share():
    rng = np.random.default_rng(0)
    parents = rng.normal(size=(1500, 30))
    codes = np.minimum(rng.geometric(0.2, 1500), 20) - 1
    sources = tuple(Variable(f"x{i}") for i in range(30))
    design = Design.of(parents, sources, np.ones(1500))
    assert LARGEST_HESSIAN < 31 * 20
    chances = fit_levels(design, parents, codes, 20, np.ones(1500)).law(parents)
    assert_allclose(chances.sum(axis=1), 1)
    # An intercept is hardly penalised: levels have their share.
    assert_allclose(chances.mean(axis=0), np.bincount(codes, minlength=20) / 1500, atol=0.005)
