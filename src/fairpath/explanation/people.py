"""Which people an explanation is about, in a few digests: the same people can be paired."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from fairpath.division import Division
from fairpath.study import Study
from fairpath.vocabulary import FloatVector

LEAST_SHARED = 2
"""Columns that must agree: the strata alone could be equal by accident."""


@dataclass(frozen=True, eq=False)
class People:
    """What two explanations must share so that their rows, or the parts of them, are the same.

    Attributes
    ----------
    columns
        For each column that links or the model read a digest of its values, in their order.
    weights
        A digest of the weights.
    parts
        A digest of the parts of the rows that intervals come from.
    """

    columns: Mapping[str, str]
    weights: str
    parts: str

    @classmethod
    def of(cls, study: Study, divided: Division) -> "People":
        """Note who is explained, and how they are divided into parts."""
        levels = study.game.encoding.levels
        columns = {
            name: _digest(values) if name not in levels else _labels(values, levels[name])
            for name, values in study.columns.items()
        }
        if study.has_outcome:
            columns["favourable outcome"] = _digest(study.favoured)
        parts = [
            array
            for partition in divided
            for part, others in partition
            for dealt in (part, *(others or {}).values())
            for array in dealt
        ]
        return cls(columns, _digest(study.weights), _digest(*parts))

    def are(self, other: "People") -> bool:
        """Whether these are the same people: all columns that both know hold the same values."""
        shared = self.columns.keys() & other.columns.keys()
        return (
            len(shared) >= LEAST_SHARED
            and self.weights == other.weights
            and all(self.columns[name] == other.columns[name] for name in shared)
        )

    def are_divided_like(self, other: "People") -> bool:
        """Whether intervals come from the same parts of the same people."""
        return self.are(other) and self.parts == other.parts


def _labels(codes: FloatVector, levels: tuple[object, ...]) -> str:
    """Digest labels: codes also count levels that other tables have."""
    present, which = np.unique(codes.astype(np.intp), return_inverse=True)
    labels = [repr(levels[code]) if code < len(levels) else "" for code in present.tolist()]
    return _digest(which, np.frombuffer("\n".join(labels).encode(), dtype=np.uint8))


def _digest(*arrays: np.ndarray) -> str:
    """Digest numbers; the same on every machine, for every missing number and either zero."""
    digest = blake2b(digest_size=16)
    for array in arrays:
        values = array.astype("<f8") + 0.0
        values[np.isnan(values)] = np.nan
        digest.update(len(values).to_bytes(8, "little") + values.tobytes())
    return digest.hexdigest()
