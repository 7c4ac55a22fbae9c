"""Whatever is wrong with what a caller gives: one error that says what it is and what to do."""

import re
import warnings
from itertools import count

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import fairpath as fp
from worlds import GRAPH, INPUTS, by_path, chance, explained, mixed, number, people

TABLE, MIXED = people(), mixed()
ROWS = np.arange(240)
THREE = people(300, strata=(0, 1, 2))
GAME = fp.PathGame.fit(TABLE, graph=GRAPH, sensitive="sex", inputs=INPUTS, links="linear")
CLASSIFIER = LogisticRegression().fit(TABLE[INPUTS], TABLE["hired"])
CONTAINERS = {"pandas": pd.DataFrame, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}


def fitted(data, _, **options):
    usual = {"graph": GRAPH, "sensitive": "sex", "inputs": INPUTS, "links": "linear"}
    return fp.PathGame.fit(data, **{**usual, **options})


def values(data, model, **options):
    return GAME.values(model, data, **{"keep": (), **options})


def with_game(data, model, **options):
    return fp.explain(model, data, **{"game": GAME, **options})


def half(rows):
    return np.full(len(rows), 0.5)


def refuse(*verbs, says, data=TABLE, model=chance, error=fp.DataError, **options):
    """Check for one error of this library that says what is wrong, and what to do or be."""
    for verb in verbs:
        with pytest.raises(fp.errors.FairpathError, match=says) as caught:
            verb(data, model, **options)
        assert type(caught.value) is error
        assert re.search(r"[.;:,] [A-Za-z]|\bmust\b|\bneeds?\b", str(caught.value))


BAD_COLUMNS = {
    "gone": ({"sex": None}, {}, "no column 'sex'. There are: age, city"),
    "constant": ({"sex": 1}, {}, "'sex' has only one level in these rows"),
    "60 levels": ({"sex": ROWS % 60}, {}, "'sex' has 60 levels. Cut it into a few bands"),
    "2 missing": ({"sex": [None] * 2 + [0.0, 1.0] * 119}, {}, "'sex' is missing in 2 rows. Drop"),
    "infinite": ({"pay": np.where(ROWS < 1, -np.inf, 1)}, {}, "'pay' holds 1 infinite number. R"),
    "date": ({"pay": pd.Timestamp("2020-01-01")}, {}, "'pay' holds Datetime.* an age"),
    "node": ({"hours": None}, {"inputs": ["pay"]}, "'hours' is on a path .* Add the column"),
    "input": ({}, {"inputs": ["job", "paid"]}, r"no column 'paid'\. "),
    "case": ({}, {"inputs": ["job", "PAY"]}, r"no column 'PAY'\. Did you mean pay\?"),
    "3 outcomes": ({"hired": ROWS % 3}, {"outcome": "hired"}, "'hired' has 3 levels, .* Make it"),
    "no outcome": ({"hired": [None, 1.0, 0.0] * 80}, {"outcome": "hired"}, "missing in 80 rows. D"),
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("case", BAD_COLUMNS)
def test_columns_that_are_wrong(container, case):
    new, options, says = BAD_COLUMNS[case]
    table = TABLE.drop(columns=[name for name, column in new.items() if column is None])
    table = table.assign(**{name: column for name, column in new.items() if column is not None})
    wrong = {"data": CONTAINERS[container](table), "model": half}
    refuse(explained, says=says, **wrong, **options)
    if "outcome" not in options:
        refuse(fitted, says=says, **wrong, **options)
    if not options and case != "constant":
        refuse(values, with_game, says=f"'{next(iter(new))}'", **wrong)


BAD_TABLES = {
    "list": ([[1, 2]], "Got a list, need a pandas, polars or pyarrow table"),
    "array": (TABLE.to_numpy(), "Got a ndarray, need"),
    "None": (None, "Got a NoneType, need"),
    "lazy": (CONTAINERS["polars"](TABLE).lazy(), "Got a lazy table. Load its rows"),
    "no polars rows": (CONTAINERS["polars"](TABLE)[:0], "The table has no rows"),
    "no arrow rows": (CONTAINERS["pyarrow"](TABLE)[:0], "The table has no rows"),
    "twice": (pd.concat([TABLE, TABLE[["age"]]], axis=1), "Two columns share a name.*'age'"),
    "numbers": (TABLE.rename(columns={"age": 0}), "must be strings, got 0. With pandas"),
    "levels": (pd.concat({"a": TABLE}, axis=1), r"must be strings, got \('a', 'sex'\)"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_tables_that_are_none(case):
    table, says = BAD_TABLES[case]
    refuse(explained, fitted, values, with_game, data=table, says=says)
    if table is not None:  # there None is no other table
        refuse(explained, links_from=table, says=says)
        refuse(fitted, also=table, says=says)


def test_rows_that_are_too_few():
    for data in (TABLE[:1], TABLE[TABLE["sex"] == 1]):
        refuse(explained, fitted, with_game, data=data, says="'sex' has only one level in these")
    refuse(explained, cross_fit=121, says="the smallest has 120. Use fewer folds")
    says, weights = "No row that counts has sex = 2.* drop it from every", THREE["sex"] != 2
    refuse(explained, fitted, data=THREE, sample_weight=weights, says=says)
    refuse(explained, data=THREE, links_from=TABLE, says=says)
    refuse(explained, data=TABLE, links_from=THREE, says=says)


@pytest.mark.parametrize("links", ["auto", "linear", "forest"])
@pytest.mark.parametrize("n", [1, 2, 4])
def test_two_rows_and_more_are_explained(links, n):
    place = np.argsort(TABLE["sex"].to_numpy(), kind="stable")[[*range(n), *range(-n, 0)]]
    with pytest.warns(UserWarning, match=f"only {n} row"):
        found = explained(TABLE.iloc[place], links=links, intervals="refit")
    assert np.isfinite(found.contributions().values).all()
    assert any("no intervals" in note for note in found.notes) is (n < 4)


@pytest.mark.parametrize("n", [29, 30])
def test_a_small_stratum_gets_a_warning_and_a_note(n):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = explained(TABLE.assign(sex=np.where(n > ROWS, "few", "many")))
    said = "the stratum sex = few has only 29 rows: its numbers are uncertain"
    assert [str(warning.message) for warning in caught] == [said] * (n < 30)
    assert (said in found.notes) is (n < 30)


OTHER, NAMELESS = LinearRegression(), LinearRegression()
BAD_MODELS = {
    "raises": (lambda rows: rows["zzz"], "KeyError: 'zzz'.* Check that these are its columns"),
    "NaN": (lambda rows: np.where(number(rows, "pay") > 0, np.nan, 0.5), "NaN or infinity for "),
    "short": (lambda rows: half(rows)[1:], r"shape \(239,\) about 240 rows. It must"),
    "wide": (lambda rows: np.ones((len(rows), 3)), r"shape \(240, 3\), need one number per row"),
    "words": (lambda rows: ["yes"] * len(rows), "answers 'yes' and the like, need numbers. P"),
    "class": (LogisticRegression, "Got the class LogisticRegression, need a trained model"),
    "untrained": (LogisticRegression(), "not trained yet: call its fit first"),
    "other columns": (OTHER.fit(TABLE[["age", "pay"]], ROWS), "reads 'age', which inputs lacks. N"),
    "no names": (NAMELESS.fit(TABLE[["age", "pay"]].to_numpy(), ROWS), "and inputs names 4.* Give"),
}


@pytest.mark.parametrize("case", BAD_MODELS)
def test_models_that_do_not_answer(case):
    model, says = BAD_MODELS[case]
    refuse(explained, values, with_game, model=model, says=says)


def test_models_that_fail_on_these_rows():
    lacking = LinearRegression().fit(TABLE[["pay"]].assign(rank=1.0), TABLE["hired"])
    refuse(explained, model=lacking, inputs=None, says="no column 'rank'. There are")
    reader = LogisticRegression().fit(TABLE[["pay", "hired"]], TABLE["hired"])
    says = "reads the outcome 'hired'. Leave out"
    refuse(explained, model=reader, inputs=None, outcome="hired", says=says)
    calls = count()
    failing = lambda rows: half(rows) if next(calls) < 3 else 1 / 0  # noqa: E731
    refuse(explained, model=failing, says="failed on .* rows with ZeroDivisionError: .* Check")
    tasks = make_pipeline(OneHotEncoder(handle_unknown="error"), LogisticRegression())
    tasks.fit(MIXED[["city", "job"]], MIXED["hired"])
    unseen = MIXED.assign(job=np.where(ROWS < 9, "nurse", MIXED["job"]))
    for table in (unseen, pl.from_pandas(unseen)):
        says = r"\['nurse'\].* knows all their categories"
        refuse(explained, data=table, model=tasks, inputs=None, says=says)


def test_a_model_that_answers_equal_rows_differently():
    rng = np.random.default_rng(0)
    with pytest.warns(UserWarning, match="not answer equal rows equally") as caught:
        found = explained(TABLE, lambda rows: 0.5 + 0.01 * rng.random(len(rows)))
    (note,) = [note for note in found.notes if "equally" in note]
    assert str(caught[0].message) == note
    assert 0.005 < float(re.search(r"by up to ([\d.]+)\. ", note)[1]) <= 0.01


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("call", [1, 3, 9, 20])
def test_an_interrupt_passes_at_once(n_jobs, call):
    calls = count(1)

    def interrupted(rows):
        if next(calls) == call:
            raise KeyboardInterrupt
        return half(rows)

    with pytest.raises(KeyboardInterrupt):
        explained(TABLE, interrupted, n_jobs=n_jobs, batch_size=8, intervals="refit")
    assert next(calls) - call < 12  # of more than two hundred


def test_graphs_that_are_none():
    with pytest.raises(fp.GraphError, match=r"cycle: .*Remove"):
        fp.CausalGraph.parse("sex -> job; job -> pay; pay -> age; age -> job")
    for graph in ("sex -> job", {"sex": ["job"]}, 3, [("sex", "job")], fp.CausalGraph):
        says = f"must be a CausalGraph, got {type(graph).__name__}. Use CausalGraph.parse"
        for options in ({}, {"inputs": None}, {"resolve": True}, {"outcome": "hired"}):
            given = {"graph": graph, "error": fp.GraphError, **options}
            refuse(explained, fitted, model=CLASSIFIER, says=says, **given)
    refuse(explained, graph=None, says="needs graph=, or a fitted game=")
    refuse(fitted, graph=None, inputs=None, error=fp.GraphError, says="got NoneType. Use")
    for edges, says in [("job -> pay", "'sex' is not in"), ("Sex -> pay", "Did you mean 'Sex'")]:
        graph = fp.CausalGraph.parse(edges)
        refuse(explained, fitted, graph=graph, error=fp.GraphError, says=says)


BAD_OPTIONS = {
    "sensitive": ["Sex", 3, ["sex"], np.array(["sex"]), "race"],
    "outcome": ["Hired", 3, ["hired"], "sex", "", "pay"],
    "inputs": ["pay", 3, ["pay", "pay"], [["pay"]], [None], {"job", "pay"}, b"pay"],
    "links": ["Linear", None, ["linear"], {"wage": "auto"}, {"city": "auto"}, {"pay": "best"}],
    "sample_weight": [np.ones(3), np.ones((240, 1)), -np.ones(240), np.full(240, np.nan), "age",
                      ["a"] * 240, ["1"] * 240, np.zeros(240), 1, np.full(240, 1j), [None] * 240,
                      np.full(240, 1e300), [10**400] * 240, pd.date_range("2020", periods=240)],
    "seed": [1.5, True, "a", -1, None, np.nan, [1], np.random.default_rng(0)],
    "n_jobs": [0, "two", 1.5, True], "resolve": ["yes", 1, None],
    "max_paths": [None, 0, 1.5, "all", True],
}  # fmt: skip
ONLY_EXPLAIN = {
    "reference": [2, "0", np.nan, [0], np.array([0, 1]), pd.NA, {0}],
    "disparity": ["parity", None], "order": ["causal", 1], "intervals": ["bootstrap", True],
    "method": ["exactly", None, np.array(["auto", "exact"])], "keep_rows": ["no", 2],
    "rounds": [0, -1, 1.5, "all", True, None], "cross_fit": [1, 0, 2.0, "five", True],
    "batch_size": [0, -1, 1.5, "all"], "progress": ["bar"],
}  # fmt: skip
OF_THE_MODEL = {
    "output": ["logit", None, 3, ["score"], np.array([1, 2])],
    "favourable": [5, "yes", "1", np.nan, [1], np.array([0, 1]), pd.NA],
    "threshold": [np.nan, "a", None, 0, 1, -0.5, 2, [0.5], True],
}


def each(options):
    return pytest.mark.parametrize(
        ("option", "value"), [(name, value) for name, listed in options.items() for value in listed]
    )


@each(BAD_OPTIONS)
def test_options_that_are_wrong(option, value):
    says = {"sample_weight": "[Ww]eight", "links": "link"}.get(option, f"{option}|column|reads")
    refuse(explained, fitted, says=says, **{option: value})
    if option in {"outcome", "sample_weight", "seed", "n_jobs"}:
        refuse(with_game, says=says, **{option: value})


@each(ONLY_EXPLAIN)
def test_options_of_an_explanation_that_are_wrong(option, value):
    refuse(explained, with_game, says=f"{option}( must be|=)", **{option: value})


@each(OF_THE_MODEL)
def test_options_of_the_model_that_are_wrong(option, value):
    says = f"{option}( must|=.* is no class of LogisticRegression. Its classes are 0, 1)"
    asked = {"output": "decision", option: value}
    refuse(explained, values, with_game, model=CLASSIFIER, says=says, **asked)
    if option == "favourable":
        says = "is no level of the outcome 'hired'. Its levels"
        refuse(explained, with_game, favourable=value, outcome="hired", says=says)


def test_options_that_contradict_each_other():
    for options, says in [
        ({"method": "exact", "rounds": 3}, "got rounds=3. Leave rounds out"),
        ({"method": "exact", "order": "topological"}, "use order='uniform'"),
        ({"links_from": TABLE, "cross_fit": 2}, "cross_fit= .* links_from= .* Use one of them"),
        ({"sensitive": None}, "needs sensitive=, or a fitted game="),
    ]:
        refuse(explained, says=says, **options)
    for game in ("game", GRAPH, fp.PathGame, GAME.arrangement, False):
        refuse(with_game, game=game, says="must be a fitted PathGame, got ")
    for name, value in [
        ("graph", GRAPH), ("sensitive", "sex"), ("inputs", []), ("links", {}), ("cross_fit", 2),
        ("links_from", TABLE), ("resolve", True), ("max_paths", 9), ("max_length", 1),
    ]:  # fmt: skip
        refuse(with_game, says=f"{name}= is settled by game=", **{name: value})


def test_rows_that_do_not_fit_the_game():
    other = "No row that counts|one table and labels in the other. Give|ordered levels .* Give"
    for new, says in [
        ({"sex": TABLE["sex"] + 1}, "'sex' holds 2, which the rows that the links .* Add such"),
        ({"sex": "f"}, "'sex' holds 'f', which the rows"),
        ({"pay": "much"}, "'pay' holds labels here and numbers in the rows .* one type"),
    ]:
        refuse(values, with_game, data=TABLE.assign(**new), says=says)
        refuse(explained, links_from=TABLE.assign(**new), says=other)
    words = fitted(MIXED, None, inputs=None)
    says = "'city' holds numbers here and labels .* one type"
    refuse(with_game, data=MIXED.assign(city=1), model=half, game=words, says=says)
    for keep in (3, None, "sex", ["pay"], [("sex", "wage")], [None]):
        refuse(values, keep=keep, error=fp.GraphError, says="path")


ODD_COLUMNS = {
    "truth": {"sex": TABLE["sex"] == 1},
    "unused levels": {"sex": pd.Categorical(TABLE["sex"], categories=[2, 0, 1])},
    "nullable": {"sex": TABLE["sex"].astype("Int64"), "hired": TABLE["hired"].astype("boolean")},
    "large": {"sex": TABLE["sex"] * 2**60},
    "mixed": {"sex": ["f" if sex else 0 for sex in TABLE["sex"]]},
    "bands": {"city": pd.cut(TABLE["city"], [-1, 0, 1])},
}


@pytest.mark.parametrize("case", ODD_COLUMNS)
def test_columns_that_are_only_odd(case):
    def model(rows):
        return chance({**{name: rows[name] for name in INPUTS}, "city": np.zeros(len(rows))})

    new, tolerance = ODD_COLUMNS[case], 0.05 if case == "bands" else 1e-9
    plain, odd = (
        explained(table, model, outcome="hired", method="exact", inputs=(name for name in INPUTS))
        for table in (TABLE, TABLE.assign(**new))
    )
    assert [*by_path(odd).values()] == pytest.approx([*by_path(plain).values()], abs=tolerance)
    assert odd.disparity.value == pytest.approx(plain.disparity.value, abs=1e-12)
