"""Flows in the picture of the graph are as wide as contributions, and nothing covers a box."""

from collections import Counter
from itertools import combinations, pairwise

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.patches import FancyBboxPatch, PathPatch
from numpy.testing import assert_allclose

import fairpath as fp
import worlds
from fairpath import plots
from fairpath.plots.flow_map import flow_map
from fairpath.plots.layout import Size, laid_out
from plots_helpers import (
    DIFFERENT,
    EXPLANATIONS,
    accuracy,
    by_gid,
    comparisons,
    long_names,
    many,
    settled,
    small,
    three,
    written,
)

each_explanation = pytest.mark.parametrize("found", EXPLANATIONS)


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def merged():
    """Paths of more than one feature are merged; two boxes of one layer share an edge."""
    return worlds.explained(worlds.people(200), max_length=1)


def name(block):
    return block if isinstance(block, str) else ", ".join(block)


def expected(one, most=None, **compared):
    """Add up contributions along edges, one path after another."""
    values = one.contributions(**compared).values
    sums = Counter()
    for place in np.argsort(-np.abs(values), kind="stable")[:most]:
        for left, right in pairwise([*map(name, one.paths[place].nodes), "prediction"]):
            word = "raises" if values[place] > 0 else "lowers"
            sums[f"{left} → {right}: {word}"] += abs(values[place])
    return sums


def ribbons(ax):
    """Return the height of each ribbon at its left and right end, and those ends."""
    found = {}
    for gid, patch in by_gid(ax.patches).items():
        if isinstance(patch, PathPatch) and gid.endswith((": raises", ": lowers")):
            corners = patch.get_path().vertices
            for x in (corners[:, 0].min(), corners[:, 0].max()):
                ys = corners[corners[:, 0] == x, 1]
                found.setdefault(gid, []).append((x, ys.min(), ys.max()))
    return found


def boxes(ax):
    return {
        gid.removeprefix("box of "): patch
        for gid, patch in by_gid(ax.patches).items()
        if isinstance(patch, FancyBboxPatch)
    }


@pytest.mark.parametrize("found", DIFFERENT)
@pytest.mark.parametrize("most", [None, 4])
def test_widths_are_sums_of_contributions(found, most):
    one = found()
    for compared in comparisons(one):
        ax = plots.graph(one, most=most, **compared)
        drawn, sums = ribbons(ax), expected(one, most, **compared)
        assert set(drawn) == {gid for gid, value in sums.items() if value > 0}
        into = sum(value for gid, value in sums.items() if "→ prediction:" in gid)
        for gid, ends in drawn.items():
            for _, low, high in ends:
                assert_allclose(high - low, 110 * sums[gid] / into, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("found", DIFFERENT)
def test_flows_end_at_the_sides_of_their_boxes_side_by_side(found):
    ax = plots.graph(found())
    places = boxes(ax)
    sides = {}
    for gid, (first, last) in ribbons(ax).items():
        left, right = gid.rsplit(":", 1)[0].split(" → ")
        for box, end, edge in ((left, first, 1), (right, last, 0)):
            bounds = places[box].get_bbox()
            assert_allclose(end[0], bounds.x1 if edge else bounds.x0)
            low, high = sorted((bounds.y0, bounds.y1))
            assert low - 1e-6 <= end[1] <= end[2] <= high + 1e-6
            sides.setdefault((box, edge), []).append(end[1:])
    for ends in sides.values():
        for (_, below), (above, _) in pairwise(sorted(ends)):
            assert below <= above + 1e-6


def test_what_flows_into_a_box_flows_out_of_it():
    sums = expected(many())
    into, out = Counter(), Counter()
    for gid in ribbons(plots.graph(many())):
        left, right = gid.rsplit(":", 1)[0].split(" → ")
        out[left] += sums[gid]
        into[right] += sums[gid]
    for node in set(into) & set(out):
        assert_allclose(into[node], out[node])
    assert_allclose(out["sex"], into["prediction"])


@each_explanation
def test_boxes_hold_their_text_and_do_not_overlap(found):
    figure, ax = plt.subplots(figsize=(9, 5), layout="constrained")
    for axes in (plots.graph(found()), plots.graph(found(), ax=ax)):
        areas = {text.get_gid(): area for text, area in written(axes).items()}
        places = {gid: patch.get_window_extent() for gid, patch in boxes(axes).items()}
        assert len(places) > 1
        for gid, box in places.items():
            text = areas[gid]
            assert box.x0 < text.x0 < text.x1 < box.x1
            assert box.y0 < text.y0 < text.y1 < box.y1
        for one, other in combinations(places.values(), 2):
            assert not one.overlaps(other)
    assert figure.axes == [ax]


def test_letters_have_their_size_before_anything_is_drawn():
    _, ax = plt.subplots(figsize=(4, 3))
    plots.graph(small(), ax=ax)
    ax.apply_aspect()
    texts = by_gid(ax.findobj(mpl.text.Text))
    for gid, patch in boxes(ax).items():
        assert texts[gid].get_window_extent().width < patch.get_window_extent().width


def through(patch, n=60):
    """Return points inside a ribbon or on a line, between its ends."""
    vertices, codes = patch.get_path().vertices, patch.get_path().codes
    points, at = [], None
    place = 0
    while place < len(codes):
        if codes[place] == mpl.path.Path.CURVE4:
            t = np.linspace(0, 1, n)[:, None]
            a, b, c = vertices[place : place + 3]
            points.append(
                (1 - t) ** 3 * at + 3 * (1 - t) ** 2 * t * a + 3 * (1 - t) * t**2 * b + t**3 * c
            )
            at, place = c, place + 3
            continue
        if codes[place] == mpl.path.Path.LINETO:
            points.append(at + np.linspace(0, 1, n)[:, None] * (vertices[place] - at))
        at, place = vertices[place], place + 1
    return np.concatenate(points)


@pytest.mark.parametrize("found", [*EXPLANATIONS, merged])
@pytest.mark.parametrize("most", [None, 6])
def test_nothing_runs_over_a_box(found, most):
    ax = plots.graph(found(), most=most)
    places = boxes(ax)
    lines = [p for p in ax.patches if isinstance(p, PathPatch)]
    assert lines
    for line in lines:
        points = through(line)
        for box in places.values():
            inner = box.get_bbox().padded(-0.01)
            low, high = sorted((inner.y0, inner.y1))
            inside = (points[:, 0] > inner.x0) & (points[:, 0] < inner.x1)
            inside &= (points[:, 1] > low) & (points[:, 1] < high)
            assert not inside.any(), (line.get_gid(), box.get_gid())


def test_a_file_keeps_the_flows_and_forgets_the_rest(tmp_path):
    small().save(tmp_path / "saved")
    loaded = fp.load(tmp_path / "saved")
    mine, theirs = (plots.graph(one) for one in (small(), loaded))
    assert set(boxes(mine)) - set(boxes(theirs)) == {"city"}
    heights = [
        {gid: [high - low for _, low, high in ends] for gid, ends in ribbons(ax).items()}
        for ax in (mine, theirs)
    ]
    assert heights[0].keys() == heights[1].keys()
    for gid, ends in heights[0].items():
        assert_allclose(heights[1][gid], ends)


def test_outside_features_are_dashed_and_joined_with_what_they_change():
    ax = plots.graph(small())
    places = boxes(ax)
    assert places["city"].get_linestyle() != "solid"
    assert {gid for gid, box in places.items() if box.get_linestyle() == "solid"} == {
        "sex", "age", "job", "hours", "pay", "prediction",
    }  # fmt: skip
    lines = set(by_gid(ax.patches))
    assert {"city – job", "city – prediction"} <= lines
    assert "city – pay" not in lines


def test_outside_features_alike_share_a_box():
    table = worlds.people(100).assign(a=1.0, b=2.0)
    one = worlds.explained(
        table, lambda rows: worlds.number(rows, "pay"), inputs=["pay", "a", "b"], output="score"
    )
    assert "a, b" in boxes(plots.graph(one))


def test_edges_of_smaller_paths_are_grey_lines():
    one = small()
    ax = plots.graph(one, most=1)
    drawn = by_gid(ax.patches)
    first = [*one.paths[0].nodes, "prediction"]
    assert len(ribbons(ax)) == len(first) - 1
    for path in one.paths[1:]:
        for left, right in pairwise([*path.nodes, "prediction"]):
            if (left, right) not in set(pairwise(first)):
                line = drawn[f"{left} – {right}"]
                red, green, blue, _ = line.get_edgecolor()
                assert red == green == blue
    assert f"{len(one.paths) - 1} smaller paths" in by_gid(ax.texts)["note"].get_text()


def test_an_edge_that_no_path_takes_is_a_line():
    graph = fp.CausalGraph(
        (*worlds.GRAPH.directed, ("dog", "age")), worlds.GRAPH.undirected, (), "drawn"
    )
    table = worlds.people(200).assign(dog=0.0)
    one = worlds.explained(table, graph=graph)
    lines = {gid for gid in by_gid(plots.graph(one).patches) if " – " in gid}
    assert all(gid.split(" – ")[0] in {"city", "dog"} for gid in lines)
    assert len(lines) == len(set(lines)) > 1


def test_blocks_are_one_box():
    one = accuracy()
    (block,) = {node for path in one.paths for node in path.nodes[1:]}
    assert len(block) > 1
    text = by_gid(plots.graph(one).findobj(mpl.text.Text))[", ".join(block)]
    assert text.get_text().split("\n") == list(block)


def keys(ax):
    return [
        text.get_text() for gid, text in by_gid(ax.texts).items() if gid.startswith("key: ")
    ] + [
        artist.get_text()
        for artist in ax.artists
        if isinstance(artist, mpl.text.Text) and (artist.get_gid() or "").startswith("key: ")
    ]


def test_the_key_explains_what_is_there_and_no_more():
    always = {"raises the disparity", "lowers it"}
    grey = {"edge on no path that is shown", "outside feature"}
    assert set(keys(plots.graph(many()))) == always
    against = "the causal arrow points against the flow"
    assert set(keys(plots.graph(small()))) == always | grey | {against}
    assert "direction not known" in keys(plots.graph(accuracy()))


def test_a_key_that_is_too_wide_takes_two_lines():
    ax = plots.graph(merged())
    areas = {t: a for t, a in written(ax).items() if (t.get_gid() or "").startswith("key: ")}
    assert len({round(area.y0) for area in areas.values()}) > 1
    assert max(area.x1 for area in areas.values()) < ax.get_window_extent().x1


def test_a_head_stays_at_the_effect_that_stands_left_of_its_cause():
    table = worlds.people(100)
    graph = fp.CausalGraph.parse("job -> sex; pay -> job; hours -> sex")
    one = worlds.explained(
        table, lambda rows: worlds.number(rows, "pay"), graph=graph, inputs=["job", "pay"],
        output="score", max_length=1,
    )  # fmt: skip
    found = flow_map(one, one.compared[0], None)
    assert found.layers[("job",)] < found.layers[("pay",)]
    assert found.lines[("job",), ("pay",)] == -1


def test_longer_paths_have_a_box_for_each_end():
    one = merged()
    longer = [path for path in one.paths if path.longer]
    assert len(longer) > 1
    ax = plots.graph(one)
    for path in longer:
        assert f"…, {path.nodes[-1]}" in boxes(ax)
    texts = [text.get_text() for text in written(ax)]
    assert texts.count("longer paths") == len(longer)
    assert "direction not known" not in keys(ax)
    assert "job – pay" in by_gid(ax.patches)


def test_without_a_path_there_is_no_flow():
    graph = fp.CausalGraph(directed=[("age", "pay")], nodes=["sex"])
    one = worlds.explained(
        worlds.people(100), lambda rows: worlds.number(rows, "pay"), graph=graph, inputs=["pay"],
        output="score",
    )  # fmt: skip
    ax = plots.graph(one)
    assert not ribbons(ax)
    assert set(boxes(ax)) == {"sex", "pay", "prediction"}


def test_names_are_shortened_and_kept():
    ax = settled(plots.graph(long_names()))
    for feature in {node for path in long_names().paths for node in path.nodes[1:]}:
        text = by_gid(ax.findobj(mpl.text.Text))[feature]
        assert len(text.get_text()) <= 20


def test_the_same_picture_each_time():
    first, second = (ribbons(plots.graph(three())) for _ in range(2))
    assert first == second


@st.composite
def layered(draw):
    n = draw(st.integers(2, 9))
    layers = {(f"x{i}",): draw(st.integers(0, 4)) for i in range(n)}
    used = sorted(set(layers.values()))
    layers = {node: used.index(layer) for node, layer in layers.items()}
    edges = [
        (a, b) for a, b in combinations(layers, 2) if layers[a] <= layers[b] and draw(st.booleans())
    ]
    thickness = {edge: draw(st.floats(0.5, 60)) for edge in edges}
    room = {
        node: max(sum(w for edge, w in thickness.items() if edge[side] == node) for side in (0, 1))
        for node in layers
    }
    sizes = {
        node: Size(draw(st.floats(10, 90)), max(draw(st.floats(10, 90)), room[node]))
        for node in layers
    }
    return layers, sizes, thickness


@settings(deadline=None, max_examples=60)
@given(layered())
def test_a_layout_keeps_everything_apart(drawn):
    layers, sizes, thickness = drawn
    found = laid_out(layers, sizes, thickness)
    for one, other in combinations(found.boxes.values(), 2):
        across = min(one.right, other.right) - max(one.left, other.left)
        low = max(one.middle - one.height / 2, other.middle - other.height / 2)
        high = min(one.middle + one.height / 2, other.middle + other.height / 2)
        assert across < 0 or high - low < 1e-6 or one.left == one.right != other.left
    for node, layer in layers.items():
        box = found.boxes[node]
        assert box.right - box.left >= sizes[node].width - 1e-9
        assert_allclose(box.height, sizes[node].height)
        assert box.middle - box.height / 2 >= -1e-6
        assert box.middle + box.height / 2 <= found.height + 1e-6
        for other, further in layers.items():
            if layer < further:
                assert box.right < found.boxes[other].left
    for step, width in thickness.items():
        for node in step:
            box, y = found.boxes[node], found.ports[step, node]
            assert abs(y - box.middle) + width / 2 <= box.height / 2 + 1e-6
