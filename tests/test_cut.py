"""Paths that are cut or marked: what is left is what the other paths alone would carry."""

from functools import lru_cache

import numpy as np
import pytest

import fairpath as fp
from worlds import by_path, chance, explained, number, people, score


def line(rows):
    """Return a score that is a straight line."""
    return 2 * number(rows, "pay") + number(rows, "hours") - number(rows, "job")


@lru_cache
def found(strata=("m", "f"), **options):
    usual = {"outcome": "hired", "method": "exact"}
    return explained(people(300, strata=strata), **{**usual, **options})


@lru_cache
def sure(strata=("m", "f")):
    return found(strata, intervals="refit")


def same(one, other, abs_=1e-12):
    """Whether two estimates, or those of all strata, agree with their intervals."""
    if isinstance(one, dict):
        assert list(one) == list(other)
        return all(same(one[level], other[level], abs_) for level in one)
    numbers = [(e.value, e.low, e.high, e.standard_error) for e in (one, other)]
    return numbers[0] == pytest.approx(numbers[1], abs=abs_, nan_ok=True)


strata = pytest.mark.parametrize("strata", [("m", "f"), ("a", "b", "c")])


@strata
def test_without_all_paths_the_remainder_is_left(strata):
    left = fp.cut(sure(strata), sure(strata).paths)
    assert same(left.disparity, sure(strata).remainder)
    assert same(left.utility, sure(strata).base_utility)
    assert left.paths == sure(strata).paths


@strata
def test_without_none_the_disparity_is_left(strata):
    one = sure(strata)
    left = fp.cut(one, [])
    disparities = [left.disparity, one.disparity]
    for cut, whole in zip(
        *(d.values() if len(strata) > 2 else [d] for d in disparities), strict=True
    ):
        assert cut.value == pytest.approx(whole.value, abs=1e-12)
        assert cut.low < cut.value < cut.high
    assert left.utility.value == pytest.approx(one.utility.value, abs=1e-12)
    assert left.paths == ()
    assert "without nothing" in repr(left)


@strata
def test_without_one_path_the_table_says_what_is_left(strata):
    one = sure(strata)
    table = one.table()
    for path in one.paths:
        left = fp.cut(one, [path])
        rows = table[table["path"] == str(path)]
        disparities = (
            left.disparity
            if len(strata) > 2
            else {one.levels[one.compared[0].stratum]: left.disparity}
        )
        assert list(disparities) == list(rows["stratum"])
        for kind, estimates in [
            ("disparity", disparities.values()),
            ("utility", [left.utility] * len(rows)),
        ]:
            shown = rows[[f"{kind}_if_cut{end}" for end in ("", "_low", "_high")]].to_numpy()
            expected = [(estimate.value, estimate.low, estimate.high) for estimate in estimates]
            assert shown == pytest.approx(np.array(expected), abs=1e-12)


def test_sampled_tables_say_the_same():
    # Every row meets v(P without a path) in its orders, or is asked for it.
    one = found(method="sampled", rounds=2)
    for row in one.table().iloc[:-1].to_dict("records"):
        left = fp.cut(one, [row["path"]])
        assert left.disparity.value == pytest.approx(row["disparity_if_cut"], abs=1e-12)
        assert left.utility.value == pytest.approx(row["utility_if_cut"], abs=1e-12)


@pytest.mark.parametrize("weights", [None, tuple(np.arange(300) % 3)])
def test_on_straight_lines_what_is_left_is_the_difference(weights):
    one = found(model=line, output="score", sample_weight=weights)
    carried, whole = by_path(one), one.disparity.value
    assert min(map(abs, carried.values())) > 0.01
    for path, value in carried.items():
        left = fp.cut(one, [path])
        assert left.disparity.value == pytest.approx(whole - value, abs=1e-9)
        assert left.utility is None
    pair = fp.cut(one, one.paths[1:4])
    together = one.contribution(one.paths[1:4]).value
    assert pair.disparity.value == pytest.approx(whole - together, abs=1e-9)


def test_on_bent_ones_it_is_not():
    one = found(model=score, output="score")
    left = [fp.cut(one, [path]).disparity.value for path in one.paths]
    expected = one.disparity.value - one.contributions().values
    assert np.abs(left - expected).max() > 0.001


def test_the_utility_after_the_cut_is_that_of_the_values():
    table, one = people(300, strata=("m", "f")), found()
    gone = one.paths[:2]
    held = fp.PathGame.fit(
        table, graph=one.study.game.graph, sensitive="sex", inputs=one.study.game.inputs,
        outcome="hired", links="linear",
    ).values(chance, table, keep=one.paths[2:])  # fmt: skip
    y, left = table["hired"], fp.cut(one, gone)
    assert left.utility.value == pytest.approx((y * held + (1 - y) * (1 - held)).mean(), abs=1e-12)
    assert one.levels[one.reference] == "f"
    m, f = (held[table["sex"] == level].mean() for level in ("m", "f"))
    assert left.disparity.value == pytest.approx(m - f, abs=1e-12)
    assert abs(left.utility.value - one.utility.value) > 0.001


@strata
def test_allowed_and_contested_are_opposites(strata):
    one = sure(strata)
    one_way = fp.mark(one, contested=one.paths[:3])
    other_way = fp.mark(one, allowed=one.paths[3:])
    assert one_way.contested == other_way.contested == one.paths[:3]
    assert same(one_way.if_contested_cut, other_way.if_contested_cut, 0)
    assert same(one_way.if_contested_cut, fp.cut(one, one.paths[:3]).disparity, 0)
    assert repr(one_way) == repr(other_way)
    assert "if only the allowed paths carried sex" in repr(one_way)
    assert one.if_contested_cut is None
    assert one.contested == ()
    assert one_way.table().equals(one.table())
    assert same(fp.mark(one, allowed=[]).if_contested_cut, one.remainder)


def test_names_of_paths():
    one = found()
    first = one.paths[0]
    ways = [[first], [str(first)], [first.nodes], [list(first.nodes)], {first}, (first, first)]
    lefts = [fp.cut(one, way) for way in ways]
    assert all(
        left.paths == (first,) and same(left.disparity, lefts[0].disparity) for left in lefts
    )
    assert str(first) in repr(lefts[0])


def test_intervals_are_there_if_they_were():
    left = fp.cut(sure(), sure().paths[:1])
    for estimate in (left.disparity, left.utility):
        assert estimate.low < estimate.value < estimate.high
        assert estimate.standard_error > 0
    for estimate in vars(fp.cut(found(), found().paths[:1])).values():
        assert isinstance(estimate, tuple) or np.isnan(estimate.low)
    assert np.isnan(fp.mark(found(), allowed=[]).if_contested_cut.low)


@pytest.mark.parametrize(
    "options", [{"cross_fit": 3}, {"links": "forest"}, {"links_from": people(300, 5)}]
)
def test_other_ways_to_learn_links(options):
    if "links_from" in options:
        options["links_from"] = options["links_from"].assign(
            sex=lambda table: table["sex"].map({0: "m", 1: "f"})
        )
    one = explained(
        people(300, strata=("m", "f")),
        outcome="hired",
        method="exact",
        intervals="refit",
        **options,
    )
    assert same(fp.cut(one, one.paths).disparity, one.remainder)
    row = one.table().iloc[0]
    left = fp.cut(one, one.paths[:1]).disparity
    numbers = [row[f"disparity_if_cut{end}"] for end in ("", "_low", "_high")]
    assert [left.value, left.low, left.high] == pytest.approx(numbers, abs=1e-12)


def test_workers_change_nothing():
    one, two = (fp.cut(sure(), sure().paths[:2], n_jobs=n_jobs) for n_jobs in (None, 2))
    assert same(one.disparity, two.disparity, 0)
    assert same(one.utility, two.utility, 0)
    with pytest.raises(fp.DataError, match="n_jobs"):
        fp.cut(sure(), [], n_jobs=0)


def test_refusals(tmp_path):
    one = found()
    for ask in (lambda p: fp.cut(one, p), lambda p: fp.mark(one, allowed=p)):
        with pytest.raises(fp.GraphError, match=r"no path 'sex → city'.*\n  sex → job"):
            ask(["sex → city"])
        with pytest.raises(fp.GraphError, match="collection of paths, got one"):
            ask(str(one.paths[0]))
    for both in ({}, {"allowed": [], "contested": []}):
        with pytest.raises(fp.DataError, match="either the allowed paths or the contested"):
            fp.mark(one, **both)
    one.save(tmp_path / "saved")
    loaded = fp.load(tmp_path / "saved")
    for ask in (lambda: fp.cut(loaded, []), lambda: fp.mark(loaded, allowed=[])):
        with pytest.raises(fp.DataError, match=r"loaded from a file.*Explain again"):
            ask()
