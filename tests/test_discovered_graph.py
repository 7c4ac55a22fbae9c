"""`explain` and `PathGame` take what `discover` returns for a graph."""

import numpy as np
import pandas as pd

import fairpath as fp


def test_a_discovered_graph_is_a_graph():
    rng = np.random.default_rng(0)
    sex = rng.integers(0, 2, 800)
    job = sex + rng.normal(size=800)
    people = pd.DataFrame({"sex": sex, "job": job, "pay": job + rng.normal(size=800)})
    found = fp.discover(people, sensitive="sex", tiers=[["sex"], ["job"], ["pay"]])
    asked = {"sensitive": "sex", "inputs": ["pay"]}

    def model(table):
        return table["pay"]

    by_discovery, by_graph = (
        fp.explain(model, people, graph=g, output="score", intervals=None, **asked)
        for g in (found, found.graph)
    )
    assert [str(path) for path in by_discovery.paths] == ["sex → job → pay → prediction"]
    assert np.array_equal(by_discovery.values, by_graph.values)
    games = [fp.PathGame.fit(people, graph=g, **asked) for g in (found, found.graph)]
    assert games[0].players == games[1].players
