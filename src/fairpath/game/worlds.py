"""The values of blocks in the worlds in which only a coalition carries the own level.

A row set against another level is a case. Over all states of all nodes a block takes few
different values in a case: these are its worlds, numbered with the factual one first. The
states of a node are such numbers, and its link is asked once for each world of its parents.
Where the parents of a feature are the factual ones its value is the factual one, to the bit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fairpath.game.coalitions import Codes
from fairpath.game.distinct import MAX_TABLE, Numbering, distinct_rows
from fairpath.game.tree import Features
from fairpath.links.link import FittedLink
from fairpath.vocabulary import FloatMatrix, FloatVector, IntVector, same


@dataclass(frozen=True, eq=False)
class Mechanisms:
    """How every feature on a path is computed.

    Attributes
    ----------
    sensitive
        The sensitive attribute.
    sources
        For each feature the columns that its link reads: direct predecessors, the features of
        the same block that are generated before it, and outside features.
    links
        The fitted link of each feature, blocks in causal order.
    """

    sensitive: str
    sources: Mapping[str, Features]
    links: Mapping[str, FittedLink]


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows of the data: every column that a link or the model reads, and each feature's noise.

    The sensitive attribute is the codes of its strata.
    """

    columns: Mapping[str, FloatVector]
    noise: Mapping[str, FloatMatrix]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def part(self, rows: slice | IntVector) -> "Sample":
        """Return some of the rows."""
        return Sample(
            {name: values[rows] for name, values in self.columns.items()},
            {name: noise[rows] for name, noise in self.noise.items()},
        )


@dataclass(frozen=True, eq=False)
class Worlds:
    """What differs in some features over all states of each case.

    Attributes
    ----------
    case
        The case of each world, ascending; its first world is the factual one.
    number
        The number of each world in its case, from zero.
    start
        For each case its first world.
    size
        Most worlds of a case.
    values
        For each feature its value in each world.
    """

    case: IntVector
    number: Codes
    start: IntVector
    size: int
    values: Mapping[str, FloatVector]

    @classmethod
    def of(cls, case: IntVector, n_cases: int, values: Mapping[str, FloatVector]) -> "Worlds":
        """Give each world its number within its case; ``case`` is ascending."""
        start = np.searchsorted(case, np.arange(n_cases))
        number = np.arange(len(case)) - start[case]
        size = int(number.max()) + 1
        return cls(case, number.astype(np.min_scalar_type(size)), start, size, values)


@dataclass(frozen=True, eq=False)
class Site:
    """Where a block is wanted: the cases of some rows, and its parents' worlds in their states."""

    case: IntVector
    parents: Sequence[Codes]


def combined(
    sites: Sequence[Site], parents: Sequence[Worlds], n_cases: int
) -> tuple[Worlds, Numbering]:
    """Return the worlds of all parents together, and which of them the states of the sites are.

    The last array of the numbering is the factual world of each case.
    """
    known = Worlds.of(np.arange(n_cases), n_cases, {})
    codes: list[Codes] = [np.zeros((1, 1), dtype=np.uint8) for _ in sites]
    group: list[Worlds] = []
    bound = 1
    for place, worlds in enumerate(parents):
        if len(group) + (known.size > 1) > 1 and n_cases * bound * worlds.size > MAX_TABLE:
            known, numbering = _decoded(known, group, sites, codes, bound)
            codes = numbering.replaced(known.number)
            group, bound = [], known.size
        bound *= worlds.size
        wide = np.min_scalar_type(bound) if bound <= MAX_TABLE else np.dtype(np.intp)
        size = wide.type(worlds.size)
        codes = [
            code.astype(wide) * size + site.parents[place]
            for code, site in zip(codes, sites, strict=False)
        ]
        group.append(worlds)
    return _decoded(known, group, sites, codes, bound)


def _decoded(
    known: Worlds,
    group: Sequence[Worlds],
    sites: Sequence[Site],
    codes: Sequence[Codes],
    bound: int,
) -> tuple[Worlds, Numbering]:
    """Find the different codes of each case, and what they stand for."""
    n_cases = len(known.start)
    keys = [site.case[:, None] * bound + code for site, code in zip(sites, codes, strict=True)]
    numbering = Numbering([*keys, np.arange(n_cases) * bound], n_cases * bound)
    case, code = np.divmod(numbering.distinct, bound)
    values: dict[str, FloatVector] = {}
    for worlds in reversed(group):
        code, number = np.divmod(code, worlds.size)
        at = worlds.start[case] + number
        values |= {name: column[at] for name, column in worlds.values.items()}
    at = known.start[case] + code
    values |= {name: column[at] for name, column in known.values.items()}
    return Worlds.of(case, n_cases, values), numbering


def generated(
    features: Features,
    parents: Worlds,
    rows: IntVector,
    mechanisms: Mechanisms,
    sample: Sample,
) -> tuple[Worlds, Codes]:
    """Return the worlds of a block, and for each world of its parents the number of its own.

    ``rows`` are the positions in the sample of the cases.
    """
    row = rows[parents.case]
    known = dict(parents.values)
    for feature in features:
        known[feature] = linked(feature, known, row, mechanisms, sample)
    columns = [known[feature] for feature in features]
    first, which = distinct_rows([parents.case.astype(np.float64), *columns])
    own = {feature: known[feature][first] for feature in features}
    worlds = Worlds.of(parents.case[first], len(rows), own)
    return worlds, worlds.number[which]


def linked(
    feature: str,
    known: Mapping[str, FloatVector],
    row: IntVector,
    mechanisms: Mechanisms,
    sample: Sample,
) -> FloatVector:
    """Return the values of a feature: ask its link where a parent differs from the factual one.

    ``row`` is for each value wanted the position in the sample of whose noise it has.
    """
    sources = mechanisms.sources[feature]
    asked = np.zeros(len(row), dtype=np.bool_)
    for source in sources:
        if source in known:
            asked |= ~same(known[source], sample.columns[source][row])
    at = row[asked]
    result = sample.columns[feature][row]
    if len(at):
        columns = [
            known[source][asked] if source in known else sample.columns[source][at]
            for source in sources
        ]
        noise = sample.noise[feature][at]
        result[asked] = mechanisms.links[feature].generate(np.column_stack(columns), noise)
    return result
