"""How rows are divided, and how the spread between parts becomes an interval."""

from itertools import chain
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fairpath.tally import Tally
from fairpath.uncertainty import (
    BAND_DRAWS,
    FREEDOM,
    LEAST_OF_A_STRATUM,
    MOST_PARTITIONS,
    MOST_PARTS,
    ROWS_OF_A_PART,
    Estimate,
    Estimates,
    band_quantile,
    estimates,
    partitions,
    sizes,
)


def divided(weights, strata, shape, seed=0):
    return partitions(weights, strata, shape, np.random.default_rng(seed))


@st.composite
def divisions(draw):
    """Weights of rows, their strata, and a number of partitions and parts."""
    n = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    weights = draw(st.sampled_from([[1], [0, 1], [0, 1, 2, 3], [0.5, 1.25], [0, 0.5, 2]]))
    return (
        rng.choice(np.array(weights, dtype=float), n),
        rng.integers(0, draw(st.integers(1, 3)), n),
        (draw(st.integers(1, 4)), draw(st.integers(2, 6))),
    )


@given(divisions())
def test_each_row_is_in_one_part(drawn):
    weights, _, shape = drawn
    found = divided(*drawn)
    assert [len(partition) for partition in found] == [shape[1]] * shape[0]
    whole = (weights == np.round(weights)).all()
    for partition in found:
        together = np.zeros(len(weights))
        for part in partition:
            assert (np.diff(part.rows) > 0).all()
            assert (part.weights > 0).all()
            together[part.rows] += part.weights
        assert np.array_equal(together, weights)
        if not whole or weights.max() <= 1:
            rows = np.concatenate([part.rows for part in partition])
            assert sorted(rows) == np.flatnonzero(weights).tolist()


@given(divisions())
def test_each_stratum_is_dealt_out_evenly(drawn):
    weights, strata, _ = drawn
    whole = (weights == np.round(weights)).all()
    for partition in divided(*drawn):
        for stratum in range(3):
            dealt = [
                part.weights[strata[part.rows] == stratum].sum()
                if whole
                else (strata[part.rows] == stratum).sum()
                for part in partition
            ]
            assert max(dealt) - min(dealt) <= 1


@given(st.integers(0, 10**6), st.integers(2, 5))
def test_a_row_that_counts_thrice_is_divided_like_three(seed, n_parts):
    rng = np.random.default_rng(seed)
    weights, strata = rng.integers(0, 4, 30).astype(float), rng.integers(0, 2, 30)
    copies = np.arange(30).repeat(weights.astype(int))
    heavy = divided(weights, strata, (2, n_parts))
    alone = divided(np.ones(len(copies)), strata[copies], (2, n_parts))
    for one, other in zip(chain(*heavy), chain(*alone), strict=True):
        counts = np.bincount(copies[other.rows], minlength=30)
        assert one.rows.tolist() == np.flatnonzero(counts).tolist()
        assert one.weights.tolist() == counts[counts > 0].tolist()


def test_partitions_are_random_and_the_same_again():
    weights, strata = np.ones(60), np.arange(60) % 2
    first, again, other = (divided(weights, strata, (3, 4), seed) for seed in (1, 1, 2))
    listed = [
        [part.rows.tolist() for partition in found for part in partition]
        for found in (first, again, other)
    ]
    assert listed[0] == listed[1] != listed[2]
    assert len(set(map(tuple, listed[0]))) == 12  # no part twice
    # Two rows of a stratum of 30 meet in a part of 7, 7, 8 or 8 as chance has it.
    many = divided(weights, strata, (2000, 4))
    together = np.mean([any({0, 2} <= set(part.rows.tolist()) for part in one) for one in many])
    expected = sum(n * (n - 1) for n in (7, 7, 8, 8)) / (30 * 29)
    assert together == pytest.approx(expected, abs=4 * sqrt(expected / 2000))


def test_every_part_is_the_largest_at_times():
    found = divided(np.ones(61), np.zeros(61, dtype=int), (200, 3))
    largest = [[len(part.rows) for part in partition].index(21) for partition in found]
    assert np.bincount(largest, minlength=3).min() > 200 / 3 - 4 * sqrt(200 * 2 / 9)


@pytest.mark.parametrize(
    ("n_rows", "smallest", "expected"),
    [
        (10_000, 5_000, (2, 10)),  # ten parts of a thousand rows: 18 degrees of freedom
        (10_000, 100, (6, 4)),  # 25 rows of the smaller stratum in each
        (3_500, 1_000, (8, 3)),
        (240, 120, (8, 2)),
        (240, 4, (8, 2)),
        (240, 3, (0, 0)),
        (0, 0, (0, 0)),
        (1e7, 1e6, (2, 10)),
    ],
)
def test_sizes_by_hand(n_rows, smallest, expected):
    assert sizes(n_rows, smallest) == expected


@given(st.floats(4, 1e7), st.floats(0, 1))
def test_sizes_keep_their_promises(n_rows, share):
    smallest = max(4.0, n_rows * share / 2)
    n_partitions, n_parts = sizes(n_rows, smallest)
    assert 1 <= n_partitions <= MOST_PARTITIONS
    assert 2 <= n_parts <= MOST_PARTS
    assert n_parts == 2 or n_rows / n_parts >= ROWS_OF_A_PART
    assert n_parts == 2 or smallest / n_parts >= LEAST_OF_A_STRATUM
    assert n_partitions == MOST_PARTITIONS or n_partitions * (n_parts - 1) >= FREEDOM


def some_estimates(freedom=5.0):
    rng = np.random.default_rng(3)
    return Estimates(rng.normal(size=4), rng.normal(size=(6, 4)), freedom)


def test_sums_have_the_covariance_of_sums():
    found, members = some_estimates(), np.array([[1.0, 1, 0, 0], [0, 1, -2, 3]])
    sums = found.sums(members)
    assert sums.values == pytest.approx(members @ found.values)
    assert sums.covariance == pytest.approx(members @ found.covariance @ members.T)
    assert sums.standard_errors == pytest.approx(np.sqrt(np.diag(sums.covariance)))
    assert sums.freedom == 5
    one, two = found.values[:2]
    assert sums[0].value == pytest.approx(one + two)
    assert found.sums(np.zeros((0, 4))).values.shape == (0,)


def test_intervals_use_the_t_quantile():
    found = some_estimates()
    low, high = found.intervals()
    half = stats.t.ppf(0.975, 5) * found.standard_errors
    assert low == pytest.approx(found.values - half)
    assert high == pytest.approx(found.values + half)
    wide = found.intervals(3.0)
    assert wide[1] - wide[0] == pytest.approx(6 * found.standard_errors)
    assert found[2] == Estimate(found.values[2], low[2], high[2], found.standard_errors[2])
    assert float(found[2]) == found.values[2]
    assert str(Estimate(1, 0.5, 1.5, 0.2)) == "1.0000 [0.5000, 1.5000]"


def test_without_freedom_there_is_no_interval():
    tally = Tally.of(
        np.arange(8.0)[:, None], strata=np.arange(8) % 2, outcomes=np.zeros(8, int),
        weights=np.ones(8), shape=(2, 1),
    )  # fmt: skip
    found = estimates(lambda tally: tally.contrast(1, 0), tally, ())
    assert found.freedom == 0
    assert np.isnan([*found.intervals(), found.standard_errors]).all()
    assert np.isnan(found.intervals(2.0)).all()
    assert found[0].value == 1
    assert str(found[0]) == "1.0000"
    assert np.isnan(found.sums(np.ones((1, 1)))[0].low)
    assert np.isnan(band_quantile(found.covariance, found.freedom, seed=0))


def mean_with_error(values, shape, rng):
    """Return the estimate of a mean from rows that are divided."""

    def tally(part, weights):
        none = np.zeros(len(part), dtype=int)
        return Tally.of(
            values[part][:, None], strata=none, outcomes=none, weights=weights, shape=(1, 1)
        )

    n = len(values)
    found = partitions(np.ones(n), np.zeros(n, dtype=int), shape, rng)
    replicates = [[tally(*part) for part in partition] for partition in found]
    return estimates(lambda tally: tally.means()[0], tally(np.arange(n), np.ones(n)), replicates)


@pytest.mark.parametrize("shape", [(8, 2), (1, 10), (2, 10)])
def test_the_standard_error_of_a_mean(shape):
    rng = np.random.default_rng(4)
    n, draws = 40, 1500
    found = [mean_with_error(rng.normal(size=n), shape, rng) for _ in range(draws)]
    assert {one.freedom for one in found} == {shape[0] * (shape[1] - 1)}
    # The variance of the mean is 1 / n; an average of squares over draws has this much error.
    squares = np.array([one.standard_errors[0] ** 2 for one in found])
    error = squares.std() / sqrt(draws)
    assert error < 0.03 / n
    assert squares.mean() == pytest.approx(1 / n, abs=4 * error)
    covered = np.mean([one[0].low < 0 < one[0].high for one in found])
    assert covered == pytest.approx(0.95, abs=4 * sqrt(0.95 * 0.05 / draws))


def test_estimates_by_hand():
    def tally(value):
        zero = np.zeros(1, dtype=int)
        return Tally.of(
            np.array([[value]]), strata=zero, outcomes=zero, weights=np.ones(1), shape=(1, 1)
        )

    # Parts 1, 3 and 2, 6: variances of the mean (1 + 1) / 2 and (4 + 4) / 2, on average 2.5.
    parts = [[tally(1.0), tally(3.0)], [tally(2.0), tally(6.0)]]
    found = estimates(lambda tally: tally.means()[0], tally(3.0), parts)
    assert found[0].value == 3
    assert found[0].standard_error == pytest.approx(sqrt(2.5))
    assert found.freedom == 2
    # They lie 4 below a whole of 7, and of 9 parts half as much counts: 3 - 1 times the bias.
    found = estimates(lambda tally: tally.means()[0], tally(7.0), parts)
    assert found[0].standard_error == pytest.approx(sqrt(2.5 + 4**2))
    found = estimates(lambda tally: tally.means()[0], tally(7.0), [[tally(3.0)] * 9])
    assert found[0].standard_error == pytest.approx(2)


MONTE_CARLO = 6 * sqrt(0.95 * 0.05 / BAND_DRAWS)
"""Six standard errors of the share of draws beyond a quantile."""


def held_together(quantile, n, freedom):
    """Return how often n independent t statistics are all within a band."""
    return (1 - 2 * stats.t.sf(quantile, freedom)) ** n


@pytest.mark.parametrize("freedom", [4.0, 16.0])
@pytest.mark.parametrize("n", [1, 2, 8, 40])
def test_a_band_over_independent_numbers(n, freedom):
    found = band_quantile(np.diag(np.arange(1.0, n + 1)), freedom, seed=1)
    assert held_together(found, n, freedom) == pytest.approx(0.95, abs=MONTE_CARLO)
    if n == 1:
        assert found == pytest.approx(stats.t.ppf(0.975, freedom), rel=0.04)


def test_a_band_of_numbers_that_do_not_move():
    one, three = np.diag([2.0]), np.diag([0.0, 2.0, 0.0])
    assert band_quantile(three, 9, seed=1) == band_quantile(one, 9, seed=1)
    assert np.isnan(band_quantile(np.zeros((2, 2)), 9, seed=1))
    assert np.isnan(band_quantile(np.zeros((0, 0)), 9, seed=1))


@pytest.mark.parametrize("freedom", [4.0, 18.0])
def test_a_band_over_one_number_many_times(freedom):
    alike = np.outer([1, -2, 3, 1], [1, -2, 3, 1])
    found = band_quantile(alike, freedom, seed=1)
    assert held_together(found, 1, freedom) == pytest.approx(0.95, abs=MONTE_CARLO)


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_a_band_is_wider_than_an_interval_and_narrower_than_bonferroni(seed, n):
    root = np.random.default_rng(seed).normal(size=(3, n))
    found = band_quantile(root.T @ root, 12.0, seed=1)
    assert found == band_quantile(root.T @ root, 12.0, seed=1)
    assert found > stats.t.ppf(0.975, 12) * 0.96
    assert found < stats.t.ppf(1 - 0.025 / n, 12) * 1.06
