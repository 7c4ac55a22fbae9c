"""Fair learners beside path selection: the paper's baselines by fairlearn, over the same network.

Each takes the rows that train and yields predictors for several weights of fairness. A predictor
takes rows and gives decisions.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np

from fairpath.experiments.protocol import Split
from fairpath.selection import PathSelectionClassifier
from fairpath.vocabulary import IntVector

Predictor: TypeAlias = Callable[[Any], IntVector]
Fitted: TypeAlias = tuple[float, Predictor]
"""A weight of fairness, and what it leads to."""

LIMITS = (0.0, 0.03, 0.05, 0.1)
"""Largest disparities that are asked for."""

BOUNDS = (0.005, 0.02, 0.05)
"""The same for exponentiated gradient, which takes a network for each of its steps; it bounds the
distance to the mean of all, about half of the disparity."""

WEIGHTS = (0.02, 0.1, 0.3, 1.0)
"""λ of path selection."""

MULTIPLIERS = 8
STEPS = 8
"""Of fairlearn's grid search, and of its exponentiated gradient."""

ADVERSARIES = (0.3, 3.0, 10.0)
EPOCHS, BATCH = 10, 256


@dataclass(frozen=True, eq=False)
class Task:
    """A divided data set, and the network that knows nothing of fairness."""

    part: Split
    model: Any
    quick: bool

    @property
    def inputs(self) -> list[str]:
        """What the network reads."""
        return list(self.part.dataset.inputs)

    @property
    def sensitive(self) -> Any:  # noqa: ANN401 - a column
        """The attribute of the rows that train."""
        return self.part.train[self.part.dataset.sensitive]

    @property
    def outcome(self) -> Any:  # noqa: ANN401 - a column
        """The outcome of the rows that train."""
        return self.part.train[self.part.dataset.outcome]

    def of(self, values: tuple[float, ...]) -> tuple[float, ...]:
        """Return all weights, or one of them in a quick run."""
        return values[1:2] if self.quick else values


def unfair(task: Task) -> Iterator[Fitted]:
    """Yield the network as it is."""
    yield 0.0, partial(_of_network, task.model, task)


def paths(task: Task) -> Iterator[Fitted]:
    """Yield path selection as in the paper: the greedy choice for each λ."""
    for weight in task.of(WEIGHTS):
        yield weight, _selected(task, fairness_weight=weight, output="decision")


def mixed_paths(task: Task) -> Iterator[Fitted]:
    """Yield path selection within a limit: two selections mixed, the threshold tuned."""
    for limit in task.of(LIMITS):
        yield limit, _selected(task, max_disparity=limit, threshold="tuned")


def _selected(task: Task, **options: Any) -> Predictor:  # noqa: ANN401
    from sklearn.frozen import FrozenEstimator  # noqa: PLC0415 - slow to import

    data = task.part.dataset
    columns = [data.sensitive, *task.inputs]
    fair = PathSelectionClassifier(
        FrozenEstimator(task.model),
        graph=data.graph,
        sensitive=data.sensitive,
        outcome=data.outcome,
        seed=task.part.seed,
        **options,
    ).fit(task.part.train[columns], task.outcome)
    return lambda rows: np.asarray(fair.predict(rows[columns]))


def reductions(task: Task) -> Iterator[Fitted]:
    """Yield RFL (Agarwal et al. 2018): exponentiated gradient over the network, by its bound."""
    from fairlearn.reductions import DemographicParity, ExponentiatedGradient  # noqa: PLC0415
    from sklearn.base import clone  # noqa: PLC0415

    for bound in task.of(BOUNDS):
        learner = ExponentiatedGradient(
            clone(task.model),
            DemographicParity(difference_bound=bound),
            max_iter=3 if task.quick else STEPS,
            sample_weight_name="model__sample_weight",
        )
        learner.fit(task.part.train[task.inputs], task.outcome, sensitive_features=task.sensitive)
        yield bound, partial(_by_chance, learner, task)


def _by_chance(learner: Any, task: Task, rows: Any) -> IntVector:  # noqa: ANN401
    """Exponentiated gradient decides at random between networks."""
    return np.asarray(learner.predict(rows[task.inputs], random_state=task.part.seed))


def grid(task: Task) -> Iterator[Fitted]:
    """Yield RFL by grid search over the multipliers, a network for each."""
    from fairlearn.reductions import DemographicParity, GridSearch  # noqa: PLC0415
    from sklearn.base import clone  # noqa: PLC0415

    learner = GridSearch(
        clone(task.model),
        DemographicParity(),
        grid_size=3 if task.quick else MULTIPLIERS,
        sample_weight_name="model__sample_weight",
    )
    learner.fit(task.part.train[task.inputs], task.outcome, sensitive_features=task.sensitive)
    for place, network in enumerate(learner.predictors_):
        yield float(place), partial(_of_network, network, task)


def _of_network(network: Any, task: Task, rows: Any) -> IntVector:  # noqa: ANN401
    return np.asarray(network.predict(rows[task.inputs]))


def thresholds(task: Task) -> Iterator[Fitted]:
    """Yield fairlearn's ThresholdOptimizer: a threshold for each stratum."""
    from fairlearn.postprocessing import ThresholdOptimizer  # noqa: PLC0415

    learner = ThresholdOptimizer(
        estimator=task.model, prefit=True, predict_method="predict_proba"
    ).fit(task.part.train[task.inputs], task.outcome, sensitive_features=task.sensitive)

    def decide(rows: Any) -> IntVector:  # noqa: ANN401
        return np.asarray(
            learner.predict(
                rows[task.inputs],
                sensitive_features=rows[task.part.dataset.sensitive],
                random_state=task.part.seed,
            )
        )

    yield 0.0, decide


def adversary(task: Task) -> Iterator[Fitted]:
    """Yield AFL (Zhang et al. 2018): fairlearn's adversarial network, by the adversary's weight."""
    from fairlearn.adversarial import AdversarialFairnessClassifier  # noqa: PLC0415

    columns, hidden = task.model["columns"], task.model["model"].hidden_layer_sizes[0]
    train = np.asarray(columns.transform(task.part.train[task.inputs]), dtype=np.float32)
    for weight in task.of(ADVERSARIES):
        learner = AdversarialFairnessClassifier(
            backend="torch",
            predictor_model=[hidden, "relu"],
            adversary_model=[4, "relu"],
            alpha=weight,
            epochs=1 if task.quick else EPOCHS,
            batch_size=BATCH,
            random_state=task.part.seed,
        )
        learner.fit(train, task.outcome.to_numpy(), sensitive_features=task.sensitive.to_numpy())

        def decide(rows: Any, learner: Any = learner) -> IntVector:  # noqa: ANN401
            shown = np.asarray(columns.transform(rows[task.inputs]), dtype=np.float32)
            return np.asarray(learner.predict(shown)).ravel().astype(np.intp)

        yield weight, decide


LEARNERS: dict[str, Callable[[Task], Iterator[Fitted]]] = {
    "unfair": unfair,
    "ours": paths,
    "ours, mixed": mixed_paths,
    "RFL, exponentiated gradient": reductions,
    "RFL, grid": grid,
    "AFL": adversary,
    "thresholds": thresholds,
}


def available() -> dict[str, Callable[[Task], Iterator[Fitted]]]:
    """Return the learners whose libraries are installed."""
    fairlearn = ("RFL, exponentiated gradient", "RFL, grid", "thresholds")
    needs: dict[str, tuple[str, ...]] = dict.fromkeys(fairlearn, ("fairlearn",))
    needs["AFL"] = ("fairlearn", "torch")
    return {
        name: learner
        for name, learner in LEARNERS.items()
        if all(find_spec(library) for library in needs.get(name, ()))
    }
