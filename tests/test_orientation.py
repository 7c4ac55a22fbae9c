"""Closing, completing and listing; equality with brute force is in test_oracle.py."""

from itertools import islice, pairwise

import pytest
from hypothesis import given

from fairpath import CausalGraph, GraphError, complete, dags
from fairpath.datasets import compas_graph
from fairpath.graph import closed
from strategies import drawn_graphs, markov_graphs


@pytest.mark.parametrize(
    ("text", "forced"),
    [
        ("a -> b; b -- c", "a -> b -> c"),
        ("a -> b -> c; a -- c", "a -> b -> c; a -> c"),
        ("a -- b; a -- c; a -- d; c -> b; d -> b", "a -> b; a -- c; a -- d; c -> b; d -> b"),
        (
            "a -- b; a -- c; a -- d; d -> c; c -> b",
            "a -> b; a -- c; a -- d; d -> c; c -> b",
        ),
    ],
    ids=["rule 1", "rule 2", "rule 3", "rule 4"],
)
def test_each_of_meeks_rules(text, forced):
    expected = CausalGraph.parse(f"# reading: markov\n{forced}")
    assert complete(CausalGraph.parse(text)) == expected


def test_the_compas_graph_has_no_markov_reading():
    """race, sex and age force the juvenile counts into a new collider."""
    with pytest.raises(GraphError) as caught:
        complete(compas_graph().graph)
    message = str(caught.value)
    assert "sex -> juv_other_count forces juv_other_count -> juv_misd_count" in message
    assert "new collider" in message
    assert "not adjacent" in message


def test_a_square_without_directions_has_no_markov_reading():
    square = CausalGraph.parse("a -- b -- c -- d -- a")
    with pytest.raises(GraphError, match="undirected edges among a, b, c, d"):
        complete(square)
    assert len(list(dags(square))) == 2**4 - 2


@given(markov_graphs())
def test_completing_twice_changes_nothing(graph):
    assert complete(complete(graph)) == complete(graph)


@given(drawn_graphs())
def test_closing_keeps_the_class(graph):
    assert set(dags(closed(graph))) == set(dags(graph))


def test_dags_are_listed_lazily():
    nodes = [f"x{i}" for i in range(40)]
    chain = CausalGraph(undirected=list(pairwise(nodes)))
    assert len(list(islice(dags(chain), 3))) == 3
    # A markov chain has one DAG for each node as its source.
    assert len(list(dags(CausalGraph(chain.directed, chain.undirected, (), "markov")))) == 40
