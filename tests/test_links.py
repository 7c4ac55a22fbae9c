"""What every link promises, for every link and every kind of column."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fairpath.errors import DataError
from fairpath.links import (
    AutoLink,
    EstimatorLink,
    FittedLink,
    ForestLink,
    Growth,
    KnownLink,
    LinearLink,
    Link,
    Variable,
)
from fairpath.links.coupled import CoupledLogisticLink
from fairpath.links.curves import CurveDesign
from fairpath.links.index import IndexForestLink
from fairpath.links.residual import ResidualForestLink

N_ROWS = 150
SEX = Variable("sex", 3, is_sensitive=True)  # nobody has the last level


@dataclass(frozen=True, eq=False)
class Rows:
    """Arguments of ``fit``."""

    parents: np.ndarray
    values: np.ndarray
    weights: np.ndarray
    sources: tuple[Variable, ...]
    target: Variable

    def __post_init__(self):
        for array in (self.parents, self.values, self.weights):
            array.flags.writeable = False  # a link that writes to its inputs fails everywhere

    def take(self, rows) -> "Rows":
        return replace(
            self, parents=self.parents[rows], values=self.values[rows], weights=self.weights[rows]
        )

    def fit(self, link: Link, seed: int = 0) -> FittedLink:
        return link.fit(
            self.parents,
            self.values,
            sources=self.sources,
            target=self.target,
            weights=self.weights,
            rng=np.random.default_rng(seed),
        )

    def uniforms(self) -> np.ndarray:
        uniforms = np.random.default_rng(9).random((len(self.values), 2))
        uniforms.flags.writeable = False
        return uniforms

    def noise(self, fitted: FittedLink) -> np.ndarray:
        noise = fitted.abduct(self.parents, self.values, self.uniforms())
        assert noise.shape[0] == len(self.values)
        assert noise.ndim == 2
        noise.flags.writeable = False
        return noise

    def elsewhere(self) -> np.ndarray:
        """Parents of other worlds: those of other rows, each sometimes in the empty stratum."""
        rng = np.random.default_rng(8)
        columns = [rng.permutation(column) for column in self.parents.T]
        for place, source in enumerate(self.sources):
            if source.is_sensitive:
                columns[place] = rng.integers(0, 3, len(self.values)).astype(float)
        parents = np.column_stack(columns)
        parents.flags.writeable = False
        return parents


def parents_of_every_kind(rng) -> dict[Variable, np.ndarray]:
    sex = rng.integers(0, 2, N_ROWS)
    hours = rng.normal(40 + 5 * sex, 10)
    hours[rng.random(N_ROWS) < 0.2] = np.nan
    return {
        SEX: sex,
        Variable("age"): rng.gamma(3, 10, N_ROWS) + 3 * sex,
        Variable("hours"): hours,
        Variable("veteran"): rng.random(N_ROWS) < 0.3 + 0.3 * sex,
        Variable("region", 4): rng.integers(0, 3, N_ROWS),  # nobody lives in the last one
        Variable("grade", 3, ordered=True): rng.integers(0, 3, N_ROWS),
        Variable("planet", 1): np.zeros(N_ROWS),
        Variable("gravity"): np.full(N_ROWS, 9.81),
    }


def cut(score: np.ndarray, n: int) -> np.ndarray:
    return np.searchsorted(np.quantile(score, np.arange(1, n) / n), score)


COLUMNS: dict[str, tuple[Variable, Callable]] = {
    "continuous": (Variable("pay"), np.exp),
    "integer": (Variable("pay"), lambda score: np.round(4 * score)),
    "few values": (Variable("pay"), lambda score: np.array([-1.5, 2, 7])[cut(score, 3)]),
    "yes or no": (Variable("pay"), lambda score: score > 0.8),
    "constant": (Variable("pay"), lambda score: np.full(len(score), 3.7)),
    "never there": (Variable("pay"), lambda score: np.full(len(score), np.nan)),
    "ordered 2": (Variable("pay", 2, ordered=True), lambda score: cut(score, 2)),
    "ordered 5": (Variable("pay", 5, ordered=True), lambda score: cut(score, 5)),
    "one level": (Variable("pay", 1), lambda score: np.zeros(len(score))),
    "unordered 2": (Variable("pay", 2), lambda score: cut(score, 2)),
    "unordered 3": (Variable("pay", 3), lambda score: (cut(score, 3) + 1) % 3),
    "unordered 5": (Variable("pay", 5), lambda score: (2 * cut(score, 5)) % 5),
    "level never seen": (Variable("pay", 4), lambda score: 2 * cut(score, 2)),
}
EVERY_SOURCE = {"continuous", "yes or no, some missing", "ordered 5", "unordered 3"}
WITH_MISSING = ["continuous", "integer", "few values", "yes or no", "constant"]
WITH_MISSING += ["ordered 5", "unordered 3"]
SEEN_SOURCES = {
    "all": lambda source: True,  # noqa: ARG005
    "all but sex": lambda source: not source.is_sensitive,
    "only sex": lambda source: source.is_sensitive,
}


@cache
def rows_of(column: str, seen: str) -> Rows:
    rng = np.random.default_rng(1)
    found = parents_of_every_kind(rng)
    sex, age, region = found[SEX], found[Variable("age")], found[Variable("region", 4)]
    score = 0.8 * sex + 0.02 * age + 0.5 * (region == 1) + rng.normal(0, 0.7, N_ROWS)
    name = column.removesuffix(", some missing")
    target, make = COLUMNS[name]
    values = np.asarray(make(score), dtype=float)
    if name != column:
        missing = rng.random(N_ROWS) < 0.1 + 0.3 * sex
        values[missing] = np.nan if target.n_levels is None else target.n_levels
        if target.n_levels is not None:
            target = replace(target, n_levels=target.n_levels + 1)
    sources = tuple(source for source in found if SEEN_SOURCES[seen](source))
    parents = np.column_stack([found[source] for source in sources]).astype(float)
    return Rows(parents, values, np.ones(N_ROWS), sources, target)


def known_mean(columns):
    return sum(0.1 * np.nan_to_num(column) for column in columns.values())


def known_law(columns, n_levels):
    tilt = np.tanh(sum(np.nan_to_num(column) for column in columns.values()))
    law = np.exp(np.outer(tilt, np.arange(n_levels)))
    return law / law.sum(axis=1, keepdims=True)


def known_link(target: Variable) -> Link:
    if target.n_levels is None:
        return KnownLink(known_mean)
    return KnownLink(partial(known_law, n_levels=target.n_levels))


LINKS: dict[str, Callable[[Variable], Link]] = {
    "forest": lambda _: ForestLink(Growth(n_trees=3)),
    "linear": lambda _: LinearLink(),
    "auto": lambda _: AutoLink(),
    "residual forest": lambda _: ResidualForestLink(Growth(n_trees=3)),
    "curves": lambda _: LinearLink(CurveDesign.of),
    "curves, ranks": lambda _: ResidualForestLink(RANKS, CurveDesign.of),
    "index": lambda _: IndexForestLink(design=CurveDesign.of),
    "coupled": lambda _: CoupledLogisticLink(CurveDesign.of),
    "known": known_link,
    "regressor": lambda _: EstimatorLink(RandomForestRegressor(5, max_depth=3)),
    "regressor pipeline": lambda _: EstimatorLink(make_pipeline(StandardScaler(), Ridge())),
    "least squares": lambda _: EstimatorLink(LinearRegression()),
    "classifier": lambda _: EstimatorLink(RandomForestClassifier(5, max_depth=3)),
    "classifier pipeline": lambda _: EstimatorLink(make_pipeline(StandardScaler(), GaussianNB())),
}
RANKS = Growth(n_trees=1, leaf=np.inf)
FOR_NUMBERS = {"residual forest", "curves, ranks", "index"}
FOR_NUMBERS |= {"least squares", "regressor", "regressor pipeline"}
FOR_LEVELS = {"classifier", "classifier pipeline"}


EVERY_COLUMN = [*COLUMNS, *(f"{column}, some missing" for column in WITH_MISSING)]
NUMBERS_ALWAYS_THERE = [
    column for column in COLUMNS if COLUMNS[column][0].n_levels is None and column != "never there"
]


def serves(link: str, column: str) -> bool:
    kind = column.removesuffix(", some missing")
    if link == "coupled":
        return COLUMNS[kind][0].n_levels is not None
    if COLUMNS[kind][0].n_levels is not None:
        return link not in FOR_NUMBERS
    return link not in FOR_LEVELS or kind != "continuous"


def cases(links=LINKS, columns=EVERY_COLUMN) -> pytest.MarkDecorator:
    found = [
        pytest.param(link, column, seen, id=f"{link} - {column} - {seen}")
        for link in links
        for column in columns
        if serves(link, column)
        for seen in (SEEN_SOURCES if column in EVERY_SOURCE else ["all"])
    ]
    return pytest.mark.parametrize(("link", "column", "seen"), found)


every_link = cases()


def made(link: str, rows: Rows) -> Link:
    return LINKS[link](rows.target)


@cache
def fitted_on(link: str, column: str, seen: str) -> FittedLink:
    rows = rows_of(column, seen)
    return rows.fit(made(link, rows))


def is_exact(link: str, rows: Rows) -> bool:
    """Whether a link that is not told otherwise returns values to the bit."""
    return rows.target.is_category or link in {"forest", "index", *FOR_LEVELS}


def assert_same_values(found, expected, *, exact):
    if exact:
        assert_array_equal(found, expected)
    else:
        assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@every_link
def test_at_the_factual_parents_values_are_the_factual_ones(link, column, seen):
    rows = rows_of(column, seen)
    fitted = fitted_on(link, column, seen)
    found = fitted.generate(rows.parents, rows.noise(fitted))
    assert_same_values(found, rows.values, exact=is_exact(link, rows))


@cases()
def test_rows_that_taught_nothing_get_their_values_back_too(link, column, seen):
    rows = rows_of(column, seen)
    if link in FOR_LEVELS and column.startswith("integer"):
        rows = replace(rows, values=np.round(rows.values / 5))  # else some are in one half only
    half = N_ROWS // 2
    fitted = rows.take(slice(half)).fit(made(link, rows))
    others = rows.take(slice(half, N_ROWS))
    found = fitted.generate(others.parents, others.noise(fitted))
    assert_same_values(found, others.values, exact=is_exact(link, rows))


@every_link
def test_values_stay_in_their_column(link, column, seen):
    rows = rows_of(column, seen)
    fitted = fitted_on(link, column, seen)
    found = fitted.generate(rows.elsewhere(), rows.noise(fitted))
    assert found.shape == (N_ROWS,)
    assert found.dtype == np.float64
    if link == "known" and rows.target.is_category:
        assert np.isin(found, np.arange(rows.target.n_levels)).all()
    elif is_exact(link, rows):
        seen_values = np.unique(rows.values)
        assert np.isin(found[~np.isnan(found)], seen_values).all()
    assert not np.isinf(found).any()
    if not np.isnan(rows.values).any():
        assert not np.isnan(found).any()
    if np.isnan(rows.values).all():
        assert np.isnan(found).all()


@every_link
def test_the_same_seed_gives_the_same_bits(link, column, seen):
    rows = rows_of(column, seen)
    first = fitted_on(link, column, seen)
    second = rows.fit(made(link, rows))
    elsewhere = rows.elsewhere()
    assert_array_equal(
        first.generate(elsewhere, rows.noise(first)),
        second.generate(elsewhere, rows.noise(second)),
    )


@every_link
def test_a_pickled_link_answers_the_same(link, column, seen):
    rows = rows_of(column, seen)
    fitted = fitted_on(link, column, seen)
    again = pickle.loads(pickle.dumps(fitted))  # noqa: S301
    noise = rows.noise(fitted)
    assert_array_equal(rows.noise(again), noise)
    elsewhere = rows.elsewhere()
    assert_array_equal(again.generate(elsewhere, noise), fitted.generate(elsewhere, noise))


def with_ghosts(rows: Rows) -> tuple[Rows, np.ndarray]:
    """Put rows without weight in between, with values and parents that nobody else has."""
    rng = np.random.default_rng(5)
    parents, values = rows.parents.copy(), rows.values.copy()
    for place, source in enumerate(rows.sources):
        kept = parents[:, place]
        wild = np.where(rng.random(N_ROWS) < 0.5, np.nan, 1e4)
        parents[:, place] = wild if source.n_levels is None else (kept + 1) % source.n_levels
    if rows.target.n_levels is None:
        values = np.where(rng.random(N_ROWS) < 0.5, np.nan, 1e4 * rng.random(N_ROWS))
    else:
        values = rng.integers(0, rows.target.n_levels, N_ROWS).astype(float)
    order = rng.permutation(2 * N_ROWS)
    weights = rng.integers(1, 4, N_ROWS).astype(float)
    mixed = Rows(
        np.concatenate([rows.parents, parents])[order],
        np.concatenate([rows.values, values])[order],
        np.concatenate([weights, np.zeros(N_ROWS)])[order],
        rows.sources,
        rows.target,
    )
    return mixed, np.flatnonzero(mixed.weights > 0)


@every_link
def test_rows_without_weight_have_no_influence(link, column, seen):
    mixed, counted = with_ghosts(rows_of(column, seen))
    alone = mixed.take(counted)
    one, other = mixed.fit(made(link, mixed)), alone.fit(made(link, alone))
    elsewhere = alone.elsewhere()
    assert_array_equal(
        one.generate(elsewhere, alone.noise(one)), other.generate(elsewhere, alone.noise(other))
    )


@every_link
def test_one_row_is_enough(link, column, seen):
    rows = rows_of(column, seen).take(slice(3, 4))
    fitted = rows.fit(made(link, rows))
    assert_same_values(
        fitted.generate(rows.parents, rows.noise(fitted)), rows.values, exact=is_exact(link, rows)
    )
    assert fitted.generate(rows.elsewhere(), rows.noise(fitted)).shape == (1,)


@cases([link for link in LINKS if link != "known"], NUMBERS_ALWAYS_THERE)
def test_a_number_that_was_never_missing_is_there_in_other_worlds(link, column, seen):
    rows = rows_of(column, seen)
    fitted = fitted_on(link, column, seen)
    lost = replace(rows, values=np.where(np.arange(N_ROWS) % 3 == 0, np.nan, rows.values))
    found = fitted.generate(rows.elsewhere(), lost.noise(fitted))
    assert not np.isnan(found).any()


@cases(["linear", "curves", "known", "least squares"])
def test_integer_weights_are_repeated_rows(link, column, seen):
    rng = np.random.default_rng(4)
    rows = replace(rows_of(column, seen), weights=rng.integers(0, 4, N_ROWS).astype(float))
    repeated = replace(
        rows.take(np.repeat(np.arange(N_ROWS), rows.weights.astype(int))),
        weights=np.ones(int(rows.weights.sum())),
    )
    weighted, long = rows.fit(made(link, rows)), repeated.fit(made(link, rows))
    elsewhere = rows.elsewhere()
    assert_allclose(rows.noise(weighted), rows.noise(long), rtol=1e-9, atol=1e-9)
    assert_allclose(
        weighted.generate(elsewhere, rows.noise(weighted)),
        long.generate(elsewhere, rows.noise(long)),
        rtol=1e-9,
        atol=1e-9,
    )


@pytest.mark.parametrize("link", [link for link in LINKS if link not in {"known", "coupled"}])
def test_without_any_weight_there_is_nothing_to_learn(link):
    rows = replace(rows_of("yes or no", "all"), weights=np.zeros(N_ROWS))
    with pytest.raises(DataError, match="'pay'"):
        rows.fit(made(link, rows))


@pytest.mark.parametrize("link", ["forest", "residual forest", "regressor"])
def test_another_seed_grows_other_trees(link):
    rows = rows_of("continuous", "all")
    elsewhere = rows.elsewhere()
    found = [rows.fit(made(link, rows), seed) for seed in (0, 1)]
    one, other = (fitted.generate(elsewhere, rows.noise(fitted)) for fitted in found)
    assert (one != other).any()
