"""Strata that are no column yet: several attributes crossed, or a number cut into bands.

The new attribute stands in the graph where the old ones stood. One that the model reads stays as
its effect: the model is given what goes with the other stratum.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import isfinite
from typing import Any

import narwhals as nw
import numpy as np

from fairpath.errors import DataError, GraphError
from fairpath.frames import Categories, Frame, check_name, column
from fairpath.graph import CausalGraph
from fairpath.options import LEAST_ROWS
from fairpath.vocabulary import FloatVector

CROSS = " × "
POOLED = "others"


@dataclass(frozen=True)
class Strata:
    """How the strata follow from columns.

    Attributes
    ----------
    columns
        What they are made from.
    cuts
        Where a number is cut; None for attributes that are crossed.
    pooled
        Crossed levels with few rows, which are one stratum together.
    """

    columns: tuple[str, ...]
    cuts: tuple[float, ...] | None = None
    pooled: frozenset[str] = field(default_factory=frozenset)

    @property
    def name(self) -> str:
        """What the new attribute is called."""
        return CROSS.join(self.columns) if self.cuts is None else f"{self.columns[0]} (bands)"

    @property
    def notes(self) -> tuple[str, ...]:
        """What was decided."""
        if not self.pooled:
            return ()
        listed = "; ".join(sorted(self.pooled))
        few = f"strata of {self.name} with fewer than {LEAST_ROWS} rows"
        return (f"{few} are one, {POOLED!r}: {listed}",)

    def added_to(self, frame: Frame) -> Frame:
        """Return a table with the new attribute as a further column."""
        labels = _crossed(frame, self.columns) if self.cuts is None else self._banded(frame)
        labels = [POOLED if label in self.pooled else label for label in labels]
        backend: Any = frame.implementation
        return frame.with_columns(nw.new_series(self.name, labels, nw.String, backend=backend))

    def put_into(
        self, graph: CausalGraph | None, inputs: Iterable[str] | None
    ) -> CausalGraph | None:
        """Return the graph with the new attribute in the place of the old ones."""
        if not isinstance(graph, CausalGraph):
            return graph  # refused where any graph is
        for name in self.columns:
            graph.require(name, "sensitive attribute")
        if self.name in graph.nodes:
            raise GraphError(f"The graph has a node {self.name!r} already. Rename it.")
        read = () if inputs is None else tuple(inputs)
        directed = {self._moved(edge) for edge in graph.directed}
        directed |= {(self.name, name) for name in self.columns if name in read}
        undirected = {self._moved(edge) for edge in graph.undirected}
        # Where one attribute has a direction the pair of them has it.
        known = {frozenset(edge) for edge in directed}
        return CausalGraph(
            tuple(sorted(edge for edge in directed if edge[0] != edge[1])),
            tuple(sorted(e for e in undirected if e[0] != e[1] and frozenset(e) not in known)),
            (*(node for node in graph.nodes if node not in self.columns), self.name),
            graph.reading,
        )

    def _moved(self, edge: tuple[str, str]) -> tuple[str, str]:
        one, other = (self.name if node in self.columns else node for node in edge)
        return one, other

    def _banded(self, frame: Frame) -> list[str]:
        (name,) = self.columns
        assert self.cuts is not None  # noqa: S101 - it is banded
        read = column(frame, name)
        if isinstance(read, Categories):
            raise DataError(f"Only a number can be cut into bands, and {name!r} holds labels.")
        missing = int(read.missing.sum())
        if missing:
            raise DataError(f"{name!r} is missing in {missing} rows. Drop them before it is cut.")
        names = _band_names(self.cuts)
        return [names[k] for k in np.searchsorted(self.cuts, read.values, side="right")]


def strata_of(
    frame: Frame, sensitive: object, bands: object, weights: FloatVector
) -> Strata | None:
    """Return how strata are made; None if the sensitive attribute is a column as it is."""
    if bands is not None:
        return Strata((_one_name(sensitive, frame),), _cuts(bands))
    if isinstance(sensitive, str) or not isinstance(sensitive, list | tuple):
        return None
    names = tuple(sensitive)
    if len(names) == 1:
        raise DataError(f"One sensitive attribute is given by its name: sensitive={names[0]!r}.")
    for place, name in enumerate(names):
        if not isinstance(name, str):
            raise DataError(f"sensitive lists names of columns, got {name!r}.")
        check_name(name, frame.columns)
        if name in names[:place]:
            raise DataError(f"sensitive names {name!r} twice. Name each attribute once.")
    if not names:
        raise DataError("sensitive is empty: name one attribute, or several to cross them.")
    labels, which = np.unique(_crossed(frame, names), return_inverse=True)
    rows = np.bincount(which, weights)
    few = frozenset(labels[(rows > 0) & (rows < LEAST_ROWS)].tolist())
    return Strata(names, pooled=few if len(few) > 1 else frozenset())


def _crossed(frame: Frame, names: Sequence[str]) -> list[str]:
    parts = []
    for name in names:
        read = column(frame, name)
        missing = int(read.missing.sum())
        if missing:
            raise DataError(
                f"The sensitive attribute {name!r} is missing in {missing} rows. Drop them, or "
                "name them a stratum of their own."
            )
        if isinstance(read, Categories):
            parts.append([str(read.levels[code]) for code in read.codes])
        else:
            parts.append([f"{value:g}" for value in read.values])
    return [CROSS.join(labels) for labels in zip(*parts, strict=True)]


def _one_name(sensitive: object, frame: Frame) -> str:
    if not isinstance(sensitive, str):
        raise DataError(
            f"bands= cuts one sensitive attribute, got sensitive={sensitive!r}. "
            "Cut the column first, for example with pandas.cut, to cross it with another one."
        )
    check_name(sensitive, frame.columns)
    return sensitive


def _cuts(bands: object) -> tuple[float, ...]:
    wrong = f"bands is a list of ascending numbers where the attribute is cut, got {bands!r}."
    if isinstance(bands, str) or not isinstance(bands, Iterable):
        raise DataError(wrong)
    cuts = tuple(bands)
    numbers = all(isinstance(c, int | float | np.number) and isfinite(c) for c in cuts)
    if not cuts or not numbers or any(a >= b for a, b in pairwise(cuts)):
        raise DataError(wrong)
    return tuple(float(cut) for cut in cuts)


def _band_names(cuts: Sequence[float]) -> list[str]:
    """Name the bands; each holds its lower end.

    >>> _band_names([25, 45.5])
    ['below 25', '25 to below 45.5', 'from 45.5']
    """
    inner = [f"{a:g} to below {b:g}" for a, b in pairwise(cuts)]
    return [f"below {cuts[0]:g}", *inner, f"from {cuts[-1]:g}"]
