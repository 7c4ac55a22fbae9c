"""Test whether two columns are independent given others, for any mix of numbers and categories.

Both are regressed on the given columns (``residuals``). Independence makes the products of the
residuals, r_x r_y, average to zero; their variance given z is Cov(r_x | z) x Cov(r_y | z), also
where the spread of both depends on z. The weighted sum of squares is compared with chi-square.

With nothing or few cells given this is the test of Pearson (two categories), of Cochran, Mantel
and Haenszel (in strata), of van der Waerden (a category and a number), or of the correlation of
normal scores (two numbers).
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from math import exp, lgamma, log
from typing import Any, TypeVar, cast

import numpy as np
from scipy.special import gammaincc

from fairpath.errors import DataError
from fairpath.frames import Column, as_frame, check_name, checked_weights, columns
from fairpath.residuals import Residuals, Sample, Space, Variable, residuals, space_of
from fairpath.vocabulary import FloatVector

CACHE_BYTES = 2**28

_LEAST_VARIANCE = 0.1
_SMALLEST_TAIL = 1e-290
_T = TypeVar("_T")


@dataclass(frozen=True)
class IndependenceResult:
    """How well the data agree with independence.

    Attributes
    ----------
    p_value, log_p_value
        Uniform if the columns are independent; the logarithm is finite however small p is.
    statistic, dof
        Chi-square and its degrees of freedom; 0 if nothing is left to test (a constant column,
        or one that the given columns determine), and then p is 1.
    n_rows
        Rows (or their total weight) that are complete in the columns involved.
    """

    p_value: float
    log_p_value: float
    statistic: float
    dof: int
    n_rows: float


def independence(
    data: object,
    x: str,
    y: str,
    given: Iterable[str] = (),
    *,
    weights: FloatVector | None = None,
) -> IndependenceResult:
    """Test once whether ``x`` and ``y`` are independent given some columns.

    >>> import pandas as pd
    >>> coins = pd.DataFrame({"first": list("hhtt") * 6, "second": list("htht") * 6})
    >>> independence(coins, "first", "second").p_value
    1.0
    """
    return IndependenceTest(data, weights=weights).test(x, y, given)


class IndependenceTest:
    """Many tests on one table; what they share is computed once.

    Parameters
    ----------
    data
        A pandas, polars or pyarrow table. Only the columns that tests name are read.
    weights
        How often each row counts: a weight of 2 is the same as the row twice.
    """

    def __init__(self, data: object, *, weights: FloatVector | None = None) -> None:
        self._frame = as_frame(data)
        self._weights = checked_weights(weights, len(self._frame))
        self._columns: dict[str, Column] = {}
        self._cache = _Cache(CACHE_BYTES)

    def test(self, x: str, y: str, given: Iterable[str] = ()) -> IndependenceResult:
        """Test ``x`` and ``y`` given some columns, on the rows complete in all of them."""
        if isinstance(given, str):
            raise DataError(f"given must be a list of columns, got a string. Try [{given!r}].")
        given = tuple(sorted(set(given)))
        if x == y or x in given or y in given:
            raise DataError(f"x, y and given must differ, got {x!r}, {y!r} and {list(given)}.")
        holes = frozenset(n for n in (x, y, *given) if self._column(n).missing.any())
        sample = self._sample(holes)
        one, other = (self._residuals(name, given, holes) for name in (x, y))
        statistic, dof = chi_square(one, other, sample)
        log_p = log_chi_square_tail(statistic, dof)
        return IndependenceResult(exp(log_p), log_p, statistic, dof, sample.size)

    # The rows of a test are those where the columns named in ``holes`` have values.

    def _column(self, name: str) -> Column:
        if name not in self._columns:
            check_name(name, self._frame.columns)
            self._columns |= columns(self._frame, [name])
        return self._columns[name]

    def _sample(self, holes: frozenset[str]) -> Sample:
        def make() -> Sample:
            usable = self._weights > 0
            for name in holes:
                usable &= ~self._column(name).missing
            weights = self._weights[usable]
            return Sample(np.flatnonzero(usable), weights, float(weights.sum()))

        return self._cache.get(("sample", holes), make)

    def _variable(self, name: str, holes: frozenset[str]) -> Variable:
        def make() -> Variable:
            return Variable.of(self._column(name), self._sample(holes))

        return self._cache.get(("variable", name, holes), make)

    def _space(self, given: tuple[str, ...], holes: frozenset[str]) -> Space:
        def make() -> Space:
            return space_of([self._variable(n, holes) for n in given], self._sample(holes))

        return self._cache.get(("space", given, holes), make)

    def _residuals(self, name: str, given: tuple[str, ...], holes: frozenset[str]) -> Residuals:
        def make() -> Residuals:
            space = self._space(given, holes)
            return residuals(self._variable(name, holes), space, self._sample(holes))

        return self._cache.get(("residuals", name, given, holes), make)


def chi_square(one: Residuals, other: Residuals, sample: Sample) -> tuple[float, int]:
    """Weigh the sums of residual products by the inverse of their covariance."""
    k, l = one.values.shape[1], other.values.shape[1]
    if k * l == 0:
        return 0.0, 0
    sums = (one.values.T @ (sample.weights[:, None] * other.values)).ravel()
    covariance = one.covariance.reshape(-1, k * k).T @ other.covariance.reshape(-1, l * l)
    covariance = covariance.reshape(k, k, l, l).transpose(0, 2, 1, 3).reshape(k * l, k * l)
    # Times the size it would be the identity if no spread depended on what is given.
    values, vectors = np.linalg.eigh(covariance * sample.size)
    if one.exact:
        kept = values > 1e-8  # noqa: PLR2004
        values, vectors = values[kept], vectors[:, kept]
    else:
        values = np.maximum(values, _LEAST_VARIANCE)
    return float(sample.size * ((vectors.T @ sums) ** 2 / values).sum()), len(values)


def log_chi_square_tail(statistic: float, dof: int) -> float:
    """Return log P(chi-square > statistic), also where the probability itself underflows."""
    if dof == 0:
        return 0.0
    a, x = dof / 2, statistic / 2
    tail = float(gammaincc(a, x))
    if tail > _SMALLEST_TAIL:
        return log(tail)
    # The continued fraction of the incomplete gamma function, from its far end.
    fraction = x + 2 * 100 + 1 - a
    for i in range(100, 0, -1):
        fraction = x + 2 * i - 1 - a - i * (i - a) / fraction
    return a * log(x) - x - lgamma(a) - log(fraction)


class _Cache:
    """The most recently used values, up to a total size."""

    def __init__(self, max_bytes: int) -> None:
        self._room = max_bytes
        self._values: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], _T]) -> _T:
        if key not in self._values:
            value = make()
            self._values[key] = value
            self._room -= _n_bytes(value)
            while self._room < 0 and len(self._values) > 1:
                self._room += _n_bytes(self._values.popitem(last=False)[1])
        self._values.move_to_end(key)
        return cast("_T", self._values[key])


def _n_bytes(value: object) -> int:
    return sum(part.nbytes for part in vars(value).values() if isinstance(part, np.ndarray))
