"""Crossed attributes and bands are the same as a column and a graph made by hand."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose

import fairpath as fp
from worlds import by_path

GRAPH = fp.CausalGraph.parse(
    "race -> job; sex -> job; sex -> hours; age -- sex; age -> hours; job -> pay; hours -> pay;"
    "town -> pay; race -- town"
)
INPUTS = ["job", "hours", "pay", "town"]


def people(n=400, seed=0):
    rng = np.random.default_rng(seed)
    race, sex = rng.integers(0, 2, n), rng.integers(0, 2, n)
    age = rng.uniform(18, 70, n)
    town = rng.normal(size=n) + 0.3 * race
    job = race + 0.5 * sex + 0.8 * race * sex + rng.normal(size=n)
    hours = sex + age / 40 + rng.normal(size=n)
    return pd.DataFrame(
        {
            "race": np.where(race, "b", "a"),
            "sex": np.where(sex, "m", "f"),
            "age": age,
            "town": town,
            "job": job,
            "hours": hours,
            "pay": job + hours + town + rng.normal(size=n),
        }
    )


def score(rows):
    job, hours, pay = (np.asarray(rows[name], dtype=float) for name in ("job", "hours", "pay"))
    return 0.5 * pay + np.tanh(job * hours)


def explained(data, **options):
    usual = {"graph": GRAPH, "inputs": INPUTS, "links": "linear", "output": "score"}
    return fp.explain(score, data, **{**usual, "intervals": None, "method": "exact", **options})


def same(one, other):
    for stratum in (one.levels[c.stratum] for c in one.compared):
        mine, theirs = by_path(one, stratum), by_path(other, stratum)
        assert mine.keys() == theirs.keys()
        assert_allclose(list(mine.values()), [theirs[p] for p in mine], atol=1e-12)


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "arrow"]
)
def test_crossing_is_a_column_and_a_node_by_hand(make):
    table = people()
    found = explained(make(table.to_dict("list")), sensitive=["race", "sex"], reference="a × f")
    by_hand = fp.CausalGraph.parse(
        '"race × sex" -> job; "race × sex" -> hours; age -- "race × sex"; age -> hours;'
        'job -> pay; hours -> pay; town -> pay; "race × sex" -- town'
    )
    crossed = table.assign(**{"race × sex": table["race"] + " × " + table["sex"]})
    expected = explained(crossed, graph=by_hand, sensitive="race × sex", reference="a × f")
    assert found.levels == ("a × f", "a × m", "b × f", "b × m")
    same(found, expected)
    assert type(found.table()) is type(make(table.to_dict("list")))


def test_small_cells_are_pooled():
    table = people(600)
    few = (table["race"] == "b") & (np.arange(600) % 12 != 0)
    table = table[~few]
    sizes = table.groupby(["race", "sex"]).size()
    assert (sizes["b"] < 30).all()
    assert sizes["b"].sum() >= 30
    found = explained(table, sensitive=["race", "sex"])
    assert set(found.levels) == {"a × f", "a × m", "others"}
    assert any("'others': b × f; b × m" in note for note in found.notes)
    # Weights are rows: with ten of each no cell is small.
    whole = explained(table, sensitive=["race", "sex"], sample_weight=np.full(len(table), 10))
    assert "others" not in whole.levels


def test_one_that_the_model_reads_stays_as_an_effect():
    found = explained(people(), sensitive=["race", "sex"], inputs=[*INPUTS, "sex"])
    assert ("race × sex", "sex") in found.study.game.graph.directed
    assert "race × sex → sex → prediction" in map(str, found.paths)


def test_bands_are_a_column_by_hand():
    table = people()
    table.loc[:39, "age"] = 30.0
    found = explained(table, sensitive="age", bands=[30, 50.5], reference="below 30")
    labels = ["below 30", "30 to below 50.5", "from 50.5"]
    bands = pd.cut(table["age"], [0, 30, 50.5, 99], right=False, labels=labels).astype(str)
    by_hand = fp.CausalGraph.parse(
        'race -> job; sex -> job; sex -> hours; "age (bands)" -- sex; "age (bands)" -> hours;'
        "job -> pay; hours -> pay; town -> pay; race -- town"
    )
    expected = explained(
        table.assign(**{"age (bands)": bands}),
        graph=by_hand,
        sensitive="age (bands)",
        reference="below 30",
    )
    assert set(found.levels) == set(labels)
    same(found, expected)
    assert bands[table["age"] == 30].tolist() == ["30 to below 50.5"] * 40  # its lower end is in
    reads = explained(table, sensitive="age", bands=[30], inputs=[*INPUTS, "age"])
    assert "age (bands) → age → prediction" in map(str, reads.paths)


def test_links_from_another_table_have_the_same_strata():
    found = explained(people(), sensitive=["race", "sex"], links_from=people(500, 1))
    assert len(found.levels) == 4
    banded = explained(people(), sensitive="age", bands=[40], links_from=people(500, 1))
    assert len(banded.levels) == 2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"sensitive": ["race"]}, "is given by its name: sensitive='race'"),
        ({"sensitive": ["race", "race"]}, "names 'race' twice"),
        ({"sensitive": ["race", "rcae"]}, "There is no column 'rcae'"),
        ({"sensitive": ["race", 3]}, "lists names of columns, got 3"),
        ({"sensitive": []}, "sensitive is empty"),
        ({"sensitive": 3}, "got 3"),
        ({"sensitive": ["race", "sex"], "bands": [30]}, "cuts one sensitive attribute"),
        ({"sensitive": "race", "bands": [30]}, "Only a number can be cut into bands"),
        ({"sensitive": "age", "bands": [50, 30]}, "ascending numbers"),
        ({"sensitive": "age", "bands": []}, "ascending numbers"),
        ({"sensitive": "age", "bands": "30"}, "ascending numbers"),
        ({"sensitive": "age", "bands": 30}, "ascending numbers"),
        ({"sensitive": "age", "bands": [np.nan]}, "ascending numbers"),
        ({"sensitive": "age", "bands": [99]}, "only one level"),
        ({"sensitive": ["race", "sex"], "graph": None}, "needs graph="),
        ({"sensitive": ["race", "gone"]}, "missing in 5 rows"),
        ({"sensitive": "gap", "bands": [30]}, "missing in 5 rows"),
    ],
)
def test_wrong_strata_are_refused(options, says):
    table = people()
    table["gone"] = table["sex"].where(np.arange(len(table)) >= 5)
    table["gap"] = table["age"].where(np.arange(len(table)) >= 5)
    with pytest.raises(fp.DataError, match=says):
        explained(table, **options)


def test_a_path_from_one_to_the_other_is_a_cycle():
    graph = fp.CausalGraph.parse("race -> town; town -> sex; sex -> job")
    with pytest.raises(fp.GraphError, match="race × sex"):
        explained(people(), graph=graph, sensitive=["race", "sex"], inputs=["job"])
