"""The classifier that predicts v(T): against the game, and within scikit-learn."""

import pickle
from functools import lru_cache

import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io
from sklearn import config_context
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import fairpath as fp
from fairpath.selection import PathSelectionClassifier
from fairpath.selection.draws import drawn_sample
from fairpath.selection.fine_tuning import world_inputs
from worlds import INPUTS, mixed, people

GRAPH = fp.CausalGraph.parse(
    "city -> job; sex -> job; sex -> hours; job -> pay; hours -> pay; sex -> pay; pay -> hired"
)
FOREST = RandomForestClassifier(n_estimators=8, max_depth=5, random_state=0)


def rows(n=400, seed=0, **options):
    table = people(n, seed, **options)
    return table[[*INPUTS, "sex"]], table["hired"]


def made(estimator=None, **options):
    usual = {"graph": GRAPH, "sensitive": "sex", "outcome": "hired", "links": "linear"}
    usual |= {"n_draws": 2}
    estimator = LogisticRegression() if estimator is None else estimator
    return PathSelectionClassifier(estimator, **{**usual, **options})


@lru_cache
def fitted(**options):
    X, y = rows()
    return made(**options).fit(X, y)


def gap(values, X):
    return values[X["sex"] == 1].mean() - values[X["sex"] == 0].mean()


@pytest.mark.parametrize("reads", [False, True])
@pytest.mark.parametrize("container", [pd.DataFrame, pl.from_pandas, np.asarray])
def test_no_weight_gives_the_model_itself_to_the_bit(container, reads):
    X, y = rows()
    given = container(X)
    kept = [*INPUTS, "sex"] if reads else INPUTS
    alone = np.asarray(X)[:, : len(kept)] if container is np.asarray else container(X[kept])
    graph = None if container is np.asarray else made().graph
    one = made(FOREST, graph=graph, fairness_weight=0, model_reads_sensitive=reads,
               sensitive=None if container is np.asarray else "sex").fit(given, y)  # fmt: skip
    plain = clone(FOREST).fit(alone, y)
    assert np.array_equal(one.predict_proba(given), plain.predict_proba(alone))
    assert np.array_equal(one.predict(given), plain.predict(alone))
    assert one.kept_paths_ == one.explanation_.paths
    assert one.n_features_in_ == 5
    assert one.threshold_ == 0.5


@pytest.mark.parametrize("weight", [0.1, 0.4, 5.0])
def test_predictions_are_the_values_of_the_kept_paths(weight):
    # Lines leave nothing of the noise open, so nothing is drawn.
    one = fitted(fairness_weight=weight)
    X, _ = rows(100, 5)
    values = one.game_.values(one.estimator_, X, keep=one.kept_paths_)
    assert len(one.kept_paths_) < len(one.explanation_.paths)
    assert one.predict_proba(X)[:, 1] == pytest.approx(values, abs=1e-12)
    assert one.predict_proba(X).sum(axis=1) == pytest.approx(1)
    assert np.array_equal(one.predict(X), (values > 0.5).astype(int))
    frontier = fp.selection.select_paths(one.explanation_, fairness_weights=weight)
    assert frontier.kept(weight) == one.kept_paths_


def test_the_frontier_measures_what_is_predicted():
    X, y = rows()
    for options in ({}, {"sensitive_at_prediction": "average"}):
        one = made(links="forest", fairness_weight=2.0, **options).fit(X, y)
        measured = one.frontier_.at(2.0).measured
        values, decided = one.predict_proba(X)[:, 1], one.predict(X)
        assert measured.utility == pytest.approx((y * values + (1 - y) * (1 - values)).mean())
        assert measured.disparity == pytest.approx([gap(values, X)])
        assert measured.accuracy == pytest.approx((decided == y).mean())
        assert measured.decision_disparity == pytest.approx([gap(decided, X)])


def test_equal_people_have_equal_predictions_whoever_else_is_asked_about():
    X, y = rows()
    one = made(FOREST, links="forest", fairness_weight=5.0).fit(X, y)
    whole = one.predict_proba(X)
    order = np.random.default_rng(0).permutation(len(X))[:50]
    assert np.array_equal(one.predict_proba(X.iloc[order]), whole[order])
    assert np.array_equal(one.predict_proba(X.iloc[[7]]), whole[[7]])
    more = made(FOREST, links="forest", fairness_weight=5.0, n_jobs=2).fit(X, y)
    assert np.array_equal(more.predict_proba(X), whole)


def test_draws_follow_the_law_and_are_spread_evenly():
    seen = []

    class Noted:
        def abduct(self, *given):
            seen.append(given[-1])
            return given[-1]

    X, y = rows(3000)
    game = made(fairness_weight=1.0).fit(X, y).game_
    links = dict.fromkeys(game.mechanisms.links, Noted())
    mechanisms = type(game.mechanisms)(game.sensitive, game.mechanisms.sources, links)
    game = type(game)(**{**vars(game), "mechanisms": mechanisms})
    encoded = game.encode(X)
    for draw in range(4):
        drawn_sample(game, encoded, draw, 4)
    # The attribute plays no part: averages over its levels compare like with like.
    drawn_sample(game, dict(encoded) | {"sex": 1 - encoded["sex"]}, 3, 4)
    assert np.array_equal(seen[-1], seen[-1 - len(links)])
    seen = np.array(seen[: -len(links)]).reshape(4, len(links), len(X), 2)
    assert (seen >= 0).all()
    assert (seen < 1).all()
    # Four draws of a person are a quarter apart, in any order.
    assert np.sort(seen % 0.25, axis=0).std(axis=0).max() < 1e-9
    first = seen[0].transpose(0, 2, 1).reshape(-1, len(X))
    assert np.abs(np.quantile(first, [0.1, 0.5, 0.9], axis=1).T - [0.1, 0.5, 0.9]).max() < 0.05
    assert np.abs(np.corrcoef(first) - np.eye(len(first))).max() < 0.1


def test_more_draws_bring_the_mean_closer():
    X, y = rows(600)

    def values(n_draws):
        one = made(links="forest", fairness_weight=5.0, n_draws=n_draws).fit(X, y)
        return one.predict_proba(X)[:, 1]

    best = values(32)
    errors = [np.abs(values(n) - best).mean() for n in (1, 8)]
    assert errors[1] < errors[0] / 2


@pytest.mark.parametrize("threshold", [0.5, "tuned"])
@pytest.mark.parametrize("limit", [0.05, 0.15])
def test_decisions_stay_within_the_limit(threshold, limit):
    X, y = rows()
    before = gap(LogisticRegression().fit(X[INPUTS], y).predict(X[INPUTS]), X)
    assert abs(before) > 0.2
    one = fitted(max_disparity=limit, threshold=threshold, links="forest")
    assert abs(gap(one.predict(X), X)) <= limit + 1e-12
    if threshold == "tuned":
        fixed = fitted(max_disparity=limit, links="forest")
        assert (one.predict(X) == y).mean() >= (fixed.predict(X) == y).mean()
    assert sum(share for share, _ in one.mixture_) == pytest.approx(1)
    assert one.kept_paths_ == max(one.mixture_, key=lambda part: part[0])[1]


def test_mixtures_are_mixed():
    X, _ = rows(100, 5)
    one = next(
        found
        for limit in (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
        if len((found := fitted(max_disparity=limit)).mixture_) == 2
    )
    values = sum(
        share * one.game_.values(one.estimator_, X, keep=kept) for share, kept in one.mixture_
    )
    assert one.predict_proba(X)[:, 1] == pytest.approx(values, abs=1e-12)


def test_a_limit_that_nothing_keeps_is_said():
    X, y = rows()
    with pytest.warns(UserWarning, match=r"No selection has decisions.*the least is"):
        made(max_disparity=0.0, drop=["sex → job → prediction"], fairness_weight=1,
             keep=["sex → hours → prediction", "sex → pay → prediction"]).fit(X, y)  # fmt: skip


def test_tuned_thresholds_are_the_most_accurate():
    X, y = rows()
    one = fitted(fairness_weight=5.0, threshold="tuned")
    values = one.predict_proba(X)[:, 1]
    best = max(((values > t) == y).mean() for t in [0, *np.unique(values)])
    assert (one.predict(X) == y).mean() == pytest.approx(best)
    lower = fitted(fairness_weight=5.0, threshold=0.2)
    assert np.array_equal(lower.predict(X), (values > 0.2).astype(int))


def test_where_the_attribute_is_unknown_predictions_are_averaged():
    X, y = rows()
    one = made(fairness_weight=5.0, sensitive_at_prediction="average").fit(
        X[INPUTS], y, sensitive_features=X["sex"]
    )
    new, _ = rows(80, 7)
    chances = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(X[INPUTS], X["sex"])
    given = fitted(fairness_weight=5.0)
    expected = sum(
        chances.predict_proba(new[INPUTS])[:, level]
        * given.predict_proba(new.assign(sex=level))[:, 1]
        for level in (0, 1)
    )
    assert one.predict_proba(new[INPUTS])[:, 1] == pytest.approx(expected, abs=1e-4)


def as_column(values):
    return np.asarray(values)[:, None]


@pytest.mark.parametrize(
    "shape", [np.asarray, list, pd.Series, pl.Series, as_column, pd.Series.to_frame]
)
def test_the_attribute_may_come_beside_the_columns(shape):
    X, y = rows()
    one = fitted(fairness_weight=0.4)
    # Labels of rows must not matter.
    X = X.set_axis(np.random.default_rng(0).permutation(len(X)))
    again = made(fairness_weight=0.4).fit(X, y)
    assert np.array_equal(one.predict_proba(X), again.predict_proba(X))
    beside = shape(X["sex"].set_axis(X.index[::-1]))
    other = made(fairness_weight=0.4).fit(X[INPUTS], y, sensitive_features=beside)
    assert np.array_equal(
        one.predict_proba(X), other.predict_proba(X[INPUTS], sensitive_features=beside)
    )


def test_words_and_missing_values():
    table = mixed(400)
    X, y = table[["hours", "pay", "sex", "age"]], table["hired"].map({True: "yes", False: "no"})
    graph = fp.CausalGraph.parse("age -> sex; sex -> hours; hours -> pay; sex -> pay")
    one = made(FOREST, graph=graph, links="forest",
               fairness_weight=5.0, reference="m").fit(X, y)  # fmt: skip
    assert one.classes_.tolist() == ["no", "yes"]
    assert one.explanation_.levels[one.explanation_.reference] == "m"
    assert set(one.predict(X)) == {"no", "yes"}
    assert np.array_equal(one.predict(X) == "yes", one.predict_proba(X)[:, 1] > 0.5)
    assert abs(gap(one.predict_proba(X)[:, 1], X.assign(sex=X["sex"] == "f"))) < 0.05


def test_a_number_with_many_values_is_cut_at_its_median():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    X[:, 0] += X[:, 2]
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    one = PathSelectionClassifier(LogisticRegression(), links="linear").fit(X, y)
    above = X[:, 2] >= np.median(X[:, 2])
    assert one.explanation_.setting.sensitive == "X2 (bands)"
    assert one.game_.shares.tolist() == [above.mean(), 1 - above.mean()]
    values = one.predict_proba(X)[:, 1]
    before = one.estimator_.predict_proba(X[:, :2])[:, 1]
    reduced = [abs(v[above].mean() - v[~above].mean()) for v in (values, before)]
    assert reduced[0] < reduced[1] / 5
    banded = PathSelectionClassifier(LogisticRegression(), links="linear", bands=[-1, 1]).fit(X, y)
    assert len(banded.game_.strata) == 3


def test_the_path_of_the_attribute_itself():
    X, y = rows()
    one = made(fairness_weight=0.0, model_reads_sensitive=True).fit(X, y)
    names = [str(path) for path in one.explanation_.paths]
    assert "sex → prediction" in names
    cut = made(fairness_weight=0.0, model_reads_sensitive=True, drop=names).fit(X, y)
    share = X["sex"].mean()
    no_path = cut.predict_proba(X)[:, 1]
    assert cut.kept_paths_ == ()
    assert abs(gap(no_path, X)) < 0.02
    assert 0 < share < 1


@pytest.mark.parametrize("disparity", ["equal_opportunity", "equalized_odds"])
def test_other_disparities(disparity):
    X, y = rows()
    one = made(links="forest", max_disparity=0.15, disparity=disparity).fit(X, y)
    decided = one.predict(X)
    for outcome in (1, 0) if disparity == "equalized_odds" else (1,):
        among = (y == outcome).to_numpy()
        assert abs(gap(decided[among], X[among])) <= 0.15 + 1e-12


def test_rows_that_are_held_out_are_explained():
    X, y = rows()
    one = made(held_out=0.25, fairness_weight=0.4, seed=3).fit(X, y)
    assert one.explanation_.study.n_rows == 100
    beside = {"sensitive_features": X["sex"]}
    other = made(held_out=0.25, fairness_weight=0.4, seed=3).fit(X[INPUTS], y, **beside)
    assert np.array_equal(one.predict_proba(X), other.predict_proba(X[INPUTS], **beside))
    taught, _, labels, _ = train_test_split(
        X[INPUTS], y, test_size=0.25, stratify=y, random_state=3
    )
    plain = LogisticRegression().fit(taught, labels)
    assert np.array_equal(one.estimator_.coef_, plain.coef_)


LEARNERS = [
    SGDClassifier(loss="log_loss", random_state=0),
    make_pipeline(StandardScaler(), SGDClassifier(loss="log_loss", random_state=0)),
    LogisticRegression(),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=["partial", "pipeline", "anew"])
@pytest.mark.parametrize("container", [pd.DataFrame, np.asarray])
def test_fine_tuning_suits_the_model_to_the_worlds(learner, container):
    X, y = rows(800)
    given = container(X)
    graph = made().graph if container is pd.DataFrame else None
    options = {"fairness_weight": 5.0, "graph": graph, "sensitive": "sex" if graph else None}
    before = made(learner, **options).fit(given, y)
    after = made(learner, fine_tune=5, **options).fit(given, y)
    alone = given[INPUTS] if graph else given[:, :4]
    assert np.array_equal(
        before.estimator_.predict_proba(alone), after.estimator_.predict_proba(alone)
    )

    def loss(model):
        """Return the log loss in worlds of v(T) that neither model has seen."""
        losses = []
        held = np.array([after.game_.held(after.kept_paths_)])
        for number in range(4):
            seen = world_inputs(after.game_, encoded, held, [1.0], number=7 + number, passes=11)
            frame = np.column_stack([seen[name] for name in names])
            frame = pd.DataFrame(frame, columns=names) if graph else frame
            chance = model.predict_proba(frame)[:, 1].clip(1e-6, 1 - 1e-6)
            losses.append(-(y * np.log(chance) + (1 - y) * np.log(1 - chance)).mean())
        return np.mean(losses)

    names = list(after.game_.inputs)
    encoded = after.game_.encode(after.game_.table)
    assert loss(after.tuned_estimator_) < loss(after.estimator_) - 0.01
    kept = made(learner, fine_tune=5, **{**options, "fairness_weight": 0.0}).fit(given, y)
    assert kept.tuned_estimator_ is kept.estimator_


def test_worlds_to_learn_from_are_those_of_the_values():
    one = fitted(fairness_weight=5.0)
    X, _ = rows(100, 5)
    game, encoded = one.game_, one.game_.encode(X)
    own = np.column_stack([encoded[name] for name in game.inputs])
    everyone, nobody = np.ones((1, 5), dtype=bool), np.zeros((1, 5), dtype=bool)
    same = world_inputs(game, encoded, everyone, [1.0], number=0, passes=3)
    assert np.array_equal(np.column_stack([same[name] for name in game.inputs]), own)
    # With two strata a row is as it is, or as v(∅) says for the other level.
    other = {
        row: game.worlds(X, row=row)[INPUTS].to_numpy()[-1].astype(float) for row in range(len(X))
    }
    switched = []
    for number in range(3):
        worlds = world_inputs(game, encoded, nobody, [1.0], number=number, passes=3)
        seen = np.column_stack([worlds[name] for name in INPUTS])
        moved = ~(seen == X[INPUTS].to_numpy()).all(axis=1)
        assert all(seen[k] == pytest.approx(other[k]) for k in np.flatnonzero(moved))
        switched.append(moved)
    assert np.mean(switched) == pytest.approx(0.5, abs=0.1)
    assert (switched[0] != switched[1]).any()
    many, _ = rows(2000, 6)
    half = world_inputs(game, game.encode(many), np.vstack([everyone, nobody]), [0.8, 0.2],
                        number=0, passes=1)  # fmt: skip
    moved = ~(np.column_stack([half[name] for name in INPUTS]) == many[INPUTS].to_numpy()).all(1)
    assert moved.mean() == pytest.approx(0.1, abs=0.04)


def test_fine_tuning_never_makes_limited_decisions_worse():
    X, y = rows()
    for learner in LEARNERS:
        plain = made(learner, max_disparity=0.1, links="forest").fit(X, y)
        after = made(learner, max_disparity=0.1, links="forest", fine_tune=3).fit(X, y)
        assert abs(gap(after.predict(X), X)) <= 0.1 + 1e-12
        assert (after.predict(X) == y).mean() >= (plain.predict(X) == y).mean()


def test_pipelines_and_searches_route_the_attribute():
    X, y = rows()
    with config_context(enable_metadata_routing=True):
        one = (
            made(fairness_weight=0.4, graph=None)
            .set_fit_request(sensitive_features=True)
            .set_predict_request(sensitive_features=True)
            .set_predict_proba_request(sensitive_features=True)
            .set_score_request(sensitive_features=True)
        )
        pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), one)
        pipeline.fit(X[INPUTS], y, sensitive_features=X["sex"])
        assert pipeline[-1].feature_names_in_.tolist() == INPUTS
        values = pipeline.predict_proba(X[INPUTS], sensitive_features=X["sex"])[:, 1]
        before = pipeline[-1].estimator_.predict_proba(pipeline[:-1].transform(X[INPUTS]))[:, 1]
        assert abs(gap(values, X)) < abs(gap(before, X)) / 2
        routed = GridSearchCV(
            clone(one), {"fairness_weight": [0.0, 5.0]}, cv=2, error_score="raise"
        )
        routed.fit(X[INPUTS], y, sensitive_features=X["sex"])
    search = GridSearchCV(
        made(graph=None), {"fairness_weight": [0.0, 5.0]}, cv=2, error_score="raise"
    )
    search.fit(X, y)
    for score in ("mean_test_score", "std_test_score"):
        assert search.cv_results_[score] == pytest.approx(routed.cv_results_[score], abs=1e-9)
    assert search.best_params_ == {"fairness_weight": 0.0}
    assert search.cv_results_["mean_test_score"][0] > search.cv_results_["mean_test_score"][1]


@pytest.mark.parametrize(
    "options",
    [
        {"fairness_weight": 0.4},
        {"max_disparity": 0.1, "links": "forest", "threshold": "tuned"},
        {"fairness_weight": 5.0, "sensitive_at_prediction": "average", "fine_tune": 2},
    ],
)
@pytest.mark.parametrize("container", [pd.DataFrame, pl.from_pandas, np.asarray])
def test_files(options, container):
    X, y = rows()
    given = container(X)
    if container is np.asarray:
        options = {**options, "graph": None, "sensitive": None}
    one = made(**options).fit(given, y)
    stored = skops.io.dumps(one)
    trusted = skops.io.get_untrusted_types(data=stored)
    assert all(name.startswith("fairpath.") for name in trusted)
    for again in (pickle.loads(pickle.dumps(one)), skops.io.loads(stored, trusted=trusted)):  # noqa: S301
        assert np.array_equal(again.predict_proba(given), one.predict_proba(given))
        assert np.array_equal(again.predict(given), one.predict(given))
        assert again.kept_paths_ == one.kept_paths_
        assert again.mixture_ == one.mixture_
        assert again.frontier_.points == one.frontier_.points
        assert repr(again.frontier_) == repr(one.frontier_)
        assert repr(again.explanation_) == repr(one.explanation_)
        assert again.get_params().keys() == one.get_params().keys()
    assert not hasattr(pickle.loads(pickle.dumps(clone(one))), "game_")  # noqa: S301


@pytest.mark.parametrize(
    ("options", "fit", "message"),
    [
        ({"sensitive": "gender"}, {}, r"no column 'gender'.*sensitive_features"),
        ({}, {"sensitive_features": np.zeros(400)}, "is a column of X and sensitive_features="),
        ({"sensitive": "race"}, {"sensitive_features": np.zeros(3)}, "each of the 400 rows"),
        ({"model_reads_sensitive": True, "sensitive": "race"},
         {"sensitive_features": np.zeros(400)}, "needs 'race' as a column"),
        ({"model_reads_sensitive": True, "sensitive_at_prediction": "average"}, {},
         "needs it at prediction"),
        ({"estimator": LinearSVC()}, {}, r"LinearSVC gives no probabilities.*Calibrated"),
        ({"outcome": "pay"}, {}, "outcome='pay' is a column of X"),
        ({"fairness_weight": -1}, {}, "at least 0, got -1"),
        ({"max_disparity": -1}, {}, "max_disparity must be a number"),
        ({"threshold": "best"}, {}, "threshold must be a number"),
        ({"held_out": 2}, {}, "held_out is a share"),
        ({"n_draws": 0}, {}, "n_draws must be a whole number"),
        ({"fine_tune": 0}, {}, "fine_tune must be a whole number"),
        ({"sensitive_at_prediction": "no"}, {}, "sensitive_at_prediction must be one of"),
        ({"keep": ["sex → city"]}, {}, "no path 'sex → city'"),
    ],
)  # fmt: skip
def test_refusals(options, fit, message):
    X, y = rows()
    with pytest.raises((fp.DataError, fp.GraphError), match=message):
        made(**options).fit(X, y, **fit)


def test_refusals_of_rows():
    X, y = rows()
    three = np.arange(400) % 3
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        made().fit(X, three)
    with pytest.raises(fp.DataError, match="only one class"):
        made().fit(X, np.ones(400))
    one = made(fairness_weight=5.0).fit(X[INPUTS], y, sensitive_features=X["sex"])
    with pytest.raises(fp.DataError, match=r"sensitive_features=….*'average'"):
        one.predict(X[INPUTS])
    with pytest.raises(fp.DataError, match="holds 2"):
        one.predict(X[INPUTS], sensitive_features=np.full(400, 2))
    inside = fitted(fairness_weight=5.0)
    with pytest.raises(fp.DataError, match="is a column of X"):
        inside.predict(X, sensitive_features=X["sex"])
