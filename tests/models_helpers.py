"""People in every kind of table, and a model asked about them the way the game asks."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fairpath.encoding import Encoding
from fairpath.frames import columns
from fairpath.models import inputs_of, score_of

N_ROWS = 300


def people():
    """Numbers with and without missing values, whole and not, and words; labels follow them."""
    rng = np.random.default_rng(0)
    sex = rng.choice(["f", "m"], N_ROWS)
    age = rng.integers(18, 70, N_ROWS)
    hours = rng.normal(40, 8, N_ROWS)
    job = rng.choice(["clerk", "driver", "nurse"], N_ROWS)
    pull = age / 10 + hours / 10 + 2 * (sex == "m") + 3 * (job == "nurse")
    outcome = (pull + rng.normal(0, 1, N_ROWS) > np.median(pull)).astype(int)
    return pd.DataFrame({"sex": sex, "age": age, "hours": hours, "job": job}), outcome


PEOPLE, OUTCOME = people()
NUMERIC = PEOPLE.assign(sex=(PEOPLE["sex"] == "m").astype(int)).drop(columns="job")


def as_polars(table):
    return pl.DataFrame({name: table[name].tolist() for name in table})


def as_arrow(table):
    return pa.table({name: table[name].tolist() for name in table})


CONTAINERS = [pd.DataFrame, as_polars, as_arrow]
each_container = pytest.mark.parametrize("container", CONTAINERS)


def encoded(data, sensitive="sex", others=()):
    """Return how columns are encoded, and the columns."""
    read = columns(data)
    encoding = Encoding.of([read, *(columns(other) for other in others)], sensitive)
    return encoding, encoding.encode(read)


def scored(model, data, *, inputs=None, sensitive="sex", others=(), **options):
    """Return a model's score and the rows to ask it about."""
    encoding, rows = encoded(data, sensitive, others)
    score = score_of(
        model,
        inputs=tuple(inputs or inputs_of(model) or rows),
        data=data,
        encoding=encoding,
        others=tuple(others),
        **{"output": "probability", "favourable": None, "threshold": 0.5} | options,
    )
    return score, rows


def answers(model, data, **options):
    """Return a model's answers about a table that was taken apart and put together again."""
    score, rows = scored(model, data, **options)
    return score(rows)
