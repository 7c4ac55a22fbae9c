"""Curved regressors against splines of SciPy, and what they may cost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.interpolate import CubicSpline

from fairpath.links import Variable
from fairpath.links.curves import MOST_COLUMNS, ROWS_PER_COLUMN, CurveDesign

SEX, JOB = Variable("sex", 2, is_sensitive=True), Variable("job", 3)
AGE, PAY = Variable("age"), Variable("pay")


def design_of(*columns, sources, weights=None):
    parents = np.column_stack(columns).astype(float)
    weights = np.ones(len(parents)) if weights is None else weights
    return CurveDesign.of(parents, sources, weights)


def explains(regressors, curve):
    coefficients = np.linalg.lstsq(regressors, curve, rcond=None)[0]
    return np.abs(regressors @ coefficients - curve).max()


def test_one_number_spans_the_natural_splines_of_scipy():
    age = np.random.default_rng(0).gamma(3, 10, 4000)
    design = design_of(age, sources=(AGE,))
    ((effect,),) = design.terms
    assert effect.width == len(effect.knots) - 1 >= 5
    inside = np.linspace(effect.knots[0], effect.knots[-1], 300)
    regressors = design(inside[:, None])
    assert regressors.shape[1] == len(effect.knots)
    for heights in np.eye(len(effect.knots)):
        curve = CubicSpline(effect.knots, heights, bc_type="natural")(inside)
        assert explains(regressors, curve) < 1e-8


@pytest.mark.parametrize("side", [-1, 1])
def test_beyond_the_outer_knots_it_is_straight(side):
    age = np.random.default_rng(0).normal(40, 10, 4000)
    design = design_of(age, sources=(AGE,))
    edge = design.terms[0][0].knots[0 if side < 0 else -1]
    outside = edge + side * np.linspace(0, 500, 20)
    assert_allclose(np.diff(design(outside[:, None]), n=2, axis=0), 0, atol=1e-6)


def test_few_values_and_levels_are_told_apart():
    rng = np.random.default_rng(0)
    job, year = rng.integers(0, 3, 600), rng.integers(0, 4, 600) * 5
    design = design_of(job, year, sources=(JOB, PAY))
    anything = rng.normal(size=(3, 4))[job, year // 5]
    assert explains(design(np.column_stack([job, year]).astype(float)), anything) < 1e-9


def test_what_two_parents_do_only_together():
    rng = np.random.default_rng(1)
    sex, age = rng.integers(0, 2, 5000), rng.normal(size=5000)
    together = sex * np.sin(2 * age)
    found = design_of(sex, age, sources=(SEX, AGE))(np.column_stack([sex, age]).astype(float))
    inner = np.abs(age) < 2  # beyond the knots no line is a wave
    assert explains(found[inner], together[inner]) < 0.15


def test_a_missing_number_has_an_effect_of_its_own():
    rng = np.random.default_rng(2)
    age = np.where(rng.random(900) < 0.2, np.nan, rng.normal(size=900))
    design = design_of(age, sources=(AGE,))
    curve = np.where(np.isnan(age), 7.0, 2 * age)
    assert explains(design(age[:, None]), curve) < 1e-9


@given(
    n_rows=st.integers(1, 400),
    weight=st.sampled_from([1.0, 3.0]),
    kinds=st.lists(st.sampled_from(["sex", "job", "number", "few", "constant", "gone"])),
)
def test_columns_are_as_many_as_the_rows_allow(n_rows, weight, kinds):
    rng = np.random.default_rng(n_rows)
    make = {
        "sex": (SEX, lambda: rng.integers(0, 2, n_rows)),
        "job": (JOB, lambda: rng.integers(0, 3, n_rows)),
        "number": (AGE, lambda: rng.normal(size=n_rows)),
        "few": (AGE, lambda: rng.integers(0, 3, n_rows)),
        "constant": (AGE, lambda: np.full(n_rows, 4.0)),
        "gone": (AGE, lambda: np.where(rng.random(n_rows) < 0.5, np.nan, rng.normal(size=n_rows))),
    }
    parents = np.column_stack([np.empty((n_rows, 0)), *(make[kind][1]() for kind in kinds)])
    sources = tuple(make[kind][0] for kind in kinds)
    design = CurveDesign.of(parents, sources, np.full(n_rows, weight))
    regressors = design(parents)
    assert np.isfinite(regressors).all()
    assert np.isfinite(design(np.full((1, len(kinds)), 1.0))).all()
    widths = [np.prod([effect.width for effect in term]) for term in design.terms]
    assert regressors.shape == (n_rows, 1 + sum(widths))
    # A line for each parent is always there; what bends must fit in.
    if any(len(term) > 1 for term in design.terms):
        assert sum(widths) <= min(MOST_COLUMNS, weight * n_rows / ROWS_PER_COLUMN)
