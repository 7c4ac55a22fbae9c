"""Figure: the paths of Nutrition that are kept under each weight of fairness."""

from typing import Any

from fairpath import plots
from fairpath.experiments import nutrition
from fairpath.experiments.experiment import Experiment, Found, Row, Scale
from fairpath.experiments.protocol import split
from fairpath.experiments.reproduce import main
from fairpath.selection import select_paths

PRINTED = (0.0, 0.1, 1.0)
"""The λ that the paper's text is about: it keeps all paths, those through χ1 and χ6, none."""

WEIGHTS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def run(scale: Scale) -> Found:
    """Explain the network's decisions on one division, and select."""
    part = split(nutrition.table(), 0, scale)
    found = part.explained(part.model("mlp"), nutrition.as_printed(), output="decision")
    chosen = select_paths(found, fairness_weights=WEIGHTS, progress=scale.progress)
    rows: list[Row] = []
    for point in chosen.points:
        assert point.measured is not None  # noqa: S101 - the explanation knows its model
        rows.append(
            {
                "λ": point.fairness_weight,
                "kept": len(point.kept),
                "carried": sum(point.predicted.carried),
                "accuracy": point.measured.accuracy,
                "disparity": point.measured.decision_disparity[0],
                "paths": "; ".join(str(path) for path in point.kept),
            }
        )
    counts = {row["λ"]: row["kept"] for row in rows}
    told = ", ".join(f"{counts[weight]} at λ = {weight:g}" for weight in PRINTED)
    verdict = f"of {len(found.paths)} paths are kept {told}; in the paper all, two, none"

    def draw() -> Any:  # noqa: ANN401
        return plots.path_matrix(chosen).figure

    return Found(rows, rows, verdict, draw)


EXPERIMENT = Experiment(
    "selected_paths",
    "Paths that are kept",
    "Figure with the selected paths",
    "One division; λ weighs the paper's objective, in which the accuracy of this network gains "
    "little from any path. " + nutrition.DIFFERS,
    run,
)

if __name__ == "__main__":
    raise SystemExit(main(EXPERIMENT))
