"""Sentences are true, strands are as wide as what paths carry, bars as long, and heaps as high."""

import re
from functools import lru_cache
from html import unescape
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import plots_helpers
import worlds
from fairpath.disparity import BASE_RATES, SELECTION, View
from fairpath.explanation.quantities import Comparison, Numbers
from fairpath.paths import Path
from fairpath.plots.flow_map import PREDICTION, flow_map
from fairpath.report.bars import Axis, bar, heap, histogram
from fairpath.report.comparing import Room
from fairpath.report.drawing import band, drawn
from fairpath.report.markup import Markup, element, path, phrase, safe
from fairpath.report.numbers import NOTHING, Style, percent
from fairpath.report.picture import pictured, steps_of, text_width
from fairpath.report.remainder import cross_fitted
from fairpath.report.words import sentences
from fairpath.uncertainty import Estimate, Estimates

numbers = st.floats(-1, 1).map(lambda x: round(x, 5))
errors = st.floats(0, 0.3)


def described(whole, parts, left, *, apart=None, sure=True):
    """Return the sentences about made-up numbers, each with its standard error."""
    (delta, delta_error), (left, left_error) = whole, left
    parts, part_errors = [one for one, _ in parts], [error for _, error in parts]
    n_paths = len(parts)
    place = Numbers(n_paths)
    values, deviations = np.zeros(5 + 4 * n_paths), np.zeros(5 + 4 * n_paths)
    values[0], values[1], values[place.contributions] = delta, left, parts
    deviations[1], deviations[place.contributions] = left_error, part_errors
    values[place.apart] = 0.25
    found = Estimates(values, deviations[None, :], 16.0 if sure else 0.0)
    half = 1.96 * delta_error if sure else np.nan
    compared = Comparison(View(None, (0, 1) if apart else None, apart), 1, 0)
    explanation = SimpleNamespace(
        paths=tuple(Path(("sex", f"x{k}"), ("→",)) for k in range(n_paths)),
        setting=SimpleNamespace(sensitive="sex", output="decision", outcome="y", favourable=1),
        levels=("f", "m"), reference=0, viewpoint=SimpleNamespace(signs=None, name="parity"),
        estimates_at=lambda _: found,
        disparity=Estimate(delta, delta - half, delta + half, delta_error),
    )  # fmt: skip
    told = sentences(explanation, compared)
    return [unescape(re.sub("<[^>]*>", "", one)) for one in told], found


def read(text):
    return float(text.replace("\N{MINUS SIGN}", "-"))


@given(
    st.tuples(numbers, errors),
    st.lists(st.tuples(numbers, errors), min_size=1, max_size=4),
    st.tuples(numbers, errors),
)
def test_sentences_are_true(whole, each, rest):
    (delta, delta_error), (left, _), parts = whole, rest, [part for part, _ in each]
    assume(abs(delta) > 0.01)
    (first, second, third), found = described(whole, each, rest)
    size, way, low, high = re.fullmatch(
        r"The model's mean decision is (\S+) (higher|lower) for sex = m than for sex = f "
        r"\(95\xa0% interval (\S+) to (\S+?)\)(?:, which is compatible with no difference)?\.",
        first,
    ).groups()
    towards = np.sign(delta)
    assert way == ("higher" if delta > 0 else "lower")
    half = 1.96 * delta_error
    expected = [abs(delta), abs(delta) - half, abs(delta) + half]
    assert_allclose([*map(read, (size, low, high))], expected, atol=6e-4)
    assert ("compatible with no difference" in first) == (half >= abs(delta))

    largest = int(np.argmax(np.abs(parts)))
    one = found[5 + largest]
    share = parts[largest] / delta
    if abs(parts[largest]) < 0.0006:  # may be written as zero
        assert second.startswith(("No path carries ", "The largest contribution "))
        return
    assert f"sex → x{largest} → prediction" in second
    assert ("compatible with zero" in second) == (one.low <= 0 <= one.high)
    amount = re.search(r"([^\d]?[\d.]+), (\S+) to ([^\s)]+)\)", second)
    assert_allclose([*map(read, amount.groups())], [one.value, one.low, one.high], atol=6e-4)
    if half >= abs(delta):
        assert second.startswith("The largest contribution runs")
    else:
        assert second.startswith(
            "The largest contribution runs" if share < 0
            else "More than all of it (" if share > 1.05
            else "Most of it (" if share > 0.5
            else "No path carries more of it than "
        )  # fmt: skip
        assert ("works against" in second) == (share < 0)
        against = sum(part for part in parts if part * towards < 0) / delta
        if share > 0:
            assert f"({percent(share)}: " in second
            said = f"work against it carry {percent(against)}." in second
            assert said == (against <= -0.1)

    left_over = found[1]
    assert third.startswith("No path explains ")
    assert read(third.split()[3].rstrip(",.")) == pytest.approx(left, abs=6e-4)
    assert ("not compatible with zero" in third) == (left_over.low > 0 or left_over.high < 0)


def test_sentences_without_intervals_promise_nothing():
    told, _ = described((0.2, 0.0), [(0.15, 0.0)], (0.05, 0.0), sure=False)
    assert "how sure these numbers are is not known" in told[0]
    assert "compatible" not in "".join(told)
    assert told[1] == "Most of it (75\xa0%: +0.150) runs along sex → x0 → prediction."
    assert told[2] == "No path explains 0.050."


def test_sentences_about_nothing():
    told, _ = described((0.0, 0.1), [(0.0, 0.1)], (0.0, 0.1))
    assert "is the same" in told[0]
    assert "%" not in told[1]
    told, _ = described((0.2, 0.01), [], (0.2, 0.01))
    assert "no path carries any of it" in told[1]
    assert "not compatible with zero" in told[2]


@pytest.mark.parametrize(("apart", "words"), [(SELECTION, "nothing is left"), (BASE_RATES, "Diff")])
def test_what_stands_apart_is_named(apart, words):
    told, _ = described((0.2, 0.01), [(0.1, 0.01)], (0.0, 0.01), apart=apart)
    assert words in told[2]
    assert f"{apart}" in told[2]
    assert "0.250" in told[2]


@lru_cache
def longer():
    """A path stands for all that are longer than two steps."""
    found = worlds.explained(worlds.people(200), max_length=2)
    assert any(one.longer for one in found.paths)
    return found


@pytest.mark.parametrize("made", plots_helpers.DIFFERENT, ids=lambda made: made.__name__)
def test_strands_are_as_wide_as_what_paths_carry(made):
    explanation = made()
    for picked in plots_helpers.comparisons(explanation):
        compared = explanation.comparison(**picked)
        values = explanation.contributions(**picked).values
        picture = pictured(explanation, compared, len(values))
        found = flow_map(explanation, compared, None)
        assert picture.strands.keys() == found.flows.keys()
        for step, along in picture.strands.items():
            sizes = np.array([one.value for one in along])
            assert_allclose(sizes[sizes > 0].sum(), found.flows[step].raises, atol=1e-12)
            assert_allclose(-sizes[sizes < 0].sum(), found.flows[step].lowers, atol=1e-12)
            assert (np.diff((sizes < 0).astype(int)) >= 0).all()
            assert [values[one.path] for one in along] == sizes.tolist()
        for place, one in enumerate(explanation.paths):
            steps = steps_of(one)
            assert steps[0][0] == (explanation.setting.sensitive,)
            assert steps[-1][1] == PREDICTION
            for step in steps:
                assert place in [strand.path for strand in picture.strands[step]]

        text = drawn(explanation, picture, number=0, summary="")
        drawn_strands = re.findall(
            r'<path class="strand (raises|lowers)[^"]*" data-path="(\d+)" d="M([\d.-]+),([\d.-]+)'
            r'.*?L([\d.-]+),([\d.-]+)C', text
        )  # fmt: skip
        counts = np.bincount([int(strand[1]) for strand in drawn_strands], minlength=len(values))
        assert counts.tolist() == [len(steps_of(one)) for one in explanation.paths]
        for look, place, *_ in drawn_strands:
            assert look == ("lowers" if values[int(place)] < 0 else "raises")


@pytest.mark.parametrize("made", [plots_helpers.small, plots_helpers.accuracy, longer])
def test_strands_of_an_edge_lie_one_below_the_other(made):
    """And together are as high as the flow."""
    explanation = made()
    compared = explanation.compared[0]
    picture = pictured(explanation, compared, 99)
    text = drawn(explanation, picture, number=0, summary="")
    heights = sorted(
        picture.scale * (flow.raises + flow.lowers) for flow in picture.found.flows.values()
    )
    found = []
    for group in re.findall(r"<g>(.*?)</g>", text):
        ends = []
        for d in re.findall(r'class="strand.*?d="(.*?)"', group):
            points = re.findall(r"(-?[\d.]+),(-?[\d.]+)", d)
            assert points[0][0] == points[-1][0]
            ends.append((float(points[0][1]), float(points[-1][1])))
        for upper, lower in pairwise(ends):
            assert upper[1] == pytest.approx(lower[0], abs=0.011)
        if ends:
            found.append(ends[-1][1] - ends[0][0])
    assert_allclose(sorted(found), heights, atol=0.011)


def test_longer_paths_run_through_one_box():
    explanation = longer()
    (place,) = (k for k, one in enumerate(explanation.paths) if one.longer)
    picture = pictured(explanation, explanation.compared[0], 99)
    steps = steps_of(explanation.paths[place])
    assert set(steps) <= set(picture.found.flows)
    assert all(place in [one.path for one in picture.strands[step]] for step in steps)


@given(st.floats(-5, 5), st.floats(0, 9))
def test_a_band_is_as_high_as_it_is_wide(shift, width):
    """Its upper side runs forth, its lower side back; both end where they should."""
    along = [(0.0, 10.0), (60.0, 30.0), (90.0, 30.0), (150.0, 5.0)]
    d = band(along, shift, width)
    points = [tuple(map(float, pair)) for pair in re.findall(r"(-?[\d.]+),(-?[\d.]+)", d)]
    corners = np.array([points[0], points[7], points[8], points[-1]])
    upper, lower = shift - width / 2, shift + width / 2
    expected = [[0, 10 + upper], [150, 5 + upper], [150, 5 + lower], [0, 10 + lower]]
    assert_allclose(corners, expected, atol=0.006)
    assert d.startswith("M")
    assert d.endswith("Z")
    assert "-0," not in d


def test_paths_without_room_are_lines():
    explanation = plots_helpers.many()
    compared = explanation.compared[0]
    picture = pictured(explanation, compared, 3)
    assert {one.path for along in picture.strands.values() for one in along} == {0, 1, 2}
    assert set(picture.found.lines) & {s for p in explanation.paths[3:] for s in steps_of(p)}


@given(st.lists(st.tuples(numbers, errors), min_size=1, max_size=6))
def test_bars_are_as_long_as_numbers(given_numbers):
    estimates = [Estimate(v, v - 2 * e, v + e, e) for v, e in given_numbers]
    axis = Axis.of(estimates)
    for one in estimates:
        drawn_bar = bar(axis, one)
        look, x, width = re.search(
            r'class="(raises|lowers)" x="(.*?)%".*?width="(.*?)%"', drawn_bar
        ).groups()
        zero = float(re.search(r'class="zero" x1="(.*?)%"', drawn_bar)[1])
        scale = 100 / (axis.high - axis.low)
        assert float(width) == pytest.approx(abs(one.value) * scale, abs=0.011)
        assert (look == "lowers") == (one.value < 0)
        end = float(x) if one.value < 0 else float(x) + float(width)
        assert end - zero == pytest.approx(one.value * scale, abs=0.03)
        low, high = map(float, re.search(r'whisker" x1="(.*?)%" x2="(.*?)%"', drawn_bar).groups())
        assert low - zero == pytest.approx(one.low * scale, abs=0.02)
        assert high - zero == pytest.approx(one.high * scale, abs=0.02)
        assert 0 <= min(low, float(x)) <= max(high, float(x) + float(width)) <= 100.02


def test_heaps_sum_to_one_and_their_means_differ_by_the_contribution():
    """Also where rows count several times."""
    rng = np.random.default_rng(0)
    explanation = worlds.explained(worlds.people(300), sample_weight=rng.integers(0, 4, 300))
    kept, place = explanation.kept, 0
    phi = kept.values[:, place]
    edges = np.histogram_bin_edges(phi, 30)
    heaps = [heap(phi[kept.strata == k], kept.weights[kept.strata == k], edges) for k in (0, 1)]
    for one in heaps:
        assert one.heights.sum() == pytest.approx(1)
    stratum = explanation.compared[0].stratum
    found = heaps[stratum].mean - heaps[1 - stratum].mean
    assert found == pytest.approx(explanation.contributions().values[place], abs=1e-12)
    text = histogram(edges, heaps, "name")
    for number, one in enumerate(heaps):
        d = re.search(rf'class="heap heap{number}" d="(.*?)"', text)[1]
        heights = 126 - np.array([float(v) for v in re.findall(r"V([\d.]+)H", d)])
        most = max(h.heights.max() for h in heaps)
        assert_allclose(heights, 118 * np.sqrt(one.heights / most), atol=0.06)


@given(st.text())
def test_text_comes_back_as_it_was(text):
    """Whatever HTML can hold, wherever it stands."""
    assume(not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", text))
    written = element("p", text, title=text)
    assert unescape(re.fullmatch('<p title="([^"]*)">([^<>]*)</p>', written)[1]) == text
    assert unescape(re.fullmatch('<p title="([^"]*)">([^<>]*)</p>', written)[2]) == text
    assert safe(safe(text)) == safe(text)
    assert phrase(text, Markup("<b>")) == safe(text) + "<b>"


def test_a_path_is_written_as_it_prints():
    for one in (
        Path(("sex",), ()),
        Path(("sex", ("b", "c"), "d"), ("–", "→ y ←")),
        Path.longer_into("sex", ("b", "c")),
    ):
        assert unescape(re.sub("<[^>]*>", "", path(one))) == str(one)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5))
def test_numbers_are_rounded_alike(values):
    style = Style.of(values)
    for value in values:
        text = style.plain(value)
        assert "-" not in text
        found = read(text)
        largest = max(map(abs, values))
        assert abs(found - value) <= max(0.006 * largest, 1e-13)
        assert (style.signed(value)[0] == "+") == (found > 0)
        assert not (found == 0 and text.startswith("\N{MINUS SIGN}"))


def test_what_is_no_number_is_a_dash():
    assert Style(3).plain(float("nan")) == Style(3).signed(float("inf")) == NOTHING
    assert percent(float("nan")) == NOTHING
    assert percent(-0.004) == "0\xa0%"
    assert percent(-0.3) == "\N{MINUS SIGN}30\xa0%"


def test_the_remainder_with_links_from_other_rows_is_that_of_cross_fitting():
    table = worlds.people(300, 1, strata=("a", "b", "c"))
    found = cross_fitted(worlds.explained(table))
    again = worlds.explained(table, cross_fit=5, intervals="refit")
    assert len(found) == 2
    for one in again.compared:
        level = again.levels[one.stratum]
        assert found[one].value == pytest.approx(again.remainder[level].value, abs=1e-12)
        assert found[one].low < found[one].value < found[one].high
    assert cross_fitted(again) == {}
    assert cross_fitted(plots_helpers.odds()) == {}
    elsewhere = worlds.explained(table, links_from=worlds.people(300, 2, strata=("a", "b", "c")))
    assert cross_fitted(elsewhere) == {}


def test_room_is_shared():
    rooms = [Room.among(n) for n in (1, 2, 10, 49, 98)]
    for room, n in zip(rooms, (1, 2, 10, 49, 98), strict=True):
        assert room.rows * n <= 1300
        assert room.histograms <= room.strands <= room.rows
    assert rooms[0].rows > rooms[-1].rows > 0


def test_wider_letters_need_more_room():
    assert text_width("iii") < text_width("aaa") < text_width("WWW")
    assert text_width("aa") < text_width("性別")
