"""What an explanation shows, and that it is the same wherever it is shown."""

from functools import lru_cache
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fairpath as fp
from worlds import explained, number, people, score

STRATA = {2: ("m", "f"), 3: ("a", "b", "c")}
NUMBERS = [
    "contribution", "low", "high", "standard_error", "band_low", "band_high", "share",
    "utility", "utility_low", "utility_high",
    "disparity_if_cut", "disparity_if_cut_low", "disparity_if_cut_high",
    "utility_if_cut", "utility_if_cut_low", "utility_if_cut_high",
]  # fmt: skip


@lru_cache
def found(n_strata=2, *, intervals="refit"):
    table = people(strata=STRATA[n_strata])
    return explained(table, outcome="hired", method="exact", intervals=intervals)


def rows_of(table, stratum):
    return table[table["stratum"] == stratum].reset_index(drop=True)


def at(shown, stratum):
    return shown[stratum] if isinstance(shown, dict) else shown


def compared(one):
    return [one.levels[c.stratum] for c in one.compared]


both = pytest.mark.parametrize("n_strata", [2, 3])


@both
def test_rows_and_remainder_sum_to_the_disparity(n_strata):
    one, table = found(n_strata), found(n_strata).table()
    assert list(dict.fromkeys(table["stratum"])) == compared(one)
    assert len(table) == 8 * (n_strata - 1)
    for stratum in compared(one):
        rows = rows_of(table, stratum)
        disparity = at(one.disparity, stratum).value
        assert rows["contribution"].sum() == pytest.approx(disparity, rel=1e-12)
        assert rows["share"].sum() == pytest.approx(1, rel=1e-12)
        assert list(rows["kind"]) == ["path"] * 7 + ["remainder"]
        assert rows["contribution"].iloc[-1] == at(one.remainder, stratum).value
        assert abs(disparity) > 0.1


@both
def test_columns(n_strata):
    one = found(n_strata)
    assert list(one.table()) == ["kind", "path", "route", "stratum", *NUMBERS]
    sums = ["stratum", "paths", "contribution", "low", "high", "share"]
    utilities = ["utility", "utility_low", "utility_high"]
    assert list(one.by_feature()) == ["feature", *sums, *utilities]
    assert list(one.by_kind()) == ["kind", *sums, *utilities]
    table = one.table()
    assert np.isfinite(table[table["kind"] == "path"][NUMBERS].to_numpy(float)).all()
    left = table[table["kind"] == "remainder"].isna().any()
    assert sorted(left[left].index) == sorted(["route", "band_low", "band_high", *NUMBERS[-6:]])


@both
def test_intervals_hold_their_numbers(n_strata):
    table = found(n_strata).table()
    paths = table[table["kind"] == "path"]
    for name, before in [("contribution", ""), ("utility", "utility_")]:
        assert (paths[f"{before}low"] < paths[name]).all()
        assert (paths[name] < paths[f"{before}high"]).all()
    assert (paths["band_low"] < paths["low"]).all()
    assert (paths["high"] < paths["band_high"]).all()


@both
def test_paths_come_largest_first(n_strata):
    one = found(n_strata)
    for stratum in compared(one):
        rows = rows_of(one.table(), stratum).iloc[:-1]
        sizes = rows["contribution"].abs()
        assert (sizes.diff().dropna() <= 0).all()
        of_path = dict(zip(map(str, one.paths), one.contributions(stratum).values, strict=True))
        assert dict(zip(rows["path"], rows["contribution"], strict=True)) == of_path
        routes = {str(path): path.kind for path in one.paths}
        assert dict(zip(rows["path"], rows["route"], strict=True)) == routes
    first = rows_of(one.table(), compared(one)[0])
    assert list(first["path"]) == [*map(str, one.paths), "remainder"]
    assert list(one.rows) == list(map(str, one.paths))
    assert np.array_equal(one.rows.to_numpy(), one.values)


@both
@pytest.mark.parametrize(("by", "label"), [("by_feature", "feature"), ("by_kind", "kind")])
def test_sums_over_features_and_kinds(n_strata, by, label):
    one = found(n_strata)
    groups = {}
    for path in one.paths:
        groups.setdefault(path.nodes[-1] if label == "feature" else path.kind, []).append(path)
    assert set(groups) == (
        {"job", "hours", "pay"} if label == "feature" else {"indirect", "spurious"}
    )
    table = getattr(one, by)()
    utilities = one.table()
    for stratum in compared(one):
        rows = rows_of(table, stratum)
        assert set(rows[label]) == set(groups)
        assert len(rows) == len(groups)
        assert (rows["contribution"].abs().diff().dropna() <= 0).all()
        whole = at(one.disparity, stratum).value
        for row in rows.to_dict("records"):
            together = one.contribution(groups[row[label]], stratum)
            expected = (together.value, together.low, together.high)
            assert (row["contribution"], row["low"], row["high"]) == pytest.approx(expected)
            assert row["share"] == pytest.approx(together.value / whole)
            assert row["paths"] == len(groups[row[label]])
            inside = rows_of(utilities, stratum)["path"].isin(map(str, groups[row[label]]))
            gains = rows_of(utilities, stratum)[inside]
            assert row["utility"] == pytest.approx(gains["utility"].sum())
            assert row["contribution"] == pytest.approx(gains["contribution"].sum())
        left = at(one.remainder, stratum).value
        assert rows["contribution"].sum() + left == pytest.approx(whole, rel=1e-12)


def test_the_interval_of_a_sum_knows_what_moves_together():
    one = found()
    joint = one.contributions()
    for i, k in combinations(range(len(one.paths)), 2):
        pair = one.contribution([one.paths[i], one.paths[k]])
        variance = joint.covariance[[i, k]][:, [i, k]].sum()
        assert pair.standard_error == pytest.approx(np.sqrt(variance))
    assert np.abs(np.corrcoef(joint.deviations.T)[np.triu_indices(7, 1)]).max() > 0.3
    everything = one.contribution(one.paths)
    assert everything.value == pytest.approx(one.disparity.value - one.remainder.value)
    assert one.contribution([]).value == one.contribution([]).standard_error == 0


def test_a_path_by_any_of_its_names():
    one = found()
    for path in one.paths:
        ways = (path, str(path), path.nodes, list(path.nodes))
        assert len({one.contribution([way]).value for way in ways}) == 1
    with pytest.raises(fp.GraphError, match="no path 'sex'"):
        one.contribution(["sex"])
    assert compared(one) == ["m"]
    with pytest.raises(fp.DataError, match=r"'f' is not compared with .* these are: 'm'"):
        one.contributions("f")


@pytest.mark.parametrize(
    ("convert", "kind"),
    [(lambda t: t, pd.DataFrame), (pl.from_pandas, pl.DataFrame), (pa.Table.from_pandas, pa.Table)],
    ids=["pandas", "polars", "pyarrow"],
)
def test_tables_come_back_as_given(convert, kind):
    one = explained(convert(people(strata=("m", "f"))), outcome="hired", method="exact")
    plain = found(intervals=None)
    for name in ("table", "by_feature", "by_kind"):
        table, expected = getattr(one, name)(), getattr(plain, name)()
        assert isinstance(table, kind)
        for column in expected:
            shown = table[column].to_pylist() if kind is pa.Table else list(table[column])
            shown = pd.Series(shown, dtype=expected[column].dtype)
            pd.testing.assert_series_equal(shown, expected[column], check_names=False)
    assert isinstance(one.rows, kind)
    shown = [number(one.rows, str(path)) for path in one.paths]
    assert np.array_equal(np.transpose(shown), one.values)


@both
def test_utility_is_a_sum_over_paths(n_strata):
    table, one = people(strata=STRATA[n_strata]), found(n_strata)
    y, f = table["hired"].to_numpy(), one.predictions
    assert one.utility.value == pytest.approx((y * f + (1 - y) * (1 - f)).mean(), rel=1e-12)
    # ψ = (2y - 1) φ, row by row.
    gains = np.average(one.values, axis=0, weights=2 * y - 1) * (2 * y - 1).mean()
    v = one.base_values
    assert one.base_utility.value == pytest.approx((y * v + (1 - y) * (1 - v)).mean(), rel=1e-12)
    for stratum in compared(one):  # over everyone, so the same for each stratum
        rows = rows_of(one.table(), stratum)
        of_path = dict(zip(rows["path"], rows["utility"], strict=True))
        expected = dict(zip(map(str, one.paths), gains, strict=True))
        assert of_path == pytest.approx(expected | {"remainder": one.base_utility.value}, rel=1e-9)
        assert rows["utility"].sum() == pytest.approx(one.utility.value, rel=1e-12)
    assert np.abs(gains).max() > 0.01


def test_the_error_of_disparity_and_utility_is_that_of_samples():
    table, one = people(strata=STRATA[2]), found()
    f, y = one.predictions, table["hired"].to_numpy()
    groups = [f[table["sex"] == level] for level in ("m", "f")]
    assert one.disparity.standard_error == pytest.approx(
        np.sqrt(sum(g.var(ddof=1) / len(g) for g in groups))
    )
    u = y * f + (1 - y) * (1 - f)
    assert one.utility.standard_error == pytest.approx(u.std(ddof=1) / np.sqrt(len(u)))
    for shown in (one.disparity, one.utility):
        assert shown.high - shown.value == pytest.approx(1.959964 * shown.standard_error)
        assert shown.value - shown.low == pytest.approx(1.959964 * shown.standard_error)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"model": score, "output": "score", "outcome": "hired"}, "not within"),
        ({}, None),
        ({"outcome": "raise", "graph": "raise"}, "no column 'raise'"),
    ],
)
def test_no_utility(options, why):
    if "graph" in options:
        options = options | {"graph": fp.CausalGraph.parse("sex -> pay; pay -> raise")}
    one = explained(people(), **options)
    assert one.utility is None
    assert one.base_utility is None
    assert "utility" not in repr(one)
    for table in (one.table(), one.by_feature(), one.by_kind()):
        names = [name for name in table if name.startswith("utility")]
        assert table[names].isna().all(axis=None)
    assert np.isfinite(one.table()["contribution"]).all()
    assert (why is None) == (not any("no utility" in note for note in one.notes))
    assert why is None or any(why in note for note in one.notes)


@both
def test_without_intervals_every_end_is_nan(n_strata):
    one, sure = found(n_strata, intervals=None), found(n_strata)
    for name in ("table", "by_feature", "by_kind"):
        table, same = getattr(one, name)(), getattr(sure, name)()
        ends = [column for column in table if column.endswith(("low", "high", "error"))]
        assert table[ends].isna().all(axis=None)
        rest = [column for column in table if column not in ends]
        pd.testing.assert_frame_equal(table[rest], same[rest])
    stratum = compared(one)[0]
    for shown in (
        one.utility,
        one.base_utility,
        at(one.disparity, stratum),
        one.contributions()[0],
    ):
        assert np.isnan([shown.low, shown.high, shown.standard_error]).all()
        assert "[" not in str(shown)
    assert np.isnan(one.band())
    assert "[" not in repr(one)
    assert "nan" not in repr(one) + one._repr_html_()


def test_for_shap():
    pytest.importorskip("shap")
    one = found()
    for_shap = fp.to_shap(one)
    assert np.array_equal(for_shap.values, one.values)
    assert np.array_equal(for_shap.base_values, one.base_values)
    assert for_shap.feature_names == list(map(str, one.paths))
    assert np.array_equal(for_shap.data, np.tile(one.kept.strata[:, None], 7))
    sums = np.sum(for_shap.values, axis=1) + for_shap.base_values
    assert sums == pytest.approx(one.predictions)
    with pytest.raises(fp.DataError, match="keep_rows=True"):
        fp.to_shap(explained(people(), keep_rows=False))


def test_without_shap(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "shap", None)
    with pytest.raises(fp.MissingExtraError, match=r"fairpath\[shap\]"):
        fp.to_shap(found())
