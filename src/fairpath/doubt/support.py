"""Whether the model is asked about inputs unlike those of the rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fairpath.encoding import Variable
from fairpath.vocabulary import BoolVector, FloatMatrix, FloatVector

if TYPE_CHECKING:
    from sklearn.neighbors import NearestNeighbors

FAR = 0.99
"""Of the rows that are looked at so many have another one at least as near."""

Encoded = Mapping[str, FloatVector]


def outside_range(values: FloatVector, observed: FloatVector, variable: Variable) -> BoolVector:
    """Return which values no row spans: beyond the extremes, or a level that nobody has."""
    missing = np.isnan(values)
    known = observed[~np.isnan(observed)]
    if variable.n_levels is not None:
        return ~np.isin(values, known)
    if len(known) == 0:
        return ~missing
    beyond = (values < known.min()) | (values > known.max())
    never_missing = len(known) == len(observed)
    return np.asarray(np.where(missing, never_missing, beyond), dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Some rows, and how far from the nearest other one almost all of them are.

    Numbers are counted in standard deviations; two levels of a category are at a distance of 1.
    """

    search: "NearestNeighbors"
    scales: Mapping[str, tuple[float, float]]
    variables: Mapping[str, Variable]
    limit: float

    @classmethod
    def of(cls, rows: Encoded, variables: Mapping[str, Variable]) -> "Neighbourhood":
        """Take note of rows, at least two."""
        from sklearn.neighbors import NearestNeighbors  # noqa: PLC0415 - slow to import

        scales = {name: _scale(values) for name, values in rows.items()}
        points = _points(rows, variables, scales)
        search = NearestNeighbors(n_neighbors=2).fit(points)
        distances, _ = search.kneighbors(points)
        limit = float(np.quantile(distances[:, 1], FAR, method="higher"))
        return cls(search, scales, variables, limit)

    def is_far(self, rows: Encoded) -> BoolVector:
        """Return which rows are further from the nearest row than these are from each other."""
        points = _points(rows, self.variables, self.scales)
        distances, _ = self.search.kneighbors(points, n_neighbors=1)
        # A copy of a row must not be far from it by rounding.
        return np.asarray(distances[:, 0] > self.limit + 1e-9)


def _scale(values: FloatVector) -> tuple[float, float]:
    known = values[~np.isnan(values)]
    if len(known) == 0:
        return 0.0, 1.0
    spread = float(known.std())
    return float(known.mean()), spread if spread > 0 else 1.0


def _points(
    rows: Encoded,
    variables: Mapping[str, Variable],
    scales: Mapping[str, tuple[float, float]],
) -> FloatMatrix:
    columns = []
    for name, (mean, spread) in scales.items():
        values, n_levels = rows[name], variables[name].n_levels
        if n_levels is not None:
            columns.append((values[:, None] == np.arange(n_levels)) / np.sqrt(2))
            continue
        missing = np.isnan(values)
        columns.append(np.where(missing, 0.0, (values - mean) / spread)[:, None])
        columns.append(missing[:, None].astype(np.float64))
    return np.concatenate(columns, axis=1)
