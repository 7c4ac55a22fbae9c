"""Adult and COMPAS as the paper's authors prepared them, with the paper's models.

The environment variable FAIRPATH_DATA names a folder with the public files adult.data and
adult.test (UCI) and compas-scores-two-years.csv (ProPublica).
"""

import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import fairpath as fp
from fairpath.datasets import ExampleGraph

Model: TypeAlias = Any
"""A classifier of scikit-learn's kind."""

ADULT = (
    "age workclass weight education education_num marital_status occupation relationship race sex "
    "capital_gain capital_loss hours_per_week native_country income"
)


@dataclass(frozen=True)
class People:
    """Rows that train a model, rows that are explained, and the paper's size of the network."""

    name: str
    example: ExampleGraph
    train: pd.DataFrame
    test: pd.DataFrame
    hidden: int
    alpha: float

    def trained(self, kind: str, seed: int) -> Model:
        """Return the paper's "mlp" or "xgboost", trained."""
        rows = self.train.drop(columns=[self.example.sensitive, self.example.outcome])
        model = mlp(rows, self.hidden, self.alpha, seed) if kind == "mlp" else xgboost(seed)
        return fitted(model, rows, self.train[self.example.outcome])

    def explained(
        self, model: Model, data: pd.DataFrame | None = None, **options: object
    ) -> fp.Explanation:
        """Explain the model on the test rows, or on others."""
        return fp.explain(
            model,
            self.test if data is None else data,
            graph=self.example.graph,
            sensitive=self.example.sensitive,
            outcome=self.example.outcome,
            **options,
        )


def adult() -> People:
    """Return the files of UCI, which divide the rows once and for all."""
    train, test = (
        _adult(_file(name), skip) for name, skip in (("adult.data", 0), ("adult.test", 1))
    )
    return People("adult", fp.datasets.adult_graph(), train, test, hidden=16, alpha=0.1)


def compas(seed: int) -> People:
    """Return ProPublica's 7,214 rows, divided at random."""
    raw = pd.read_csv(_file("compas-scores-two-years.csv"))
    juvenile = ["juv_fel_count", "juv_misd_count", "juv_other_count"]
    table = pd.DataFrame(
        {
            "race": (raw["race"] == "Caucasian").astype(int),
            "sex": raw["sex"] == "Male",
            "age": raw["age"],
            **{name: raw[name] > raw[name].mean() for name in juvenile},
            "priors_count": np.log1p(raw["priors_count"]),
            "c_charge_degree": raw["c_charge_degree"] == "F",
            "no_recidivism": 1 - raw["two_year_recid"],
        }
    )
    train, test = train_test_split(table, test_size=0.3, random_state=seed)
    return People("compas", fp.datasets.compas_graph(), train, test, hidden=8, alpha=0.0001)


def mlp(rows: pd.DataFrame, hidden: int, alpha: float, seed: int) -> Model:
    """Return a network of one hidden layer; yes or no is two columns, numbers are scaled."""
    yes_or_no = [name for name in rows if rows[name].dtype == bool]
    numbers = [name for name in rows if name not in yes_or_no]
    columns = make_column_transformer(
        (StandardScaler(), numbers), (FunctionTransformer(_both), yes_or_no)
    )
    return make_pipeline(columns, MLPClassifier((hidden,), alpha=alpha, random_state=seed))


def xgboost(seed: int, trees: int = 1000) -> Model:
    """Return boosted trees that learn slowly: at a rate of 0.01 where there are 1,000."""
    from xgboost import XGBClassifier  # noqa: PLC0415 - optional

    return XGBClassifier(n_estimators=trees, learning_rate=10 / trees, random_state=seed, n_jobs=1)


def fitted(model: Model, rows: pd.DataFrame, outcome: pd.Series) -> Model:
    """Train a model; that the network would like more iterations is no news."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(rows, outcome)


def _adult(file: Path, skip: int) -> pd.DataFrame:
    raw = pd.read_csv(file, names=ADULT.split(), skipinitialspace=True, skiprows=skip)
    return pd.DataFrame(
        {
            "sex": (raw["sex"] == "Male").astype(int),
            "age": raw["age"],
            "workclass": raw["workclass"] == "Private",
            "education_num": raw["education_num"],
            "marital_status": raw["marital_status"] == "Married-civ-spouse",
            "relationship": raw["relationship"] == "Husband",
            "race": raw["race"] == "White",
            "hours_per_week": raw["hours_per_week"],
            # By name: the authors compared codes, which are others in the second file.
            "native_country": raw["native_country"] == "United-States",
            "income": raw["income"].str.startswith(">50K").astype(int),
        }
    )


def _both(yes: pd.DataFrame) -> np.ndarray:
    """Return a column for no and one for yes, for each column."""
    values = np.asarray(yes, dtype=np.float64)
    return np.hstack([1 - values, values])


def _file(name: str) -> Path:
    folder = os.environ.get("FAIRPATH_DATA")
    if folder is None or not (Path(folder) / name).exists():
        raise SystemExit(
            f"{name} is needed: set FAIRPATH_DATA to the folder that has it (now: {folder})."
        )
    return Path(folder) / name
