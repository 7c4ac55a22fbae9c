"""Small tables of people, a graph that fits them, and models, for tests of what `explain` says."""

import numpy as np
import pandas as pd

import fairpath as fp

GRAPH = fp.CausalGraph.parse(
    "age -> sex; age -> job; city -> job; sex -> job; sex -> hours; job -> pay; hours -> pay;"
    "sex -> pay; pay -> hired"
)
INPUTS = ["job", "hours", "pay", "city"]
"""Seven paths: sex or age before job, hours, and both before pay."""


def people(n=240, seed=0, *, strata=(0, 1)):
    """Draw numbers that follow a straight line, all but the city and the outcome."""
    rng = np.random.default_rng(seed)
    age = rng.normal(size=n)
    tilted = age + rng.logistic(size=n)
    place = np.argsort(np.argsort(tilted)) * len(strata) // n
    city = rng.integers(0, 2, n)
    job = 0.8 * age + place + 0.5 * city + rng.normal(size=n)
    hours = 0.5 * place + rng.normal(size=n)
    pay = job + 0.7 * hours - 0.4 * place + rng.normal(size=n)
    hired = (pay + rng.logistic(size=n) > 1).astype(int)
    columns = {"age": age, "city": city, "job": job, "hours": hours, "pay": pay, "hired": hired}
    return pd.DataFrame({"sex": np.array(strata)[place], **columns})


def mixed(n=240, seed=0):
    """Draw the same with strings, truth values, whole numbers, missing ones and their types."""
    table = people(n, seed, strata=("m", "f"))
    table["city"] = np.where(table["city"] == 1, "Oslo", "Rome")
    table["job"] = np.where(table["job"] > 0.5, "clerk", "cook")
    table["hours"] = (40 + 5 * table["hours"]).round().astype(int)
    table["pay"] = table["pay"].where(table["age"] < 1.5)
    table["hired"] = table["hired"] == 1
    return table


def number(rows, name):
    """Return a column of any library's table as numbers."""
    return np.asarray(rows[name], dtype=np.float64)


def score(rows):
    """Return a number that is not additive in its inputs."""
    job, hours, pay, city = (number(rows, name) for name in INPUTS)
    return 0.4 * pay + np.tanh(job * hours) + 0.3 * city * pay


def chance(rows):
    """Return a probability."""
    return 1 / (1 + np.exp(-score(rows)))


def mixed_chance(rows):
    """Return a probability for the rows of `mixed`."""
    job, city = (
        np.asarray(rows[name]) == word for name, word in [("job", "cook"), ("city", "Oslo")]
    )
    pay = np.nan_to_num(number(rows, "pay"), nan=-1.0)
    return 1 / (1 + np.exp(-(job * pay + 0.1 * (number(rows, "hours") - 40) * (1 + city))))


def explained(data, model=chance, **options):
    """Explain with linear links and without intervals, unless something else is said."""
    usual = {"graph": GRAPH, "sensitive": "sex", "inputs": INPUTS, "links": "linear"}
    return fp.explain(model, data, **{**usual, "intervals": None, **options})


WITH_OUTCOME = fp.CausalGraph(
    (*GRAPH.directed, ("city", "hired")), GRAPH.undirected, GRAPH.nodes, GRAPH.reading
)
"""The same graph, in which the city has a say in the outcome."""


class ErrorRate:
    """How far the output is from the outcome, on average: no disparity of the package."""

    def signs(self, favoured):
        """One minus the accuracy."""
        return np.where(favoured, -1.0, 1.0)

    def given_outcome(self):
        """Like accuracy parity."""
        return True


def hired(**options):
    """Return people and the explanation of a disparity that looks at their outcome."""
    table = people(400, 3)
    usual = {"graph": WITH_OUTCOME, "outcome": "hired", "reference": 0}
    return table, explained(table, **{**usual, **options})


def by_path(found, stratum=None):
    """Return the contribution of each path by what it prints."""
    return dict(zip(map(str, found.paths), found.contributions(stratum).values, strict=True))


def same_bits(one, other):
    """Whether two explanations agree in every number, intervals and rows included."""
    tallies = [
        [found.tally, *(tally for partition in found.replicates for tally in partition)]
        for found in (one, other)
    ]
    arrays = [[array for tally in listed for array in vars(tally).values()] for listed in tallies]
    arrays = [
        [*listed, *(vars(found.kept).values() if found.kept else ())]
        for listed, found in zip(arrays, (one, other), strict=True)
    ]
    return (
        one.paths == other.paths
        and len(arrays[0]) == len(arrays[1])
        and all(np.array_equal(a, b, equal_nan=True) for a, b in zip(*arrays, strict=True))
    )
