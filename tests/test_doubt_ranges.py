"""Ranges over couplings, links and graphs: each number is what explaining anew would give."""

from itertools import permutations
from math import factorial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairpath as fp
from fairpath.doubt import ranges
from fairpath.doubt.couplings import redrawn
from fairpath.doubt.graphs import graphs_to_try
from fairpath.links import LinearLink
from strategies import drawn_graphs, markov_graphs
from worlds import (
    GRAPH,
    INPUTS,
    WITH_OUTCOME,
    chance,
    explained,
    hired,
    mixed,
    mixed_chance,
    people,
)

OPEN = fp.CausalGraph.parse(
    "age -- sex; age -> job; city -> job; sex -> job; sex -> hours; job -- pay; hours -> pay;"
    "sex -> pay; pay -> hired"
)
"""Four DAGs, which are two arrangements: whether job or pay comes first matters."""


def same(carried):
    """A coupling that leaves the link as it is."""
    return carried.link


def by_nodes(found):
    return {
        (path.nodes, path.longer): value
        for path, value in zip(found.paths, found.contributions().values, strict=True)
    }


def at(seen, **wanted):
    """The numbers of the only combination with these names."""
    (place,) = (
        i
        for i, one in enumerate(seen.assumed)
        if all(seen.named(one)[name] == value for name, value in wanted.items())
    )
    return seen.values[place]


def triangle(n=200, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, n)
    x = 0.8 * a + rng.normal(size=n)
    return pd.DataFrame({"a": a, "x": x, "y": 0.5 * x - 0.4 * a + rng.normal(size=n)})


def bent(rows):
    return np.tanh(rows["x"] * rows["y"]) + 0.3 * rows["x"]


# Couplings


def mean_x(parents):
    return 0.8 * parents["a"]


def mean_y(parents):
    return np.sin(parents["x"]) - 0.4 * parents["a"]


def test_redrawn_noise_against_plain_loops():
    # Every coalition of every person, with the noise of the person that was drawn for them.
    table, given_by = triangle(80), {}

    def spied(carried):
        found = redrawn(carried)
        given_by[carried.target.name] = found.donors
        return found

    graph = fp.CausalGraph.parse("a -> x; a -> y; x -> y")
    found = fp.explain(
        bent, table, graph=graph, sensitive="a", inputs=["x", "y"], output="score", intervals=None,
        links={"x": mean_x, "y": mean_y}, method="exact",
    )  # fmt: skip
    seen = ranges(found, couplings=[spied], links=[])
    paths = [("a", "x"), ("a", "x", "y"), ("a", "y")]

    def value(i, held, other):
        person, donor = table.iloc[i], {f: table.iloc[d[i]] for f, d in given_by.items()}

        def x_at(level):
            if level == person["a"]:
                return person["x"]
            noise = donor["x"]["x"] - 0.8 * donor["x"]["a"]
            return 0.8 * level + noise

        to_model, to_y, a_of_y = (person["a"] if p in held else other for p in paths)
        x_of_y = x_at(to_y)
        if x_of_y == person["x"] and a_of_y == person["a"]:
            y = person["y"]
        else:
            noise = donor["y"]["y"] - (np.sin(donor["y"]["x"]) - 0.4 * donor["y"]["a"])
            y = np.sin(x_of_y) - 0.4 * a_of_y + noise
        return np.tanh(x_at(to_model) * y) + 0.3 * x_at(to_model)

    shares = table["a"].value_counts(normalize=True)
    total = {path: np.zeros(2) for path in paths}
    for i, own in enumerate(table["a"]):
        for order in permutations(paths):
            for k, path in enumerate(order):
                gain = value(i, order[: k + 1], 1 - own) - value(i, order[:k], 1 - own)
                total[path][own] += shares[1 - own] * gain / factorial(3)
    size = table["a"].value_counts()
    brute = {p: sums[1] / size[1] - sums[0] / size[0] for p, sums in total.items()}

    numbers = dict(zip([p.nodes for p in seen.paths], at(seen, coupling="spied")[0, 3:],
                       strict=True))  # fmt: skip
    assert numbers == pytest.approx(brute, abs=1e-12)
    assert (given_by["x"] != given_by["y"]).any()
    kept = {nodes: v for (nodes, _), v in by_nodes(found).items()}
    assert max(abs(kept[p] - brute[p]) for p in paths) > 0.005


QUESTIONS = {
    "parity": lambda: explained(people(300, 1)),
    "sampled": lambda: explained(people(300, 1), method="sampled", links="forest"),
    "causal orders": lambda: explained(people(300, 1), order="topological"),
    "auto, mixed": lambda: explained(mixed(300), mixed_chance, links="auto"),
    "three strata": lambda: explained(people(300, 1, strata=("a", "b", "c"))),
    "weights": lambda: explained(people(300, 1), sample_weight=np.arange(300) % 3),
    "other rows": lambda: explained(people(300, 1), links_from=people(400, 7)),
    "longer paths": lambda: explained(people(300, 1), max_length=2),
    "opportunity": lambda: hired(disparity="equal_opportunity")[1],
    "odds": lambda: hired(disparity="equalized_odds")[1],
    "accuracy": lambda: hired(disparity="accuracy_parity")[1],
    "after": lambda: hired(disparity="equalized_odds", conditioning="after")[1],
}
each_question = pytest.mark.parametrize("question", QUESTIONS)


@each_question
def test_assuming_the_same_gives_the_same(question):
    found = QUESTIONS[question]()
    seen = ranges(found, couplings=[same], links=[])
    first, again = (at(seen, graph="as explained", coupling=c) for c in ("ranks", "same"))
    assert np.allclose(first, again, rtol=0, atol=1e-13)
    for i, compared in enumerate(found.compared):
        stratum = found.levels[compared.stratum]
        values = found.contributions(stratum, compared.view.outcome).values
        kept = dict(zip(seen.paths, first[i, 3:], strict=True))
        assert [kept[path] for path in found.paths] == values.tolist()


@each_question
def test_the_disparity_is_the_same_and_rows_sum_to_it(question):
    found = QUESTIONS[question]()
    seen = ranges(found, couplings=["redrawn", "fresh", "reversed"], links=["linear", "forest"])
    assert str(seen.disparity) == str(found.disparity)
    assert np.abs(np.ptp(seen.values[:, :, 0], axis=0)).max() < 1e-12
    assert np.allclose(seen.values[:, :, 1:].sum(axis=2), seen.values[:, :, 0], atol=1e-12)
    table = seen.table()
    assert (table["low"] <= table["contribution"]).all()
    assert (table["contribution"] <= table["high"]).all()
    assert (table["low"] < table["high"]).any()
    assert len(table) == len(found.table())


# Graphs


@pytest.mark.parametrize("reading", ["drawn", "markov"])
def test_each_dag_of_a_class_is_explained_as_if_alone(reading):
    graph = fp.CausalGraph(undirected=[("a", "x"), ("x", "y"), ("a", "y")], reading=reading)
    table = triangle()
    usual = {"sensitive": "a", "inputs": ["x", "y"], "output": "score", "intervals": None}
    found = fp.explain(bent, table, graph=graph, links="linear", **usual)
    seen = ranges(found, couplings=["ranks"], links=["forest"])
    dags = list(fp.dags(graph))
    assert len(dags) == 6
    assert seen.graphs == tuple(dags)
    rows, alone = seen.table().set_index("path"), {"linear": [], "forest": []}
    for number, dag in enumerate(dags, 1):
        place = next(i for i, s in enumerate(seen.setups) if number - 1 in s.graphs)
        for links, name in (("linear", "as explained"), ("forest", "forest")):
            one = by_nodes(fp.explain(bent, table, graph=dag, links=links, **usual))
            alone[links].append(one)
            (i,) = (
                i
                for i, a in enumerate(seen.assumed)
                if a.graph == place and seen.links[a.links] == name
            )
            ours = dict(zip([(p.nodes, p.longer) for p in seen.paths], seen.values[i, 0, 3:],
                            strict=True))  # fmt: skip
            assert {k: v for k, v in ours.items() if k in one} == pytest.approx(one, abs=1e-9)
            assert all(ours[k] == 0 for k in ours if k not in one)
    for path in seen.paths:
        key = (path.nodes, path.longer)
        listed = [one.get(key, 0.0) for kind in alone.values() for one in kind]
        listed += [by_nodes(found).get(key, 0.0)]
        row = rows.loc[str(path)]
        assert row["graphs"] == sum(key in one for one in alone["linear"]) / 6
        assert row["low"] <= min(listed) + 1e-9
        assert row["high"] >= max(listed) - 1e-9


def test_graphs_may_benamed():
    table = triangle()
    one, other = (fp.CausalGraph.parse(f"a -> x; {e}; a -> y") for e in ("x -> y", "y -> x"))
    found = fp.explain(bent, table, graph=one, sensitive="a", inputs=["x", "y"], output="score",
                       links="linear", intervals=None)  # fmt: skip
    seen = ranges(found, couplings=["ranks"], links=[], graphs=[one, other])
    assert [setup.graphs for setup in seen.setups] == [(0,), (1,)]
    only = seen.table().set_index("path")
    assert only.loc["a → y → x → prediction", "graphs"] == 0.5
    assert only.loc["a → x → prediction", "graphs"] == 1.0
    assert only.loc["a → y → x → prediction", "highest_in"] in {"graph 2", "as explained"}
    alone = ranges(found, couplings=["ranks"], links=[], graphs=None)
    assert len(alone.assumed) == 1
    assert (alone.table()["low"] == alone.table()["high"]).all()


@settings(max_examples=40, deadline=None)
@given(st.one_of(drawn_graphs(5), markov_graphs(5)), st.integers(1, 3), st.integers(0, 5))
def test_a_large_class_is_drawn_from(graph, most, seed):
    every = set(fp.dags(graph))
    tried, notes = graphs_to_try(graph, "class", most, seed)
    assert set(tried) <= every
    assert len(set(tried)) == len(tried)
    if len(every) <= most:
        assert set(tried) == every
        assert notes == ()
    else:
        assert len(tried) == most
        assert f"more than {most}" in notes[0]
    assert graphs_to_try(graph, "class", most, seed) == (tried, notes)


def test_drawn_dags_differ_in_all_edges():
    clique = fp.CausalGraph(undirected=[(a, b) for a in "abcde" for b in "abcde" if a < b])
    tried, _ = graphs_to_try(clique, "class", 30, 0)
    shares = [np.mean([edge in dag.directed for dag in tried]) for edge in clique.undirected]
    assert min(shares) > 0.15
    assert max(shares) < 0.85


def test_a_column_that_only_another_graph_needs_is_read():
    # Drawn, z follows x and leads to no input, so nobody reads it; in one DAG it is outside.
    rng = np.random.default_rng(3)
    table = triangle(300)
    table["z"] = rng.normal(size=300)
    table["x"] += 0.7 * table["z"]
    graph = fp.CausalGraph.parse("a -> x; x -- z; x -> y; a -> y")
    usual = {"sensitive": "a", "inputs": ["x", "y"], "output": "score", "links": "linear",
             "intervals": None}  # fmt: skip
    found = fp.explain(bent, table, graph=graph, **usual)
    assert "z" not in found.study.columns
    seen = ranges(found, couplings=["ranks"], links=[])
    dag = fp.CausalGraph.parse("a -> x; z -> x; x -> y; a -> y")
    expected = by_nodes(fp.explain(bent, table, graph=dag, **usual))
    numbers = at(seen, graph=str(seen.graphs.index(dag) + 1))[0, 3:]
    ours = dict(zip([(p.nodes, p.longer) for p in seen.paths], numbers, strict=True))
    assert ours == pytest.approx(expected, abs=1e-9)
    assert max(abs(ours[k] - by_nodes(found)[k]) for k in ours) > 1e-4
    elsewhere = fp.explain(bent, table, graph=graph, links_from=table.iloc[:200], **usual)
    assert any("not read by the explanation: z" in n for n in ranges(elsewhere, links=[]).notes)


class Counting(LinearLink):
    """A straight line that takes note of what it learns."""

    fits = []  # noqa: RUF012

    def fit(self, parents, values, *, sources, target, weights, rng):
        Counting.fits.append((target.name, frozenset(source.name for source in sources)))
        return super().fit(
            parents, values, sources=sources, target=target, weights=weights, rng=rng
        )


def test_every_link_is_learned_once():
    Counting.fits.clear()
    found = explained(people(200, 1), graph=OPEN, links=Counting())
    own = list(Counting.fits)
    Counting.fits.clear()
    seen = ranges(found, couplings=["ranks", "redrawn", "reversed"], links=[Counting(), "linear"])
    assert len(seen.setups) == 3
    wanted = {
        (feature, frozenset({*(f for block in setup.arrangement.predecessors[(feature,)]
                               for f in block), "city"}))
        for setup in seen.setups[1:] for block in setup.arrangement.blocks for feature in block
    }  # fmt: skip
    assert sorted(Counting.fits, key=str) == sorted(wanted - set(own), key=str)
    assert set(own) & wanted


def test_links_chosen_by_auto_choose_again_where_sources_change():
    found = explained(people(200, 1), graph=OPEN, links="auto")
    seen = ranges(found, couplings=["ranks"], links=["auto"])
    for graph in range(3):
        ours, again = (seen.values[i] for i, a in enumerate(seen.assumed) if a.graph == graph)
        assert np.allclose(ours, again, rtol=0, atol=1e-13)
    table = people(200, 1)
    for number, dag in enumerate(seen.graphs):
        place = next(i for i, s in enumerate(seen.setups) if number in s.graphs)
        (own, _) = (i for i, a in enumerate(seen.assumed) if a.graph == place)
        alone = by_nodes(explained(table, graph=dag, links="auto"))
        ours = dict(zip([(p.nodes, p.longer) for p in seen.paths], seen.values[own, 0, 3:],
                        strict=True))  # fmt: skip
        assert max(abs(ours[k] - alone[k]) for k in alone) < 0.02


def test_links_are_shared_whatever_the_order_of_their_sources():
    table = triangle(300)
    table["z"] = 0.5 * table["x"] + table["a"] + np.random.default_rng(1).normal(size=300)
    table["y"] += 0.6 * table["z"]
    graph = fp.CausalGraph.parse("a -> x; a -> z; x -- z; x -> y; z -> y")
    usual = {"sensitive": "a", "inputs": ["x", "y"], "output": "score", "intervals": None}
    found = fp.explain(bent, table, graph=graph, links=Counting(), **usual)
    Counting.fits.clear()
    seen = ranges(found, couplings=[], links=[])
    # y's sources are those of the explanation in both graphs, and in one of them x's and z's.
    assert sorted(name for name, _ in Counting.fits) == ["x", "z"]
    orders = {setup.arrangement.predecessors[("y",)] for setup in seen.setups[1:]}
    assert orders == {(("x",), ("z",)), (("z",), ("x",))}
    for number, dag in enumerate(seen.graphs):
        place = next(i for i, s in enumerate(seen.setups) if number in s.graphs)
        alone = by_nodes(fp.explain(bent, table, graph=dag, links="linear", **usual))
        assert values_of(seen, place) == pytest.approx(values_of(seen, place) | alone, abs=1e-9)


def values_of(seen, graph):
    """The numbers of a graph with everything else as explained, by path."""
    (i,) = (i for i, one in enumerate(seen.assumed) if one == (graph, 0, 0))
    keys = [(path.nodes, path.longer) for path in seen.paths]
    return dict(zip(keys, seen.values[i, 0, 3:].tolist(), strict=True))


@pytest.mark.parametrize(
    "options",
    [
        {"method": "sampled", "rounds": 2},
        {"method": "sampled", "rounds": 1, "order": "topological"},
        {"order": "topological", "rounds": 3},
        {},
    ],
    ids=str,
)
def test_other_graphs_are_explained_with_the_same_options(options):
    table = people(300, 1)
    found = explained(table, graph=OPEN, **options)
    seen = ranges(found, couplings=[], links=[])
    for number, dag in enumerate(seen.graphs):
        place = next(i for i, s in enumerate(seen.setups) if number in s.graphs)
        alone = by_nodes(explained(table, graph=dag, **options))
        assert values_of(seen, place) == pytest.approx(values_of(seen, place) | alone, abs=1e-9)


def test_orders_stay_sampled_where_few_paths_could_be_counted():
    table = triangle()
    usual = {"sensitive": "a", "inputs": ["x", "y"], "output": "score", "intervals": None,
             "links": "linear", "method": "sampled", "rounds": 1}  # fmt: skip
    one, other = (fp.CausalGraph.parse(f"a -> x; {e}; a -> y") for e in ("x -> y", "y -> x"))
    found = fp.explain(bent, table, graph=one, **usual)
    seen = ranges(found, couplings=[], links=[], graphs=[other])
    alone = by_nodes(fp.explain(bent, table, graph=other, **usual))
    assert values_of(seen, 1) == pytest.approx(values_of(seen, 1) | alone, abs=1e-9)


def test_graphs_that_differ_only_before_merged_paths_differ():
    table = triangle()
    table["z"] = table["x"] - table["a"] + np.random.default_rng(1).normal(size=200)
    graphs = [fp.CausalGraph.parse(f"a -> x; a -> z; {e}; x -> y; z -> y")
              for e in ("x -> z", "z -> x")]  # fmt: skip
    found = fp.explain(lambda rows: rows["y"], table, graph=graphs[0], sensitive="a", inputs=["y"],
                       output="score", links="linear", max_length=1, intervals=None)  # fmt: skip
    seen = ranges(found, couplings=[], links=[], graphs=graphs)
    assert [setup.graphs for setup in seen.setups] == [(0,), (1,)]


def test_a_feature_that_had_no_link_gets_one_like_the_others():
    table = people(300, 1)
    table["city"] = 0.5 * table["sex"] + np.random.default_rng(0).normal(size=300)
    other = fp.CausalGraph((*GRAPH.directed, ("sex", "city")), (), GRAPH.nodes)
    found = explained(table)
    seen = ranges(found, couplings=[], links=[], graphs=[other])
    assert values_of(seen, 1) == pytest.approx(
        values_of(seen, 1) | by_nodes(explained(table, graph=other)), abs=1e-9
    )
    assert any("city" in nodes for nodes, _ in values_of(seen, 1))


@pytest.mark.parametrize("disparity", ["equal_opportunity", "accuracy_parity"])
def test_columns_that_other_graphs_need_relative_to_the_outcome(disparity):
    # Of an input that is no cause of the outcome z is an effect, unread, or a cause, outside.
    table, _ = hired()
    table["z"] = np.random.default_rng(0).normal(size=len(table))
    table["hobby"] = 0.8 * table["z"] + 0.7 * table["sex"]
    table["hobby"] += np.random.default_rng(1).normal(size=len(table))
    graph, other = (
        fp.CausalGraph((*WITH_OUTCOME.directed, ("sex", "hobby"), edge))
        for edge in (("hobby", "z"), ("z", "hobby"))
    )
    usual = {"outcome": "hired", "disparity": disparity, "reference": 0}
    usual |= {"model": lambda rows: chance(rows) * np.exp(-(rows["hobby"] ** 2))}
    usual |= {"inputs": [*INPUTS, "hobby"]}
    found = explained(table, graph=graph, **usual)
    assert "z" not in found.study.columns
    seen = ranges(found, couplings=["redrawn"], links=[], graphs=[other])
    alone = by_nodes(explained(table, graph=other, **usual))
    assert values_of(seen, 1) == pytest.approx(values_of(seen, 1) | alone, abs=1e-9)
    assert values_of(seen, 0) != pytest.approx(values_of(seen, 1), abs=1e-4)


def test_noise_stays_with_the_stratum_and_the_outcome_that_is_looked_at():
    cells = {}

    def spied(carried):
        cells[carried.target.name] = carried
        return redrawn(carried)

    table, found = hired(
        disparity="equal_opportunity", conditioning="after", sample_weight=np.arange(400) % 4
    )
    ranges(found, couplings=[spied], links=[])
    rows = table[table["hired"] == 1]
    for carried in cells.values():
        assert np.array_equal(carried.weights, (np.arange(400) % 4)[table["hired"] == 1])
        assert len(np.unique(carried.cells)) == 2
        for cell in np.unique(carried.cells):
            assert len(set(rows["sex"][carried.cells == cell])) == 1
    table, found = hired(disparity="accuracy_parity", conditioning="after")
    ranges(found, couplings=[spied], links=[])
    for carried in cells.values():
        assert len(np.unique(carried.cells)) == 4
        for cell in np.unique(carried.cells):
            inside = table[carried.cells == cell]
            assert inside["sex"].nunique() == inside["hired"].nunique() == 1


# What is said


def test_each_assumption_is_moved_alone_too():
    found = explained(people(300, 1), graph=OPEN, links="forest")
    seen = ranges(found, couplings=["redrawn", "reversed"], links=["linear"])
    each, table = seen.each(), seen.table().set_index("path")
    for path, rows in each.groupby("path"):
        own = rows[(rows["graph"] == "as explained")]
        by_links = own[own["coupling"] == "ranks"]["contribution"]
        by_coupling = own[own["links"] == "as explained"]["contribution"]
        by_graph = rows[(rows["links"] == "as explained") & (rows["coupling"] == "ranks")]
        widths = {
            "graph": np.ptp(by_graph["contribution"]),
            "links": np.ptp(by_links),
            "coupling": np.ptp(by_coupling),
        }
        row = table.loc[path]
        for name, width in widths.items():
            assert row[f"by_{name}"] == pytest.approx(width, abs=1e-15)
        assert row["moved_by"] == max(widths, key=widths.get)
        assert row["low"] == rows["contribution"].min()
        assert row["high"] == rows["contribution"].max()
    paths = seen.table().query("kind == 'path'")
    assert paths["contribution"].abs().is_monotonic_decreasing
    others = paths[paths["contribution"] == 0]
    assert np.maximum(others["high"], -others["low"]).is_monotonic_decreasing
    lowest = each.loc[each[each["path"] == "sex → hours → prediction"]["contribution"].idxmin()]
    told = table.loc["sex → hours → prediction", "lowest_in"]
    for name in ("links", "coupling"):
        assert (f"{name} {lowest[name]}" in told) == (lowest[name] not in {"as explained", "ranks"})


def test_what_does_not_move_is_moved_by_nothing():
    found = explained(people(200, 1), lambda rows: rows["city"] / 2, inputs=["city", "sex"])
    table = ranges(found).table()
    assert table["moved_by"].isna().all()
    assert (table["low"] == table["high"]).all()


def test_features_that_some_graph_does_not_order_are_told_together_and_apart():
    found = explained(people(300, 1), graph=OPEN)
    seen = ranges(found, couplings=["ranks", "redrawn"], links=[])
    table = seen.by_feature().set_index("feature")
    assert set(table.index) == {"hours", "{job, pay}", "job", "pay"}
    assert table.loc[["job", "pay"], "contribution"].isna().all()
    assert (table["graphs"] == 1.0).all()  # every DAG tells them apart
    assert list(table.index).index("{job, pay}") < list(table.index).index("job")
    for feature, ends in (("hours", ["hours"]), ("job", ["job"]), ("{job, pay}", ["job", "pay"])):
        inside = [
            i
            for i, path in enumerate(seen.paths)
            if set(np.atleast_1d(path.nodes[-1])) <= set(ends)
        ]
        sums = seen.values[:, 0, 3:][:, inside].sum(axis=1)
        known = [seen.assumed[i].graph > 0 or feature != "job" for i in range(len(sums))]
        assert table.loc[feature, "low"] == pytest.approx(sums[known].min(), abs=1e-15)
        assert table.loc[feature, "high"] == pytest.approx(sums[known].max(), abs=1e-15)
    half = ranges(found, links=[], graphs=[OPEN, seen.graphs[0]]).by_feature().set_index("feature")
    assert half.loc["job", "graphs"] == 0.5
    assert half.loc["{job, pay}", "graphs"] == 1.0


def test_printed_it_says_what_matters():
    found = explained(people(200, 1), graph=OPEN)
    seen = ranges(found, most_graphs=2)
    text = repr(seen)
    assert f"the same in all {len(seen.assumed)} combinations" in text
    assert "remainder" in text
    assert "sampling intervals come on top" in text
    assert "sex → hours → prediction" in text
    assert "more than 2" in text
    assert "note: " in text


def test_workers_and_repetition_change_nothing():
    found = explained(people(300, 1), graph=OPEN, method="sampled", links="forest")
    ways = ["redrawn", "fresh", "reversed"]
    first, again, many = (ranges(found, couplings=ways, n_jobs=n) for n in (None, None, 3))
    assert np.array_equal(first.values, again.values)
    assert np.array_equal(first.values, many.values)


def test_tables_are_of_the_callers_library():
    seen = ranges(explained(pl.from_pandas(people(200, 1))), links=[])
    assert all(isinstance(t, pl.DataFrame) for t in (seen.table(), seen.by_feature(), seen.each()))


def test_wrong_requests(tmp_path):
    table = people(200, 1)
    found = explained(table)
    found.save(tmp_path / "found.json")
    wrong = [
        ({"explanation": fp.load(tmp_path / "found.json")}, fp.DataError, "loaded from a file"),
        ({"explanation": table}, fp.DataError, "got DataFrame"),
        ({"explanation": explained(table, cross_fit=2)}, fp.DataError, "cross_fit=2"),
        ({"couplings": ["rank"]}, fp.DataError, "no coupling 'rank'"),
        ({"couplings": "redrawn"}, fp.DataError, r"couplings=\['redrawn'\]"),
        ({"links": ["boosted"]}, fp.DataError, "cannot be 'boosted'"),
        ({"links": [{"wage": "linear"}]}, fp.DataError, "links names 'wage'"),
        ({"graphs": []}, fp.GraphError, "graphs is empty"),
        ({"graphs": "all"}, fp.DataError, "got 'all'"),
        ({"graphs": GRAPH}, fp.GraphError, r"graphs=\[graph\]"),
        ({"graphs": 3}, fp.GraphError, "got 3"),
        ({"graphs": ["a -> b"]}, fp.GraphError, "no CausalGraph"),
        ({"graphs": [fp.CausalGraph.parse("sex -> wage")]}, fp.GraphError, "age is missing"),
        ({"graphs": [fp.CausalGraph.parse("sex -> wage")]}, fp.GraphError, "wage is not in"),
        ({"graphs": [fp.CausalGraph.parse("sex -> pay")]}, fp.GraphError, "age is missing"),
        ({"most_graphs": 0}, fp.DataError, "most_graphs"),
        ({"n_jobs": 0}, fp.DataError, "n_jobs"),
        ({"progress": "yes"}, fp.DataError, "progress"),
    ]  # fmt: skip
    for options, error, message in wrong:
        with pytest.raises(error, match=message):
            ranges(options.pop("explanation", found), **options)


def test_a_graph_whose_paths_were_not_read_is_refused():
    table = triangle(200)
    table["z"] = table["a"] + np.random.default_rng(0).normal(size=200)
    graph = fp.CausalGraph.parse("a -> x; x -> y; a -> y; x -> z")
    found = fp.explain(bent, table, graph=graph, sensitive="a", inputs=["x", "y"],
                       output="score", links_from=table.iloc[::2], intervals=None)  # fmt: skip
    other = fp.CausalGraph.parse("a -> z; z -> x; x -> y; a -> y")
    with pytest.raises(fp.DataError, match="'z' is on a path of one of the graphs"):
        ranges(found, graphs=[other], links=[])
