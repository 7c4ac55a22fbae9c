"""Models trained on the spot: the paper's networks and boosted trees, and logistic regression."""

import warnings
from typing import Any, Literal, TypeAlias, get_args

import narwhals as nw

from fairpath.errors import MissingExtraError
from fairpath.frames import as_frame
from fairpath.options import check_choice

Kind: TypeAlias = Literal["mlp", "xgboost", "logistic"]

GRIDS = {
    "mlp": {"model__alpha": [1e-4, 1e-2, 1e-1]},
    "xgboost": {"model__max_depth": [3, 6], "model__learning_rate": [0.03, 0.1]},
    "logistic": {"model__C": [0.01, 1.0, 100.0]},
}
"""What cross-validation chooses from."""

FOLDS = 3
HIDDEN, TREES = 16, 200


def trained(
    kind: Kind,
    data: object,
    *,
    inputs: tuple[str, ...],
    outcome: str,
    hidden: int = HIDDEN,
    trees: int = TREES,
    tune: bool = False,
    seed: int = 0,
) -> Any:  # noqa: ANN401 - a scikit-learn Pipeline
    """Train a classifier of the outcome: a scikit-learn Pipeline that takes such tables.

    Numbers are scaled, missing ones take the median; all other columns, also those of yes or no,
    become one column for each level. Boosted trees see numbers as they are.

    Parameters
    ----------
    kind
        ``"mlp"``: a network with one layer of ``hidden`` units; ``"xgboost"``: boosted ``trees``;
        ``"logistic"``: logistic regression.
    data
        A pandas or polars table.
    inputs, outcome
        The columns that the model reads, and the one it predicts.
    tune
        Whether penalty, depth and learning rate are chosen by cross-validation (log loss).
    seed
        Of all random numbers.
    """
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415 - slow to import
    from sklearn.model_selection import GridSearchCV  # noqa: PLC0415

    check_choice("kind", kind, get_args(Kind))
    frame = as_frame(data)
    model = pipeline(kind, frame.select(*inputs), hidden=hidden, trees=trees, seed=seed)
    if tune:
        model = GridSearchCV(model, GRIDS[kind], scoring="neg_log_loss", cv=FOLDS)
    with warnings.catch_warnings():
        # That the network would like more iterations is no news.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(frame.select(*inputs).to_native(), frame[outcome].to_numpy())
    return model.best_estimator_ if tune else model


def pipeline(
    kind: Kind,
    rows: nw.DataFrame[Any],
    *,
    hidden: int = HIDDEN,
    trees: int = TREES,
    seed: int = 0,
) -> Any:  # noqa: ANN401
    """Return the classifier for such columns, not trained."""
    from sklearn.compose import ColumnTransformer  # noqa: PLC0415
    from sklearn.impute import SimpleImputer  # noqa: PLC0415
    from sklearn.pipeline import Pipeline, make_pipeline  # noqa: PLC0415
    from sklearn.preprocessing import OneHotEncoder, StandardScaler  # noqa: PLC0415

    numbers = [name for name, kind in rows.schema.items() if kind.is_numeric()]
    others = [name for name in rows.columns if name not in numbers]
    scaled = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    columns = ColumnTransformer(
        [
            ("numbers", "passthrough" if kind == "xgboost" else scaled, numbers),
            ("levels", OneHotEncoder(handle_unknown="ignore", sparse_output=False), others),
        ]
    )
    return Pipeline([("columns", columns), ("model", _model(kind, hidden, trees, seed))])


def _model(kind: Kind, hidden: int, trees: int, seed: int) -> Any:  # noqa: ANN401
    if kind == "mlp":
        from sklearn.neural_network import MLPClassifier  # noqa: PLC0415

        return MLPClassifier((hidden,), random_state=seed)
    if kind == "xgboost":
        try:
            from xgboost import XGBClassifier  # noqa: PLC0415 - optional
        except ImportError as error:
            raise MissingExtraError("trees") from error
        return XGBClassifier(
            n_estimators=trees, max_depth=6, learning_rate=0.1, random_state=seed, n_jobs=1
        )
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    return LogisticRegression(max_iter=1000)
