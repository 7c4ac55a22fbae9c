"""Disparities beside fairlearn's, in worlds by hand, and what they need."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import fairpath as fp
from fairpath.disparity import AccuracyParity, EqualOpportunity
from worlds import INPUTS, WITH_OUTCOME, ErrorRate, chance, explained, hired, people, score

NAMES = ["demographic_parity", "equal_opportunity", "equalized_odds", "accuracy_parity"]


def test_disparities_are_those_of_fairlearn():
    metrics = pytest.importorskip("fairlearn.metrics")
    table = people(600, 5, strata=("a", "b", "c"))
    y = table["hired"].to_numpy()
    said = (chance(table) >= 0.5).astype(int)
    frame = metrics.MetricFrame(
        metrics={
            "demographic_parity": metrics.selection_rate,
            "equal_opportunity": metrics.true_positive_rate,
            "false": metrics.false_positive_rate,
            "accuracy_parity": lambda y, p: np.mean(y == p),
        },
        y_true=y,
        y_pred=said,
        sensitive_features=table["sex"],
    ).by_group
    for name in NAMES:
        found = explained(
            table,
            graph=WITH_OUTCOME,
            outcome="hired",
            disparity=name,
            output="decision",
            reference="a",
            rounds=1,
            conditioning="after",
        )
        for level in "bc":
            delta = found.disparity
            if name == "equalized_odds":
                for outcome, rate in ((1, "equal_opportunity"), (0, "false")):
                    expected = frame[rate][level] - frame[rate]["a"]
                    assert_allclose(delta[outcome][level].value, expected, atol=1e-12)
            else:
                expected = frame[name][level] - frame[name]["a"]
                assert_allclose(delta[level].value, expected, atol=1e-12)
    # fairlearn takes the largest difference between any two groups, without a sign.
    two = table[table["sex"] != "c"]
    y, said = two["hired"].to_numpy(), (chance(two) >= 0.5).astype(int)
    for name, theirs in (
        ("demographic_parity", metrics.demographic_parity_difference),
        ("equal_opportunity", metrics.equal_opportunity_difference),
        ("equalized_odds", metrics.equalized_odds_difference),
    ):
        found = explained(
            two, graph=WITH_OUTCOME, outcome="hired", disparity=name, output="decision", rounds=1
        )
        expected = theirs(y, said, sensitive_features=two["sex"])
        assert_allclose(abs(found.larger_disparity.value), expected, atol=1e-12)


N_ROWS = 60_000


def chances(laws):
    """Return all cells of a world of yes and no, with their probability; laws by name, in order."""
    cells = pd.DataFrame(list(product((0, 1), repeat=len(laws))), columns=list(laws))
    share = np.ones(len(cells))
    for name, law in laws.items():
        p = np.broadcast_to(law(cells), len(cells))
        share *= np.where(cells[name] == 1, p, 1 - p)
    return cells.assign(share=share)


OPENED = {
    "by the outcome": (
        "A -> X1; X1 -> Y; X2 -> Y",
        {
            "A": lambda _: 0.4,
            "X1": lambda k: 0.2 + 0.6 * k["A"],
            "X2": lambda _: 0.5,
            "Y": lambda k: 0.1 + 0.4 * k["X1"] + 0.4 * k["X2"],
        },
        "A → X1 → Y ← X2 → prediction",
    ),
    "by an effect of it": (
        "A -> X1; X1 -> W; X2 -> W; W -> Y",
        {
            "A": lambda _: 0.4,
            "X1": lambda k: 0.2 + 0.6 * k["A"],
            "X2": lambda _: 0.5,
            "W": lambda k: 0.1 + 0.8 * k["X1"] * k["X2"],
            "Y": lambda k: 0.1 + 0.8 * k["W"],
        },
        "A → X1 → (W) ← X2 → prediction",
    ),
}


@pytest.mark.parametrize("opened", OPENED)
def test_a_path_that_only_the_condition_opens_is_found(opened):
    text, laws, expected_path = OPENED[opened]
    cells = chances(laws)
    # Each cell as often as it is likely: only the draws of the links leave some chance.
    rows = cells[list(laws)].loc[np.repeat(cells.index, np.round(cells["share"] * N_ROWS))]
    asked = {
        "graph": fp.CausalGraph.parse(text),
        "sensitive": "A",
        "outcome": "Y",
        "inputs": ["X2"],
        "links": "forest",
        "intervals": None,
    }

    def model(table):
        return table["X2"].astype(float)

    found = fp.explain(model, rows, **asked, disparity="equal_opportunity", method="exact")
    given = cells[cells["Y"] == 1]
    rate = [
        np.average(given["X2"][given["A"] == a], weights=given["share"][given["A"] == a])
        for a in (0, 1)
    ]
    assert abs(rate[1] - rate[0]) > 0.04
    assert expected_path in map(str, found.paths)
    assert_allclose(found.disparity.value, rate[1] - rate[0], atol=1e-4)
    chance_left = 4 * np.sqrt(1 / N_ROWS)
    assert_allclose(found.contributions().values.sum(), rate[1] - rate[0], atol=chance_left)
    # Without the condition no path leads to X2, and there is nothing to explain.
    alone = fp.explain(model, rows, **asked)
    assert alone.paths == ()
    assert_allclose(alone.disparity.value, 0, atol=1e-4)


def test_nothing_is_found_where_equalized_odds_hold():
    """X depends on the outcome alone, though the graph would let A speak too."""
    graph = fp.CausalGraph.parse("A -> Y; A -> X; Y -> X; A -> Z; X -> Z")
    inside, total, parity = 0, 0, []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        a = rng.integers(0, 2, 600)
        y = (rng.random(600) < 0.3 + 0.4 * a).astype(int)
        x = y + rng.normal(size=600)
        table = pd.DataFrame({"A": a, "X": x, "Z": x + rng.normal(size=600), "Y": y})
        options = {"graph": graph, "sensitive": "A", "outcome": "Y", "inputs": ["X", "Z"]}

        def model(rows):
            return 1 / (1 + np.exp(-rows["X"] - 0.5 * rows["Z"]))

        found = fp.explain(model, table, **options, links="linear", disparity="equalized_odds")
        for compared in found.compared:
            shares = found.contributions(1, compared.view.outcome)
            low, high = shares.intervals()
            inside += int(((low <= 0) & (high >= 0)).sum())
            total += len(low)
        with pytest.warns(UserWarning, match="mediator"):
            whole = fp.explain(model, table, **options, links="linear")
        parity.append(whole.disparity.low)
    assert min(parity) > 0
    assert inside / total > 0.88  # 95 % of 72, of which some depend on each other


def test_any_object_with_two_methods_is_a_disparity():
    _, found = hired(disparity=ErrorRate())
    _, accuracy = hired(disparity="accuracy_parity")
    assert_allclose(found.disparity.value, -accuracy.disparity.value, rtol=1e-12)
    assert "ErrorRate" in repr(found)
    assert found.apart is not None


@pytest.mark.parametrize("name", NAMES)
def test_linear_in_the_model(name):
    def half(rows):
        return chance(rows) / 2 + 0.2

    _, one = hired(disparity=name, method="exact")
    table = people(400, 3)
    other = explained(
        table,
        half,
        graph=WITH_OUTCOME,
        outcome="hired",
        reference=0,
        disparity=name,
        method="exact",
    )
    for compared in one.compared:
        values = one.contributions(1, compared.view.outcome).values
        of = dict(zip(one.paths, values, strict=True))
        to = other.contributions(1, compared.view.outcome).values
        assert_allclose([of[path] / 2 for path in other.paths], to, atol=1e-12)


@pytest.mark.parametrize("name", NAMES[1:])
def test_what_the_model_does_not_read_gets_nothing(name):
    def only(rows):
        return 1 / (1 + np.exp(-np.asarray(rows["hours"], dtype=float)))

    idle = explained(
        people(400, 3),
        only,
        graph=WITH_OUTCOME,
        outcome="hired",
        disparity=name,
        inputs=["hours", "city"],
    )
    for compared in idle.compared:
        values = idle.contributions(None, compared.view.outcome).values
        for path, value in zip(idle.paths, values, strict=True):
            reads = (
                "hours" in path.nodes[-1]
                if isinstance(path.nodes[-1], tuple)
                else path.nodes[-1] == "hours"
            )
            assert reads or abs(value) < 1e-12


def test_what_is_needed_is_said():
    table = people(400, 3)
    asked = {"graph": WITH_OUTCOME, "disparity": "equal_opportunity", "outcome": "hired"}

    def fails(match, error=fp.DataError, **options):
        with pytest.raises(error, match=match):
            explained(table, **{**asked, **options})

    lonely = fp.CausalGraph.parse("sex -> job; job -> pay")
    fails("compares rows by their outcome. Name its column", outcome=None)
    fails("Add it with the edges", fp.GraphError, graph=lonely)
    fails("got 'parity'", disparity="parity")
    fails("methods signs and given_outcome", disparity=EqualOpportunity)
    twice = ErrorRate()
    twice.signs = lambda favoured: 2.0 * favoured
    fails("must return 1, -1 or 0", disparity=twice)
    fails(r"needs outputs within \[0, 1\]", disparity=AccuracyParity(), model=score, output="score")
    fails("is a node of the graph", fp.GraphError, outcome_parents="inputs")
    fails("conditioning must be one of", conditioning="before")
    game = fp.PathGame.fit(
        table, graph=WITH_OUTCOME, sensitive="sex", links="linear", inputs=INPUTS
    )
    with pytest.raises(fp.DataError, match="Leave game out, or use conditioning='after'"):
        fp.explain(chance, table, game=game, outcome="hired", disparity="equal_opportunity")
    none = table[(table["sex"] == 0) | (table["hired"] == 0)]
    with pytest.raises(fp.DataError, match=r"Among rows with hired = 1: .*sex"):
        explained(none, **asked)
    with pytest.raises(fp.DataError, match="cannot compare it"):
        explained(none, **asked, conditioning="after")
    asked["graph"] = lonely
    found = explained(table, **asked, rounds=1, outcome_parents="inputs")
    assert "hired" in found.study.game.graph.nodes
