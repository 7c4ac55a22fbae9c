"""What a selection does: predicted from contributions, measured on v(T), shown, and mixed."""

from functools import lru_cache
from html import unescape
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairpath as fp
from fairpath.disparity import View, Viewpoint
from fairpath.explanation.quantities import Comparison
from fairpath.selection import Frontier, Point, select_paths
from fairpath.selection.decision import most_accurate
from fairpath.selection.mixture import allowed, best_of_outputs
from fairpath.selection.rows import Measured, Rows
from fairpath.selection.terms import terms_of
from worlds import chance, explained, hired, number, people

MEASURES = ("utility", "disparity", "accuracy", "decision_disparity")


@lru_cache
def found(strata=("m", "f"), **options):
    usual = {"outcome": "hired", "method": "exact"}
    return explained(people(300, strata=strata), **{**usual, **options})


def values_of(explanation, kept):
    """Return v(T) of every row by way of the game."""
    game = explanation.study.game
    return game.values(chance, game.table, keep=kept)


def difference(values, table, stratum, reference, among=None):
    inside = np.ones(len(table), dtype=bool) if among is None else (table["hired"] == among)
    one, other = (values[inside & (table["sex"] == level)].mean() for level in (stratum, reference))
    return one - other


@pytest.mark.parametrize("strata", [("m", "f"), ("a", "b", "c")])
def test_what_is_measured_is_what_the_values_say(strata):
    one = found(strata)
    table = one.study.game.table
    y = table["hired"].to_numpy()
    frontier = select_paths(one, fairness_weights=[0, 0.1, 0.5, 5])
    assert len({point.kept for point in frontier.points}) > 2
    for point in frontier.points:
        values = values_of(one, point.kept)
        decided = (values > 0.5).astype(float)
        measured = point.measured
        assert measured.utility == pytest.approx((y * values + (1 - y) * (1 - values)).mean())
        assert measured.accuracy == pytest.approx((decided == y).mean())
        for place, compared in enumerate(one.compared):
            levels = one.levels[compared.stratum], one.levels[one.reference]
            assert measured.disparity[place] == pytest.approx(difference(values, table, *levels))
            assert measured.decision_disparity[place] == pytest.approx(
                difference(decided, table, *levels)
            )
        left = fp.cut(one, point.removed)
        assert measured.utility == pytest.approx(left.utility.value, abs=1e-12)
        cut = left.disparity.values() if len(strata) > 2 else [left.disparity]
        assert measured.disparity == pytest.approx([e.value for e in cut], abs=1e-12)


def test_weights_count_rows():
    twice = tuple(1 + np.arange(300) % 2)
    table = people(300, strata=("m", "f"))
    repeated = table.loc[table.index.repeat(twice)].reset_index(drop=True)
    options = {"outcome": "hired", "method": "exact"}
    one = explained(table, sample_weight=twice, **options)
    other = explained(repeated, **options)
    kept = select_paths(one, fairness_weights=0.3, drop=one.paths[:2])
    again = select_paths(other, fairness_weights=0.3, drop=one.paths[:2])
    for name in MEASURES:
        assert getattr(kept.points[0].measured, name) == pytest.approx(
            getattr(again.points[0].measured, name), abs=1e-9
        )


@pytest.mark.parametrize("disparity", ["equal_opportunity", "equalized_odds", "accuracy_parity"])
def test_disparities_that_look_at_the_outcome(disparity):
    one = found(disparity=disparity, conditioning="after")
    table = one.study.game.table
    y = table["hired"].to_numpy()
    point = select_paths(one, fairness_weights=0.4, drop=one.paths[:1]).points[0]
    values = values_of(one, point.kept)
    levels = one.levels[one.compared[0].stratum], one.levels[one.reference]
    if disparity == "accuracy_parity":
        expected = [difference(np.where(y == 1, values, 1 - values), table, *levels)]
    else:
        outcomes = {"equal_opportunity": [1], "equalized_odds": [1, 0]}[disparity]
        expected = [difference(values, table, *levels, among=among) for among in outcomes]
    assert point.measured.disparity == pytest.approx(expected)
    frontier = select_paths(one, fairness_weights=[0.0, 0.4])
    assert [point.fairness_weight for point in frontier.points] == [0.0, 0.4]
    deltas = [one.disparity] if not isinstance(one.disparity, dict) else one.disparity.values()
    assert frontier.points[0].predicted.disparity == pytest.approx([d.value for d in deltas])
    # Utility is everybody's, also where the disparity looks at some rows.
    assert point.measured.utility == pytest.approx((y * values + (1 - y) * (1 - values)).mean())
    assert point.measured.accuracy == pytest.approx(((values > 0.5) == y).mean())


def test_utility_terms_are_those_of_all_rows():
    plain, _ = terms_of(found())
    by_path = dict(zip(found().paths, plain.gains, strict=True))
    other = found(disparity="equal_opportunity", conditioning="after")
    given, _ = terms_of(other)
    assert given.gains == pytest.approx([by_path[path] for path in other.paths], abs=1e-12)
    assert given.base_utility == pytest.approx(plain.base_utility, abs=1e-12)
    assert given.gaps == pytest.approx(other.contributions().values[None, :])


def test_all_and_nothing():
    one = found()
    frontier = select_paths(one, fairness_weights=[0.0])
    whole = frontier.points[0]
    assert whole.kept == one.paths
    assert whole.predicted.utility == pytest.approx(one.utility.value)
    assert whole.predicted.disparity == pytest.approx((one.disparity.value,))
    assert whole.measured.disparity == pytest.approx((one.disparity.value,))
    nothing = select_paths(one, fairness_weights=1.0, drop=one.paths).points[0]
    assert nothing.kept == ()
    assert nothing.predicted.carried == (0.0,)
    assert nothing.predicted.remainder == pytest.approx((one.remainder.value,))
    assert nothing.measured.disparity == pytest.approx((one.remainder.value,))
    assert nothing.measured.utility == pytest.approx(one.base_utility.value)
    assert nothing.predicted.loss == 0


@pytest.mark.parametrize("method", ["greedy", "exact"])
def test_no_weight_is_no_selection_unless_pruned(method):
    one = found()
    gains = terms_of(one)[0].gains
    assert (gains < 0).any()
    assert (gains > 0).any()
    assert select_paths(one, fairness_weights=0, method=method).kept(0) == one.paths
    assert select_paths(one, method=method, measure=False).kept(0) == one.paths
    useful = tuple(path for path, gain in zip(one.paths, gains, strict=True) if gain >= 0)
    assert select_paths(one, fairness_weights=0, method=method, prune=True).kept(0) == useful
    assert select_paths(one, method=method, prune=True, measure=False).kept(0) == useful


@pytest.mark.parametrize("method", ["greedy", "exact"])
def test_forced_choices(method):
    one = found()
    keep, drop = one.paths[0], one.paths[-1]
    frontier = select_paths(one, method=method, keep=[str(keep)], drop=[drop.nodes], measure=False)
    assert all(keep in point.kept and drop not in point.kept for point in frontier.points)
    assert frontier.always_kept == (keep,)
    assert frontier.always_dropped == (drop,)
    assert f"always kept: {keep}" in repr(frontier)
    assert f"always dropped: {drop}" in repr(frontier)
    free = select_paths(one, method=method, measure=False)
    assert not all(keep in point.kept for point in free.points)


@pytest.mark.parametrize("method", ["greedy", "exact"])
def test_the_sweep_answers_for_every_weight(method):
    one = found()
    sweep = select_paths(one, method=method, measure=False)
    assert sweep.swept
    weights = np.geomspace(1e-6, sweep.points[-1].fairness_weight * 1.5, 20).tolist()
    some = select_paths(one, method=method, measure=False, fairness_weights=weights)
    assert not some.swept
    for weight in weights:
        assert sweep.kept(weight) == some.kept(weight)
    assert sweep.at(1e-300).kept == sweep.points[1].kept != one.paths


def test_a_measured_objective():
    one = found()
    table = one.study.game.table
    y = table["hired"].to_numpy()
    levels = one.levels[one.compared[0].stratum], one.levels[one.reference]

    def loss(paths, weight):
        values = values_of(one, paths)
        utility = (y * values + (1 - y) * (1 - values)).mean()
        return weight * abs(difference(values, table, *levels)) - utility

    frontier = select_paths(one, fairness_weights=[0.0, 0.2, 1.0], objective="measured")
    for weight in (0.2, 1.0):
        held = best = one.paths
        while held:
            subsets = [tuple(p for p in held if p != gone) for gone in held]
            held = min(subsets, key=lambda paths: loss(paths, weight))
            best = min(best, held, key=lambda paths: loss(paths, weight))
        assert frontier.kept(weight) == best
    assert frontier.kept(0.0) == one.paths
    assert "objective measured" in repr(frontier)
    swept = select_paths(one, objective="measured")
    assert len(swept.points) > 2
    assert not swept.swept


def test_a_mixture_meets_the_limit():
    one = found()
    frontier = select_paths(one)
    table = one.study.game.table
    y = table["hired"].to_numpy()
    levels = one.levels[one.compared[0].stratum], one.levels[one.reference]
    gaps = [point.measured.disparity[0] for point in frontier.points]
    limit = (max(map(abs, gaps)) + min(map(abs, gaps))) / 2
    mix = frontier.within(limit)
    assert len(mix.parts) == 2
    assert sum(share for share, _ in mix.parts) == pytest.approx(1)
    values = sum(share * values_of(one, kept) for share, kept in mix.parts)
    assert abs(difference(values, table, *levels)) == pytest.approx(limit, abs=1e-9)
    assert mix.measured.disparity[0] == pytest.approx(difference(values, table, *levels))
    assert mix.measured.utility == pytest.approx((y * values + (1 - y) * (1 - values)).mean())
    assert mix.measured.accuracy == pytest.approx(((values > 0.5) == y).mean())
    assert f"{mix.measured.utility:.4f}" in repr(mix)
    # A limit that everything keeps lets the most useful selection through.
    most = max(frontier.points, key=lambda point: point.measured.utility)
    assert frontier.within(1.0).parts == ((1.0, most.kept),)
    # One that nothing keeps gives the least disparity there is.
    assert abs(frontier.within(0.0).measured.disparity[0]) <= min(map(abs, gaps)) + 1e-9


def test_no_share_on_a_fine_grid_is_better():
    rng = np.random.default_rng(0)
    for _ in range(100):
        made = [
            Measured(rng.normal(), tuple(rng.normal(size=2)), 0.0, (0.0, 0.0)) for _ in range(4)
        ]
        limit = rng.uniform(0, 1.5)
        shares = best_of_outputs(made, limit)
        gap = np.array([made[k].disparity for k, _ in shares])
        weight = np.array([share for _, share in shares])
        utility = sum(share * made[k].utility for k, share in shares)
        tried = [
            (w * a.utility + (1 - w) * b.utility,
             np.abs(w * np.array(a.disparity) + (1 - w) * np.array(b.disparity)).max())
            for a, b in pairwise(made) for w in np.linspace(0, 1, 201)
        ]  # fmt: skip
        feasible = [u for u, g in tried if g <= limit]
        if feasible:
            assert np.abs(weight @ gap).max() <= limit + 1e-9
            assert utility >= max(feasible) - 1e-9
        else:
            assert shares[0][1] == 1.0 or np.abs(weight @ gap).max() <= limit + 1e-9
    assert allowed([0.5], [0.5], 0.4) == (1.0, 0.0)
    assert allowed([0.5], [0.5], 0.6) == (0.0, 1.0)


@pytest.mark.parametrize(("container", "frame"), [(pd.DataFrame, pd.DataFrame),
                                                  (pl.from_pandas, pl.DataFrame)])  # fmt: skip
def test_the_table_has_a_row_for_each_point(container, frame):
    one = explained(container(people(300, strata=("m", "f"))), outcome="hired", method="exact")
    frontier = select_paths(one)
    table = frontier.table()
    assert isinstance(table, frame)
    assert len(table) == len(frontier.points)
    before = one.paths
    for k, point in enumerate(frontier.points):
        row = {name: table[name][k] for name in table.columns}
        assert row["fairness_weight"] == point.fairness_weight
        assert row["kept"] == len(point.kept)
        assert row["removed"] == "; ".join(str(p) for p in before if p not in point.kept)
        assert row["restored"] == "; ".join(str(p) for p in point.kept if p not in before)
        assert row["objective"] == point.predicted.loss
        assert row["predicted_utility"] == point.predicted.utility
        assert [row["carried"]] == list(point.predicted.carried)
        assert [row["predicted_disparity"]] == list(point.predicted.disparity)
        assert row["utility"] == point.measured.utility
        assert row["accuracy"] == point.measured.accuracy
        assert [row["disparity"]] == list(point.measured.disparity)
        assert [row["decision_disparity"]] == list(point.measured.decision_disparity)
        before = point.kept
    assert isinstance(frontier, Frontier)
    assert all(isinstance(point, Point) for point in frontier.points)


def test_text_and_html_show_the_numbers():
    frontier = select_paths(found(("a", "b", "c")))
    for shown in (repr(frontier), unescape(frontier._repr_html_())):
        assert "demographic parity, probability (greedy" in shown
        assert "sex = b minus a" in shown
        assert "sex = c minus a" in shown
        assert "of several disparities the largest is shown" in shown
        for point in frontier.points:
            largest = max(point.measured.disparity, key=abs)
            assert f"{point.measured.utility:.4f} ({point.predicted.utility:.4f})" in shown
            assert f"{largest:+.4f}" in shown
            assert f"{point.measured.accuracy:.4f}" in shown
    assert any(f"- {path}" in repr(frontier) for path in frontier.paths)


def test_html_escapes_what_the_caller_named():
    evil = "<script>alert(1)</script>"
    table = people(strata=("m", "f")).rename(columns={"pay": evil})
    graph = fp.CausalGraph(directed=[("sex", evil)])
    one = explained(table, lambda rows: 1 / (1 + np.exp(-number(rows, evil))), graph=graph,
                    inputs=[evil], outcome="hired")  # fmt: skip
    frontier = select_paths(one, drop=one.paths)
    assert "<script" not in frontier._repr_html_()
    assert "&lt;script&gt;" in frontier._repr_html_()


def test_decisions_as_the_explained_output():
    one = found(output="decision", threshold=0.4)
    point = select_paths(one, fairness_weights=0.5).points[0]
    game = one.study.game
    values = game.values(chance, game.table, keep=point.kept, output="decision", threshold=0.4)
    y = game.table["hired"]
    assert point.measured.utility == pytest.approx((y * values + (1 - y) * (1 - values)).mean())
    assert point.measured.accuracy == pytest.approx(((values > 0.5) == y).mean())


def test_a_loaded_explanation_predicts_only(tmp_path):
    one = found()
    one.save(tmp_path / "saved")
    loaded = fp.load(tmp_path / "saved")
    fresh, frontier = select_paths(one), select_paths(loaded)
    assert [point.kept for point in frontier.points] == [point.kept for point in fresh.points]
    assert all(point.measured is None for point in frontier.points)
    assert [p.predicted for p in frontier.points] == [p.predicted for p in fresh.points]
    assert "nothing is measured: the explanation no longer knows its model" in repr(frontier)
    assert frontier.table()["utility"].isna().all()
    for ask in (lambda: frontier.within(0.1), lambda: select_paths(loaded, objective="measured"),
                lambda: select_paths(loaded, measure=True)):  # fmt: skip
        with pytest.raises(fp.DataError, match=r"no longer knows its model.*Explain again"):
            ask()
    some = found(disparity="equal_opportunity", conditioning="after")
    some.save(tmp_path / "some")
    assert "utility is that of the rows" in repr(select_paths(fp.load(tmp_path / "some")))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "best"}, "method must be one of 'greedy', 'exact'"),
        ({"objective": "exact"}, "objective must be one of"),
        ({"prune": 2}, "prune must be one of"),
        ({"fairness_weights": []}, "fairness_weights is empty"),
        ({"fairness_weights": [-1]}, "at least 0, got -1"),
        ({"fairness_weights": float("nan")}, "finite numbers"),
        ({"fairness_weights": "1"}, "finite numbers of at least 0, got '1'"),
        ({"fairness_weights": [True]}, "got True"),
        ({"method": "exact", "objective": "measured"}, "method='greedy' with objective='measured'"),
        ({"keep": ["sex → city"]}, "no path 'sex → city'"),
        ({"keep": [("sex", "job")], "drop": [("sex", "job")]}, r"in keep= and in drop="),
    ],
)
def test_refusals(options, message):
    with pytest.raises((fp.DataError, fp.GraphError), match=message):
        select_paths(found(), **options)


def test_explanations_that_cannot_be_used():
    with pytest.raises(fp.DataError, match=r"takes an explanation, got str.*explain\("):
        select_paths("explanation")
    with pytest.raises(fp.DataError, match=r"no utility.*outcome="):
        select_paths(explained(people(300)))
    with pytest.raises(fp.DataError, match="conditioning='after'"):
        select_paths(hired(disparity="accuracy_parity")[1])
    frontier = select_paths(found(), fairness_weights=[0.1, 0.5])
    with pytest.raises(fp.DataError, match=r"no selection for fairness_weight=0.2.*0.1, 0.5"):
        frontier.kept(0.2)
    for limit in (-0.1, "0.1", True, float("inf")):
        with pytest.raises(fp.DataError, match="max_disparity must be a number"):
            frontier.within(limit)


def decided(output, rows, threshold):
    chosen = (output > threshold).astype(float)
    return (chosen == rows.favoured) @ rows.shares, np.abs(rows.disparities(chosen[:, None])).max()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([None, 0.0, 0.1, 0.3]), st.booleans())
def test_the_most_accurate_decisions_within_a_limit(seed, limit, mixes):
    # Outputs in steps of a tenth, so that many people are tied.
    rng = np.random.default_rng(seed)
    strata = np.concatenate([np.arange(3), rng.integers(0, 3, 20)])
    favoured, weights = rng.integers(0, 2, 23), rng.integers(1, 4, 23).astype(float)
    views = [Comparison(View(), stratum, 0) for stratum in (1, 2)]
    rows = Rows.of(strata, favoured, weights, threshold=0.45, compared=views,
                   viewpoint=Viewpoint.of("demographic_parity", after=True))  # fmt: skip
    values = rng.integers(0, 11, (23, 3)) / 10
    shares = [((k, 1.0),) for k in range(3)]
    if mixes:
        pairs = [(0, 1), (1, 2), (0, 2)]
        shares += [((a, w), (b, 1 - w)) for a, b in pairs for w in np.arange(1, 20) / 20]
    outputs = [sum(w * values[:, k] for k, w in parts) for parts in shares]
    for tuned in (False, True):
        found = most_accurate(values, rows, limit=limit, tuned=tuned, mixes=mixes)
        output = sum(share * values[:, k] for k, share in found.shares)
        assert decided(output, rows, found.threshold) == pytest.approx(
            (found.accuracy, found.disparity)
        )
        tried = [
            decided(one, rows, t)
            for one in outputs
            for t in ([-1, *np.unique(one)] if tuned else [0.45])
        ]
        within = [accuracy for accuracy, gap in tried if limit is None or gap <= limit + 1e-12]
        if within:
            assert found.accuracy >= max(within) - 1e-9
            assert limit is None or found.disparity <= limit + 1e-12
        else:
            assert found.disparity <= min(gap for _, gap in tried) + 1e-9
