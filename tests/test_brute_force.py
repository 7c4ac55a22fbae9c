"""The oracle itself, against examples done by hand and against d-separation."""

import random

import networkx as nx
import pytest

from brute_force import (
    active_paths,
    all_dags,
    all_pdags,
    arrange,
    common_edges,
    d_separated,
    random_markov,
    random_pdag,
)

X1, X2, X3 = frozenset({"X1"}), frozenset({"X2"}), frozenset({"X3"})
G = ("A", "X1", "X2", "X3")


def random_graphs(seed, count, sizes=(4, 5)):
    rng = random.Random(seed)
    for _ in range(count):
        yield *random_pdag(rng, rng.choice(sizes)), "drawn"
        yield *random_markov(rng, rng.choice(sizes)), "markov"


# The class of a graph


def test_classes_counted_by_hand():
    chain = (("A", "B"), ("B", "C"))
    triangle = (*chain, ("A", "C"))
    square = (("A", "B"), ("B", "C"), ("C", "D"), ("D", "A"))
    assert len(all_dags(("A", "B", "C"), (), chain, "drawn")) == 4
    assert len(all_dags(("A", "B", "C"), (), chain, "markov")) == 3
    assert len(all_dags(("A", "B", "C"), (), triangle, "drawn")) == 6
    assert len(all_dags(("A", "B", "C"), (), triangle, "markov")) == 6
    assert len(all_dags(("A", "B", "C", "D"), (), square, "drawn")) == 14
    assert all_dags(("A", "B", "C", "D"), (), square, "markov") == []
    assert len(list(all_pdags(("A", "B", "C")))) == 4**3 - 2


def test_collider_may_stay_but_not_be_new():
    nodes = ("A", "B", "C")
    assert len(all_dags(nodes, (("A", "B"), ("C", "B")), (), "markov")) == 1
    assert all_dags(nodes, (("A", "B"),), (("B", "C"),), "markov") == [
        frozenset({("A", "B"), ("B", "C")})
    ]


def test_common_edges():
    nodes = ("A", "B", "C", "D")
    assert common_edges(nodes, (("A", "B"),), (("C", "B"), ("D", "A")), "markov") == (
        (("A", "B"), ("B", "C")),
        (("A", "D"),),
    )
    assert common_edges(nodes, (("A", "B"), ("B", "C")), (("C", "A"),), "drawn") == (
        (("A", "B"), ("A", "C"), ("B", "C")),
        (),
    )
    with pytest.raises(ValueError, match="empty"):
        common_edges(nodes, (), (("A", "B"), ("B", "C"), ("C", "D"), ("D", "A")), "markov")


def test_d_separation_agrees_with_networkx():
    rng = random.Random(1)
    for nodes, directed, undirected, reading in random_graphs(1, 150):
        dag = rng.choice(all_dags(nodes, directed, undirected, reading))
        x, y, *others = rng.sample(nodes, len(nodes))
        given = set(others[: rng.randint(0, len(others))])
        graph = nx.DiGraph(list(dag))
        graph.add_nodes_from(nodes)
        assert d_separated(dag, nodes, x, y, given) == nx.is_d_separator(graph, {x}, {y}, given)


# Paths


@pytest.mark.parametrize("given_size", [0, 1, 2])
def test_a_path_is_active_exactly_where_some_dag_does_not_separate(given_size):
    rng = random.Random(2)
    for nodes, directed, undirected, reading in random_graphs(2, 150):
        given = rng.sample(nodes[1:], given_size)
        targets = set(nodes[1:]) - set(given)
        paths = active_paths(nodes, directed, undirected, reading, "A", targets, given)
        reached = {path[-1] for path in paths}
        dags = all_dags(nodes, directed, undirected, reading)
        for target in targets:
            separated = all(d_separated(dag, nodes, "A", target, given) for dag in dags)
            assert (target not in reached) == separated


def test_sensitive_attribute_as_input():
    assert active_paths(("A", "X1"), (("A", "X1"),), (), "drawn", "A", ("A", "X1")) == {
        ("A",),
        ("A", "X1"),
    }
    result = arrange(("A", "X1"), (), (), "drawn", "A", ("A", "X1"))
    assert result == {
        "blocks": set(),
        "predecessors": {},
        "players": {("A",)},
        "block_paths": {("A",)},
        "outside": {"X1"},
    }


# Blocks and players


@pytest.mark.parametrize("reading", ["drawn", "markov"])
def test_g1_directed(reading):
    directed = (("A", "X1"), ("A", "X2"), ("X1", "X2"), ("X3", "X1"), ("X3", "X2"))
    result = arrange(G, directed, (), reading, "A", ("X1", "X2", "X3"))
    players = {("A", X1), ("A", X2), ("A", X1, X2)}
    assert result == {
        "blocks": {X1, X2},
        "predecessors": {X1: {"A"}, X2: {"A", X1}},
        "players": players,
        "block_paths": players,
        "outside": {"X3"},
    }


@pytest.mark.parametrize("reading", ["drawn", "markov"])
def test_g2_undirected_at_the_sensitive_attribute(reading):
    """X1 -> A makes A <- X1 <- X3 -> X2 active, so X3 is not outside; all is still ordered."""
    directed = (("A", "X2"), ("X1", "X2"), ("X3", "X1"), ("X3", "X2"))
    result = arrange(G, directed, (("A", "X1"),), reading, "A", ("X1", "X2", "X3"))
    players = {("A", X1), ("A", X2), ("A", X1, X2), ("A", X1, X3), ("A", X1, X3, X2)}
    assert result == {
        "blocks": {X1, X2, X3},
        "predecessors": {X1: {"A"}, X3: {X1}, X2: {"A", X1, X3}},
        "players": players,
        "block_paths": players,
        "outside": set(),
    }


def test_g2_without_an_edge_into_x1():
    directed = (("A", "X2"), ("X1", "X2"), ("X3", "X2"))
    result = arrange(G, directed, (("A", "X1"),), "drawn", "A", ("X1", "X2", "X3"))
    assert result["players"] == {("A", X1), ("A", X2), ("A", X1, X2)}
    assert result["outside"] == {"X3"}


@pytest.mark.parametrize("reading", ["drawn", "markov"])
def test_g3_merges(reading):
    nodes, directed, undirected = G[:3], (("A", "X1"), ("A", "X2")), (("X1", "X2"),)
    assert active_paths(nodes, directed, undirected, reading, "A", ("X1", "X2")) == {
        ("A", "X1"),
        ("A", "X2"),
        ("A", "X1", "X2"),
        ("A", "X2", "X1"),
    }
    result = arrange(nodes, directed, undirected, reading, "A", ("X1", "X2"))
    assert result == {
        "blocks": {X1 | X2},
        "predecessors": {X1 | X2: {"A"}},
        "players": {("A", X1 | X2)},
        "block_paths": {("A", X1 | X2)},
        "outside": set(),
    }


def test_relative_to_the_outcome():
    nodes, directed = ("A", "X1", "X2", "Y"), (("A", "X1"), ("X1", "Y"), ("X2", "Y"))
    inputs = ("X1", "X2")
    assert active_paths(nodes, directed, (), "drawn", "A", inputs) == {("A", "X1")}
    assert active_paths(nodes, directed, (), "drawn", "A", inputs, ("Y",)) == {
        ("A", "X1"),
        ("A", "X1", "Y", "X2"),
    }
    result = arrange(nodes, directed, (), "drawn", "A", inputs, ("Y",))
    assert result == {
        "blocks": {X1, X2},
        "predecessors": {X1: {"A"}, X2: {X1}},
        "players": {("A", X1), ("A", X1, X2)},
        "block_paths": {("A", X1), ("A", X1, X2)},
        "outside": set(),
    }


def test_collider_that_is_an_ancestor_of_the_outcome():
    """A and X2 share the child X1, so A is a direct predecessor of X2 although no path says so."""
    nodes, directed = ("A", "X1", "X2", "Y"), (("A", "X1"), ("X2", "X1"), ("X1", "Y"))
    result = arrange(nodes, directed, (), "drawn", "A", ("X1", "X2"), ("Y",))
    assert result["predecessors"] == {X1: {"A"}, X2: {"A", X1}}
    assert result["block_paths"] == {("A", X1), ("A", X1, X2)}
    assert result["players"] == {("A", X1), ("A", X1, X2), ("A", X2)}


def test_only_what_leads_to_an_input_is_reported():
    """X1 is a mediator, X2 the input; X3 leads to no input: neither a block nor outside."""
    result = arrange(G, (("A", "X1"), ("X1", "X2"), ("A", "X3")), (), "drawn", "A", inputs=("X2",))
    assert result == {
        "blocks": {X1, X2},
        "predecessors": {X1: {"A"}, X2: {X1}},
        "players": {("A", X1, X2)},
        "block_paths": {("A", X1, X2)},
        "outside": set(),
    }


def test_a_player_need_not_be_a_path_even_without_conditioning():
    """Merging {X2, X3} glues A -> X3 to X2 <- X4: every DAG has a collider at X2 or at X3."""
    nodes = (*G, "X4")
    directed, undirected = (("A", "X3"), ("X1", "A"), ("X4", "X2")), (("X2", "X1"), ("X2", "X3"))
    result = arrange(nodes, directed, undirected, "drawn", "A", nodes[1:])
    both, x4 = X2 | X3, frozenset({"X4"})
    assert result["blocks"] == {X1, both, x4}
    assert result["players"] - result["block_paths"] == {("A", both, x4)}
    assert result["block_paths"] < result["players"]


def test_relative_to_the_outcome_direct_predecessors_may_run_in_a_circle():
    directed = "A X1, A X4, A X6, X2 X4, X3 X1, X5 A, X5 X4, X5 X6, X6 X3, X6 X4"
    directed = tuple(tuple(pair.split()) for pair in directed.split(", "))
    undirected = (("X1", "X2"), ("X3", "X4"))
    nodes = (*G, "X4", "X5", "X6")
    result = arrange(nodes, directed, undirected, "drawn", "A", nodes[1:-1], ("X6",))
    before, x4 = result["predecessors"], frozenset({"X4"})
    assert X1 in before[X2]
    assert X2 in before[x4]
    assert x4 in before[X3]
    assert X3 in before[X1]


@pytest.mark.parametrize("given_size", [0, 1])
def test_every_block_path_is_a_player(given_size):
    rng = random.Random(3)
    for nodes, directed, undirected, reading in random_graphs(3, 150):
        given = rng.sample(nodes[1:], given_size)
        inputs = [node for node in nodes[1:] if node not in given and rng.random() < 0.7]
        result = arrange(nodes, directed, undirected, reading, "A", inputs, given)
        assert result["block_paths"] <= result["players"]


def test_order_of_merging_does_not_matter():
    """Never seen to matter without conditioning; relative to the outcome it rarely does."""
    rng = random.Random(4)
    for nodes, *graph in random_graphs(4, 100):
        result = arrange(nodes, *graph, "A", nodes[1:])
        assert result == arrange(nodes, *graph, "A", nodes[1:], rng=rng)
