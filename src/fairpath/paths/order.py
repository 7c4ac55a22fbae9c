"""Which feature comes before which on the paths from the sensitive attribute.

Blocks need to know whether some potential active path visits the one before the other.
That is asked pair by pair with a directed search, and only where it matters, so it does
not grow with the number of paths, which can be exponential.
"""

from fairpath.graph.bits import members
from fairpath.paths.search import Nodes, PathSearch


class Order:
    """The relation "some path visits u before v" over the features that a path reaches.

    ``reached`` are the nodes to which a potential active path leads, without the start and
    without what is conditioned on.
    """

    def __init__(self, search: PathSearch) -> None:
        self.reached = 0
        everything = (1 << len(search.graph.nodes)) - 1
        self._search = search
        self._features = everything & ~search.given & ~(1 << search.start)
        # For each node those known to come earlier on some path, and those known not to.
        self._before = [0] * len(search.graph.nodes)
        self._never = [0] * len(search.graph.nodes)
        for node in members(self._features):
            if not self.reached >> node & 1:
                self._record(next(search.paths(1 << node), ()))

    def visits(self, earlier: int, later: int) -> bool:
        """Whether some path visits a node of one set before a node of another."""
        if any(self._before[node] & earlier for node in members(later)):
            return True
        for node in members(later):
            for via in members(earlier & ~self._never[node]):
                path = next(self._search.paths(1 << node, via=via), ())
                if path:
                    self._record(path)
                    return True
                self._never[node] |= 1 << via
        return False

    def precedes(self, earlier: int, later: int) -> bool:
        """Whether two disjoint sets share a path and the one comes first on all of them."""
        return self.visits(earlier, later) and not self.visits(later, earlier)

    def _record(self, nodes: Nodes) -> None:
        """Note what one path shows."""
        passed = 0
        for node in nodes[1:]:
            self._before[node] |= passed
            passed |= 1 << node & self._features
        self.reached |= passed
