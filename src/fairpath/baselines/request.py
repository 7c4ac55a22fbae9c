"""What every baseline is asked, checked once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np

from fairpath.disparity import Viewpoint
from fairpath.errors import DataError
from fairpath.frames import Frame, as_frame, check_name, check_seed, checked_weights
from fairpath.game.contributions import Plan
from fairpath.game.path_game import PathGame
from fairpath.game.roles import inputs_among
from fairpath.game.tree import Features
from fairpath.graph import CausalGraph
from fairpath.links import Links
from fairpath.models import Output, inputs_of
from fairpath.options import (
    check_choices,
    check_jobs,
    check_outcome,
    check_threshold,
    reference_among,
)
from fairpath.outcomes import Asked, read_outcome
from fairpath.paths import Arrangement
from fairpath.preparing import study_of
from fairpath.study import Study
from fairpath.vocabulary import FloatVector


@dataclass(frozen=True, eq=False)
class Request:
    """The options that all baselines share, as for `fairpath.explain`."""

    model: object
    data: object
    graph: CausalGraph | None
    sensitive: str
    outcome: str | None
    inputs: Iterable[str] | None
    reference: object
    output: Output
    favourable: object
    threshold: float
    links: Links
    sample_weight: object
    intervals: str | None
    keep_rows: bool | None
    seed: int
    n_jobs: int | None

    def __post_init__(self) -> None:
        check_seed(self.seed)
        check_choices(
            output=(self.output, get_args(Output)),
            intervals=(self.intervals, ("refit", None)),
            keep_rows=(self.keep_rows, (None, False, True)),
        )
        check_jobs(self.n_jobs)
        check_threshold(self.threshold)
        check_name(self.sensitive, self.frame.columns)
        nodes = self.graph.nodes if isinstance(self.graph, CausalGraph) else ()
        check_outcome(self.outcome, (*self.frame.columns, *nodes), self.sensitive)

    @cached_property
    def frame(self) -> Frame:
        """The rows, as a checked table."""
        return as_frame(self.data)

    @cached_property
    def weights(self) -> FloatVector:
        """How often each row counts."""
        return checked_weights(self.sample_weight, len(self.frame))

    @cached_property
    def drawn(self) -> CausalGraph:
        """The graph; without one the columns alone."""
        return CausalGraph(nodes=tuple(self.frame.columns)) if self.graph is None else self.graph

    @cached_property
    def reads(self) -> Features:
        """What the model reads."""
        inputs = inputs_of(self.model) if self.inputs is None else self.inputs
        roles = (self.sensitive, self.outcome)
        reads = inputs_among(inputs, self.drawn, self.frame.columns, roles)
        if not reads:
            raise DataError("inputs is empty: a model that reads no column has nothing to explain.")
        return reads

    def parents(self, node: str) -> Features:
        """Return the causes of a node by the graph, as far as they are columns."""
        return tuple(p for p in self.drawn.parents(node) if p in self.frame.columns)

    def game(self, arrangement: Arrangement, sources: Mapping[str, Features]) -> PathGame:
        """Learn the links of what is arranged."""
        return PathGame.on(
            arrangement,
            self.data,
            graph=self.drawn,
            outcome=self.outcome,
            inputs=self.reads,
            links=self.links,
            weights=self.weights,
            sources=sources,
            seed=self.seed,
            n_jobs=self.n_jobs,
        )

    def study(self, game: PathGame, plan: Plan) -> tuple[Study, tuple[str, ...]]:
        """Put together what the numbers depend on, and what is worth knowing."""
        viewpoint = Viewpoint.of("demographic_parity", after=False)
        asked = Asked(self.model, viewpoint, self.outcome, self.favourable)
        score = game.score(
            self.model,
            self.data,
            output=self.output,
            favourable=self.favourable,
            threshold=self.threshold,
        )
        return study_of(
            asked,
            {None: game},
            score,
            self.frame,
            read_outcome(asked, self.frame),
            weights=self.weights,
            plan=plan,
            folds=None,
            seed=self.seed,
        )

    def place(self, study: Study) -> int:
        """Return the position of the reference among the strata."""
        levels = study.game.strata
        masses = np.bincount(study.strata, self.weights, minlength=len(levels))
        return reference_among(levels, masses.astype(np.float64), self.reference, self.sensitive)
