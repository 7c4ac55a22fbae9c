"""How far contributions are from the truth; run: python benchmarks/accuracy.py --graphs 20.

The design of the paper's efficiency experiment: ten features in a random graph, 10,000 rows, of
which 7,000 train a model and 3,000 are explained, with links learned from all of them. The truth
theta is the contribution in a large population with the true links. For each kind of link:

nrmse      |estimate - theta| / |theta|
floor      the same with the true links on the same rows: what explaining 3,000 people costs
link       |estimate - estimate with the true links| / |theta|: what estimating links adds
"""

import argparse
from collections.abc import Iterator

import numpy as np
import pandas as pd
from people import Model, fitted, mlp, xgboost
from results import shown, write
from simulations import World, paper

import fairpath as fp
from fairpath.links import Links

ROWS, TRAINED = 10_000, 7_000
OUTCOMES = ("S1", "S2", "crossed")


def model_of(kind: str, rows: pd.DataFrame, outcome: pd.Series, seed: int, trees: int) -> Model:
    """Train the network with 32 hidden units, or boosted trees."""
    model = mlp(rows, 32, 0.0001, seed) if kind == "mlp" else xgboost(seed, trees)
    return fitted(model, rows, outcome)


def estimated(world: World, model: Model, people: pd.DataFrame, links: Links, seed: int) -> dict:
    """Return the contribution of each path, from the rows that did not train the model."""
    found = fp.explain(
        model,
        people[TRAINED:],
        graph=world.graph,
        sensitive="a",
        inputs=world.inputs,
        links=links,
        links_from=people,
        intervals=None,
        seed=seed,
    )
    return dict(zip(found.paths, found.contributions().values, strict=True))


def compared(outcome: str, kind: str, seed: int, asked: argparse.Namespace) -> Iterator[dict]:
    """Yield a row for each kind of link, on one graph."""
    world = paper(seed, outcome)
    people = world.draw(ROWS, np.random.default_rng([seed, 1]))
    trained = people[:TRAINED]
    model = model_of(kind, trained[list(world.inputs)], trained["y"], seed, asked.trees)
    truth = world.truth(model, asked.population, seed)
    theta = np.array(list(truth.values()))

    def distance(one: dict, other: dict) -> float:
        gap = np.array([one[path] - other[path] for path in truth])
        return float(np.linalg.norm(gap) / np.linalg.norm(theta))

    known = estimated(world, model, people, dict(world.links), seed)
    for links in asked.links:
        found = known if links == "true" else estimated(world, model, people, links, seed)
        yield {
            "outcome": outcome,
            "model": kind,
            "links": links,
            "graph": seed,
            "paths": len(truth),
            "nrmse": distance(found, truth),
            "floor": distance(known, truth),
            "link": distance(found, known),
        }


def mean_rows(rows: list[dict]) -> Iterator[dict]:
    """Yield the means over graphs."""
    table = pd.DataFrame(rows)
    for key, cell in table.groupby(["outcome", "model", "links"], sort=False):
        yield {
            **dict(zip(["outcome", "model", "links"], key, strict=True)),
            "graphs": len(cell),
            "mean nrmse": float(cell["nrmse"].mean()),
            "worst": float(cell["nrmse"].max()),
            "mean floor": float(cell["floor"].mean()),
            "mean link": float(cell["link"].mean()),
        }


def main() -> None:
    """Print a row for each graph, model and kind of link, then their means."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", type=int, default=20)
    parser.add_argument("--outcomes", nargs="+", default=OUTCOMES, choices=OUTCOMES)
    parser.add_argument("--models", nargs="+", default=["mlp", "xgboost"])
    parser.add_argument("--links", nargs="+", default=["auto", "forest", "linear", "true"])
    parser.add_argument("--population", type=int, default=200_000)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--out")
    asked = parser.parse_args()
    rows = shown(
        row
        for outcome in asked.outcomes
        for kind in asked.models
        for seed in range(asked.graphs)
        for row in compared(outcome, kind, seed, asked)
    )
    write([*rows, *shown(mean_rows(rows))], asked.out)


if __name__ == "__main__":
    main()
