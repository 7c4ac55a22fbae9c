"""Time of path enumeration and arrangement, beside networkx; run: python benchmarks/graph.py.

networkx lists the simple paths of the skeleton and a filter keeps those without a collider,
which is what one would write without this package; it gets ten seconds for each graph.
"""

import itertools
import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from typing import Any

import networkx as nx

from fairpath import CausalGraph, TooManyPathsError, active_paths, arrange, complete

PATIENCE = 10.0
MAX_PATHS = 20_000
REPEATS = 5


def sparse(n: int, seed: int) -> CausalGraph:
    """Return the paper's synthetic design: features joined with 0.2, to A with 0.4."""
    rng = random.Random(seed)
    features = [f"x{i:02}" for i in range(n)]
    edges = [pair for pair in itertools.combinations(features, 2) if rng.random() < 0.2]
    edges += [("A", feature) for feature in features if rng.random() < 0.4]
    return CausalGraph(edges, nodes=["A", *features])


def dense(n: int) -> CausalGraph:
    """Return the DAG in which A and every feature point to all later ones."""
    return CausalGraph(list(itertools.combinations(["A", *(f"x{i:02}" for i in range(n))], 2)))


def chain(n: int, reading: str) -> CausalGraph:
    """Return A joined to a chain of n undirected edges."""
    nodes = ["A", *(f"x{i:02}" for i in range(n))]
    return CausalGraph(undirected=list(itertools.pairwise(nodes)), reading=reading)


def partly_directed(n: int, density: float, share: float, reading: str, seed: int) -> CausalGraph:
    """Return a random PDAG; as markov: the class of a random DAG."""
    rng = random.Random(seed)
    nodes = ["A", *(f"x{i:02}" for i in range(n))]
    order = rng.sample(nodes, len(nodes))
    edges = [pair for pair in itertools.combinations(order, 2) if rng.random() < density]
    if reading == "drawn":
        undirected = [edge for edge in edges if rng.random() < share]
        return CausalGraph([e for e in edges if e not in undirected], undirected, nodes)
    dag = CausalGraph(edges, nodes=nodes)
    colliders = {
        (cause, effect)
        for cause, effect in edges
        for other in dag.parents(effect)
        if other != cause and other not in dag.adjacent(cause)
    }
    rest = [edge for edge in edges if edge not in colliders]
    return complete(CausalGraph(tuple(colliders), rest, nodes, "markov"))


def by_networkx(graph: CausalGraph) -> int | None:
    """Count the collider-free simple paths, or return None where that takes too long."""
    skeleton = nx.Graph([*graph.directed, *graph.undirected])
    if "A" not in skeleton:
        return 0
    into = set(graph.directed)
    end = time.perf_counter() + PATIENCE
    count = 0
    for target in sorted(set(skeleton) - {"A"}):
        for path in nx.all_simple_paths(skeleton, "A", target):
            triples = zip(path, path[1:], path[2:], strict=False)
            count += not any({(u, v), (w, v)} <= into for u, v, w in triples)
            if time.perf_counter() > end:
                return None
    return count


def beside_networkx(graph: CausalGraph, given: tuple[str, ...], took: float) -> str:
    """Return how many times longer networkx takes, or at least takes."""
    if given:
        return ""
    start = time.perf_counter()
    done = by_networkx(graph) is not None
    ratio = (time.perf_counter() - start) / took
    return f"{ratio:.1f} x" if done else f"> {ratio:.0f} x"


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the median time of a few calls, and the result."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - start)
        if times[-1] > 1:
            break
    return median(times), result


def graphs() -> Iterator[tuple[str, CausalGraph, tuple[str, ...]]]:
    """Yield what is measured: a label, the graph, the condition."""
    for n in (20, 30, 50):
        for seed in (1, 2):
            yield f"sparse DAG, {n} features", sparse(n, seed), ()
    for n in (8, 10, 12, 14):
        yield f"dense DAG, {n} features", dense(n), ()
    for reading in ("drawn", "markov"):
        yield f"undirected chain of 30, {reading}", chain(30, reading), ()
        yield f"undirected chain of 30, {reading}, given its end", chain(30, reading), ("x29",)
        for n, density in ((10, 0.3), (15, 0.2), (20, 0.15), (30, 0.08)):
            for share in (0.2, 0.6) if reading == "drawn" else (0.0,):
                graph = partly_directed(n, density, share, reading, seed=3 * n)
                yield f"{reading} PDAG, {n} features", graph, ()
                yield f"{reading} PDAG, {n} features, given one", graph, ("x01",)


def main() -> None:
    """Print one line for each graph."""
    print(
        f"{'graph':50} {'edges':>6} {'undir.':>6} {'paths':>7} {'us/path':>8} "
        f"{'networkx':>12} {'arrange':>9} {'players':>8}"
    )
    for name, graph, given in graphs():
        options: dict[str, Any] = {"sensitive": "A", "given": given, "max_paths": MAX_PATHS}
        try:
            took, paths = seconds(partial(active_paths, graph, **options))
        except TooManyPathsError:
            listed = f"{f'> {MAX_PATHS}':>7} {'-':>8} {'':>12}"
        else:
            each = f"{took / len(paths) * 1e6:8.1f}" if paths else f"{'-':>8}"
            listed = f"{len(paths):7} {each} {beside_networkx(graph, given, took):>12}"
        arranging, found = seconds(partial(arrange, graph, **options))
        edges = len(graph.directed) + len(graph.undirected)
        print(
            f"{name:50} {edges:6} {len(graph.undirected):6} {listed} "
            f"{arranging:8.4f}s {len(found.players):8}",
            flush=True,
        )


if __name__ == "__main__":
    main()
