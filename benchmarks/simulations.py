"""Populations whose mechanisms are known, for measuring what an explanation misses.

`mixed` and `steps` are small worlds of numbers, a binary and a category, with linear, smooth or
jumping mechanisms; `paper` is the design of the paper's efficiency experiment: ten linear features
in a random graph.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import fairpath as fp
from fairpath.datasets.synthetic import Outcome
from fairpath.links.coupled import Coupled

Columns = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class World:
    """A graph, its true links, and a way to draw people."""

    graph: fp.CausalGraph
    links: Mapping[str, Any]
    draw: Callable[[int, np.random.Generator], pd.DataFrame]
    inputs: tuple[str, ...]

    def truth(self, model: object, n: int, seed: int) -> dict[Any, float]:
        """Return each path's contribution, from many people and the true links."""
        people = self.draw(n, np.random.default_rng([seed, 77]))
        found = fp.explain(
            model,
            people,
            graph=self.graph,
            sensitive="a",
            inputs=self.inputs,
            links=dict(self.links),
            rounds=1,
            intervals=None,
            seed=seed,
        )
        return dict(zip(found.paths, found.contributions().values, strict=True))


def sigmoid(z: np.ndarray) -> np.ndarray:
    """Return the logistic function."""
    return 1 / (1 + np.exp(-z))


def paper(seed: int, outcome: Outcome) -> World:
    """Return the paper's ten features in a random graph."""
    people = fp.datasets.make_synthetic(outcome, 2, seed=seed)

    def draw(n: int, rng: np.random.Generator) -> pd.DataFrame:
        return people.draw(n, int(rng.integers(2**31)))

    return World(people.graph, people.links, draw, people.inputs)


def mixed(*, non_linear: bool) -> World:
    """Draw numbers x and w, a binary b and a category c between the attribute and a score."""
    graph = fp.CausalGraph.parse(
        "a -> x; z -> x; x -> b; a -> b; x -> c; a -> c; b -> w; x -> w; a -> w"
    )

    def mean_x(k: Columns) -> np.ndarray:
        bend = 0.6 * k["a"] * np.cos(2 * k["z"]) if non_linear else 0
        return 0.8 * k["a"] + 0.5 * k["z"] + bend

    def chance_b(k: Columns) -> np.ndarray:
        bend = 1.5 * np.sin(2 * k["x"]) if non_linear else 0
        p = sigmoid(-0.5 + 0.7 * k["x"] + 0.6 * k["a"] + bend)
        return np.column_stack([1 - p, p])

    def chance_c(k: Columns) -> np.ndarray:
        bend = np.abs(k["x"]) if non_linear else 0 * k["x"]
        q, r = 0.7 * k["x"] - 0.3 + bend, -0.5 * k["x"] + 0.8 * k["a"]
        chances = np.exp(np.column_stack([0 * k["x"], q, r]))
        return chances / chances.sum(axis=1, keepdims=True)

    def mean_w(k: Columns) -> np.ndarray:
        bend = np.tanh(2 * k["x"]) * (1 + k["b"]) if non_linear else 0.6 * k["x"]
        return bend - 0.5 * k["b"] + 0.4 * k["a"]

    def root(n: int, rng: np.random.Generator) -> np.ndarray:
        return rng.normal(size=n)

    return _small(graph, root, mean_x, chance_b, chance_c, mean_w)


def steps() -> World:
    """Draw the same columns where everything jumps: what a tree can say exactly."""
    graph = fp.CausalGraph.parse(
        "a -> x; z -> x; x -> b; a -> b; a -> c; b -> c; b -> w; c -> w; a -> w"
    )
    rng = np.random.default_rng(12)
    table_x, table_w = rng.normal(0, 0.8, (2, 4)), rng.normal(0, 0.8, (2, 2, 3))
    table_b, table_c = rng.uniform(0.15, 0.85, (2, 2)), rng.dirichlet(np.full(3, 2.0), (2, 2))

    def whole(column: np.ndarray) -> np.ndarray:
        return column.astype(int)

    def mean_x(k: Columns) -> np.ndarray:
        return table_x[whole(k["a"]), whole(k["z"])]

    def chance_b(k: Columns) -> np.ndarray:
        p = table_b[whole(k["a"]), whole(k["x"] > 0.3)]
        return np.column_stack([1 - p, p])

    def chance_c(k: Columns) -> np.ndarray:
        return table_c[whole(k["a"]), whole(k["b"])]

    def mean_w(k: Columns) -> np.ndarray:
        return table_w[whole(k["a"]), whole(k["b"]), whole(k["c"])]

    def root(n: int, rng: np.random.Generator) -> np.ndarray:
        return rng.integers(0, 4, n).astype(float)

    return _small(graph, root, mean_x, chance_b, chance_c, mean_w)


def _small(  # noqa: PLR0917 - one for each column
    graph: fp.CausalGraph,
    root: Callable[[int, np.random.Generator], np.ndarray],
    mean_x: Callable[[Columns], np.ndarray],
    chance_b: Callable[[Columns], np.ndarray],
    chance_c: Callable[[Columns], np.ndarray],
    mean_w: Callable[[Columns], np.ndarray],
) -> World:
    """Return the world of these mechanisms; numbers have normal noise."""

    def draw(n: int, rng: np.random.Generator) -> pd.DataFrame:
        k: dict[str, np.ndarray] = {"a": (rng.random(n) < 0.4).astype(float), "z": root(n, rng)}
        k["x"] = mean_x(k) + rng.normal(size=n)
        k["b"] = (rng.random(n) < chance_b(k)[:, 1]).astype(float)
        upper = np.cumsum(chance_c(k)[:, :-1], axis=1)
        k["c"] = (rng.random(n)[:, None] > upper).sum(axis=1).astype(float)
        k["w"] = mean_w(k) + rng.normal(size=n)
        table = pd.DataFrame(k).astype({"a": int, "b": bool})
        table["c"] = table["c"].map({0.0: "p", 1.0: "q", 2.0: "r"})
        return table

    links = {
        "x": fp.links.KnownLink(mean_x),
        "b": fp.links.KnownLink(chance_b),
        "c": CoupledLaw(chance_c),
        "w": fp.links.KnownLink(mean_w),
    }
    return World(graph, links, draw, ("z", "x", "b", "c", "w"))


def mixed_score(table: pd.DataFrame) -> np.ndarray:
    """Return the score of a model that reads all columns: interactions, but nothing trained."""
    c = table["c"].map({"p": 0.0, "q": 0.8, "r": -0.6}).to_numpy(dtype=float)
    b, x, w, z = (table[name].to_numpy(dtype=float) for name in "bxwz")
    return sigmoid(-0.4 + 0.5 * x + 0.6 * b + c + 0.4 * w - 0.3 * z + 0.4 * b * w)


@dataclass(frozen=True)
class CoupledLaw:
    """A known law of an unordered category, carried over by the coupling that changes least."""

    law: Callable[[Columns], np.ndarray]

    def fit(
        self,
        parents: np.ndarray,
        values: np.ndarray,
        *,
        sources: tuple[fp.links.Variable, ...],
        target: fp.links.Variable,
        weights: np.ndarray,
        rng: np.random.Generator,
    ) -> Coupled:
        """Note the names of the parents."""
        del parents, values, target, weights, rng
        names = [source.name for source in sources]
        return Coupled(lambda columns: self.law(dict(zip(names, columns.T, strict=True))))


WORLDS: Mapping[str, Callable[[], World]] = {
    "linear": lambda: mixed(non_linear=False),
    "smooth": lambda: mixed(non_linear=True),
    "steps": steps,
}
"""The small worlds; their model is `mixed_score`."""
