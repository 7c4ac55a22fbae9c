"""Classical tests in closed form, calibration in simulation, and laws that every test obeys."""

from itertools import product
from math import lgamma, log, sqrt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator
from scipy.special import log_ndtr, logsumexp, ndtri
from scipy.stats import binom, chi2, chi2_contingency, kstest, rankdata

from fairpath import independence as module
from fairpath.errors import DataError
from fairpath.frames import columns
from fairpath.independence import IndependenceTest, independence, log_chi_square_tail
from fairpath.residuals import MAX_LEVELS, Sample, Variable

KINDS = ("number", "binary", "category")
GIVEN = {"nothing": (), "number": ("z",), "category": ("c",), "both": ("c", "z")}
MIXES = list(product(KINDS, KINDS))
QUESTIONS = [(f"x {one}", f"y {other}", given) for given in GIVEN.values() for one, other in MIXES]


# Simulated tables. What x and y share, they share through the given columns alone.


def of_kind(kind, signal, rng):
    """Return a column that follows the signal: a skewed number whose spread grows, or labels."""
    if kind == "number":
        return np.exp((signal + (0.5 + 0.5 * (signal > 0)) * rng.normal(size=len(signal))) / 2)
    if kind == "binary":
        return np.where(rng.random(len(signal)) < 1 / (1 + np.exp(-signal)), "yes", "no")
    tastes = np.stack([signal, -signal, 0 * signal, signal / 2 - 0.5], axis=1)
    return np.array(list("abcd"))[(tastes + rng.gumbel(size=tastes.shape)).argmax(axis=1)]


def table(rng, rows, given, dependence=0.0, missing=0.0):
    """Return z, c and, of every kind, an x and a y that are independent given what is named."""
    z = rng.normal(size=rows)
    c = rng.choice(3, rows, p=[0.5, 0.3, 0.2])
    curves = {"x": np.sin(1.5 * z) + 0.5 * z, "y": z + z**2 / 2 - 0.5}
    steps = {"x": np.array([0.0, 1.0, -1.0])[c], "y": np.array([-0.5, 1.0, -1.0])[c]}
    shared = dependence * rng.normal(size=rows)
    data = {"z": z, "c": np.array(["low", "mid", "top"])[c]}
    for side in "xy":
        signal = shared + ("z" in given) * curves[side] + ("c" in given) * steps[side]
        if len(given) > 1:
            signal = signal + 0.5 * z * (c == 0)
        data |= {f"{side} {kind}": of_kind(kind, signal, rng) for kind in KINDS}
    frame = pd.DataFrame(data)
    if missing:
        # More often where z is high; then x and y say nothing about who is missing, given z.
        gone = rng.random((2, rows)) < missing * (1 + np.tanh(z) * ("z" in given))
        for name, rows_gone in zip(
            ("x number", "x category", "y binary"), gone[[0, 0, 1]], strict=True
        ):
            frame[name] = frame[name].where(~rows_gone, None)
    return frame


def p_values(rows, given, n_tables, seed, **options):
    """Return the p-values of each mix of kinds, one from each table."""
    found = {mix: [] for mix in MIXES}
    for number in range(n_tables):
        rng = np.random.default_rng((seed, number))
        test = IndependenceTest(table(rng, rows, given, **options))
        for one, other in MIXES:
            found[one, other].append(test.test(f"x {one}", f"y {other}", given).p_value)
    return {mix: np.array(values) for mix, values in found.items()}


def assert_uniform(found):
    for mix, values in found.items():
        assert kstest(values, "uniform").pvalue > 1e-4, mix
        for alpha in (0.01, 0.05, 0.1):
            low, high = binom.interval(0.9999, len(values), alpha)
            assert low <= (values < alpha).sum() <= high, (mix, alpha)
    # All mixes together tell half the level or twice the level apart.
    together = np.concatenate(list(found.values()))
    for alpha in (0.01, 0.05, 0.1):
        spread = sqrt(alpha * (1 - alpha) / len(together))
        assert abs((together < alpha).mean() - alpha) < 5 * spread, alpha


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize(("rows", "n_tables"), [(200, 400), (2000, 120)])
def test_p_values_are_uniform_if_independent(rows, n_tables, given):
    assert_uniform(p_values(rows, GIVEN[given], n_tables, seed=rows))


@pytest.mark.parametrize("given", ["nothing", "both"])
def test_p_values_are_uniform_with_missing_values(given):
    assert_uniform(p_values(300, GIVEN[given], 100, seed=3, missing=0.2))


@pytest.mark.parametrize("given", ["number", "category", "both"])
def test_the_simulation_needs_what_is_given(given):
    """Without it every pair depends, so the two tests above are about conditioning."""
    data = table(np.random.default_rng(1), 4000, GIVEN[given])
    test = IndependenceTest(data)
    for one, other in MIXES:
        assert test.test(f"x {one}", f"y {other}").p_value < 1e-3, (one, other)


@pytest.mark.parametrize("given", GIVEN)
def test_clear_dependence_is_seen_in_every_mix(given):
    for mix, values in p_values(500, GIVEN[given], 8, seed=2, dependence=1.5).items():
        assert (values < 0.01).all(), mix


def test_many_rare_levels_keep_their_size_and_some_power():
    """No level is frequent here: 30 levels of about 7 rows each."""
    sizes, powers = [], []
    for seed in range(300):
        rng = np.random.default_rng((4, seed))
        codes = rng.integers(30, size=200)
        data = pd.DataFrame(
            {
                "level": [f"l{code:02}" for code in codes],
                "unrelated": rng.choice(["a", "b"], 200, p=[0.9, 0.1]),
                "related": codes + 10 * rng.normal(size=200),
            }
        )
        test = IndependenceTest(data)
        sizes.append(test.test("level", "unrelated").p_value)
        powers.append(test.test("level", "related").p_value)
    assert kstest(sizes, "uniform").pvalue > 1e-3
    assert np.mean(np.array(powers) < 0.05) > 0.9


# Classical tests.


def scores(values):
    """Return smoothed normal scores, by another interpolation than the module's own.

    A cubic that never turns, from scipy, through the normal scores at a few quantiles.
    """
    levels, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    normal = ndtri((np.cumsum(counts) - counts / 2) / len(values))
    quantiles = ndtri([0.05, 0.3, 0.5, 0.7, 0.95])
    nearest = [np.abs(normal - q).argmin() for q in quantiles]
    knots = np.unique([0, *nearest, len(levels) - 1])
    x, y = levels[knots], normal[knots]
    slopes = PchipInterpolator(x, y).derivative()(x)
    slopes[[0, -1]] = (np.diff(y) / np.diff(x))[[0, -1]]
    return CubicHermiteSpline(x, y, slopes)(levels)[codes]


def indicators(labels):
    """Return one column for each label but the last."""
    return np.stack([labels == label for label in np.unique(labels)[:-1]], axis=1).astype(float)


def shuffled_in_strata(one, other, strata):
    """Compare the sums of products with their law if rows are shuffled within each stratum.

    For labels this is the general association statistic of Cochran, Mantel and Haenszel.
    """
    total, covariance = 0.0, 0.0
    for stratum in np.unique(strata):
        a, b = (part[strata == stratum] for part in (one, other))
        size = len(a)
        if size < 2:
            continue
        a, b = a - a.mean(axis=0), b - b.mean(axis=0)
        total = total + (a.T @ b).ravel()
        covariance = covariance + np.kron(a.T @ a, b.T @ b) / (size - 1)
    return float(total @ np.linalg.solve(covariance, total))


@pytest.fixture(scope="module")
def sample():
    return table(np.random.default_rng(5), 600, ("c", "z"))


def test_two_categories_are_tested_by_pearson(sample):
    cross = pd.crosstab(sample["x category"], sample["y category"])
    expected, _, dof, _ = chi2_contingency(cross, correction=False)
    found = independence(sample, "x category", "y category")
    # Shuffled rows have the variance n / (n - 1) times the one that Pearson used.
    assert_allclose(found.statistic, expected * 599 / 600)
    assert found.dof == dof == 9
    assert_allclose(found.p_value, chi2.sf(found.statistic, dof))
    assert found.n_rows == 600


def test_two_binaries_in_strata_are_tested_by_cochran_mantel_haenszel(sample):
    # From the textbook: a is the count of (yes, yes), with margins r and s in a stratum of n.
    excess, variance = 0.0, 0.0
    for _, stratum in sample.groupby("c"):
        n = len(stratum)
        x, y = stratum["x binary"] == "yes", stratum["y binary"] == "yes"
        r, s = x.sum(), y.sum()
        excess += (x & y).sum() - r * s / n
        variance += r * s * (n - r) * (n - s) / (n**2 * (n - 1))
    found = independence(sample, "x binary", "y binary", ["c"])
    assert_allclose(found.statistic, excess**2 / variance)
    assert found.dof == 1


@pytest.mark.parametrize("given", ["nothing", "category"])
@pytest.mark.parametrize("mix", MIXES, ids=" and ".join)
def test_few_strata_are_tested_by_what_shuffling_within_them_gives(sample, mix, given):
    """Kruskal and Wallis' idea with normal scores (van der Waerden), their correlation, and CMH."""
    parts = [sample[f"{side} {kind}"].to_numpy() for side, kind in zip("xy", mix, strict=True)]
    ready = [
        scores(part)[:, None] if kind == "number" else indicators(part)
        for kind, part in zip(mix, parts, strict=True)
    ]
    strata = sample["c"].to_numpy() if given == "category" else np.zeros(len(sample))
    found = independence(sample, f"x {mix[0]}", f"y {mix[1]}", GIVEN[given])
    assert_allclose(found.statistic, shuffled_in_strata(*ready, strata), rtol=1e-8)
    assert found.dof == ready[0].shape[1] * ready[1].shape[1]


def test_a_stratum_of_one_row_says_nothing(sample):
    lone = sample.iloc[[0]].assign(c="lone")
    one = independence(sample, "x binary", "y category", ["c"])
    other = independence(pd.concat([sample, lone]), "x binary", "y category", ["c"])
    assert_allclose(other.statistic, one.statistic, rtol=1e-6)


@pytest.mark.parametrize("shape", [np.exp, np.tanh, np.cbrt, np.round], ids=lambda f: f.__name__)
def test_scores_are_close_to_normal_scores(shape):
    """So the tests of numbers are close to van der Waerden's and to normal scores' correlation."""
    rng = np.random.default_rng(6)
    x = rng.normal(size=800)
    y = 0.15 * x + rng.normal(size=800)
    data = pd.DataFrame({"x": shape(x), "y": shape(y), "half": rng.random(800) < 0.5 + 0.1 * x})
    normal = {name: ndtri(rankdata(data[name]) / 801) for name in "xy"}
    between = 799 * np.corrcoef(normal["x"], normal["y"])[0, 1] ** 2
    assert between > 8
    assert_allclose(independence(data, "x", "y").statistic, between, rtol=0.08)
    waerden = 799 * np.corrcoef(normal["x"], data["half"])[0, 1] ** 2
    assert waerden > 8
    assert_allclose(independence(data, "x", "half").statistic, waerden, rtol=0.08)


# Laws.


def assert_same(one, other, rtol=1e-7):
    assert one.dof == other.dof
    assert_allclose(one.n_rows, other.n_rows)
    assert_allclose(one.statistic, other.statistic, rtol=rtol, atol=1e-9)
    assert_allclose(one.log_p_value, other.log_p_value, rtol=rtol, atol=1e-9)


def assert_all_same(one, other, questions=QUESTIONS, **options):
    """Compare two tables, or two tests, on every mix and condition."""
    one, other = (
        t if isinstance(t, IndependenceTest) else IndependenceTest(t) for t in (one, other)
    )
    for question in questions:
        assert_same(one.test(*question), other.test(*question), **options)


@pytest.fixture(scope="module")
def holed():
    return table(np.random.default_rng(7), 300, ("c", "z"), missing=0.1)


def test_x_and_y_are_alike(holed):
    test = IndependenceTest(holed)
    for x, y, given in QUESTIONS:
        assert_same(test.test(x, y, given), test.test(y, x, given))


def test_a_weight_is_how_often_a_row_stands_there(holed):
    weights = np.random.default_rng(8).integers(0, 4, len(holed)).astype(float)
    assert (weights == 0).any()
    repeated = holed.loc[holed.index.repeat(weights.astype(int))]
    assert_all_same(repeated, IndependenceTest(holed, weights=weights))
    unweighted = independence(holed, *QUESTIONS[0]).statistic
    assert independence(repeated, *QUESTIONS[0]).statistic != pytest.approx(unweighted, rel=1e-3)


def test_the_order_of_rows_does_not_matter(holed):
    assert_all_same(holed, holed.sample(frac=1, random_state=9))


def test_the_library_of_the_table_does_not_matter(holed):
    assert_all_same(holed, pl.from_pandas(holed))
    assert_all_same(holed, pa.Table.from_pandas(holed))


def test_other_labels_of_frequent_levels_do_not_matter(holed):
    names = {"yes": "0 yes", "no": "1 no", "a": "q", "b": "k", "c": "m", "d": "l"}
    names |= {"low": "3", "mid": "1", "top": "2"}
    assert_all_same(holed, holed.replace(names))


def test_two_values_are_a_category_whatever_they_are(holed):
    for values in ({"yes": 0.0, "no": 1e9}, {"yes": True, "no": False}):
        coded = holed.assign(**{"x binary": [values.get(v) for v in holed["x binary"]]})
        assert_all_same(holed, coded)


def test_unit_and_origin_of_numbers_do_not_matter(holed):
    moved = holed.copy()
    for name in ("z", "x number", "y number"):
        moved[name] = 3 * holed[name] - 7
    assert_all_same(holed, moved)
    for scale in (1e-300, 1e300):
        assert_all_same(holed, holed.assign(**{"x number": holed["x number"] / 10 * scale}))


def test_other_increasing_transformations_hardly_matter():
    """A smooth score is not quite a rank: the root of chi-square moves by a fifth of its spread."""
    moves = []
    for seed in range(40):
        rng = np.random.default_rng((10, seed))
        z, x, y = rng.normal(size=(3, 300))
        data = pd.DataFrame({"z": z, "x": x + z, "y": y + z + 0.1 * x})
        root = sqrt(independence(data, "x", "y", ["z"]).statistic)
        for bend in (np.exp, np.arctan, lambda v: v**3, rankdata):
            bent = data.assign(x=bend(data["x"]), z=bend(data["z"]))
            moves.append(sqrt(independence(bent, "x", "y", ["z"]).statistic) - root)
    assert np.sqrt(np.mean(np.square(moves))) < 0.25
    assert np.max(np.abs(moves)) < 0.8


def test_a_row_counts_if_it_is_complete_in_the_columns_of_the_test(holed):
    test = IndependenceTest(holed)
    for x, y, given in QUESTIONS:
        complete = holed.dropna(subset=[x, y, *given])
        found = test.test(x, y, given)
        assert_same(found, independence(complete, x, y, given))
        assert found.n_rows == len(complete)
    assert independence(holed, "x number", "y binary").n_rows < len(holed)


def test_the_order_of_what_is_given_does_not_matter(holed):
    expected = independence(holed, "x number", "y category", ["z", "c"])
    for given in (["c", "z"], ("z", "c", "z"), {"z", "c"}, iter(["c", "z"])):
        assert independence(holed, "x number", "y category", given) == expected


def test_what_is_shared_between_tests_does_not_matter(holed, monkeypatch):
    roomy = IndependenceTest(holed)
    again = [roomy.test(*question) for question in [*QUESTIONS, *QUESTIONS]]
    assert again[: len(QUESTIONS)] == again[len(QUESTIONS) :]
    assert again[: len(QUESTIONS)] == [independence(holed, *question) for question in QUESTIONS]
    monkeypatch.setattr(module, "CACHE_BYTES", 1)
    tight = IndependenceTest(holed)
    assert [tight.test(*question) for question in QUESTIONS] == again[: len(QUESTIONS)]


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("constant", [1.5, "same"])
def test_a_constant_is_independent_of_everything(sample, constant, given):
    data = sample.assign(constant=constant)
    for kind in KINDS:
        found = independence(data, "constant", f"y {kind}", GIVEN[given])
        assert (found.p_value, found.log_p_value, found.statistic, found.dof) == (1, 0, 0, 0)


def test_what_the_given_columns_determine_is_independent_of_the_rest(sample):
    data = sample.assign(copy=sample["z"], part=sample["c"] == "low")
    for name, given in (("copy", ["z"]), ("part", ["c"]), ("part", ["c", "z"])):
        found = independence(data, name, "y number", given)
        assert (found.p_value, found.dof) == (1, 0), name


def test_a_constant_among_the_given_changes_nothing(holed):
    data = holed.assign(constant="same", other=2.0)
    test = IndependenceTest(data)
    for x, y, given in QUESTIONS:
        assert_same(test.test(x, y, given), test.test(x, y, [*given, "constant", "other"]))


# Levels.


def groups_of(counts):
    """Return how many rows each tested group of levels has."""
    labels = np.repeat([f"l{i:03}" for i in range(len(counts))], counts)
    column = columns(pd.DataFrame({"c": labels}))["c"]
    every = Sample(np.arange(len(labels)), np.ones(len(labels)), float(len(labels)))
    return Variable.of(column, every).target().sum(axis=0)


@drawn(st.lists(st.integers(1, 30) | st.integers(1, 300), min_size=1, max_size=60))
def test_levels_are_pooled_until_none_is_rare(counts):
    groups = groups_of(counts)
    n = sum(counts)
    assert groups.sum() == n
    assert len(groups) <= min(MAX_LEVELS, len(counts))
    # One group may be rare, if it has only one other to join.
    assert (groups >= sqrt(n)).all() or len(groups) <= 2
    if n >= 16 and len(counts) > 1:
        assert len(groups) > 1
    if min(counts) >= sqrt(n) and len(counts) <= MAX_LEVELS:
        assert sorted(groups) == sorted(counts)


@pytest.mark.parametrize(
    ("counts", "groups"),
    [
        ([100, 100, 100], [100, 100, 100]),
        ([100, 100, 100, 5], [105, 100, 100]),
        ([98, 2], [98, 2]),
        ([400, 5, 300, 6, 12], [400, 323]),
        ([50] * 40, [1050, *[50] * 19]),
        ([10] * 20, [30] * 6 + [20]),
    ],
)
def test_pooled_levels_by_hand(counts, groups):
    assert sorted(groups_of(counts)) == sorted(groups)


def test_rare_levels_are_tested_as_if_merged_by_hand(sample):
    rng = np.random.default_rng(11)
    label = rng.choice(list("abcde"), 600, p=[0.5, 0.45, 0.02, 0.02, 0.01])
    merged = np.where(np.isin(label, ["c", "d", "e"]), "rest", label)
    data = sample.assign(label=label, merged=merged)
    assert 25 <= (merged == "rest").sum() < 49
    for kind in KINDS:
        one, other = (independence(data, name, f"y {kind}") for name in ("label", "merged"))
        assert_same(one, other)


# The tail of chi-square.


def log_tail_in_closed_form(statistic, dof):
    """Q(a + 1, x) = Q(a, x) + x^a e^-x / Gamma(a + 1), from Q(1/2) and Q(0), in logarithms."""
    x = statistic / 2
    terms = [log(2) + log_ndtr(-sqrt(statistic))] if dof % 2 else []
    a = 0.5 if dof % 2 else 0.0
    while a < dof / 2:
        terms.append(a * log(x) - x - lgamma(a + 1))
        a += 1
    return float(logsumexp(terms))


@pytest.mark.parametrize("dof", [1, 2, 3, 9, 40, 361])
def test_the_logarithm_of_the_tail(dof):
    for statistic in (0.01, 1.0, dof, 5 * dof + 50, 1300, 1400, 1e4, 1e6, 1e9):
        expected = log_tail_in_closed_form(statistic, dof)
        assert_allclose(log_chi_square_tail(statistic, dof), expected, rtol=1e-10, atol=1e-12)
    assert log_chi_square_tail(1300, 1) > log(1e-290) > log_chi_square_tail(1400, 1)


def test_tails_of_underflowing_probabilities_stay_in_order():
    rng = np.random.default_rng(12)
    x = rng.normal(size=20_000)
    data = pd.DataFrame({"x": x, "y": x + 0.01 * rng.normal(size=len(x)), "same": x})
    close, closest = independence(data, "x", "y"), independence(data, "x", "same")
    assert close.p_value == closest.p_value == 0
    assert -np.inf < closest.log_p_value < close.log_p_value < log(1e-300)
    assert log_chi_square_tail(0.0, 3) == 0
    assert log_chi_square_tail(0.0, 0) == 0


# Wrong input.


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (("x", "y", "z"), r"given must be a list of columns, got a string\. Try \['z'\]"),
        (("x", "x"), "x, y and given must differ, got 'x', 'x'"),
        (("x", "y", ["y"]), r"must differ, got 'x', 'y' and \['y'\]"),
        (("X", "y"), r"no column 'X'\. Did you mean x\?"),
        (("x", "y", ["zeta"]), "no column 'zeta'"),
        (("x", "dates"), "'dates' holds .*neither numbers nor categories"),
        (("x", "infinite"), "'infinite' holds 1 infinite number"),
        (("x", "empty"), "^0 complete rows are too few, this test needs 6"),
        (("x", "sparse"), "^4 complete rows are too few, this test needs 6. Condition on fewer"),
        (("x", "y", ["id"]), "40 complete rows are too few, this test needs 4[0-9].*rare levels"),
    ],
)
def test_wrong_questions(question, message):
    rng = np.random.default_rng(13)
    data = pd.DataFrame(rng.normal(size=(40, 3)), columns=["x", "y", "z"])
    data["dates"] = pd.date_range("2020-01-01", periods=40)
    data["infinite"] = [np.inf, *data["x"][1:]]
    data["empty"] = np.nan
    data["sparse"] = [*data["x"][:4], *[np.nan] * 36]
    data["id"] = [f"p{i}" for i in range(40)]
    with pytest.raises(DataError, match=message):
        independence(data, *question)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], r"one weight for each of 40 rows, got shape \(1,\)"),
        ([-1.0] * 40, "not negative; 40 of them are not"),
        ([1.0] * 39 + [np.nan], "finite and not negative; 1 of them"),
        ([0.0] * 40, "All weights are zero"),
    ],
)
def test_wrong_weights(weights, message):
    data = pd.DataFrame({"x": range(40), "y": range(40)})
    with pytest.raises(DataError, match=message):
        IndependenceTest(data, weights=weights)


def test_what_is_no_table():
    with pytest.raises(DataError, match="Got a str, need a pandas"):
        IndependenceTest("people.csv")
