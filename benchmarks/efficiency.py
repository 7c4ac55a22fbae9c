"""What no path carries on Adult and COMPAS; run: python benchmarks/efficiency.py.

The remainder is the disparity of v(∅), as a share of |Delta|; of the paper's networks and boosted
trees, hard decisions, links learned from the explained rows. Such a remainder is small by
construction, so beside it stands the cross-fitted one (five folds) with its z value, which is
that of a standard normal variable if the links are right.
"""

import argparse
from collections.abc import Iterator
from time import perf_counter

import numpy as np
import pandas as pd
from people import People, adult, compas
from results import shown, write

TARGETS = {
    ("adult", "mlp"): 0.01,
    ("adult", "xgboost"): 0.01,
    ("compas", "mlp"): 0.03,
    ("compas", "xgboost"): 0.03,
}


def explained(people: People, kind: str, seed: int, asked: argparse.Namespace) -> Iterator[dict]:
    """Yield a row for each kind of link, of one trained model."""
    model = people.trained(kind, seed)
    for links in asked.links:
        start = perf_counter()
        options = {"output": asked.output, "links": links, "seed": seed, "keep_rows": False}
        inside = people.explained(model, intervals=None, **options)
        row = {
            "data": people.name,
            "model": kind,
            "links": links,
            "seed": seed,
            "Delta": inside.disparity.value,
            "remainder": inside.remainder.value,
            "share": abs(inside.remainder.value / inside.disparity.value),
        }
        if asked.folds:
            crossed = people.explained(model, cross_fit=asked.folds, **options).remainder
            row["crossed"] = crossed.value
            row["z"] = crossed.value / crossed.standard_error
        yield {**row, "seconds": perf_counter() - start}


def mean_rows(rows: list[dict]) -> Iterator[dict]:
    """Yield the means over seeds, beside the targets."""
    table = pd.DataFrame(rows)
    for key, cell in table.groupby(["data", "model", "links"], sort=False):
        row = {
            **dict(zip(["data", "model", "links"], key, strict=True)),
            "seeds": len(cell),
            "mean Delta": float(cell["Delta"].mean()),
            "mean share": float(cell["share"].mean()),
            "worst": float(cell["share"].max()),
            "target": TARGETS[key[:2]],
        }
        if "z" in cell:
            row["mean z"] = float(cell["z"].mean())
            row["|z| < 2"] = f"{int((np.abs(cell['z']) < 2).sum())} of {len(cell)}"
        yield row


def main() -> None:
    """Print a row for each run, then their means."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="+", default=["adult", "compas"])
    parser.add_argument("--models", nargs="+", default=["mlp", "xgboost"])
    parser.add_argument("--links", nargs="+", default=["auto", "forest", "linear"])
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(5)))
    parser.add_argument("--folds", type=int, default=5, help="0: no cross-fitted remainder")
    parser.add_argument("--output", default="decision", choices=["decision", "probability"])
    parser.add_argument("--out")
    asked = parser.parse_args()
    rows = shown(
        row
        for data in asked.data
        for kind in asked.models
        for seed in asked.seeds
        for row in explained(adult() if data == "adult" else compas(seed), kind, seed, asked)
    )
    write([*rows, *shown(mean_rows(rows))], asked.out)


if __name__ == "__main__":
    main()
