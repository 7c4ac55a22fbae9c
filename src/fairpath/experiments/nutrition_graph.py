"""Figure: the graph of Nutrition with the seven paths that contribute most."""

from typing import Any

from fairpath import plots
from fairpath.experiments import nutrition
from fairpath.experiments.contributions import path_rows
from fairpath.experiments.experiment import Experiment, Found, Scale
from fairpath.experiments.protocol import split
from fairpath.experiments.reproduce import main

MOST = 7


def run(scale: Scale) -> Found:
    """Explain the network on one division."""
    part = split(nutrition.table(), 0, scale)
    found = part.explained(part.model("mlp"), nutrition.as_printed(), output="decision")
    rows = list(path_rows(found, "70/30", part.seed))
    carried = sum(row["contribution"] for row in rows[:MOST])
    share = carried / found.larger_disparity.value
    verdict = f"the {MOST} largest paths carry {share:.0%} of the disparity"

    def draw() -> Any:  # noqa: ANN401
        return plots.graph(found, most=MOST).figure

    return Found(rows, rows[:MOST], verdict, draw)


EXPERIMENT = Experiment(
    "nutrition_graph",
    "Graph of Nutrition with its top paths",
    "Figure with the PDAG of Nutrition",
    "One division. " + nutrition.DIFFERS,
    run,
)

if __name__ == "__main__":
    raise SystemExit(main(EXPERIMENT))
