"""Whether the reported strength is the one that matters; run: python benchmarks/confounding.py.

Worlds a → x → y, and u, a common cause of x and y (or of a and x) that nobody sees. For each
strength s of u, its partial R² with either node, there is a world in which the law of a, x and y is
the same and the true effect is what u leaves of it: with unit variances, slope - s / sqrt(1 - s).
So what is estimated without u is the same in all of these worlds, and so is the strength that is
reported. It is right if the true contribution (links that know u) crosses zero there.
"""

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from results import shown, write

import fairpath as fp
from fairpath.doubt import confounding

EDGES = {"x, y": "a -> x; x -> y; u -> x; u -> y", "a, x": "a -> x; x -> y; u -> x"}
SHIFT = 0.5
"""Half of what a adds to x where u is a cause of x and y."""


def drawn(pair: str, slope: float, strength: float, n: int, seed: int) -> pd.DataFrame:
    """Draw a world in which u has this strength and the estimated slope is always the same."""
    rng = np.random.default_rng([seed, n])
    u, e = rng.normal(size=(2, n))
    of_u = np.sqrt(strength / (1 - strength))
    effect = slope - strength / np.sqrt(1 - strength)
    e *= np.sqrt(1 - strength)
    if pair == "x, y":
        a = rng.integers(0, 2, n)
        rest = np.sqrt(1 - SHIFT**2 - strength)
        x = SHIFT * (2 * a - 1) + np.sqrt(strength) * u + rest * rng.normal(size=n)
        return pd.DataFrame({"a": a, "x": x, "y": effect * x + of_u * u + e, "u": u})
    # A normal cut at zero has 2 / pi of the R² of the whole.
    share = strength * np.pi / 2
    a = (np.sqrt(share) * u + np.sqrt(1 - share) * rng.normal(size=n) > 0).astype(int)
    x = effect * (2 * a - 1) + of_u * u + e
    return pd.DataFrame({"a": a, "x": x, "y": x + rng.normal(size=n), "u": u})


def contribution(table: pd.DataFrame, edges: str) -> fp.Explanation:
    """Explain y by a path through x, with linear links."""
    return fp.explain(
        lambda rows: rows["y"],
        table,
        graph=fp.CausalGraph.parse(edges),
        sensitive="a",
        inputs=["y"],
        output="score",
        links="linear",
        intervals=None,
    )


def rows_of(pair: str, slope: float, n: int, samples: int) -> Iterator[dict[str, Any]]:
    """Return a row for each strength: what is estimated, what is true, what is reported."""
    f2 = slope**2
    exact = (np.sqrt(f2**2 + 4 * f2) - f2) / 2
    unseen = EDGES[pair].split("; u")[0]
    for share in (0.0, 0.5, 0.8, 0.9, 1.0, 1.1, 1.2):
        found = []
        for seed in range(samples):
            table = drawn(pair, slope, share * exact, n, seed)
            without = contribution(table, unseen)
            known = contribution(table, EDGES[pair])
            links = confounding(without).pairs
            child = pair.split(", ")[1]
            (strength,) = (s.strength for p, s in links.items() if p.child == (child,))
            found.append(
                [*(one.contribution(one.paths).value for one in (without, known)), strength]
            )
        means, errors = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(samples)
        yield {
            "pair": pair,
            "slope": slope,
            "strength of u": share * exact,
            "without u": means[0],
            "with u": means[1],
            "error": errors[1],
            "reported": means[2],
            "closed form": exact,
        }


def crossing(rows: list[dict[str, Any]]) -> float:
    """Return the strength at which the contribution that knows u is zero."""
    strengths, values = (np.array([row[k] for row in rows]) for k in ("strength of u", "with u"))
    return float(np.interp(0.0, values[::-1], strengths[::-1]))


def main() -> None:
    """Print a line for each world, and where the true contribution crosses zero."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--slopes", type=float, nargs="+", default=[0.1, 0.3, 0.6])
    parser.add_argument("--out")
    asked = parser.parse_args()
    everything = []
    for pair in EDGES:
        for slope in asked.slopes:
            rows = shown(rows_of(pair, slope, asked.n, asked.samples))
            reported = np.mean([row["reported"] for row in rows])
            print(f"zero at {crossing(list(rows)):.3f}, reported {reported:.3f}")
            everything += rows
    write(everything, asked.out)


if __name__ == "__main__":
    main()
