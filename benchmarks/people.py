"""Adult and COMPAS as the paper's authors prepared them, with the paper's models."""

import warnings
from dataclasses import dataclass
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
    train, test = (fp.datasets.load_adult(part).data for part in ("train", "test"))
    return People("adult", fp.datasets.adult_graph(), train, test, hidden=16, alpha=0.1)


def compas(seed: int) -> People:
    """Return ProPublica's 7,214 rows, divided at random."""
    table = fp.datasets.load_compas(all_rows=True).data
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


def _both(yes: pd.DataFrame) -> np.ndarray:
    """Return a column for no and one for yes, for each column."""
    values = np.asarray(yes, dtype=np.float64)
    return np.hstack([1 - values, values])
