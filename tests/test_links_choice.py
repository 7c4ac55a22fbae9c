"""From what a caller writes to a link, and what scikit-learn and known functions must be like."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from fairpath import links as public
from fairpath.errors import DataError
from fairpath.links import (
    AutoLink,
    EstimatorLink,
    ForestLink,
    Growth,
    KnownLink,
    LinearLink,
    Variable,
    link_for,
)
from fairpath.links.auto import _chosen
from fairpath.links.rows import Rows

SOURCES = (Variable("sex", 2, is_sensitive=True), Variable("job", 3), Variable("age"))
NUMBER, LEVELS = Variable("pay"), Variable("pay", 3)


def some_rows(n_rows=60):
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 2, n_rows), rng.integers(0, 3, n_rows), rng.normal(40, 9, n_rows)]
    parents = np.column_stack(columns).astype(float)
    return parents, parents @ [3, -1, 0.5] + rng.normal(size=n_rows)


def fit(link, values, *, target, parents=None, weights=None, seed=0):
    return link.fit(
        some_rows()[0] if parents is None else parents,
        values,
        sources=SOURCES,
        target=target,
        weights=np.ones(len(values)) if weights is None else weights,
        rng=np.random.default_rng(seed),
    )


def test_public_names():
    assert sorted(public.__all__) == [
        "AutoLink",
        "EstimatorLink",
        "FittedLink",
        "ForestLink",
        "Growth",
        "KnownLink",
        "LinearLink",
        "Link",
        "Links",
        "Variable",
        "link_for",
    ]
    assert all(hasattr(public, name) for name in public.__all__)


class LinkThatIsAnEstimator(BaseEstimator):
    def fit(self, parents, values, *, sources, target, weights, rng):
        raise NotImplementedError


def known(columns):
    return columns["age"]


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ("auto", AutoLink()),
        ("forest", ForestLink()),
        ("linear", LinearLink()),
        ({"pay": "forest", "job": "linear"}, ForestLink()),
        ({"job": "linear"}, AutoLink()),
        ({}, AutoLink()),
        (known, KnownLink(known)),
        ({"pay": known}, KnownLink(known)),
    ],
)
def test_what_can_be_given_as_links(links, expected):
    assert link_for(links, "pay") == expected


@pytest.mark.parametrize(
    "link",
    [
        ForestLink(Growth(n_trees=2)),
        LinearLink(),
        AutoLink(),
        KnownLink(known),
        EstimatorLink(LinearRegression()),
        LinkThatIsAnEstimator(),
    ],
)
def test_a_link_is_taken_as_it_is(link):
    assert link_for(link, "pay") is link
    assert link_for({"pay": link}, "pay") is link


@pytest.mark.parametrize(
    "estimator", [LinearRegression(), make_pipeline(StandardScaler(), LogisticRegression())]
)
def test_an_estimator_becomes_a_link(estimator):
    found = link_for({"pay": estimator}, "pay")
    assert isinstance(found, EstimatorLink)
    assert found.estimator is estimator


@pytest.mark.parametrize(
    "links",
    [
        "Forest",
        None,
        3,
        ForestLink,
        LinearRegression,
        object(),
        ["linear"],
        {"pay": {"pay": "auto"}},
    ],
)
def test_anything_else_is_refused(links):
    with pytest.raises(DataError, match=r"'pay' cannot be .*'auto', 'forest' or 'linear'.*scikit"):
        link_for(links, "pay")


# Estimators


def test_a_regressor_by_hand():
    parents, values = some_rows()
    fitted = fit(EstimatorLink(LinearRegression()), values, target=NUMBER)
    noise = fitted.abduct(parents, values, np.zeros((60, 2)))
    plain = np.column_stack([parents[:, 0], parents[:, 1] == 1, parents[:, 1] == 2, parents[:, 2]])
    model = LinearRegression().fit(plain, values)
    assert_allclose(noise[:, 0], values - model.predict(plain), atol=1e-10)
    linear = fit(LinearLink(), values, target=NUMBER)
    swapped = parents[::-1]
    assert_allclose(fitted.generate(swapped, noise), linear.generate(swapped, noise))


def test_a_classifier_by_hand():
    # Of two people with job 1, one has level 0 and one level 2; everybody else has level 2.
    parents = np.array([[0, 1.0, 0], [0, 1, 0], [0, 0, 0], [1, 2, 0]])
    fitted = fit(
        EstimatorLink(DecisionTreeClassifier()),
        np.array([0.0, 2, 2, 2]),
        target=Variable("pay", 4),
        parents=parents,
    )
    asked = np.array([[0, 1.0, 0], [0, 1, 0], [0, 0, 0], [1, 2, 0]])
    noise = np.array([[0.49], [0.51], [0.01], [0.99]])
    assert_array_equal(fitted.generate(asked, noise), [0, 2, 2, 2])
    found = fitted.abduct(parents, np.array([0.0, 2, 2, 2]), np.full((4, 2), 0.5))
    assert_allclose(found[:, 0], [0.25, 0.75, 0.5, 0.5])


def test_few_values_of_a_number_are_levels_of_a_classifier():
    parents, values = some_rows()
    few = np.where(values > np.median(values), 7.5, -2.0)
    fitted = fit(EstimatorLink(DecisionTreeClassifier(max_depth=1)), few, target=NUMBER)
    noise = fitted.abduct(parents, few, np.random.default_rng(0).random((60, 2)))
    found = fitted.generate(parents[::-1], noise)
    assert set(found) == {7.5, -2.0}


def test_parents_that_say_nothing_are_enough():
    fitted = EstimatorLink(LinearRegression()).fit(
        np.zeros((3, 1)),
        np.array([1.0, 2, 6]),
        sources=(Variable("planet", 1),),
        target=NUMBER,
        weights=np.ones(3),
        rng=np.random.default_rng(0),
    )
    assert_allclose(fitted.generate(np.zeros((1, 1)), np.zeros((1, 1))), 3)


def test_the_given_estimator_is_not_touched():
    estimator = RandomForestRegressor(3)
    fit(EstimatorLink(estimator), some_rows()[1], target=NUMBER)
    assert estimator.random_state is None
    assert not hasattr(estimator, "estimators_")


@pytest.mark.parametrize("wrap", [lambda model: model, make_pipeline])
def test_random_states_come_from_the_generator_unless_they_are_given(wrap):
    parents, values = some_rows()

    def generated(random_state, seed):
        link = EstimatorLink(wrap(RandomForestRegressor(3, random_state=random_state)))
        fitted = fit(link, values, target=NUMBER, seed=seed)
        return fitted.generate(parents, np.zeros((60, 1)))

    assert_array_equal(generated(None, 0), generated(None, 0))
    assert (generated(None, 0) != generated(None, 1)).any()
    assert_array_equal(generated(5, 0), generated(5, 1))


@pytest.mark.parametrize(
    "estimator",
    [
        DummyRegressor(),
        make_pipeline(DummyRegressor()),
        make_pipeline(make_pipeline(DummyRegressor())),
    ],
)
def test_weights_reach_the_estimator(estimator):
    values = np.array([1.0, 2, 4])
    fitted = fit(
        EstimatorLink(estimator),
        values,
        target=NUMBER,
        parents=np.zeros((3, 3)),
        weights=np.array([1.0, 1, 2]),
    )
    assert_allclose(fitted.generate(np.zeros((1, 3)), np.zeros((1, 1))), 11 / 4)


@pytest.mark.parametrize(
    "estimator", [KNeighborsRegressor(2), make_pipeline(StandardScaler(), KNeighborsRegressor(2))]
)
def test_unequal_weights_need_an_estimator_that_takes_them(estimator):
    _, values = some_rows()
    equal = np.where(np.arange(60) < 20, 0.0, 3.0)
    fit(EstimatorLink(estimator), values, target=NUMBER, weights=equal)
    unequal = np.where(np.arange(60) < 20, 1.0, 3.0)
    with pytest.raises(DataError, match=r"cannot be the link of 'pay'.*takes no sample_weight"):
        fit(EstimatorLink(estimator), values, target=NUMBER, weights=unequal)


def test_a_missing_number_is_drawn_by_a_logistic_law_of_its_own():
    parents, values = some_rows()
    values = np.where(parents[:, 0] == 1, np.nan, values)
    fitted = fit(EstimatorLink(LinearRegression()), values, target=NUMBER)
    noise = fitted.abduct(parents, values, np.random.default_rng(0).random((60, 2)))
    swapped = parents * [-1, 1, 1] + [1, 0, 0]
    found = fitted.generate(swapped, noise)
    assert_array_equal(np.isnan(found), swapped[:, 0] == 1)


@pytest.mark.parametrize(
    ("estimator", "target", "message"),
    [
        (LinearRegression(), LEVELS, "LinearRegression.*'pay'.*a classifier with predict_proba"),
        (RidgeClassifier(), LEVELS, "RidgeClassifier.*'pay'.*CalibratedClassifierCV"),
        (RidgeClassifier(), NUMBER, "RidgeClassifier.*'pay'.*CalibratedClassifierCV"),
        (DummyClassifier(), NUMBER, "DummyClassifier.*'pay'.*takes 60 values.*Use a regressor"),
        (KMeans(2), NUMBER, "KMeans.*'pay'.*neither a regressor nor a classifier"),
        (StandardScaler(), LEVELS, "StandardScaler.*'pay'.*neither a regressor nor a classifier"),
    ],
)
def test_estimators_that_cannot_serve_a_column_say_so(estimator, target, message):
    values = some_rows()[1] if target is NUMBER else np.arange(60.0) % 3
    with pytest.raises(DataError, match=message):
        fit(EstimatorLink(estimator), values, target=target)


def test_fifty_values_are_the_most_that_can_be_levels():
    parents = np.repeat(some_rows()[0], 3, axis=0)
    values = np.arange(180.0) % 51
    link = EstimatorLink(KNeighborsClassifier(1))
    with pytest.raises(DataError, match="51 values"):
        fit(link, values, target=NUMBER, parents=parents)
    fit(link, np.minimum(values, 49), target=NUMBER, parents=parents)


# Known functions


def test_a_known_number_by_hand():
    def pay(columns):
        return 100 * columns["sex"] + 10 * columns["job"] + columns["age"]

    fitted = fit(KnownLink(pay), np.zeros(60), target=NUMBER)
    noise = fitted.abduct(np.array([[1.0, 2, 5]]), np.array([126.0]), np.zeros((1, 2)))
    assert_array_equal(noise, [[1]])
    assert_array_equal(fitted.generate(np.array([[0.0, 1, 7]]), noise), [18])


def test_a_known_law_by_hand():
    def law(columns):
        first = np.where(columns["sex"] == 1, 0.5, 0.25)
        return np.column_stack([first, 1 - first, np.zeros(len(first))])

    fitted = fit(KnownLink(law), np.zeros(60), target=LEVELS)
    women, men = np.array([[1.0, 0, 0]] * 4), np.array([[0.0, 0, 0]] * 4)
    uniforms = np.column_stack([np.zeros(4), [0.25, 0.75, 0.25, 0.75]])
    noise = fitted.abduct(women, np.array([0.0, 0, 1, 1]), uniforms)
    assert_allclose(noise[:, 0], [0.125, 0.375, 0.625, 0.875])
    assert_array_equal(fitted.generate(men, noise), [0, 1, 1, 1])


@pytest.mark.parametrize(
    ("target", "function", "message"),
    [
        (NUMBER, lambda _: 0.0, r"'pay' must return the mean.*\(60,\).*\(\)"),
        (NUMBER, lambda c: c["age"][:, None], r"'pay' must return the mean.*\(60, 1\)"),
        (LEVELS, lambda c: c["age"], r"'pay' must return a probability.*\(60, 3\).*\(60,\)"),
        (LEVELS, lambda c: np.ones((len(c["age"]), 2)) / 2, r"'pay'.*\(60, 3\).*\(60, 2\)"),
        (LEVELS, lambda c: np.tile([1.5, -0.5, 0], (len(c["age"]), 1)), "'pay'.*none below zero"),
        (LEVELS, lambda c: np.tile([1, 1, 1], (len(c["age"]), 1)), "'pay'.*sum of one"),
        (LEVELS, lambda c: np.full((len(c["age"]), 3), np.nan), "'pay'.*sum of one"),
    ],
)
def test_what_a_known_function_must_return(target, function, message):
    parents, _ = some_rows()
    fitted = fit(KnownLink(function), np.zeros(60), target=target)
    with pytest.raises(DataError, match=message):
        fitted.abduct(parents, np.zeros(60), np.zeros((60, 2)))


def test_a_straight_link_must_be_clearly_better_than_the_bent_one():
    noise = np.random.default_rng(0).normal(size=100)
    mass = np.ones(100)
    assert _chosen({"line": noise - noise.mean(), "curves": noise - noise.mean() + 0.1}, mass) == (
        "line"  # the difference is the same in every row, so it is clear
    )
    noise = (noise - noise.mean()) / noise.std()  # its mean has the standard error 1 / 10
    straight = np.zeros(100)
    assert _chosen({"line": straight, "curves": noise + 0.19}, mass) == "curves"
    assert _chosen({"line": straight, "curves": noise + 0.21}, mass) == "line"
    assert _chosen({"line": straight, "curves": noise + 0.19, "forest": straight - 1}, mass) == (
        "forest"
    )
    # A weight of four is the same as four rows: the error is half as large.
    assert _chosen({"line": straight, "curves": noise + 0.19}, 4 * mass) == "line"


@pytest.mark.parametrize("step", [1.0, 0.001])
def test_a_number_that_repeats_takes_only_values_that_were_seen(step):
    rng = np.random.default_rng(0)
    parents = rng.normal(size=(400, 2))
    values = step * np.floor((4 * parents[:, 0] + rng.normal(size=400)) / step)
    repeats = len(np.unique(values)) * 5 < len(values)
    assert repeats == (step == 1)
    rows = Rows(parents, values, np.ones(400), (Variable("a"), Variable("b")), Variable("c"))
    fitted = rows.fit(AutoLink(), np.random.default_rng(1))
    noise = fitted.abduct(parents, values, rng.random((400, 2)))
    elsewhere = fitted.generate(parents[::-1] + 0.1, noise)
    assert (elsewhere != values).any()
    assert np.isin(elsewhere, values).all() == repeats


def test_a_known_function_that_fails_is_quoted():
    def wrong(columns):
        return columns["height"]

    with pytest.raises(
        DataError, match=r"'pay' failed with KeyError: 'height'. It is given .*'sex'"
    ):
        fit(KnownLink(wrong), some_rows()[1], target=NUMBER).abduct(
            some_rows()[0], some_rows()[1], np.zeros((60, 2))
        )


def test_an_estimator_that_fails_is_quoted():
    model = Lasso(alpha=-1.0)
    with pytest.raises(DataError, match=r"link of 'pay': its fit failed with .*alpha"):
        fit(EstimatorLink(model), some_rows()[1], target=NUMBER)
