"""What an explanation costs; run: python benchmarks/explain.py --part a b c.

a  Adult's 16,281 test rows and 26 paths, links fitted: how often the model is asked, seconds,
   and how many times longer it takes than the model itself needs for the rows it is asked about
b  rows per second beside shap's PermutationExplainer (100 background rows) on the same model
c  growth with rows and with paths, each explanation in a process of its own

One pair of orders for each row; points alone ("none") or with the default intervals ("refit").
"""

import argparse
import resource
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from time import perf_counter, process_time

import numpy as np
import pandas as pd
from people import Model, People, adult, fitted, mlp
from results import shown, write

import fairpath as fp

LINKS = ("forest", "linear", "auto")
BACKGROUND = 100
DENSE = ((3, 1.0), (5, 1.0), (7, 1.0), (9, 1.0), (10, 1.0), (12, 0.77))
"""Features, and which share of their pairs is joined."""


@dataclass
class Cost:
    """Seconds, and those of them in which the model answered."""

    cpu: float = 0.0
    wall: float = 0.0
    model_cpu: float = 0.0


@contextmanager
def measured(model: Model = None) -> Iterator[Cost]:
    """Measure what is done inside, and the answers of the given model."""
    cost = Cost()

    def watched(rows: pd.DataFrame) -> np.ndarray:
        begun = process_time()
        said = type(model).predict_proba(model, rows)
        cost.model_cpu += process_time() - begun
        return said

    if model is not None:
        model.predict_proba = watched
    wall, cpu = perf_counter(), process_time()
    try:
        yield cost
    finally:
        cost.wall, cost.cpu = perf_counter() - wall, process_time() - cpu
        if model is not None:
            del model.predict_proba


def fastest(
    people: People, model: Model, links: str, intervals: str | None, repeats: int
) -> tuple[fp.Explanation, Cost]:
    """Explain the test rows a few times, and return the least cost."""
    costs = []
    for _ in range(repeats):
        with measured(model) as cost:
            found = people.explained(model, links=links, rounds=1, intervals=intervals)
        costs.append(cost)
    return found, min(costs, key=lambda cost: cost.cpu)


def part_a(asked: argparse.Namespace) -> Iterator[dict]:
    """Yield a row for each model, kind of link and kind of interval."""
    people = adult()
    for kind in asked.models:
        model = people.trained(kind, 0)
        fastest(people, model, "linear", None, 1)  # loads what is loaded late
        for intervals in (None, "refit"):
            for links in asked.links:
                found, cost = fastest(people, model, links, intervals, asked.repeats)
                yield {
                    "model": kind,
                    "links": links,
                    "intervals": intervals or "none",
                    "paths": len(found.paths),
                    "asked/row": found.setting.evaluations / len(people.test),
                    "cpu s": cost.cpu,
                    "wall s": cost.wall,
                    "model cpu s": cost.model_cpu,
                    "own cpu s": cost.cpu - cost.model_cpu,
                    "cpu / model": cost.cpu / cost.model_cpu,
                }


def part_b(asked: argparse.Namespace) -> Iterator[dict]:
    """Yield rows per second, of shap and of each kind of link."""
    try:
        import shap  # noqa: PLC0415 - optional
    except ImportError:
        print("\npart b left out: it needs shap (pip install shap)")
        return
    people = adult()
    for kind in asked.models:
        model = people.trained(kind, 0)
        names = list(model.feature_names_in_)
        table = people.test[names].astype(float)
        background = people.train[names].astype(float).sample(BACKGROUND, random_state=0)

        def answer(rows: np.ndarray, model: Model = model, names: list[str] = names) -> np.ndarray:
            return model.predict_proba(pd.DataFrame(rows, columns=names))[:, 1]

        explainer = shap.explainers.Permutation(answer, background)
        one_pair = {"max_evals": 2 * len(names) + 1, "silent": True}
        explainer(table[:2], **one_pair)  # loads what is loaded late
        with measured() as cost:
            explainer(table[: asked.shap_rows], **one_pair)
        costs = [("shap", asked.shap_rows, cost)]
        for links in asked.links:
            _, cost = fastest(people, model, links, None, asked.repeats)
            costs.append((links, len(table), cost))
        peer = asked.shap_rows / costs[0][2].wall
        for name, n_rows, cost in costs:
            rate = n_rows / cost.wall
            yield {"model": kind, "of": name, "rows": n_rows, "rows/s": rate, "x shap": rate / peer}


def part_c(asked: argparse.Namespace) -> Iterator[dict]:
    """Yield a row for each number of rows, then one for each graph."""
    people = adult()
    model = people.trained("mlp", 0)
    # From a server that is small itself, so that the peak of a child is its own.
    with ProcessPoolExecutor(1, get_context("forkserver"), max_tasks_per_child=1) as own_process:
        for links in asked.links:
            for n_rows in asked.rows:
                yield own_process.submit(many_rows, people, model, links, n_rows).result()
        for links in asked.links:
            for n_features, density in DENSE:
                yield own_process.submit(many_paths, links, n_features, density).result()


def many_rows(people: People, model: Model, links: str, n_rows: int) -> dict:
    """Explain people like those of Adult: drawn again, no two of the same age or hours."""
    rng = np.random.default_rng(0)
    table = people.test.sample(n_rows, replace=True, random_state=0, ignore_index=True)
    for name in ("age", "hours_per_week"):
        table[name] += rng.uniform(-0.5, 0.5, n_rows)
    before = peak()
    with measured(model) as cost:
        found = people.explained(
            model, data=table, links=links, rounds=1, intervals=None, keep_rows=False
        )
    return {
        "rows": n_rows,
        **grown(links, found, cost, n_rows),
        "table MB": table.memory_usage().sum() / 1e6,
        "before MB": before,
        "peak MB": peak(),
    }


def many_paths(links: str, n_features: int, density: float, n_rows: int = 5000) -> dict:
    """Explain a network on a dense graph."""
    rng = np.random.default_rng(n_features)
    known = {"a": rng.integers(0, 2, n_rows).astype(float)}
    edges = []
    for i in range(n_features):
        name = f"x{i:02}"
        parents = [before for before in known if rng.random() < density]
        edges += [(parent, name) for parent in parents]
        known[name] = sum(known[parent] for parent in parents) / n_features**0.5
        known[name] = known[name] + rng.normal(size=n_rows)
    table = pd.DataFrame(known).astype({"a": int})
    inputs = table.drop(columns="a")
    score = inputs.sum(axis=1)
    model = fitted(mlp(inputs, 16, 0.0001, 0), inputs, (score > score.median()).astype(int))
    graph = fp.CausalGraph(edges, nodes=list(known))
    before = peak()
    with measured(model) as cost:
        found = fp.explain(
            model, table, graph=graph, sensitive="a", links=links, rounds=1, intervals=None,
            method="sampled", keep_rows=False,
        )  # fmt: skip
    return {
        "features": n_features,
        **grown(links, found, cost, n_rows),
        "us/row/path": 1e6 * cost.cpu / n_rows / len(found.paths),
        "before MB": before,
        "peak MB": peak(),
    }


def grown(links: str, found: fp.Explanation, cost: Cost, n_rows: int) -> dict:
    """Return what both kinds of growth are measured by."""
    return {
        "links": links,
        "paths": len(found.paths),
        "asked/row": found.setting.evaluations / n_rows,
        "cpu s": cost.cpu,
        "wall s": cost.wall,
        "model cpu s": cost.model_cpu,
        "us/row": 1e6 * cost.cpu / n_rows,
    }


def peak() -> float:
    """Return the most memory that this process had so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print a table for each part."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", nargs="+", default=["a", "b", "c"], choices=["a", "b", "c"])
    parser.add_argument("--models", nargs="+", default=["mlp", "xgboost"], help="of a and b")
    parser.add_argument("--links", nargs="+", default=list(LINKS))
    parser.add_argument("--repeats", type=int, default=3, help="of a and b: the fastest counts")
    parser.add_argument("--shap-rows", type=int, default=200)
    parser.add_argument(
        "--rows", type=int, nargs="+", default=[1000, 10_000, 100_000, 1_000_000], help="of c"
    )
    parser.add_argument("--out")
    asked = parser.parse_args()
    parts = {"a": part_a, "b": part_b, "c": part_c}
    found = {part: shown(parts[part](asked)) for part in asked.part}
    write([{"part": part, **row} for part, rows in found.items() for row in rows], asked.out)


if __name__ == "__main__":
    main()
