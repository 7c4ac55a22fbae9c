"""Graphs put to the test of data."""

import math
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from fairpath import CausalGraph, DataError, GraphError, dags
from fairpath.discovery.falsify import falsify, holm
from fairpath.discovery.implied import Dag, adjacencies, implied
from fairpath.graph.bits import as_bits
from strategies import graphs

CHAIN = CausalGraph.parse("a -> b -> c -> d; a -> e")


def linear(graph, rows=300, seed=0, strength=0.6):
    rng = np.random.default_rng(seed)
    data = {}
    waiting = list(graph.nodes)
    while waiting:
        node = waiting.pop(0)
        if set(graph.parents(node)) <= data.keys():
            data[node] = strength * sum((data[p] for p in graph.parents(node)), start=0.0)
            data[node] = data[node] + rng.normal(size=rows)
        else:
            waiting.append(node)
    return pd.DataFrame(data)


def separated(dag, one, other, listed):
    """Whether every path is blocked, by looking at each."""
    nodes = set(dag.nodes)
    opened = set(listed) | {n for n in nodes if set(dag.descendants(n)) & set(listed)}

    def extend(path):
        if path[-1] == other:
            yield path
            return
        for node in dag.adjacent(path[-1]):
            if node not in path:
                yield from extend([*path, node])

    def active(path):
        for before, node, after in zip(path, path[1:], path[2:], strict=False):
            collider = before in dag.parents(node) and after in dag.parents(node)
            if (collider and node not in opened) or (not collider and node in listed):
                return False
        return True

    return not any(active(path) for path in extend([one]))


@settings(deadline=None)
@given(graphs)
def test_what_a_graph_implies_holds_in_all_its_dags(graph):
    listed = list(dags(graph))
    claims = implied(graph, frozenset(graph.nodes))
    for one, other, some in claims:
        assert one < other
        assert all(separated(dag, one, other, some) for dag in listed)
    if not graph.undirected:
        # The local Markov condition: everything that is no descendant, given the parents.
        expected = {
            (min(v, w), max(v, w), dag.parents(v))
            for dag in listed
            for v in dag.nodes
            for w in set(dag.nodes) - {v, *dag.descendants(v), *dag.parents(v)}
        }
        assert set(claims) == expected
    if graph.reading == "markov":
        joined = {frozenset(edge) for edge in (*graph.directed, *graph.undirected)}
        apart = {frozenset(p) for p in combinations(graph.nodes, 2)} - joined
        assert {frozenset((one, other)) for one, other, _ in claims} == apart


@settings(deadline=None)
@given(graphs)
def test_separation_is_that_of_paths(graph):
    dag = next(dags(graph))
    number = {name: i for i, name in enumerate(dag.nodes)}
    numbered = Dag.of(dag, dag.nodes)
    for one, other in combinations(dag.nodes, 2):
        for some in ((), tuple(n for n in dag.nodes if n not in (one, other))[::2]):
            inside = as_bits(number[n] for n in some)
            found = numbered.separated(number[one], number[other], inside)
            assert found == separated(dag, one, other, some)


@settings(deadline=None)
@given(graphs)
def test_an_edge_denies_an_independence_in_each_dag(graph):
    claims = adjacencies(graph, frozenset(graph.nodes))
    for dag in dags(graph):
        for one, other, _ in claims:
            assert other in dag.adjacent(one)
    joined = {frozenset(edge) for edge in (*graph.directed, *graph.undirected)}
    assert {frozenset((one, other)) for one, other, _ in claims} == joined


def test_nodes_without_a_column_are_left_out():
    claims = implied(CHAIN, frozenset("acde"))
    assert claims
    assert not any("b" in (one, other, *some) for one, other, some in claims)
    found = falsify(CHAIN, linear(CHAIN).drop(columns="b"), permutations=0)
    assert any("not observed" in note and "b" in note for note in found.notes)


@settings(deadline=None)
@given(st.lists(st.floats(1e-12, 1.0), min_size=1, max_size=8))
def test_holm_rejects_step_by_step(p_values):
    """The definition: go on from the smallest while p is below alpha over what is left."""
    corrected = holm([math.log(p) for p in p_values])
    for alpha in (0.01, 0.05, 0.3):
        rejected = set()
        for k, i in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
            if p_values[i] * (len(p_values) - k) >= alpha * (1 - 1e-12):
                break
            rejected.add(i)
        assert {i for i, p in enumerate(corrected) if p < alpha * (1 - 1e-12)} == rejected


def test_the_right_graph_is_rejected_no_more_often_than_alpha_says():
    rejections = [
        falsify(CHAIN, linear(CHAIN, seed=s), test="linear", alpha=0.1, permutations=0).rejected
        for s in range(200)
    ]
    assert sum(rejections) <= binom.ppf(0.999, 200, 0.1)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("a -> b; c -> d; a -> e", {"b", "c"}),
        ("a -> b; c -> b; c -> d; a -> e", {"a", "c"}),
        ("a -> b -> c -> d; e", {"a", "e"}),
    ],
)
def test_wrong_graphs_are_rejected(wrong, why):
    """An edge left out, one that makes a collider of b, and one left out at the side."""
    graph = CausalGraph.parse(wrong)
    found = [falsify(graph, linear(CHAIN, 400, s), permutations=0) for s in range(15)]
    assert all(f.rejected for f in found)
    assert sum({f.violations[0].one, f.violations[0].other} == why for f in found) >= 12
    assert not any(falsify(CHAIN, linear(CHAIN, 400, s), alpha=0.001).rejected for s in range(3))


def test_an_edge_too_many_is_doubtful():
    extra = CausalGraph((*CHAIN.directed, ("b", "e")), nodes=CHAIN.nodes)
    found = [falsify(extra, linear(CHAIN, 400, s), permutations=0) for s in range(15)]
    assert not any(f.rejected for f in found if f.alpha < 0.01)
    assert sum([(e.one, e.other) for e in f.doubtful_edges] == [("b", "e")] for f in found) >= 11
    assert all(f.edges[0].log_p == max(e.log_p for e in f.edges) for f in found)


def test_the_corrected_p_value_is_that_of_the_test():
    table = linear(CHAIN)
    found = falsify(CHAIN, table, permutations=0)
    log_ps = [one.log_p for one in found.independences]
    assert log_ps == sorted(log_ps)
    assert [one.corrected for one in found.independences] == holm(log_ps)
    assert {(f.one, f.other, f.given) for f in found.independences} == set(
        implied(CHAIN, frozenset(CHAIN.nodes))
    )


def test_a_right_graph_beats_those_with_permuted_nodes():
    table = linear(CHAIN, 1000)
    right = falsify(CHAIN, table, permutations=60)
    assert right.as_few < 0.2
    turned = CausalGraph.parse("d -> a -> c; e -> b -> d")
    assert falsify(turned, table, permutations=60).as_few > right.as_few
    assert "of 60 graphs with permuted nodes" in right.verdict


def test_a_graph_that_implies_nothing_cannot_be_rejected():
    complete = CausalGraph(list(combinations("abcde", 2)))
    found = falsify(complete, linear(CHAIN))
    assert not found.rejected
    assert found.as_few is None
    assert "cannot speak against the graph" in repr(found)
    assert len(found.edges) == 10


def test_neither_workers_nor_orders_nor_libraries_matter():
    table = linear(CHAIN, 150)
    found = falsify(CHAIN, table, permutations=5, seed=3)
    assert repr(found) == repr(falsify(CHAIN, table, permutations=5, seed=3, n_jobs=3))
    shuffled = table[list("ecabd")].sample(frac=1, random_state=1)
    assert found.table().equals(falsify(CHAIN, shuffled, permutations=5, seed=3).table())
    assert isinstance(falsify(CHAIN, pl.from_pandas(table), permutations=2).table(), pl.DataFrame)


def test_the_table_says_what_the_verdict_says():
    wrong = CausalGraph.parse("a -> b; c -> d; a -> e; b -> e")
    found = falsify(wrong, linear(CHAIN, 500), permutations=0)
    table = found.table()
    assert (table["verdict"] == "rejected").sum() == len(found.violations)
    assert (table["verdict"] == "doubtful").sum() == len(found.doubtful_edges)
    assert len(table) == len(found.independences) + len(found.edges)
    assert found.verdict.startswith("The data reject the graph: ")
    assert str(found.violations[0]) in repr(found)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"graph": "a -> b"}, GraphError, "must be a CausalGraph"),
        ({"graph": CausalGraph.parse("x -> y")}, DataError, "Of the graph's nodes only"),
        ({"alpha": 0}, DataError, "alpha"),
        ({"permutations": -1}, DataError, "permutations"),
        ({"test": "none"}, DataError, "test must be one of"),
        ({"seed": None}, DataError, "seed"),
    ],
)
def test_wrong_requests_are_refused(change, error, message):
    options = {"graph": CHAIN, "data": linear(CHAIN, 60)} | change
    with pytest.raises(error, match=message):
        falsify(options.pop("graph"), options.pop("data"), **options)


def test_too_many_dags_are_refused():
    nodes = [f"n{i}" for i in range(9)]
    clique = CausalGraph(undirected=list(combinations(nodes, 2)))
    with pytest.raises(GraphError, match="stand for more than"):
        implied(clique, frozenset(nodes))
