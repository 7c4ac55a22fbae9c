"""A scikit-learn classifier that predicts with v(T): the model, without some causal paths."""

import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import (
    check_is_fitted,
    validate_data,
)

from fairpath.disparity import Disparity, Named
from fairpath.errors import DataError
from fairpath.explain import explain
from fairpath.frames import Frame
from fairpath.game.path_game import PathGame
from fairpath.game.players import PathLike
from fairpath.graph import CausalGraph
from fairpath.links import Links
from fairpath.models import Score
from fairpath.paths import Path
from fairpath.selection import memory
from fairpath.selection.checks import check_parameters, check_probabilities, two_classes
from fairpath.selection.decision import Choice, better, most_accurate
from fairpath.selection.fine_tuning import PASSES, tuned
from fairpath.selection.frontier import Point
from fairpath.selection.layout import is_table, layout_of, with_column
from fairpath.selection.measure import Measure, measure_of, remembered
from fairpath.selection.select import Method, Objective, selected
from fairpath.selection.sensitive import Predictor, level_law
from fairpath.selection.terms import terms_of
from fairpath.vocabulary import BoolMatrix, FloatMatrix, FloatVector

HALF = 0.5


class PathSelectionClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose sensitive attribute acts through selected causal paths only.

    It fits a model, explains it, selects paths, and predicts v(T): the mean answer of the model if
    only the kept paths carry a person's own level of the sensitive attribute.

    Parameters
    ----------
    estimator
        A binary classifier with ``predict_proba``.
    graph
        The causal graph over the columns of X (of an array X0, X1, …). Without one the attribute
        points at every other column, and these do not cause each other.
    sensitive
        The sensitive attribute: a column of X or, if it is none, the name of what is passed as
        ``sensitive_features``. By default ``sensitive_features`` where they are passed, else the
        last column of X. A number with more than ten values is cut at its median.
    outcome
        The name that y has in the graph, if it has one.
    fairness_weight
        λ: what a unit of disparity is worth in units of utility. 0 keeps all paths, and then
        predictions are those of the model, to the bit.
    max_disparity
        In the place of λ: the largest ``|Δ|`` that decisions may have, on the explained rows.
        The most accurate selection, or mixture of two neighbouring ones, is taken.
    disparity, output, reference, links, bands
        As for `explain`. A disparity that looks at the outcome is taken in the form
        ``conditioning="after"``.
    method, objective, prune, keep, drop
        As for `select_paths`.
    threshold
        Decisions for the second class are probabilities above it. ``"tuned"``: the threshold with
        the most accurate decisions on the rows that are explained.
    fine_tune
        Whether the model learns on in the worlds of v(T); a number says how often it sees the
        rows. With ``max_disparity`` the result is used only if it makes better decisions.
    model_reads_sensitive
        Whether the estimator is given the sensitive column too.
    sensitive_at_prediction
        ``"given"``: it is known of those who are predicted. ``"average"``: it is not; predictions
        are averages over P(A | x), learned by logistic regression.
    held_out
        The share of rows that are explained without having trained the model; None: it is
        explained on the rows that trained it.
    n_draws
        Over how many draws of what a value leaves open v(T) is averaged.
    seed
        Where all random numbers come from, but those of the estimator.
    n_jobs
        How many threads work at the same time.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn; the second class is the favourable one.
    estimator_
        The model, fitted.
    tuned_estimator_
        The model after fine-tuning; the same as ``estimator_`` without.
    game_, explanation_
        The links, and the explanation of the model.
    frontier_
        The selections for λ = 0 and ``fairness_weight``, or with ``max_disparity`` for all λ,
        measured on ``estimator_`` the way it predicts.
    kept_paths_
        The paths that are kept; of a mixture, by its larger part.
    mixture_
        Pairs of a share and the paths that are kept: one pair unless two selections are mixed.
    threshold_
        The threshold of decisions.
    """

    def __init__(
        self,
        estimator: Any,  # noqa: ANN401 - scikit-learn is untyped
        *,
        graph: CausalGraph | None = None,
        sensitive: str | None = None,
        outcome: str | None = None,
        fairness_weight: float = 1.0,
        max_disparity: float | None = None,
        disparity: Named | Disparity = "demographic_parity",
        output: Literal["probability", "decision"] = "probability",
        reference: object = None,
        bands: Iterable[float] | None = None,
        method: Method = "greedy",
        objective: Objective = "additive",
        prune: bool = False,
        keep: Iterable[PathLike] = (),
        drop: Iterable[PathLike] = (),
        threshold: float | Literal["tuned"] = HALF,
        fine_tune: bool | int = False,
        model_reads_sensitive: bool = False,
        sensitive_at_prediction: Literal["given", "average"] = "given",
        links: Links = "auto",
        held_out: float | None = None,
        n_draws: int = 8,
        seed: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.graph = graph
        self.sensitive = sensitive
        self.outcome = outcome
        self.fairness_weight = fairness_weight
        self.max_disparity = max_disparity
        self.disparity = disparity
        self.output = output
        self.reference = reference
        self.bands = bands
        self.method = method
        self.objective = objective
        self.prune = prune
        self.keep = keep
        self.drop = drop
        self.threshold = threshold
        self.fine_tune = fine_tune
        self.model_reads_sensitive = model_reads_sensitive
        self.sensitive_at_prediction = sensitive_at_prediction
        self.links = links
        self.held_out = held_out
        self.n_draws = n_draws
        self.seed = seed
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None) -> Self:  # noqa: ANN401, N803
        """Fit the model, explain it, and select paths.

        Parameters
        ----------
        X
            A pandas or polars table, or an array. Only tables may have missing values.
        y
            Two classes.
        sensitive_features
            The sensitive attribute of each row, if it is no column of X.
        """
        check_parameters(self.get_params(deep=False))
        X, names = self._checked(X, reset=True)  # noqa: N806
        y, self.classes_ = two_classes(X, y)
        self._layout = layout_of(
            X,
            names,
            is_table=is_table(X),
            sensitive=self.sensitive,
            features=sensitive_features,
            reads_sensitive=self.model_reads_sensitive,
            outcome=self.outcome,
            bands=self.bands,
        )
        taught, shown = self._parts(X, y, sensitive_features)
        read = self._layout.read_by_model(taught[0])
        self.estimator_ = clone(self.estimator).fit(read, taught[1])
        check_probabilities(self.estimator_)
        self.tuned_estimator_ = self.estimator_
        frame = with_column(
            self._layout.frame(shown[0], shown[2]), self._layout.outcome, shown[1].tolist()
        )
        self._learn(frame.to_native())
        self.explanation_ = explain(
            self.estimator_,
            self.game_.table,
            game=self.game_,
            outcome=self._layout.outcome,
            favourable=self._favourable,
            reference=self.reference,
            disparity=self.disparity,
            conditioning="after",
            output=self.output,
            threshold=HALF,
            intervals=None,
            seed=self.seed,
            n_jobs=self.n_jobs,
        )
        self._select(frame, shown[1])
        return self

    def predict_proba(self, X: Any, *, sensitive_features: Any = None) -> FloatMatrix:  # noqa: ANN401, N803
        """Return v(T) of each row for the second class, beside one minus it.

        Parameters
        ----------
        X
            Rows with the columns of ``fit``.
        sensitive_features
            As in ``fit``; not needed with ``sensitive_at_prediction="average"``.
        """
        check_is_fitted(self)
        X, _ = self._checked(X, reset=False)  # noqa: N806
        if self._keeps_all:
            read = self._layout.read_by_model(X)
            return np.asarray(self.tuned_estimator_.predict_proba(read))
        if self.sensitive_at_prediction == "average":
            frame = self._layout.blind(X, self.game_.strata[0])
        else:
            self._check_features(sensitive_features)
            frame = self._layout.frame(X, sensitive_features)
        held = np.array([self.game_.held(kept) for _, kept in self.mixture_])
        shares = np.array([share for share, _ in self.mixture_])
        score = self._score(frame)
        favoured = self._predictor(score, self._encoded(frame), held) @ shares
        return np.column_stack([1 - favoured, favoured])

    def predict(self, X: Any, *, sensitive_features: Any = None) -> NDArray[Any]:  # noqa: ANN401, N803
        """Return the second class where its probability is above the threshold, else the first."""
        check_is_fitted(self)
        if self._keeps_all and self.threshold_ == HALF:
            X, _ = self._checked(X, reset=False)  # noqa: N806
            return np.asarray(self.tuned_estimator_.predict(self._layout.read_by_model(X)))
        favoured = self.predict_proba(X, sensitive_features=sensitive_features)[:, 1]
        return np.asarray(self.classes_[(favoured > self.threshold_).astype(np.intp)])

    def score(
        self,
        X: Any,  # noqa: ANN401, N803
        y: Any,  # noqa: ANN401
        sample_weight: Any = None,  # noqa: ANN401
        *,
        sensitive_features: Any = None,  # noqa: ANN401
    ) -> float:
        """Return the accuracy of the decisions."""
        decided = self.predict(X, sensitive_features=sensitive_features)
        return float(accuracy_score(y, decided, sample_weight=sample_weight))

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        # It trades accuracy for parity, and does not read the sensitive column.
        tags.classifier_tags.poor_score = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """Return plain values in the place of links and explanation."""
        state: dict[str, Any] = super().__getstate__()
        if "game_" not in state:
            return state
        state = dict(state)
        game, explanation = state.pop("game_"), state.pop("explanation_")
        state.pop("_predictor")
        state["_layout"] = memory.packed_layout(state["_layout"])
        state["_table"] = memory.packed_table(game.table)
        state["explanation_"] = memory.packed_explanation(explanation)
        state["frontier_"] = memory.packed_frontier(state["frontier_"])
        state["kept_paths_"] = None
        state["mixture_"] = [
            [share, explanation.held(kept).tolist()] for share, kept in state["mixture_"]
        ]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Learn the links again, and put the rest in its place."""
        state = dict(state)
        table = state.pop("_table", None)
        super().__setstate__(state)
        if table is None:
            return
        self._layout = memory.unpacked_layout(state["_layout"])
        self._learn(memory.unpacked_table(table))
        self.explanation_ = memory.unpacked_explanation(state["explanation_"])
        paths = self.explanation_.paths
        self.frontier_ = memory.unpacked_frontier(state["frontier_"], paths)
        self._settle_parts(
            [(share, memory.members(paths, mask)) for share, mask in state["mixture_"]]
        )

    def _checked(self, X: Any, *, reset: bool) -> tuple[Any, tuple[str, ...]]:  # noqa: ANN401, N803
        """Return X and the names of its columns; tables stay as they are."""
        if is_table(X):
            validate_data(self, X, skip_check_array=True, reset=reset)
            return X, tuple(self.feature_names_in_)
        X = validate_data(self, X, reset=reset)  # noqa: N806
        return X, tuple(f"X{place}" for place in range(X.shape[1]))

    @property
    def _favourable(self) -> Any:  # noqa: ANN401 - a label of any type
        return self.classes_.tolist()[1]

    def _parts(self, *arrays: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:  # noqa: ANN401
        """Return the rows that teach the model, and those that are explained."""
        if self.held_out is None:
            return arrays, arrays
        given = [one for one in arrays if one is not None]
        halves = train_test_split(
            *given, test_size=self.held_out, stratify=arrays[1], random_state=self.seed
        )
        return tuple([*halves[::2], None][:3]), tuple([*halves[1::2], None][:3])

    def _learn(self, table: object) -> None:
        """Learn the links from the rows that are explained."""
        self.game_ = PathGame.fit(
            table,
            graph=self._layout.graph_of(self.graph),
            sensitive=self._layout.attribute,
            outcome=self._layout.outcome,
            inputs=self._layout.inputs,
            links=self.links,
            seed=self.seed,
            n_jobs=self.n_jobs,
        )
        averages = self.sensitive_at_prediction == "average"
        law = level_law(self.game_) if averages else None
        self._predictor = Predictor(self.game_, law, self.n_draws)

    def _select(self, frame: Frame, y: NDArray[Any]) -> None:
        """Select paths, choose mixture and threshold, and fine-tune if that is asked for."""
        explanation = self.explanation_
        terms, notes = terms_of(explanation)
        encoded = self._encoded(frame)
        measure = self._measure(frame, encoded)
        self.frontier_ = selected(
            explanation,
            terms,
            measure,
            fairness_weights=(
                None if self.max_disparity is not None else [0.0, self.fairness_weight]
            ),
            method=self.method,
            objective=self.objective,
            prune=self.prune,
            keep=self.keep,
            drop=self.drop,
            notes=notes,
            report=True,
            progress=None,
        )
        first = self._choose(measure)
        if self.fine_tune is not False and not self._keeps_all:
            first = self._fine_tuned(first, frame, encoded, y)
        self._warn_if_beyond(first)

    def _fine_tuned(
        self, before: Choice, frame: Frame, encoded: Mapping[str, FloatVector], y: NDArray[Any]
    ) -> Choice:
        """Let the model learn on; where there is a limit, only if that helps within it."""
        self.tuned_estimator_ = tuned(
            self.estimator_,
            self._score(frame),
            self.game_,
            encoded,
            y,
            held=np.array([self.game_.held(kept) for _, kept in self.mixture_]),
            shares=[share for share, _ in self.mixture_],
            passes=PASSES if self.fine_tune is True else self.fine_tune,
        )
        after = self._choose(self._measure(frame, encoded))
        if self.max_disparity is None or better(after, before, self.max_disparity):
            return after
        self.tuned_estimator_ = self.estimator_
        self._settle(before)
        return before

    def _choose(self, measure: Measure) -> Choice:
        """Settle the selection or mixture, and the threshold."""
        held = np.array([self.frontier_.held(point) for point in self._candidates])
        values = measure.values(held)
        choice = most_accurate(
            values, measure.rows, limit=self.max_disparity, tuned=self.threshold == "tuned"
        )
        self._settle(choice)
        return choice

    def _settle(self, choice: Choice) -> None:
        points = self._candidates
        self._settle_parts([(share, points[k].kept) for k, share in choice.shares])
        self.threshold_ = choice.threshold

    def _settle_parts(self, parts: list[tuple[float, tuple[Path, ...]]]) -> None:
        self.mixture_ = tuple(parts)
        self.kept_paths_ = max(parts, key=lambda part: part[0])[1]

    def _warn_if_beyond(self, choice: Choice) -> None:
        if self.max_disparity is not None and choice.disparity > self.max_disparity + 1e-9:
            warnings.warn(
                f"No selection has decisions with a disparity of at most {self.max_disparity}; the "
                f"least is {choice.disparity:.4f}, which is taken.",
                UserWarning,
                stacklevel=4,
            )

    @property
    def _candidates(self) -> tuple[Point, ...]:
        """The selections that may be taken: that of λ or, with a limit, all of them."""
        if self.max_disparity is None:
            return (self.frontier_.at(float(self.fairness_weight)),)
        return self.frontier_.points

    @property
    def _keeps_all(self) -> bool:
        n_paths = len(self.game_.players)
        return all(len(kept) == n_paths for _, kept in self.mixture_)

    def _check_features(self, features: object) -> None:
        layout = self._layout
        if layout.in_x and features is not None:
            raise DataError(
                f"The sensitive attribute {layout.sensitive!r} is a column of X. Leave "
                "sensitive_features out."
            )
        if not layout.in_x and features is None:
            raise DataError(
                f"Predictions need the sensitive attribute {layout.sensitive!r}: pass "
                "sensitive_features=…. Where it is unknown, fit with "
                "sensitive_at_prediction='average'."
            )

    def _measure(self, frame: Frame, encoded: Mapping[str, FloatVector]) -> Measure:
        """Return how to measure selections the way they predict."""
        order = [self.explanation_.paths.index(player) for player in self.game_.players]
        score = self._score(frame)

        def values(held: BoolMatrix) -> FloatMatrix:
            return self._predictor(score, encoded, held[:, order])

        # Columns of many sets would fill the memory; those of a frontier are few.
        recall = values if self.objective == "measured" else remembered(values)
        found = Measure(recall, measure_of(self.explanation_).rows)
        return found.decided_above(HALF if self.threshold == "tuned" else float(self.threshold))

    def _score(self, frame: Frame) -> Score:
        return self.game_.score(
            self.tuned_estimator_, frame.to_native(), favourable=self._favourable
        )

    def _encoded(self, frame: Frame) -> dict[str, FloatVector]:
        return self.game_.encode(frame.to_native())
