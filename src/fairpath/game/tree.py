"""Direct predecessors unrolled backwards from the prediction: every leaf is one player.

The value of a node is its link applied to the values of its children; the value of the root
is the model applied to its inputs. One rule serves links and model alike.
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from fairpath.paths import Arrangement, Path
from fairpath.vocabulary import BoolVector, IntVector

Features = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Node:
    """A block as one chain of blocks that leads to the prediction sees it.

    Attributes
    ----------
    children
        A node for each direct predecessor. None for a leaf, which one player decides: the
        sensitive attribute or, where longer paths are merged, a block with all that is before it.
    players
        The players below, by their position in ``Arrangement.players``, ascending.
    below
        For each player of the arrangement whether it is among them, and True for nobody.
    """

    children: tuple["Node", ...]
    players: IntVector
    below: BoolVector


@dataclass(frozen=True, eq=False)
class Stage:
    """A block and its nodes.

    Attributes
    ----------
    features
        The block: ``(sensitive,)`` in the first stage, none in the last, the prediction.
    before
        The stages of its direct predecessors, in the order of its nodes' children.
    nodes
        One for each chain from here to the prediction.
    """

    features: Features
    before: tuple[int, ...]
    nodes: tuple[Node, ...]


def unroll(arrangement: Arrangement) -> tuple[Stage, ...]:
    """Return the stages, causes before effects; the last has one node, the root."""
    start = (arrangement.sensitive,)
    chains = [_blocks(path) for path in arrangement.players]
    numbered = list(enumerate(zip(chains, arrangement.players, strict=True)))
    exact = {chain: i for i, (chain, path) in numbered if not path.longer}
    merged = {chain[-1]: i for i, (chain, path) in numbered if path.longer}
    longest = max((len(chain) - 1 for chain in exact), default=0)
    before = {start: (), **arrangement.predecessors}
    ends = {chain[-1] for chain in chains}
    before[()] = tuple(block for block in before if block in ends)
    nodes: dict[Features, list[Node]] = defaultdict(list)

    def node(block: Features, children: tuple[Node, ...], own: tuple[int, ...] = ()) -> Node:
        below = np.zeros(len(chains) + 1, dtype=np.bool_)
        below[[*own, len(chains)]] = True
        for child in children:
            below |= child.below
        nodes[block].append(Node(children, np.flatnonzero(below[:-1]), below))
        return nodes[block][-1]

    def grow(chain: tuple[Features, ...]) -> Node:
        """Return the node of the first block of a chain that leads to the prediction."""
        if chain[0] == start:
            return node(start, (), (exact[chain],))
        if len(chain) > longest:
            return node(chain[0], (), (merged[chain[-1]],))
        return node(chain[0], tuple(grow((block, *chain)) for block in before[chain[0]]))

    node((), tuple(grow((end,)) for end in before[()]))
    order = [start, *arrangement.blocks, ()]
    place = {block: i for i, block in enumerate(order)}
    return tuple(
        Stage(block, tuple(place[b] for b in before[block]), tuple(nodes[block])) for block in order
    )


def _blocks(path: Path) -> tuple[Features, ...]:
    return tuple((part,) if isinstance(part, str) else part for part in path.nodes)
