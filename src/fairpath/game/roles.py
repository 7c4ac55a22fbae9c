"""What a caller says about inputs and links, checked, and what is noted of the links."""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from fairpath.errors import DataError
from fairpath.frames import check_name
from fairpath.game.tree import Features
from fairpath.game.worlds import Mechanisms
from fairpath.graph import CausalGraph
from fairpath.links import Links, link_for
from fairpath.links.auto import ChosenLink
from fairpath.paths import Arrangement


def inputs_among(
    inputs: Iterable[str] | None,
    graph: CausalGraph,
    known: list[str],
    roles: tuple[str | None, ...],
) -> Features:
    """Return the columns that the model reads, by default all nodes that are columns.

    ``roles`` are the sensitive attribute and the outcome.
    """
    if inputs is None:
        return tuple(node for node in graph.nodes if node in known and node not in roles)
    if isinstance(inputs, str) or not isinstance(inputs, Iterable):
        raise DataError(f"inputs is a collection of names; write inputs=[{inputs!r}].")
    if isinstance(inputs, AbstractSet):
        raise DataError("inputs is a set, which has no order. Give a list of names.")
    inputs = tuple(inputs)
    for place, name in enumerate(inputs):
        check_name(name, known)
        if name in inputs[:place]:
            raise DataError(f"inputs names {name!r} twice. Name each column once.")
        if name == roles[1]:
            raise DataError(
                f"The model reads the outcome {name!r}. Leave out outcome=, or take it out of "
                "inputs=."
            )
    return inputs


def choices_of(arrangement: Arrangement, links: Links) -> dict[str, Any]:
    """Return the kind of link of each feature on a path."""
    features = [feature for block in arrangement.blocks for feature in block]
    if isinstance(links, Mapping) and (unknown := [f for f in links if f not in features]):
        raise DataError(
            f"links names {unknown[0]!r}, which is no feature on a path. "
            f"These are: {', '.join(features) or 'none'}."
        )
    return {feature: link_for(links, feature) for feature in features}


def notes_of(graph: CausalGraph, mechanisms: Mechanisms) -> tuple[str, ...]:
    """Say what the data decided of the graph, and which links won by which scores."""
    notes = [f"decided by the data: {decision}" for decision in getattr(graph, "decisions", ())]
    for feature, link in mechanisms.links.items():
        if isinstance(link, ChosenLink) and link.scores:
            listed = ", ".join(f"{name} {score:.4g}" for name, score in link.scores.items())
            notes.append(
                f"link of {feature}: {link.chosen} (held-out score, lower is better: {listed})"
            )
    return tuple(notes)
