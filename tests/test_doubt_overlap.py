"""Other worlds and what was observed: cases in which the share without comparable rows is known."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairpath as fp
from fairpath.doubt import overlap
from fairpath.doubt.scarcity import FEW, HARDLY_ANY, snapped
from fairpath.doubt.states import states_of
from fairpath.doubt.support import Neighbourhood, outside_range
from fairpath.encoding import Variable
from fairpath.game.orders import uniform
from worlds import explained, hired, mixed, mixed_chance, number, people


def total(rows):
    return sum(number(rows, name) for name in ("x", "y") if name in rows)


def found(table, edges, inputs=("x", "y"), **options):
    usual = {"links": "linear", "output": "score", "intervals": None, "sensitive": "a"}
    return fp.explain(total, table, graph=fp.CausalGraph.parse(edges), inputs=list(inputs),
                      **{**usual, **options})  # fmt: skip


def shifted(shift, n=4000, share=0.5, seed=0):
    """A number x outside the graph that is higher by a shift in the one stratum, and y."""
    rng = np.random.default_rng(seed)
    a = (rng.random(n) < share).astype(int)
    x = rng.random(n) + shift * a
    return pd.DataFrame({"a": a, "x": x, "y": a + x + rng.normal(size=n)})


# Links


@pytest.mark.parametrize("share", [0.5, 0.04])
@pytest.mark.parametrize("shift", [0.0, 0.25, 0.5, 2.0])
def test_the_share_of_states_without_comparable_rows(shift, share):
    # y is asked at (other stratum, own x). Of each stratum a share ``shift`` has an x that
    # nobody in the other one has, however small the other one is.
    table = shifted(shift, n=3000 if share > 0.1 else 9000, share=share)
    seen = overlap(found(table, "a -> y; x -> y"))
    row = seen.links().set_index("feature").loc["y"]
    assert row["sources"] == "a, x"
    assert row["few"] == pytest.approx(min(1.0, shift), abs=0.05)
    assert row["hardly_any"] <= row["few"]
    assert row["hardly_any"] == pytest.approx(min(1.0, shift), abs=0.1)
    path = seen.table().set_index("path").loc["a → y → prediction"]
    assert (path["few"], path["scarcest"]) == (row["few"], "y")


def test_states_count_by_weight_and_by_the_level_they_are_set_against():
    # Only stratum 1 asks for what nobody has, a quarter of it. It has a quarter of the rows, which
    # count twice; each stratum has the weight P(a) P(a') in the other's worlds, half of all.
    rng = np.random.default_rng(0)
    n = 6000
    a = (rng.random(n) < 0.25).astype(int)
    x = np.where(a == 1, rng.random(n) * 4 / 3, rng.random(n))
    table = pd.DataFrame({"a": a, "x": x, "y": a + x + rng.normal(size=n)})
    row = overlap(found(table, "a -> y; x -> y", sample_weight=1 + a)).links().iloc[0]
    assert row["few"] == pytest.approx(0.25 / 2, abs=0.04)


def test_a_link_without_the_attribute_can_be_asked_for_what_nobody_has():
    # z has two parents that go together closely, and other worlds take them apart.
    rng = np.random.default_rng(0)
    n = 3000
    a = rng.integers(0, 2, n)
    x = 6.0 * a + rng.normal(size=n)
    w = 6.0 * a + rng.normal(size=n)
    table = pd.DataFrame({"a": a, "x": x, "w": w, "y": x + w + rng.normal(size=n)})
    seen = overlap(found(table, "a -> x; a -> w; x -> y; w -> y", inputs=["y"]))
    links = seen.links().set_index("feature")
    assert set(links.index) == {"x", "w", "y"}
    assert links.loc["x", "few"] == links.loc["w", "few"] == 0.0
    # Orders go through three states: of both, of one alone, of nobody. Two of these are asked.
    assert links.loc["y", "few"] == pytest.approx(0.5, abs=0.03)
    paths = seen.table()
    assert set(paths["scarcest"]) == {"y"}
    assert links.loc["y", "states"] == n  # two for each row of the half


@pytest.mark.parametrize("share", [0.5, 0.03])
def test_a_small_stratum_is_not_scarce_by_itself(share):
    # Who is set against the small stratum has its x, which few of all rows have.
    rng = np.random.default_rng(0)
    n = 4000
    a = (rng.random(n) < share).astype(int)
    x = 4.0 * a + rng.normal(size=n)
    table = pd.DataFrame({"a": a, "x": x, "y": x + rng.normal(size=n)})
    links = overlap(found(table, "a -> x; x -> y", inputs=["y"])).links()
    assert (links["few"] < 0.02).all()
    alike = overlap(found(shifted(0.0, n=4000, share=0.02), "a -> y; x -> y")).links()
    assert (alike["few"] < 0.02).all()


def test_numbers_between_observed_ones_that_are_close_are_comparable():
    rng = np.random.default_rng(0)
    n = 2000
    a = rng.integers(0, 2, n)
    x = np.round(10 + 4 * rng.normal(size=n) + 1.5 * a)
    table = pd.DataFrame({"a": a, "x": x, "y": x + rng.normal(size=n)})
    close = overlap(found(table, "a -> x; x -> y", inputs=["y"])).links().set_index("feature")
    assert close.loc["y", "few"] < 0.02
    table["x"] = 60.0 * np.digitize(table["x"], [9, 13])
    gap = overlap(found(table, "a -> x; x -> y", inputs=["y"])).links().set_index("feature")
    assert gap.loc["y", "few"] > 0.9


def test_states_are_those_that_links_are_asked_for():
    table = shifted(0.5, 300)
    one = found(table, "a -> y; x -> y")
    game, study = one.study.game, one.study
    sample = game.sample(study.columns, key=(0,))
    rng = np.random.default_rng(0)
    weights = np.arange(300) % 3 + 1.0
    states = states_of(game, sample, weights, uniform(game.arrangement), rng)
    asked = states.links["y"]
    level, x = asked.parents.T
    order = np.lexsort((x, level))
    expected = np.column_stack([1 - table["a"], table["x"]])
    assert np.array_equal(asked.parents[order], expected[np.lexsort(expected.T[::-1])])
    assert np.array_equal(asked.levels, level)
    counts = weights * game.shares[1 - table["a"]]
    assert np.sort(asked.weights) == pytest.approx(np.sort(counts))
    # The model meets each person with the other stratum's y, for the whole weight against P(a').
    assert np.sort(states.inputs["x"]) == pytest.approx(np.sort(table["x"]))
    assert states.masses.sum() == pytest.approx(
        weights @ np.where(table["a"] == 1, game.shares[0], game.shares[1])
    )


def test_the_nearest_of_two_close_numbers():
    observed = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, np.nan], [9.0, 5.0]])
    states = np.array([[0.4, 0.4], [1.7, 1.0], [4.0, np.nan], [-1.0, 7.0], [9.5, 2.0]])
    expected = states.copy()
    expected[:2, 0] = [0.0, 2.0]  # 2 and 9 are too far apart
    assert np.array_equal(snapped(states, observed, [True, False]), expected, equal_nan=True)
    twice = snapped(states, observed, [True, True])
    assert np.array_equal(twice, expected, equal_nan=True)


def test_of_many_rows_and_states_some_are_enough(monkeypatch):
    table = shifted(0.0, share=0.3)
    table["x"] = 2.5 * table["a"] + np.random.default_rng(0).normal(size=4000)
    one = found(table, "a -> y; x -> y")
    whole = overlap(one).links().iloc[0]
    monkeypatch.setattr("fairpath.doubt.scarcity.MOST_OBSERVED", 1000)
    monkeypatch.setattr("fairpath.doubt.scarcity.MOST_ASKED", 400)
    monkeypatch.setattr(sys.modules[overlap.__module__], "MOST_CASES", 1200)
    part = overlap(one).links().iloc[0]
    assert (whole["states"], part["states"]) == (2000, 1200)
    assert 0.2 < whole["few"] < 0.8
    assert part["few"] == pytest.approx(whole["few"], abs=0.1)


def test_a_row_counts_once_against_each_level_however_many_states_it_meets():
    one = explained(people(200, 1, strata=("a", "b", "c")))
    game, study = one.study.game, one.study
    sample = game.sample(study.columns, key=(0,))
    weights = np.arange(200) % 3 + 1.0
    draw, rng = uniform(game.arrangement), np.random.default_rng(0)
    states = states_of(game, sample, weights, draw, rng)
    assert max(len(asked.weights) for asked in states.links.values()) > 800
    for asked in states.links.values():
        for level, share in enumerate(game.shares):
            inside = asked.weights[asked.levels == level]
            assert inside.sum() == pytest.approx(share * weights[study.strata != level].sum())


# Inputs of the model


def test_the_share_of_inputs_beyond_the_extremes():
    # Of stratum 0 x is spread over [-1.5, 1.5], of stratum 1 over [2, 3]. A straight link moves
    # everyone by the difference of the means, the highest of stratum 0 beyond 3.
    rng = np.random.default_rng(0)
    n = 4000
    a = rng.integers(0, 2, n)
    x = rng.random(n)
    x = np.where(a == 0, 3 * (x - 0.5), 2 + x)
    table = pd.DataFrame({"a": a, "x": x})
    one = found(table, "a -> x", inputs=["x"])
    move = x[a == 1].mean() - x[a == 0].mean()
    low, high = x.min(), x.max()
    other = np.where(a == 1, x - move, x + move)
    shares = np.array([(a == 1).mean(), (a == 0).mean()])  # P(a') of the own stratum 0 and 1
    expected = np.average((other < low) | (other > high), weights=shares[a])
    inputs = overlap(one).inputs().set_index("input")
    assert expected > 0.1
    assert inputs.loc["x", "outside"] == pytest.approx(expected, abs=0.02)
    assert inputs.loc["any of them", "outside"] == inputs.loc["x", "outside"]
    table.loc[n] = [0, 1000.0]  # a row that does not count spans nothing
    again = overlap(found(table, "a -> x", inputs=["x"], sample_weight=[1] * n + [0])).inputs()
    assert again.set_index("input").loc["x", "outside"] == pytest.approx(expected, abs=0.02)
    table = table.iloc[:n]
    forest = overlap(found(table, "a -> x", inputs=["x"], links="forest")).inputs()
    assert forest.set_index("input").loc["x", "outside"] == 0.0


def test_the_share_of_combinations_that_nobody_has():
    # x and y go together in both strata; if one path alone is out they are 6 apart.
    rng = np.random.default_rng(0)
    n = 3000
    a = rng.integers(0, 2, n)
    x, y = rng.normal(size=(2, n)) + 6 * a
    inputs = overlap(found(pd.DataFrame({"a": a, "x": x, "y": y}), "a -> x; a -> y")).inputs()
    inputs = inputs.set_index("input")
    # Of the two states that are not the factual one, one has both out and one a single path.
    assert inputs.loc["all together", "outside"] == pytest.approx(0.5, abs=0.04)
    assert 0 < inputs.loc["all together", "among_rows"] < 0.03
    assert inputs.loc["x", "outside"] < 0.01


@given(
    st.lists(st.one_of(st.none(), st.integers(-5, 5)), min_size=1),
    st.lists(st.one_of(st.none(), st.integers(-5, 5)), min_size=1),
)
def test_what_rows_span(values, observed):
    found_, rows = (np.array(one, dtype=np.float64) for one in (values, observed))
    known = [v for v in observed if v is not None]
    beyond = [
        (None not in observed) if v is None else not known or v < min(known) or v > max(known)
        for v in values
    ]
    assert outside_range(found_, rows, Variable("x")).tolist() == beyond
    codes, levels = found_[~np.isnan(found_)] + 5, rows[~np.isnan(rows)] + 5
    assert outside_range(codes, levels, Variable("x", n_levels=11)).tolist() == [
        code not in levels for code in codes
    ]


def test_a_copy_of_a_row_is_never_far_and_a_new_level_is():
    rng = np.random.default_rng(0)
    rows = {"x": rng.normal(size=200), "c": rng.integers(0, 2, 200).astype(float)}
    rows["x"][:20] = np.nan
    variables = {"x": Variable("x"), "c": Variable("c", n_levels=3)}
    near = Neighbourhood.of(rows, variables)
    assert not near.is_far(rows).any()
    new = {"x": np.array([0.0, 0.0, 9.0]), "c": np.array([0.0, 2.0, 0.0])}
    assert near.is_far(new).tolist() == [False, True, True]
    there = {name: values[20:] for name, values in rows.items()}
    hole = {"x": np.array([0.0, np.nan]), "c": np.zeros(2)}
    assert Neighbourhood.of(there, variables).is_far(hole).tolist() == [False, True]
    # With nothing but labels, what nobody has is far.
    same = {"c": np.repeat([0.0, 1.0], 50), "d": np.repeat([0.0, 1.0], 50)}
    labels = {n: Variable(n, n_levels=2) for n in same}
    combined = Neighbourhood.of(same, labels).is_far(
        {"c": np.array([0.0, 1.0]), "d": np.array([1.0, 1.0])}
    )
    assert combined.tolist() == [True, False]


# What is said


def test_where_worlds_are_alike_nothing_is_scarce():
    seen = overlap(explained(people(1500, 1)))
    assert (seen.links()["few"] < 0.03).all()
    assert (seen.table()["few"] < 0.03).all()
    text = repr(seen)
    assert "job from sex, age, city" in text
    assert "far from every row" in text
    assert FEW > HARDLY_ANY


def test_workers_and_repetition_change_nothing():
    one = explained(people(300, 1), method="sampled")
    first, again, many = (overlap(one, n_jobs=n) for n in (None, None, 3))
    assert first.scarcity == again.scarcity == many.scarcity
    assert first.outside == again.outside == many.outside


QUESTIONS = {
    "mixed": lambda: explained(mixed(300), mixed_chance, links="auto"),
    "three strata": lambda: explained(people(300, 1, strata=("a", "b", "c"))),
    "causal orders": lambda: explained(people(300, 1), order="topological"),
    "longer paths": lambda: explained(people(300, 1), max_length=2),
    "odds": lambda: hired(disparity="equalized_odds")[1],
    "after": lambda: hired(disparity="equal_opportunity", conditioning="after")[1],
    "folds": lambda: explained(people(300, 1), cross_fit=2),
    "few": lambda: explained(people(64, 1)),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_explanation_can_be_asked(question):
    one = QUESTIONS[question]()
    seen = overlap(one)
    n_games = len(one.study.games)
    assert len(seen.links()) == n_games * len(one.study.game.mechanisms.links)
    assert seen.links()["few"].between(0, 1).all()
    assert (seen.links()["hardly_any"] <= seen.links()["few"]).all()
    assert (seen.inputs()["outside"].dropna() <= 1).all()
    table = seen.table()
    assert len(table) == n_games * len(one.paths)
    assert table["few"].isna().sum() == sum(path.longer for path in one.paths)
    assert ("outcome" in table.columns) == (n_games > 1)


def test_without_a_link_nothing_is_scarce():
    seen = overlap(explained(people(200, 1), lambda rows: rows["sex"] / 2, inputs=["sex"]))
    assert seen.table()["few"].tolist() == [0.0]
    with pytest.raises(fp.DataError, match="no path leads through a feature"):
        seen.links()


def test_tables_are_of_the_callers_library():
    seen = overlap(explained(pl.from_pandas(people(200, 1))))
    assert all(isinstance(t, pl.DataFrame) for t in (seen.table(), seen.links(), seen.inputs()))


def test_wrong_requests(tmp_path):
    one = explained(people(200, 1))
    one.save(tmp_path / "found.json")
    with pytest.raises(fp.DataError, match="loaded from a file"):
        overlap(fp.load(tmp_path / "found.json"))
    with pytest.raises(fp.DataError, match="got str"):
        overlap("found.json")
    with pytest.raises(fp.DataError, match="n_jobs"):
        overlap(one, n_jobs=0)
