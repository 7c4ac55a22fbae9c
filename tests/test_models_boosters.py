"""XGBoost, LightGBM and CatBoost: estimators, native boosters, categories."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fairpath.errors import DataError
from fairpath.models import check_answers, inputs_of
from models_helpers import (
    NUMERIC,
    OUTCOME,
    PEOPLE,
    answers,
    as_arrow,
    as_polars,
    each_container,
    scored,
)

xgboost = pytest.importorskip("xgboost")
lightgbm = pytest.importorskip("lightgbm")

LABELS = np.where(OUTCOME == 1, "yes", "no")
NAMES = tuple(NUMERIC.columns)
THREE = np.digitize(NUMERIC["age"], [30, 50])
WITH_CATEGORIES = PEOPLE.astype({"sex": "category", "job": "category"})


def missing_some(table):
    return table.assign(hours=table["hours"].where(table.index % 7 != 0))


def xgb_classifier():
    return xgboost.XGBClassifier(n_estimators=5, max_depth=3, enable_categorical=True, n_jobs=1)


def lgb_classifier():
    return lightgbm.LGBMClassifier(n_estimators=5, num_leaves=8, verbose=-1, n_jobs=1)


def cat_classifier(**options):
    catboost = pytest.importorskip("catboost")
    options = {
        "iterations": 5,
        "verbose": 0,
        "allow_writing_files": False,
        "thread_count": 1,
    } | options
    return catboost.CatBoostClassifier(**options)


RAW = {
    xgb_classifier: {"output_margin": True},
    lgb_classifier: {"raw_score": True},
    cat_classifier: {"prediction_type": "RawFormulaVal"},
}
each_classifier = pytest.mark.parametrize("make", RAW)


@each_container
@each_classifier
def test_estimators(make, container):
    data = container(missing_some(NUMERIC))
    own = missing_some(NUMERIC) if make is cat_classifier else data
    model = make().fit(own, OUTCOME)
    assert inputs_of(model) == NAMES
    expected = np.asarray(model.predict_proba(own), dtype=np.float64)
    assert len(set(expected[:, 1])) > 5
    shuffled = {"inputs": NAMES[::-1]}
    assert_array_equal(answers(model, data, **shuffled), expected[:, 1])
    assert_array_equal(answers(model, data, favourable=0, **shuffled), expected[:, 0])
    raw = answers(model, data, output="score", **shuffled)
    assert_array_equal(raw, model.predict(own, **RAW[make]))
    assert raw.min() < 0
    decided = answers(model, data, output="decision", **shuffled)
    assert_array_equal(decided, model.predict(own))


@each_classifier
def test_estimators_without_names(make):
    rows = NUMERIC.to_numpy()
    model = make().fit(rows, OUTCOME)
    assert inputs_of(model) is None
    expected = np.asarray(model.predict_proba(rows)[:, 1], dtype=np.float64)
    assert_array_equal(answers(model, NUMERIC), expected)


@each_classifier
def test_words_as_classes(make):
    if make is xgb_classifier:
        pytest.skip("XGBoost takes numbers as classes only")
    model = make().fit(NUMERIC, LABELS)
    expected = np.asarray(model.predict_proba(NUMERIC), dtype=np.float64)
    assert_array_equal(answers(model, NUMERIC, favourable="no"), expected[:, 0])
    raw = model.predict(NUMERIC, **RAW[make])
    assert_array_equal(answers(model, NUMERIC, output="score", favourable="no"), -raw)


@each_classifier
def test_three_classes(make):
    model = make().fit(NUMERIC, THREE)
    with pytest.raises(DataError, match=r"has the classes 0, 1, 2"):
        scored(model, NUMERIC)
    expected = np.asarray(model.predict_proba(NUMERIC), dtype=np.float64)
    assert_array_equal(answers(model, NUMERIC, favourable=2), expected[:, 2])
    raw = model.predict(NUMERIC, **RAW[make])
    assert_array_equal(answers(model, NUMERIC, output="score", favourable=2), raw[:, 2])


CATEGORY_TABLES = {
    "pandas": WITH_CATEGORIES,
    "polars": as_polars(PEOPLE).with_columns(pl.col("sex", "job").cast(pl.Categorical)),
    "polars enum": as_polars(PEOPLE).with_columns(
        pl.col("sex").cast(pl.Enum(["m", "f"])),
        pl.col("job").cast(pl.Enum(["nurse", "driver", "clerk"])),
    ),
    "arrow": pa.table(
        {
            name: column.dictionary_encode() if pa.types.is_string(column.type) else column
            for name, column in zip(PEOPLE, as_arrow(PEOPLE).columns, strict=True)
        }
    ),
}
each_table = pytest.mark.parametrize("data", CATEGORY_TABLES.values(), ids=CATEGORY_TABLES)


@each_table
@each_classifier
def test_categories_of_a_model_that_was_trained_with_pandas(make, data):
    options = {"cat_features": ["sex", "job"]} if make is cat_classifier else {}
    model = make(**options).fit(WITH_CATEGORIES, OUTCOME)
    expected = np.asarray(model.predict_proba(WITH_CATEGORIES)[:, 1], dtype=np.float64)
    wrong = WITH_CATEGORIES.assign(job=WITH_CATEGORIES["job"].to_numpy()[::-1]).astype(
        {"job": "category"}
    )
    assert not np.array_equal(model.predict_proba(wrong)[:, 1], expected)
    assert_array_equal(answers(model, data), expected)


@each_table
def test_categories_of_native_boosters(data):
    model = xgb_classifier().fit(WITH_CATEGORIES, OUTCOME)
    expected = np.asarray(model.predict_proba(WITH_CATEGORIES)[:, 1], dtype=np.float64)
    assert inputs_of(model.get_booster()) == tuple(PEOPLE.columns)
    assert_array_equal(answers(model.get_booster(), data), expected)
    model = lgb_classifier().fit(WITH_CATEGORIES, OUTCOME)
    assert inputs_of(model.booster_) == tuple(PEOPLE.columns)
    assert_array_equal(answers(model.booster_, data), model.predict_proba(WITH_CATEGORIES)[:, 1])


def test_categories_that_are_numbers():
    data = NUMERIC.assign(age=pd.Categorical(NUMERIC["age"] // 10))
    model = lgb_classifier().fit(data, OUTCOME)
    assert_array_equal(answers(model.booster_, data), model.predict_proba(data)[:, 1])
    model = xgb_classifier().fit(data, OUTCOME)
    expected = np.asarray(model.predict_proba(data)[:, 1], dtype=np.float64)
    assert_array_equal(answers(model.get_booster(), data), expected)


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("objective", ["binary:logistic", "reg:logistic"])
def test_xgboost_booster(objective, named):
    rows = missing_some(NUMERIC) if named else missing_some(NUMERIC).to_numpy()
    matrix = xgboost.DMatrix(rows, OUTCOME)
    model = xgboost.train({"objective": objective, "max_depth": 3}, matrix, 5)
    assert inputs_of(model) == (NAMES if named else None)
    expected = model.predict(matrix).astype(np.float64)
    data, inputs = missing_some(NUMERIC), NAMES[::-1] if named else NAMES
    assert_array_equal(answers(model, data, inputs=inputs), expected)
    assert_allclose(answers(model, data, inputs=inputs, favourable=0), 1 - expected)
    margin = model.predict(matrix, output_margin=True)
    assert_array_equal(answers(model, data, inputs=inputs, output="score"), margin)
    with pytest.raises(DataError, match=r"favourable='yes' is no class of Booster. .* are 0, 1"):
        scored(model, data, inputs=inputs, favourable="yes")


def test_xgboost_objectives():
    def train(objective, labels=OUTCOME, **options):
        return xgboost.train(
            {"objective": objective} | options, xgboost.DMatrix(NUMERIC, labels), 5
        )

    rows = xgboost.DMatrix(NUMERIC)
    model = train("multi:softprob", THREE, num_class=3)
    assert_array_equal(answers(model, NUMERIC, favourable=1), model.predict(rows)[:, 1])
    model = train("multi:softmax", THREE, num_class=3)
    decided = answers(model, NUMERIC, favourable=1, output="decision")
    assert 0 < decided.sum() < len(decided)
    assert_array_equal(decided == 1, model.predict(rows) == 1)
    model = train("binary:hinge")
    assert_array_equal(answers(model, NUMERIC, output="decision"), model.predict(rows))
    model = train("binary:logitraw")
    assert_array_equal(answers(model, NUMERIC, output="score"), model.predict(rows))
    with pytest.raises(DataError, match=r"Booster has no decisions. Use output='score'"):
        scored(model, NUMERIC, output="decision")
    model = train("reg:squarederror", NUMERIC["hours"])
    assert_array_equal(answers(model, NUMERIC, output="score"), model.predict(rows))
    with pytest.raises(DataError, match=r"Booster has no probabilities"):
        scored(model, NUMERIC)
    model = train("binary:logistic", booster="gblinear")
    assert_array_equal(answers(model, NUMERIC), model.predict(rows))
    margin = model.predict(rows, output_margin=True)
    assert_array_equal(answers(model, NUMERIC, output="score"), margin)


def test_xgboost_regressor():
    model = xgboost.XGBRegressor(n_estimators=5).fit(NUMERIC, NUMERIC["hours"] + OUTCOME)
    assert_array_equal(answers(model, NUMERIC, output="score"), model.predict(NUMERIC))


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("loaded", [True, False])
def test_lightgbm_booster(named, loaded):
    rows = missing_some(NUMERIC) if named else missing_some(NUMERIC).to_numpy()
    options = {"objective": "binary", "verbose": -1, "num_leaves": 8, "num_threads": 1}
    model = lightgbm.train(options, lightgbm.Dataset(rows, OUTCOME), 5)
    if loaded:
        model = lightgbm.Booster(model_str=model.model_to_string())
    assert inputs_of(model) == (NAMES if named else None)
    inputs = NAMES[::-1] if named else NAMES
    data = missing_some(NUMERIC)
    expected = model.predict(rows)
    assert_array_equal(answers(model, data, inputs=inputs), expected)
    raw = answers(model, data, inputs=inputs, output="score")
    assert_array_equal(raw, model.predict(rows, raw_score=True))


def test_lightgbm_objectives():
    def train(objective, labels, **options):
        options |= {"verbose": -1, "num_leaves": 8, "num_threads": 1, "objective": objective}
        return lightgbm.train(options, lightgbm.Dataset(NUMERIC, labels), 5)

    model = train("multiclass", THREE, num_class=3)
    assert_array_equal(answers(model, NUMERIC, favourable=1), model.predict(NUMERIC)[:, 1])
    model = train("regression", NUMERIC["hours"])
    assert_array_equal(answers(model, NUMERIC, output="score"), model.predict(NUMERIC))
    with pytest.raises(DataError, match=r"Booster has no probabilities"):
        scored(model, NUMERIC)

    def own_objective(predicted, data):
        return predicted - data.get_label(), np.ones_like(predicted)

    # What it was trained for is not known, so its numbers are taken as they are.
    model = train(own_objective, OUTCOME)
    assert_array_equal(answers(model, NUMERIC, output="score"), model.predict(NUMERIC))


def test_catboost_without_the_estimator():
    catboost = pytest.importorskip("catboost")
    options = {"iterations": 5, "verbose": 0, "allow_writing_files": False}
    model = catboost.CatBoost({"loss_function": "Logloss"} | options).fit(NUMERIC, OUTCOME)
    assert inputs_of(model) == NAMES
    expected = model.predict(NUMERIC, prediction_type="Probability")
    assert_array_equal(answers(model, NUMERIC), expected[:, 1])
    assert_array_equal(answers(model, NUMERIC, output="score"), model.predict(NUMERIC))
    model = catboost.CatBoost({"loss_function": "RMSE"} | options).fit(NUMERIC, NUMERIC["hours"])
    assert_array_equal(answers(model, NUMERIC, output="score"), model.predict(NUMERIC))
    with pytest.raises(DataError, match=r"CatBoost has no probabilities"):
        scored(model, NUMERIC)


@each_classifier
def test_boosters_that_are_not_trained(make):
    with pytest.raises(DataError, match=r"not trained yet"):
        scored(make(), NUMERIC)


@each_classifier
def test_boosters_behind_other_steps(make):
    model = make_pipeline(StandardScaler().set_output(transform="pandas"), make())
    search = GridSearchCV(model, {"standardscaler__with_mean": [True]}, cv=2).fit(NUMERIC, OUTCOME)
    best = search.best_estimator_
    expected = np.asarray(search.predict_proba(NUMERIC)[:, 1], dtype=np.float64)
    assert_array_equal(answers(search, NUMERIC), expected)
    assert_array_equal(answers(search, NUMERIC, output="score"), best.predict(NUMERIC, **RAW[make]))


def test_a_model_that_is_no_booster_behind_a_pipeline_has_its_own_score():
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(NUMERIC, OUTCOME)
    assert_array_equal(answers(model, NUMERIC, output="score"), model.decision_function(NUMERIC))


@each_classifier
def test_threads_get_the_same_bits(make):
    model = make().fit(NUMERIC, OUTCOME)
    score, rows = scored(model, NUMERIC)
    parts = [{name: values[i : i + 40] for name, values in rows.items()} for i in range(0, 260, 20)]
    alone = [score(part) for part in parts]
    with ThreadPoolExecutor(4) as pool:
        for got, expected in zip(pool.map(score, parts), alone, strict=True):
            assert_array_equal(got, expected)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert check_answers(score, rows) == ()
