"""Laws that hold for every graph, from the paper's propositions and Algorithm 2."""

from itertools import combinations, groupby

from hypothesis import assume, given, settings
from hypothesis import strategies as st

import brute_force
from fairpath.graph.causal_graph import CausalGraph
from fairpath.graph.orientation import dags
from fairpath.paths import active_paths, arrange
from strategies import drawn_graphs, graphs, markov_graphs, questions

settings.register_profile("laws", deadline=None, max_examples=150)
settings.load_profile("laws")


def paths_between(graph, start, end, condition):
    found = active_paths(graph, sensitive=start, inputs=[end], given=condition)
    return {path.nodes for path in found}


@given(questions(), st.data())
def test_every_subpath_of_a_potential_active_path_is_one(question, data):
    """Proposition 2; the ends of the subpath are outside the condition."""
    graph, sensitive, condition = question
    found = active_paths(graph, sensitive=sensitive, given=condition)
    assume(found)
    nodes = data.draw(st.sampled_from(found)).nodes
    for i, j in combinations(range(len(nodes)), 2):
        if nodes[i] not in condition and nodes[j] not in condition:
            assert nodes[i : j + 1] in paths_between(graph, nodes[i], nodes[j], condition)


@given(questions())
def test_no_potential_active_path_means_separation_in_every_dag(question):
    """Propositions 1 and A2, against d-separation by another method."""
    graph, sensitive, condition = question
    reached = {path.nodes[-1] for path in active_paths(graph, sensitive=sensitive, given=condition)}
    dependent = {
        node
        for dag in dags(graph)
        for node in set(graph.nodes) - {sensitive, *condition}
        if not brute_force.d_separated(
            frozenset(dag.directed), graph.nodes, sensitive, node, condition
        )
    }
    # And the other way round: a potential active path is active in some DAG.
    assert dependent == reached


@given(questions())
def test_a_potential_active_path_that_avoids_the_condition_stays_one(question):
    """Proposition A1."""
    graph, sensitive, condition = question
    inputs = set(graph.nodes) - {sensitive, *condition}
    before = active_paths(graph, sensitive=sensitive, inputs=inputs)
    after = {p.nodes for p in active_paths(graph, sensitive=sensitive, given=condition)}
    assert {p.nodes for p in before if not set(p.nodes) & set(condition)} <= after


@given(graphs, st.data())
def test_blocks_are_completely_ordered(graph, data):
    found = arrange(graph, sensitive=data.draw(st.sampled_from(graph.nodes)))
    features = [feature for block in found.blocks for feature in block]
    assert sorted(features + list(found.outside)) == sorted(set(graph.nodes) - {found.sensitive})
    for one, other in combinations(found.blocks, 2):
        joined = any(u in graph.adjacent(v) for u in one for v in other)
        # Blocks stand in causal order, so only the later can have the earlier as predecessor.
        assert (one in found.predecessors[other]) == joined
        assert other not in found.predecessors[one]


def paths_over_blocks(graph, found):
    """Algorithm 2: features replaced by their blocks, repeats merged."""
    block_of = {feature: block for block in found.blocks for feature in block}
    replaced = (
        (found.sensitive, *(block_of[node] for node in path.nodes[1:]))
        for path in active_paths(graph, sensitive=found.sensitive)
    )
    return {tuple(part for part, _ in groupby(path)) for path in replaced}


def players_of(found):
    return {
        (path.nodes[0], *((n,) if isinstance(n, str) else n for n in path.nodes[1:]))
        for path in found.players
    }


@given(st.one_of(markov_graphs(), drawn_graphs().map(lambda g: next(dags(g)))), st.data())
def test_players_are_the_paths_over_blocks(graph, data):
    found = arrange(graph, sensitive=data.draw(st.sampled_from(graph.nodes)))
    assert players_of(found) == paths_over_blocks(graph, found)


@given(drawn_graphs(), st.data())
def test_every_path_over_blocks_of_a_drawn_graph_is_a_player(graph, data):
    # A merged block can pass on what none of its features does alone: in
    # a -> c; b -> a; d -> e; e -- c; e -- b the chain a -> {c, e} -> d is no active path.
    found = arrange(graph, sensitive=data.draw(st.sampled_from(graph.nodes)))
    assert paths_over_blocks(graph, found) <= players_of(found)


def test_a_player_that_no_path_over_blocks_gives():
    graph = CausalGraph([("a", "c"), ("b", "a"), ("d", "e")], undirected=[("c", "e"), ("b", "e")])
    found = arrange(graph, sensitive="a")
    assert players_of(found) - paths_over_blocks(graph, found) == {("a", ("c", "e"), ("d",))}


@given(questions(), st.randoms(use_true_random=False))
def test_order_of_nodes_and_edges_does_not_matter(question, rng):
    graph, sensitive, condition = question
    shuffled = [list(graph.directed), list(graph.undirected), list(graph.nodes)]
    for part in shuffled:
        rng.shuffle(part)
    directed, undirected, nodes = shuffled
    turned = [edge[::-1] if rng.random() < 0.5 else edge for edge in undirected]
    same = CausalGraph(directed, turned, nodes, graph.reading)
    assert same == graph
    for verb in (active_paths, arrange):
        assert verb(same, sensitive=sensitive, given=condition) == verb(
            graph, sensitive=sensitive, given=condition
        )


@given(questions(), st.permutations("stuvwxyz"))
def test_names_do_not_matter(question, names):
    graph, sensitive, condition = question
    new = dict(zip(graph.nodes, names, strict=False))

    def renamed(parts):
        return tuple(
            new[part] if isinstance(part, str) else tuple(sorted(renamed(part))) for part in parts
        )

    twin = CausalGraph(
        [renamed(edge) for edge in graph.directed],
        [renamed(edge) for edge in graph.undirected],
        renamed(graph.nodes),
        graph.reading,
    )
    there = arrange(graph, sensitive=sensitive, given=condition)
    here = arrange(twin, sensitive=new[sensitive], given=renamed(condition))
    assert {renamed(path.nodes) for path in there.players} == {p.nodes for p in here.players}
    assert sorted(renamed(there.outside)) == sorted(here.outside)


@given(questions(), st.integers(1, 4))
def test_a_limit_on_the_length_merges_and_loses_nothing(question, limit):
    graph, sensitive, condition = question
    for verb in (lambda **o: active_paths(graph, **o), lambda **o: arrange(graph, **o).players):
        everything = verb(sensitive=sensitive, given=condition)
        limited = verb(sensitive=sensitive, given=condition, max_length=limit)

        def length(path):
            return sum(node not in condition for node in path.nodes[1:])

        short = [path for path in everything if length(path) <= limit]
        longer = {path.nodes[-1] for path in everything if length(path) > limit}
        assert [path for path in limited if not path.longer] == short
        assert {path.nodes[-1] for path in limited if path.longer} == longer
