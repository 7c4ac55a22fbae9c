"""Bars, steps and cuts show the numbers of the table, and can be read."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.container import ErrorbarContainer
from numpy.testing import assert_allclose

import fairpath as fp
import worlds
from fairpath import plots
from fairpath.plots import canvas
from plots_helpers import (
    DIFFERENT,
    EXPLANATIONS,
    LONG,
    accuracy,
    assert_apart,
    by_gid,
    comparisons,
    long_names,
    many,
    odds,
    records,
    settled,
    small,
    three,
    without_intervals,
    written,
)


def histogram(explanation, **options):
    return plots.histogram(explanation, explanation.paths[-1], **options)


IN_ROWS = [plots.bar, plots.waterfall, plots.cuts]
ALL = [*IN_ROWS, plots.graph, plots.beeswarm, histogram]
each_explanation = pytest.mark.parametrize("found", DIFFERENT)


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def intervals(ax):
    """Return the ends of what is drawn as an interval, from top to bottom."""
    drawn = [c for c in ax.containers if isinstance(c, ErrorbarContainer) and c.has_xerr]
    return [bars.get_segments()[0][:, 0] for c in drawn for bars in c.lines[2]]


@each_explanation
def test_bars_are_the_numbers_of_the_table(found):
    one = found()
    for compared in comparisons(one):
        ax = plots.bar(one, most=None, **compared)
        rows = records(one, **compared)
        bars = by_gid(ax.patches)
        assert list(bars) == [row["path"] for row in rows]
        for place, row in enumerate(rows):
            bar = bars[row["path"]]
            assert_allclose([bar.get_x(), bar.get_x() + bar.get_width()], [0, row["contribution"]])
            assert bar.get_y() < place < bar.get_y() + bar.get_height()
        if np.isnan(rows[0]["low"]):
            assert intervals(ax) == []
        else:
            assert_allclose(intervals(ax), [[row["low"], row["high"]] for row in rows])
        assert [label.get_gid() for label in ax.get_yticklabels()] == list(bars)


def test_colour_and_hatch_tell_the_sign():
    bars = plots.bar(many(), most=None).patches
    assert len({np.sign(bar.get_width()) for bar in bars}) == 2
    for bar in bars[:-1]:
        positive = bar.get_width() > 0
        colour = "#ff0051" if positive else "#008bfb"
        assert mpl.colors.to_hex(bar.get_facecolor()) == colour
        assert (bar.get_hatch() is None) == positive


def test_other_paths_share_a_bar():
    one = many()
    ax = plots.bar(one, most=5)
    rows = records(one)
    others = [row["path"] for row in rows[5:-1]]
    names = [label.get_gid() for label in ax.get_yticklabels()]
    assert names == [*(r["path"] for r in rows[:5]), f"{len(others)} other paths", "remainder"]
    together = one.contribution(others)
    bar = by_gid(ax.patches)[names[5]]
    assert_allclose(bar.get_width(), together.value)
    assert_allclose(intervals(ax)[5], [together.low, together.high])
    widths = sum(patch.get_width() for patch in ax.patches)
    assert_allclose(widths, one.disparity.value)
    # One path is rather shown than summed up.
    few = plots.bar(small(), most=len(small().paths) - 1)
    names = [label.get_gid() for label in few.get_yticklabels()]
    assert names == [row["path"] for row in records(small())]


def test_the_numbers_are_written_beside_the_bars():
    one = small()
    ax = plots.bar(one, most=None)
    texts = by_gid(ax.texts)
    for row in records(one):
        text = texts[f"number of {row['path']}"].get_text().replace("\N{MINUS SIGN}", "-")
        value, low, high = text.replace("[", "").replace("]", "").replace(",", "").split()
        numbers = [float(value), float(low), float(high)]
        assert_allclose(numbers, [row["contribution"], row["low"], row["high"]], atol=5.01e-4)


@each_explanation
@pytest.mark.parametrize("most", [3, None])
def test_the_waterfall_ends_at_the_disparity(found, most):
    one = found()
    for compared in comparisons(one):
        ax = plots.waterfall(one, most=most, **compared)
        *steps, total = ax.patches
        reached = 0.0
        for step in steps:
            assert_allclose(step.get_x(), reached, atol=1e-12)
            reached += step.get_width()
        rows = records(one, **compared)
        delta = sum(row["contribution"] for row in rows)
        assert_allclose([reached, total.get_width()], delta)
        assert total.get_x() == 0
        number = by_gid(ax.texts)["number of disparity"].get_text().split(" [")[0]
        assert abs(float(number.replace("\N{MINUS SIGN}", "-")) - delta) < 0.006
        if most is None:
            widths = [step.get_width() for step in steps]
            assert_allclose(widths, [row["contribution"] for row in rows])


@each_explanation
def test_cuts_run_from_the_disparity_to_what_remains(found):
    one = found()
    for compared in comparisons(one):
        ax = plots.cuts(one, most=None, **compared)
        rows = [row for row in records(one, **compared) if row["kind"] == "path"]
        delta = sum(row["contribution"] for row in records(one, **compared))
        bars = by_gid(ax.patches)
        for row in rows:
            bar = bars[row["path"]]
            left = row["disparity_if_cut"]
            assert_allclose([bar.get_x(), bar.get_x() + bar.get_width()], [delta, left])
        lines = {line.get_xdata()[0] for line in ax.lines if len(set(line.get_xdata())) == 1}
        assert 0 in lines
        assert_allclose(by_gid(ax.lines)["disparity"].get_xdata(), delta)
        if not np.isnan(rows[0]["low"]):
            ends = [[row["disparity_if_cut_low"], row["disparity_if_cut_high"]] for row in rows]
            assert_allclose(intervals(ax), ends)


def test_cuts_say_how_many_paths_are_not_shown():
    ax = plots.cuts(many(), most=4)
    assert len(ax.patches) == 4
    left = len(many().paths) - 4
    assert f"{left} paths with smaller" in by_gid(ax.texts)["note"].get_text()


@pytest.mark.parametrize("draw", ALL)
@pytest.mark.parametrize("found", EXPLANATIONS)
def test_no_text_covers_another_or_leaves_the_figure(draw, found):
    ax = draw(found())
    areas = written(ax)
    assert len(areas) > 4
    assert_apart(areas)
    page = ax.figure.bbox
    for text, area in areas.items():
        assert page.x0 - 1 <= area.x0 <= area.x1 <= page.x1 + 1, text
        assert page.y0 - 1 <= area.y0 <= area.y1 <= page.y1 + 1, text


@pytest.mark.parametrize("draw", IN_ROWS)
@pytest.mark.parametrize("found", [small, many, long_names])
def test_rows_do_not_touch_on_axes_that_are_too_small(draw, found):
    _, ax = plt.subplots(figsize=(6, 3))
    draw(found(), ax=ax)
    areas = written(ax)
    assert_apart({t: a for t, a in areas.items() if t in set(ax.get_yticklabels())})
    assert_apart({t: a for t, a in areas.items() if (t.get_gid() or "").startswith("number of")})


@pytest.mark.parametrize("draw", ALL)
def test_given_axes_are_used_and_nothing_else_changes(draw):
    figure, (ax, other) = plt.subplots(2)
    before, artists, known = dict(mpl.rcParams), len(other.get_children()), plt.get_fignums()
    assert draw(small(), ax=ax) is ax
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == known
    assert len(other.get_children()) == artists
    assert figure.axes == [ax, other]
    assert draw(small()).figure is not figure
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("draw", ALL)
def test_what_is_no_axes_is_refused(draw):
    figure, axes = plt.subplots(2)
    for wrong in (axes, figure, "axes"):
        with pytest.raises(fp.DataError, match="ax must be axes of matplotlib, got"):
            draw(small(), ax=wrong)


@pytest.mark.parametrize("draw", [*IN_ROWS, plots.graph])
def test_the_comparison_is_picked_and_said(draw):
    first, second = (draw(three(), stratum=one).get_title(loc="left") for one in ("b", "c"))
    assert "sex = b minus a" in first
    assert "sex = c minus a" in second
    assert draw(three()).get_title(loc="left") == first
    text = draw(odds(), outcome=0).get_title(loc="left")
    assert "among hired = not 1" in text
    for stratum in ("a", "z"):
        with pytest.raises(fp.DataError, match=f"stratum='{stratum}' is not compared"):
            draw(three(), stratum=stratum)
    with pytest.raises(fp.DataError, match="outcome=2 is none of those compared"):
        draw(odds(), outcome=2)


@pytest.mark.parametrize("draw", [*IN_ROWS, plots.graph, plots.beeswarm])
@pytest.mark.parametrize("most", [0, -1, 2.0, "all", True])
def test_most_is_a_count(draw, most):
    with pytest.raises(fp.DataError, match="most must be a whole number"):
        draw(small(), most=most)


@pytest.mark.parametrize("draw", [*IN_ROWS, plots.graph, plots.beeswarm])
def test_what_is_no_explanation_is_refused(draw):
    with pytest.raises(fp.DataError, match="Expected an explanation that explain"):
        draw(small().table())


@pytest.mark.parametrize("draw", [plots.bar, plots.waterfall])
def test_what_stands_apart_has_a_row(draw):
    for one, name in ((accuracy(), "base rates of the outcome"), (odds(), "selection by the")):
        labels = [label.get_text() for label in draw(one).get_yticklabels()]
        place = next(i for i, label in enumerate(labels) if label.startswith(name))
        assert labels[place + 1] == "remainder"


def no_path(**options):
    graph = fp.CausalGraph(directed=[("age", "pay")], nodes=["sex"])
    return worlds.explained(
        worlds.people(100), lambda rows: worlds.number(rows, "pay"), graph=graph, inputs=["pay"],
        output="score", **options,
    )  # fmt: skip


def test_without_a_path_only_the_remainder_is_left():
    one = no_path()
    (bar,) = plots.bar(one).patches
    assert_allclose(bar.get_width(), one.disparity.value)
    assert len(plots.waterfall(one).patches) == 2
    for draw in (plots.cuts, plots.beeswarm):
        with pytest.raises(fp.DataError, match="no path to draw"):
            draw(one)


def test_long_names_are_shortened_and_kept():
    ax = plots.bar(long_names())
    label = ax.get_yticklabels()[0]
    assert LONG in label.get_gid()
    assert LONG not in label.get_text()
    assert all(len(line) < 60 for line in label.get_text().split("\n"))
    note = by_gid(ax.texts)["note"].get_text().replace("\n", "")
    shown = " ".join(label.get_gid() for label in ax.get_yticklabels())
    for name in {node for path in long_names().paths for node in path.nodes[1:]}:
        assert (name in shown) == (name in note)


def test_a_dollar_sign_is_no_formula():
    table = worlds.people(100).rename(columns={"pay": "$pay", "hours": "$\\hours"})
    graph = fp.CausalGraph(directed=[("sex", "$pay"), ("$\\hours", "$pay"), ("sex", "$\\hours")])
    one = worlds.explained(
        table, lambda rows: worlds.number(rows, "$pay"), graph=graph, inputs=["$pay", "$\\hours"],
        output="score",
    )  # fmt: skip
    for draw in ALL:
        settled(draw(one))


@pytest.mark.parametrize("draw", ALL)
def test_without_matplotlib_the_error_says_what_to_install(draw, monkeypatch):
    one = small()
    for part in ("axes", "pyplot", "textpath", "patches", "path"):
        monkeypatch.setitem(sys.modules, f"matplotlib.{part}", None)
    with pytest.raises(fp.MissingExtraError, match=r"pip install 'fairpath\[plots\]'"):
        draw(one)


def test_importing_plots_does_not_import_matplotlib():
    code = "import sys, fairpath.plots; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603


names = st.lists(st.text("abc_ ", max_size=40), max_size=12)


@given(names, st.integers(5, 20))
def test_short_names_are_short_and_differ(listed, longest):
    shortened = canvas.short_names(listed, longest)
    assert set(shortened) == set(listed)
    assert all(len(short) <= longest for short in shortened.values())
    assert len(set(shortened.values())) == len(shortened)
    for name, short in shortened.items():
        if len(name) > longest and " " not in name and "…" in short and not short[-1].isdigit():
            front, back = short.split("…")
            assert name.startswith(front)
            assert name.endswith(back)


@given(st.lists(st.floats(-1e5, 1e5).filter(lambda x: x == 0 or abs(x) > 1e-3), min_size=1))
def test_numbers_are_written_to_three_digits_of_the_largest(values):
    write = canvas.numbers(values)
    largest = max(map(abs, values))
    for value in values:
        shown = float(write(value).replace("\N{MINUS SIGN}", "-"))
        assert abs(shown - value) <= max(0.00501 * largest, 0.5)
        if largest < 100:
            assert abs(shown - value) <= 0.00501 * largest


def test_a_number_that_is_shown_as_zero_has_no_sign():
    write = canvas.numbers([0.5])
    assert [write(0.0), write(-1e-9), write(0.25)] == ["0.000", "0.000", "+0.250"]
    assert canvas.numbers([2e-7])(-1e-7) == "\N{MINUS SIGN}1.00e\N{MINUS SIGN}07"


def test_without_intervals_only_numbers_are_written():
    ax = plots.bar(without_intervals())
    assert all("[" not in text.get_text() for text in ax.texts)
