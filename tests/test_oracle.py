"""Equality with a brute force that was written from the definitions alone."""

import random
from collections.abc import Iterator
from itertools import islice

import pytest

import brute_force
from fairpath.errors import GraphError
from fairpath.graph.causal_graph import CausalGraph
from fairpath.graph.orientation import closed, complete, dags
from fairpath.paths import active_paths, arrange, search

Case = tuple[tuple, tuple, tuple, str, str, tuple]


def every_small_graph(n: int, reading: str, given: tuple) -> Iterator[Case]:
    nodes = ("A", "Y", "b", "c")[:n]
    for directed, undirected in brute_force.all_pdags(nodes):
        yield nodes, directed, undirected, reading, "A", given


def random_graphs(seed: int, n_graphs: int) -> Iterator[Case]:
    rng = random.Random(seed)
    for _ in range(n_graphs):
        # Random marks read as markov are often not closed, or no DAG fits them.
        reading, draw = rng.choice(
            [
                ("drawn", brute_force.random_pdag),
                ("markov", brute_force.random_markov),
                ("markov", brute_force.random_pdag),
            ]
        )
        nodes, directed, undirected = draw(rng, rng.randint(5, 7))
        sensitive, outcome = rng.sample(nodes, 2)
        given = rng.choice([(), (outcome,)])
        yield nodes, directed, undirected, reading, sensitive, given


def check(case: Case, inputs: list[str]) -> bool:
    """Compare everything about one graph; return whether its class holds a DAG."""
    nodes, directed, undirected, reading, sensitive, given = case
    graph = CausalGraph(directed, undirected, nodes, reading)
    all_dags = brute_force.all_dags(nodes, directed, undirected, reading)
    if not all_dags:
        for verb in (complete, lambda g: list(dags(g))):
            with pytest.raises(GraphError, match="No directed graph fits"):
                verb(graph)
        with pytest.raises(GraphError, match="No directed graph fits"):
            active_paths(graph, sensitive=sensitive, inputs=inputs, given=given)
        return False

    common = brute_force.common_edges(nodes, directed, undirected, reading)
    assert (closed(graph).directed, closed(graph).undirected) == common
    listed = [dag.directed for dag in dags(graph)]
    assert len(listed) == len(all_dags)
    assert set(map(frozenset, listed)) == set(all_dags)

    paths = active_paths(graph, sensitive=sensitive, inputs=inputs, given=given)
    assert len({path.nodes for path in paths}) == len(paths)
    expected = brute_force.active_paths(*case[:4], sensitive, inputs, given)
    assert {path.nodes for path in paths} == expected

    found = arrange(graph, sensitive=sensitive, inputs=inputs, given=given)
    wanted = brute_force.arrange(*case[:4], sensitive, inputs, given)
    assert {frozenset(block) for block in found.blocks} == wanted["blocks"]
    assert set(found.outside) == wanted["outside"]
    predecessors = {
        frozenset(block): {as_part(sensitive, part) for part in parts}
        for block, parts in found.predecessors.items()
    }
    assert predecessors == wanted["predecessors"]
    players = {tuple(as_part(sensitive, part) for part in p.nodes) for p in found.players}
    assert players == wanted["players"]
    return True


def as_part(sensitive: str, part: str | tuple[str, ...]) -> str | frozenset[str]:
    if part in (sensitive, (sensitive,)):
        return sensitive
    return frozenset([part] if isinstance(part, str) else part)


@pytest.mark.parametrize("given", [(), ("Y",)], ids=["unconditional", "given-outcome"])
@pytest.mark.parametrize("reading", ["drawn", "markov"])
@pytest.mark.parametrize("n", [2, 3, 4])
def test_every_graph_with_up_to_four_nodes(n, reading, given):
    checked = [
        check(case, [node for node in case[0] if node not in given])
        for case in every_small_graph(n, reading, given)
    ]
    # DAGs with e edges, each times 2 ** (pairs - e): the other pairs are none or undirected.
    # For four nodes 1 * 64 + 12 * 32 + 60 * 16 + 152 * 8 + 186 * 4 + 108 * 2 + 24.
    assert len(checked) == {2: 4, 3: 62, 4: 3608}[n]
    assert all(checked) == (reading == "drawn" or n < 4)


@pytest.mark.parametrize("look_ahead", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_random_graphs_with_five_to_seven_nodes(seed, look_ahead, monkeypatch):
    if look_ahead:
        # Look for dead ends from the first step on, as long searches do.
        monkeypatch.setattr(search, "PATIENCE", -1)
    rng = random.Random(seed)
    cases = islice(random_graphs(100 * seed + look_ahead, 1_000), 270)
    checked = [
        check(case, [node for node in case[0] if node not in case[5] and rng.random() < 0.8])
        for case in cases
    ]
    # More than 8 x 2 x 125 = 2,000 graphs with a DAG in all.
    assert sum(checked) >= 200
