"""Players: chains of direct predecessors from the sensitive attribute to what the model reads."""

from collections.abc import Iterator
from itertools import pairwise

from fairpath.errors import TooManyPathsError
from fairpath.paths.blocks import BlockGraph
from fairpath.paths.path import Block, Path, label


def players(
    graph: BlockGraph, feeding: frozenset[int], *, max_paths: int, max_length: int | None
) -> tuple[Path, ...]:
    """Return the chains into the ``feeding`` blocks, shortest first.

    Chains over ``max_length`` blocks that end in the same block become one player, so the
    contributions still sum to the whole.
    """
    counts = _counts(graph)
    limit = len(graph.blocks) if max_length is None else max_length
    kept = sum(sum(counts[block][: limit + 1]) for block in feeding)
    longer = [block for block in sorted(feeding) if sum(counts[block][limit + 1 :])]
    if kept + len(longer) > max_paths:
        raise TooManyPathsError(_too_many(graph, feeding, counts, max_paths))
    names = [_block(graph.names(block)) for block in range(len(graph.blocks))]
    chains = sorted(_chains(graph, feeding, limit), key=lambda chain: (len(chain), chain))
    found = [
        Path(
            tuple(names[block] for block in chain),
            tuple(graph.arrow(u, v) for u, v in pairwise(chain)),
        )
        for chain in chains
    ]
    start = str(names[0])
    return (*found, *(Path.longer_into(start, names[block]) for block in longer))


def _block(features: tuple[str, ...]) -> Block:
    return features[0] if len(features) == 1 else features


def _counts(graph: BlockGraph) -> list[list[int]]:
    """Count the chains from the sensitive attribute to each block, by their length."""
    size = len(graph.blocks)
    counts = [[0] * (size + 1) for _ in range(size)]
    counts[0][0] = 1
    for block in range(1, size):
        for earlier in graph.predecessors[block]:
            for length in range(size):
                counts[block][length + 1] += counts[earlier][length]
    return counts


def _chains(graph: BlockGraph, feeding: frozenset[int], limit: int) -> Iterator[tuple[int, ...]]:
    """Yield every chain of at most ``limit`` blocks, from its end back to the attribute."""
    waiting: list[tuple[int, ...]] = [(block,) for block in feeding]
    while waiting:
        chain = waiting.pop()
        if chain[0] == 0:
            yield chain
        elif len(chain) <= limit:
            waiting.extend((earlier, *chain) for earlier in graph.predecessors[chain[0]])


def _too_many(
    graph: BlockGraph, feeding: frozenset[int], counts: list[list[int]], max_paths: int
) -> str:
    """Say how many there are, through which blocks, and which limit on the length would do."""
    size = len(graph.blocks)
    onward = [int(block in feeding) for block in range(size)]
    for block in reversed(range(size)):
        for earlier in graph.predecessors[block]:
            onward[earlier] += onward[block]
    total = onward[0]
    through = {block: sum(counts[block]) * onward[block] for block in range(1, size)}
    most = sorted(through, key=lambda block: -through[block])[:3]
    shares = ", ".join(
        f"{label(_block(graph.names(block)))} ({through[block] / total:.0%})" for block in most
    )
    fitting = [
        limit
        for limit in range(1, size)
        if sum(sum(counts[block][: limit + 1]) for block in feeding) + len(feeding) <= max_paths
    ]
    limit = (
        f", or use max_length={fitting[-1]}: all longer paths into a feature become one"
        if fitting
        else ""
    )
    return (
        f"There are {total} paths from {graph.names(0)[0]} to the prediction, more than "
        f"max_paths={max_paths}. Most pass {shares}. Merge such columns, drop them from the "
        f"graph, raise max_paths{limit}."
    )
