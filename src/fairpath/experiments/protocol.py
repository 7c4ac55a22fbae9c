"""The paper's protocol: random divisions, models tuned by cross-validation."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fairpath.baselines import pse
from fairpath.datasets import Dataset
from fairpath.experiments.experiment import Scale
from fairpath.explain import explain
from fairpath.explanation import Explanation
from fairpath.graph import CausalGraph
from fairpath.training import Kind, trained

TEST_SHARE = 0.3
MODELS: tuple[Kind, ...] = ("mlp", "xgboost")
HIDDEN = {"synthetic": 32, "adult": 16, "compas": 8, "nutrition": 16}
"""Hidden units of the paper's networks."""

FEW_TREES, TREES = 50, 200


@dataclass(frozen=True, eq=False)
class Split:
    """A data set divided at random: rows that train a model, rows that are explained."""

    dataset: Dataset
    seed: int
    train: Any
    test: Any
    scale: Scale

    def model(self, kind: Kind) -> Any:  # noqa: ANN401
        """Train one of the paper's models."""
        hidden = HIDDEN.get(self.dataset.name, HIDDEN["synthetic"])
        return trained(
            kind,
            self.train,
            inputs=self.dataset.inputs,
            outcome=self.dataset.outcome,
            hidden=hidden,
            trees=TREES if self.scale.tune else FEW_TREES,
            tune=self.scale.tune,
            seed=self.seed,
        )

    def explained(
        self, model: object, graph: CausalGraph | None = None, **options: object
    ) -> Explanation:
        """Explain a model on the rows that did not train it."""
        return self._asked(explain, model, graph, **options)

    def pse(
        self, model: object, graph: CausalGraph | None = None, **options: object
    ) -> Explanation:
        """Return path-specific effects on the same rows."""
        return self._asked(pse, model, graph, **options)

    def _asked(
        self,
        method: Any,  # noqa: ANN401 - explain or one with its call
        model: object,
        graph: CausalGraph | None,
        **options: object,
    ) -> Explanation:
        found: Explanation = method(
            model,
            self.test,
            graph=self.dataset.graph if graph is None else graph,
            sensitive=self.dataset.sensitive,
            outcome=self.dataset.outcome,
            inputs=self.dataset.inputs,
            seed=self.seed,
            **{"intervals": None, **options},
        )
        return found


def splits(dataset: Dataset, scale: Scale) -> Iterator[Split]:
    """Divide a data set at random, 70 to 30, as often as asked."""
    for seed in range(scale.repeats):
        yield split(dataset, seed, scale)


def split(dataset: Dataset, seed: int, scale: Scale) -> Split:
    """Divide a data set at random, 70 to 30."""
    from sklearn.model_selection import train_test_split  # noqa: PLC0415 - slow to import

    rows = dataset.data
    if scale.most_rows is not None and len(rows) > scale.most_rows:
        rows, _ = train_test_split(rows, train_size=scale.most_rows, random_state=seed)
    train, test = train_test_split(rows, test_size=TEST_SHARE, random_state=seed)
    return Split(dataset, seed, train, test, scale)
