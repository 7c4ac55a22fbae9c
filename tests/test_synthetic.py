"""The simulations: their graph, their links and their truth belong together."""

import itertools

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import fairpath as fp
from fairpath.datasets import make_synthetic


def linear(table):
    """A linear model, of which the contributions have a closed form."""
    return table.to_numpy() @ np.arange(1, table.shape[1] + 1) / 10


@pytest.mark.parametrize("seed", range(5))
def test_contributions_are_products_of_the_weights(seed):
    """In a linear world a path carries the product of its weights: no estimate enters."""
    people = make_synthetic("S1", 2, seed=seed)
    found = people.explained(
        lambda table: linear(table[list(people.inputs)]), n_rows=500, output="score"
    )
    weight = {}
    for name, link in people.links.items():
        parents = {n: np.zeros(1) for n in ("a", *people.inputs)}
        for parent in (p for p, effect in people.graph.directed if effect == name):
            weight[parent, name] = link.function({**parents, parent: np.ones(1)})[0]
    for path, value in zip(found.paths, found.contributions().values, strict=True):
        steps = [node[0] if isinstance(node, tuple) else node for node in path.nodes]
        product = np.prod([weight[step] for step in itertools.pairwise(steps)])
        place = people.inputs.index(steps[-1])
        assert_allclose(value, product * (place + 1) / 10, atol=1e-9)


@pytest.mark.parametrize("kind", ["S1", "S2", "crossed"])
@pytest.mark.parametrize("structure", ["random", "symmetric"])
def test_people_follow_their_links(kind, structure):
    people = make_synthetic(kind, 20_000, structure=structure, seed=1)
    table = people.data
    for name, link in people.links.items():
        noise = table[name] - link.function({c: table[c].to_numpy(dtype=float) for c in table})
        assert abs(noise.mean()) < 0.04
        assert abs(noise.std() - 1) < 0.03
    assert set(people.graph.nodes) == set(table.columns)
    assert table["y"].isin([0, 1]).all()
    assert 0.2 < table["y"].mean() < 0.8


def test_seeds_decide_everything():
    one, again, other = (make_synthetic("S1", 100, seed=s) for s in (1, 1, 2))
    pd.testing.assert_frame_equal(one.data, again.data)
    assert one.graph == again.graph
    assert one.graph != other.graph
    # More people of the same population are other people, with the same mechanisms.
    more = one.draw(100, 7)
    assert not np.allclose(more["x0"], one.data["x0"])
    pd.testing.assert_frame_equal(one.draw(100, 1), one.data)
    polars = make_synthetic("S1", 100, seed=1, backend="polars").data
    pd.testing.assert_frame_equal(polars.to_pandas(), one.data)


def test_outcomes_have_one_probability_scale_whatever_the_sample():
    """The range of the score is the population's, not the sample's."""
    few, many = (make_synthetic("S1", n, seed=3) for n in (50, 5000))
    pd.testing.assert_frame_equal(few.draw(1000, 5), many.draw(1000, 5))
    rates = [few.draw(50, s)["y"].mean() for s in range(300)]
    assert abs(np.mean(rates) - few.draw(200_000, 5)["y"].mean()) < 0.02


def test_weights_are_as_the_paper_draws_them():
    """Between 0.5 and 1.5 with either sign; edges with probability 0.2, from A with 0.4."""
    found, n_edges, n_shifts = [], 0, 0
    for seed in range(40):
        people = make_synthetic("S1", 2, seed=seed)
        edges = [e for e in people.graph.directed if "y" not in e]
        n_shifts += sum(cause == "a" for cause, _ in edges)
        n_edges += sum(cause != "a" for cause, _ in edges)
        for name, link in people.links.items():
            zero = {n: np.zeros(1) for n in ("a", *people.inputs)}
            causes = [cause for cause, effect in edges if effect == name]
            found += [link.function({**zero, cause: np.ones(1)})[0] for cause in causes]
    assert 0.5 <= np.min(np.abs(found)) < 0.55
    assert 1.45 < np.max(np.abs(found)) <= 1.5
    assert 0.4 < np.mean(np.array(found) > 0) < 0.6
    assert abs(n_edges / (40 * 45) - 0.2) < 0.04
    assert abs(n_shifts / (40 * 10) - 0.4) < 0.1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kind": "S3"}, "kind must be one of"),
        ({"structure": "chain"}, "structure must be one of"),
        ({"n_rows": 1}, "n_rows"),
        ({"seed": -1}, "seed"),
        ({"backend": "spark"}, "backend must be one of"),
    ],
)
def test_wrong_input_is_refused(wrong, message):
    with pytest.raises(fp.DataError, match=message):
        make_synthetic(**wrong)
