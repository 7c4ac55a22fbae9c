"""What rows must have before links can be learned from them."""

from math import ceil

import numpy as np

from fairpath.encoding import Encoding
from fairpath.errors import DataError
from fairpath.frames import Frame
from fairpath.game.tree import Features
from fairpath.independence import IndependenceTest
from fairpath.paths import Arrangement
from fairpath.vocabulary import FloatVector

TESTED_ROWS = 20_000
SURPRISE = 0.001
"""A p-value below this, over all outside features, is worth a note."""


def needed_columns(arrangement: Arrangement, inputs: Features, known: set[str]) -> Features:
    """Return the columns that the links and the model read; refuse data without one of them."""
    on_paths = [feature for block in arrangement.blocks for feature in block]
    for feature in on_paths:
        if feature not in known:
            raise DataError(
                f"{feature!r} is on a path of the graph but no column of the data. Add the column, "
                "or take the node out of the graph and join its causes to its effects."
            )
    outside = [name for name in arrangement.outside if name in known]
    return tuple(dict.fromkeys([arrangement.sensitive, *on_paths, *outside, *inputs]))


def strata_masses(
    codes: FloatVector, weights: FloatVector, encoding: Encoding, sensitive: str
) -> FloatVector:
    """Return the weight of each stratum; refuse a constant attribute and empty strata."""
    levels = encoding.levels[sensitive]
    masses = np.bincount(codes.astype(np.intp), weights, minlength=len(levels))
    empty = [level for level, mass in zip(levels, masses, strict=True) if mass == 0]
    if len(levels) - len(empty) < 2:  # noqa: PLR2004
        raise DataError(
            f"The sensitive attribute {sensitive!r} has only one level in these rows. "
            "There is no disparity to explain."
        )
    if empty:
        raise DataError(
            f"No row that counts has {sensitive} = {empty[0]!r} here. Add rows of this stratum, "
            "with a positive weight, or drop it from every table."
        )
    return np.asarray(masses, dtype=np.float64)


def dependent_outside(
    frame: Frame, weights: FloatVector, sensitive: str, outside: Features
) -> tuple[str, ...]:
    """Name the outside features that depend on the sensitive attribute, against the graph."""
    rows = np.arange(0, len(frame), ceil(len(frame) / TESTED_ROWS))
    try:
        test = IndependenceTest(frame[rows], weights=weights[rows])
        found = {name: test.test(sensitive, name).p_value for name in outside}
    except DataError:  # too few rows to tell
        return ()
    return tuple(
        f"{name} depends on {sensitive} in the data (p = {p:.1g}) although the graph has no path "
        "between them: what it carries is part of the remainder"
        for name, p in found.items()
        if p * len(found) < SURPRISE
    )
