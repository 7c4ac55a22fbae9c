"""Table 3: what each feature contributes on Nutrition, by two kinds of Shapley values."""

from functools import partial
from typing import Any

from fairpath.baselines import asv, isv
from fairpath.experiments import nutrition
from fairpath.experiments.contributions import BY, same_signs
from fairpath.experiments.experiment import Experiment, Found, Key, Row, Scale, summarised
from fairpath.experiments.pictures import contributions
from fairpath.experiments.protocol import splits
from fairpath.experiments.reproduce import main

CHI = {
    "χ1 economic status": (("poverty_index",), (0.0318, 0.0355)),
    "χ2 blood pressure": (
        ("diastolic_pressure", "pulse_pressure", "systolic_pressure"),
        (0.0141, 0.0129),
    ),
    "χ3 serum magnesium": (("serum_magnesium",), (0.0076, 0.0079)),
    "χ4 blood protein": (("serum_albumin", "serum_protein"), (0.0064, 0.0075)),
    "χ5 sedimentation rate": (("sedimentation_rate",), (0.0099, 0.0061)),
    "χ6 white and red cells": (("red_cells", "white_cells"), (-0.0077, -0.0082)),
}
"""The paper's sets of features, and what ISV and ASV give them."""

PAPER: dict[Key, tuple[float, ...]] = {
    (method, name): (printed[i],)
    for i, method in enumerate(("ISV", "ASV"))
    for name, (_, printed) in CHI.items()
}
FEW = 150
"""People explained in a quick run."""

ROUNDS = 2
"""Pairs of orders for each row, where sampling is needed."""


def run(scale: Scale) -> Found:
    """Explain the network on random divisions."""
    rows: list[Row] = []
    table = nutrition.table()
    for part in scale.counted(splits(table, scale), "nutrition_features"):
        model = part.model("mlp")
        people = part.test if scale.most_rows is None else part.test[:FEW]
        asks: tuple[tuple[str, Any], ...] = (("ISV", isv), ("ASV", partial(asv, graph=table.graph)))
        for method, ask in asks:
            found = ask(
                model,
                people,
                sensitive=table.sensitive,
                outcome=table.outcome,
                inputs=table.inputs,
                seed=part.seed,
                output="decision",
                rounds=ROUNDS,
                intervals=None,
                keep_rows=False,
            )
            carried = dict(
                zip((p.nodes[-1] for p in found.paths), found.contributions().values, strict=True)
            )
            for name, (features, _) in CHI.items():
                value = float(sum(carried[feature] for feature in features))
                rows.append(
                    {
                        "data": method,
                        "path": name,
                        "seed": part.seed,
                        "contribution": value,
                        "disparity": found.larger_disparity.value,
                    }
                )
    summary = summarised(rows, BY, "contribution", PAPER)
    return Found(rows, summary, same_signs(summary), lambda: contributions(summary))


EXPERIMENT = Experiment(
    "nutrition_features", "Features on Nutrition", "Table 3", nutrition.DIFFERS, run
)

if __name__ == "__main__":
    raise SystemExit(main(EXPERIMENT))
