"""Paths named by the user, found among the players."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from fairpath.errors import GraphError
from fairpath.paths import Path
from fairpath.vocabulary import BoolVector

PathLike: TypeAlias = Path | str | tuple[str | tuple[str, ...], ...]
"""A path, what it prints, or its nodes."""


def held(players: Sequence[Path], paths: Iterable[PathLike]) -> BoolVector:
    """Return which players are among some paths; refuse what is none of them."""
    if isinstance(paths, str | Path):
        raise GraphError(f"Expected a collection of paths, got one: write [{str(paths)!r}].")
    by_name: dict[object, int] = {}
    for i, player in enumerate(players):
        by_name |= {player: i, str(player): i, player.nodes: i}
    mask = np.zeros(len(players), dtype=np.bool_)
    for path in paths:
        key = tuple(path) if isinstance(path, list) else path
        if key not in by_name:
            known = "\n  ".join(str(player) for player in players)
            raise GraphError(f"There is no path {str(path)!r}. The paths are:\n  {known}")
        mask[by_name[key]] = True
    return mask
