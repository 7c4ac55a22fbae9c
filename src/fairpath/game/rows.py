"""What rows must have before links can be learned from them."""

import numpy as np

from fairpath.encoding import Encoding
from fairpath.errors import DataError
from fairpath.game.tree import Features
from fairpath.paths import Arrangement
from fairpath.vocabulary import FloatVector


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
            f"No row here has {sensitive} = {empty[0]!r}. Add rows of this stratum, or drop it "
            "from the other table too."
        )
    return np.asarray(masses, dtype=np.float64)
