"""Causal graphs of the examples, with the roles of their nodes."""

from dataclasses import dataclass
from importlib.resources import files

from fairpath.graph.causal_graph import CausalGraph


@dataclass(frozen=True)
class ExampleGraph:
    """A causal graph with the roles of its nodes."""

    graph: CausalGraph
    sensitive: str
    outcome: str

    @property
    def inputs(self) -> tuple[str, ...]:
        """What a model for the outcome reads: everything but the outcome and the attribute."""
        return tuple(n for n in self.graph.nodes if n not in (self.sensitive, self.outcome))


def adult_graph() -> ExampleGraph:
    """Return the graph of the Adult census data: sex, seven features and income."""
    return ExampleGraph(_read("adult.txt"), sensitive="sex", outcome="income")


def compas_graph() -> ExampleGraph:
    """Return the graph of the COMPAS data: race, seven features and no recidivism."""
    return ExampleGraph(_read("compas.txt"), sensitive="race", outcome="no_recidivism")


def nutrition_graph() -> ExampleGraph:
    """Return the graph of the NHANES I data: race, 17 features and 15-year survival."""
    return ExampleGraph(_read("nutrition.txt"), sensitive="race", outcome="survival")


def _read(name: str) -> CausalGraph:
    text = files("fairpath.datasets").joinpath("graphs", name).read_text(encoding="utf-8")
    return CausalGraph.parse(text)
