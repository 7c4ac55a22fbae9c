"""Explain a model on the examples that ship with the package: ``python -m fairpath.demo``."""

from pathlib import Path
from typing import Any

import numpy as np

from fairpath import plots
from fairpath.datasets import Dataset, load_adult, load_compas
from fairpath.doubt import confounding, overlap, ranges
from fairpath.explain import explain
from fairpath.explanation import Explanation, cut
from fairpath.report import write_report
from fairpath.selection import Frontier, select_paths
from fairpath.vocabulary import FloatMatrix, FloatVector

FOLDER = Path("demo")
"""Where reports and pictures go, below the current folder."""

WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0)
MOST = 10


def main() -> None:
    """Train a model on each example, say what its paths carry, write a report."""
    FOLDER.mkdir(exist_ok=True)
    compas = load_compas()
    for train, test in ((compas, compas), (load_adult("train"), load_adult("test"))):
        print(f"{test!r}\n")
        found = explain(
            _trained(train),
            test.data,
            graph=test.graph,
            sensitive=test.sensitive,
            outcome=test.outcome,
            inputs=test.inputs,
            output="decision",
        )
        print(f"{found!r}\n")
        print(f"what if the largest path were cut:\n{cut(found, found.paths[:1])!r}\n")
        frontier = select_paths(found, fairness_weights=WEIGHTS)
        print(f"{frontier!r}\n")
        _write(test.name, found, frontier)
    print(f"Look at {FOLDER}/compas.html and {FOLDER}/adult.html.")


def _write(name: str, found: Explanation, frontier: Frontier) -> None:
    """Write the report and its pictures."""
    checks = [ranges(found), confounding(found), overlap(found)]
    write_report(found, FOLDER / f"{name}.html", frontier=frontier, checks=checks)
    for picture, ax in (
        ("paths", plots.bar(found, most=MOST)),
        ("graph", plots.graph(found, most=MOST)),
        ("selection", plots.path_matrix(frontier)),
    ):
        figure = ax.get_figure(root=True)
        assert figure is not None  # noqa: S101 - the plots made one
        figure.savefig(FOLDER / f"{name}-{picture}.png", dpi=120)


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
