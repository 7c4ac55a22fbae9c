"""Orders in which players join, against their enumeration."""

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chisquare

from fairpath import CausalGraph, arrange
from fairpath.errors import GraphError
from fairpath.game import orders
from fairpath.game.orders import topological, uniform


def arranged(text, **options):
    return arrange(CausalGraph.parse(text), sensitive="A", **options)


def causal_orders(arrangement):
    """Enumerate: the order of the players that follows from each order of the blocks."""
    start = (arrangement.sensitive,)
    exact = {chain(path): i for i, path in enumerate(arrangement.players) if not path.longer}
    merged = {chain(path)[-1]: i for i, path in enumerate(arrangement.players) if path.longer}
    for blocks in permutations(arrangement.blocks):
        chains, players = [(start,)], [exact[start,]] if (start,) in exact else []
        for place, block in enumerate(blocks):
            before = arrangement.predecessors[block]
            if not {*before} <= {start, *blocks[:place]}:
                break
            # Chains as they entered; each of them that leads into the block goes on with it.
            entering = [(*prefix, block) for prefix in chains if prefix[-1] in before]
            chains += entering
            players += [exact[one] for one in entering if one in exact]
            players += [merged[block]] if block in merged else []
        else:
            yield tuple(players)


def chain(path):
    """Return the blocks of a path."""
    return tuple((part,) if isinstance(part, str) else part for part in path.nodes)


GRAPHS = [
    ("A -> B; A -> C; A -> D; B -> D", {}),
    ("A -> B; A -> C; B -> D; C -> D; B -> E; A -> E", {}),
    ("A -> B; A -> C; B -> D; C -> D; D -> E; C -> F", {"inputs": ["A", "B", "D", "E", "F"]}),
    ("A -> J; A -> K; J -- K; A -> B; K -> D; B -> D; J -> D; A -> E", {}),
    ("A -> B; B -> C; A -> C; C -> D; B -> D; A -> D; A -> E", {"max_length": 2}),
]


@pytest.mark.parametrize(("text", "options"), GRAPHS)
def test_topological_orders_are_drawn_uniformly(text, options):
    arrangement = arranged(text, **options)
    expected = Counter(causal_orders(arrangement))
    assert len(expected) >= 3
    n_rows = 4000
    drawn = np.concatenate(topological(arrangement)(n_rows, np.random.default_rng(4)))
    seen = Counter(map(tuple, drawn.tolist()))
    assert seen.keys() == expected.keys()
    total = sum(expected.values())
    goal = [2 * n_rows * expected[order] / total for order in expected]
    assert chisquare([seen[order] for order in expected], goal).pvalue > 1e-4


def test_an_example_by_hand():
    # B comes before C and D; C and D in either order. Into D the path over B entered first
    # if it is as long as the others: prefixes are A, then (A, B), then (A, C) or not yet.
    arrangement = arranged("A -> B; B -> C; A -> D; B -> D; C -> E; D -> E", inputs=["C", "D", "E"])
    names = [path.nodes for path in arrangement.players]
    drawn = topological(arrangement)(200, np.random.default_rng(0))[0]
    orders_seen = {tuple("".join(names[p]) for p in order) for order in drawn.tolist()}
    assert orders_seen == {
        ("ABC", "AD", "ABD", "ABCE", "ADE", "ABDE"),
        ("AD", "ABD", "ABC", "ADE", "ABDE", "ABCE"),
    }


@st.composite
def arrangements(draw):
    nodes = "ABCDEF"[: draw(st.integers(2, 6))]
    edges = [pair for pair in combinations(nodes, 2) if draw(st.booleans())]
    assume(any(pair[0] == "A" for pair in edges))
    max_length = draw(st.sampled_from([None, 1, 2]))
    return arrange(CausalGraph(edges, nodes=list(nodes)), sensitive="A", max_length=max_length)


@given(arrangements(), st.sampled_from([uniform, topological]), st.integers(1, 9))
def test_every_order_holds_each_player_once(arrangement, make, n_rows):
    everyone = np.arange(len(arrangement.players))
    for orders_drawn in make(arrangement)(n_rows, np.random.default_rng(1)):
        assert orders_drawn.shape == (n_rows, len(everyone))
        assert (np.sort(orders_drawn, axis=1) == everyone).all()


@given(arrangements())
def test_topological_orders_are_among_the_enumerated(arrangement):
    expected = set(causal_orders(arrangement))
    for drawn in topological(arrangement)(20, np.random.default_rng(2)):
        assert set(map(tuple, drawn.tolist())) <= expected


def test_uniform_orders_are_all_alike_and_reversed():
    arrangement = arranged("A -> B; A -> C; B -> C; A -> D")
    one, two = uniform(arrangement)(6000, np.random.default_rng(3))
    assert (two == one[:, ::-1]).all()
    seen = Counter(map(tuple, one.tolist()))
    assert len(seen) == 24
    assert chisquare(list(seen.values())).pvalue > 1e-4


def test_too_many_causal_orders(monkeypatch):
    monkeypatch.setattr(orders, "MAX_STATES", 100)
    arrangement = arranged("; ".join(f"A -> X{i}" for i in range(8)))
    with pytest.raises(GraphError, match="order='uniform'"):
        topological(arrangement)(10, np.random.default_rng(0))
