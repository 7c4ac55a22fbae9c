"""Strengths of common causes: closed forms, and a cause of known strength that is left out."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

import fairpath as fp
from fairpath.doubt import confounding
from fairpath.doubt.association import (
    Associations,
    as_strong_as,
    equal_strength,
    robustness_value,
)
from fairpath.encoding import Variable
from worlds import explained, hired, mixed, mixed_chance, people

parts = st.floats(0.001, 0.999)


def of(variables, weights=None, **columns):
    """The associations of columns; ``variables`` says how many levels each has."""
    known = {name: Variable(name, n_levels=levels) for name, levels in variables.items()}
    columns = {name: np.asarray(values, dtype=np.float64) for name, values in columns.items()}
    n = len(next(iter(columns.values())))
    return Associations(columns, known, np.ones(n) if weights is None else weights)


# The number


@given(parts)
def test_a_cause_of_this_strength_makes_just_this_association(strength):
    # Left out, a cause with partial R² r with the parent and with the child given the parent
    # makes f² = r² / (1 - r) where there is nothing else.
    f2 = strength**2 / (1 - strength)
    assert robustness_value(f2 / (1 + f2)) == pytest.approx(strength, rel=1e-9)
    assert equal_strength(f2) == pytest.approx(strength, rel=1e-9)


@given(st.floats(1e-6, 1e6))
def test_the_formula_of_cinelli_and_hazlett(f2):
    written = (np.sqrt(f2**2 + 4 * f2) - f2) / 2
    assert equal_strength(f2) == pytest.approx(written, rel=1e-3 if f2 > 1e3 else 1e-9)
    assert 0 < equal_strength(f2) < 1


def test_nothing_needs_nothing_and_everything_needs_everything():
    assert robustness_value(0.0) == equal_strength(0.0) == 0.0
    assert robustness_value(1.0) == 1.0


@settings(max_examples=200)
@given(*[st.floats(-2, 2) for _ in range(3)], st.floats(0.3, 3), st.floats(0.3, 3))
def test_a_cause_as_strong_as_an_observed_one(z_to_d, z_to_y, effect, s, t):
    # Population of d = z_to_d (z + u) + noise, y = effect d + z_to_y (z + u) + noise: u is just
    # as strong as z. What z shows bounds what u does.
    order = ["z", "u", "d", "y"]
    loads = np.array(
        [
            [1, 0, 0, 0],
            [0, 1, 0, 0],
            [z_to_d, z_to_d, np.sqrt(s), 0],
            [effect * z_to_d + z_to_y, effect * z_to_d + z_to_y, effect * np.sqrt(s), np.sqrt(t)],
        ]
    )
    covariance = loads @ loads.T

    def r2(one, other, given_):
        i = [order.index(n) for n in (one, other)]
        g = [order.index(n) for n in given_]
        left = covariance[np.ix_(i, i)]
        if g:
            cross = covariance[np.ix_(i, g)]
            left = left - cross @ np.linalg.solve(covariance[np.ix_(g, g)], cross.T)
        return left[0, 1] ** 2 / left[0, 0] / left[1, 1]

    parent, child = as_strong_as(r2("z", "d", []), r2("z", "y", ["d"]))
    assert parent == pytest.approx(r2("u", "d", ["z"]), abs=1e-9)
    assert child >= r2("u", "y", ["z", "d"]) - 1e-9


def test_a_cause_as_strong_as_one_that_leaves_too_little():
    assert as_strong_as(0.5, 0.1) == (1.0, 1.0)
    assert as_strong_as(0.2, 1.0) == (0.25, 1.0)
    assert as_strong_as(0.0, 0.0) == (0.0, 0.0)


# Partial R² of any columns


def test_two_labels_have_the_chi_square_of_their_table():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 500)
    y = (x + rng.integers(0, 3, 500)) % 4
    table = pd.crosstab(x, y)
    expected = chi2_contingency(table, correction=False).statistic / 500
    found = of({"x": 2, "y": 4}, x=x, y=y).partial_r2(("x",), ("y",), ())
    assert found == pytest.approx(expected, abs=1e-12)
    # Of two labels with several levels the largest canonical correlation.
    z = np.where(rng.random(500) < 0.5, y, rng.integers(0, 4, 500))
    counts = pd.crosstab(y, z).to_numpy() / 500
    margins = np.outer(counts.sum(1), counts.sum(0))
    largest = np.linalg.norm((counts - margins) / np.sqrt(margins), ord=2)
    found = of({"z": 4, "y": 4}, z=z, y=y).partial_r2(("z",), ("y",), ())
    assert found == pytest.approx(largest**2, abs=1e-12)


def test_two_binaries_given_a_label_have_their_partial_correlation():
    rng = np.random.default_rng(1)
    z = rng.integers(0, 3, 800)
    x = (rng.random(800) < 0.2 + 0.3 * z / 2).astype(float)
    y = (rng.random(800) < 0.2 + 0.2 * z / 2 + 0.3 * x).astype(float)
    weights = rng.integers(1, 4, 800).astype(float)
    left = []
    for column in (x, y):
        means = [np.average(column[z == k], weights=weights[z == k]) for k in range(3)]
        left.append(column - np.array(means)[z])
    one, other = left
    expected = (weights @ (one * other)) ** 2 / (weights @ one**2) / (weights @ other**2)
    found = of({"x": 2, "y": 2, "z": 3}, weights, x=x, y=y, z=z).partial_r2(("x",), ("y",), ("z",))
    assert found == pytest.approx(expected, abs=1e-12)
    rows = np.repeat(np.arange(800), weights.astype(int))
    again = of({"x": 2, "y": 2, "z": 3}, x=x[rows], y=y[rows], z=z[rows])
    assert again.partial_r2(("x",), ("y",), ("z",)) == pytest.approx(found, abs=1e-12)


def test_numbers_have_their_partial_correlation_whatever_their_scale():
    rng = np.random.default_rng(2)
    z = rng.normal(size=8000)
    x = z + rng.normal(size=8000)
    y = 0.7 * x - z + rng.normal(size=8000)
    found = of(dict.fromkeys("xyz"), x=np.exp(x), y=y, z=z).partial_r2(("x",), ("y",), ("z",))
    # 0.7² / (0.7² + 1)
    assert found == pytest.approx(0.49 / 1.49, abs=0.03)
    x[::7] = np.nan
    fewer = of(dict.fromkeys("xyz"), x=x, y=y, z=z).partial_r2(("x",), ("y",), ("z",))
    assert fewer == pytest.approx(found, abs=0.03)
    z[::5] = np.nan
    complete = ~np.isnan(x) & ~np.isnan(z)
    holes = of(dict.fromkeys("xyz"), x=x, y=y, z=z).partial_r2(("x",), ("y",), ("z",))
    whole = of(dict.fromkeys("xyz"), x=x[complete], y=y[complete], z=z[complete])
    assert holes == pytest.approx(whole.partial_r2(("x",), ("y",), ("z",)), abs=1e-12)


def test_a_block_goes_with_what_its_features_say_together():
    rng = np.random.default_rng(3)
    p, q = rng.normal(size=(2, 6000))
    y = p - q + rng.normal(size=6000)
    sample = of(dict.fromkeys("pqy"), p=p, q=p + 0.1 * q, y=y)
    assert sample.partial_r2(("p",), ("y",), ()) == pytest.approx(1 / 3, abs=0.03)
    assert sample.partial_r2(("p", "q"), ("y",), ()) == pytest.approx(2 / 3, abs=0.04)
    assert sample.partial_r2(("y",), ("q", "p"), ()) == pytest.approx(2 / 3, abs=0.04)
    constant = of(dict.fromkeys("py"), p=np.ones(6000), y=y)
    assert constant.partial_r2(("p",), ("y",), ()) == 0.0


def test_of_many_rows_some_are_enough():
    rng = np.random.default_rng(4)
    x, e = rng.normal(size=(2, 25_000))
    x.sort()  # the first ones alone would tell something else
    found = of(dict.fromkeys("xy"), x=x, y=x + e).partial_r2(("x",), ("y",), ())
    assert found == pytest.approx(0.5, abs=0.03)


# A cause that is left out


def with_cause(strength, effect, n=10_000, seed=0):
    """a → x → y, and u with R² ``strength`` with x, and as much with y given x."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, n)
    u = rng.normal(size=n)
    x = a - 0.5 + np.sqrt(strength) * u + np.sqrt(0.75 - strength) * rng.normal(size=n)
    # Given x the cause varies by 1 - r, and its share of y's variance is r.
    slope = np.sqrt(strength / (1 - strength) / (1 - strength))
    y = effect * x + slope * u + rng.normal(size=n)
    return pd.DataFrame({"a": a, "x": x, "y": y, "u": u})


def chain(table, edges):
    graph = fp.CausalGraph.parse(f"a -> x; x -> y; {edges}")
    return fp.explain(lambda rows: rows["y"], table, graph=graph, sensitive="a", inputs=["y"],
                      output="score", links="linear", intervals=None)  # fmt: skip


@pytest.mark.parametrize("strength", [0.1, 0.3, 0.5])
def test_the_reported_strength_is_that_of_the_cause_that_explains_everything(strength):
    table = with_cause(strength, 0.0)
    without = chain(table, "")
    found = confounding(without).links().set_index("child")
    assert without.contributions().values[0] > 0.05
    assert found.loc["y", "strength"] == pytest.approx(strength, abs=0.025)
    known = chain(table, "u -> x; u -> y")
    assert abs(known.contributions().values[0]) < 0.05
    # With the cause known the link has nothing left.
    assert confounding(known).links().set_index("child").loc["y", "strength"] < 0.03


@pytest.mark.parametrize("effect", [0.3, -0.3])
def test_a_weaker_or_stronger_cause_leaves_something(effect):
    strength = 0.3
    table = with_cause(strength, effect)
    found = confounding(chain(table, "")).links().set_index("child").loc["y", "strength"]
    left = chain(table, "u -> x; u -> y").contributions().values[0]
    assert left == pytest.approx(effect, abs=0.07)
    # A cause this strong does not explain all of an association with a true effect; if the true
    # effect is the other way round, a weaker one would have done.
    assert found > strength + 0.05 if effect > 0 else found < strength - 0.05


def test_the_strongest_observed_predecessor_is_the_benchmark():
    rng = np.random.default_rng(0)
    table = with_cause(0.1, 0.5)
    table["w"] = rng.normal(size=len(table))
    table["y"] += 0.1 * table["w"]
    found = confounding(chain(table, "u -> x; u -> y; w -> y"))
    row = found.links().set_index("child").loc["y"]
    assert row["benchmark"] == "u"
    # As strong as u: another cause that takes r / (1 - r) of what u leaves of x.
    assert row["benchmark_parent"] == pytest.approx(0.1 / 0.9, abs=0.03)
    assert 0.1 <= row["benchmark_child"] < 0.3
    sample = of(dict.fromkeys("xywu"), **{name: table[name] for name in "xywu"})
    shown = as_strong_as(
        sample.partial_r2(("u",), ("x",), ("w",)), sample.partial_r2(("u",), ("y",), ("w", "x"))
    )
    assert (row["benchmark_parent"], row["benchmark_child"]) == pytest.approx(shown, abs=1e-12)
    both = row["benchmark_child"] * row["benchmark_parent"] / (1 - row["benchmark_parent"])
    assert row["benchmark_strength"] == pytest.approx(equal_strength(both), abs=1e-12)
    lone = confounding(chain(with_cause(0.1, 0.5)[["a", "x", "y"]], ""))
    assert lone.links().set_index("child").isna().loc["x", "benchmark"]
    assert "as u" in repr(found)


# Paths


def test_a_path_is_as_firm_as_its_weakest_link():
    found = confounding(explained(people(400, 1)))
    strengths = {(one.parent, one.child): s.strength for one, s in found.pairs.items()}
    table = found.table().set_index("path")
    assert len(table) == 7
    for path in found.explanation.paths:
        links = [((a,), (b,)) for a, b in zip(path.nodes, path.nodes[1:], strict=False)]
        weakest = min(links, key=lambda pair: strengths[pair])
        row = table.loc[str(path)]
        assert row["strength"] == strengths[weakest]
        assert row["weakest_link"] == f"{weakest[0][0]}, {weakest[1][0]}"
        value = found.explanation.contribution([path]).value
        assert row["contribution"] == pytest.approx(value, abs=1e-15)
    links = found.links()
    assert len(links) == len({(a, b) for a, b in zip(links["parent"], links["child"], strict=True)})
    assert links["strength"].is_monotonic_increasing
    assert {"sex"} <= set(links["parent"])


def test_given_are_the_other_predecessors_and_what_is_outside():
    table = people(400, 1)
    found = confounding(explained(table))
    sample = of({**dict.fromkeys(["job", "hours", "pay"]), "sex": 2, "city": None},
                **{n: table[n] for n in ("job", "hours", "pay", "sex", "city")})  # fmt: skip
    expected = sample.partial_r2(("job",), ("pay",), ("sex", "hours", "city"))
    links = found.links().set_index(["parent", "child"])
    assert links.loc[("job", "pay"), "partial_r2"] == pytest.approx(expected, abs=1e-12)
    crude = sample.partial_r2(("job",), ("pay",), ())
    assert abs(crude - expected) > 0.01


def test_relative_to_the_outcome_each_has_its_own_links():
    _, odds = hired(disparity="equalized_odds")
    found = confounding(odds)
    assert set(found.links()["outcome"]) == {0, 1}
    table = found.table()
    for outcome in (0, 1):
        mine = {p: s for p, s in found.pairs.items() if p.outcome == outcome}
        rows = table[table["outcome"] == outcome]
        assert set(rows["strength"]) <= {s.strength for s in mine.values()}
    _, accuracy = hired(disparity="accuracy_parity")
    both = confounding(accuracy)
    (compared,) = accuracy.compared
    for path in accuracy.paths:
        per_outcome = [
            min(
                s.strength
                for p, s in both.pairs.items()
                if p.outcome == y
                and any(
                    set(p.parent + p.child)
                    == {f for n in pair for f in ((n,) if isinstance(n, str) else n)}
                    for pair in zip(path.nodes, path.nodes[1:], strict=False)
                )
            )
            for y in (0, 1)
        ]
        assert both.weakest(path, compared)[1].strength == max(per_outcome)


def test_where_nothing_can_be_confounded_nothing_is_said():
    table = people(300, 1)
    direct = confounding(
        explained(table, lambda rows: rows["sex"] / 2 + rows["pay"], inputs=["sex", "pay"],
                  output="score")
    )  # fmt: skip
    row = direct.table().set_index("path").loc["sex → prediction"]
    assert np.isnan(row["strength"])
    assert pd.isna(row["weakest_link"])
    assert "sex → prediction" in repr(direct)
    merged = confounding(explained(table, max_length=2)).table().set_index("path")
    assert pd.isna(merged.loc["longer paths into pay", "weakest_link"])
    nothing = explained(table, lambda rows: rows["city"] / 2, inputs=["city"])
    with pytest.raises(fp.DataError, match="no path leads through a feature"):
        confounding(nothing).links()


def test_any_columns_workers_and_libraries():
    found = explained(mixed(400), mixed_chance)
    one, many = confounding(found), confounding(found, n_jobs=3)
    assert one.pairs == many.pairs
    assert all(0 <= s.strength <= 1 for s in one.pairs.values())
    table = confounding(explained(pl.from_pandas(people(200)))).table()
    assert isinstance(table, pl.DataFrame)


def test_wrong_requests(tmp_path):
    found = explained(people(200, 1))
    found.save(tmp_path / "found.json")
    with pytest.raises(fp.DataError, match="loaded from a file"):
        confounding(fp.load(tmp_path / "found.json"))
    with pytest.raises(fp.DataError, match="got NoneType"):
        confounding(None)
    with pytest.raises(fp.DataError, match="n_jobs"):
        confounding(found, n_jobs=0)
