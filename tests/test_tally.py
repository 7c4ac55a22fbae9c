"""Sums by cell against plain loops, and merging as properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairpath import tally as tally_module
from fairpath.tally import ROWS_AT_ONCE, Tally

N_PRODUCTS = 2


def drawn(seed, n, shape=(3, 2), offset=0.0):
    """Draw rows with weights of zero and more; the last of two outcomes stays empty once."""
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, shape[0] * shape[1] - (shape[1] > 1), n)
    return {
        "columns": rng.normal(size=(n, 4)) * [1, 2, 3, 4] + cells[:, None] + offset,
        "strata": cells // shape[1],
        "outcomes": cells % shape[1],
        "weights": rng.integers(0, 4, n) * rng.choice([0.5, 1.0], n),
    }


def tallied(rows, shape=(3, 2)):
    return Tally.of(**rows, shape=shape, n_products=N_PRODUCTS)


def some(rows, inside):
    return {name: values[inside] for name, values in rows.items()}


def assert_equal(one, other, rel=1e-12):
    for name, array in vars(one).items():
        expected = getattr(other, name)
        assert array.shape == expected.shape
        scale = np.abs(expected).max(initial=1e-300)
        assert array == pytest.approx(expected, rel=rel, abs=rel * scale), name


def loops(rows, shape=(3, 2)):
    """Return the sums of a tally row by row."""
    columns, width = rows["columns"], rows["columns"].shape[1]
    count, weight, sums = np.zeros(shape), np.zeros(shape), np.zeros((*shape, width))
    scatter = np.zeros((*shape, N_PRODUCTS, N_PRODUCTS))
    cells = list(zip(rows["strata"], rows["outcomes"], strict=True))
    for cell, values, w in zip(cells, columns, rows["weights"], strict=True):
        count[cell] += w > 0
        weight[cell] += w
        sums[cell] += w * values
    for cell, values, w in zip(cells, columns, rows["weights"], strict=True):
        if weight[cell]:
            away = (values - sums[cell] / weight[cell])[:N_PRODUCTS]
            scatter[cell] += w * np.outer(away, away)
    return Tally(count, weight, sums, scatter)


@given(st.integers(0, 10**6), st.integers(0, 60), st.integers(1, 9))
def test_a_tally_is_a_loop_over_rows(seed, n, at_once):
    rows = drawn(seed, n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally_module, "ROWS_AT_ONCE", at_once)
        found = tallied(rows)
    assert_equal(found, loops(rows))
    assert not found.weight[2, 1]
    assert not found.scatter[2, 1].any()


def test_a_tally_of_several_slices():
    rows = drawn(1, 2 * ROWS_AT_ONCE + 100)
    assert_equal(tallied(rows), loops(rows), 1e-11)


def test_no_products_unless_asked():
    rows = drawn(1, 40)
    found = Tally.of(**rows, shape=(3, 2))
    assert found.scatter.shape == (3, 2, 0, 0)
    assert found.sums == pytest.approx(tallied(rows).sums, rel=1e-12)
    assert found.covariance(1, 0).shape == (0, 0)


@given(st.integers(0, 10**6), st.integers(3, 60), st.floats(-1e3, 1e3))
def test_merging_is_adding_rows(seed, n, offset):
    rows = drawn(seed, n, offset=offset)
    place = np.random.default_rng(seed).integers(0, 3, n)  # a part may have no rows
    a, b, c = (tallied(some(rows, place == part)) for part in range(3))
    whole = tallied(rows)
    # Numbers as large as the offset squared leave 1e-16 of it behind.
    rel = 1e-12 * max(1.0, abs(offset))
    assert_equal(a.merge(b), b.merge(a))
    assert_equal(a.merge(b).merge(c), a.merge(b.merge(c)), rel)
    assert_equal(a.merge(b).merge(c), whole, rel)


@pytest.mark.parametrize("outcomes", [1, 2])
def test_the_covariance_is_that_of_two_samples(outcomes):
    rows = drawn(5, 300, shape=(3, outcomes))
    rows["weights"] = np.ceil(rows["weights"])
    found = tallied(rows, (3, outcomes))
    everyone = some(rows, np.arange(300).repeat(rows["weights"].astype(int)))
    for stratum, reference in [(1, 0), (0, 1), (2, 0)]:
        one, other = (
            everyone["columns"][everyone["strata"] == k, :N_PRODUCTS] for k in (stratum, reference)
        )
        expected = np.cov(one.T) / len(one) + np.cov(other.T) / len(other)
        assert found.covariance(stratum, reference) == pytest.approx(expected, rel=1e-12)
        gap = found.contrast(stratum, reference)[:N_PRODUCTS]
        assert gap == pytest.approx(one.mean(axis=0) - other.mean(axis=0), abs=1e-12)
    assert abs(expected[0, 1]) > 1e-4


def test_a_weight_is_that_many_rows():
    rows = drawn(6, 200)
    rows["weights"] = np.ceil(rows["weights"])
    repeated = some(rows, np.arange(200).repeat(rows["weights"].astype(int)))
    repeated["weights"] = np.ones(len(repeated["strata"]))
    one, other = tallied(rows), tallied(repeated)
    assert one.covariance(1, 0) == pytest.approx(other.covariance(1, 0), rel=1e-12)
    assert one.means()[:2] == pytest.approx(other.means()[:2], rel=1e-12)
    assert one.rows.sum() == (rows["weights"] > 0).sum() < other.rows.sum()


@pytest.mark.parametrize("n", [200, ROWS_AT_ONCE + 200])
def test_large_numbers_do_not_cancel(n):
    # Multiples of 1/8 stay what they are beside 2 ** 30, but their squares do not.
    rows = drawn(7, n)
    rows["columns"] = np.round(rows["columns"] * 8) / 8
    far = {**rows, "columns": rows["columns"] + 2.0**30}
    near, moved = tallied(rows), tallied(far)
    squares = (rows["weights"][:, None] * far["columns"] ** 2).sum(axis=0)
    means = rows["weights"] @ far["columns"] / rows["weights"].sum()
    naive = squares - rows["weights"].sum() * means**2
    assert not np.allclose(naive[0], near.scatter[:, :, 0, 0].sum(), rtol=0.1)
    assert moved.scatter == pytest.approx(near.scatter, rel=1e-6)
    assert moved.covariance(1, 0) == pytest.approx(near.covariance(1, 0), rel=1e-6)


def test_one_row_has_no_spread():
    rows = drawn(8, 2, shape=(2, 1))
    rows |= {"strata": np.array([0, 1]), "weights": np.ones(2)}
    assert not tallied(rows, (2, 1)).covariance(1, 0).any()
