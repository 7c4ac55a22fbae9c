"""One person's worlds and contributions, beside what `values` and `explain` say of the same row."""

from functools import lru_cache
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fairpath as fp
from worlds import GRAPH, INPUTS, chance, explained, mixed, mixed_chance, number, people, score

NUMBERS, MIXED = people(), mixed()
THREE, SEVEN = people(300, strata=("a", "b", "c")), people(420, strata=tuple(range(7)))

CASES = {
    "linear": (NUMBERS, chance, {"links": "linear"}),
    "forest": (NUMBERS, chance, {"links": "forest", "seed": 5}),
    "mixed": (MIXED, mixed_chance, {"links": "forest"}),
    "mixed, linear": (MIXED, mixed_chance, {"links": "linear", "seed": 2}),
    "three strata": (THREE, chance, {"links": "forest"}),
    "seven strata": (SEVEN, chance, {"links": "linear"}),
    "merged": (NUMBERS, chance, {"links": "forest", "max_length": 1}),
    "no paths": (NUMBERS, chance, {"graph": fp.CausalGraph.parse("sex -> age; job")}),
    "reads sex": (
        NUMBERS,
        lambda rows: chance(rows) * (1 - 0.5 * number(rows, "sex")),
        {"links": "linear", "inputs": [*INPUTS, "sex"]},
    ),
}
ROW = 17

each_case = pytest.mark.parametrize("case", CASES)


@lru_cache
def fitted(case):
    table, model, options = CASES[case]
    usual = {"graph": GRAPH, "sensitive": "sex", "inputs": INPUTS}
    return table, model, fp.PathGame.fit(table, **{**usual, **options})


def shares(game, worlds):
    """Return P(a') of the other level in each row."""
    of = dict(zip(game.strata, game.shares, strict=True))
    return np.array([of[level] for level in worlds["other"]])


@each_case
def test_with_all_paths_a_row_is_as_it_is(case):
    table, model, game = fitted(case)
    for row in (0, ROW, 239):
        worlds = game.worlds(table, row=row, model=model)
        kept = worlds[worlds["held"] == "all"]
        others = [level for level in game.strata if level != table["sex"][row]]
        assert list(kept["other"]) == others
        assert list(worlds) == ["other", "held", *game.inputs, "output"]
        factual = table.iloc[[row] * len(kept)][list(game.inputs)].reset_index(drop=True)
        pd.testing.assert_frame_equal(
            kept[list(game.inputs)].reset_index(drop=True),
            factual,
            check_exact=True,
            check_dtype=case != "mixed, linear",  # whole hours on a straight line
        )
        assert (kept["output"] == model(factual)).all()
    sides = 2 * len(game.players) + 2
    assert len(worlds) == sides * (len(game.strata) - 1)
    assert list(worlds["held"][:sides]) == [
        "all",
        *(f"without {path}" for path in game.players),
        *(f"only {path}" for path in game.players),
        "none",
    ]


@each_case
def test_averaged_over_other_levels_worlds_are_values(case):
    table, model, game = fitted(case)
    worlds = game.worlds(table, row=ROW, model=model)
    factual = np.asarray(model(table.iloc[[ROW]]))[0]
    own = game.shares[list(game.strata).index(table["sex"][ROW])]
    everyone = set(game.players)
    kept = {"none": set(), "all": everyone}
    kept |= {f"without {path}": everyone - {path} for path in game.players}
    kept |= {f"only {path}": {path} for path in game.players}
    for held, paths in kept.items():
        rows = worlds[worlds["held"] == held]
        value = shares(game, rows) @ rows["output"] + own * factual
        assert value == pytest.approx(game.values(model, table, keep=paths)[ROW], abs=1e-12)
    if game.players:
        assert worlds["output"].nunique() > 3


@each_case
def test_contributions_are_those_of_the_explanation(case):
    table, model, game = fitted(case)
    told = fp.explain(
        model, table, game=game, method="exact", intervals=None, seed=CASES[case][2].get("seed", 0)
    )
    rows = [ROW, 3, 239, 3]
    found = game.contributions(model, table, rows=rows)
    assert list(found) == [*map(str, game.players), "prediction", "base"]
    assert found["prediction"].to_numpy() == pytest.approx(told.predictions[rows], abs=1e-12)
    assert found["base"].to_numpy() == pytest.approx(told.base_values[rows], abs=1e-12)
    for i, path in enumerate(told.paths):
        assert found[str(path)].to_numpy() == pytest.approx(told.values[rows, i], abs=1e-12)
    total = found[[str(path) for path in game.players]].sum(axis=1)
    assert total.to_numpy() == pytest.approx(found["prediction"] - found["base"], abs=1e-12)
    # v(∅) is the mean of the worlds in which no path carries the own level.
    worlds = game.worlds(table, row=ROW, model=model).query("held == 'none'")
    own = game.shares[list(game.strata).index(table["sex"][ROW])]
    base = shares(game, worlds) @ worlds["output"] + own * found["prediction"][0]
    assert base == pytest.approx(told.base_values[ROW], abs=1e-12)
    if game.players:
        assert (found[str(told.paths[0])] != 0).all()
    whole = game.contributions(model, table)
    assert len(whole) == len(table)
    pd.testing.assert_frame_equal(whole.iloc[rows].reset_index(drop=True), found, rtol=1e-9)


def test_by_hand_on_straight_lines():
    rng = np.random.default_rng(0)
    sex = np.arange(200) % 2
    job = sex + rng.normal(size=200)
    pay = job + 0.5 * sex + rng.normal(size=200)
    table = pd.DataFrame({"sex": sex, "job": job, "pay": pay})
    game = fp.PathGame.fit(
        table, graph=fp.CausalGraph.parse("sex -> job; sex -> pay; job -> pay"), sensitive="sex",
        inputs=["job", "pay"], links="linear",
    )  # fmt: skip
    one = np.ones(200)
    a = np.linalg.lstsq(np.column_stack([one, sex]), job)[0][1]
    b, c = np.linalg.lstsq(np.column_stack([one, sex, job]), pay)[0][1:]
    worlds = game.worlds(table, row=5).set_index("held")  # sex is 1, set against 0
    gone = {
        "all": (0, 0),
        "without sex → job → prediction": (a, 0),
        "without sex → pay → prediction": (0, b),
        "without sex → job → pay → prediction": (0, a * c),
        "only sex → job → prediction": (0, b + a * c),
        "only sex → pay → prediction": (a, a * c),
        "only sex → job → pay → prediction": (a, b),
        "none": (a, b + a * c),
    }
    assert set(worlds.index) == set(gone)
    for held, (from_job, from_pay) in gone.items():
        expected = [job[5] - from_job, pay[5] - from_pay]
        assert list(worlds.loc[held, ["job", "pay"]]) == pytest.approx(expected, abs=1e-9)
    found = game.contributions(lambda rows: 2 * rows["pay"], table, rows=[5], output="score")
    half = {"sex → pay → prediction": b, "sex → job → pay → prediction": a * c}
    for name, product in half.items():  # twice the pay, and P(a' = 0) is one half
        assert found[name][0] == pytest.approx(product, abs=1e-9)
    assert found["sex → job → prediction"][0] == 0


@pytest.mark.parametrize("case", ["linear", "forest", "mixed", "three strata"])
def test_one_row_alone_is_the_first_of_its_table(case):
    table, model, game = fitted(case)
    rest = [row for row in range(len(table)) if row != ROW]
    first = table.iloc[[ROW, *rest]].reset_index(drop=True)
    alone = game.worlds(table.iloc[[ROW]], model=model)
    pd.testing.assert_frame_equal(alone, game.worlds(first, row=0, model=model), rtol=1e-9)
    inside = game.worlds(table, row=ROW, model=model)
    # A straight line leaves nothing open: the same in any place.
    assert np.allclose(alone["output"], inside["output"]) == (case == "linear")
    one, many = (game.contributions(model, rows, rows=[0]) for rows in (table.iloc[[ROW]], first))
    pd.testing.assert_frame_equal(one, many, rtol=1e-9)
    assert one.equals(game.contributions(model, table.iloc[[ROW]]))


def test_one_row_need_not_know_all_labels():
    table = MIXED.assign(job=MIXED["job"].astype("category"), city=MIXED["city"].astype("category"))
    game = fp.PathGame.fit(table, graph=GRAPH, sensitive="sex", inputs=INPUTS, links="forest")
    row = table.iloc[[ROW]]
    narrow = row.assign(job=row["job"].cat.remove_unused_categories())
    assert list(narrow["job"].cat.categories) == ["clerk"]
    worlds = game.worlds(narrow, model=mixed_chance)
    assert set(worlds["job"]) == {"clerk", "cook"}
    assert worlds["output"].equals(game.worlds(row, model=mixed_chance)["output"])


@pytest.mark.parametrize("case", ["linear", "mixed"])
@pytest.mark.parametrize(
    ("convert", "kind"), [(pl.from_pandas, pl.DataFrame), (pa.Table.from_pandas, pa.Table)]
)
def test_tables_come_back_as_given(case, convert, kind):
    table, model, game = fitted(case)
    data = convert(table)
    again = fp.PathGame.fit(data, graph=GRAPH, sensitive="sex", inputs=INPUTS, **CASES[case][2])
    worlds, found = again.worlds(data, row=ROW, model=model), again.contributions(model, data)
    expected = game.worlds(table, row=ROW, model=model), game.contributions(model, table)
    for one, other in zip((worlds, found), expected, strict=True):
        assert isinstance(one, kind)
        pd.testing.assert_frame_equal(one.to_pandas(), other, check_dtype=False, rtol=1e-12)
    if kind is pl.DataFrame:
        for name in again.inputs:
            same = worlds.schema[name] == data.schema[name]
            assert same or data.schema[name] == pl.Int64  # a straight line between whole numbers


def test_types_of_inputs():
    table, _, game = fitted("mixed")
    worlds = game.worlds(table, row=ROW)
    assert "output" not in worlds
    assert dict(worlds.dtypes[INPUTS]) == dict(table.dtypes[INPUTS])
    assert worlds["hours"].dtype == np.int64
    assert set(worlds["job"]) <= {"clerk", "cook"}
    assert type(worlds["other"][0]) is str
    for strata in ((False, True), (2, 5)):
        data = people(strata=strata)
        game = fp.PathGame.fit(data, graph=GRAPH, sensitive="sex", inputs=INPUTS, links="linear")
        other = game.worlds(data, row=0)["other"]
        assert other.dtype == data["sex"].dtype
        assert set(other) == set(strata) - {data["sex"][0]}


def test_inputs_may_have_any_name():
    renamed = {"pay": "output", "hours": "held", "job": "other"}
    table = NUMBERS.rename(columns=renamed)
    graph = fp.CausalGraph.parse("sex -> other; sex -> held; other -> output; held -> output")
    game = fp.PathGame.fit(table, graph=graph, sensitive="sex", inputs=list(renamed.values()),
                           links="linear")  # fmt: skip
    worlds = game.worlds(table, row=0, model=lambda rows: rows["output"], output="score")
    assert list(worlds) == ["other_", "held_", "output", "held", "other", "output_"]
    assert (worlds["output_"] == worlds["output"]).all()


def test_options_of_the_output():
    table, _, game = fitted("linear")
    for options, expected in [
        ({"model": score, "output": "score"}, score),
        ({"model": chance, "output": "decision", "threshold": 0.4}, lambda r: chance(r) > 0.4),
    ]:
        worlds = game.worlds(table, row=ROW, **options)
        assert worlds["output"].to_numpy() == pytest.approx(np.asarray(expected(worlds), float))
        model = options.pop("model")
        found = game.contributions(model, table, rows=[ROW], **options)
        assert found["prediction"][0] == worlds["output"][0]


def test_rows_that_are_none():
    table, model, game = fitted("linear")
    with pytest.raises(fp.DataError, match="has 240 rows"):
        game.worlds(table)
    for row in (240, -1, 1.0, True, "3", None):
        message = r"whole number from 0 to 239; got"
        if row is not None:
            with pytest.raises(fp.DataError, match=message):
                game.worlds(table, row=row)
        with pytest.raises(fp.DataError, match=message):
            game.contributions(model, table, rows=[0, row])
    with pytest.raises(fp.DataError, match="rows is empty"):
        game.contributions(model, table, rows=[])
    with pytest.raises(fp.DataError, match="got 'all'"):
        game.contributions(model, table, rows="all")


def test_too_many_paths_name_a_way_out():
    names = ["sex", *"abcde"]
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(100, 6)), columns=names)
    table["sex"] = np.arange(100) % 2
    graph = fp.CausalGraph(tuple(combinations(names, 2)))
    game = fp.PathGame.fit(
        table, graph=graph, sensitive="sex", inputs=list("abcde"), links="linear"
    )
    assert len(game.players) == 31

    def model(rows):
        return sum(number(rows, name) for name in "abcde")

    with pytest.raises(fp.DataError, match=r"2 \*\* 31 coalitions .* game=game, method='sampled'"):
        game.contributions(model, table, rows=[0], output="score")
    assert len(game.worlds(table, row=0, model=model, output="score")) == 64
    told = explained(table, model, game=game, graph=None, sensitive=None, inputs=None, links="auto",
                     method="sampled", output="score")  # fmt: skip
    assert told.values.shape == (100, 31)
