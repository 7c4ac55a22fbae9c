"""Figure: how the contributions of two paths are spread over people, by stratum."""

from typing import Any

import numpy as np

from fairpath import plots
from fairpath.experiments import nutrition
from fairpath.experiments.experiment import Experiment, Found, Row, Scale
from fairpath.experiments.pictures import figure
from fairpath.experiments.protocol import split
from fairpath.experiments.reproduce import main

PATHS = ("race → poverty_index → prediction", "race → {red_cells, white_cells} → prediction")
"""A → χ1 → Ŷ and A → χ6 → Ŷ in the paper's words."""

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def run(scale: Scale) -> Found:
    """Explain the network's probabilities on one division, and look at two paths."""
    table = nutrition.table()
    part = split(table, 0, scale)
    found = part.explained(part.model("mlp"), nutrition.as_printed(), keep_rows=True)
    race = part.test[table.sensitive].to_numpy()
    rows: list[Row] = []
    for path in PATHS:
        phi = found.values[:, [str(p) for p in found.paths].index(path)]
        for level in (0, 1):
            inside = phi[race == level]
            rows.append(
                {
                    "path": path,
                    "race": level,
                    "people": len(inside),
                    "mean": float(inside.mean()),
                    **{f"q{q:g}": float(np.quantile(inside, q)) for q in QUANTILES},
                }
            )
    apart = "; ".join(
        f"{path}: mean {other['mean']:+.4f} for race 0, {white['mean']:+.4f} for race 1"
        for path, other, white in zip(PATHS, rows[::2], rows[1::2], strict=True)
    )

    def draw() -> Any:  # noqa: ANN401
        drawn, axes = figure(2, width=6.0)
        for path, ax in zip(PATHS, axes, strict=True):
            plots.histogram(found, path, ax=ax)
        return drawn

    return Found(rows, rows, apart, draw)


EXPERIMENT = Experiment(
    "nutrition_histograms",
    "Contributions to single predictions",
    "Figure with the histograms of φ",
    "One division; probabilities, since contributions to decisions are mostly zero. "
    + nutrition.DIFFERS,
    run,
)

if __name__ == "__main__":
    raise SystemExit(main(EXPERIMENT))
