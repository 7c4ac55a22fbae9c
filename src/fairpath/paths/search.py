"""The search for potential active paths (Algorithm 1), exact for every PDAG.

A path is potentially active if some DAG of the class makes it active. The search walks
along prefixes and keeps, for each, the ways to direct the edges on it. Since a subpath of
a potential active path is one too (Proposition 2), a prefix without a way ends the walk.

Without a condition a collider-free path has one source, so it has at most one way for
each of its nodes. Ways are computed only as far as they are asked for: most prefixes
need one.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

from fairpath.errors import TooManyPathsError
from fairpath.graph.bits import as_bits, members
from fairpath.graph.causal_graph import CausalGraph
from fairpath.graph.orientation import Orientation, closed, orientation_of
from fairpath.paths.terrain import Terrain

Nodes: TypeAlias = tuple[int, ...]

PATIENCE = 50
"""Steps without a path after which dead ends are looked for before they are entered."""

MAX_IDLE = 20_000
"""Steps without a path after which the search gives up with an error."""


class Way(NamedTuple):
    """One way to direct the edges on a prefix.

    Attributes
    ----------
    orientation
        The graph with these directions.
    into
        Whether the last edge points into the last node.
    colliders
        Colliders on the prefix that the condition must open.
    witness
        The orientation with further directions that open them all.
    """

    orientation: Orientation
    into: bool
    colliders: int
    witness: Orientation


class Ways:
    """The ways of a prefix, computed on demand and kept."""

    __slots__ = ("_known", "_source")

    def __init__(self, source: Iterator[Way]) -> None:
        self._source = source
        self._known: list[Way] = []

    def __iter__(self) -> Iterator[Way]:
        position = 0
        while True:
            while position < len(self._known):
                yield self._known[position]
                position += 1
            following = next(self._source, None)
            if following is None:
                return
            self._known.append(following)

    def exist(self) -> bool:
        """Whether there is at least one."""
        return bool(self._known) or next(iter(self), None) is not None


class PathSearch:
    """Walks of one graph from one start, relative to one condition.

    Nodes are numbers in the order of ``graph.nodes``, sets of nodes the bits of an integer.
    ``graph`` is closed: edges with only one possible direction have it.
    """

    def __init__(self, graph: CausalGraph, start: str, given: Iterable[str] = ()) -> None:
        self.graph = closed(graph)
        self.number = {node: i for i, node in enumerate(graph.nodes)}
        self.start = self.number[start]
        self.given = as_bits(self.number[node] for node in given)
        self.terrain = Terrain(self.graph, self.start, self.given)
        self._orientation = orientation_of(self.graph)
        self._idle = 0

    def paths(
        self,
        targets: int,
        *,
        via: int | None = None,
        narrow: Callable[[Nodes], int] | None = None,
    ) -> Iterator[Nodes]:
        """Yield the active paths from the start to each target, depth first.

        With ``via``, only those that visit this node before they reach the target.
        ``narrow`` may give fewer targets for a prefix and what extends it.
        """
        terrain = self.terrain
        maps = [terrain.walks_into(targets)]
        if via is not None:
            away, toward = maps[0]
            through = (away & 1 << via, toward & 1 << via)
            maps.insert(0, terrain.walks_into(0, avoid=targets, seeds=through))
        unmarked = Way(self._orientation, into=False, colliders=0, witness=self._orientation)
        waiting: list[tuple[Nodes, int, int, Ways]] = [
            ((self.start,), 1 << self.start, 0, Ways(iter([unmarked])))
        ]
        self._idle = 0
        while waiting:
            prefix, visited, stage, ways = waiting.pop()
            last = prefix[-1]
            if narrow is not None:
                targets = narrow(prefix)
                maps[-1] = terrain.walks_into(targets)
            if last == via:
                stage = 1
            is_final = stage == len(maps) - 1
            if is_final and targets >> last & 1:
                self._idle = 0
                yield prefix
            self._count_a_step()
            aim = targets if is_final or via is None else 1 << via
            if self._idle > PATIENCE and self._is_dead_end(ways, last, visited, aim, targets):
                continue
            away, toward = maps[stage]
            near = terrain.adjacent[last] & ~visited & (away | toward)
            for node in reversed(list(members(near))):
                extended = Ways(self._extend(ways, last, node, away, toward))
                if extended.exist():
                    waiting.append(((*prefix, node), visited | 1 << node, stage, extended))

    def mark(self, one: int, other: int) -> str:
        """Return the arrow of the edge between two adjacent nodes."""
        leaves = self.terrain.outward[one] >> other & 1
        enters = self.terrain.inward[one] >> other & 1
        return "–" if leaves and enters else "→" if leaves else "←"

    def common_effects(self, one: int, other: int) -> Iterator[int]:
        """Yield the common effects through which the condition joins two nodes."""
        outward = self.terrain.outward
        for child in members(outward[one] & outward[other] & self.terrain.openable):
            oriented = self._orientation.orient(one, child)
            both = oriented and oriented.orient(other, child)
            if both and self._all_opened(both, 1 << child):
                yield child

    def _extend(self, ways: Ways, last: int, node: int, away: int, toward: int) -> Iterator[Way]:
        """Ways to direct the edge between ``last`` and ``node`` so that ``last`` stays active."""
        forward = self.terrain.outward[last] & away & 1 << node
        backward = self.terrain.inward[last] & toward & 1 << node
        passes = not self.given >> last & 1
        opens = self.terrain.openable >> last & 1
        for way in ways:
            if forward and passes and (longer := self._directed(way, last, node, into=True)):
                yield longer
            if not backward or not (opens if way.into else passes):
                continue
            if way.into:
                way = way._replace(colliders=way.colliders | 1 << last)  # noqa: PLW2901
            if longer := self._directed(way, node, last, into=False):
                yield longer

    def _directed(self, way: Way, cause: int, effect: int, *, into: bool) -> Way | None:
        """Direct one more edge; the colliders must still be open in some DAG."""
        orientation = way.orientation.orient(cause, effect)
        if orientation is None:
            return None
        if not way.colliders:
            return Way(orientation, into, 0, orientation)
        witness = way.witness.orient(cause, effect)
        witness = witness and self._all_opened(witness, way.colliders)
        witness = witness or self._all_opened(orientation, way.colliders)
        return Way(orientation, into, way.colliders, witness) if witness else None

    def _all_opened(self, orientation: Orientation, colliders: int) -> Orientation | None:
        """Return an orientation in which all colliders are, or lead to, nodes of the condition."""
        self._count_a_step()
        waiting = [
            node
            for node in members(colliders & ~self.given)
            if not orientation.below(node) & self.given
        ]
        if not waiting:
            return orientation
        # The first of them is open if one of its effects is: try each, near ones first.
        node, others = waiting[0], as_bits(waiting[1:])
        for following in self.terrain.steps_towards_condition(orientation, node):
            oriented = orientation.orient(node, following)
            opened = oriented and self._all_opened(oriented, others | 1 << following)
            if opened:
                return opened
        return None

    def _count_a_step(self) -> None:
        self._idle += 1
        if self._idle > MAX_IDLE:
            self._idle = 0
            raise TooManyPathsError(
                f"The search for paths from {self.graph.nodes[self.start]} found nothing in "
                f"{MAX_IDLE} steps: {len(self.graph.undirected)} undirected edges allow too many "
                "directions. Give some of them a direction, or merge the nodes that they join."
            )

    def _is_dead_end(self, ways: Ways, last: int, visited: int, aim: int, targets: int) -> bool:
        terrain = self.terrain
        if not terrain.has_room(last, visited, aim, targets):
            return True
        return not self.given and not any(
            terrain.leads_on(way[:2], last, visited, aim, targets) for way in ways
        )
