"""What `ranges` found: for each path the lowest and the highest contribution, and what moves it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fairpath.doubt.asking import table_of
from fairpath.doubt.games import Setup
from fairpath.explanation import Explanation
from fairpath.explanation.explanation import ByComparison
from fairpath.explanation.quantities import Comparison
from fairpath.explanation.tables import APART, REMAINDER
from fairpath.graph import CausalGraph
from fairpath.paths import Path
from fairpath.paths.path import label
from fairpath.vocabulary import BoolVector, FloatMatrix, FloatVector

AS_EXPLAINED = "as explained"
MOST_ROWS = 12
ROUNDING = 1e-9
"""A range that is smaller than this part of the disparity is rounding."""

_APART, _REMAINDER, _PATHS = 1, 2, 3

_Identity = tuple[object, bool]
"""What makes a path the same in two graphs: its nodes, not its arrows."""


class Assumed(NamedTuple):
    """One combination, by position: of graphs that differ, of links, of couplings.

    Zero is what was explained.
    """

    graph: int
    links: int
    coupling: int


@dataclass(frozen=True, eq=False, repr=False)
class Ranges:
    """Contributions under every combination of some assumptions.

    Made by `ranges`. The disparity is the same in each; sampling intervals come on top.

    Attributes
    ----------
    explanation
        The explanation, which is the first combination.
    graphs
        The graphs that were tried.
    links, couplings
        Names of what was tried, what was explained first.
    paths
        The paths of any graph: those of the explanation in its order, then others.
    assumed
        The combinations; graphs in which every path and link is the same count once.
    values
        Shape (combinations, comparisons, 3 + paths): Δ, what stands apart, the remainder, then the
        contributions, zero where a graph has no such path.
    notes
        What was left out.
    """

    explanation: Explanation
    graphs: tuple[CausalGraph, ...]
    links: tuple[str, ...]
    couplings: tuple[str, ...]
    paths: tuple[Path, ...]
    assumed: tuple[Assumed, ...]
    values: Any
    setups: tuple[Setup, ...]
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls,
        explanation: Explanation,
        *,
        setups: tuple[Setup, ...],
        graphs: tuple[CausalGraph, ...],
        names: tuple[tuple[str, ...], tuple[str, ...]],
        assumed: tuple[Assumed, ...],
        found: Sequence[FloatMatrix],
        notes: tuple[str, ...],
    ) -> "Ranges":
        """Put what was found for the players of each graph into common columns."""
        known: dict[_Identity, Path] = {_identity(path): path for path in explanation.paths}
        for setup in setups:
            for path in setup.arrangement.players:
                known.setdefault(_identity(path), path)
        place = {identity: _PATHS + i for i, identity in enumerate(known)}
        values = np.zeros((len(found), len(explanation.compared), _PATHS + len(known)))
        for i, (one, numbers) in enumerate(zip(assumed, found, strict=True)):
            players = setups[one.graph].arrangement.players
            columns = [*range(_PATHS), *(place[_identity(path)] for path in players)]
            values[i][:, columns] = numbers
        paths = tuple(known.values())
        return cls(explanation, graphs, *names, paths, assumed, values, setups, notes)

    @property
    def disparity(self) -> ByComparison:
        """Δ, which no assumption changes."""
        return self.explanation.disparity

    def table(self) -> Any:  # noqa: ANN401 - the caller's frame type
        """Return a row for each path, then for what no path carries, in each comparison.

        Columns: ``kind``, ``path``, ``stratum``, ``outcome`` (under equalized odds),
        ``contribution`` (as explained; 0 for a path of other graphs only), ``low`` and ``high``
        over all combinations, ``lowest_in`` and ``highest_in``, ``graphs`` (the share of the
        graphs in which the path exists), by how much each assumption alone moves it while the
        others stay as explained (``by_graph``, ``by_links``, ``by_coupling``), and ``moved_by``,
        the one that does most.
        """
        rows = [
            {"kind": kind, "path": name}
            | self.explanation.bearer(compared)
            | self._moved(self.values[:, i, place])
            | {"graphs": share}
            | self._alone(self.values[:, i, place], i)
            for i, compared in enumerate(self.explanation.compared)
            for kind, name, place, share in self._rows(i, compared)
        ]
        return table_of(rows, self.explanation)

    def by_feature(self) -> Any:  # noqa: ANN401 - the caller's frame type
        """Return the same for sums over the paths that end in a feature.

        Where a graph does not order some features the share of each is not known, only that of
        all of them. So features that are one block in some graph have a row together, which holds
        in all graphs, and one each, over the graphs that tell them apart: ``graphs`` is the share
        of these, and ``contribution`` is NaN where the explained graph is none of them.
        """
        rows = [
            {"feature": label(features if len(features) > 1 else features[0])}
            | self.explanation.bearer(compared)
            | self._moved(sums, known)
            | {"graphs": share}
            for i, compared in enumerate(self.explanation.compared)
            for features, sums, known, share in self._ends(i)
        ]
        return table_of(rows, self.explanation)

    def each(self) -> Any:  # noqa: ANN401 - the caller's frame type
        """Return every number: a row for each combination, comparison and path."""
        rows = [
            self.named(one)
            | {"kind": kind, "path": name}
            | self.explanation.bearer(compared)
            | {"contribution": float(self.values[k, i, place])}
            for k, one in enumerate(self.assumed)
            for i, compared in enumerate(self.explanation.compared)
            for kind, name, place, _ in self._rows(i, compared)
        ]
        return table_of(rows, self.explanation)

    def __repr__(self) -> str:
        lines = []
        for i, compared in enumerate(self.explanation.compared):
            name = f"{self.explanation.setting.sensitive} = "
            name += str(self.explanation.levels[compared.stratum])
            if compared.view.outcome is not None:
                name += f", outcome {compared.view.outcome}"
            lines.append(
                f"disparity of {name}: {self.values[0, i, 0]:.4f}, the same in all "
                f"{len(self.assumed)} combinations"
            )
            rows = list(self._rows(i, compared))
            n_paths = len(self.paths)
            left = n_paths - MOST_ROWS if n_paths > MOST_ROWS + 1 else 0
            shown = rows[: n_paths - left] + rows[n_paths:]
            width = max(len(name) for _, name, _, _ in shown)
            for _, name, place, _ in shown:
                found = self._moved(self.values[:, i, place])
                why = self._alone(self.values[:, i, place], i)["moved_by"] or ""
                lines.append(
                    f"  {name:<{width}}  {found['contribution']:+.4f} in "
                    f"[{found['low']:+.4f}, {found['high']:+.4f}]  {why}".rstrip()
                )
            if left:
                lines.append(f"  … and {left} smaller paths: see .table()")
        lines.append(
            f"over {len(self.graphs)} {'graph' if len(self.graphs) == 1 else 'graphs'}, "
            f"links {', '.join(self.links)}, couplings {', '.join(self.couplings)}; sampling "
            "intervals come on top"
        )
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def _rows(self, i: int, compared: Comparison) -> Iterator[tuple[str, str, int, float]]:
        """Yield kind, name, place in ``values`` and share of graphs of each row."""
        own, most = np.abs(self.values[0, i, _PATHS:]), np.abs(self.values[:, i, _PATHS:]).max(0)
        for j in np.lexsort((-most, -own)).tolist():
            path = self.paths[j]
            yield "path", str(path), _PATHS + j, self._share(self._has(path))
        if compared.view.apart is not None:
            yield APART, compared.view.apart, _APART, 1.0
        yield REMAINDER, REMAINDER, _REMAINDER, 1.0

    def _moved(self, values: FloatVector, known: BoolVector | None = None) -> dict[str, Any]:
        """Return the range of a number over the combinations in which it is known."""
        rows = np.arange(len(values)) if known is None else np.flatnonzero(known)
        low, high = rows[np.argmin(values[rows])], rows[np.argmax(values[rows])]
        return {
            "contribution": float(values[0]) if known is None or known[0] else float("nan"),
            "low": float(values[low]),
            "high": float(values[high]),
            "lowest_in": self._text(self.assumed[low]),
            "highest_in": self._text(self.assumed[high]),
        }

    def _alone(self, values: FloatVector, i: int) -> dict[str, Any]:
        """Return how far each assumption alone moves a number, the others as explained."""
        assumed = np.array(self.assumed)
        widths = {}
        for place, name in enumerate(("graph", "links", "coupling")):
            others = np.delete(assumed, place, axis=1)
            widths[name] = float(np.ptp(values[(others == 0).all(axis=1)]))
        most = max(widths, key=lambda name: widths[name])
        moves = widths[most] > ROUNDING * max(1e-300, float(np.abs(self.values[0, i]).max()))
        named = {f"by_{name}": width for name, width in widths.items()}
        return {**named, "moved_by": most if moves else None}

    def _ends(self, i: int) -> Iterator[tuple[tuple[str, ...], FloatVector, BoolVector, float]]:
        """Yield features, the sums over their paths, where these are known, in which graphs."""
        ends = [_end(path) for path in self.paths]
        together = _joined(ends)
        rows = [(group, group) for group in together]
        rows += [((feature,), group) for group in together if len(group) > 1 for feature in group]
        order = sorted(rows, key=lambda row: -float(np.abs(self._sum(i, ends, row[0])).max()))
        for features, group in sorted(order, key=lambda row: together.index(row[1])):
            apart = [
                features == group
                or not any(
                    features[0] in end and len(end) > 1 for end in map(_end, s.arrangement.players)
                )
                for s in self.setups
            ]
            if any(apart):
                known = np.array([apart[one.graph] for one in self.assumed])
                yield features, self._sum(i, ends, features), known, self._share(apart)

    def _sum(
        self, i: int, ends: Sequence[tuple[str, ...]], features: tuple[str, ...]
    ) -> FloatVector:
        inside = [_PATHS + j for j, end in enumerate(ends) if set(end) <= set(features)]
        return np.asarray(self.values[:, i, inside].sum(axis=1))

    def _has(self, path: Path) -> list[bool]:
        identity = _identity(path)
        return [identity in map(_identity, s.arrangement.players) for s in self.setups]

    def _share(self, has: Sequence[bool]) -> float:
        """Return the share of the graphs whose setup has something."""
        n = sum(len(s.graphs) for s, there in zip(self.setups, has, strict=True) if there)
        return n / len(self.graphs)

    def named(self, one: Assumed) -> dict[str, Any]:
        """Return the names of a combination: its graphs by number, from one."""
        graphs = self.setups[one.graph].graphs
        return {
            "graph": AS_EXPLAINED if one.graph == 0 else ", ".join(str(g + 1) for g in graphs),
            "links": self.links[one.links],
            "coupling": self.couplings[one.coupling],
        }

    def _text(self, one: Assumed) -> str:
        """Name what differs from the explanation."""
        named = self.named(one)
        parts = [
            f"{name} {named[name]}"
            for name, place in zip(("graph", "links", "coupling"), one, strict=True)
            if place
        ]
        return "; ".join(parts) or AS_EXPLAINED


def _identity(path: Path) -> _Identity:
    return path.nodes, path.longer


def _end(path: Path) -> tuple[str, ...]:
    last = path.nodes[-1]
    return (last,) if isinstance(last, str) else last


def _joined(ends: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Join ends that share a feature, until none do."""
    groups: list[set[str]] = []
    for end in ends:
        touched = [group for group in groups if group & set(end)]
        joined = set(end).union(*touched)
        groups = [group for group in groups if group not in touched] + [joined]
    return [tuple(sorted(group)) for group in groups]
