"""Models of every kind answer as their own predict_proba, predict and decision_function do."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from fairpath.errors import DataError
from fairpath.models import check_answers, check_inputs, inputs_of, score_of
from models_helpers import (
    N_ROWS,
    NUMERIC,
    OUTCOME,
    PEOPLE,
    answers,
    as_polars,
    each_container,
    encoded,
    scored,
)

LABELS = np.where(OUTCOME == 1, "yes", "no")


def pipeline(model=None):
    encode = ColumnTransformer(
        [
            ("words", OneHotEncoder(), ["sex", "job"]),
            ("numbers", StandardScaler(), ["age", "hours"]),
        ]
    )
    return make_pipeline(encode, model or LogisticRegression())


def tree():
    return DecisionTreeClassifier(min_samples_leaf=20, random_state=0)


# Estimators


@each_container
def test_a_pipeline_gets_the_table_that_it_was_trained_on(container):
    data = container(PEOPLE)
    model = pipeline().fit(data, LABELS)
    assert inputs_of(model) == ("sex", "age", "hours", "job")
    assert_array_equal(answers(model, data), model.predict_proba(data)[:, 1])
    assert_array_equal(answers(model, data, output="score"), model.decision_function(data))
    decided = answers(model, data, output="decision")
    assert 0 < decided.sum() < N_ROWS
    assert_array_equal(decided == 1, model.predict(data) == "yes")


@each_container
def test_an_estimator_gets_its_columns_in_its_own_order(container):
    data = container(NUMERIC)
    model = tree().fit(data, OUTCOME)
    expected = model.predict_proba(data)[:, 1]
    assert len(set(expected)) > 3
    assert_array_equal(answers(model, data, inputs=["hours", "sex", "age"]), expected)


@each_container
def test_an_estimator_without_names_gets_an_array_and_does_not_warn(container):
    model = tree().fit(NUMERIC.to_numpy(), OUTCOME)
    expected = model.predict_proba(NUMERIC.to_numpy())[:, 1]
    data = container(NUMERIC)
    assert inputs_of(model) is None
    score, rows = scored(model, data, inputs=["sex", "age", "hours"])
    assert score.notes == ()
    assert_array_equal(score(rows), expected)


def test_a_pipeline_trained_on_an_array_of_words():
    encode = ColumnTransformer([("words", OneHotEncoder(), [0, 3])], remainder="passthrough")
    model = make_pipeline(encode, LogisticRegression(max_iter=5000))
    model.fit(PEOPLE.to_numpy(dtype=object), OUTCOME)
    expected = model.predict_proba(PEOPLE.to_numpy(dtype=object))[:, 1]
    assert_array_equal(answers(model, PEOPLE), expected)


def test_a_search_is_its_best_estimator():
    search = GridSearchCV(pipeline(), {"logisticregression__C": [0.1, 1.0]}, cv=2)
    search.fit(PEOPLE, OUTCOME)
    assert inputs_of(search) == tuple(PEOPLE.columns)
    assert_array_equal(answers(search, PEOPLE), search.predict_proba(PEOPLE)[:, 1])


def test_regressors():
    model = DecisionTreeRegressor(max_depth=3).fit(NUMERIC, NUMERIC["hours"] + OUTCOME)
    expected = model.predict(NUMERIC)
    score, rows = scored(model, NUMERIC, output="score")
    assert not score.is_bounded
    assert_array_equal(score(rows), expected)
    decided = answers(model, NUMERIC, output="decision", threshold=40)
    assert 0 < decided.sum() < N_ROWS
    assert_array_equal(decided == 1, expected > 40)
    with pytest.raises(
        DataError, match=r"Regressor has no probabilities. Use output='score' or outp"
    ):
        scored(model, NUMERIC)


def test_a_classifier_without_probabilities():
    model = pipeline(LinearSVC()).fit(PEOPLE, LABELS)
    decided = answers(model, PEOPLE, output="decision")
    assert_array_equal(decided == 1, model.predict(PEOPLE) == "yes")
    assert_array_equal(answers(model, PEOPLE, output="decision", favourable="no"), 1 - decided)
    assert_array_equal(answers(model, PEOPLE, output="score"), model.decision_function(PEOPLE))
    with pytest.raises(DataError, match=r"no probabilities.*'score'.*'decision'.*Calibrated"):
        scored(model, PEOPLE)
    with pytest.raises(DataError, match=r"threshold=0.7 has nothing to be compared with"):
        scored(model, PEOPLE, output="decision", threshold=0.7)


def test_a_classifier_without_a_raw_score():
    model = RandomForestClassifier(n_estimators=3, random_state=0).fit(NUMERIC, OUTCOME)
    with pytest.raises(
        DataError, match=r"RandomForestClassifier has no raw score. Use output='proba"
    ):
        scored(model, NUMERIC, output="score")


def test_an_outlier_detector_has_a_score_and_no_classes():
    model = IsolationForest(n_estimators=3, random_state=0).fit(NUMERIC)
    expected = model.decision_function(NUMERIC)
    assert_array_equal(answers(model, NUMERIC, output="score"), expected)
    with pytest.raises(DataError, match=r"does not name its classes"):
        scored(model, NUMERIC, output="decision")


class Rule:
    """A model without a library, which knows neither names nor classes."""

    def predict(self, table):
        return np.asarray(table["hours"]) > 40


class OldRule:
    def predict_proba(self, rows):
        over = rows.reshape(-1, 3)[:, 2] > 40
        return np.column_stack([~over, over])


@each_container
def test_objects_of_no_library(container):
    data = container(NUMERIC)
    expected = NUMERIC["hours"] > 40
    for output in ("probability", "decision", "score"):
        assert_array_equal(answers(Rule(), data, output=output), expected)
    score, rows = scored(OldRule(), data)
    assert_array_equal(score(rows), expected)
    assert len(score.notes) == 1


# Outputs


@pytest.mark.parametrize(
    ("labels", "first", "second"),
    [
        (OUTCOME, 0, 1),
        (OUTCOME + 1, 1, 2),
        (OUTCOME == 1, False, True),
        (LABELS, "no", "yes"),
        (LABELS.astype(object), "no", "yes"),
    ],
)
def test_the_favourable_class(labels, first, second):
    model = LogisticRegression().fit(NUMERIC, labels)
    probability = model.predict_proba(NUMERIC)
    assert_array_equal(answers(model, NUMERIC), probability[:, 1])
    assert_array_equal(answers(model, NUMERIC, favourable=second), probability[:, 1])
    assert_array_equal(answers(model, NUMERIC, favourable=first), probability[:, 0])
    raw = model.decision_function(NUMERIC)
    assert_array_equal(answers(model, NUMERIC, output="score", favourable=first), -raw)
    decided = answers(model, NUMERIC, output="decision", favourable=first)
    assert_array_equal(decided == 1, model.predict(NUMERIC) == first)
    with pytest.raises(DataError, match=f"favourable='maybe' is no class .* {first!r}, {second!r}"):
        scored(model, NUMERIC, favourable="maybe")


def test_one_of_three_classes():
    labels = np.digitize(NUMERIC["age"], [30, 50])
    model = LogisticRegression(max_iter=5000).fit(NUMERIC, labels)
    with pytest.raises(DataError, match=r"has the classes 0, 1, 2. Say which is favourable"):
        scored(model, NUMERIC)
    options = {"favourable": 2}
    assert_array_equal(answers(model, NUMERIC, **options), model.predict_proba(NUMERIC)[:, 2])
    raw = answers(model, NUMERIC, output="score", **options)
    assert_array_equal(raw, model.decision_function(NUMERIC)[:, 2])
    with pytest.raises(DataError, match=r"favourable='2' is no class"):
        scored(model, NUMERIC, favourable="2")


def test_a_model_with_one_class():
    model = DummyClassifier().fit(NUMERIC, np.zeros(N_ROWS))
    with pytest.raises(DataError, match=r"knows one class only"):
        scored(model, NUMERIC)


def test_the_threshold_moves_decisions():
    model = LogisticRegression().fit(NUMERIC, OUTCOME)
    probability = model.predict_proba(NUMERIC)[:, 1]
    for threshold in (0.2, np.float32(0.75)):
        decided = answers(model, NUMERIC, output="decision", threshold=threshold)
        assert 0 < decided.sum() < N_ROWS
        assert_array_equal(decided == 1, probability > threshold)
    at_one_answer = probability[0]
    decided = answers(model, NUMERIC, output="decision", threshold=at_one_answer)
    assert decided[0] == 0


@pytest.mark.parametrize("threshold", [0, 1, -0.2, 3.0])
def test_thresholds_of_probabilities_lie_between_0_and_1(threshold):
    model = LogisticRegression().fit(NUMERIC, OUTCOME)
    with pytest.raises(DataError, match=r"threshold must lie between 0 and 1"):
        scored(model, NUMERIC, output="decision", threshold=threshold)


@pytest.mark.parametrize("threshold", [np.nan, "0.5", None, True])
def test_thresholds_are_numbers(threshold):
    model = LogisticRegression().fit(NUMERIC, OUTCOME)
    with pytest.raises(DataError, match=r"threshold must be a number"):
        scored(model, NUMERIC, output="decision", threshold=threshold)


def test_unknown_outputs():
    with pytest.raises(DataError, match=r"output must be 'probability', 'decision' or 'score'"):
        scored(Rule(), NUMERIC, output="logit")


def test_what_is_bounded():
    model = LogisticRegression().fit(NUMERIC, OUTCOME)
    bounded = {
        output: scored(model, NUMERIC, output=output)[0].is_bounded
        for output in ("probability", "decision", "score")
    }
    assert bounded == {"probability": True, "decision": True, "score": False}
    assert scored(lambda table: table["age"] / 100, NUMERIC, output="score")[0].is_bounded
    assert not scored(lambda table: table["age"] / 30, NUMERIC, output="score")[0].is_bounded


# Functions


@each_container
def test_a_function_gets_a_table_of_the_callers_type(container):
    data = container(PEOPLE)
    kinds = set()

    def model(table):
        kinds.add(type(table))
        return (np.asarray(table["job"]) == "nurse") * 0.5 + np.asarray(table["age"]) / 200

    score, rows = scored(model, data)
    assert_array_equal(score(rows), (PEOPLE["job"] == "nurse") * 0.5 + PEOPLE["age"] / 200)
    assert kinds == {type(data)}
    assert score.notes == ()


@each_container
def test_a_function_of_an_array_is_given_one_and_a_note_says_so(container):
    score, rows = scored(lambda rows: rows.reshape(-1, 3)[:, 1] / 100, container(NUMERIC))
    assert_array_equal(score(rows), NUMERIC["age"] / 100)
    assert "refused a table" in score.notes[0]
    assert "sex, age, hours" in score.notes[0]


def test_a_function_that_refuses_both():
    def model(rows):
        raise TypeError(f"no {type(rows).__name__} please")

    with pytest.raises(DataError, match=r"no DataFrame please.*no ndarray please") as caught:
        scored(model, NUMERIC)
    assert isinstance(caught.value.__cause__, TypeError)


@pytest.mark.parametrize("names", [True, False])
def test_methods_of_an_estimator_are_asked_as_the_estimator_is(names):
    rows = NUMERIC if names else np.ascontiguousarray(NUMERIC)
    model = LogisticRegression().fit(rows, LABELS)
    inputs = ["hours", "sex", "age"] if names else ["sex", "age", "hours"]
    assert inputs_of(model.predict_proba) == (tuple(NUMERIC.columns) if names else None)
    score, encoded = scored(model.predict_proba, NUMERIC, inputs=inputs, favourable="no")
    assert score.notes == ()
    assert_array_equal(score(encoded), model.predict_proba(rows)[:, 0])
    raw = answers(model.decision_function, NUMERIC, inputs=inputs, output="score")
    assert_array_equal(raw, model.decision_function(rows))
    with pytest.raises(DataError, match=r"answers '(yes|no)' and the like, need numbers"):
        scored(model.predict, NUMERIC, inputs=inputs)


def test_two_columns_of_a_function_are_two_classes():
    def model(table):
        share = table["age"] / 100
        return np.column_stack([1 - share, share])

    share = NUMERIC["age"] / 100
    assert_array_equal(answers(model, NUMERIC), share)
    assert_array_equal(answers(model, NUMERIC, favourable=0), 1 - share)
    with pytest.raises(DataError, match=r"for one row add up to"):
        scored(lambda table: model(table) / 2, NUMERIC)


def test_a_function_does_not_know_what_favourable_means():
    score, rows = scored(lambda table: table["age"] / 100, NUMERIC, favourable="yes")
    assert_array_equal(score(rows), NUMERIC["age"] / 100)
    assert "does not name its classes: its answer is taken as the one for 'yes'" in score.notes[0]


@pytest.mark.parametrize(
    "wrap", [list, pl.Series, pd.Series, lambda v: v[:, None], lambda v: v.astype(object)]
)
def test_answers_in_many_shapes(wrap):
    expected = NUMERIC["age"].to_numpy() / 100
    assert_array_equal(
        answers(lambda table: wrap(table["age"].to_numpy() / 100), NUMERIC), expected
    )


def test_decisions_of_a_function():
    decided = answers(lambda table: table["age"], NUMERIC, output="decision", threshold=40)
    assert_array_equal(decided == 1, NUMERIC["age"] > 40)


# Errors


class Broken:
    """Trained on a few rows; answers as it is told to."""

    def __init__(self, answer):
        self.answer = answer

    def predict(self, table):
        return self.answer(table)


def test_nothing_to_call():
    with pytest.raises(DataError, match=r"Got a str, which answers nothing.*predict_proba"):
        scored("model.pkl", NUMERIC)


def test_a_class_instead_of_a_model():
    with pytest.raises(DataError, match=r"Got the class LogisticRegression, need a trained model"):
        scored(LogisticRegression, NUMERIC)


@pytest.mark.parametrize("output", ["probability", "decision", "score"])
@pytest.mark.parametrize(
    "model", [LogisticRegression(), LinearSVC(), RandomForestClassifier(), pipeline(), SVC()]
)
def test_models_that_are_not_trained(model, output):
    if isinstance(model, RandomForestClassifier) and output == "score":
        return
    with pytest.raises(DataError, match=r"not trained yet"):
        scored(model, PEOPLE, output=output)


def test_an_untrained_regressor():
    with pytest.raises(DataError, match=r"LinearRegression failed .* not trained yet: call"):
        scored(LinearRegression(), NUMERIC, output="score")


def test_a_model_that_fails_is_quoted():
    def answer(table):
        if len(table) < 10:
            raise RuntimeError("the weather is bad")
        return table["age"] / 100

    score, rows = scored(Broken(answer), NUMERIC)
    with pytest.raises(
        DataError, match=r"Broken failed on 3 rows with RuntimeError: the weath"
    ) as caught:
        score({name: values[:3] for name, values in rows.items()})
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_interrupts_pass():
    def answer(table):
        if len(table) < 10:
            raise KeyboardInterrupt
        return table["age"] / 100

    score, rows = scored(Broken(answer), NUMERIC)
    with pytest.raises(KeyboardInterrupt):
        score({name: values[:3] for name, values in rows.items()})


def test_categories_that_the_model_never_saw():
    model = pipeline().fit(PEOPLE[PEOPLE["job"] != "nurse"], OUTCOME[PEOPLE["job"] != "nurse"])
    with pytest.raises(DataError, match=r"ValueError: Found unknown categories \['nurse'\]"):
        scored(model, PEOPLE)


@pytest.mark.parametrize("output", ["probability", "decision", "score"])
def test_answers_that_are_no_number(output):
    def answer(table):
        return np.where(np.arange(len(table)) < 7, np.nan, 0.5)

    with pytest.raises(DataError, match=r"NaN or infinity for 7 of 300 rows"):
        scored(Broken(answer), NUMERIC, output=output)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda table: np.full(len(table) - 1, 0.5), r"shape \(299,\) about 300 rows"),
        (lambda _: 0.5, r"shape \(\) about 300 rows"),
        (lambda table: np.full((len(table), 3), 0.1), r"shape \(300, 3\), need one number per"),
        (lambda table: np.full((len(table), 1, 2), 0.5), r"shape \(300, 1, 2\), need"),
        (lambda table: table["age"], "which are no probabilities. Use output='score'"),
        (lambda table: -table["age"] / 100, "numbers from -0.69 to -0.18, which"),
        (lambda _: np.array([0.5, "a"] * 150, dtype=object), "answers what is no number"),
        (lambda table: ["a"] * len(table), "'a' and the like, need numbers"),
    ],
)
def test_answers_of_the_wrong_shape_or_size(answer, message):
    with pytest.raises(DataError, match=message):
        scored(Broken(answer), NUMERIC)


def test_rounding_does_not_make_a_probability_wrong():
    got = answers(lambda table: np.full(len(table), 1 + 1e-7), NUMERIC)
    assert_array_equal(got, 1.0)


def test_several_outcomes():
    both = np.column_stack([OUTCOME, 1 - OUTCOME])
    model = MultiOutputClassifier(tree()).fit(NUMERIC, both)
    with pytest.raises(DataError, match=r"predicts 2 outcomes at once"):
        scored(model, NUMERIC)
    with pytest.raises(DataError, match=r"shape \(300, 2\), need one number per row. If"):
        scored(LinearRegression().fit(NUMERIC, both), NUMERIC, output="score")


def test_columns_that_inputs_lacks_or_the_model_never_saw():
    model = tree().fit(NUMERIC, OUTCOME)
    with pytest.raises(DataError, match=r"also reads 'age', 'hours', which inputs lacks"):
        check_inputs(model, ("sex",))
    with pytest.raises(DataError, match=r"not trained on 'job'. It reads 'sex', 'age', 'hours'"):
        scored(model, PEOPLE, inputs=["sex", "age", "hours", "job"])
    blind = tree().fit(NUMERIC.to_numpy(), OUTCOME)
    with pytest.raises(DataError, match=r"trained on 3 columns without names, and inputs names 2"):
        scored(blind, NUMERIC, inputs=["sex", "age"])
    check_inputs(lambda table: table, ("anything",))


def test_no_inputs():
    model = DummyClassifier().fit(NUMERIC, OUTCOME)
    options = {"output": "score", "favourable": None, "threshold": 0.5}
    encoding, _ = encoded(NUMERIC)
    with pytest.raises(DataError, match=r"inputs is empty"):
        score_of(model, inputs=(), data=NUMERIC, encoding=encoding, **options)


def test_models_without_names():
    assert inputs_of(lambda table: table) is None
    assert inputs_of(object()) is None
    assert inputs_of(LogisticRegression()) is None
    assert inputs_of(pipeline()) is None


def test_no_rows_give_no_answers():
    score, rows = scored(tree().fit(NUMERIC, OUTCOME), NUMERIC)
    assert score({name: values[:0] for name, values in rows.items()}).shape == (0,)


def test_a_score_travels_to_another_process():
    score, rows = scored(pipeline().fit(PEOPLE, LABELS), PEOPLE, output="decision")
    assert_array_equal(pickle.loads(pickle.dumps(score))(rows), score(rows))  # noqa: S301


def test_only_inputs_are_read():
    score, rows = scored(tree().fit(NUMERIC, OUTCOME), NUMERIC)
    assert_array_equal(score(rows | {"other": np.zeros(1)}), score(rows))


# Equal answers


class Dice(BaseEstimator):
    def __init__(self, size):
        self.size = size
        self.rng = np.random.default_rng(0)

    def predict(self, table):
        return 0.5 + self.size * self.rng.random(len(table))


def test_a_model_that_answers_equal_rows_differently():
    score, rows = scored(Dice(0.1), NUMERIC)
    with pytest.warns(UserWarning, match=r"Dice does not answer equal rows equally") as caught:
        notes = check_answers(score, rows)
    assert notes == (str(caught[0].message),)
    assert "by up to 0.09" in notes[0]


class Rank:
    """Answers with the rank of a row in its batch, and a constant beside it."""

    def predict(self, table):
        return np.arange(len(table)) / 1000


def test_a_model_that_reads_the_batch():
    score, rows = scored(Rank(), NUMERIC)
    with pytest.warns(UserWarning, match=r"of 300 answers differ"):
        assert len(check_answers(score, rows)) == 1


@pytest.mark.parametrize("model", [Dice(1e-8), tree().fit(NUMERIC, OUTCOME)])
def test_rounding_is_no_difference(model):
    score, rows = scored(model, NUMERIC)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert check_answers(score, rows) == ()


def test_one_row_can_be_checked():
    score, rows = scored(tree().fit(NUMERIC, OUTCOME), NUMERIC)
    assert check_answers(score, {name: values[:1] for name, values in rows.items()}) == ()


def test_a_model_trained_on_one_library_reads_another():
    model = pipeline().fit(PEOPLE, LABELS)
    assert_array_equal(answers(model, as_polars(PEOPLE)), model.predict_proba(PEOPLE)[:, 1])
