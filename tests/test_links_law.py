"""Whoever the noise comes from, generated values follow the law at the parents they are asked for.

The truth is known here, every link is asked for what it can represent, and every value is
generated for parents that most rows do not have: the law at these parents must come out, and
the same one from the noise of either stratum.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from fairpath.links import (
    AutoLink,
    EstimatorLink,
    ForestLink,
    Growth,
    KnownLink,
    LinearLink,
    Variable,
)
from fairpath.links.coupled import CoupledLogisticLink
from fairpath.links.curves import CurveDesign
from fairpath.links.index import IndexForestLink
from fairpath.links.residual import ResidualForestLink

N_ROWS = 20_000
SOURCES = (Variable("sex", 2, is_sensitive=True), Variable("veteran"), Variable("region", 3))
GRID = np.array([*product([0.0, 1.0], [0.0, 1.0], [0.0, 1.0, 2.0])])
NUMBER = Variable("pay")


def line(parents):
    sex, veteran, region = parents.T
    return 1 + 2 * sex - 1.5 * veteran + np.array([0, 0.7, -1])[region.astype(int)]


def cell(parents):
    return (parents @ [6, 3, 1]).astype(int)


def bumps(parents):
    return np.array([0, 3, 1, 7, 2, 2, 5, 0, 4, 4, 9, 1])[cell(parents)]


def logits(parents):
    return np.outer(line(parents), [0, 1, 0.3]) + np.array([0, -0.5, 1])


LAWS = np.random.default_rng(3).dirichlet(np.ones(4), 12)


def drawn(law, rng):
    return (rng.random((len(law), 1)) > np.cumsum(law, axis=1)[:, :-1]).sum(axis=1).astype(float)


def lost(values, parents, rng):
    """Make values missing, for one stratum more often than for the other."""
    return np.where(rng.random(len(values)) < expit(2 * parents[:, 0] - 1.5), np.nan, values)


@dataclass(frozen=True, eq=False)
class Truth:
    """How values really arise, and which links can say so."""

    target: Variable
    draw: Callable
    links: tuple[str, ...]
    known: Callable | None = None


TRUTHS = {
    "line": Truth(
        NUMBER,
        lambda parents, rng: line(parents) + rng.exponential(1, len(parents)),
        ("linear", "known", "least squares", "forest", "residual forest", "curves", "auto"),
        line,
    ),
    "bumps": Truth(
        NUMBER,
        lambda parents, rng: bumps(parents) + rng.normal(0, 1, len(parents)),
        ("known", "regression tree", "forest", "residual forest", "auto"),
        bumps,
    ),
    "any shape": Truth(
        NUMBER,
        lambda parents, rng: rng.gamma(0.7 + cell(parents) / 3),
        ("forest", "residual forest", "auto"),
    ),
    "logistic": Truth(
        Variable("job", 3),
        lambda parents, rng: drawn(softmax(logits(parents), axis=1), rng),
        ("linear", "known", "logistic", "classification tree", "forest", "coupled", "auto"),
        lambda parents: softmax(logits(parents), axis=1),
    ),
    "any levels": Truth(
        Variable("job", 4),
        lambda parents, rng: drawn(LAWS[cell(parents)], rng),
        ("known", "classification tree", "forest", "auto"),
        lambda parents: LAWS[cell(parents)],
    ),
    "ordered levels": Truth(
        Variable("grade", 4, ordered=True),
        lambda parents, rng: drawn(LAWS[cell(parents)], rng),
        ("known", "classification tree", "forest", "auto"),
        lambda parents: LAWS[cell(parents)],
    ),
    "few values": Truth(
        NUMBER,
        lambda parents, rng: np.array([-1, 2, 7, 8.5])[drawn(LAWS[cell(parents)], rng).astype(int)],
        ("classification tree", "forest", "residual forest", "index", "auto"),
    ),
    "line, some missing": Truth(
        NUMBER,
        lambda parents, rng: lost(line(parents) + rng.exponential(1, len(parents)), parents, rng),
        ("linear", "least squares", "forest", "residual forest", "index", "auto"),
    ),
    "few values, some missing": Truth(
        NUMBER,
        lambda parents, rng: lost(drawn(LAWS[cell(parents)], rng), parents, rng),
        ("classification tree", "forest", "residual forest", "auto"),
    ),
    "yes or no, some missing": Truth(
        NUMBER,
        lambda parents, rng: lost(
            1.0 * (rng.random(len(parents)) < expit(line(parents))), parents, rng
        ),
        ("linear", "logistic", "classification tree", "forest", "auto"),
    ),
}


def made(link: str, truth: Truth):
    def known(columns):
        return truth.known(np.column_stack([columns[source.name] for source in SOURCES]))

    return {
        "forest": ForestLink(),
        "residual forest": ResidualForestLink(),
        "linear": LinearLink(),
        "auto": AutoLink(),
        "index": IndexForestLink(design=CurveDesign.of),
        "curves": ResidualForestLink(Growth(n_trees=1, leaf=np.inf), CurveDesign.of),
        "coupled": CoupledLogisticLink(CurveDesign.of),
        "known": KnownLink(known),
        "least squares": EstimatorLink(LinearRegression()),
        "logistic": EstimatorLink(LogisticRegression(C=1e6, max_iter=1000)),
        "regression tree": EstimatorLink(DecisionTreeRegressor()),
        "classification tree": EstimatorLink(DecisionTreeClassifier()),
    }[link]


@cache
def rows_of(name: str):
    rng = np.random.default_rng(1)
    sex = rng.random(N_ROWS) < 0.4
    veteran = rng.random(N_ROWS) < 0.3 + 0.4 * sex
    region = drawn(np.where(sex[:, None], [0.2, 0.3, 0.5], [0.5, 0.3, 0.2]), rng)
    parents = np.column_stack([sex, veteran, region]).astype(float)
    return parents, TRUTHS[name].draw(parents, rng)


@cache
def noise_of(link: str, name: str):
    parents, values = rows_of(name)
    fitted = made(link, TRUTHS[name]).fit(
        parents,
        values,
        sources=SOURCES,
        target=TRUTHS[name].target,
        weights=np.ones(N_ROWS),
        rng=np.random.default_rng(2),
    )
    uniforms = np.random.default_rng(4).random((N_ROWS, 2))
    return fitted, fitted.abduct(parents, values, uniforms)


def distance(one, other, target):
    """Return the largest difference of probabilities; of distribution functions for numbers."""
    # A mean plus a residual is the value only up to rounding.
    one, other = (np.sort(np.nan_to_num(np.round(s, 9), nan=1e9)) for s in (one, other))
    points = np.concatenate([one, other])
    shares = [
        np.searchsorted(sample, points, side="right") / len(sample) for sample in (one, other)
    ]
    if target.n_levels is not None:
        points = np.arange(target.n_levels)
        shares = [np.bincount(s.astype(int), minlength=len(points)) / len(s) for s in (one, other)]
    return np.abs(shares[0] - shares[1]).max()


every_truth = pytest.mark.parametrize(
    ("name", "link"), [(name, link) for name, truth in TRUTHS.items() for link in truth.links]
)


@every_truth
def test_generated_values_follow_the_law_at_their_parents(name, link):
    truth = TRUTHS[name]
    fitted, noise = noise_of(link, name)
    parents, _ = rows_of(name)
    rng = np.random.default_rng(6)
    for point in GRID:
        asked = np.tile(point, (N_ROWS, 1))
        n_teachers = (parents == point).all(axis=1).sum()
        assert n_teachers > 400
        # Kolmogorov: in truth further away than this once in 30,000 times.
        allowed = 2.3 * np.sqrt(1 / n_teachers + 1 / N_ROWS)
        found = fitted.generate(asked, noise)
        assert distance(found, truth.draw(asked, rng), truth.target) < allowed


@every_truth
def test_noise_does_not_tell_the_stratum(name, link):
    truth = TRUTHS[name]
    fitted, noise = noise_of(link, name)
    parents, values = rows_of(name)
    sex = parents[:, 0] == 1
    assert distance(values[sex], values[~sex], truth.target) > 0.05  # values do
    allowed = 2.3 * np.sqrt(1 / sex.sum() + 1 / (~sex).sum())
    for point in GRID:
        found = fitted.generate(np.tile(point, (N_ROWS, 1)), noise)
        assert distance(found[sex], found[~sex], truth.target) < allowed


@every_truth
def test_noise_does_not_tell_the_other_parents(name, link):
    truth = TRUTHS[name]
    fitted, noise = noise_of(link, name)
    parents, _ = rows_of(name)
    found = fitted.generate(np.tile(GRID[4], (N_ROWS, 1)), noise)
    for point in GRID:
        inside = (parents == point).all(axis=1)
        allowed = 2.3 * np.sqrt(1 / inside.sum() + 1 / (~inside).sum())
        assert distance(found[inside], found[~inside], truth.target) < allowed
