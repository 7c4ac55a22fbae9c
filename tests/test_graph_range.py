"""`explain` over several graphs: the first is explained, the range is over all."""

import numpy as np
import pandas as pd
import pytest

import fairpath as fp


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    sex = rng.integers(0, 2, 600)
    job = sex + rng.normal(size=600)
    pay = job + 0.5 * sex + rng.normal(size=600)
    return pd.DataFrame({"sex": sex, "job": job, "pay": pay})


def explained(people, graph, **options):
    asked = {"sensitive": "sex", "inputs": ["job", "pay"], "links": "linear", "output": "score"}
    return fp.explain(
        lambda t: t["job"] + t["pay"], people, graph=graph, intervals=None, **asked, **options
    )


DRAWN = fp.CausalGraph.parse("sex -> job; sex -> pay; job -- pay")
ONE, OTHER = (
    fp.CausalGraph.parse(f"sex -> job; sex -> pay; {e}") for e in ("job -> pay", "pay -> job")
)


def rows(found):
    table = found.graph_range.table()
    return table[table["kind"] == "path"].set_index("path")


@pytest.mark.parametrize(
    ("graph", "options", "among"),
    [
        # What is explained belongs to the range: a block is no path of a DAG.
        (DRAWN, {"graph_range": "class"}, (DRAWN, ONE, OTHER)),
        ([ONE, OTHER], {}, (ONE, OTHER)),
    ],
)
def test_the_range_is_that_of_each_graph_alone(graph, options, among, people):
    found = explained(people, graph, **options)
    each = [explained(people, one) for one in among]
    by_path = [
        {str(p): v for p, v in zip(e.paths, e.contributions().values, strict=True)} for e in each
    ]
    table = rows(found)
    for path in {name for values in by_path for name in values}:
        values = [values.get(path, 0.0) for values in by_path]
        assert table.loc[path, "low"] == pytest.approx(min(values), abs=1e-9)
        assert table.loc[path, "high"] == pytest.approx(max(values), abs=1e-9)
    assert found.disparity.value == pytest.approx(each[0].disparity.value)


def test_without_a_range_there_is_none(people):
    assert explained(people, DRAWN).graph_range is None
    assert explained(people, ONE, graph_range="class").graph_range is not None


def test_the_first_of_several_is_explained(people):
    first = explained(people, [OTHER, ONE])
    assert [str(p) for p in first.paths] == [str(p) for p in explained(people, OTHER).paths]


def test_graphs_of_halves(people):
    found = fp.discover(people, sensitive="sex", bootstrap=6)
    assert len(found.halves) == 6
    over = explained(people, found, graph_range="bootstrap")
    shares = {
        edge: np.mean(
            [
                edge in g.directed
                or edge[::-1] in g.directed
                or edge in g.undirected
                or edge[::-1] in g.undirected
                for g in found.halves
            ]
        )
        for edge in found.confidence
    }
    assert {e: c.joined for e, c in found.confidence.items()} == pytest.approx(shares)
    assert set(over.graph_range.graphs) >= {found.graph, *found.halves}


def test_wrong_graphs_are_refused(people):
    with pytest.raises(fp.DataError, match="graph_range must be one of"):
        explained(people, DRAWN, graph_range="all")
    with pytest.raises(fp.DataError, match="leave out graph_range='class'"):
        explained(people, [ONE, OTHER], graph_range="class")
    with pytest.raises(fp.GraphError, match="must be a CausalGraph, got list"):
        explained(people, [])
    with pytest.raises(fp.DataError, match=r"needs what discover\(…, bootstrap=20\) found"):
        explained(people, DRAWN, graph_range="bootstrap")
