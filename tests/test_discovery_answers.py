"""The tests behind discovery: closed forms, level, and the same answers however they are asked."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.special import log_ndtr
from scipy.stats import binom, chi2, chi2_contingency

from fairpath import DataError
from fairpath.discovery import ByFunction, Question
from fairpath.discovery.counts import DiscreteTest
from fairpath.discovery.distinct import distinct
from fairpath.discovery.linear import LinearTest
from fairpath.discovery.mixed import MixedTest
from fairpath.frames import columns
from fairpath.independence import independence


def table(seed=0, rows=400, missing=0.0):
    """Return a, b, c with few levels, n, m numbers; everything depends on c."""
    rng = np.random.default_rng(seed)
    c = rng.choice(3, rows, p=[0.5, 0.3, 0.2])
    a = (c + rng.integers(0, 2, rows)) % 3
    n = c + rng.normal(size=rows)
    frame = pd.DataFrame(
        {
            "a": np.array(list("xyz"))[a],
            "b": np.where(rng.random(rows) < 0.2 + 0.2 * c, "yes", "no"),
            "c": np.array(list("pqr"))[c],
            "m": np.exp(n / 2 + rng.normal(size=rows)),
            "n": n.round(1),
        }
    )
    if missing:
        for name in ("a", "m"):
            frame[name] = frame[name].where(rng.random(rows) > missing, None)
    return frame


def made(kind, frame, weights=None, **options):
    names = sorted(frame.columns)
    read = columns(frame)
    weights = np.ones(len(frame)) if weights is None else weights
    listed, weights = distinct([read[name] for name in names], weights)
    return names, kind(listed, weights, **options)


def log_p(names, test, one, other, given=()):
    number = {name: i for i, name in enumerate(names)}
    pair = tuple(sorted((number[one], number[other])))
    listed = tuple(sorted(number[name] for name in given))
    return test.log_p_values([Question(listed, (pair,))])[0][0]


def every_question(names, largest=2):
    for one, other in combinations(names, 2):
        rest = [name for name in names if name not in (one, other)]
        for size in range(largest + 1):
            for given in combinations(rest, size):
                yield one, other, given


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_the_straight_mixed_test_is_that_of_independence(missing):
    frame = table(missing=missing)
    weights = np.random.default_rng(3).integers(0, 3, len(frame)).astype(float)
    names, test = made(MixedTest, frame, weights, straight=True)
    for one, other, given in every_question(names, 3):
        expected = independence_of(frame, one, other, given, weights)
        assert_allclose(log_p(names, test, one, other, given), expected, rtol=1e-6, atol=1e-9)


def independence_of(frame, one, other, given, weights):
    return independence(frame, one, other, given, weights=weights).log_p_value


def test_the_mixed_test_sees_what_bends_back():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 500))
    frame = pd.DataFrame({"x": x, "y": x**2 + z + rng.normal(size=500), "z": z})
    for given in ((), ("z",)):
        assert log_p(*made(MixedTest, frame), "x", "y", given) < -20
        assert log_p(*made(MixedTest, frame, straight=True), "x", "y", given) > -10


def test_two_numbers_are_tested_by_fishers_z():
    numbers = table(rows=200)[["m", "n"]].assign(k=lambda t: t["m"] + t["n"] ** 2)
    # A binary is a number too; a category may be given as well.
    for frame in (numbers, table(rows=200).assign(l=numbers["k"])):
        names, test = made(LinearTest.of, frame)
        for one, other, given in every_question(names, 2):
            if {"a", "c"} & {one, other}:
                continue
            both = pd.get_dummies(frame[[one, other]], drop_first=True).to_numpy(float)
            design = np.ones((200, 1))
            if given:
                dummies = pd.get_dummies(frame[list(given)], drop_first=True).to_numpy(float)
                design = np.column_stack([design, dummies])
            left = both - design @ np.linalg.lstsq(design, both, rcond=None)[0]
            r = np.corrcoef(left.T)[0, 1]
            z = np.sqrt(200 - design.shape[1] - 2) * np.arctanh(abs(r))
            assert_allclose(log_p(names, test, one, other, given), np.log(2) + log_ndtr(-z))


def test_a_category_is_tested_by_wilks_lambda():
    frame = table(rows=300)
    names, test = made(LinearTest.of, frame)
    for one, other, given in (("a", "n", ()), ("a", "c", ("n",)), ("a", "m", ("b", "c"))):
        blocks = [pd.get_dummies(frame[[n]], drop_first=True).to_numpy(float) for n in (one, other)]
        design = np.ones((300, 1))
        if given:
            dummies = pd.get_dummies(frame[list(given)], drop_first=True).to_numpy(float)
            design = np.column_stack([design, dummies])
        fit = [b - design @ np.linalg.lstsq(design, b, rcond=None)[0] for b in blocks]
        both = np.column_stack(fit)
        d, e = (b.shape[1] for b in blocks)
        # Wilks' lambda is the ratio of determinants of residual squares with and without the link.
        log_lambda = np.linalg.slogdet(both.T @ both)[1] - sum(
            np.linalg.slogdet(b.T @ b)[1] for b in fit
        )
        statistic = -(300 - design.shape[1] - (d + e + 1) / 2) * log_lambda
        found = log_p(names, test, one, other, given)
        assert_allclose(found, chi2.logsf(statistic, d * e), rtol=1e-8)


@pytest.mark.parametrize("dense", [True, False])
def test_counts_are_tested_by_pearson_in_strata(dense, monkeypatch):
    if not dense:
        monkeypatch.setattr("fairpath.discovery.counts.DENSE_CELLS", 0)
    frame = table()[["a", "b", "c"]].assign(d=lambda t: np.arange(len(t)) % 4)
    frame.loc[frame["d"] == 2, "b"] = "no"
    names, test = made(DiscreteTest, frame)
    for one, other, given in every_question(names):
        statistic, dof = 0.0, 0
        strata = [group for _, group in frame.groupby(list(given))] if given else [frame]
        for stratum in strata:
            cross = pd.crosstab(stratum[one], stratum[other])
            if min(cross.shape) > 1:
                found = chi2_contingency(cross, correction=False)
                statistic, dof = statistic + found.statistic, dof + found.dof
        expected = chi2.logsf(statistic, dof)
        assert_allclose(log_p(names, test, one, other, given), expected, rtol=1e-8, atol=1e-12)


def test_few_and_many_cells_agree_with_missing_values_and_weights(monkeypatch):
    frame = table(missing=0.3)[["a", "b", "c"]]
    weights = np.random.default_rng(1).integers(0, 4, len(frame)).astype(float)
    names, dense = made(DiscreteTest, frame, weights)
    expected = {q: log_p(names, dense, *q) for q in every_question(names)}
    repeated = frame.loc[frame.index.repeat(weights.astype(int))]
    monkeypatch.setattr("fairpath.discovery.counts.DENSE_CELLS", 0)
    _, sparse = made(DiscreteTest, frame, weights)
    _, complete = made(DiscreteTest, repeated.dropna())
    _, without = made(DiscreteTest, repeated.assign(a=repeated["b"]))
    for (one, other, given), value in expected.items():
        assert_allclose(log_p(names, sparse, one, other, given), value)
        # Rows without a value of a count wherever a takes no part.
        same = complete if "a" in (one, other, *given) else without
        assert_allclose(log_p(names, same, one, other, given), value)


KINDS = {"mixed": MixedTest, "linear": LinearTest.of, "discrete": DiscreteTest}


@pytest.mark.parametrize("kind", KINDS)
def test_answers_do_not_depend_on_company_or_the_order_of_rows(kind):
    frame = table(2)
    if kind == "discrete":
        frame = frame[["a", "b", "c"]]
    names, test = made(KINDS[kind], frame)
    _, other = made(KINDS[kind], frame.sample(frac=1, random_state=1))
    pairs = list(combinations(range(len(names)), 2))
    questions = [
        Question((given,), tuple(pair for pair in pairs if given not in pair))
        for given in range(len(names))
    ]
    together = test.log_p_values(questions)
    shuffled = other.log_p_values(questions)
    for question, answers, again in zip(questions, together, shuffled, strict=True):
        assert np.array_equal(answers, again, equal_nan=True)
        for pair, answer in zip(question.pairs, answers, strict=True):
            alone = test.log_p_values([Question(question.given, (pair,))])[0][0]
            assert_allclose(alone, answer, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_weight_is_so_many_rows(kind):
    frame = table(4, 150)
    if kind == "discrete":
        frame = frame[["a", "b", "c"]]
    weights = np.random.default_rng(1).integers(0, 4, len(frame)).astype(float)
    names, test = made(KINDS[kind], frame, weights)
    _, repeated = made(KINDS[kind], frame.loc[frame.index.repeat(weights.astype(int))])
    for one, other, given in every_question(names, 1):
        expected = log_p(names, repeated, one, other, given)
        assert log_p(names, test, one, other, given) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_the_level_is_kept(kind):
    """Two columns that depend on a third alone, tested given it."""
    p_values = []
    for seed in range(160):
        rng = np.random.default_rng([5, seed])
        z = rng.choice(3, 300)
        noise = rng.normal(size=(2, 300))
        if kind == "discrete":
            frame = pd.DataFrame({"x": z + noise[0] > 1, "y": (z + noise[1]).round().clip(0, 2)})
        elif kind == "linear":
            frame = pd.DataFrame({"x": z + noise[0], "y": np.digitize(z + noise[1], [0, 1, 2])})
            frame["y"] = frame["y"].astype(str)
        else:
            frame = pd.DataFrame({"x": (z == 1) * (2 + noise[0]), "y": np.exp(z + noise[1])})
        frame["z"] = np.array(list("abc"))[z]
        p_values.append(np.exp(log_p(*made(KINDS[kind], frame), "x", "y", ("z",))))
    for alpha in (0.01, 0.05, 0.2):
        low, high = binom.interval(0.9999, len(p_values), alpha)
        assert low <= (np.array(p_values) < alpha).sum() <= high


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_left_with_nothing_is_not_answered(kind):
    frame = pd.DataFrame({"a": list("xyxy") * 20, "b": list("xxyy") * 20})
    frame["both"] = frame["a"] + frame["b"]
    names, test = made(KINDS[kind], frame)
    assert np.isnan(log_p(names, test, "a", "b", ("both",)))
    assert log_p(names, test, "a", "both", ("b",)) < -20


def test_the_linear_test_bears_columns_that_add_up():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"])
    frame["sum"] = frame["a"] + frame["b"]
    frame["y"] = frame["sum"] + rng.normal(size=200)
    names, test = made(LinearTest.of, frame)
    assert np.isnan(log_p(names, test, "sum", "y", ("a", "b")))
    # A column that adds nothing to what is given changes but one degree of freedom.
    frame["x"] = frame["y"] + rng.normal(size=200)
    names, test = made(LinearTest.of, frame)
    twice = log_p(names, test, "x", "y", ("a", "b", "sum"))
    assert_allclose(twice, log_p(names, test, "x", "y", ("a", "b")), rtol=0.02)


def test_columns_of_many_values_cannot_be_counted():
    frame = pd.DataFrame({"age": np.arange(200.0), "b": list("xy") * 100})
    with pytest.raises(DataError, match="'age' has 200 distinct values"):
        made(DiscreteTest, frame)


def test_a_function_is_asked_with_names():
    calls = []

    def asked(*question):
        calls.append(question)
        return 0.25

    test = ByFunction(("a", "b", "c"), asked)
    found = test.log_p_values([Question((1,), ((0, 2),))])
    assert calls == [("a", "c", ("b",))]
    assert_allclose(found[0], [np.log(0.25)])


def test_rows_are_merged_only_if_weights_count_them():
    frame = pd.DataFrame({"a": list("xxyy"), "b": list("pppq")})
    read = list(columns(frame).values())
    _, weights = distinct(read, np.array([1.0, 2.0, 0.0, 4.0]))
    assert weights.tolist() == [3.0, 4.0]
    _, weights = distinct(read, np.array([0.5, 1.0, 0.0, 4.0]))
    assert weights.tolist() == [0.5, 1.0, 4.0]
