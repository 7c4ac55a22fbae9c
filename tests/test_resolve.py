"""Open triples decided by data."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fairpath import CausalGraph, DataError, GraphError, complete, dags, resolve
from fairpath.datasets import adult_graph

ROWS = 2000


def simulated(dag, seed=0, rows=ROWS, strength=1.0):
    """A linear model over the DAG with standard normal noise."""
    rng = np.random.default_rng(seed)
    data = {}
    waiting = list(dag.nodes)
    while waiting:
        node = waiting.pop(0)
        if set(dag.parents(node)) <= data.keys():
            data[node] = strength * sum(data[p] for p in dag.parents(node)) + rng.normal(size=rows)
        else:
            waiting.append(node)
    return pd.DataFrame(data)


def test_a_collider_is_found_and_a_chain_is_none():
    graph = CausalGraph.parse("a -- b -- c")
    collider = resolve(graph, simulated(CausalGraph.parse("a -> b; c -> b")))
    assert collider == CausalGraph([("a", "b"), ("c", "b")], reading="markov")
    assert [d.collider for d in collider.decisions] == [True]
    chain = resolve(graph, simulated(CausalGraph.parse("a -> b -> c")))
    assert chain == CausalGraph(undirected=[("a", "b"), ("b", "c")], reading="markov")
    decision = chain.decisions[0]
    assert not decision.collider
    assert decision.without.given == ()
    assert decision.including.given == ("b",)
    assert decision.without.log_p < np.log(1e-6) < np.log(1e-3) < decision.including.log_p


@pytest.mark.parametrize("seed", range(12))
def test_the_class_of_the_true_dag_is_found(seed):
    """With all directions removed and much data, resolve gives the Markov class of the truth."""
    rng = np.random.default_rng(seed)
    nodes = [f"x{i}" for i in range(6)]
    edges = [(u, v) for i, u in enumerate(nodes) for v in nodes[i + 1 :] if rng.random() < 0.4]
    truth = CausalGraph(edges, nodes=nodes)
    skeleton = CausalGraph(undirected=edges, nodes=nodes)
    resolved = resolve(skeleton, simulated(truth, seed, rows=20_000, strength=0.8))
    assert set(dags(resolved)) == {dag for dag in dags(skeleton) if same_colliders(dag, truth)}
    assert all(decision.contradicts == () for decision in resolved.decisions)


def same_colliders(one, other):
    def colliders(dag):
        return {
            (x, z, y)
            for z in dag.nodes
            for x in dag.parents(z)
            for y in dag.parents(z)
            if x != y and x not in dag.adjacent(y)
        }

    return colliders(one) == colliders(other)


def test_what_contradicts_stronger_evidence_is_turned_and_named():
    # Two colliders cannot share their edge; the data of b has the weaker one.
    graph = CausalGraph.parse("a -- b -- c -- d")
    rng = np.random.default_rng(3)
    a, d = rng.normal(size=(2, ROWS))
    b = a + rng.normal(size=ROWS)
    c = d + 2 * rng.normal(size=ROWS)
    # b and c depend on each other, but a is independent of c, and b of d: two colliders.
    shared = rng.normal(size=ROWS)
    table = pd.DataFrame({"a": a, "b": b + shared, "c": c + shared, "d": d})
    resolved = resolve(graph, table)
    strong, weak = resolved.decisions
    assert strong.strength > weak.strength
    assert strong.collider
    assert not weak.collider
    assert weak.contradicts == (strong.triple,)
    assert "stronger ones forbid it: " + " – ".join(strong.triple) in str(resolved)
    assert complete(resolved) == resolved


def test_drawn_arrows_are_kept():
    graph = CausalGraph.parse("a -> b; b -- c")
    resolved = resolve(graph, simulated(CausalGraph.parse("c -> b; a -> b")))
    assert resolved.directed == (("a", "b"), ("c", "b"))


def test_a_graph_without_open_triple_needs_no_data():
    example = adult_graph()
    resolved = resolve(example.graph, data=None)
    assert resolved.decisions == ()
    assert (resolved.directed, resolved.undirected) == (
        example.graph.directed,
        example.graph.undirected,
    )
    assert resolved.reading == "markov"
    assert "nothing was to be decided" in str(resolved)
    assert resolve(resolved, data=None) == resolved


def test_tables_of_other_libraries_weights_and_categories():
    table = simulated(CausalGraph.parse("a -> b; c -> b"))
    table["c"] = np.where(table["c"] > 0, "high", "low")
    graph = CausalGraph.parse("a -- b -- c")
    expected = resolve(graph, table)
    assert expected.directed == (("a", "b"), ("c", "b"))
    assert resolve(graph, pl.from_pandas(table)).decisions == expected.decisions
    doubled = resolve(graph, pd.concat([table, table])).decisions[0]
    weighted = resolve(graph, table, weights=np.full(ROWS, 2.0)).decisions[0]
    assert weighted.without.log_p == pytest.approx(doubled.without.log_p)
    assert doubled.including.log_p < expected.decisions[0].including.log_p


def test_wrong_input():
    graph = CausalGraph.parse("a -- b -- c")
    table = simulated(CausalGraph.parse("a -> b -> c"))
    with pytest.raises(DataError, match="'c'"):
        resolve(graph, table.drop(columns="c"))
    with pytest.raises(GraphError, match="max_conditioning must be at least 1"):
        resolve(graph, table, max_conditioning=0)
    with pytest.raises(DataError):
        resolve(graph, "table.csv")
