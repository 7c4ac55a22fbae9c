"""Any scikit-learn estimator as a link.

A regressor predicts a number, and a row keeps its residual in every world. A classifier gives
the probability of each level, and a row keeps its place among them; numbers that take few
values can be levels too.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fairpath.encoding import Variable
from fairpath.errors import DataError
from fairpath.links.additive import Additive, MaybeMissing
from fairpath.links.design import Design
from fairpath.links.levels import Placed, Relabelled
from fairpath.links.linear import LinearLink
from fairpath.links.link import FittedLink
from fairpath.links.logistic import fit_levels
from fairpath.links.rows import counted
from fairpath.vocabulary import FloatMatrix, FloatVector, IntVector

MOST_VALUES = 50
"""Numbers with more distinct values than this are no levels."""


class Estimator(Protocol):
    """What every scikit-learn estimator can do, and a link cannot."""

    def get_params(self) -> dict[str, Any]:
        """Return its parameters."""
        ...


@dataclass(frozen=True)
class EstimatorLink:
    """A scikit-learn regressor or classifier of the parents.

    The estimator reads numbers as they are, the mean and an indicator where one is missing, and
    an indicator for each level of a category but the first. Each fit has a copy of it, with
    random states of its own where they are None.

    Residuals are those of the rows that taught the estimator: one that follows them too closely
    leaves too little noise.

    Parameters
    ----------
    estimator
        A regressor for numbers. A classifier with ``predict_proba`` for categories, and for
        numbers with at most 50 distinct values.
    """

    estimator: Estimator

    def fit(
        self,
        parents: FloatMatrix,
        values: FloatVector,
        *,
        sources: tuple[Variable, ...],
        target: Variable,
        weights: FloatVector,
        rng: np.random.Generator,
    ) -> FittedLink:
        """Fit a copy of the estimator."""
        parents, values, weights = counted(parents, values, weights, target)
        there = ~np.isnan(values)
        classifies = self._classifies(values[there], target)
        labels, codes = np.unique(values[there], return_inverse=True)
        if len(labels) < 2:  # noqa: PLR2004 - nothing to predict, and many estimators refuse
            return LinearLink().fit(
                parents, values, sources=sources, target=target, weights=weights, rng=rng
            )
        design = Design.of(parents, sources, weights)
        model = self._fitted(
            _columns(design, parents[there]),
            codes if classifies else values[there],
            weights[there],
            target.name,
            rng,
        )
        if target.n_levels is not None:
            return Placed(EstimatedLaw(design, model, labels.astype(np.intp), target.n_levels))
        numbers: FittedLink
        if classifies:
            positions = np.arange(len(labels))
            law = EstimatedLaw(design, model, positions, len(labels))
            numbers = Relabelled(labels, Placed(law))
        else:
            mean = EstimatedMean(design, model)
            numbers = Additive.of(mean, values[there] - mean(parents[there]), weights[there])
        if there.all():
            return numbers
        return MaybeMissing(fit_levels(design, parents, there.astype(np.intp), 2, weights), numbers)

    def _classifies(self, known: FloatVector, target: Variable) -> bool:
        """Return whether the estimator is a classifier, if it can serve this column at all."""
        from sklearn.base import is_classifier, is_regressor  # noqa: PLC0415 - slow to import

        what = f"{type(self.estimator).__name__} cannot be the link of {target.name!r}"
        if is_regressor(self.estimator):
            if target.n_levels is None:
                return False
            raise DataError(
                f"{what}: it is a regressor and the column a category. "
                "Use a classifier with predict_proba."
            )
        if not is_classifier(self.estimator):
            raise DataError(
                f"{what}: it is neither a regressor nor a classifier. "
                "Use a regressor for numbers and a classifier for categories."
            )
        if not hasattr(self.estimator, "predict_proba"):
            raise DataError(
                f"{what}: it has no predict_proba. Use a classifier that gives probabilities, "
                "or wrap it in sklearn.calibration.CalibratedClassifierCV."
            )
        n_values = len(np.unique(known))
        if target.n_levels is None and n_values > MOST_VALUES:
            raise DataError(
                f"{what}: it is a classifier and the column takes {n_values} values, "
                f"at most {MOST_VALUES} can be levels. Use a regressor."
            )
        return True

    def _fitted(
        self,
        columns: FloatMatrix,
        goal: FloatVector | IntVector,
        weights: FloatVector,
        name: str,
        rng: np.random.Generator,
    ) -> Any:  # noqa: ANN401 - scikit-learn is untyped
        from sklearn.base import clone  # noqa: PLC0415 - slow to import

        model = clone(self.estimator)
        model.set_params(
            **{
                parameter: int(rng.integers(2**31))
                for parameter, value in sorted(model.get_params().items(), key=lambda item: item[0])
                if parameter.split("__")[-1] == "random_state" and value is None
            }
        )
        argument = _weight_argument(model)
        if argument is None and (weights != weights[0]).any():
            raise DataError(
                f"{type(model).__name__} cannot be the link of {name!r}: the rows have unequal "
                "weights, and its fit takes no sample_weight. Use an estimator that takes it, or "
                "leave the weights out."
            )
        counted = {} if argument is None else {argument: weights}
        try:
            return model.fit(columns, goal, **counted)
        except Exception as error:
            raise DataError(
                f"{type(model).__name__} cannot be the link of {name!r}: its fit failed with "
                f"{type(error).__name__}: {error}. It reads numbers, and an indicator for each "
                "level of a category."
            ) from error


@dataclass(frozen=True, eq=False)
class EstimatedMean:
    """What a fitted regressor predicts."""

    design: Design
    model: Any

    def __call__(self, parents: FloatMatrix) -> FloatVector:
        """Return it for some rows."""
        predicted = self.model.predict(_columns(self.design, parents))
        return np.asarray(predicted, dtype=np.float64).reshape(len(parents))


@dataclass(frozen=True, eq=False)
class EstimatedLaw:
    """The probabilities of a fitted classifier; a level without rows has no chance."""

    design: Design
    model: Any
    levels: IntVector
    n_levels: int

    def __call__(self, parents: FloatMatrix) -> FloatMatrix:
        """Return the probability of each level, for some rows."""
        law = np.zeros((len(parents), self.n_levels))
        law[:, self.levels] = self.model.predict_proba(_columns(self.design, parents))
        return law


def _columns(design: Design, parents: FloatMatrix) -> FloatMatrix:
    """Return the regressors without the intercept, unless there is nothing else."""
    regressors = design(parents)
    return regressors[:, 1:] if regressors.shape[1] > 1 else regressors


def _weight_argument(model: object) -> str | None:
    """Return the name under which ``fit`` takes weights."""
    from sklearn.utils.validation import has_fit_parameter  # noqa: PLC0415 - slow to import

    steps = getattr(model, "steps", None)
    if steps:
        name, last = steps[-1]
        inner = _weight_argument(last)
        return None if inner is None else f"{name}__{inner}"
    return "sample_weight" if has_fit_parameter(model, "sample_weight") else None
