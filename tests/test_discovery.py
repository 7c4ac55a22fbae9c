"""`discover` on tables: orders that must not matter, evidence, confidence, what is refused."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairpath import CausalGraph, DataError, GraphError, complete, dags
from fairpath.datasets import load_compas
from fairpath.discovery import discover
from fairpath.discovery.confidence import half

TESTS = ("mixed", "linear", "discrete")


def people(rows=600, seed=0, missing=0.0):
    """Return sex and age, a job that depends on both, pay on job, and a city on nothing."""
    rng = np.random.default_rng(seed)
    sex = rng.integers(0, 2, rows)
    age = rng.choice([20, 30, 40, 50, 60], rows)
    tastes = np.stack([0 * age, 1.5 * sex, (age - 40) / 10 - sex], axis=1)
    job = (tastes + rng.gumbel(size=(rows, 3))).argmax(axis=1)
    pay = (job + rng.normal(size=rows)).round(1 if missing else 0)
    table = pd.DataFrame(
        {
            "sex": np.where(sex == 1, "f", "m"),
            "age": age,
            "job": np.array(["cook", "clerk", "chief"])[job],
            "pay": pay,
            "city": np.array(["Oslo", "Rome"])[rng.integers(0, 2, rows)],
        }
    )
    if missing:
        for name in ("pay", "job"):
            table[name] = table[name].where(rng.random(rows) > missing, None)
    return table


TRUTH = CausalGraph([("sex", "job"), ("age", "job"), ("job", "pay")], nodes=["city"])


@pytest.mark.parametrize("test", TESTS)
def test_the_true_graph_is_found(test):
    found = discover(people(3000), test=test, alpha=0.001)
    assert found.graph == complete(CausalGraph(TRUTH.directed, nodes=["city"], reading="markov"))
    assert found.n_rows == 3000


def test_missing_values_leave_the_graph_in_sight():
    found = discover(people(3000, missing=0.2), alpha=0.001)
    assert set(found.graph.directed) == set(TRUTH.directed)
    note = discover(people(3000, missing=0.2), test="linear", alpha=0.001).notes[0]
    assert "rows are complete" in note


@st.composite
def tables(draw):
    """A small table of dependent columns of all kinds, with or without missing values."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    rows = draw(st.integers(40, 120))
    shared = rng.normal(size=rows)
    data = {}
    for name in "abcde"[: draw(st.integers(3, 5))]:
        value = draw(st.sampled_from([0.0, 0.7, 2.0])) * shared + rng.normal(size=rows)
        kind = draw(st.sampled_from(["number", "binary", "category", "missing"]))
        if kind == "binary":
            data[name] = np.where(value > 0, "yes", "no")
        elif kind == "category":
            data[name] = np.array(list("xyz"))[np.digitize(value, [-0.5, 0.5])]
        else:
            data[name] = value if kind == "number" else np.where(value > 1.2, np.nan, value)
        shared = 0.5 * shared + 0.5 * value
    return pd.DataFrame(data)


@settings(max_examples=25, deadline=None)
@given(tables(), st.randoms(use_true_random=False))
def test_neither_the_order_of_columns_nor_that_of_rows_matters(table, random):
    found = discover(table, alpha=0.1, bootstrap=2)
    columns = random.sample(list(table), table.shape[1])
    rows = random.sample(range(len(table)), len(table))
    again = discover(table[columns].iloc[rows], alpha=0.1, bootstrap=2)
    assert everything(found) == everything(again)
    assert next(dags(found.graph))


def everything(found):
    return (
        found.graph,
        found.confidence,
        found.tests,
        found.separations,
        list(map(str, found.decisions)),
        found.conflicts,
        found.notes,
        found.n_tests,
    )


@pytest.mark.parametrize("test", TESTS)
def test_neither_workers_nor_libraries_matter(test):
    table = people(300, 3)
    options = {"test": test, "bootstrap": 4, "alpha": 0.2, "seed": 5}
    found = discover(table, **options)
    assert everything(found) == everything(discover(table, n_jobs=3, **options))
    assert everything(found) == everything(discover(pl.from_pandas(table), **options))
    assert isinstance(discover(pl.from_pandas(table), **options).table(), pl.DataFrame)
    other = discover(table, **(options | {"seed": 6}))
    assert other.confidence != found.confidence
    assert other.graph == found.graph


def test_a_weight_of_two_is_the_row_twice():
    table = people(200, 4)
    weights = np.random.default_rng(0).integers(0, 3, 200)
    found = discover(table, sample_weight=weights, bootstrap=3)
    repeated = discover(table.loc[table.index.repeat(weights)], bootstrap=3)
    assert everything(found) == everything(repeated)
    assert found.n_rows == weights.sum()


def test_knowledge_directs_edges():
    table = people(2000)
    free = discover(table[["job", "pay"]])
    assert free.graph.undirected == (("job", "pay"),)
    for options in (
        {"outcome": "pay"},
        {"sensitive": "job"},
        {"tiers": [["job"], ["pay"]]},
        {"required": [("job", "pay")]},
        {"forbidden": [("pay", "job")]},
    ):
        assert discover(table[["job", "pay"]], **options).graph.directed == (("job", "pay"),)
    both = [("pay", "job"), ("job", "pay")]
    assert not discover(table[["job", "pay"]], forbidden=both).tests
    kept = discover(table, required=[("city", "sex")])
    assert ("city", "sex") in kept.graph.directed
    assert ("city", "sex") not in {(t.one, t.other) for t in kept.tests}


def test_the_evidence_is_that_of_the_search():
    found = discover(people(2000), alpha=0.01)
    joined = {frozenset(edge) for edge in (*found.graph.directed, *found.graph.undirected)}
    assert {frozenset((t.one, t.other)) for t in found.tests} == joined
    assert all(t.p_value <= 0.01 for t in found.tests)
    assert all(t.p_value > 0.01 for t in found.separations)
    assert len(found.tests) + len(found.separations) == 5 * 4 / 2
    decided = {d.triple: d.collider for d in found.decisions}
    assert decided == {
        ("age", "job", "sex"): True,
        ("age", "job", "pay"): False,
        ("pay", "job", "sex"): False,
    }


def test_confidence_counts_graphs_of_halves():
    found = discover(people(400), bootstrap=20, alpha=0.05)
    for (one, other), share in found.confidence.items():
        assert one < other
        assert math.isclose(share.joined, share.forward + share.backward + share.undirected)
        assert 0 < share.joined <= 1
        assert math.isclose(share.joined * 20, round(share.joined * 20))
    assert found.confidence["age", "job"].joined == 1.0
    table = found.table().set_index(["source", "target"])
    assert table.loc[("job", "pay"), "survives"] == found.confidence["job", "pay"].joined
    assert table.loc[("job", "pay"), "direction_survives"] == (
        found.confidence["job", "pay"].forward
    )
    assert discover(people(400)).confidence is None


def test_confidence_knows_directions():
    found = discover(people(2000), sensitive="sex", outcome="pay", bootstrap=5)
    ahead, back = found.confidence["job", "pay"], found.confidence["job", "sex"]
    assert (ahead.forward, ahead.backward, ahead.undirected) == (1.0, 0.0, 0.0)
    assert (back.forward, back.backward, back.undirected) == (0.0, 1.0, 0.0)
    assert list(found.table()["direction_survives"]) == [1.0] * 3
    open_edge = discover(people(2000)[["job", "pay"]], bootstrap=5)
    assert open_edge.confidence["job", "pay"].undirected == 1.0
    assert list(open_edge.table()["direction_survives"]) == [1.0]


def test_a_half_has_half_the_weight_and_the_level_is_kept():
    rng = np.random.default_rng(0)
    weights = np.array([0.0, 1.0, 4.0, 1000.0])
    kept = np.array([half(weights, rng) for _ in range(400)])
    assert (kept <= weights).all()
    assert set(kept[:, 2]) == {0.0, 1.0, 2.0, 3.0, 4.0}
    assert np.allclose(kept.mean(axis=0), weights / 2, atol=4 * np.sqrt(weights / 4 / 400) + 1e-9)
    whole = half(np.array([0.5, 2.25] * 50), rng)
    assert set(whole) == {0.0, 0.5, 2.25}


def test_independent_columns_are_joined_as_often_as_alpha_says():
    """Also in the halves; bootstrap samples would join 17 % of the pairs."""
    joined = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        table = pd.DataFrame(rng.normal(size=(200, 5)), columns=list("abcde"))
        options = {"test": "linear", "alpha": 0.05, "max_conditioning": 0}
        found = discover(table, bootstrap=10, **options)
        joined.append(sum(share.joined for share in found.confidence.values()) / 10)
    assert 0.02 < np.mean(joined) < 0.09


def test_contradicting_tests_are_named_and_settled():
    """Two colliders that share an edge, as in `resolve`: the stronger one stays."""
    rng = np.random.default_rng(3)
    d, a, shared = rng.normal(size=(3, 3000))
    c = d + rng.normal(size=3000) + shared
    b = a + 2 * rng.normal(size=3000) + shared
    found = discover(pd.DataFrame({"a": a, "b": b, "c": c, "d": d}))
    turned = [c for c in found.conflicts if c.settled == "stronger tests"]
    assert [c.nodes for c in turned] == [("a", "b", "c")]
    assert str(turned[0]).endswith("stronger tests forbid it: b – c – d a collider")
    strong, weak = found.decisions
    assert strong.strength > weak.strength
    assert strong.triple == ("b", "c", "d")
    assert weak.contradicts == (strong.triple,)
    assert (strong.collider, weak.collider) == (True, False)
    assert "1 conflict of the tests, 1 settled against them" in repr(found)


def test_a_divided_vote_is_a_conflict():
    """A function of our own: b is in one of two separating sets of a and c."""
    p_values = {("a", "c", ("b",)): 0.9, ("a", "c", ("d",)): 0.2}

    def test(one, other, listed):
        return p_values.get((one, other, listed), 0.0)

    table = people(60).rename(columns={"sex": "a", "age": "b", "job": "c", "pay": "d"})
    found = discover(table, columns=list("abcd"), test=test, alpha=0.05)
    assert {c.nodes: c.settled for c in found.conflicts}["a", "b", "c"] == "largest p-value"
    assert not dict.fromkeys(d.triple for d in found.decisions if d.collider and d.triple[1] == "b")
    assert found.test == "a function"


def test_the_rules_differ_where_votes_do():
    """Of three separating sets one holds b: the majority says collider, the p-value not."""
    p_values = {("a", "c", ("b",)): 0.9, ("a", "c", ("d",)): 0.2, ("a", "c", ("e",)): 0.2}
    edges = {("a", "b"), ("b", "c"), ("a", "d"), ("c", "d"), ("a", "e"), ("c", "e")}

    def test(one, other, listed):
        apart = 1.0 if (one, other) != ("a", "c") and (one, other) not in edges else 0.0
        return p_values.get((one, other, listed), apart)

    table = people(60)
    table.columns = list("abcde")
    options = {"test": test, "alpha": 0.05, "max_conditioning": 1}
    majority = discover(table, **options)
    unanimous = discover(table, colliders="conservative", **options)
    says = [{d.triple: d.collider for d in f.decisions} for f in (majority, unanimous)]
    assert says[0]["a", "b", "c"]
    assert not says[1]["a", "b", "c"]
    settled = [{c.nodes: c.settled for c in f.conflicts} for f in (majority, unanimous)]
    assert settled[0]["a", "b", "c"] == "majority"
    assert settled[1]["a", "b", "c"] == "largest p-value"


def test_what_cannot_be_told_removes_no_edge():
    """c is a function of a and b together, so that nothing is left of it given both."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(500, 2)), columns=["a", "b"])
    table["c"] = table["a"] + table["b"]
    table["y"] = table["c"] + rng.normal(size=500)
    found = discover(table, test="linear")
    assert {"c", "y"} in [{*edge} for edge in (*found.graph.directed, *found.graph.undirected)]
    assert any("could not tell and removed no edge" in note for note in found.notes)


def test_a_column_that_decides_another_is_noted():
    table = people(500).assign(old=lambda t: t["age"] > 35)
    assert any("age decides old" in note for note in discover(table).notes)
    continuous = table.assign(age=table["age"] + np.random.default_rng(0).normal(size=500))
    assert not any("decides" in note for note in discover(continuous).notes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.assign(copy=t["sex"].map({"f": 1, "m": 2})), "'copy' and 'sex'"),
        (lambda t: t.assign(copy=-(t["pay"] ** 3)), "'copy' and 'pay'"),
        (lambda t: t.assign(copy=t["job"].where(t.index > 40, None)), "'copy' and 'job'"),
        (lambda t: t.assign(long=range(len(t)), wide=np.exp(np.arange(len(t)) / 99)), "'long' and"),
        (lambda t: t.assign(city="Oslo"), "'city' has no two different values"),
        (lambda t: t.assign(city=None), "'city' has no two different values"),
        (lambda t: t.iloc[:20], "20 rows are too few"),
        (lambda t: t[["sex"]], "at least two columns"),
    ],
)
def test_tables_that_tell_nothing_are_refused(change, message):
    with pytest.raises(DataError, match=message):
        discover(change(people(800)))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"columns": ["sex", "jobs"]}, DataError, "no column 'jobs'. Did you mean job"),
        ({"columns": "sex"}, DataError, r"Try \['sex'\]"),
        ({"sensitive": "gender"}, DataError, "no column 'gender'"),
        ({"required": [("pay", "sex")], "sensitive": "sex"}, GraphError, "comes first"),
        ({"test": "kci"}, DataError, "test must be one of 'mixed', 'linear', 'discrete'"),
        ({"alpha": 1.0}, DataError, "alpha must be a number between 0 and 1"),
        ({"alpha": "small"}, DataError, "alpha must be a number between 0 and 1"),
        ({"max_conditioning": -1}, DataError, "max_conditioning must be a whole number"),
        ({"bootstrap": 1.5}, DataError, "bootstrap must be a whole number"),
        ({"bootstrap": 3, "test": lambda *_: 0.5}, DataError, "Leave out"),
        ({"colliders": "all"}, DataError, "colliders must be one of"),
        ({"n_jobs": 0}, DataError, "n_jobs"),
        ({"seed": -1}, DataError, "seed"),
        ({"progress": 1}, DataError, "progress"),
        ({"sample_weight": [1, 2]}, DataError, "one weight for each"),
    ],
)
def test_wrong_options_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        discover(people(100), **options)


def test_the_level_and_the_largest_set_are_those_asked_for():
    sizes = set()

    def test(one, other, listed):
        sizes.add(len(listed))
        return 0.051 if "city" in (one, other) else 0.049

    found = discover(people(60), test=test, alpha=0.05, max_conditioning=1)
    assert sizes == {0, 1}
    assert len(found.tests) == 6
    assert {t.other if t.one == "city" else t.one for t in found.separations} == {
        "age",
        "job",
        "pay",
        "sex",
    }
    assert found.alpha == 0.05


def test_progress_is_shown_when_asked(capfd):
    discover(people(60), bootstrap=1, progress=False)
    assert capfd.readouterr().err == ""


def test_compas_by_the_rules_of_the_paper():
    """Each edge between the ranks points from the earlier to the later one."""
    ranks = [
        ["race", "age", "sex"],
        ["juv_fel_count", "juv_misd_count", "juv_other_count"],
        ["priors_count"],
        ["c_charge_degree"],
    ]
    found = discover(load_compas().data, sensitive="race", outcome="no_recidivism", tiers=ranks)
    rank = {name: k for k, names in enumerate([*ranks, ["no_recidivism"]]) for name in names}
    assert all(rank[u] <= rank[v] for u, v in found.graph.directed)
    assert all(rank[u] == rank[v] for u, v in found.graph.undirected)
    assert next(dags(found.graph))
    # Two facts about these people that no analysis of the table can miss.
    assert ("age", "priors_count") in found.graph.directed
    assert ("priors_count", "no_recidivism") in found.graph.directed
