"""Table 4: what each path contributes on Nutrition, to the disparity and to utility."""

from fairpath.experiments import nutrition
from fairpath.experiments.contributions import Printed, concluded, path_rows
from fairpath.experiments.experiment import Experiment, Found, Row, Scale
from fairpath.experiments.protocol import splits
from fairpath.experiments.reproduce import main

PRESSURE = "{diastolic_pressure, pulse_pressure, systolic_pressure}"
PAPER: Printed = {
    "race → poverty_index → prediction": (0.0324, 0.0039),
    f"race → {PRESSURE} → prediction": (0.0126, 0.0009),
    "race → serum_magnesium → prediction": (0.0081, 0.0006),
    "race → {serum_albumin, serum_protein} → prediction": (0.0077, 0.0032),
    "race → sedimentation_rate → prediction": (0.0060, 0.0006),
    "race → poverty_index → sedimentation_rate → prediction": (0.0031, 0.0009),
    "race → {red_cells, white_cells} → prediction": (-0.0082, 0.0001),
}


def run(scale: Scale) -> Found:
    """Explain networks on random divisions, with our graph and with the paper's blocks."""
    rows: list[Row] = []
    table = nutrition.table()
    graphs = {"its blocks": nutrition.as_printed(), "our graph": table.graph}
    for part in scale.counted(splits(table, scale), "nutrition_paths"):
        model = part.model("mlp")
        for name, graph in graphs.items():
            found = part.explained(model, graph, output="decision", keep_rows=False)
            rows += path_rows(found, name, part.seed)
    return concluded(rows, PAPER)


EXPERIMENT = Experiment("nutrition_paths", "Paths on Nutrition", "Table 4", nutrition.DIFFERS, run)

if __name__ == "__main__":
    raise SystemExit(main(EXPERIMENT))
