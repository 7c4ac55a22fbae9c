"""Histograms and dots show the contributions to single predictions."""

from dataclasses import replace
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.patches import StepPatch
from numpy.testing import assert_allclose

import fairpath as fp
import worlds
from fairpath import plots
from plots_helpers import by_gid, many, odds, opportunity, settled, small, three, without_intervals


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def steps(ax):
    return {p.get_gid(): p.get_data() for p in ax.patches if isinstance(p, StepPatch)}


def weighted():
    weights = np.arange(300) % 3
    table = worlds.people(300)
    return worlds.explained(table, sample_weight=weights), worlds.explained(
        table.loc[np.repeat(np.arange(300), weights)].reset_index(drop=True)
    )


@pytest.mark.parametrize("found", [small, three, odds, opportunity])
def test_a_histogram_has_relative_frequencies(found):
    one = found()
    for place, path in enumerate(one.paths):
        drawn = steps(plots.histogram(one, path, bins=7))
        phi = one.values[:, place]
        looked = ~np.isnan(phi)
        edges = np.linspace(phi[looked].min(), phi[looked].max(), 8)
        assert set(drawn) == set(map(str, one.levels))
        for k, level in enumerate(one.levels):
            inside = phi[looked & (one.kept.strata == k)]
            heights = [
                np.mean((inside >= a) & ((inside < b) | (b == edges[-1])))
                for a, b in pairwise(edges)
            ]
            assert_allclose(drawn[str(level)].values, heights, atol=2 / len(inside))
            assert_allclose(drawn[str(level)].values.sum(), 1)
            assert_allclose(drawn[str(level)].edges, edges)


def test_rows_that_are_not_looked_at_are_left_out():
    one = opportunity()
    assert np.isnan(one.values).any()
    ax = plots.histogram(one, one.paths[0])
    assert all(np.isfinite(step.values).all() for step in steps(ax).values())


@pytest.mark.parametrize("given", [lambda p: p, str, lambda p: p.nodes])
def test_a_path_is_named_in_any_way(given):
    one = small()
    path = one.paths[3]
    ax = plots.histogram(one, given(path))
    assert str(path) in ax.get_title(loc="left").replace("\n", " ")
    mean = one.values[one.kept.strata == 0, 3].mean()
    assert_allclose(ax.lines[0].get_xdata()[0], mean)


def test_the_legend_names_strata_and_means():
    one = three()
    ax = plots.histogram(one, one.paths[0])
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    for k, text in enumerate(texts):
        mean = float(text.split("mean ")[1].replace("\N{MINUS SIGN}", "-"))
        assert text.startswith(f"sex = {one.levels[k]}")
        assert abs(mean - one.values[one.kept.strata == k, 0].mean()) < 5.1e-4
    looks = [p for p in ax.patches if isinstance(p, StepPatch)]
    assert len({p.get_edgecolor() for p in looks}) == 3
    assert len({str(p.get_linestyle()) for p in looks}) == 3


def test_the_reference_comes_first():
    one = without_intervals()
    assert one.levels[one.reference] == 1
    for ax in (plots.histogram(one, one.paths[0]), plots.beeswarm(one)):
        first, second = (text.get_text() for text in ax.get_legend().get_texts())
        assert "1" in first.split(",")[0]
        assert "0" in second.split(",")[0]


def test_weights_count_rows():
    one, repeated = weighted()
    path = one.paths[0]
    # The same φ for both: only how often rows count may differ.
    values = np.repeat(one.values, one.kept.weights.astype(int), axis=0)
    repeated = replace(repeated, kept=replace(repeated.kept, values=values), paths=one.paths)
    edges = np.linspace(values.min() - 1e-9, values.max() + 1e-9, 12)
    a, b = (steps(plots.histogram(e, path, bins=edges)) for e in (one, repeated))
    assert set(a) == set(b) == {"0", "1"}
    for level, step in a.items():
        assert_allclose(step.values, b[level].values)
    unweighted = replace(one, kept=replace(one.kept, weights=np.ones(300)))
    c = steps(plots.histogram(unweighted, path, bins=edges))
    assert any(not np.allclose(a[level].values, c[level].values) for level in a)


def test_bins_are_checked():
    one = small()
    for wrong in (0, -3, True, [1, 0], [0.0], "auto", [[0, 1]], ["a", "b"]):
        with pytest.raises(fp.DataError, match="bins must be"):
            plots.histogram(one, one.paths[0], bins=wrong)
    with pytest.raises(fp.DataError, match=r"bins must span all values.*set_xlim"):
        plots.histogram(one, one.paths[0], bins=[0.0, 1e-6])


def test_a_path_that_there_is_not_is_refused():
    with pytest.raises(fp.GraphError, match="There is no path 'sex → nothing"):
        plots.histogram(small(), "sex → nothing → prediction")
    for wrong in (3, None, [small().paths[0]], {}):
        with pytest.raises(fp.DataError, match="path must be a path"):
            plots.histogram(small(), wrong)


@pytest.mark.parametrize("draw", [lambda e: plots.histogram(e, e.paths[0]), plots.beeswarm])
def test_rows_must_have_been_kept(draw):
    with pytest.raises(fp.DataError, match="keep_rows=True"):
        draw(replace(small(), kept=None))


def dots(ax):
    return {c.get_label(): np.asarray(c.get_offsets()) for c in ax.collections}


@pytest.mark.parametrize("found", [small, three, opportunity])
def test_there_is_a_dot_for_each_row_and_path(found):
    one = found()
    drawn = dots(plots.beeswarm(one, most=None))
    rows = np.round([y for at in drawn.values() for y in at[:, 1]]).astype(int)
    assert set(rows) == set(range(len(one.paths)))
    for k, level in enumerate(one.levels):
        at = drawn[str(level)]
        place = np.round(at[:, 1]).astype(int)
        for column in range(len(one.paths)):
            phi = one.values[one.kept.strata == k, column]
            assert_allclose(np.sort(at[place == column, 0]), np.sort(phi[~np.isnan(phi)]))


def test_strata_have_lanes_that_do_not_overlap():
    one = three()
    ax = plots.beeswarm(one)
    for row in range(len(one.paths)):
        lanes = []
        for at in dots(ax).values():
            inside = at[np.round(at[:, 1]) == row, 1]
            lanes.append((inside.min(), inside.max()))
        lanes.sort()
        assert all(a[1] < b[0] for a, b in pairwise(lanes))
        assert row - 0.5 < lanes[0][0]
        assert lanes[-1][1] < row + 0.5


def test_black_lines_are_weighted_means():
    one, _ = weighted()
    ax = plots.beeswarm(one, most=None)
    marks = [x[0] for x, y in (line.get_data() for line in ax.lines) if 0 < y[1] - y[0] < 0.5]
    expected = [
        np.average(one.values[inside, column], weights=one.kept.weights[inside])
        for k in range(2)
        for inside in [one.kept.strata == k]
        for column in range(len(one.paths))
    ]
    assert_allclose(np.sort(marks), np.sort(expected))


def test_many_rows_are_sampled_always_alike():
    one = small()
    first, again = (plots.beeswarm(one, dots=50) for _ in range(2))
    assert sum(map(len, dots(first).values())) == 50 * len(one.paths)
    for level, at in dots(first).items():
        assert np.array_equal(at, dots(again)[level])
    assert by_gid(first.texts)["note"].get_text().startswith("50 of 400 rows")
    assert by_gid(plots.beeswarm(one).texts)["note"].get_text() == "400 rows"


def test_rows_without_weight_are_no_dots():
    one, _ = weighted()
    counted = (one.kept.weights > 0).sum()
    assert counted < len(one.kept.weights)
    assert sum(map(len, dots(plots.beeswarm(one)).values())) == counted * len(one.paths)
    for at in dots(plots.beeswarm(one, dots=60)).values():
        seen = at[np.round(at[:, 1]) == 0, 0]
        assert np.isin(seen, one.values[one.kept.weights > 0, 0]).all()


def test_dots_are_coloured_by_stratum_or_outcome():
    one = small()
    for by, codes, names in (
        ("stratum", one.kept.strata, ["0", "1"]),
        ("outcome", one.kept.favoured, ["not 1", "1"]),
    ):
        ax = plots.beeswarm(one, color_by=by)
        assert list(dots(ax)) == names
        colours = {mpl.colors.to_hex(c.get_facecolor()[0]) for c in ax.collections}
        assert len(colours) == 2
        sizes = [len(at) / len(one.paths) for at in dots(ax).values()]
        assert sizes == np.bincount(codes).tolist()
        settled(ax)
    with pytest.raises(fp.DataError, match="color_by must be one of"):
        plots.beeswarm(one, color_by="age")
    with pytest.raises(fp.DataError, match="color_by='outcome' needs an explanation with an"):
        plots.beeswarm(many(), color_by="outcome")
    with pytest.raises(fp.DataError, match="dots must be a whole number"):
        plots.beeswarm(one, dots=0)


def test_an_unused_stratum_is_left_out():
    one = three()
    weights = np.where(one.kept.strata == 2, 0.0, 1.0)
    one = replace(one, kept=replace(one.kept, weights=weights))
    assert set(steps(plots.histogram(one, one.paths[0]))) == {"a", "b"}
    assert set(dots(plots.beeswarm(one))) == {"a", "b"}
