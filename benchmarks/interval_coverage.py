"""How often 95 % intervals contain the truth; run: python benchmarks/interval_coverage.py --n 2000.

Draws samples from the small worlds of `simulations`, explains each with the given links, and
counts the paths whose interval contains the contribution in the whole population (true links,
a million people). With --null the attribute is shuffled: no path should be found.
"""

import argparse
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from simulations import WORLDS, World, mixed_score

import fairpath as fp

TRUTH_ROWS = 1_000_000


def one(world: World, links: str, n: int, seed: int, *, null: bool) -> list[list[float]]:
    """Explain one sample; return value, low, high and standard error of each path."""
    warnings.simplefilter("ignore")
    people = world.draw(n, np.random.default_rng([seed, n]))
    if null:
        people["a"] = np.random.default_rng([seed, 1]).permutation(people["a"])
    found = fp.explain(
        mixed_score,
        people,
        graph=world.graph,
        sensitive="a",
        inputs=world.inputs,
        links=links,
        seed=seed,
        keep_rows=False,
    )
    by_path = {path: found.contribution([path]) for path in found.paths}
    listed = [by_path[path] for path in sorted(by_path, key=str)]
    return [[e.value, e.low, e.high, e.standard_error] for e in (*listed, found.remainder)]


def covered(runs: np.ndarray, truth: np.ndarray) -> dict[str, Any]:
    """Summarise samples: shape (samples, paths and the remainder, 4)."""
    paths, rest = runs[:, :-1], runs[:, -1]
    inside = (paths[..., 1] <= truth) & (truth <= paths[..., 2])
    spread = paths[..., 0].std(axis=0, ddof=1)
    error = np.sqrt((paths[..., 3] ** 2).mean(axis=0))
    return {
        "coverage": float(inside.mean()),
        "least": float(inside.mean(axis=0).min()),
        "by_path": inside.mean(axis=0).round(3).tolist(),
        "error_over_spread": (error / spread).round(2).tolist(),
        "bias_over_spread": ((paths[..., 0].mean(axis=0) - truth) / spread).round(2).tolist(),
        "remainder_covers_zero": float(((rest[:, 1] <= 0) & (rest[:, 2] >= 0)).mean()),
    }


def main() -> None:
    """Print a line for each world, kind of link and number of rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, nargs="+", default=[500, 2000, 10000])
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--links", nargs="+", default=["auto"])
    parser.add_argument("--worlds", nargs="+", choices=list(WORLDS), default=list(WORLDS))
    parser.add_argument("--null", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out")
    asked = parser.parse_args()
    results = []
    for name in asked.worlds:
        world = WORLDS[name]()
        truth = world.truth(mixed_score, TRUTH_ROWS, 5)
        theta = np.array([0.0 if asked.null else truth[p] for p in sorted(truth, key=str)])
        for links in asked.links:
            for n in asked.n:
                work = (
                    delayed(one)(world, links, n, seed, null=asked.null)
                    for seed in range(asked.samples)
                )
                runs = np.array(Parallel(asked.jobs)(work))
                result = {
                    "world": name,
                    "links": links,
                    "n": n,
                    "samples": asked.samples,
                    "null": asked.null,
                    **covered(runs, theta),
                    "truth": theta.round(4).tolist(),
                }
                results.append(result)
                print(json.dumps(result), flush=True)
    if asked.out:
        Path(asked.out).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
