"""The search itself, against brute force: any test, any knowledge, any contradiction."""

import random
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairpath import CausalGraph, DataError, GraphError, complete, dags
from fairpath.discovery import ByFunction, knowledge_of, pc
from fairpath.discovery.implied import Dag
from fairpath.discovery.settle import Verdict, blamed, hold_together, settled
from fairpath.graph.bits import as_bits


def colliders(dag):
    return {
        (frozenset((one, other)), middle)
        for middle in dag.nodes
        for one, other in combinations(dag.parents(middle), 2)
        if other not in dag.adjacent(one)
    }


def agreed(listed):
    """Return the graph with the directions that all these DAGs share."""
    skeleton = {(min(edge), max(edge)) for edge in listed[0].directed}
    ways = {edge: {edge in dag.directed for dag in listed} for edge in skeleton}
    directed = [
        edge if True in there else edge[::-1] for edge, there in ways.items() if len(there) == 1
    ]
    undirected = [edge for edge, there in ways.items() if len(there) == 2]
    return CausalGraph(directed, undirected, listed[0].nodes, "markov")


def random_dag(rng, most=6):
    nodes = list("abcdefgh"[: rng.randint(2, most)])
    order = rng.sample(nodes, len(nodes))
    density = rng.choice([0.2, 0.4, 0.6, 0.8])
    return CausalGraph([p for p in combinations(order, 2) if rng.random() < density], nodes=nodes)


def oracle(dag, calls=None):
    """Return a test that knows the DAG: p is 1 if it implies independence, else 0."""
    number = {name: i for i, name in enumerate(dag.nodes)}
    numbered = Dag.of(dag, dag.nodes)

    def test(one, other, listed):
        if calls is not None:
            calls.append((one, other, listed))
        inside = as_bits(number[name] for name in listed)
        return float(numbered.separated(number[one], number[other], inside))

    return test


def true_knowledge(dag, rng):
    """Return some of what is true of the DAG."""
    nodes = list(dag.nodes)
    order = []
    while len(order) < len(nodes):
        free = [n for n in nodes if n not in order and set(dag.parents(n)) <= set(order)]
        order.append(rng.choice(free))
    cut = sorted(rng.randint(0, len(nodes)) for _ in range(2))
    tiers = [order[: cut[0]], order[cut[0] : cut[1]], order[cut[1] :]]
    return {
        "tiers": tiers if rng.random() < 0.5 else None,
        "required": [edge for edge in dag.directed if rng.random() < 0.2],
        "forbidden": [
            pair
            for pair in permutations(nodes, 2)
            if pair not in dag.directed and rng.random() < 0.25
        ],
    }


def truth(dag, known):
    """Return what all DAGs of the class agree on that keep to what is known, by listing them."""
    number = {name: i for i, name in enumerate(known.names)}
    skeleton = CausalGraph(undirected=dag.directed, nodes=dag.nodes)
    listed = [
        other
        for other in dags(skeleton)
        if colliders(other) == colliders(dag)
        and all(known.may_cause(number[u], number[v]) for u, v in other.directed)
    ]
    return agreed(listed) if dag.directed else CausalGraph(nodes=dag.nodes, reading="markov")


@pytest.mark.parametrize("informed", [False, True])
def test_an_oracle_gives_the_class_of_the_true_dag(informed):
    for seed in range(280):
        rng = random.Random(f"{seed} {informed}")
        dag = random_dag(rng, 5 if seed % 4 else 6)
        known = knowledge_of(dag.nodes, **(true_knowledge(dag, rng) if informed else {}))
        expected = truth(dag, known)
        for rule in ("majority", "conservative"):
            found = pc(ByFunction(known.names, oracle(dag)), known, alpha=0.5, colliders=rule)
            assert found.graph == expected, seed
            assert not found.turned
            assert not found.dropped


def test_an_oracle_gives_the_class_of_larger_dags():
    """The class by its definition: colliders directed, the rest completed."""
    for seed in range(12):
        rng = random.Random(seed)
        nodes = [f"n{i:02}" for i in range(20)]
        order = rng.sample(nodes, 20)
        dag = CausalGraph([p for p in combinations(order, 2) if rng.random() < 0.12], nodes=nodes)
        arrows = {(end, middle) for ends, middle in colliders(dag) for end in ends}
        rest = [edge for edge in dag.directed if edge not in arrows]
        known = knowledge_of(nodes)
        found = pc(ByFunction(nodes, oracle(dag)), known, alpha=0.5)
        assert found.graph == complete(CausalGraph(tuple(arrows), rest, nodes, "markov")), seed


def test_separation_is_that_of_networkx():
    networkx = pytest.importorskip("networkx")
    answers = set()
    for seed in range(60):
        rng = random.Random(seed)
        dag = random_dag(rng)
        other = networkx.DiGraph(dag.directed)
        other.add_nodes_from(dag.nodes)
        test = oracle(dag)
        for one, two in combinations(dag.nodes, 2):
            rest = [n for n in dag.nodes if n not in (one, two)]
            some = tuple(n for n in rest if rng.random() < 0.4)
            expected = networkx.is_d_separator(other, one, two, set(some))
            assert test(one, two, some) == expected
            answers.add(expected)
    assert answers == {True, False}


def any_knowledge(nodes, rng):
    """Return knowledge that does not contradict itself, whatever the data say."""
    order = rng.sample(nodes, len(nodes))
    required = [p for p in combinations(order, 2) if rng.random() < 0.1]
    cut = rng.randint(0, len(nodes))
    tiers = [order[:cut], order[cut:]] if rng.random() < 0.3 else None
    forbidden = [p for p in permutations(nodes, 2) if rng.random() < 0.15 and p not in required]
    return {"tiers": tiers, "required": required, "forbidden": forbidden}


def noise(seed, share):
    """Return a test that answers at random, the same to the same question."""

    def test(one, other, listed):
        rng = random.Random(f"{seed} {one} {other} {listed}")
        return rng.random() if rng.random() < share else 0.0

    return test


def test_what_is_known_is_never_violated_and_some_dag_is_always_left():
    """A test that talks nonsense brings every kind of contradiction."""
    turned = dropped = 0
    for seed in range(1000):
        rng = random.Random(seed)
        nodes = list("abcdefg"[: rng.randint(2, 7)])
        options = any_knowledge(nodes, rng)
        known = knowledge_of(nodes, **options)
        asked = ByFunction(nodes, noise(seed, rng.choice([0.1, 0.3])))
        rule = rng.choice(["majority", "conservative"])
        found = pc(asked, known, alpha=0.2, colliders=rule)
        assert next(dags(found.graph)).nodes == found.graph.nodes
        assert complete(found.graph) == found.graph
        number = {name: i for i, name in enumerate(nodes)}
        for u, v in found.graph.directed:
            assert known.may_cause(number[u], number[v])
            assert (u, v) not in options["forbidden"]
            assert (v, u) not in options["required"]
        for u, v in found.graph.undirected:
            assert known.may_cause(number[u], number[v])
            assert known.may_cause(number[v], number[u])
        assert set(options["required"]) <= set(found.graph.directed)
        if options["tiers"]:
            early, late = options["tiers"]
            assert not any(u in late and v in early for u, v in found.graph.directed)
        turned += len(found.turned)
        dropped += len(found.dropped)
    assert turned > 100
    assert dropped > 5


def test_what_is_known_is_not_tested():
    """No edge that must or must not be there, and no set with what comes after both ends."""
    asked = 0
    for seed in range(200):
        rng = random.Random(seed)
        dag = random_dag(rng)
        options = true_knowledge(dag, rng)
        known = knowledge_of(dag.nodes, **options)
        number = {name: i for i, name in enumerate(known.names)}
        calls = []
        found = pc(ByFunction(known.names, oracle(dag, calls)), known, alpha=0.5)
        levels = {n: k for k, tier in enumerate(options["tiers"] or []) for n in tier}
        for one, other, listed in calls:
            asked += 1
            assert not {(one, other), (other, one)} & set(options["required"])
            if levels:
                latest = max(levels[one], levels[other])
                assert all(levels[name] <= latest for name in listed)
        for u, v in found.skeleton.separations:
            assert known.may_join(u, v)
        separated = {(one, other) for one, other, _ in calls}
        for u, v in combinations(known.names, 2):
            if not known.may_join(number[u], number[v]):
                between = set(found.graph.adjacent(u)) & set(found.graph.adjacent(v))
                # Only to find out whether a node between them is a collider.
                assert (u, v) not in separated or between
    assert asked > 500


@pytest.mark.parametrize("most", [0, 1, 2])
def test_no_set_is_larger_than_allowed(most):
    sizes = set()
    for seed in range(60):
        dag = random_dag(random.Random(seed), 7)
        calls = []
        known = knowledge_of(dag.nodes)
        pc(ByFunction(known.names, oracle(dag, calls)), known, alpha=0.5, max_conditioning=most)
        sizes |= {len(listed) for _, _, listed in calls}
    assert sizes == set(range(most + 1))


def test_conflicting_directions_that_are_known_cost_the_weakest_edge():
    """In a triangle each direction but those of one circle is forbidden."""
    known = knowledge_of("abc", forbidden=[("b", "a"), ("c", "b"), ("a", "c")])
    strength = {("a", "b"): 1e-9, ("b", "c"): 1e-4, ("a", "c"): 1e-6}
    found = pc(ByFunction("abc", lambda u, v, _: strength[u, v]), known, alpha=0.05)
    assert [drop.arrow for drop in found.dropped] == [(1, 2)]
    assert found.graph.directed == (("a", "b"), ("c", "a"))


# Decisions on triples.


@st.composite
def disputes(draw):
    """A skeleton, known arrows without a cycle, and verdicts on its open triples in some order."""
    n = draw(st.integers(3, 6))
    edges = [pair for pair in combinations(range(n), 2) if draw(st.integers(0, 2))]
    order = draw(st.permutations(range(n)))
    arrows = [
        (u, v) if order[u] < order[v] else (v, u) for u, v in edges if draw(st.integers(0, 5)) == 0
    ]
    near = {u: {v for edge in edges if u in edge for v in edge if v != u} for u in range(n)}
    triples = [
        (one, middle, other)
        for middle in range(n)
        for one, other in combinations(sorted(near[middle]), 2)
        if other not in near[one]
    ]
    shuffled = draw(st.permutations(triples)) if triples else []
    return n, edges, arrows, [Verdict(*triple, draw(st.booleans())) for triple in shuffled]


def answers_of_all_dags(n, edges, arrows, verdicts):
    """Return what each DAG over the skeleton with the arrows says on the triples."""
    names = [str(i) for i in range(n)]
    kept = {(str(u), str(v)) for u, v in arrows}
    open_edges = [(str(u), str(v)) for u, v in edges if not {(u, v), (v, u)} & set(arrows)]
    graph = CausalGraph(tuple(kept), open_edges, names)
    return {
        tuple(
            {(str(one), str(middle)), (str(other), str(middle))} <= set(dag.directed)
            for one, middle, other, _ in verdicts
        )
        for dag in dags(graph)
    }


@settings(max_examples=150, deadline=None)
@given(disputes())
def test_the_stronger_verdict_stays(dispute):
    """The result is the first of all possible answers, compared from the strongest on."""
    n, edges, arrows, verdicts = dispute
    # What no arrow or verdict touches is no matter of dispute; each edge of a triple is.
    possible = answers_of_all_dags(n, edges, arrows, verdicts)
    said = tuple(verdict.collider for verdict in verdicts)
    assert hold_together(n, arrows, verdicts) == (said in possible)
    kept, turned = settled(n, arrows, verdicts)
    best = min(possible, key=lambda a: [x != y for x, y in zip(a, said, strict=True)])
    assert tuple(verdict.collider for verdict in kept) == best
    assert turned == [i for i, (x, y) in enumerate(zip(best, said, strict=True)) if x != y]
    for i in turned:
        blame = blamed(n, arrows, kept[:i], verdicts[i])
        assert set(blame) <= set(kept[:i])
        assert not hold_together(n, arrows, [*blame, verdicts[i]])
        for one in blame:
            assert hold_together(n, arrows, [v for v in blame if v != one] + [verdicts[i]])


# Knowledge.


def test_the_sensitive_attribute_comes_first_and_the_outcome_last():
    known = knowledge_of("abcd", sensitive="b", outcome="c")
    assert not any(known.may_cause(i, 1) for i in (0, 2, 3))
    assert not any(known.may_cause(2, i) for i in (0, 1, 3))
    assert known.may_cause(1, 2)
    assert known.may_cause(0, 3)
    assert known.may_cause(3, 0)


def test_several_sensitive_attributes_may_cause_each_other():
    known = knowledge_of("abcd", sensitive=["a", "b"])
    assert known.may_cause(0, 1)
    assert known.may_cause(1, 0)
    assert not known.may_cause(2, 0)


def test_a_tier_says_where_the_sensitive_attribute_and_the_outcome_stand():
    known = knowledge_of("abcd", sensitive="b", outcome="c", tiers=[["a"], ["b"], ["c", "d"]])
    assert known.may_cause(0, 1)
    assert known.may_cause(2, 3)
    assert not known.may_cause(1, 0)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"required": [("a", "b")], "forbidden": [("a", "b")]}, GraphError, "names the same"),
        ({"required": [("b", "a")], "tiers": [["a"], ["b"]]}, GraphError, "earlier tier"),
        ({"required": [("b", "a")], "sensitive": "a"}, GraphError, "comes first"),
        ({"required": [("a", "b")], "outcome": "a"}, GraphError, "comes last"),
        (
            {"required": [("a", "b"), ("b", "c"), ("c", "a")]},
            GraphError,
            "required= has a cycle: a -> b -> c -> a|b -> c -> a -> b|c -> a -> b -> c",
        ),
        ({"required": [("a", "a")]}, GraphError, "joins 'a' to itself"),
        ({"required": ["ab"]}, DataError, "pairs"),
        ({"forbidden": [("a", "b", "c")]}, DataError, "pairs"),
        ({"forbidden": [("a", "x")]}, DataError, "no column 'x'"),
        ({"tiers": ["ab"]}, DataError, r"Try \['ab'\]"),
        ({"tiers": "ab"}, DataError, "list of lists"),
        ({"tiers": [["a"], ["a", "b"]]}, GraphError, "two tiers"),
        ({"tiers": [["x"]]}, DataError, "no column 'x'"),
        ({"sensitive": "x"}, DataError, "no column 'x'"),
        ({"sensitive": 3}, DataError, "name of a column"),
        ({"outcome": "x"}, DataError, "no column 'x'"),
        ({"sensitive": "a", "outcome": "a"}, DataError, "both as"),
    ],
)
def test_contradictory_knowledge_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        knowledge_of("abcd", **options)


def test_a_direction_that_closes_a_cycle_of_required_edges_is_not_allowed():
    known = knowledge_of("abc", required=[("a", "b"), ("b", "c")])
    assert not known.may_cause(2, 0)
    assert known.may_cause(0, 2)


def test_a_test_that_returns_no_p_value_is_refused():
    known = knowledge_of("ab")
    with pytest.raises(DataError, match="between 0 and 1"):
        pc(ByFunction("ab", lambda *_: 2.0), known, alpha=0.05)
