"""Explain a model on the examples that ship with the package: ``python -m fairpath.demo``."""

from typing import Any

import numpy as np

from fairpath.datasets import Dataset, load_adult, load_compas
from fairpath.explain import explain
from fairpath.explanation import cut
from fairpath.vocabulary import FloatMatrix, FloatVector


def main() -> None:
    """Train a model on each example, and say through which paths it tells strata apart."""
    for train, test in (
        (load_adult("train"), load_adult("test")),
        (load_compas(), load_compas()),
    ):
        print(f"{test!r}\n")
        model = _trained(train)
        found = explain(
            model,
            test.data,
            graph=test.graph,
            sensitive=test.sensitive,
            outcome=test.outcome,
            inputs=test.inputs,
            output="decision",
        )
        print(f"{found!r}\n")
        print(f"what if the largest path were cut:\n{cut(found, found.paths[:1])!r}\n")
        for note in found.notes:
            print(f"note: {note}")
        print()


def _trained(train: Dataset) -> Any:  # noqa: ANN401 - a function of any table
    """Return gradient-boosted trees as a function of a table."""
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415 - slow to import

    def columns(table: Any) -> FloatMatrix:  # noqa: ANN401
        return np.column_stack([np.asarray(table[name], dtype=float) for name in train.inputs])

    outcome = np.asarray(train.data[train.outcome])
    model = HistGradientBoostingClassifier(max_iter=100, random_state=0)
    model.fit(columns(train.data), outcome)

    def probability(table: Any) -> FloatVector:  # noqa: ANN401
        return np.asarray(model.predict_proba(columns(table))[:, 1])

    return probability


if __name__ == "__main__":
    main()
