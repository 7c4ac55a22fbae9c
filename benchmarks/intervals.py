"""Several ways to get intervals, on the same samples; run: python benchmarks/intervals.py.

Each is a way to choose rows that are explained again with links learned from them. Its cost is
counted in point estimates (rows explained again, over rows) and measured as a ratio of times.
"""

import argparse
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from interval_coverage import TRUTH_ROWS, covered
from joblib import Parallel, delayed
from scipy.stats import norm, t
from simulations import WORLDS, World, mixed_score

import fairpath as fp
from fairpath.study import Study, explained
from fairpath.uncertainty import Part, partitions, sizes

Divide = Callable[[Study, np.random.Generator], list[list[Part]]]


def disjoint(n_partitions: int, n_parts: int) -> Divide:
    """Divide the rows into parts, several times."""

    def divide(study: Study, rng: np.random.Generator) -> list[list[Part]]:
        return partitions(study.weights, study.strata, (n_partitions, n_parts), rng)

    return divide


def chosen(study: Study, rng: np.random.Generator) -> list[list[Part]]:
    """Divide the rows as `explain` does."""
    shape = sizes(study.n_rows, np.bincount(study.strata).min())
    return partitions(study.weights, study.strata, shape, rng)


def bootstrap(n_samples: int) -> Divide:
    """Draw as many rows as there are, with replacement."""

    def divide(study: Study, rng: np.random.Generator) -> list[list[Part]]:
        n = study.n_rows
        counts = rng.multinomial(n, np.full(n, 1 / n), size=n_samples).astype(float)
        return [[Part(np.flatnonzero(c > 0), c[c > 0]) for c in counts]]

    return divide


WAYS: dict[str, Divide] = {
    "parts, as chosen, and their shift": chosen,
    "parts, as chosen": chosen,
    "2 x 10 parts": disjoint(2, 10),
    "4 x 5 parts": disjoint(4, 5),
    "8 x 2 halves": disjoint(8, 2),
    "12 x 2 halves": disjoint(12, 2),
    "bootstrap, 10": bootstrap(10),
    "bootstrap, 25": bootstrap(25),
}


def one(world: World, links: str, n: int, seed: int) -> dict[str, tuple[list[Any], float, float]]:
    """Return for each way the intervals, the rows explained again, and the time, relatively."""
    warnings.simplefilter("ignore")
    people = world.draw(n, np.random.default_rng([seed, n]))
    start = time.process_time()
    found = fp.explain(
        mixed_score,
        people,
        graph=world.graph,
        sensitive="a",
        inputs=world.inputs,
        links=links,
        rounds=1,
        intervals=None,
        seed=seed,
    )
    point_time = time.process_time() - start
    study = found.study
    order = sorted(range(len(found.paths)), key=lambda i: str(study.game.players[i]))
    one_, other = (study.strata == k for k in (1, 0))

    def gaps(columns: np.ndarray, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        inside = [mask[rows] for mask in (one_, other)]
        means = [np.average(columns[i], axis=0, weights=weights[i]) for i in inside]
        return means[0] - means[1]

    def numbers(part: Part, key: tuple[int, ...]) -> np.ndarray:
        again = explained(study, part, key=key)
        return gaps(np.column_stack([again.paths[:, order], again.base]), *part)

    rows = np.column_stack([explained(study, study.whole).paths[:, order], found.base_values])
    value = gaps(rows, *study.whole)
    naive = np.sqrt(sum(rows[mask].var(axis=0, ddof=1) / mask.sum() for mask in (one_, other)))
    half = norm.ppf(0.975) * naive
    results = {"rows alone": (np.column_stack([value, value - half, value + half, naive]), 0, 0)}
    for name, divide in WAYS.items():
        start = time.process_time()
        divided = divide(study, np.random.default_rng([seed, 3]))
        deviations, shifts, cost, freedom = [], [], 0.0, 0
        for i, partition in enumerate(divided):
            parts = np.array([numbers(part, (seed, i, k)) for k, part in enumerate(partition)])
            g = len(parts)
            spread = g - 1 if name.startswith("bootstrap") else g * (g - 1) * len(divided)
            deviations.append((parts - parts.mean(axis=0)) / np.sqrt(spread))
            shifts.append((parts.mean(axis=0) - value) / max(1.0, np.sqrt(g) - 1))
            cost += sum(len(part.rows) for part in partition) / n
            freedom += g - 1
        if name.endswith("shift"):
            deviations.append(np.mean(shifts, axis=0)[None, :])
        error = np.sqrt((np.concatenate(deviations) ** 2).sum(axis=0))
        half = t.ppf(0.975, freedom) * error
        taken = (time.process_time() - start) / point_time
        results[name] = np.column_stack([value, value - half, value + half, error]), cost, taken
    return results


def main() -> None:
    """Print a line for each world, number of rows and way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, nargs="+", default=[500, 2000])
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--links", default="auto")
    parser.add_argument("--worlds", nargs="+", choices=list(WORLDS), default=list(WORLDS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out")
    asked = parser.parse_args()
    results = []
    for name in asked.worlds:
        world = WORLDS[name]()
        truth = world.truth(mixed_score, TRUTH_ROWS, 5)
        theta = np.array([truth[p] for p in sorted(truth, key=str)])
        for n in asked.n:
            work = (delayed(one)(world, asked.links, n, seed) for seed in range(asked.samples))
            runs = list(Parallel(asked.jobs)(work))
            for way in runs[0]:
                result = {
                    "world": name,
                    "links": asked.links,
                    "n": n,
                    "way": way,
                    "rows": float(np.mean([run[way][1] for run in runs])),
                    "time": float(np.median([run[way][2] for run in runs])),
                    **covered(np.array([run[way][0] for run in runs]), theta),
                }
                results.append(result)
                print(json.dumps(result), flush=True)
    if asked.out:
        Path(asked.out).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
