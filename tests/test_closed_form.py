"""Linear mechanisms, linear links, linear score: a path carries the product of its coefficients."""

from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest

import fairpath as fp

NODES = "ABCDEFG"


def drawn(seed):
    """Draw a DAG with edges into and out of A, rows of a linear model on it, and a score."""
    rng = np.random.default_rng(seed)
    nodes = list(rng.permutation(list(NODES[: rng.integers(4, 8)])))
    edges = [pair for pair in combinations(nodes, 2) if rng.random() < 0.5]
    columns = {}
    for node in nodes:
        causes = [cause for cause, effect in edges if effect == node]
        values = sum(rng.normal() * columns[cause] for cause in causes) + rng.normal(size=150)
        columns[node] = (values > np.median(values)).astype(float) if node == "A" else values
    inputs = [node for node in nodes if rng.random() < (0.3 if node == "A" else 0.8)]
    table = pd.DataFrame(columns)
    table["V"] = rng.normal(size=150)  # no node of the graph
    graph = fp.CausalGraph(directed=edges, nodes=nodes)
    return graph, table, dict(zip([*inputs, "V"], rng.normal(size=9), strict=False)), rng


def regressed(table, target, sources, weights):
    """Return the coefficients of least squares with an intercept."""
    root = np.sqrt(weights)
    matrix = np.column_stack([np.ones(len(table)), *(table[name] for name in sources)])
    fitted = np.linalg.lstsq(matrix * root[:, None], table[target] * root, rcond=None)[0]
    return dict(zip(sources, fitted[1:], strict=True))


def effects(arrangement, table, weights):
    """Return for each block and predecessor how one feature moves with another, as a matrix.

    Features of a block follow one another, so one also moves with what the earlier ones pass on.
    """
    outside = [name for name in arrangement.outside if name in table]
    found = {}
    for block, before in arrangement.predecessors.items():
        sources = [feature for earlier in before for feature in earlier]
        fits = [
            regressed(table, feature, [*sources, *block[:i], *outside], weights)
            for i, feature in enumerate(block)
        ]
        for earlier in before:
            rows = []
            for fit in fits:
                direct = np.array([fit[feature] for feature in earlier])
                passed = [fit[done] * row for done, row in zip(block, rows, strict=False)]
                rows.append(direct + sum(passed))
            found[earlier, block] = np.array(rows)
    return found


def products(arrangement, table, model, weights):
    """Return the product of coefficients along each path (Wright's rule)."""
    by_link = effects(arrangement, table, weights)
    found = {}
    for path in arrangement.players:
        chain = [(node,) if isinstance(node, str) else node for node in path.nodes]
        effect = np.ones((1, 1))
        for link in pairwise(chain):
            effect = by_link[link] @ effect
        found[path] = float(np.array([model.get(name, 0.0) for name in chain[-1]]) @ effect[:, 0])
    return found


def playable(count):
    seed, found = 0, []
    while len(found) < count:
        graph, table, model, _ = drawn(seed)
        n_players = len(fp.arrange(graph, sensitive="A", inputs=list(model)).players)
        if 1 <= n_players <= 12 and table["A"].nunique() == 2:
            found.append(seed)
        seed += 1
    return found


SEEDS = playable(40)


def test_the_worlds_have_everything():
    arrangements = []
    for seed in SEEDS:
        graph, _, model, _ = drawn(seed)
        arrangements.append(fp.arrange(graph, sensitive="A", inputs=list(model)))
    paths = [path for arrangement in arrangements for path in arrangement.players]
    assert {path.kind for path in paths} == {"direct", "indirect", "spurious"}
    assert sum(path.kind == "spurious" and len(path.nodes) > 2 for path in paths) > 20
    assert sum(not isinstance(node, str) for path in paths for node in path.nodes) >= 20
    assert max(len(path.nodes) for path in paths) >= 5
    assert sum(len(arrangement.outside) > 1 for arrangement in arrangements) > 10


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_path_carries_the_product_of_its_coefficients(seed, weighted):
    graph, table, model, rng = drawn(seed)
    weights = rng.uniform(0.5, 2, len(table)) if weighted else np.ones(len(table))

    def score(rows):
        return sum(weight * rows[name] for name, weight in model.items())

    for options in ({}, {"method": "sampled"}, {"order": "topological"}):
        found = fp.explain(
            score, table, graph=graph, sensitive="A", inputs=list(model), output="score",
            links="linear", intervals=None, sample_weight=weights if weighted else None, **options,
        )  # fmt: skip
        arrangement = fp.arrange(graph, sensitive="A", inputs=list(model))
        expected = products(arrangement, table, model, weights)
        carried = dict(zip(found.paths, found.contributions().values, strict=True))
        assert carried == pytest.approx(expected, abs=1e-9)
        # Δ_A = 1; the rest of the disparity is what the model reads beside the paths.
        own = table["A"] == 1
        means = [np.average(score(table[who]), weights=weights[who]) for who in (own, ~own)]
        left = means[0] - means[1] - sum(expected.values())
        assert found.remainder.value == pytest.approx(left, abs=1e-9)


def test_a_confounder_by_hand():
    # A <- Z -> X: Z follows A on the path, so it is regressed on A, and X on A and Z.
    rng = np.random.default_rng(0)
    z, w = rng.normal(size=(2, 200))
    a = (z + rng.logistic(size=200) > 0).astype(int)
    table = pd.DataFrame({"A": a, "Z": z, "W": w, "X": a - 2 * z + w + rng.normal(size=200)})
    graph = fp.CausalGraph.parse("Z -> A; Z -> X; A -> X; W -> X")
    found = fp.explain(
        lambda rows: 3 * rows["X"], table, graph=graph,
        sensitive="A", inputs=["X"], output="score", links="linear", intervals=None,
    )  # fmt: skip
    ones = np.ones(200)
    z_on_a = np.linalg.lstsq(np.column_stack([ones, a, w]), z, rcond=None)[0][1]
    regressors = np.column_stack([ones, a, z, w])
    x_on_a, x_on_z = np.linalg.lstsq(regressors, table["X"], rcond=None)[0][1:3]
    carried = dict(zip(map(str, found.paths), found.contributions().values, strict=True))
    assert carried == pytest.approx(
        {"A ← Z → X → prediction": 3 * z_on_a * x_on_z, "A → X → prediction": 3 * x_on_a}, abs=1e-9
    )


@pytest.mark.parametrize("method", ["exact", "sampled"])
def test_every_stratum_has_its_own_step(method):
    # Levels enter as indicators: equal steps between them are not assumed.
    rng = np.random.default_rng(1)
    a = rng.choice(["low", "mid", "top"], 300, p=[0.5, 0.3, 0.2])
    step = np.select([a == "mid", a == "top"], [4.0, 1.0])
    b = step + rng.normal(size=300)
    table = pd.DataFrame({"A": a, "B": b, "C": 2 * b - step**2 + rng.normal(size=300)})
    graph = fp.CausalGraph.parse("A -> B -> C; A -> C")
    found = fp.explain(
        lambda rows: rows["C"] - rows["B"], table, graph=graph,
        sensitive="A", inputs=["B", "C"], output="score", links="linear", intervals=None,
        method=method,
    )  # fmt: skip
    levels = np.column_stack([a == "mid", a == "top"]).astype(float)
    ones = np.ones(300)
    b_on_a = np.linalg.lstsq(np.column_stack([ones, levels]), b, rcond=None)[0][1:]
    *c_on_a, c_on_b = np.linalg.lstsq(np.column_stack([ones, levels, b]), table["C"], rcond=None)[
        0
    ][1:]
    for k, level in enumerate(["mid", "top"]):
        carried = dict(zip(map(str, found.paths), found.contributions(level).values, strict=True))
        assert carried == pytest.approx(
            {
                "A → B → prediction": -b_on_a[k],
                "A → C → prediction": c_on_a[k],
                "A → B → C → prediction": b_on_a[k] * c_on_b,
            },
            abs=1e-9,
        )
