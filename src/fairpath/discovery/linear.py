"""Partial correlations: Fisher's z for two numbers, Wilks' lambda where a category takes part.

A category is the indicators of its levels, so one correlation matrix of all columns answers
every question. It sees straight lines only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from math import log

import numpy as np
from scipy.special import log_ndtr

from fairpath.discovery.asking import Pair, Question
from fairpath.frames import Categories, Column
from fairpath.independence import log_chi_square_tail
from fairpath.residuals import BINARY
from fairpath.vocabulary import FloatMatrix, FloatVector, IntVector

BLOCK = 64

EMPTY = 1e-9
"""Shares of a variance that are smaller are rounding."""


@dataclass(frozen=True)
class LinearTest:
    """Questions answered from one correlation matrix.

    Attributes
    ----------
    correlation
        Of all columns and indicators.
    places
        Which of its rows belong to each node.
    size
        How many rows of data it stands for.
    """

    correlation: FloatMatrix
    places: tuple[IntVector, ...]
    size: float
    block: int = BLOCK

    @classmethod
    def of(cls, columns: Sequence[Column], weights: FloatVector) -> "LinearTest":
        """Measure correlations on the rows that are complete."""
        used = weights > 0
        for column in columns:
            used = used & ~column.missing
        parts = [_numbers(column, used) for column in columns]
        weights = weights[used]
        size = float(weights.sum())
        design = np.concatenate(parts, axis=1)
        design = design - weights @ design / max(size, 1)
        design *= np.sqrt(weights)[:, None]
        scale = np.sqrt(np.einsum("ij,ij->j", design, design))
        design /= np.where(scale > 0, scale, 1)
        ends = np.cumsum([part.shape[1] for part in parts])
        places = tuple(
            np.arange(end - part.shape[1], end) for part, end in zip(parts, ends, strict=True)
        )
        return cls(np.asarray(design.T @ design), places, size)

    @cached_property
    def _plain(self) -> bool:
        return all(len(place) == 1 for place in self.places)

    def log_p_values(self, questions: Sequence[Question]) -> list[FloatVector]:
        """Answer each question."""
        found: list[FloatVector] = []
        for _, listed in groupby(questions, key=lambda q: len(self._rows(q.given))):
            together = list(listed)
            rows = np.array([self._rows(q.given) for q in together], dtype=np.intp)
            left = self._given(rows)
            if self._plain:
                found += self._fisher([q.pairs for q in together], left, rows.shape[1])
            else:
                found += [
                    np.array([self._wilks(rest, pair, rows.shape[1]) for pair in q.pairs])
                    for q, rest in zip(together, left, strict=True)
                ]
        return found

    def _rows(self, given: tuple[int, ...]) -> list[int]:
        return [int(row) for node in given for row in self.places[node]]

    def _given(self, rows: IntVector) -> FloatMatrix:
        """Return the covariance that is left given the rows of each question."""
        whole = self.correlation
        if rows.shape[1] == 0:
            return np.broadcast_to(whole, (len(rows), *whole.shape))
        inner, outer = whole[rows[:, :, None], rows[:, None, :]], whole[rows]
        try:
            slopes = np.linalg.solve(inner, outer)
        except np.linalg.LinAlgError:
            slopes = None
        if slopes is not None:
            left = whole - outer.transpose(0, 2, 1) @ slopes
            own = np.take_along_axis(np.einsum("bii->bi", left), rows, axis=1)
            if np.abs(own).max() < EMPTY:
                return np.asarray(left)
        slopes = np.linalg.pinv(inner, rcond=EMPTY, hermitian=True) @ outer
        return np.asarray(whole - outer.transpose(0, 2, 1) @ slopes)

    def _fisher(
        self, pairs: Sequence[Sequence[Pair]], left: FloatMatrix, n_given: int
    ) -> list[FloatVector]:
        counts = [len(listed) for listed in pairs]
        which = np.repeat(np.arange(len(pairs)), counts)
        ends = [(self.places[u][0], self.places[v][0]) for listed in pairs for u, v in listed]
        one, other = np.array(ends, dtype=np.intp).T
        own, cross = np.einsum("bii->bi", left), left[which, one, other]
        variances = own[which, one], own[which, other]
        freedom = self.size - n_given - 3
        told = (variances[0] > EMPTY) & (variances[1] > EMPTY) & (freedom >= 1)
        scale = np.sqrt(np.where(told, variances[0] * variances[1], 1.0))
        r = np.clip(np.abs(cross) / scale, 0, 1 - 1e-15)
        log_p = log(2) + log_ndtr(-np.sqrt(max(freedom, 0)) * np.arctanh(r))
        log_p = np.where(told, np.minimum(log_p, 0.0), np.nan)
        return np.split(log_p, np.cumsum(counts)[:-1])

    def _wilks(self, left: FloatMatrix, pair: Pair, n_given: int) -> float:
        """Compare -log of 1 minus squared canonical correlations with chi-square (Bartlett)."""
        one, other = (_whitened(left, self.places[node]) for node in pair)
        d, e = one.shape[1], other.shape[1]
        if d == e == 1 and len(self.places[pair[0]]) == len(self.places[pair[1]]) == 1:
            return float(self._fisher([[pair]], left[None], n_given)[0][0])
        freedom = self.size - 1 - n_given - (d + e + 1) / 2
        if d * e == 0 or freedom < 1:
            return float("nan")
        cross = one.T @ left[np.ix_(self.places[pair[0]], self.places[pair[1]])] @ other
        shared = np.clip(np.linalg.svd(cross, compute_uv=False) ** 2, 0, 1 - 1e-15)
        return log_chi_square_tail(-freedom * float(np.log1p(-shared).sum()), d * e)


def _numbers(column: Column, used: np.ndarray) -> FloatMatrix:
    """Return a number as it is, a category as one column for each level but the first."""
    if not isinstance(column, Categories):
        return np.asarray(column.values[used])[:, None]
    codes = column.codes[used]
    levels = np.unique(codes)
    if len(levels) <= BINARY:
        return np.asarray(codes == levels[-1], dtype=np.float64)[:, None]
    return np.asarray(codes[:, None] == levels[1:], dtype=np.float64)


def _whitened(left: FloatMatrix, place: IntVector) -> FloatMatrix:
    """Return combinations of a node's columns with variance one and no correlation."""
    values, vectors = np.linalg.eigh(left[np.ix_(place, place)])
    kept = values > EMPTY
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))
