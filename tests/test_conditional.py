"""Disparities that look at the outcome: against the oracle, fairlearn, and worlds by hand."""

import random
from functools import lru_cache

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import fairpath as fp
from paper_oracle import Row, from_links, phi
from worlds import ErrorRate, chance, hired

NAMES = ["demographic_parity", "equal_opportunity", "equalized_odds", "accuracy_parity"]


def drawn_case(seed):
    """Draw a graph with an outcome, and what the model reads of it."""
    rng = random.Random(seed)
    nodes = list("ABCD")
    edges = [(u, v) for i, u in enumerate(nodes) for v in nodes[i + 1 :] if rng.random() < 0.6]
    causes = [node for node in nodes if rng.random() < 0.5]
    graph = fp.CausalGraph([*edges, *((cause, "Y") for cause in causes)], nodes=[*nodes, "Y"])
    return graph, [node for node in "ABCD" if rng.random() < (0.3 if node == "A" else 0.9)]


def playable(count):
    """List the first cases with as many players, relative to the outcome, as the oracle takes."""
    found, seed = [], 0
    while len(found) < count:
        graph, inputs = drawn_case(seed)
        if (
            inputs
            and 1 <= len(fp.arrange(graph, sensitive="A", inputs=inputs, given=["Y"]).players) <= 5
        ):
            found.append((graph, inputs, seed))
        seed += 1
    return found


CASES = playable(24)


def table_of(seed, n_strata, n=96):
    """Draw rows that have every stratum with either outcome; C is a category."""
    rng = np.random.default_rng(seed)
    a = np.arange(n) % n_strata
    b = a * rng.normal() + rng.normal(size=n)
    c = np.digitize(b + rng.normal(size=n), [-0.5, 0.8])
    d = b + a - c + rng.normal(size=n)
    y = (np.arange(n) // n_strata + (d > np.median(d))) % 2
    table = pd.DataFrame({"A": a, "B": b, "C": np.array(["p", "q", "r"])[c], "D": d, "Y": y})
    return table.sample(frac=1, random_state=seed)


def model_of(inputs):
    """Return a probability that is no sum over its inputs."""

    def model(rows):
        columns = [
            np.asarray(
                rows[n] if n != "C" else rows[n].map({"p": 0.2, "q": -1, "r": 2}), dtype=float
            )
            for n in inputs
        ]
        return 1 / (
            1 + np.exp(-np.sin(sum(columns)) * np.prod([1 + 0.3 * c for c in columns], axis=0))
        )

    return model


def by_plain_loops(found, outcome):
    """Return φ, f, v(∅) as they enter, and strata, of the rows with one outcome."""
    study = found.study
    game = study.games[outcome]
    rows = np.flatnonzero(study.favoured == outcome)
    columns = {name: values[rows] for name, values in study.columns.items()}
    sample = game.sample(columns, key=(study.seed, outcome))
    mechanisms = from_links(game.mechanisms.links, game.mechanisms.sources, sample.noise)

    def model(row):
        return float(study.model({name: np.array([row[name]]) for name in game.inputs})[0])

    shares = dict(enumerate(game.shares.tolist()))
    order = [game.players.index(path) for path in found.paths]
    every = []
    for i in range(len(rows)):
        row = Row(i, {name: float(values[i]) for name, values in columns.items()})
        gains, empty, f = phi(game.arrangement, mechanisms, row, shares, model)
        every.append([*(gains[k] for k in order), f, empty])
    return np.array(every), study.strata[rows]


@lru_cache
def compared_case(index, name):
    graph, inputs, seed = CASES[index]
    table = table_of(seed, 2 + index % 2)
    options = {"graph": graph, "sensitive": "A", "outcome": "Y", "inputs": inputs, "seed": seed}
    links = ["linear", "forest"][index % 4 // 2]
    return fp.explain(
        model_of(inputs),
        table,
        **options,
        links=links,
        disparity=name,
        method="exact",
        intervals=None,
        reference=0,
    )


@pytest.mark.parametrize("index", range(len(CASES)))
def test_equal_opportunity_and_odds_are_those_of_the_oracle(index):
    odds = compared_case(index, "equalized_odds")
    opportunity = compared_case(index, "equal_opportunity")
    for outcome in (1, 0):
        every, strata = by_plain_loops(odds, outcome)
        for stratum in range(1, len(odds.levels)):
            gap = every[strata == stratum].mean(axis=0) - every[strata == 0].mean(axis=0)
            of = odds.estimates_at(odds.comparison(stratum, outcome)).values
            n = len(odds.paths)
            assert_allclose(of[:2], [gap[n], gap[n + 1]], atol=1e-10)
            assert_allclose(odds.contributions(stratum, outcome).values, gap[:n], atol=1e-10)
            if outcome == 1:
                same = dict(zip(odds.paths, gap[:n], strict=True))
                one = dict(
                    zip(opportunity.paths, opportunity.contributions(stratum).values, strict=True)
                )
                assert_allclose([one[path] for path in same], list(same.values()), atol=1e-10)


@pytest.mark.parametrize("index", range(len(CASES)))
def test_accuracy_parity_is_that_of_the_oracle(index):
    found = compared_case(index, "accuracy_parity")
    n = len(found.paths)
    # f_y is f where y = 1 and 1 - f where y = 0: contributions change their sign with it.
    right, favoured = by_plain_loops(found, 1)
    wrong, others = by_plain_loops(found, 0)
    wrong = np.column_stack([-wrong[:, :n], 1 - wrong[:, n:]])
    every, strata = np.concatenate([right, wrong]), np.concatenate([favoured, others])
    for stratum in range(1, len(found.levels)):
        gap = every[strata == stratum].mean(axis=0) - every[strata == 0].mean(axis=0)
        # Σ_y (P(y|a) - P(y|reference)) E[v(∅)|y]
        rates = [np.mean(favoured == k) * len(favoured) / (strata == k).sum() for k in (stratum, 0)]
        base = (rates[0] - rates[1]) * (right[:, n + 1].mean() - wrong[:, n + 1].mean())
        of = found.estimates_at(found.comparison(stratum)).values
        assert_allclose(found.contributions(stratum).values, gap[:n], atol=1e-10)
        assert_allclose([of[0], of[1], of[4]], [gap[n], gap[n + 1] - base, base], atol=1e-10)


@pytest.mark.parametrize("conditioning", ["paper", "after"])
@pytest.mark.parametrize("name", [*NAMES, ErrorRate()], ids=[*NAMES, "error_rate"])
@pytest.mark.parametrize("extra", [{}, {"intervals": "refit", "rounds": 1}])
def test_rows_sum_to_the_disparity(name, conditioning, extra):
    table, found = hired(disparity=name, conditioning=conditioning, **extra)
    rows = found.table()
    for compared in found.compared:
        inside = (
            rows
            if compared.view.outcome is None
            else rows[rows["outcome"] == compared.view.outcome]
        )
        disparity = found.estimates_at(compared).values[0]
        assert_allclose(inside["contribution"].sum(), disparity, rtol=1e-12)
        assert inside["kind"].tolist()[-1] == "remainder"
        # Ψ(∅) + Σ Ψ = U
        assert_allclose(inside["utility"].sum(), found.utility.value, rtol=1e-12)
    looked = ~np.isnan(found.predictions)
    phi_sum = found.values[looked].sum(axis=1)
    assert_allclose(phi_sum, (found.predictions - found.base_values)[looked], atol=1e-12)
    f, y = chance(table), table["hired"].to_numpy()
    assert looked.sum() == (y.sum() if name == "equal_opportunity" else len(y))
    entered = {"accuracy_parity": np.where(y == 1, f, 1 - f)}.get(name, f)
    entered = np.where(y == 1, 1 - f, f) if isinstance(name, ErrorRate) else entered
    assert_allclose(found.predictions[looked], entered[looked], rtol=1e-12)


def test_after_is_demographic_parity_averaged_within_an_outcome():
    table, whole = hired(method="exact")
    for name, outcomes in (("equal_opportunity", [1]), ("equalized_odds", [1, 0])):
        _, found = hired(disparity=name, conditioning="after", method="exact")
        order = [whole.paths.index(path) for path in found.paths]
        for outcome in outcomes:
            rows = (table["hired"] == outcome).to_numpy()
            ones, zeros = (rows & (table["sex"] == k).to_numpy() for k in (1, 0))
            gap = whole.values[ones].mean(axis=0) - whole.values[zeros].mean(axis=0)
            label = outcome if name == "equalized_odds" else None
            assert_allclose(found.contributions(1, label).values, gap[order], atol=1e-12)
            base = whole.base_values[ones].mean() - whole.base_values[zeros].mean()
            kept = found.estimates_at(found.comparison(1, label)).values
            assert_allclose([kept[1], kept[4]], [0, base], atol=1e-12)
            assert "selection by the outcome" in found.table()["path"].tolist()
