"""Brute force: the definitions of paths and blocks written out, for tests of the fast code.

A graph is plain data: ``nodes``, ``directed`` (cause, effect) pairs, ``undirected`` pairs, and
a ``reading`` that says which DAGs are in the class of the graph:

- drawn: every DAG with the same skeleton that keeps the directed edges;
- markov: those of them whose unshielded colliders all stand in the given directed edges.

Every question is answered by looking at every DAG of the class.
"""

import itertools
import random
from collections.abc import Collection, Iterable, Iterator
from typing import Literal, TypedDict

Edge = tuple[str, str]
Edges = tuple[Edge, ...]
Dag = frozenset[Edge]
Path = tuple[str, ...]
Reading = Literal["drawn", "markov"]
Block = frozenset[str]
BlockPath = tuple[str | Block, ...]
"""The sensitive attribute as a string, then blocks."""

MAX_UNDIRECTED = 8


class Arrangement(TypedDict):
    blocks: set[Block]
    predecessors: dict[Block, set[str | Block]]
    players: set[BlockPath]
    block_paths: set[BlockPath]
    outside: set[str]


# The class of a graph


def all_dags(nodes: Path, directed: Edges, undirected: Edges, reading: Reading) -> list[Dag]:
    """All DAGs of the class: each of the 2^k orientations of the undirected edges is tried."""
    if reading not in ("drawn", "markov"):
        raise ValueError(f"The reading must be 'drawn' or 'markov', not {reading!r}.")
    skeleton = skeleton_of(directed + undirected)
    colliders = unshielded_colliders(directed, skeleton)
    dags = []
    for orientation in itertools.product(*[((a, b), (b, a)) for a, b in undirected]):
        dag = frozenset(directed) | frozenset(orientation)
        if not is_acyclic(nodes, dag):
            continue
        if reading == "drawn" or unshielded_colliders(dag, skeleton) == colliders:
            dags.append(dag)
    return dags


def class_of(nodes: Path, directed: Edges, undirected: Edges, reading: Reading) -> list[Dag]:
    """All DAGs of the class, which must not be empty."""
    dags = all_dags(nodes, directed, undirected, reading)
    if not dags:
        raise ValueError("The class of the graph is empty: no DAG fits it.")
    return dags


def common_edges(
    nodes: Path, directed: Edges, undirected: Edges, reading: Reading
) -> tuple[Edges, Edges]:
    """The edges that all DAGs of the class direct alike, and the pairs on which they differ."""
    dags = class_of(nodes, directed, undirected, reading)
    agreed = frozenset.intersection(*dags)
    pairs = {(min(edge), max(edge)) for edge in dags[0]}
    differ = {(a, b) for a, b in pairs if (a, b) not in agreed and (b, a) not in agreed}
    return tuple(sorted(agreed)), tuple(sorted(differ))


def skeleton_of(edges: Iterable[Edge]) -> set[frozenset[str]]:
    """The edges without their direction."""
    return {frozenset(edge) for edge in edges}


def unshielded_colliders(
    edges: Iterable[Edge], skeleton: set[frozenset[str]]
) -> set[tuple[frozenset[str], str]]:
    """All x -> z <- y in ``edges`` with x and y not adjacent, as ({x, y}, z)."""
    return {
        (frozenset({x, y}), z)
        for (x, z), (y, other) in itertools.combinations(edges, 2)
        if z == other and frozenset({x, y}) not in skeleton
    }


def is_acyclic(nodes: Iterable[str], edges: Iterable[Edge]) -> bool:
    """Take away nodes without a parent until none is left (acyclic) or none can be taken."""
    left = set(nodes)
    while left:
        with_parent = {effect for cause, effect in edges if cause in left}
        sources = left - with_parent
        if not sources:
            return False
        left -= sources
    return True


def ancestral(dag: Dag, targets: Iterable[str]) -> set[str]:
    """The targets and all their ancestors."""
    found = set(targets)
    while True:
        parents = {cause for cause, effect in dag if effect in found}
        if parents <= found:
            return found
        found |= parents


def d_separated(
    dag_edges: Dag, nodes: Iterable[str], x: str, y: str, given: Collection[str]
) -> bool:
    """Whether ``given`` separates x and y: no way between them in the moral ancestral graph."""
    if x == y or x in given or y in given:
        raise ValueError("x, y and given must be disjoint.")
    kept = ancestral(dag_edges, {x, y, *given}) & set(nodes)
    edges = [(a, b) for a, b in dag_edges if a in kept and b in kept]
    moral = skeleton_of(edges)
    moral |= {
        frozenset({a, b})
        for (a, child), (b, other) in itertools.combinations(edges, 2)
        if child == other
    }
    reached = {x}
    while True:
        touched = {node for pair in moral if pair & reached for node in pair} - set(given)
        if touched <= reached:
            return y not in reached
        reached |= touched


# Potential active paths


def active_paths(  # noqa: PLR0917
    nodes: Path,
    directed: Edges,
    undirected: Edges,
    reading: Reading,
    sensitive: str,
    targets: Collection[str],
    given: Collection[str] = (),
) -> set[Path]:
    """All simple paths from ``sensitive`` to a target that are active in some DAG of the class."""
    dags = class_of(nodes, directed, undirected, reading)
    return active_in_some(dags, sensitive, targets, given)


def active_in_some(
    dags: list[Dag], sensitive: str, targets: Collection[str], given: Collection[str]
) -> set[Path]:
    """All simple paths from ``sensitive`` to a target that are active in some of the DAGs."""
    if sensitive in given or set(targets) & set(given):
        raise ValueError("The end points of a path must not be given.")
    skeleton = skeleton_of(dags[0])
    passable = [passable_triples(dag, skeleton, given) for dag in dags]
    found = set()
    for path in simple_paths(skeleton, (sensitive,)):
        if path[-1] in targets:
            triples = set(zip(path, path[1:], path[2:], strict=False))
            if any(triples <= passable_in_dag for passable_in_dag in passable):
                found.add(path)
    return found


def simple_paths(skeleton: set[frozenset[str]], start: Path) -> Iterator[Path]:
    """The path ``start`` and all its extensions that visit no node twice."""
    yield start
    for pair in skeleton:
        if start[-1] in pair:
            (neighbour,) = pair - {start[-1]}
            if neighbour not in start:
                yield from simple_paths(skeleton, (*start, neighbour))


def passable_triples(
    dag: Dag, skeleton: set[frozenset[str]], given: Collection[str]
) -> set[tuple[str, str, str]]:
    """All a, b, c along the skeleton where b is active: the definition of an active node.

    A collider is active if it or a descendant of it is given, any other node if it is not given.
    """
    both_ways = [tuple(pair) for pair in skeleton] + [tuple(pair)[::-1] for pair in skeleton]
    opened = ancestral(dag, given)
    passable = set()
    for (a, b), (other, c) in itertools.product(both_ways, repeat=2):
        if b == other and a != c:
            collider = (a, b) in dag and (c, b) in dag
            if (collider and b in opened) or (not collider and b not in given):
                passable.add((a, b, c))
    return passable


# Blocks and players (Algorithm 2)


def arrange(  # noqa: PLR0917
    nodes: Path,
    directed: Edges,
    undirected: Edges,
    reading: Reading,
    sensitive: str,
    inputs: Collection[str],
    given: Collection[str] = (),
    *,
    rng: random.Random | None = None,
) -> Arrangement:
    """Merge features into ordered blocks, and chain the blocks from ``sensitive`` to the inputs.

    With ``rng`` one random pair of blocks is merged at a time, else all that clash.
    """
    dags = class_of(nodes, directed, undirected, reading)
    adjacent = adjacent_pairs(dags, given)
    others = set(nodes) - {sensitive} - set(given)
    paths = {
        tuple(node for node in path if node not in given)
        for path in active_in_some(dags, sensitive, others, given)
    }
    features = {feature for path in paths for feature in path[1:]}

    blocks = merge_until_ordered(features, paths, adjacent, rng)
    before = ordered_pairs(blocks, paths)
    predecessors: dict[Block, set[str | Block]] = {
        block: {
            earlier
            for earlier in blocks
            if (earlier, block) in before and are_adjacent(earlier, block, adjacent)
        }
        for block in blocks
    }
    for block in blocks:
        if are_adjacent({sensitive}, block, adjacent):
            predecessors[block].add(sensitive)

    chains = chains_of(predecessors, (sensitive,))
    players = {chain for chain in chains if set(inputs) & as_set(chain[-1])}
    on_players = {block for player in players for block in player[1:]}
    return {
        "blocks": on_players,
        "predecessors": {block: predecessors[block] for block in on_players},
        "players": players,
        "block_paths": {
            replace_by_blocks(tuple(node for node in path if node not in given), blocks)
            for path in active_in_some(dags, sensitive, inputs, given)
        },
        "outside": others - features,
    }


def adjacent_pairs(dags: list[Dag], given: Collection[str]) -> set[frozenset[str]]:
    """Pairs joined by an edge or, in some DAG, by a child that is given or leads to a given."""
    pairs = skeleton_of(dags[0])
    for dag in dags:
        opened = ancestral(dag, given)
        for (a, child), (b, other) in itertools.combinations(dag, 2):
            if child == other and child in opened:
                pairs.add(frozenset({a, b}))
    return pairs


def are_adjacent(
    some: Collection[str], others: Collection[str], adjacent: set[frozenset[str]]
) -> bool:
    """Whether a feature of one block is adjacent to a feature of the other."""
    return any(frozenset({a, b}) in adjacent for a in some for b in others)


def merge_until_ordered(
    features: set[str],
    paths: set[Path],
    adjacent: set[frozenset[str]],
    rng: random.Random | None,
) -> set[Block]:
    """Start with single features; merge adjacent blocks while some of them are not ordered."""
    blocks = {frozenset({feature}) for feature in features}
    while True:
        before = ordered_pairs(blocks, paths)
        clashes = [
            (one, two)
            for one, two in itertools.combinations(sorted(blocks, key=sorted), 2)
            if are_adjacent(one, two, adjacent)
            and (one, two) not in before
            and (two, one) not in before
        ]
        if not clashes:
            return blocks
        for clash in clashes if rng is None else [rng.choice(clashes)]:
            merging = {block for block in blocks if block & frozenset().union(*clash)}
            blocks = (blocks - merging) | {frozenset().union(*merging)}


def ordered_pairs(blocks: set[Block], paths: set[Path]) -> set[tuple[Block, Block]]:
    """All (one, two) that share a path and where one comes first on every path they share."""
    seen = set()
    for path in {replace_by_blocks(path, blocks) for path in paths}:
        seen |= set(itertools.combinations(path[1:], 2))
    return {(one, two) for one, two in seen if (two, one) not in seen}


def replace_by_blocks(path: Path, blocks: set[Block]) -> BlockPath:
    """The path with features replaced by their blocks; a block next to itself counts once."""
    block_of = {feature: block for block in blocks for feature in block}
    replaced = [block_of[feature] for feature in path[1:]]
    return (path[0], *[block for block, _ in itertools.groupby(replaced)])


def chains_of(predecessors: dict[Block, set[str | Block]], start: BlockPath) -> Iterator[BlockPath]:
    """The chain ``start`` and all its extensions from predecessor to block, no block twice."""
    yield start
    for block, earlier in predecessors.items():
        if start[-1] in earlier and block not in start:
            yield from chains_of(predecessors, (*start, block))


def as_set(part: str | Block) -> Block:
    """A block, or the sensitive attribute as if it were one."""
    return frozenset({part}) if isinstance(part, str) else part


# Graphs for tests


def all_pdags(nodes: Path) -> Iterator[tuple[Edges, Edges]]:
    """All graphs on the nodes without directed cycle: each pair is none, ->, <- or --."""
    pairs = list(itertools.combinations(nodes, 2))
    for marks in itertools.product(("none", "->", "<-", "--"), repeat=len(pairs)):
        marked = list(zip(pairs, marks, strict=True))
        forward = [(a, b) for (a, b), mark in marked if mark == "->"]
        backward = [(b, a) for (a, b), mark in marked if mark == "<-"]
        undirected = tuple(pair for pair, mark in marked if mark == "--")
        directed = tuple(forward + backward)
        if is_acyclic(nodes, directed):
            yield directed, undirected


def random_dag(rng: random.Random, n: int) -> tuple[Path, list[Edge]]:
    """Nodes A, X1, X2, ... and the edges, in random order, of a DAG of random density."""
    nodes = ("A", *[f"X{i}" for i in range(1, n)])
    order = rng.sample(nodes, n)
    density = rng.uniform(0.2, 0.8)
    edges = [pair for pair in itertools.combinations(order, 2) if rng.random() < density]
    rng.shuffle(edges)
    return nodes, edges


def random_pdag(rng: random.Random, n: int) -> tuple[Path, Edges, Edges]:
    """A random DAG, some of whose edges (at most 8) have lost their direction."""
    nodes, edges = random_dag(rng, n)
    share = rng.choice((0, 0.2, 0.5, 0.9))
    undirected = [edge for edge in edges if rng.random() < share][:MAX_UNDIRECTED]
    directed = [edge for edge in edges if edge not in undirected]
    return nodes, tuple(directed), tuple(tuple(rng.sample(edge, 2)) for edge in undirected)


def random_markov(rng: random.Random, n: int) -> tuple[Path, Edges, Edges]:
    """The CPDAG of a random DAG; half of the time with some true directions added.

    The added directions are not closed: ``common_edges`` does that. DAGs are drawn until at most
    8 edges stand in no unshielded collider, so that the class can be counted through.
    """
    while True:
        nodes, edges = random_dag(rng, n)
        colliders = unshielded_colliders(edges, skeleton_of(edges))
        in_collider = [(a, b) for a, b in edges if any(a in xy and b == z for xy, z in colliders)]
        rest = [edge for edge in edges if edge not in in_collider]
        if len(rest) <= MAX_UNDIRECTED:
            break
    directed, undirected = common_edges(nodes, tuple(in_collider), tuple(rest), "markov")
    if rng.random() < 1 / 2:
        open_edges = [edge for edge in edges if edge not in directed]
        known = tuple(rng.sample(open_edges, rng.randint(0, len(open_edges))))
        directed += known
        undirected = tuple(
            (a, b) for a, b in undirected if (a, b) not in known and (b, a) not in known
        )
    return nodes, directed, undirected
