"""The result: how much of the disparity each path carries, and how sure that is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike as PathLikeFile
from typing import Any, TypeAlias

import numpy as np
from scipy.special import ndtri

from fairpath.errors import DataError
from fairpath.explanation import display, storage, tables
from fairpath.explanation.quantities import (
    Columns,
    Numbers,
    numbers,
    sampling_error_of_utility,
)
from fairpath.frames import as_table
from fairpath.game.players import PathLike, held
from fairpath.options import position_of
from fairpath.paths import Path
from fairpath.paths.path import label
from fairpath.study import Study
from fairpath.tally import Tally
from fairpath.uncertainty import CONFIDENCE, Estimate, Estimates, band_quantile, estimates
from fairpath.vocabulary import BoolVector, FloatMatrix, FloatVector, IntVector

ByStratum: TypeAlias = Estimate | dict[Any, Estimate]
"""One estimate, or with more than two strata one for each that is compared with the reference."""


@dataclass(frozen=True, eq=False)
class Setting:
    """What was asked, and what came with the answer.

    Attributes
    ----------
    sensitive, outcome
        Columns.
    disparity, output, threshold, favourable, method, order
        As given to `explain`.
    backend
        The library of the caller's tables.
    evaluations
        How many rows the model was given for the point estimates.
    seed
        Where all random numbers came from.
    """

    sensitive: str
    outcome: str | None
    disparity: str
    output: str
    threshold: float
    favourable: Any
    method: str
    order: str
    backend: str
    evaluations: int
    seed: int


@dataclass(frozen=True, eq=False)
class Kept:
    """What was found for each row of the data, in its order.

    Attributes
    ----------
    values
        φ, a column for each path.
    factual, base
        f(x) and v(∅).
    strata
        The position of each row's stratum in ``levels``.
    """

    values: FloatMatrix
    factual: FloatVector
    base: FloatVector
    strata: IntVector


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """How much of a disparity each causal path carries.

    Made by `explain`. Everything reported is a function of ``tally`` and, for intervals, of
    the tallies of parts of the rows (``replicates``). A signed difference is always stratum
    minus reference.

    Attributes
    ----------
    paths
        In the order of the table: largest contribution first.
    levels, reference
        The strata, and the position of the one that others are compared with.
    contested
        Paths marked as contested by `mark`; all others are allowed.
    if_contested_cut
        The disparity if only the allowed paths carried the sensitive attribute; None if no
        paths were marked.
    notes
        What was assumed or decided.
    kept
        Results for each row; None if they were not kept.
    study
        What it takes to ask further questions; None if loaded from a file.
    """

    paths: tuple[Path, ...]
    levels: tuple[Any, ...]
    reference: int
    tally: Tally
    replicates: tuple[tuple[Tally, ...], ...]
    setting: Setting
    notes: tuple[str, ...]
    kept: Kept | None = None
    study: Study | None = None
    contested: tuple[Path, ...] = ()
    if_contested_cut: ByStratum | None = None

    @property
    def compared(self) -> tuple[int, ...]:
        """Positions of the strata that are compared with the reference."""
        return tuple(k for k in range(len(self.levels)) if k != self.reference)

    @property
    def disparity(self) -> ByStratum:
        """Δ: the mean output of the stratum minus that of the reference."""
        return self.by_stratum([self._disparity(k) for k in self.compared])

    @property
    def remainder(self) -> ByStratum:
        """The disparity of v(∅): what no path carries."""
        place = self._place.remainder
        return self.by_stratum([self.estimates_at(k)[place] for k in self.compared])

    @property
    def utility(self) -> Estimate | None:
        """U(f) = E[y f + (1 - y)(1 - f)]; None without an outcome or beyond [0, 1]."""
        value = self.estimates_at(self.compared[0]).values[self._place.utility]
        if np.isnan(value):
            return None
        error = sampling_error_of_utility(self.tally, self._columns) if self.replicates else np.nan
        return _normal(float(value), error)

    @property
    def base_utility(self) -> Estimate | None:
        """Ψ(∅): the utility of v(∅), which no path adds to."""
        estimate = self.estimates_at(self.compared[0])[self._place.base_utility]
        return None if np.isnan(estimate.value) else estimate

    @property
    def values(self) -> FloatMatrix:
        """φ of each row of the data for each path."""
        return self._kept().values

    @property
    def predictions(self) -> FloatVector:
        """f(x) of each row of the data."""
        return self._kept().factual

    @property
    def base_values(self) -> FloatVector:
        """v(∅) of each row of the data."""
        return self._kept().base

    def contributions(self, stratum: object = None) -> Estimates:
        """Return the contributions with their joint error, in the order of ``paths``.

        ``stratum`` is a level that is compared with the reference; by default the first one.
        """
        found = self.estimates_at(self._position(stratum))
        place = self._place.contributions
        return Estimates(found.values[place], found.deviations[:, place], found.freedom)

    def contribution(self, paths: Iterable[PathLike], stratum: object = None) -> Estimate:
        """Return what some paths carry together, with the interval of the sum."""
        member = self.held(paths).astype(np.float64)[None, :]
        return self.contributions(stratum).sums(member)[0]

    def band(self, stratum: object = None) -> float:
        """Return by how many standard errors a band over all paths at once is wide."""
        found = self.contributions(stratum)
        return band_quantile(found.covariance, found.freedom, seed=self.setting.seed)

    def estimates_at(self, position: int) -> Estimates:
        """Return all `numbers` of the stratum at a position of ``levels``, jointly."""
        return self._estimates[position]

    def by_stratum(self, estimates: Sequence[Estimate]) -> ByStratum:
        """Return the only estimate, or one for each level that is compared."""
        if len(estimates) == 1:
            return estimates[0]
        return {self.levels[k]: one for k, one in zip(self.compared, estimates, strict=True)}

    def held(self, paths: Iterable[PathLike]) -> BoolVector:
        """Return which of ``paths`` are among some."""
        return held(self.paths, paths)

    @property
    def rows(self) -> Any:  # noqa: ANN401 - the caller's frame type
        """φ as a table: a row for each row of the data, a column for each path."""
        kept = self._kept()
        names = [str(path) for path in self.paths]
        return as_table(dict(zip(names, kept.values.T, strict=True)), self.setting.backend)

    def table(self) -> Any:  # noqa: ANN401 - the caller's frame type
        """Return a row for each path, largest contribution first, then the remainder.

        With more than two strata, the rows of each in turn. Columns: ``kind``, ``path``,
        ``stratum``, ``contribution`` with ``low`` and ``high`` (of the one row) and
        ``band_low``, ``band_high`` (of all rows at once), ``share`` of the disparity,
        ``utility`` and its interval, ``disparity_if_cut``, ``utility_if_cut`` and theirs.
        """
        return as_table(tables.by_path(self), self.setting.backend)

    def by_feature(self) -> Any:  # noqa: ANN401
        """Return sums over the paths that end in the same feature or block."""
        ends = [label(path.nodes[-1]) for path in self.paths]
        return as_table(tables.summed(self, "feature", ends), self.setting.backend)

    def by_kind(self) -> Any:  # noqa: ANN401
        """Return sums over direct, indirect and spurious paths."""
        kinds = [path.kind for path in self.paths]
        return as_table(tables.summed(self, "kind", kinds), self.setting.backend)

    def save(self, file: str | PathLikeFile[str]) -> None:
        """Write everything but the model to a file that `load` reads; see docs/file-format.md."""
        storage.write(self, file)

    def __repr__(self) -> str:
        return display.as_text(self)

    def _repr_html_(self) -> str:
        return display.as_html(self)

    @cached_property
    def _estimates(self) -> dict[int, Estimates]:
        return {
            k: estimates(
                lambda tally, k=k: numbers(  # type: ignore[misc]
                    tally, self._columns, k, self.reference
                ),
                self.tally,
                self.replicates,
            )
            for k in self.compared
        }

    @property
    def _columns(self) -> Columns:
        return Columns(len(self.paths))

    @property
    def _place(self) -> Numbers:
        return Numbers(len(self.paths))

    def _position(self, stratum: object) -> int:
        """Return where a level stands that is compared with the reference."""
        if stratum is None:
            return self.compared[0]
        position = position_of(self.levels, stratum)
        if position is None or position == self.reference:
            levels = ", ".join(repr(self.levels[k]) for k in self.compared)
            raise DataError(
                f"stratum={stratum!r} is not compared with the reference; these are: {levels}."
            )
        return position

    def _kept(self) -> Kept:
        if self.kept is None:
            raise DataError(
                "The results of single rows were not kept. Explain again with keep_rows=True."
            )
        return self.kept

    def _disparity(self, stratum: int) -> Estimate:
        """Return Δ with the error of two samples: no link enters it."""
        value = float(self.estimates_at(stratum).values[self._place.disparity])
        if not self.replicates:
            return _normal(value, np.nan)
        place = self._columns.factual
        return _normal(
            value, float(np.sqrt(self.tally.covariance(stratum, self.reference)[place, place]))
        )


def _normal(value: float, error: float) -> Estimate:
    half = ndtri((1 + CONFIDENCE) / 2) * error
    return Estimate(value, float(value - half), float(value + half), float(error))
