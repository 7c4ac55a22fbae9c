"""Discovery beside causal-learn's PC, and what falsification gets right.

Run: python benchmarks/discovery.py agreement speed accuracy rates halves
"""

import argparse
import itertools
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from causallearn.search.ConstraintBased.PC import pc as peer
from results import shown, write

import fairpath as fp
from fairpath.discovery import discover, falsify
from fairpath.discovery.confidence import half

ADULT = (
    *("age", "education_num", "marital_status", "occupation", "race", "sex"),
    *("capital_gain", "hours_per_week", "income"),
)

Marks = np.ndarray
"""Entry (i, j) is 1 for i → j, 2 for an undirected edge, 3 for any other edge; else 0."""


def names_of(n: int) -> list[str]:
    """Return names whose order is that of the columns."""
    return [f"x{i:02}" for i in range(n)]


def random_dag(n: int, degree: float, rng: np.random.Generator) -> fp.CausalGraph:
    """Return a DAG in which a node has so many neighbours on average."""
    order = rng.permutation(names_of(n)).tolist()
    pairs = list(itertools.combinations(order, 2))
    kept = rng.random(len(pairs)) < degree / (n - 1)
    return fp.CausalGraph([p for p, k in zip(pairs, kept, strict=True) if k], nodes=order)


def class_of(dag: fp.CausalGraph) -> fp.CausalGraph:
    """Return the Markov class of a DAG."""
    colliders = {
        (cause, effect)
        for cause, effect in dag.directed
        for other in dag.parents(effect)
        if other != cause and other not in dag.adjacent(cause)
    }
    rest = [edge for edge in dag.directed if edge not in colliders]
    return fp.complete(fp.CausalGraph(tuple(colliders), rest, dag.nodes, "markov"))


def in_order(dag: fp.CausalGraph) -> Iterator[str]:
    """Yield nodes after their parents."""
    waiting, done = list(dag.nodes), set()
    while waiting:
        node = waiting.pop(0)
        if done.issuperset(dag.parents(node)):
            done.add(node)
            yield node
        else:
            waiting.append(node)


def gaussian(dag: fp.CausalGraph, rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return numbers that follow straight lines."""
    data: dict[str, Any] = {}
    for node in in_order(dag):
        slopes = {p: rng.choice([-1, 1]) * rng.uniform(0.2, 1) for p in dag.parents(node)}
        data[node] = rng.normal(size=rows) + sum(slope * data[p] for p, slope in slopes.items())
    return pd.DataFrame(data)[sorted(data)]


def discrete(dag: fp.CausalGraph, rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return three levels each, with a law of its own for every combination of parents."""
    data: dict[str, Any] = {}
    for node in in_order(dag):
        cell = np.zeros(rows, dtype=int)
        for parent in dag.parents(node):
            cell = cell * 3 + data[parent]
        laws = np.cumsum(rng.dirichlet(np.ones(3), size=3 ** len(dag.parents(node))), axis=1)
        data[node] = np.minimum((rng.random(rows)[:, None] > laws[cell]).sum(axis=1), 2)
    return pd.DataFrame(data)[sorted(data)]


def mixed(dag: fp.CausalGraph, rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return numbers (some bent, some skewed), binaries and categories."""
    data: dict[str, Any] = {}
    signals: dict[str, Any] = {}
    for node in in_order(dag):
        signal = np.zeros(rows)
        for parent in dag.parents(node):
            value = signals[parent]
            bent = rng.choice([value, np.sin(2 * value), np.abs(value) - 0.8])
            signal += rng.choice([-1, 1]) * rng.uniform(0.5, 1.2) * bent
        kind = rng.choice(["number", "skewed", "binary", "category"])
        if kind in ("number", "skewed"):
            value = signal + rng.normal(size=rows)
            data[node] = np.exp(value / 2) if kind == "skewed" else value
            signals[node] = (value - value.mean()) / value.std()
        else:
            tastes = np.stack([0 * signal, 1.5 * signal, -1.5 * signal, 0.5 * signal - 0.5], 1)
            level = (tastes + rng.gumbel(size=tastes.shape))[:, : 2 if kind == "binary" else 4]
            level = level.argmax(axis=1)
            data[node] = np.array(list("abcd"))[level]
            meaning = rng.permutation([-1.0, 0.0, 0.5, 1.0])
            signals[node] = (2 * level - 1.0) if kind == "binary" else 1.3 * meaning[level]
    return pd.DataFrame(data)[sorted(data)]


def coded(table: pd.DataFrame, bins: int | None) -> np.ndarray:
    """Return labels as whole numbers, and numbers in bins of equal counts if there are any."""
    columns = []
    for name in table:
        column = table[name]
        if not pd.api.types.is_numeric_dtype(column):
            columns.append(pd.factorize(column, sort=True)[0].astype(float))
        elif bins and column.nunique() > bins:
            columns.append(pd.qcut(column, bins, labels=False, duplicates="drop").to_numpy(float))
        else:
            columns.append(column.to_numpy(float))
    return np.column_stack(columns)


def marks_of(graph: fp.CausalGraph) -> Marks:
    """Return the marks of a graph whose nodes are sorted."""
    number = {node: i for i, node in enumerate(graph.nodes)}
    marks = np.zeros((len(number), len(number)), dtype=int)
    for cause, effect in graph.directed:
        marks[number[cause], number[effect]] = 1
    for one, other in graph.undirected:
        marks[number[one], number[other]] = marks[number[other], number[one]] = 2
    return marks


def peer_marks(data: np.ndarray, alpha: float, test: str, rule: int) -> Marks:
    """Return what causal-learn finds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ends = peer(data, alpha, test, show_progress=False, uc_rule=rule).G.graph
    marks = np.zeros(ends.shape, dtype=int)
    for i, j in zip(*np.nonzero(ends), strict=True):
        # ends[j, i] is the mark at j: an arrowhead is 1, a tail -1.
        here, there = ends[j, i], ends[i, j]
        marks[i, j] = {(1, -1): 1, (-1, -1): 2, (-1, 1): 0}.get((here, there), 3)
    return marks


def distance(one: Marks, other: Marks) -> int:
    """Count pairs of nodes that are not joined in the same way."""
    differ = one != other
    return int(np.triu(differ | differ.T, 1).sum())


def joined(marks: Marks) -> np.ndarray:
    """Return which pairs have an edge."""
    return (marks + marks.T) > 0


def is_class(marks: Marks) -> bool:
    """Whether marks are a complete graph that stands for some DAG."""
    names = names_of(len(marks))
    if (marks == 3).any():
        return False
    try:
        graph = fp.CausalGraph(
            [(names[i], names[j]) for i, j in zip(*np.nonzero(marks == 1), strict=True)],
            [(names[i], names[j]) for i, j in zip(*np.nonzero(np.triu(marks) == 2), strict=True)],
            names,
            "markov",
        )
        return bool((marks_of(fp.complete(graph)) == marks).all())
    except fp.GraphError:
        return False


def agreement(n_graphs: int) -> Iterator[Mapping[str, Any]]:
    """Yield how often both find the same edges and the same graph."""
    for kind, world, ours, test in (
        ("Gaussian", gaussian, "linear", "fisherz"),
        ("three levels", discrete, "discrete", "chisq"),
    ):
        found: dict[str, list[Any]] = {}
        for seed in range(n_graphs):
            rng = np.random.default_rng([1, seed])
            dag = random_dag(int(rng.integers(6, 13)), rng.uniform(1.5, 3), rng)
            table = world(dag, int(rng.choice([500, 2000])), rng)
            truth = marks_of(class_of(dag))
            mine = discover(table, test=ours, alpha=0.05)
            marks = marks_of(mine.graph)
            found.setdefault("dof", []).append(any("could not tell" in n for n in mine.notes))
            for rule in (0, 1):
                theirs = peer_marks(coded(table, None), 0.05, test, rule)
                row = {
                    "edges": bool((joined(marks) == joined(theirs)).all()),
                    "same": bool((marks == theirs).all()),
                    "calm": bool((marks == theirs).all()) if not mine.conflicts else None,
                    "class": is_class(theirs),
                    "ours": distance(marks, truth),
                    "theirs": distance(theirs, truth),
                }
                for name, value in row.items():
                    if value is not None:
                        found.setdefault(f"{name} {rule}", []).append(value)
        for rule, called in ((0, "first set"), (1, "PC-Max")):
            yield {
                "data": kind,
                "graphs": n_graphs,
                "their rule": called,
                "same edges": sum(found[f"edges {rule}"]),
                "same graph": sum(found[f"same {rule}"]),
                "without conflict": len(found[f"calm {rule}"]),
                "of these same": sum(found[f"calm {rule}"]),
                "theirs no class": n_graphs - sum(found[f"class {rule}"]),
                "silent tests": sum(found["dof"]),
                "distance ours": float(np.mean(found[f"ours {rule}"])),
                "theirs": float(np.mean(found[f"theirs {rule}"])),
            }


def seconds(call: Callable[[], Any], repeats: int = 3) -> float:
    """Return the least CPU time of a few calls."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
        if times[-1] > 5:
            break
    return min(times)


def speed() -> Iterator[Mapping[str, Any]]:
    """Yield CPU seconds on the same tables."""
    adult = fp.datasets.load_adult(raw=True).data[list(ADULT)]
    binned = adult.copy()
    for name in ("age", "education_num", "capital_gain", "hours_per_week"):
        binned[name] = pd.cut(adult[name], 5, labels=False)
    binned["occupation"] = binned["occupation"].fillna("?")
    whole = coded(binned, None)
    tables = [("Adult, 5 bins", binned, whole, "discrete", "chisq", 0.05)]
    tables.append(("Adult, mixed", adult, None, "mixed", "", 0.01))
    tables.append(("Adult, indicators", adult, None, "linear", "", 0.01))
    for n in (20, 40):
        rng = np.random.default_rng(n)
        table = gaussian(random_dag(n, 3, rng), 15_000, rng)
        tables.append((f"{n} Gaussian", table, table.to_numpy(), "linear", "fisherz", 0.05))
        bands = pd.DataFrame({c: pd.cut(table[c], 3, labels=False) for c in table})
        tables.append((f"{n}, 3 bins", bands, bands.to_numpy(), "discrete", "chisq", 0.05))
        if n == 20:
            tables.append(("20 Gaussian", table, None, "mixed", "", 0.01))
    for label, table, codes, ours, test, alpha in tables:
        found = discover(table, test=ours, alpha=alpha)
        took = seconds(lambda t=table, o=ours, a=alpha: discover(t, test=o, alpha=a))
        row = {"table": label, "test": ours, "edges": int(joined(marks_of(found.graph)).sum() / 2)}
        row |= {"tests": found.n_tests, "seconds": took}
        if codes is not None:
            for rule, called in ((0, "first set"), (1, "PC-Max")):
                theirs = seconds(lambda c=codes, t=test, a=alpha, r=rule: peer_marks(c, a, t, r), 2)
                row |= {called: theirs, f"ratio {rule}": theirs / took}
        yield row


def accuracy(n_graphs: int) -> Iterator[Mapping[str, Any]]:
    """Yield mean distances to the true class on tables of mixed columns."""
    ours = [("mixed", a) for a in (0.01, 0.05)] + [("linear", 0.01)]
    peers = [
        (test, bins, alpha)
        for test, bins in (("fisherz", None), ("chisq", 3), ("chisq", 5), ("gsq", 5))
        for alpha in (0.01, 0.05)
    ]
    for n, rows in ((10, 1000), (10, 5000), (20, 2000), (40, 2000)):
        sums: dict[str, list[tuple[int, int]]] = {}
        for seed in range(n_graphs):
            rng = np.random.default_rng([2, n, rows, seed])
            dag = random_dag(n, 2.5, rng)
            table = mixed(dag, rows, rng)
            truth = marks_of(class_of(dag))
            for test, alpha in ours:
                marks = marks_of(discover(table, test=test, alpha=alpha).graph)
                sums.setdefault(f"{test} {alpha}", []).append(apart(marks, truth))
            for test, bins, alpha in peers:
                marks = peer_marks(coded(table, bins), alpha, test, 0)
                label = f"peer {test}{bins or ''} {alpha}"
                sums.setdefault(label, []).append(apart(marks, truth))
        for label, found in sums.items():
            whole, skeleton = np.array(found).T
            yield {
                "nodes": n,
                "rows": rows,
                "graphs": n_graphs,
                "test": label,
                "distance": float(whole.mean()),
                "error": float(whole.std(ddof=1) / np.sqrt(n_graphs)),
                "edges wrong": float(skeleton.mean()),
            }


def apart(marks: Marks, truth: Marks) -> tuple[int, int]:
    """Return the distance, and how many edges are missing or too many."""
    return distance(marks, truth), int(np.triu(joined(marks) != joined(truth)).sum())


def rates(n_samples: int) -> Iterator[Mapping[str, Any]]:
    """Yield how often the right graph and wrong ones are rejected."""
    for kind, world in (("Gaussian", gaussian), ("three levels", discrete), ("mixed", mixed)):
        for rows in (500, 5000):
            hits: dict[str, list[bool]] = {"right": [], "removed": [], "reversed": [], "share": []}
            hits["doubtful"] = []
            for seed in range(n_samples):
                rng = np.random.default_rng([3, rows, seed])
                dag = random_dag(7, 2.5, rng)
                if not dag.directed:
                    continue
                table = world(dag, rows, rng)
                right = falsify(dag, table, permutations=20)
                hits["right"].append(right.rejected)
                if right.as_few is not None:
                    hits["share"].append(right.as_few)
                edge = dag.directed[rng.integers(len(dag.directed))]
                rest = [e for e in dag.directed if e != edge]
                wrong = fp.CausalGraph(rest, nodes=dag.nodes)
                hits["removed"].append(falsify(wrong, table, permutations=0).rejected)
                added = with_one_more(dag, rng)
                if added is not None:
                    graph, ends = added
                    doubtful = falsify(graph, table, permutations=0).doubtful_edges
                    hits["doubtful"].append(ends in [(f.one, f.other) for f in doubtful])
                turned = with_one_turned(dag, rng)
                if turned is not None:
                    hits["reversed"].append(falsify(turned, table, permutations=0).rejected)
            yield {
                "data": kind,
                "rows": rows,
                "right rejected": float(np.mean(hits["right"])),
                "as few": float(np.mean(hits["share"])),
                "edge removed": float(np.mean(hits["removed"])),
                "edge reversed": float(np.mean(hits["reversed"])),
                "added is doubtful": float(np.mean(hits["doubtful"])),
                "samples": len(hits["right"]),
            }


def with_one_more(
    dag: fp.CausalGraph, rng: np.random.Generator
) -> tuple[fp.CausalGraph, tuple[str, str]] | None:
    """Return the DAG with an edge too many, and its ends."""
    free = [
        (u, v)
        for u, v in itertools.permutations(dag.nodes, 2)
        if v not in dag.adjacent(u) and u not in dag.descendants(v)
    ]
    if not free:
        return None
    u, v = free[rng.integers(len(free))]
    return fp.CausalGraph((*dag.directed, (u, v)), nodes=dag.nodes), (min(u, v), max(u, v))


def with_one_turned(dag: fp.CausalGraph, rng: np.random.Generator) -> fp.CausalGraph | None:
    """Return a DAG of another class with one edge reversed."""
    for i in rng.permutation(len(dag.directed)):
        u, v = dag.directed[i]
        rest = [e for e in dag.directed if e != (u, v)]
        try:
            turned = fp.CausalGraph([*rest, (v, u)], nodes=dag.nodes)
        except fp.GraphError:
            continue
        if class_of(turned) != class_of(dag):
            return turned
    return None


def halves(n_samples: int) -> Iterator[Mapping[str, Any]]:
    """Yield how often a test at 5 % joins independent columns in halves and in bootstraps."""
    for test in ("linear", "mixed"):
        joins = {"halves": [], "bootstrap": []}
        for seed in range(n_samples):
            rng = np.random.default_rng([4, seed])
            table = pd.DataFrame(rng.normal(size=(500, 4)), columns=list("abcd"))
            draws = {
                "halves": half(np.ones(500), rng),
                "bootstrap": rng.multinomial(500, np.full(500, 1 / 500)).astype(float),
            }
            for name, weights in draws.items():
                found = discover(
                    table, test=test, alpha=0.05, max_conditioning=0, sample_weight=weights
                )
                joins[name].append(len(found.tests) / 6)
        yield {"test": test, "samples": n_samples} | {
            name: float(np.mean(shares)) for name, shares in joins.items()
        }


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parts = ["agreement", "speed", "accuracy", "rates", "halves"]
    parser.add_argument("part", nargs="*", default=parts, choices=parts)
    parser.add_argument("--graphs", type=int, default=200)
    parser.add_argument("--write")
    options = parser.parse_args()
    work: dict[str, Callable[[], Iterator[Mapping[str, Any]]]] = {
        "agreement": lambda: agreement(options.graphs),
        "speed": speed,
        "accuracy": lambda: accuracy(max(10, options.graphs // 5)),
        "rates": lambda: rates(options.graphs),
        "halves": lambda: halves(options.graphs),
    }
    rows = [row for part in options.part for row in shown(work[part]())]
    write(rows, options.write)


if __name__ == "__main__":
    main()
