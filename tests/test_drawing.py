import re
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from fairpath import CausalGraph
from fairpath.datasets import adult_graph
from strategies import graphs

SVG = "{http://www.w3.org/2000/svg}"


def drawn(graph):
    return ET.fromstring(graph._repr_svg_())  # noqa: S314 - our own text


def boxes(picture):
    return {
        group.find(f"{SVG}title").text: {
            key: float(group.find(f"{SVG}rect").get(key)) for key in ("x", "y", "width", "height")
        }
        for group in picture.findall(f"{SVG}g")
    }


@given(graphs)
def test_layers_run_from_causes_to_effects(graph):
    box = boxes(drawn(graph))
    assert sorted(box) == list(graph.nodes)
    for cause, effect in graph.directed:
        assert box[cause]["x"] + box[cause]["width"] < box[effect]["x"]


@given(graphs)
def test_nodes_do_not_overlap_and_lie_inside(graph):
    picture = drawn(graph)
    placed = list(boxes(picture).values())
    for i, one in enumerate(placed):
        assert one["x"] >= 0
        assert one["x"] + one["width"] <= float(picture.get("width"))
        assert one["y"] + one["height"] <= float(picture.get("height"))
        for other in placed[i + 1 :]:
            assert (
                one["x"] + one["width"] <= other["x"]
                or other["x"] + other["width"] <= one["x"]
                or abs(one["y"] - other["y"]) >= one["height"]
            )


@given(graphs)
def test_only_directed_edges_have_an_arrowhead(graph):
    heads = {
        path.find(f"{SVG}title").text: path.get("marker-end") is not None
        for path in drawn(graph).findall(f"{SVG}path")
    }
    assert heads == {f"{u} -> {v}": True for u, v in graph.directed} | {
        f"{u} -- {v}": False for u, v in graph.undirected
    }


@given(st.text(st.characters(blacklist_categories=["Cc", "Cs"]), min_size=1))
def test_names_are_escaped(name):
    picture = CausalGraph([("<script>alert(1)</script>", f"&{name}")])._repr_svg_()
    assert "<script" not in picture
    ET.fromstring(picture)  # noqa: S314 - our own text


def test_a_long_name_is_shortened_and_kept_in_full():
    name = "a very long name of a column, as surveys have them"
    picture = CausalGraph([("sex", name)])._repr_svg_()
    assert f"<title>{name}</title>" in picture
    assert max(map(len, re.findall(r"<text[^>]*>([^<]*)<", picture))) <= 24


def test_the_adult_graph_is_small():
    picture = drawn(adult_graph().graph)
    assert float(picture.get("width")) < 900
    assert float(picture.get("height")) < 400
