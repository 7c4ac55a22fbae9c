"""Which decisions on triples hold together, and which give way to stronger ones.

Some DAG over the skeleton agrees with given arrows, colliders and non-colliders exactly if
nodes can be taken away as sinks, one by one: a sink has no child, and is the middle of
no non-collider whose ends are both still there. (Any such sink may be taken first, as in Dor
and Tarsi 1992; triples that nobody decided ask for nothing.)
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from fairpath.graph.bits import members
from fairpath.graph.meek import Arrow


class Verdict(NamedTuple):
    """Two nodes that are not joined, and whether the node between them is a collider."""

    one: int
    middle: int
    other: int
    collider: bool

    def turned(self) -> "Verdict":
        """Return the opposite."""
        return self._replace(collider=not self.collider)


def hold_together(n_nodes: int, arrows: Iterable[Arrow], verdicts: Iterable[Verdict]) -> bool:
    """Whether some DAG over the skeleton has these arrows and agrees with these verdicts."""
    children = [0] * n_nodes
    chains: list[list[int]] = [[] for _ in range(n_nodes)]
    for u, v in arrows:
        children[u] |= 1 << v
    for one, middle, other, collider in verdicts:
        if collider:
            children[one] |= 1 << middle
            children[other] |= 1 << middle
        else:
            chains[middle].append(1 << one | 1 << other)
    left, found = (1 << n_nodes) - 1, True
    while left and found:
        found = False
        for node in members(left):
            if not children[node] & left and all(ends & ~left for ends in chains[node]):
                left &= ~(1 << node)
                found = True
    return not left


def settled(
    n_nodes: int, arrows: Iterable[Arrow], verdicts: Sequence[Verdict]
) -> tuple[list[Verdict], list[int]]:
    """Keep each verdict that agrees with all before it, turn the others; say which were turned.

    The arrows must close no cycle. Then some DAG agrees with what is returned.
    """
    arrows = list(arrows)

    def fits(some: Sequence[Verdict]) -> bool:
        return hold_together(n_nodes, arrows, some)

    kept, turned = list(verdicts), []
    start = 0
    while not fits(kept):
        start = _shortest_misfit(kept, fits, start) - 1
        kept[start] = kept[start].turned()
        turned.append(start)
        start += 1
    return kept, turned


def blamed(
    n_nodes: int, arrows: Iterable[Arrow], stronger: Sequence[Verdict], verdict: Verdict
) -> list[Verdict]:
    """Return a smallest part of the stronger verdicts that forbids this one; none: the arrows."""
    arrows = list(arrows)
    blame: list[Verdict] = []

    def fits(some: Sequence[Verdict]) -> bool:
        return hold_together(n_nodes, arrows, [*some, *blame, verdict])

    while fits(()):
        last = _shortest_misfit(stronger, fits)
        blame.append(stronger[last - 1])
        stronger = stronger[: last - 1]
    return sorted(blame)


def _shortest_misfit(
    verdicts: Sequence[Verdict], fits: Callable[[Sequence[Verdict]], bool], start: int = 0
) -> int:
    """Return the length of the shortest beginning that does not fit; the whole does not."""
    low, high = start, len(verdicts)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(verdicts[:middle]) else (low, middle)
    return high
