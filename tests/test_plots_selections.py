"""The pictures of path selection show the frontier's numbers."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from numpy.testing import assert_allclose

import fairpath as fp
from fairpath import plots
from fairpath.selection import select_paths
from plots_helpers import assert_apart, odds, settled, small


def by_gid(ax, gid):
    return [artist for artist in ax.get_children() if artist.get_gid() == gid]


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def found():
    return select_paths(small())


@pytest.fixture(scope="module")
def unmeasured(tmp_path_factory):
    file = tmp_path_factory.mktemp("saved") / "explanation.fairpath"
    small().save(file)
    return select_paths(fp.load(file))


def test_dots_are_what_was_measured(found):
    ax = plots.frontier(found)
    (line,) = by_gid(ax, "frontier")
    for place, point in zip(line.get_xydata(), found.points, strict=True):
        (gap,) = point.measured.decision_disparity
        assert_allclose(place, [abs(gap), point.measured.accuracy])
    assert line.get_markerfacecolor() != "white"


def test_without_a_model_dots_are_sums_and_hollow(unmeasured):
    ax = plots.frontier(unmeasured)
    (line,) = by_gid(ax, "frontier")
    for place, point in zip(line.get_xydata(), unmeasured.points, strict=True):
        (gap,) = point.predicted.disparity
        assert_allclose(place, [abs(gap), point.predicted.utility])
    assert line.get_markerfacecolor() == "white"
    assert "add up" in ax.get_xlabel()


def test_the_chosen_selection_has_a_ring(found):
    weight = found.points[-1].fairness_weight
    ax = plots.frontier(found, chosen=weight)
    (ring,) = by_gid(ax, "chosen")
    (line,) = by_gid(ax, "frontier")
    assert_allclose(ring.get_xydata()[0], line.get_xydata()[-1])
    assert not by_gid(plots.frontier(found), "chosen")


def test_cells_are_red_where_a_path_is_kept(found):
    ax = plots.path_matrix(found)
    labels = [label.get_gid() for label in ax.get_yticklabels()]
    assert sorted(labels) == sorted(map(str, found.paths))
    for column, point in enumerate(found.points):
        for path in found.paths:
            held = path in point.kept
            (cell,) = by_gid(ax, f"{path} {'kept' if held else 'removed'} {column}")
            red = mpl.colors.to_hex(cell.get_facecolor()) == "#ff0051"
            assert red == held
            assert cell.get_y() + cell.get_height() / 2 == pytest.approx(labels.index(str(path)))
    times = [sum(path in point.kept for point in found.points) for path in found.paths]
    by_label = dict(zip(map(str, found.paths), times, strict=True))
    assert [by_label[label] for label in labels] == sorted(times, reverse=True)


def adult():
    """Twenty-six paths."""
    data = fp.datasets.load_adult("test", backend="pandas")

    def model(table):
        return 1 / (1 + np.exp(2 - table["marital_status"] - table["hours_per_week"] / 100))

    return fp.explain(
        model,
        data.data[:500],
        graph=data.graph,
        sensitive=data.sensitive,
        outcome=data.outcome,
        inputs=data.inputs,
        links="linear",
        intervals=None,
    )


def test_many_paths_and_two_outcomes_fit():
    for explanation in (adult(), odds()):
        chosen = select_paths(explanation, fairness_weights=np.linspace(0, 5, 40), measure=False)
        ax = plots.path_matrix(chosen)
        assert len(ax.get_xticks()) == 24
        settled(ax)
        for labels in (ax.get_xticklabels(), ax.get_yticklabels()):
            assert_apart({label: label.get_window_extent() for label in labels})
        plots.frontier(chosen)


def test_the_callers_axes_are_used(found):
    for draw in (plots.frontier, plots.path_matrix):
        _, ax = plt.subplots()
        assert draw(found, ax=ax) is ax
        assert len(plt.get_fignums()) == 1
        plt.close("all")


def test_wrong_input_is_refused(found):
    for draw in (plots.frontier, plots.path_matrix):
        with pytest.raises(fp.DataError, match="Expected what select_paths"):
            draw(small())
        with pytest.raises(fp.DataError, match="ax must be axes"):
            draw(found, ax=3)
    with pytest.raises(fp.DataError, match="no selection for fairness_weight"):
        plots.frontier(found, chosen=-1.0)
