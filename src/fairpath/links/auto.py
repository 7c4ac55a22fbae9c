"""The link that predicts held-out rows best, chosen for each feature."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from fairpath.encoding import Variable
from fairpath.links.coupled import CoupledLogisticLink
from fairpath.links.curves import CurveDesign
from fairpath.links.design import Designs
from fairpath.links.forest import ForestLink
from fairpath.links.index import IndexForestLink
from fairpath.links.linear import LinearLink
from fairpath.links.link import FittedLink, Link
from fairpath.links.residual import ResidualForestLink
from fairpath.links.rows import Rows, counted
from fairpath.links.scores import energy_scores
from fairpath.links.trees import Growth
from fairpath.vocabulary import FloatMatrix, FloatVector, IntVector

MOST_ROWS = 6000
"""Rows on which candidates are compared."""

FOLDS = 3
LEAST_DRAWS, MOST_DRAWS = 6, 60
"""Values that a candidate generates for each held-out row: more where there are few rows..."""

ALL_DRAWS = 36_000
"""...so many in all."""

LEAST_REPEATS = 5
"""Where a number takes each of its values so often, on average, no row takes another one."""

BENT = {"line": "curves", "logistic": "curves", "line, ranks": "curves, ranks"}
"""The same kind of link with curves and products instead of a straight line."""

CLEARLY = 2.0
"""Standard errors of the difference between two scores."""

LEAST_ROWS = 30
"""With fewer rows there is nothing to hold out: the linear link."""


@dataclass(frozen=True)
class AutoLink:
    """Compares lines, forests and what is between them by a proper score on held-out rows."""

    def fit(
        self,
        parents: FloatMatrix,
        values: FloatVector,
        *,
        sources: tuple[Variable, ...],
        target: Variable,
        weights: FloatVector,
        rng: np.random.Generator,
    ) -> "ChosenLink":
        """Choose, then fit the chosen one on all rows."""
        rows = Rows(*counted(parents, values, weights, target), sources, target)
        candidates = _candidates(rows.values, target)
        by_row, mass = _scores(rows, candidates, rng)
        name = _chosen(by_row, mass) if by_row else next(iter(candidates))
        # The chosen one bends as these rows allow, also where it learns from some of them later.
        curves = CurveDesign.of(rows.parents, sources, rows.weights).again
        link = _candidates(rows.values, target, curves)[name]
        scores = {name: float(np.average(found, weights=mass)) for name, found in by_row.items()}
        return ChosenLink(rows.fit(link, rng), link, name, scores)


@dataclass(frozen=True, eq=False)
class ChosenLink:
    """The fitted link that won.

    Attributes
    ----------
    fitted
        The fitted link itself.
    link
        Its kind, not fitted.
    chosen
        Its name.
    scores
        The score of each candidate, lower is better; empty if there was nothing to compare.
    """

    fitted: FittedLink
    link: Link
    chosen: str
    scores: Mapping[str, float]

    def abduct(
        self, parents: FloatMatrix, values: FloatVector, uniforms: FloatMatrix
    ) -> FloatMatrix:
        """Ask the fitted link."""
        return self.fitted.abduct(parents, values, uniforms)

    def generate(self, parents: FloatMatrix, noise: FloatMatrix) -> FloatVector:
        """Ask the fitted link."""
        return self.fitted.generate(parents, noise)


def _candidates(
    values: FloatVector, target: Variable, curves: Designs = CurveDesign.of
) -> dict[str, Link]:
    """Return what is compared, the first one being the default.

    All candidates for a column carry noise from world to world in the same way: numbers and
    ordered levels keep their rank, unordered levels change as little as can be. So what is
    estimated does not depend on which of them wins.
    """
    if target.is_category and not target.ordered and target.n_levels > 2:  # type: ignore[operator]  # noqa: PLR2004
        return {
            "logistic": CoupledLogisticLink(),
            "curves": CoupledLogisticLink(curves),
            "forest": ForestLink(),
        }
    known = values[~np.isnan(values)]
    n_distinct = len(np.unique(known))
    if target.is_category or n_distinct <= 2:  # noqa: PLR2004
        return {
            "logistic": LinearLink(),
            "curves": LinearLink(curves),
            "forest": ForestLink(),
        }
    if n_distinct * LEAST_REPEATS <= len(known):
        return {
            "line, ranks": IndexForestLink(),
            "curves, ranks": IndexForestLink(design=curves),
            "forest": ForestLink(),
        }
    ranks = Growth(n_trees=1, leaf=np.inf)
    return {
        "line": ResidualForestLink(ranks),
        "curves": ResidualForestLink(ranks, curves),
        "line and forest": ResidualForestLink(),
        "forest": ForestLink(),
    }


def _scores(
    rows: Rows, candidates: Mapping[str, Link], rng: np.random.Generator
) -> tuple[dict[str, FloatVector], FloatVector]:
    """Return the scores of rows and their weights; none if there is nothing to compare."""
    shuffled = rng.permutation(len(rows.values))[:MOST_ROWS]
    if len(shuffled) < LEAST_ROWS or len(np.unique(rows.values[shuffled])) < 2:  # noqa: PLR2004
        return {}, np.empty(0)
    n_draws = int(np.clip(ALL_DRAWS // len(shuffled), LEAST_DRAWS, MOST_DRAWS))
    found: dict[str, list[FloatVector]] = {name: [] for name in candidates}
    masses = []
    for some, others in _folds(shuffled):
        learned, tested = rows.part(some), rows.part(others)
        donors = rng.integers(len(some), size=(len(others), n_draws))
        uniforms = rng.random((len(some), 2))
        masses.append(tested.weights)
        for name, link in candidates.items():
            fitted = learned.fit(link, rng)
            noise = fitted.abduct(learned.parents, learned.values, uniforms)
            found[name].append(energy_scores(fitted, noise, tested, donors))
    return {name: np.concatenate(parts) for name, parts in found.items()}, np.concatenate(masses)


def _chosen(scores: Mapping[str, FloatVector], mass: FloatVector) -> str:
    """Return the best candidate; a straight one only if it is clearly better than the bent one.

    A bend or a product that is there and too small to improve the score still moves
    contributions, by more than its coefficient costs in precision.
    """
    best = min(scores, key=lambda name: float(np.average(scores[name], weights=mass)))
    bent = BENT.get(best)
    if bent is None:
        return best
    worse = scores[bent] - scores[best]
    mean = np.average(worse, weights=mass)
    error = np.sqrt((mass * (worse - mean) ** 2).sum()) / mass.sum()
    return best if mean > CLEARLY * error else bent


def _folds(rows: IntVector) -> Iterator[tuple[IntVector, IntVector]]:
    place = np.arange(len(rows)) % FOLDS
    for fold in range(FOLDS):
        yield rows[place != fold], rows[place == fold]
