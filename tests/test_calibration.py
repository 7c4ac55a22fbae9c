"""Right links are calibrated at their nominal rate, wrong ones are caught where they are wrong."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import fairpath as fp
from worlds import explained, hired, mixed, people

GRAPH = fp.CausalGraph.parse("sex -> job; sex -> trade; job -> trade; trade -> pay; sex -> pay")


def world(n, seed, *, bend=0.0):
    rng = np.random.default_rng(seed)
    sex = rng.integers(0, 2, n)
    job = sex + rng.normal(size=n)
    trade = rng.random(n) < 1 / (1 + np.exp(-job + sex))
    pay = trade + 0.5 * sex + bend * sex * np.sign(rng.normal(size=n)) + rng.normal(size=n)
    return pd.DataFrame({"sex": sex, "job": job, "trade": trade, "pay": pay})


def game(data, links="linear", seed=0):
    return fp.PathGame.fit(data, graph=GRAPH, sensitive="sex", links=links, seed=seed)


@pytest.mark.parametrize("links", ["linear", "auto"])
def test_right_links_are_calibrated(links):
    n_tables = 60
    values = np.concatenate(
        [
            fp.calibration(game(world(1000, seed), links, seed))["p_value"]
            for seed in range(n_tables)
        ]
    )
    # Links are estimated from four times the tested rows: a little more than 5 % is right.
    assert (values < 0.05).mean() < 0.09
    assert (values < 0.001).mean() < 0.01


def test_a_link_is_caught_in_the_stratum_where_it_is_wrong():
    # Of the stratum 1 a half is paid 3 more and a half 3 less: not what a line and its noise say.
    table = fp.calibration(game(world(4000, 1, bend=3.0)))
    pay = table[table["feature"] == "pay"].set_index("stratum")
    rest = table[table["feature"] != "pay"]
    assert pay.loc["1", "p_value"] < 1e-6
    assert pay.loc["1", "distance"] > 0.1
    assert (rest["p_value"] > 0.001).all()
    forest = fp.calibration(game(world(4000, 1, bend=3.0), "forest"))
    assert (forest["distance"] < 0.1).all()


def test_missing_values_and_categories_are_checked_too():
    found = explained(mixed(600), lambda rows: rows["hours"], inputs=["hours", "pay", "job"],
                      output="score", links="auto")  # fmt: skip
    table = fp.calibration(found)
    assert set(table["feature"]) == {"age", "job", "hours", "pay"}
    assert table.groupby("feature").size().eq(3).all()
    assert (table["distance"] < 0.25).all()
    assert table.equals(fp.calibration(found))


def test_relative_to_the_outcome_each_outcome_has_links():
    _, found = hired(disparity="equalized_odds", rounds=1)
    assert fp.calibration(found)["outcome"].unique().tolist() == [1, 0]


def test_the_table_is_of_the_callers_library():
    data = pa.table(people().to_dict("list"))
    assert isinstance(fp.calibration(explained(data)), pa.Table)


def test_what_has_no_links(tmp_path):
    found = explained(people())
    found.save(tmp_path / "found")
    with pytest.raises(fp.DataError, match="does not know its links"):
        fp.calibration(fp.load(tmp_path / "found"))
    with pytest.raises(fp.DataError, match="needs 40 rows"):
        fp.calibration(game(world(30, 0)))
    lonely = fp.CausalGraph.parse("job -> pay")
    alone = fp.CausalGraph((*lonely.directed,), nodes=["sex", *lonely.nodes])
    with pytest.raises(fp.DataError, match="no link to check"):
        fp.calibration(fp.PathGame.fit(world(100, 0), graph=alone, sensitive="sex", links="linear"))
