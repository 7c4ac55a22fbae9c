"""Models trained on the spot."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fairpath as fp
from fairpath.training import GRIDS, trained

KINDS = ("mlp", "xgboost", "logistic")
INPUTS = ("x", "missing", "yes", "town")


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    n = 600
    x, yes = rng.normal(size=n), rng.random(n) < 0.5
    town = rng.choice(["a", "b", "c"], n)
    missing = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n))
    y = (x + yes + (town == "c") + rng.normal(size=n) > 1).astype(int)
    return pd.DataFrame({"x": x, "missing": missing, "yes": yes, "town": town, "y": y})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tune", [False, True])
def test_models_learn_from_mixed_columns_with_gaps(kind, tune, people):
    model = trained(kind, people, inputs=INPUTS, outcome="y", hidden=4, trees=20, tune=tune)
    accuracy = (model.predict(people[list(INPUTS)]) == people["y"]).mean()
    assert accuracy > max(people["y"].mean(), 1 - people["y"].mean()) + 0.1
    if tune:
        chosen = model.get_params()
        assert all(chosen[name] in values for name, values in GRIDS[kind].items())
    unseen = people[list(INPUTS)][:2].assign(town=["a", "elsewhere"])
    assert np.isfinite(model.predict_proba(unseen)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_the_seed_decides_and_polars_gives_the_same(kind, people):
    asked = {"inputs": INPUTS, "outcome": "y", "hidden": 4, "trees": 20, "seed": 5}
    one, again = (trained(kind, people, **asked) for _ in range(2))
    rows = people[list(INPUTS)]
    assert np.array_equal(one.predict_proba(rows), again.predict_proba(rows))
    if kind == "mlp":
        other = trained(kind, people, **{**asked, "seed": 6})
        assert not np.array_equal(one.predict_proba(rows), other.predict_proba(rows))
    table = pl.from_pandas(people).with_columns(pl.col("missing").fill_nan(None))
    other = trained(kind, table, **asked)
    found = other.predict_proba(table.select(INPUTS))
    np.testing.assert_allclose(found, one.predict_proba(rows), atol=1e-6)


def test_wrong_input_is_refused(people):
    with pytest.raises(fp.DataError, match="kind must be one of"):
        trained("forest", people, inputs=INPUTS, outcome="y")
    with pytest.raises(fp.DataError, match="need a pandas, polars or pyarrow table"):
        trained("mlp", {"x": [1]}, inputs=INPUTS, outcome="y")
