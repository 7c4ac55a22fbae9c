import copy
import pickle

import pytest
from hypothesis import given

from fairpath import CausalGraph, GraphError
from strategies import graphs


def test_content_is_sorted_and_equality_is_by_content():
    graph = CausalGraph([("b", "c"), ("a", "c")], undirected=[("d", "a")], nodes=["z"])
    assert graph.nodes == ("a", "b", "c", "d", "z")
    assert graph.directed == (("a", "c"), ("b", "c"))
    assert graph.undirected == (("a", "d"),)
    twin = CausalGraph.parse("z; a -> c; b -> c; a -- d")
    assert graph == twin
    assert hash(graph) == hash(twin)
    assert graph != CausalGraph(graph.directed, graph.undirected, graph.nodes, "markov")
    assert graph != CausalGraph(graph.directed, graph.undirected)
    assert graph != "a -> c"


def test_surroundings():
    graph = CausalGraph.parse("a -> b -> c; d -> c; b -- e; e -> f")
    assert graph.parents("c") == ("b", "d")
    assert graph.children("b") == ("c",)
    assert graph.neighbours("b") == ("e",)
    assert graph.adjacent("b") == ("a", "c", "e")
    # Along directed edges only: e may or may not come before f's other relatives.
    assert graph.ancestors("c") == ("a", "b", "d")
    assert graph.descendants("a") == ("b", "c")
    assert graph.descendants("f") == ()


def test_it_cannot_be_changed():
    graph = CausalGraph.parse("a -> b")
    with pytest.raises(AttributeError):
        graph.nodes = ("c",)


@given(graphs)
def test_copies_are_equal(graph):
    assert pickle.loads(pickle.dumps(graph)) == graph  # noqa: S301 - our own bytes
    assert copy.deepcopy(graph) == graph


def test_repr_shows_reading_and_stays_short():
    assert repr(CausalGraph.parse("sex -> job; age -- sex; lone")) == (
        "<CausalGraph, drawn: age -- sex; lone; sex -> job>"
    )
    assert repr(CausalGraph([("a", "b")], reading="markov")) == "<CausalGraph, markov: a -> b>"
    wide = CausalGraph([("a", f"x{i}") for i in range(100)])
    assert len(repr(wide)) < 250
    assert "101 nodes" in repr(wide)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a -> b\nb -> b", r"'b -> b' joins a node to itself \(line 2\)"),
        ("a -> b\nx -> y\na -> b", r"'a -> b' is given twice \(lines 1, 3\)"),
        ("a -> b; b -> a", r"joined twice, as 'a -> b' and as 'b -> a' \(line 1\)"),
        ("a -> b; b -- a", r"as 'a -> b' and as 'b -- a'.*'a -- b' if the direction"),
        ("a -> b\nb -> c\nc -> a", r"cycle: a -> b -> c -> a \(lines 1, 2, 3\)"),
    ],
)
def test_text_that_is_no_graph_is_refused_with_the_line(text, message):
    with pytest.raises(GraphError, match=message):
        CausalGraph.parse(text)


def test_a_cycle_is_named_in_full():
    with pytest.raises(GraphError, match=r"cycle: age -> pay -> job -> age\. Remove"):
        CausalGraph([("pay", "job"), ("job", "age"), ("age", "pay"), ("sex", "job")])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "is empty"),
        ({"directed": [("a", "")]}, "empty name"),
        ({"directed": [("a", 3)]}, r"got 3 of type int"),
        ({"directed": ["ab"]}, "pair of two names, got 'ab'"),
        ({"directed": [("a", "b", "c")]}, "pair of two names"),
        ({"nodes": "abc"}, "collection of names"),
        ({"nodes": ["a"], "reading": "guessed"}, "'drawn' or 'markov', got 'guessed'"),
    ],
)
def test_arguments_that_make_no_graph(arguments, message):
    with pytest.raises(GraphError, match=message):
        CausalGraph(**arguments)


def test_an_unknown_node_is_answered_with_close_names():
    graph = CausalGraph.parse("hours_per_week -> income; age -> income")
    with pytest.raises(GraphError, match=r"'hours_per_weak' is not.*Did you mean 'hours_per_week'"):
        graph.parents("hours_per_weak")
    with pytest.raises(GraphError, match=r"Its nodes are: age, hours_per_week, income\."):
        graph.ancestors("zzz")


def test_an_error_can_be_caught_as_a_value_error():
    with pytest.raises(ValueError, match="empty"):
        CausalGraph()
