"""The game that paths play: a graph arranged into blocks, and links fitted to rows."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairpath.discovery import Discovery, graph_of
from fairpath.encoding import Encoding
from fairpath.errors import GraphError
from fairpath.frames import as_frame, check_name, check_seed, checked_weights, columns
from fairpath.game.contributions import Key, coalition_values
from fairpath.game.evaluate import Board
from fairpath.game.learning import Recipe, learn, with_noise
from fairpath.game.person import exact_contributions, worlds_of_row
from fairpath.game.players import PathLike, held
from fairpath.game.roles import choices_of, inputs_among, notes_of
from fairpath.game.rows import dependent_outside, needed_columns, strata_masses
from fairpath.game.tree import Features, unroll
from fairpath.game.worlds import Mechanisms, Sample
from fairpath.graph import CausalGraph
from fairpath.graph import resolve as resolve_graph
from fairpath.links import Links
from fairpath.links.auto import ChosenLink
from fairpath.models import Output, Score, check_inputs, score_of
from fairpath.options import check_choice, check_count, check_jobs, check_outcome
from fairpath.paths import Arrangement, Path, arrange
from fairpath.paths.active import MAX_PATHS, check_roles
from fairpath.vocabulary import BoolVector, FloatVector, IntVector


@dataclass(frozen=True, eq=False)
class Lesson:
    """The rows that links are learned from: their columns, and how often each counts."""

    columns: Mapping[str, FloatVector]
    weights: FloatVector

    def part(self, rows: IntVector, weights: FloatVector) -> "Lesson":
        """Return some of the rows with other weights."""
        return Lesson({name: values[rows] for name, values in self.columns.items()}, weights)


@dataclass(frozen=True, eq=False)
class PathGame:
    """Paths as players, and the fitted links that say what happens under a coalition.

    Made by `PathGame.fit`, without a model; ``explain(model, data, game=game)`` uses one game
    for many models.

    Attributes
    ----------
    graph
        The causal graph, resolved if that was asked for.
    arrangement
        Blocks, players, outside features.
    outcome
        The outcome's node, if it was named.
    inputs
        The columns that models of this game read.
    encoding
        How columns are turned into numbers.
    shares
        P(a') of each stratum in the rows that taught the links.
    recipe, mechanisms
        What each link reads and its kind; the fitted links.
    lesson, table
        The rows that taught the links, as numbers and as they were given.
    notes
        What was assumed or decided.
    """

    graph: CausalGraph
    arrangement: Arrangement
    outcome: str | None
    inputs: Features
    encoding: Encoding
    shares: FloatVector
    recipe: Recipe
    mechanisms: Mechanisms
    lesson: Lesson
    table: object
    seed: int
    notes: tuple[str, ...]

    @classmethod
    def fit(
        cls,
        data: object,
        *,
        graph: CausalGraph | Discovery,
        sensitive: str,
        outcome: str | None = None,
        inputs: Iterable[str] | None = None,
        links: Links = "auto",
        sample_weight: object = None,
        also: object = None,
        given_outcome: bool = False,
        resolve: bool = False,
        max_paths: int = MAX_PATHS,
        max_length: int | None = None,
        seed: int = 0,
        n_jobs: int | None = None,
    ) -> "PathGame":
        """Learn the links from rows.

        Parameters
        ----------
        data
            A pandas, polars or pyarrow table.
        graph, sensitive, outcome, max_paths, max_length
            As for `arrange`.
        inputs
            The columns that the model reads; by default every node of the graph that is a column,
            without the sensitive attribute and the outcome.
        links
            ``"auto"``, ``"forest"``, ``"linear"``, a link, a scikit-learn estimator, or a mapping
            from features to these.
        sample_weight
            How often each row counts.
        also
            A table of rows that will be explained, if they are others: levels of categories that
            only these have are then known too.
        given_outcome
            Whether paths and blocks are those relative to the outcome. The rows with weight
            shall then all have the same outcome.
        resolve
            Whether the data decide the open triples of a drawn graph first.
        seed
            Where all random numbers come from.
        n_jobs
            How many links are fitted at the same time.

        >>> import numpy as np, pandas as pd
        >>> rng = np.random.default_rng(0)
        >>> sex = rng.integers(0, 2, 200)
        >>> table = pd.DataFrame({"sex": sex, "job": sex + rng.normal(size=200)})
        >>> game = PathGame.fit(table, graph=CausalGraph.parse("sex -> job"), sensitive="sex",
        ...                     links="linear")
        >>> print(game)
        1 path from sex to the prediction
          sex → job → prediction
        blocks, each with what it is computed from
          job from sex
        outside: nothing
        """
        check_seed(seed)
        check_jobs(n_jobs)
        check_choice("resolve", resolve, (False, True))
        drawn: CausalGraph = graph_of(graph)
        check_count("max_paths", max_paths, 1)
        frame = as_frame(data)
        weights = checked_weights(sample_weight, len(frame))
        check_name(sensitive, frame.columns)
        check_roles(drawn, sensitive, None, ())
        tables = [frame] if also is None else [frame, as_frame(also)]
        known = (name for table in tables for name in table.columns)
        check_outcome(outcome, (*known, *drawn.nodes), sensitive)
        if resolve:
            drawn = resolve_graph(drawn, frame, weights=weights)
        reads = inputs_among(inputs, drawn, frame.columns, (sensitive, outcome))
        arrangement = arrange(
            drawn,
            sensitive=sensitive,
            inputs=reads,
            given=(outcome,) if given_outcome and outcome is not None else (),
            outcome=outcome,
            max_paths=max_paths,
            max_length=max_length,
        )
        return cls.on(
            arrangement,
            data,
            graph=drawn,
            outcome=outcome,
            inputs=reads,
            links=links,
            weights=weights,
            also=also,
            seed=seed,
            n_jobs=n_jobs,
        )

    @classmethod
    def on(
        cls,
        arrangement: Arrangement,
        data: object,
        *,
        graph: CausalGraph,
        outcome: str | None,
        inputs: Features,
        links: Links,
        weights: FloatVector,
        sources: Mapping[str, Features] | None = None,
        also: object = None,
        seed: int = 0,
        n_jobs: int | None = None,
    ) -> "PathGame":
        """Learn the links of features that are arranged already.

        ``sources`` says what the link of each feature reads, where that is not what its
        predecessors and the outside features are. For the rest see `fit`.
        """
        frame = as_frame(data)
        tables = [frame] if also is None else [frame, as_frame(also)]
        sensitive = arrangement.sensitive
        needed = needed_columns(arrangement, inputs, set(frame.columns))
        samples = [columns(table, needed) for table in tables]
        encoding = Encoding.of(samples, sensitive)
        encoded = encoding.encode(samples[0])
        counted = weights > 0
        lesson = Lesson(
            {name: values[counted] for name, values in encoded.items()}, weights[counted]
        )
        masses = strata_masses(lesson.columns[sensitive], lesson.weights, encoding, sensitive)
        choices = choices_of(arrangement, links)
        recipe = (
            Recipe.of(arrangement, set(frame.columns), choices)
            if sources is None
            else Recipe(sensitive, sources, choices, ())
        )
        mechanisms = learn(
            recipe, encoding, lesson.columns, lesson.weights, key=(seed,), n_jobs=n_jobs
        )
        # Links that chose their kind do not choose again when they are learned from other rows.
        settled = {
            feature: link.link if isinstance(link, ChosenLink) else recipe.choices[feature]
            for feature, link in mechanisms.links.items()
        }
        return cls(
            graph,
            arrangement,
            outcome,
            inputs,
            encoding,
            masses / masses.sum(),
            replace(recipe, choices=settled),
            mechanisms,
            lesson,
            data,
            seed,
            (
                *arrangement.notes,
                *notes_of(graph, mechanisms),
                *dependent_outside(frame, weights, sensitive, recipe.outside),
            ),
        )

    @property
    def sensitive(self) -> str:
        """The sensitive attribute."""
        return self.arrangement.sensitive

    @property
    def players(self) -> tuple[Path, ...]:
        """The paths."""
        return self.arrangement.players

    @property
    def strata(self) -> tuple[Any, ...]:
        """The levels of the sensitive attribute."""
        return self.encoding.levels[self.sensitive]

    @property
    def board(self) -> Board:
        """What evaluating a model needs."""
        return Board(unroll(self.arrangement), self.mechanisms, self.inputs)

    def __str__(self) -> str:
        return str(self.arrangement)

    def __repr__(self) -> str:
        return (
            f"<PathGame: {len(self.players)} paths from {self.sensitive}, "
            f"{len(self.mechanisms.links)} links from {len(self.lesson.weights)} rows>"
        )

    def relearned(self, lesson: Lesson, *, key: Key, n_jobs: int | None = None) -> "PathGame":
        """Return the same game with links learned from other rows, of the same kinds as here."""
        strata = lesson.columns[self.sensitive].astype(np.intp)
        shares = np.bincount(strata, lesson.weights, minlength=len(self.shares))
        mechanisms = learn(
            self.recipe, self.encoding, lesson.columns, lesson.weights, key=key, n_jobs=n_jobs
        )
        return replace(self, lesson=lesson, shares=shares / shares.sum(), mechanisms=mechanisms)

    def encode(self, data: object) -> dict[str, FloatVector]:
        """Return the columns of a table that links and models read, as numbers."""
        return self.encoding.encode(columns(data, self.encoding.variables))

    def sample(
        self, encoded: Mapping[str, FloatVector], *, key: Key, rows: IntVector | None = None
    ) -> Sample:
        """Find the noise of all rows, or of some."""
        return with_noise(self.mechanisms, encoded, key=key, rows=rows)

    def score(
        self,
        model: object,
        data: object,
        *,
        output: Output = "probability",
        favourable: object = None,
        threshold: float = 0.5,
    ) -> Score:
        """Return the model as a function of encoded columns."""
        check_inputs(model, self.inputs)
        return score_of(
            model,
            inputs=self.inputs,
            data=data,
            encoding=self.encoding,
            others=() if self.table is data else (self.table,),
            output=output,
            favourable=favourable,
            threshold=threshold,
        )

    def held(self, paths: Iterable[PathLike]) -> BoolVector:
        """Return which players are among some paths."""
        if not isinstance(paths, Iterable):
            raise GraphError(
                f"Expected a collection of paths, got {paths!r}. Take some of game.players."
            )
        return held(self.players, paths)

    def values(
        self,
        model: object,
        data: object,
        *,
        keep: Iterable[PathLike],
        output: Output = "probability",
        favourable: object = None,
        threshold: float = 0.5,
    ) -> FloatVector:
        """Return v(T) of every row: the answer if only the paths in ``keep`` carry its own level.

        Parameters
        ----------
        model, data, output, favourable, threshold
            As for `explain`.
        keep
            Paths, what they print, or their nodes; all of ``game.players`` gives f(x).
        """
        score = self.score(model, data, output=output, favourable=favourable, threshold=threshold)
        sample = self.sample(self.encode(data), key=(self.seed,))
        mask = self.held(keep)[None, :]
        return np.asarray(coalition_values(score, self.board, sample, mask, self.shares)[:, 0])

    def worlds(
        self,
        data: object,
        *,
        row: int | None = None,
        model: object = None,
        output: Output = "probability",
        favourable: object = None,
        threshold: float = 0.5,
    ) -> Any:  # noqa: ANN401 - the caller's frame type
        """Return what one person would be like if only some paths carried the own level.

        A table with a row for each other level of the sensitive attribute (``other``) and each of
        these sets of paths (``held``): "all", the row as it is; "without" and "only" each path;
        "none". Its columns are the model's inputs and, with a model, its ``output``.

        Parameters
        ----------
        data
            A table of one row, or of more with ``row``.
        row
            The position of the person in ``data``. What a value leaves open of the noise is drawn
            by position, so this shows the worlds in which `explain` sets the row of that table.
        model, output, favourable, threshold
            As for `explain`.

        >>> import pandas as pd
        >>> table = pd.DataFrame({"sex": ["f", "m"] * 4, "job": [1.0, 2.0, 3.0, 4.0] * 2})
        >>> game = PathGame.fit(table, graph=CausalGraph.parse("sex -> job"), sensitive="sex",
        ...                     links="linear")
        >>> game.worlds(table, row=2, model=lambda rows: rows["job"] * 10, output="score")
          other                            held  job  output
        0     m                             all  3.0    30.0
        1     m  without sex → job → prediction  4.0    40.0
        2     m     only sex → job → prediction  3.0    30.0
        3     m                            none  4.0    40.0
        """
        score = None
        if model is not None:
            score = self.score(
                model, data, output=output, favourable=favourable, threshold=threshold
            )
        return worlds_of_row(self, data, row, score)

    def contributions(
        self,
        model: object,
        data: object,
        *,
        rows: Iterable[int] | None = None,
        output: Output = "probability",
        favourable: object = None,
        threshold: float = 0.5,
    ) -> Any:  # noqa: ANN401 - the caller's frame type
        """Return the exact contributions of the paths to the answers about some people.

        A table with a row for each of them and a column for each path, which sum to
        ``prediction``, f(x), minus ``base``, v(∅): the numbers of `explain` with this game, its
        seed and ``method="exact"``, also for one person, whom nobody could be compared with.

        Parameters
        ----------
        rows
            Their positions in ``data``; by default all rows.
        model, data, output, favourable, threshold
            As for `explain`.
        """
        score = self.score(model, data, output=output, favourable=favourable, threshold=threshold)
        return exact_contributions(self, score, data, rows)
