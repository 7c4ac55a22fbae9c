"""What must not change an explanation, and what must."""

from functools import lru_cache

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fairpath as fp
from worlds import (
    GRAPH,
    INPUTS,
    by_path,
    chance,
    explained,
    mixed,
    mixed_chance,
    number,
    people,
    same_bits,
    score,
)

TABLE, MIXED = people(300), mixed(300)
EXACT = {"method": "exact", "outcome": "hired"}
RUNS = 6


@lru_cache
def usual():
    return explained(TABLE, **EXACT)


def numbers(found, stratum=None):
    """Return every number without its interval, by what it is."""
    table = found.table()
    table = table if stratum is None else table[table["stratum"] == stratum]
    listed = {
        (row["path"], name): row[name]
        for row in table.to_dict("records")
        for name in ("contribution", "utility", "disparity_if_cut", "utility_if_cut")
        if np.isfinite(row[name])
    }
    disparity = found.disparity if stratum is None else found.disparity[stratum]
    return listed | {"disparity": disparity.value}


def assert_same(one, other, abs_=1e-9):
    assert numbers(one) == pytest.approx(numbers(other), abs=abs_)


def assert_same_on_average(ask, other):
    """Assert that contributions over several seeds agree within their Monte-Carlo error."""
    runs = [
        [by_path(one(seed)) for seed in range(start, start + RUNS)]
        for one, start in ((ask, 0), (other, 100))
    ]
    first, second = (pd.DataFrame(run) for run in runs)
    assert sorted(first) == sorted(second)
    error = np.sqrt((first.var() + second.var()) / RUNS)
    assert error.max() > 0  # else there were nothing to average
    gap = (first.mean() - second.mean()).abs()
    assert (gap <= 4.5 * error + 1e-9).all(), gap / error
    assert gap.max() < 0.1 * first.mean().abs().max()


LONG = people(9_000, 3)


@lru_cache
def in_one_go(method):
    return explained(LONG, method=method, intervals="refit", outcome="hired")


@pytest.mark.parametrize("method", ["exact", "sampled"])
@pytest.mark.parametrize(
    "how",
    [
        {"batch_size": 1000},
        {"batch_size": 10_000},
        {"n_jobs": 1},
        {"n_jobs": 2, "batch_size": 1000},
    ],
    ids=str,
)
def test_how_it_is_computed_does_not_matter(method, how):
    found = explained(LONG, method=method, intervals="refit", outcome="hired", **how)
    assert found.replicates
    assert same_bits(found, in_one_go(method))


def test_nor_for_forests():
    asked = {"links": "forest", "intervals": "refit", "cross_fit": 2, "outcome": "hired"}
    runs = [
        explained(MIXED, mixed_chance, **asked, **how)
        for how in ({}, {"n_jobs": 2, "batch_size": 50})
    ]
    assert same_bits(*runs)
    assert runs[0].replicates


@pytest.mark.parametrize("to", [pl.from_pandas, pa.Table.from_pandas], ids=["polars", "pyarrow"])
@pytest.mark.parametrize("links", ["linear", "forest"])
def test_any_table_gives_the_same_bits(to, links):
    asked = {"links": links, "intervals": "refit", "outcome": "hired"}
    for table, model in ((TABLE, chance), (MIXED, mixed_chance)):
        plain, other = (explained(t, model, **asked) for t in (table, to(table)))
        assert same_bits(plain, other)
        assert plain.levels == other.levels
        assert plain.replicates


def test_the_index_of_a_table_does_not_matter():
    table = TABLE.set_axis(np.arange(300)[::-1], axis=0)
    assert same_bits(explained(table, **EXACT), usual())


ORDER = np.random.default_rng(4).permutation(300)


def test_the_order_of_rows_does_not_matter():
    found = explained(TABLE.iloc[ORDER], **EXACT)
    assert_same(found, usual())
    assert found.paths == usual().paths
    rows = found.rows.to_numpy()
    assert rows == pytest.approx(usual().rows.to_numpy()[ORDER], abs=1e-9)


def test_the_order_of_columns_does_not_matter():
    table = TABLE[sorted(TABLE, reverse=True)]
    assert same_bits(explained(table, **EXACT), usual())


@pytest.mark.parametrize("options", [{"links": "linear"}, {"links": "forest"}], ids=str)
def test_nor_does_the_order_of_rows_on_average(options):
    shuffled = MIXED.iloc[ORDER]
    assert_same_on_average(
        lambda seed: explained(MIXED, mixed_chance, seed=seed, **options),
        lambda seed: explained(shuffled, mixed_chance, seed=seed, **options),
    )


@pytest.mark.parametrize(
    "levels", [("f", "m"), ("m", "f"), (False, True), (-3.5, 7.0), (2, 1)], ids=str
)
def test_names_of_strata_do_not_matter(levels):
    table = TABLE.assign(sex=[levels[level] for level in TABLE["sex"]])
    found = explained(table, **EXACT, reference=levels[0])
    assert_same(found, usual())
    assert_same(
        explained(table, **EXACT, reference=levels[1]), explained(TABLE, **EXACT, reference=1)
    )


def test_names_of_three_strata_do_not_matter():
    table = people(300, strata=(0, 1, 2))
    renamed = table.assign(sex=table["sex"].map({0: "z", 1: "y", 2: "x"}))
    found, other = explained(table, **EXACT), explained(renamed, **EXACT, reference="z")
    for level, name in [(1, "y"), (2, "x")]:
        assert numbers(found, level) == pytest.approx(numbers(other, name), abs=1e-9)


@pytest.mark.parametrize("method", ["exact", "sampled"])
def test_names_of_features_do_not_matter(method):
    # In another alphabetical order, with blanks and signs.
    new = {"age": "z z", "city": "→", "job": "y.1", "hours": "x", "pay": "a", "sex": "Sex?"}
    graph = fp.CausalGraph(
        directed=[
            (new.get(cause, cause), new.get(effect, effect)) for cause, effect in GRAPH.directed
        ]
    )

    def model(rows):
        return chance({name: number(rows, new[name]) for name in INPUTS})

    found = explained(
        TABLE.rename(columns=new), model, graph=graph, sensitive=new["sex"],
        inputs=[new[name] for name in INPUTS], outcome="hired", method=method, rounds="auto",
    )  # fmt: skip
    plain = explained(TABLE, outcome="hired", method=method)
    back = {new_name: name for name, new_name in new.items()}
    of_path = {tuple(back[node] for node in path.nodes): path for path in found.paths}
    assert set(of_path) == {path.nodes for path in plain.paths}
    if method == "exact":
        for path in plain.paths:
            one, other = (
                run.contribution([p]).value
                for run, p in ((plain, path), (found, of_path[path.nodes]))
            )
            assert one == pytest.approx(other, abs=1e-9)
    assert found.disparity.value == pytest.approx(plain.disparity.value, abs=1e-12)
    assert found.remainder.value == pytest.approx(plain.remainder.value, abs=1e-9)
    assert found.utility.value == pytest.approx(plain.utility.value, abs=1e-12)


def test_a_block_has_no_order():
    graph = fp.CausalGraph.parse("sex -> job; job -- hours; sex -> hours; hours -> pay; job -> pay")
    new = {"job": "jobs", "hours": "a"}  # the other one comes first
    renamed = fp.CausalGraph.parse("sex -> jobs; jobs -- a; sex -> a; a -> pay; jobs -> pay")

    def model(rows):
        return chance({name: number(rows, new.get(name, name)) for name in INPUTS})

    plain = explained(TABLE, graph=graph, **EXACT)
    found = explained(
        TABLE.rename(columns=new),
        model,
        graph=renamed,
        inputs=[new.get(n, n) for n in INPUTS],
        **EXACT,
    )
    assert any(isinstance(node, tuple) for path in plain.paths for node in path.nodes)
    one, other = (sorted(by_path(run).values()) for run in (plain, found))
    assert one == pytest.approx(other, abs=1e-9)
    assert min(np.diff(one)) > 1e-6  # no two alike, so each has its twin


@pytest.mark.parametrize("copies", [2, 3])
@pytest.mark.parametrize("apart", [False, True])
def test_every_row_again_changes_nothing(copies, apart):
    rows = np.tile(np.arange(300), copies) if apart else np.arange(300).repeat(copies)
    assert_same(explained(TABLE.iloc[rows], **EXACT), usual())


WEIGHTS = np.random.default_rng(5).integers(0, 4, 300)
REPEATED = np.arange(300).repeat(WEIGHTS)


def test_a_weight_is_that_many_rows():
    found = explained(TABLE, sample_weight=WEIGHTS, **EXACT)
    other = explained(TABLE.iloc[REPEATED], **EXACT)
    assert_same(found, other)
    assert found.paths == other.paths
    assert found.disparity.value != pytest.approx(usual().disparity.value, abs=1e-4)


def test_so_it_is_for_intervals():
    asked = {"intervals": "refit", "method": "exact", "outcome": "hired"}
    found = explained(TABLE, sample_weight=WEIGHTS, **asked)
    other = explained(TABLE.iloc[REPEATED], **asked)
    # Both are divided into as many parts, and copies of a row are dealt out like other rows.
    shapes = [[len(partition) for partition in one.replicates] for one in (found, other)]
    assert shapes[0] == shapes[1]
    one, two = (run.contributions().standard_errors for run in (found, other))
    assert one == pytest.approx(two, rel=1e-6)
    assert found.disparity.standard_error == pytest.approx(other.disparity.standard_error)
    assert found.utility.standard_error == pytest.approx(other.utility.standard_error)


@pytest.mark.parametrize("links", ["linear", "forest"])
def test_so_it_is_on_average(links):
    assert_same_on_average(
        lambda seed: explained(MIXED, mixed_chance, links=links, sample_weight=WEIGHTS, seed=seed),
        lambda seed: explained(MIXED.iloc[REPEATED], mixed_chance, links=links, seed=seed),
    )


def test_weights_have_no_scale():
    found, scaled = (explained(TABLE, sample_weight=w, **EXACT) for w in (WEIGHTS, WEIGHTS * 0.25))
    assert_same(found, scaled)


def test_another_seed():
    exact = [explained(TABLE, **EXACT, seed=seed) for seed in (0, 1)]
    assert same_bits(*exact)
    again, forest, other = (
        explained(TABLE, links="forest", method="exact", seed=seed) for seed in (0, 0, 1)
    )
    assert same_bits(again, forest)
    assert not same_bits(forest, other)
    assert forest.disparity.value == other.disparity.value
    assert forest.predictions.tolist() == other.predictions.tolist()
    drawn = [explained(TABLE, method="sampled", rounds=1, seed=seed) for seed in (0, 0, 1)]
    assert same_bits(*drawn[:2])
    assert not same_bits(*drawn[1:])


def test_linear_in_the_model():
    def both(rows):
        return 3 * score(rows) - chance(rows)

    one, two, sum_ = (
        numbers(explained(TABLE, model, output="score", method="exact"))
        for model in (score, chance, both)
    )
    expected = {name: 3 * one[name] - two[name] for name in one}
    assert sum_ == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("links", ["linear", "forest"])
def test_intervals_that_take_links_as_given_are_narrower(links):
    table = people(1500)
    found = explained(table, links=links, intervals="refit", outcome="hired")
    naive = np.sqrt(np.diag(found.tally.covariance(1, 0)))[: len(found.paths)]
    errors = found.contributions().standard_errors
    assert (errors > naive).mean() > 0.7
    assert errors.sum() > 1.3 * naive.sum()
