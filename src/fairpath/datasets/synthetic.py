"""People whose mechanisms are known: the simulations of the paper."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from fairpath.datasets.dataset import Backend, Dataset, usual_backend
from fairpath.explain import explain
from fairpath.explanation import Explanation
from fairpath.frames import as_table, check_seed
from fairpath.graph.causal_graph import CausalGraph
from fairpath.links import KnownLink
from fairpath.options import check_choices, check_counts
from fairpath.paths import arrange
from fairpath.vocabulary import BoolMatrix, Edge, FloatMatrix, FloatVector

Outcome: TypeAlias = Literal["S1", "S2", "crossed"]
Structure: TypeAlias = Literal["random", "symmetric"]

N_FEATURES = 10
MANY = 100_000
"""People from whom the range of the score is taken."""

POPULATION = 200_000

SYNTHETIC = """Simulated: a sensitive attribute, ten features in a {structure} graph, each linear in
its causes plus standard normal noise, and an outcome ({kind}) whose probability is
{transformation}
of the features, brought to [0, 1]; after Pan et al. (2021), appendix. Known biases: those it was
given."""

TRANSFORMATIONS = {
    "S1": "a linear function z",
    "S2": "z + 2 sin z of a linear function z",
    "crossed": "a linear function with strong interactions",
}


@dataclass(frozen=True, eq=False, repr=False)
class Synthetic(Dataset):
    """A simulated table with what is true of it.

    Attributes
    ----------
    links
        The true mechanism of each feature on a path, as `explain` takes them.
    draw
        More people of the same population: called with their number and a seed, it returns a table.
    """

    links: Mapping[str, KnownLink]
    draw: Callable[[int, int], Any]

    def explained(
        self,
        model: object,
        *,
        n_rows: int = POPULATION,
        seed: int = 0,
        **options: Any,  # noqa: ANN401
    ) -> Explanation:
        """Return the true contributions of the paths: many new people, the true links.

        Parameters
        ----------
        model
            As for `explain`.
        n_rows, seed
            How many people are drawn, and from which random numbers.
        **options
            Further options of `explain`, as ``output``.
        """
        asked: dict[str, Any] = {"rounds": 1, "intervals": None, "outcome": self.outcome, **options}
        return explain(
            model,
            self.draw(n_rows, seed),
            graph=self.graph,
            sensitive=self.sensitive,
            inputs=self.inputs,
            links=dict(self.links),
            seed=seed,
            **asked,
        )


@dataclass(frozen=True, eq=False)
class _World:
    """The numbers behind a simulation: who depends on whom, and how."""

    causes: FloatMatrix  # weights, a row for each feature, a column for each cause
    shift: FloatVector  # what the attribute adds to each feature
    scored: FloatVector  # weights of the features in the score
    bends: FloatMatrix
    kind: Outcome

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"x{i}" for i in range(len(self.shift)))

    def edges(self) -> tuple[Edge, ...]:
        names = self.names
        return (
            *(("a", names[i]) for i in np.flatnonzero(self.shift)),
            *((names[j], names[i]) for i, j in np.argwhere(self.causes)),
            *((names[i], "y") for i in np.flatnonzero(self.scored)),
        )

    def mean(self, feature: int, known: Mapping[str, FloatVector]) -> FloatVector:
        """Return the mean of a feature, given its causes."""
        names = self.names
        result = self.shift[feature] * known["a"] if self.shift[feature] else 0.0
        for cause in np.flatnonzero(self.causes[feature]):
            result = result + self.causes[feature, cause] * known[names[cause]]
        return np.broadcast_to(result, (len(next(iter(known.values()))),)).astype(np.float64)

    def people(self, n: int, rng: np.random.Generator) -> dict[str, FloatVector]:
        """Draw the attribute and the features of ``n`` people."""
        known = {"a": rng.integers(0, 2, n).astype(np.float64)}
        for i, name in enumerate(self.names):
            known[name] = self.mean(i, known) + rng.normal(size=n)
        return known

    def score(self, known: Mapping[str, FloatVector]) -> FloatVector:
        """Return what the probability of the outcome rises with."""
        x = np.column_stack([known[name] for name in self.names])
        z = x @ self.scored
        if self.kind == "S2":
            return np.asarray(z + 2 * np.sin(z))
        if self.kind == "crossed":
            return np.asarray(z + 2 * np.sin(x @ self.bends[:, 0]) * np.abs(x @ self.bends[:, 1]))
        return np.asarray(z)


def make_synthetic(
    kind: Outcome = "S1",
    n_rows: int = 10_000,
    *,
    structure: Structure = "random",
    seed: int = 0,
    backend: Backend | None = None,
) -> Synthetic:
    """Draw people from a simulation of the paper, with its graph and true links.

    Parameters
    ----------
    kind
        The probability of the outcome: ``"S1"`` linear in the features; ``"S2"`` with an additional
        non-linear transformation; ``"crossed"`` with interactions that leave a disparity which is
        small beside the spread.
    n_rows
        How many people.
    structure
        ``"random"``: a feature is a cause of each later one with probability 0.2, and the attribute
        of each feature with probability 0.4; weights between 0.5 and 1.5 with a random sign.
        ``"symmetric"``: the attribute causes five features, each of these two of five others, which
        the model reads; all weights are equal, so that all ten paths carry the same.
    seed
        Decides the graph, its weights and the people.
    backend
        Library of the table; pandas where it is installed, else pyarrow.

    >>> people = make_synthetic("S1", 1000, seed=1)
    >>> people.sensitive, people.outcome, len(people.inputs)
    ('a', 'y', 10)
    """
    check_choices(kind=(kind, get_args(Outcome)), structure=(structure, get_args(Structure)))
    check_counts(n_rows=(n_rows, 2))
    check_seed(seed)
    rng = np.random.default_rng(seed)
    world = _random(kind, rng) if structure == "random" else _symmetric(kind)
    graph = CausalGraph(world.edges(), nodes=("a", *world.names, "y"))
    read = world.names if structure == "random" else world.names[N_FEATURES // 2 :]
    many = world.score(world.people(MANY, np.random.default_rng([seed, MANY])))
    low, high = np.quantile(many, [0.001, 0.999])
    library = usual_backend(backend)

    def draw(n: int, seed: int) -> Any:  # noqa: ANN401 - a table of any library
        rng = np.random.default_rng([seed, 1])
        known = world.people(n, rng)
        chance = np.clip((world.score(known) - low) / (high - low), 0, 1)
        outcome = (rng.random(n) < chance).astype(np.int64)
        return as_table({**known, "a": known["a"].astype(np.int64), "y": outcome}, library)

    blocks = arrange(graph, sensitive="a", inputs=read).blocks
    links = {name: KnownLink(partial(world.mean, world.names.index(name))) for (name,) in blocks}
    description = SYNTHETIC.format(
        structure=structure, kind=kind, transformation=TRANSFORMATIONS[kind]
    )
    return Synthetic(
        kind, draw(n_rows, seed), graph, "a", "y", read, description, links=links, draw=draw
    )


def _random(kind: Outcome, rng: np.random.Generator) -> _World:
    """Draw a graph in which the attribute causes something, and its weights."""

    def weights(shape: tuple[int, ...]) -> FloatMatrix:
        signed: FloatMatrix = rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape)
        return signed

    joined: BoolMatrix = np.zeros((N_FEATURES, N_FEATURES), dtype=np.bool_)
    from_a = np.zeros(N_FEATURES, dtype=np.bool_)
    while not from_a.any():
        joined = np.tril(rng.random((N_FEATURES, N_FEATURES)) < 0.2, -1)  # noqa: PLR2004
        from_a = rng.random(N_FEATURES) < 0.4  # noqa: PLR2004
    causes: FloatMatrix = weights((N_FEATURES, N_FEATURES)) * joined
    shift: FloatVector = weights((N_FEATURES,)) * from_a
    return _World(causes, shift, weights((N_FEATURES,)), weights((N_FEATURES, 2)), kind)


def _symmetric(kind: Outcome) -> _World:
    """Return two rings of five: the one is caused by the attribute, the other by it.

    A feature of the second ring has two neighbours in the first. Turning and mirroring both rings
    takes each path a → u → w → prediction to each other one.
    """
    half = N_FEATURES // 2
    causes = np.zeros((N_FEATURES, N_FEATURES))
    for i in range(half):
        causes[half + i, [i, (i + 1) % half]] = 0.8
    first = np.arange(N_FEATURES) < half
    second = (~first).astype(np.float64)
    bends = np.column_stack([second, second])
    return _World(causes, np.where(first, 0.8, 0.0), second, bends, kind)
