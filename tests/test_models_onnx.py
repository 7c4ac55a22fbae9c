"""ONNX sessions: one tensor or one per column in; probabilities as numbers or dicts out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from fairpath.errors import DataError
from fairpath.models import inputs_of
from models_helpers import NUMERIC, OUTCOME, PEOPLE, answers, each_container, scored

onnxruntime = pytest.importorskip("onnxruntime")
skl2onnx = pytest.importorskip("skl2onnx")
data_types = pytest.importorskip("skl2onnx.common.data_types")

SINGLE = NUMERIC.to_numpy(dtype=np.float32)
LABELS = np.where(OUTCOME == 1, "yes", "no")


def session(model, types=None, **options):
    options = (
        {id(model if not hasattr(model, "steps") else model[-1]): options} if options else None
    )
    rows = None if types else SINGLE[:1]
    proto = skl2onnx.to_onnx(model, rows, initial_types=types, options=options)
    return onnxruntime.InferenceSession(
        proto.SerializeToString(), providers=["CPUExecutionProvider"]
    )


@each_container
@pytest.mark.parametrize("labels", [OUTCOME, LABELS, OUTCOME + 1], ids=["0/1", "words", "1/2"])
@pytest.mark.parametrize("zipmap", [True, False])
def test_one_tensor(container, labels, zipmap):
    model = LogisticRegression().fit(NUMERIC.to_numpy(), labels)
    converted = session(model, zipmap=zipmap)
    only = converted.get_inputs()[0].name
    answer = converted.run(None, {only: SINGLE})[1]
    first, second = model.classes_.tolist()
    expected = np.array([row[second] for row in answer]) if zipmap else answer[:, 1]
    assert inputs_of(converted) is None
    data = container(NUMERIC)
    assert_array_equal(answers(converted, data), expected.astype(np.float64))
    assert_allclose(answers(converted, data, favourable=first), 1 - expected, atol=1e-6)
    decided = answers(converted, data, output="decision", favourable=second)
    assert_array_equal(decided == 1, model.predict(NUMERIC.to_numpy()) == second)
    with pytest.raises(DataError, match=r"favourable='maybe' is no class of InferenceSession"):
        scored(converted, data, favourable="maybe")
    with pytest.raises(DataError, match=r"InferenceSession has no raw score"):
        scored(converted, data, output="score")


def each_column(age):
    return [
        ("job", data_types.StringTensorType([None, 1])),
        ("sex", data_types.StringTensorType([None, 1])),
        ("age", age([None, 1])),
        ("hours", data_types.FloatTensorType([None, 1])),
    ]


def by_columns(age):
    encode = ColumnTransformer(
        [("words", OneHotEncoder(), ["sex", "job"])], remainder="passthrough"
    )
    model = make_pipeline(encode, LogisticRegression(max_iter=5000)).fit(PEOPLE, OUTCOME)
    return model, session(model, each_column(age), zipmap=False)


@each_container
def test_one_tensor_for_each_column(container):
    model, converted = by_columns(data_types.FloatTensorType)
    assert inputs_of(converted) == ("job", "sex", "age", "hours")
    got = answers(converted, container(PEOPLE))
    assert_allclose(got, model.predict_proba(PEOPLE)[:, 1], atol=1e-5)
    assert got.std() > 0.1


def test_whole_numbers_are_not_cut():
    _, converted = by_columns(data_types.Int64TensorType)
    score, rows = scored(converted, PEOPLE)
    assert len(score(rows)) == len(PEOPLE)
    with pytest.raises(DataError, match=r"whole numbers in 'age', and was asked about 37.4"):
        score(rows | {"age": np.full(len(PEOPLE), 37.4)})


def test_words_where_the_model_takes_numbers():
    model = LogisticRegression().fit(NUMERIC.to_numpy(), OUTCOME)
    with pytest.raises(DataError, match=r"takes numbers only, and column 'job' holds words"):
        scored(session(model), PEOPLE, inputs=["age", "hours", "job"])
    _, converted = by_columns(data_types.FloatTensorType)
    data = PEOPLE.assign(hours=PEOPLE["job"])
    with pytest.raises(DataError, match=r"tensor\(float\) in 'hours', where the data has words"):
        scored(converted, data)


def test_the_number_of_columns():
    model = LogisticRegression().fit(NUMERIC.to_numpy(), OUTCOME)
    with pytest.raises(DataError, match=r"trained on 3 columns without names, and inputs names 2"):
        scored(session(model), NUMERIC, inputs=["age", "hours"])


def test_numbers_alone():
    model = LinearRegression().fit(NUMERIC.to_numpy(), OUTCOME / 2 + 0.25)
    converted = session(model)
    score, rows = scored(converted, NUMERIC, output="score")
    expected = converted.run(None, {"X": SINGLE})[0].ravel()
    assert_array_equal(score(rows), expected.astype(np.float64))
    assert score.is_bounded == bool(((expected >= 0) & (expected <= 1)).all())


def test_too_many_outputs():
    model = LogisticRegression().fit(NUMERIC.to_numpy(), LABELS)
    with pytest.raises(DataError, match=r"has the outputs output_label of type .*zipmap=False"):
        scored(session(model, zipmap="columns"), NUMERIC)


def test_three_classes():
    labels = np.digitize(NUMERIC["age"], [30, 50])
    model = LogisticRegression(max_iter=5000).fit(NUMERIC.to_numpy(), labels)
    converted = session(model, zipmap=False)
    with pytest.raises(DataError, match=r"Say which is favourable"):
        scored(converted, NUMERIC)
    expected = converted.run(None, {"X": SINGLE})[1][:, 2]
    assert_array_equal(answers(converted, NUMERIC, favourable=2), expected.astype(np.float64))
