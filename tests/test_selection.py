"""Which paths are selected: Algorithm 3 and the best set of all, against plain loops."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairpath.selection.exact import exact
from fairpath.selection.greedy import Additive, greedy
from fairpath.selection.sweep import FIRST, envelope, follow, grid, largest_weight
from fairpath.selection.terms import Terms

# Sums of these have no rounding, so ties are ties whatever the order of adding.
eighths = st.integers(-40, 40).map(lambda number: number / 8)


def made(gains, gaps):
    gaps = np.atleast_2d(np.array(gaps, dtype=float))
    return Terms(np.array(gains, dtype=float), gaps, 0.5, np.zeros(len(gaps)))


@st.composite
def terms(draw, most=8):
    n = draw(st.integers(1, most))
    row = st.lists(eighths, min_size=n, max_size=n)
    return made(draw(row), draw(st.lists(row, min_size=1, max_size=3)))


@st.composite
def choices(draw, most=8):
    """Terms with paths that are always dropped and always kept."""
    found = draw(terms(most))
    n = len(found.gains)
    fates = draw(st.lists(st.sampled_from(["free", "free", "free", "keep", "drop"]),
                          min_size=n, max_size=n))  # fmt: skip
    start = np.array([fate != "drop" for fate in fates])
    return found, start, np.array([fate != "keep" for fate in fates])


def random_terms(seed, n, comparisons=1):
    rng = np.random.default_rng(seed)
    return made(rng.normal(0.02, 0.05, n), rng.normal(0.02, 0.05, (comparisons, n)))


def objective(found, paths, weight):
    sums = [sum(row[p] for p in paths) for row in found.gaps]
    return -sum(found.gains[p] for p in paths) + weight * max(abs(s) for s in sums)


def algorithm_3(found, paths, free, weight):
    """The paper's Algorithm 3, word for word; T* starts as P."""
    held, best = list(paths), list(paths)
    while any(p in free for p in held):
        gone = min(
            (p for p in held if p in free),
            key=lambda p: objective(found, [q for q in held if q != p], weight),
        )
        held = [p for p in held if p != gone]
        if objective(found, held, weight) < objective(found, best, weight):
            best = list(held)
    return best


def all_sets(start, removable):
    free = np.flatnonzero(start & removable)
    forced = np.flatnonzero(start & ~removable).tolist()
    for size in range(len(free) + 1):
        for some in combinations(free.tolist(), size):
            yield sorted([*forced, *some])


@settings(max_examples=50, deadline=None)
@given(choices(), st.integers(0, 40).map(lambda number: number / 8))
def test_greedy_is_algorithm_3(choice, weight):
    found, start, removable = choice
    held = greedy(Additive(found), start, removable, weight).held
    expected = algorithm_3(
        found, np.flatnonzero(start).tolist(), set(np.flatnonzero(removable).tolist()), weight
    )
    assert np.flatnonzero(held).tolist() == sorted(expected)


def test_greedy_by_hand():
    # λ = 1: without the second path L = -0.2 + 0.1, with all -0.3 + 0.4; without the first too
    # L = 0. So the second goes and the first, which pays for itself, stays.
    found, both = made([0.2, 0.1], [[0.1, 0.3]]), np.ones(2, dtype=bool)
    assert greedy(Additive(found), both, both, 1.0).held.tolist() == [True, False]
    assert greedy(Additive(found), both, both, 0.3).held.tolist() == [True, True]
    assert greedy(Additive(found), both, both, 2.5).held.tolist() == [False, False]


def test_removing_what_changes_nothing_is_no_improvement():
    # The paper's strict <: a path without any contribution stays.
    found, both = made([0.5, 0.0], [[0.1, 0.0]]), np.ones(2, dtype=bool)
    for solve in (lambda w: greedy(Additive(found), both, both, w).held,
                  lambda w: exact(found, both, both, w)):  # fmt: skip
        assert solve(1.0).tolist() == [True, True]


@settings(max_examples=50, deadline=None)
@given(choices(), st.integers(0, 40).map(lambda number: number / 8))
def test_exact_is_the_best_of_all_sets(choice, weight):
    found, start, removable = choice
    held = np.flatnonzero(exact(found, start, removable, weight)).tolist()
    losses = {tuple(some): objective(found, some, weight) for some in all_sets(start, removable)}
    least = min(losses.values())
    assert tuple(held) in losses, "forced choices are obeyed"
    assert losses[tuple(held)] == pytest.approx(least, abs=1e-9)
    # Of equally good sets it has the most paths.
    assert len(held) == max(len(some) for some, loss in losses.items() if loss == least)


@pytest.mark.parametrize("n", [12, 15])
def test_exact_among_many_sets(n):
    found, every = random_terms(n, n, 2), np.ones(n, dtype=bool)
    codes = np.arange(1 << n)
    sets = (codes[:, None] >> np.arange(n) & 1).astype(float)
    for weight in (0.0, 0.3, 1.0, 4.0, 100.0):
        losses = weight * np.abs(sets @ found.gaps.T).max(axis=1) - sets @ found.gains
        chosen = exact(found, every, every, weight)
        assert found.loss(chosen, weight) == pytest.approx(losses.min(), abs=1e-9 * (1 + weight))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 14), st.floats(0.01, 50))
def test_exact_is_never_worse_than_greedy(seed, n, weight):
    found, every = random_terms(seed, n, 1 + seed % 3), np.ones(n, dtype=bool)
    best = found.loss(exact(found, every, every, weight), weight)
    assert best <= found.loss(greedy(Additive(found), every, every, weight).held, weight) + 1e-12


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 10))
def test_more_weight_never_means_more_disparity_or_more_utility(seed, n):
    found, every = random_terms(seed, n, 1 + seed % 2), np.ones(n, dtype=bool)
    weights = [0.0, 0.1, 0.5, 1.0, 2.0, 10.0]
    sets = [exact(found, every, every, weight) for weight in weights]
    gaps = [np.abs(found.carried(held)).max() for held in sets]
    gains = [found.gains @ held for held in sets]
    for one, other in pairwise(gaps):
        assert other <= one + 1e-9
    for one, other in pairwise(gains):
        assert other <= one + 1e-9


def selection_at(chosen, weight):
    return [one for one in chosen if one.fairness_weight <= weight][-1].held


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 9), st.lists(st.floats(0, 1), min_size=8, max_size=8))
def test_the_sweep_of_the_greedy_algorithm_misses_no_change(seed, n, places):
    found, every = random_terms(seed, n, 1 + seed % 2), np.ones(n, dtype=bool)
    most = largest_weight(found)

    def run(weight):
        return greedy(Additive(found), every, every, weight)

    chosen = follow(run, most)
    assert all((one.held != other.held).any() for one, other in pairwise(chosen))
    for place in places:
        weight = most * FIRST ** (1 - place)
        near = min(abs(one.fairness_weight / weight - 1) for one in chosen)
        if near > 1e-6:
            assert (selection_at(chosen, weight) == run(weight).held).all()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 9), st.lists(st.floats(0, 1), min_size=5, max_size=5))
def test_the_sweep_of_the_best_sets_misses_none(seed, n, places):
    found, every = random_terms(seed, n, 1 + seed % 2), np.ones(n, dtype=bool)
    most = largest_weight(found)

    def solve(weight):
        return exact(found, every, every, weight)

    chosen = envelope(solve, found, most)
    weights = [one.fairness_weight for one in chosen]
    assert weights == sorted(weights)
    for place in places:
        weight = most * FIRST ** (1 - place)
        loss = found.loss(selection_at(chosen, weight), weight)
        assert loss <= found.loss(solve(weight), weight) + 1e-8 * (1 + weight)


def test_a_grid_reaches_the_largest_weight():
    found = random_terms(0, 5)
    weights = grid(found)
    assert weights[-1] == pytest.approx(largest_weight(found))
    assert list(weights) == sorted(weights)
    assert largest_weight(made([0.0], [[0.0]])) == 1.0
