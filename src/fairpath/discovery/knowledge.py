"""What is known beforehand: which column may be a direct cause of which."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

from fairpath.errors import DataError, GraphError
from fairpath.frames import check_name
from fairpath.graph.bits import as_bits, members, spread
from fairpath.graph.meek import Arrow
from fairpath.vocabulary import Edge


@dataclass(frozen=True)
class Knowledge:
    """Edges that must be there, and the directions that others may take.

    Attributes
    ----------
    names
        The columns, sorted; a node is a position in it.
    required
        Arrows that are kept without a test.
    effects
        For each node the nodes that it may cause, as bits.
    """

    names: tuple[str, ...]
    required: frozenset[Arrow]
    effects: tuple[int, ...]

    def may_cause(self, u: int, v: int) -> bool:
        """Whether u → v is allowed."""
        return bool(self.effects[u] >> v & 1)

    def may_join(self, u: int, v: int) -> bool:
        """Whether any edge between the two is allowed."""
        return self.may_cause(u, v) or self.may_cause(v, u)

    def is_required(self, u: int, v: int) -> bool:
        """Whether the two are joined whatever the data say."""
        return (u, v) in self.required or (v, u) in self.required

    def causes(self, v: int) -> int:
        """Return the nodes that may be direct causes of ``v``."""
        return as_bits(u for u in range(len(self.names)) if self.may_cause(u, v))


def knowledge_of(
    names: Iterable[str],
    *,
    sensitive: str | Sequence[str] | None = None,
    outcome: str | None = None,
    tiers: Iterable[Iterable[str]] | None = None,
    required: Iterable[Edge] = (),
    forbidden: Iterable[Edge] = (),
) -> Knowledge:
    """Check what is known, and say where it contradicts itself.

    The sensitive attribute comes first and the outcome last, unless a tier says where.

    >>> known = knowledge_of(["age", "job", "sex"], sensitive="sex", tiers=[["age"], ["job"]])
    >>> known.may_cause(0, 1), known.may_cause(1, 0), known.may_join(0, 2), known.may_cause(0, 2)
    (True, False, True, False)
    """
    names = tuple(sorted(names))
    number = {name: i for i, name in enumerate(names)}
    levels = _levels(names, tiers)
    wanted = _pairs("required", required, number)
    refused = _pairs("forbidden", forbidden, number)
    first = _named(sensitive, "sensitive", names)
    last = _named(outcome, "outcome", names)
    both = first & last
    if both:
        raise DataError(f"{min(both)!r} is given both as sensitive attribute and as outcome.")

    why = _refusals(names, levels, refused, first, last)
    for u, v in sorted(wanted):
        if (u, v) in why:
            raise GraphError(
                f"required= has {names[u]} -> {names[v]}, but {why[u, v]}. Keep one of the two"
                "; tiers= can say that a sensitive attribute is not first or an outcome not last."
            )
    below = _below(names, wanted)
    effects = tuple(
        as_bits(
            v
            for v in range(len(names))
            # What the required arrows lead from cannot be an effect: that were a cycle.
            if v != u and (u, v) not in why and not below[v] >> u & 1
        )
        for u in range(len(names))
    )
    return Knowledge(names, frozenset(wanted), effects)


def _refusals(
    names: Sequence[str],
    levels: dict[str, int],
    refused: set[Arrow],
    first: frozenset[str],
    last: frozenset[str],
) -> dict[Arrow, str]:
    """Return the directions that are not allowed, each with the reason."""
    why: dict[Arrow, str] = {}
    for u, cause in enumerate(names):
        for v, effect in enumerate(names):
            if (u, v) in refused:
                why[u, v] = "forbidden= names the same direction"
            elif cause in levels and effect in levels and levels[cause] > levels[effect]:
                why[u, v] = f"{effect!r} is in an earlier tier than {cause!r}"
            elif effect in first - levels.keys() and cause not in first:
                why[u, v] = f"{effect!r} is the sensitive attribute, which comes first"
            elif cause in last - levels.keys():
                why[u, v] = f"{cause!r} is the outcome, which comes last"
    return why


def _levels(names: Sequence[str], tiers: Iterable[Iterable[str]] | None) -> dict[str, int]:
    """Return the tier of each column that has one."""
    if tiers is None:
        return {}
    levels: dict[str, int] = {}
    if isinstance(tiers, str):
        raise DataError(f"tiers must be a list of lists of columns, got {tiers!r}.")
    for position, tier in enumerate(tiers):
        if isinstance(tier, str) or not isinstance(tier, Iterable):
            raise DataError(
                f"tiers must be a list of lists of columns, but one of them is {tier!r}. "
                f"Try [{tier!r}]."
            )
        for name in tier:
            check_name(name, names)
            if levels.setdefault(name, position) != position:
                raise GraphError(f"{name!r} is in two tiers. Keep it in one.")
    return levels


def _named(value: Any, role: str, names: Sequence[str]) -> frozenset[str]:  # noqa: ANN401
    if value is None:
        return frozenset()
    listed = [value] if isinstance(value, str) else list(value) if _is_list(value) else None
    if listed is None:
        raise DataError(f"{role} must be the name of a column, got {value!r}.")
    for name in listed:
        check_name(name, names)
    return frozenset(listed)


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence | set | frozenset)


def _pairs(option: str, pairs: Iterable[Edge], number: dict[str, int]) -> set[Arrow]:
    """Return pairs of cause and effect as numbers."""
    found = set()
    for pair in pairs:
        if isinstance(pair, str) or not _is_list(pair) or len(pair) != 2:  # noqa: PLR2004
            raise DataError(
                f"{option} must be a list of pairs (cause, effect), but has {pair!r}. "
                f"Write for example {option}=[('age', 'job')]."
            )
        for name in pair:
            check_name(name, number)
        cause, effect = pair
        if cause == effect:
            raise GraphError(f"{option}= joins {cause!r} to itself. Remove the pair.")
        found.add((number[cause], number[effect]))
    return found


def _below(names: Sequence[str], required: set[Arrow]) -> list[int]:
    """Return what each node leads to by required arrows, itself included; refuse a cycle."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for u, v in sorted(required):
        sorter.add(names[v], names[u])
    try:
        sorter.prepare()
    except CycleError as error:
        cycle = " -> ".join(error.args[1])
        raise GraphError(f"required= has a cycle: {cycle}. Remove one of its edges.") from None
    children = [as_bits(v for w, v in required if w == u) for u in range(len(names))]
    return [spread(1 << u, children) for u in range(len(names))]


def directed_by(knowledge: Knowledge, joined: Sequence[int]) -> set[Arrow]:
    """Return the edges of a skeleton that may take one direction only."""
    return {
        (u, v)
        for u, near in enumerate(joined)
        for v in members(near)
        if (u, v) in knowledge.required
        or (knowledge.may_cause(u, v) and not knowledge.may_cause(v, u))
    }
