"""The result: how much of the disparity each path carries, and how sure that is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from os import PathLike as PathLikeFile
from typing import Any, TypeAlias

import numpy as np
from scipy.special import ndtri

from fairpath.disparity import Viewpoint
from fairpath.errors import DataError
from fairpath.explanation import display, storage, tables
from fairpath.explanation import measures as auditing
from fairpath.explanation.measures import Unit
from fairpath.explanation.people import People
from fairpath.explanation.quantities import (
    Columns,
    Comparison,
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

ByComparison: TypeAlias = Estimate | dict[Any, Any]
"""One estimate; with more than two strata one for each that is compared with the reference; and
under equalized odds one of these for each outcome."""


@dataclass(frozen=True, eq=False)
class Setting:
    """What was asked, and what came with the answer.

    Attributes
    ----------
    sensitive, outcome
        Columns.
    output, threshold, favourable, conditioning, method, order
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
    conditioning: str
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
        φ, a column for each path; NaN in rows that the disparity does not look at.
    factual, base
        f(x) and v(∅), as they enter the disparity.
    strata
        The position of each row's stratum in ``levels``.
    favoured, weights
        Whether its outcome is the favourable one, and how often the row counts.
    """

    values: FloatMatrix
    factual: FloatVector
    base: FloatVector
    strata: IntVector
    favoured: IntVector
    weights: FloatVector


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
    viewpoint
        The disparity: which rows enter, how, and which differences are reported.
    has_utility
        Whether there is an outcome and the output is within [0, 1].
    graph_range
        How far contributions move over several graphs, where that was asked for; see
        `fairpath.doubt.ranges`. No part of a file.
    contested
        Paths marked as contested by `mark`; all others are allowed.
    if_contested_cut
        The disparity if only the allowed paths carried the sensitive attribute; None if no
        paths were marked.
    notes
        What was assumed or decided.
    people
        Who was explained, as digests: whether two explanations are about the same people.
    kept
        Results for each row; None if they were not kept.
    study
        What it takes to ask further questions; None if loaded from a file.
    """

    paths: tuple[Path, ...]
    levels: tuple[Any, ...]
    reference: int
    viewpoint: Viewpoint
    has_utility: bool
    tally: Tally
    replicates: tuple[tuple[Tally, ...], ...]
    setting: Setting
    notes: tuple[str, ...]
    people: People
    kept: Kept | None = None
    study: Study | None = None
    graph_range: Any = None
    contested: tuple[Path, ...] = ()
    if_contested_cut: ByComparison | None = None

    @property
    def compared(self) -> tuple[Comparison, ...]:
        """What is compared: each stratum with the reference, in each view of the disparity."""
        return tuple(
            Comparison(view, stratum, self.reference)
            for view in self.viewpoint.views
            for stratum in range(len(self.levels))
            if stratum != self.reference
        )

    @property
    def disparity(self) -> ByComparison:
        """Δ: the mean output of the stratum minus that of the reference."""
        return self.by_comparison([self._disparity(one) for one in self.compared])

    @property
    def larger_disparity(self) -> Estimate:
        """The one with the largest absolute value, of all that are compared."""
        return max((self._disparity(one) for one in self.compared), key=lambda e: abs(e.value))

    @property
    def remainder(self) -> ByComparison:
        """The disparity of v(∅), less what stands `apart`: what no path carries."""
        place = self._place.remainder
        return self.by_comparison([self.estimates_at(one)[place] for one in self.compared])

    @property
    def apart(self) -> ByComparison | None:
        """The base rates of, or the selection by, the outcome; None where neither applies."""
        if not any(one.view.apart for one in self.compared):
            return None
        place = self._place.apart
        return self.by_comparison([self.estimates_at(one)[place] for one in self.compared])

    @property
    def utility(self) -> Estimate | None:
        """U(f) = E[y f + (1 - y)(1 - f)] over the rows that are looked at.

        None without an outcome or beyond [0, 1].
        """
        if not self.has_utility:
            return None
        value = self.estimates_at(self.compared[0]).values[self._place.utility]
        signs = self.viewpoint.signs
        error = np.nan
        if self.replicates:
            error = sampling_error_of_utility(self.tally, self._columns, signs)
        return _normal(float(value), error)

    @property
    def base_utility(self) -> Estimate | None:
        """Ψ(∅): the utility of v(∅), which no path adds to."""
        if not self.has_utility:
            return None
        return self.estimates_at(self.compared[0])[self._place.base_utility]

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

    def contributions(self, stratum: object = None, outcome: object = None) -> Estimates:
        """Return the contributions with their joint error, in the order of ``paths``.

        ``stratum`` is a level that is compared with the reference, ``outcome`` 1 or 0 under
        equalized odds; by default the first one.
        """
        found = self.estimates_at(self.comparison(stratum, outcome))
        place = self._place.contributions
        return Estimates(found.values[place], found.deviations[:, place], found.freedom)

    def contribution(
        self, paths: Iterable[PathLike], stratum: object = None, outcome: object = None
    ) -> Estimate:
        """Return what some paths carry together, with the interval of the sum."""
        member = self.held(paths).astype(np.float64)[None, :]
        return self.contributions(stratum, outcome).sums(member)[0]

    def band(self, stratum: object = None, outcome: object = None) -> float:
        """Return by how many standard errors a band over all paths at once is wide."""
        found = self.contributions(stratum, outcome)
        return band_quantile(found.covariance, found.freedom, seed=self.setting.seed)

    def estimates_at(self, compared: Comparison) -> Estimates:
        """Return all `numbers` of a comparison, jointly."""
        return self._estimates[compared]

    def by_comparison(self, estimates: Sequence[Estimate]) -> ByComparison:
        """Return the only estimate, or one for each level that is compared, and each outcome."""
        found = dict(zip(self.compared, estimates, strict=True))
        by_outcome = {}
        for view in self.viewpoint.views:
            of_view = {self.levels[c.stratum]: e for c, e in found.items() if c.view == view}
            by_outcome[view.outcome] = of_view if len(of_view) > 1 else next(iter(of_view.values()))
        return by_outcome if len(by_outcome) > 1 else next(iter(by_outcome.values()))

    def held(self, paths: Iterable[PathLike]) -> BoolVector:
        """Return which of ``paths`` are among some."""
        return held(self.paths, paths)

    @property
    def rows(self) -> Any:  # noqa: ANN401 - the caller's frame type
        """φ as a table: a row for each row of the data, a column for each path."""
        kept = self._kept()
        names = [str(path) for path in self.paths]
        return as_table(dict(zip(names, kept.values.T, strict=True)), self.setting.backend)

    def bearer(self, compared: Comparison) -> dict[str, Any]:
        """Return the columns that say whom a row of a table is about."""
        bearer: dict[str, Any] = {"stratum": self.levels[compared.stratum]}
        if compared.view.outcome is not None:
            bearer["outcome"] = compared.view.outcome
        return bearer

    def measures(self) -> Any:  # noqa: ANN401 - the caller's frame type
        """Return what auditors compare with a limit: a row for each comparison.

        Columns: ``rate`` and ``reference_rate`` (the mean outputs), their ``difference``, their
        ``ratio`` with its interval and whether it keeps the ``four_fifths`` rule, and the
        ``standardised`` difference with its interval. `table` counts contributions in these.
        """
        return as_table(auditing.measures(self), self.setting.backend)

    def table(self, unit: Unit = "difference") -> Any:  # noqa: ANN401 - the caller's frame type
        """Return a row for each path, largest contribution first, then what no path carries.

        That is what stands `apart`, if there is such a thing, and the remainder. With more than two
        strata, and with two outcomes, the rows of each in turn. Columns: ``kind``, ``path``,
        ``stratum``, ``outcome`` (under equalized odds), ``contribution`` with ``low`` and ``high``
        (of the one row) and ``band_low``, ``band_high`` (of all rows at once), ``share`` of the
        disparity, then ``utility``, ``disparity_if_cut``, ``utility_if_cut``, with intervals.

        ``unit="ratio"`` divides contributions by the rate of the reference, so that they sum to
        the ratio of rates minus one; ``unit="standard deviations"`` by the pooled standard
        deviation of the output. That the divisor is an estimate too is in `measures` alone.
        """
        return as_table(tables.by_path(self, unit), self.setting.backend)

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
    def _estimates(self) -> dict[Comparison, Estimates]:
        return {
            one: estimates(
                partial(
                    numbers,
                    columns=self._columns,
                    compared=one,
                    signs=self.viewpoint.signs,
                    has_utility=self.has_utility,
                ),
                self.tally,
                self.replicates,
            )
            for one in self.compared
        }

    @property
    def _columns(self) -> Columns:
        return Columns(len(self.paths))

    @property
    def _place(self) -> Numbers:
        return Numbers(len(self.paths))

    def comparison(self, stratum: object = None, outcome: object = None) -> Comparison:
        """Return the comparison of a level with the reference; by default the first one."""
        found = self.compared
        if outcome is not None:
            found = tuple(c for c in found if c.view.outcome == outcome)
            if not found:
                known = ", ".join(repr(view.outcome) for view in self.viewpoint.views)
                raise DataError(f"outcome={outcome!r} is none of those compared: {known}.")
        if stratum is None:
            return found[0]
        position = position_of(self.levels, stratum)
        for one in found:
            if one.stratum == position:
                return one
        levels = ", ".join(repr(self.levels[c.stratum]) for c in found)
        raise DataError(
            f"stratum={stratum!r} is not compared with the reference; these are: {levels}."
        )

    def _kept(self) -> Kept:
        if self.kept is None:
            raise DataError(
                "The results of single rows were not kept. Explain again with keep_rows=True."
            )
        return self.kept

    def _disparity(self, compared: Comparison) -> Estimate:
        """Return Δ with the error of two samples: no link enters it."""
        value = float(self.estimates_at(compared).values[self._place.disparity])
        if not self.replicates:
            return _normal(value, np.nan)
        place = self._columns.factual
        inside = self.tally.among(compared.view.outcomes)
        covariance = inside.covariance(compared.stratum, compared.reference)
        return _normal(value, float(np.sqrt(covariance[place, place])))


def _normal(value: float, error: float) -> Estimate:
    half = ndtri((1 + CONFIDENCE) / 2) * error
    return Estimate(value, float(value - half), float(value + half), float(error))
