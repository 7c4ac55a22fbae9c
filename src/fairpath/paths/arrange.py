"""From a graph to blocks, predecessors, outside features and players, in one call."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fairpath.graph.causal_graph import CausalGraph
from fairpath.paths.active import MAX_PATHS, check_limits, check_roles
from fairpath.paths.blocks import BlockGraph, block_graph
from fairpath.paths.path import Path, label
from fairpath.paths.players import players
from fairpath.paths.search import PathSearch

Features = tuple[str, ...]


@dataclass(frozen=True)
class Arrangement:
    """How the sensitive attribute's information runs through blocks to the prediction.

    Attributes
    ----------
    blocks
        Tuples of features, causes before effects; only blocks that lead to an input.
    predecessors
        The direct predecessors of each block; the sensitive attribute is ``(sensitive,)``.
    outside
        Columns that no path reaches; they enter every link as they are.
    players
        Paths over blocks, shortest first.
    notes
        What was assumed or decided on the way.
    """

    sensitive: str
    blocks: tuple[Features, ...]
    predecessors: Mapping[Features, tuple[Features, ...]]
    outside: Features
    players: tuple[Path, ...]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        noun = "path" if len(self.players) == 1 else "paths"
        lines = [f"{len(self.players)} {noun} from {self.sensitive} to the prediction"]
        lines += [f"  {path}" for path in self.players]
        lines += ["blocks, each with what it is computed from"]
        for block in self.blocks:
            sources = ", ".join(_shown(earlier) for earlier in self.predecessors[block])
            lines.append(f"  {_shown(block)} from {sources}")
        lines.append(f"outside: {', '.join(self.outside) or 'nothing'}")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


def arrange(
    graph: CausalGraph,
    *,
    sensitive: str,
    inputs: Iterable[str] | None = None,
    given: Sequence[str] = (),
    outcome: str | None = None,
    max_paths: int = MAX_PATHS,
    max_length: int | None = None,
) -> Arrangement:
    """Merge features into ordered blocks and list the players over them (Algorithm 2).

    Parameters
    ----------
    graph, sensitive, inputs, given, max_paths, max_length
        As for `active_paths`; paths are counted over blocks.
    outcome
        The outcome's node, if the graph has it: never an outside feature, even where the
        disparity does not condition on it.

    >>> graph = CausalGraph.parse("race -> felonies -- misdemeanours; race -> misdemeanours")
    >>> print(arrange(graph, sensitive="race"))
    1 path from race to the prediction
      race → {felonies, misdemeanours} → prediction
    blocks, each with what it is computed from
      {felonies, misdemeanours} from race
    outside: nothing
    note: the graph does not order felonies, misdemeanours: they are one block
    """
    given = check_roles(graph, sensitive, inputs, given)
    check_limits(max_paths, max_length)
    no_feature = {sensitive, outcome, *given}
    columns = sorted(set(graph.nodes) - no_feature if inputs is None else set(inputs))
    found = block_graph(PathSearch(graph, sensitive, given))
    names = [found.names(block) for block in range(len(found.blocks))]
    feeding = frozenset(b for b, features in enumerate(names) if set(features) & set(columns))
    used = _leading_to(found, feeding)
    reached = {feature for features in names for feature in features}
    listed = players(found, feeding, max_paths=max_paths, max_length=max_length)
    return Arrangement(
        sensitive,
        blocks=tuple(names[block] for block in used),
        predecessors={names[b]: tuple(names[p] for p in found.predecessors[b]) for b in used},
        outside=tuple(sorted({*graph.nodes, *columns} - no_feature - reached)),
        players=listed,
        notes=_notes(graph, columns, [names[block] for block in used], listed),
    )


def _leading_to(graph: BlockGraph, feeding: frozenset[int]) -> list[int]:
    """Return the blocks, without the sensitive attribute, from which a chain feeds the model."""
    leading = set(feeding)
    for block in reversed(range(len(graph.blocks))):
        if block in leading:
            leading.update(graph.predecessors[block])
    return sorted(leading - {0})


def _notes(
    graph: CausalGraph,
    columns: Sequence[str],
    blocks: Sequence[Features],
    listed: Sequence[Path],
) -> tuple[str, ...]:
    notes = [
        f"the graph does not order {', '.join(block)}: they are one block"
        for block in blocks
        if len(block) > 1
    ]
    if unknown := [column for column in columns if column not in graph.nodes]:
        notes.append(f"not in the graph, so taken as unaffected: {', '.join(unknown)}")
    if unread := [f for block in blocks for f in block if f not in columns]:
        notes.append(f"on a path, but not read by the model: {', '.join(unread)}")
    if merged := [label(path.nodes[-1]) for path in listed if path.longer]:
        notes.append(f"longer paths are one player for each of: {', '.join(merged)}")
    return tuple(notes)


def _shown(block: Features) -> str:
    return label(block[0] if len(block) == 1 else block)
