"""What a caller may ask for, checked before anything is computed."""

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

import numpy as np

from fairpath.errors import DataError
from fairpath.frames import Categories, Frame, check_name, column
from fairpath.vocabulary import FloatVector, IntVector

LEAST_ROWS = 30
"""Strata with fewer rows get a warning."""


def check_choice(name: str, value: object, allowed: Sequence[object]) -> None:
    """Refuse what is not among the choices."""
    if not any(type(value) is type(one) and value == one for one in allowed):
        listed = ", ".join(map(repr, allowed))
        raise DataError(f"{name} must be {'one of ' * (len(allowed) > 1)}{listed}, got {value!r}.")


def check_count(name: str, value: object, least: int) -> None:
    """Refuse what is no whole number, or too small a one."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise DataError(f"{name} must be a whole number of at least {least}, got {value!r}.")


def check_jobs(n_jobs: object) -> None:
    """Refuse what is no number of workers."""
    is_whole = isinstance(n_jobs, int | np.integer) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not is_whole or n_jobs == 0):
        raise DataError(
            f"n_jobs must be None or a whole number, -1 for all cores, and not 0; got {n_jobs!r}."
        )


def check_choices(**options: tuple[object, Sequence[object]]) -> None:
    """Refuse what is not among the choices of an option."""
    for name, (value, allowed) in options.items():
        check_choice(name, value, allowed)


def check_counts(**options: tuple[object, int]) -> None:
    """Refuse what is given and is no whole number of at least the least."""
    for name, (value, least) in options.items():
        if value is not None:
            check_count(name, value, least)


def check_threshold(threshold: object) -> None:
    """Refuse what is no number."""
    is_number = isinstance(threshold, int | float | np.number) and not isinstance(threshold, bool)
    if not is_number or not isfinite(threshold):  # type: ignore[arg-type]
        raise DataError(f"threshold must be a number, got {threshold!r}.")


def check_outcome(outcome: str | None, known: Iterable[str], sensitive: str) -> None:
    """Refuse an outcome that neither data nor graph know."""
    if outcome is None:
        return
    check_name(outcome, dict.fromkeys(known))
    if outcome == sensitive:
        raise DataError(
            f"{outcome!r} is the sensitive attribute, so it cannot be the outcome too. "
            "Name another column, or leave out outcome=."
        )


def reference_among(
    levels: Sequence[Any], masses: FloatVector, reference: object, sensitive: str
) -> int:
    """Return the position of the reference: the one named, 0 or False, or the largest stratum."""
    if reference is None:
        zero = position_of(levels, 0)
        return int(np.argmax(masses)) if zero is None else zero
    named = position_of(levels, reference)
    if named is None:
        raise DataError(
            f"reference={reference!r} is no level of {sensitive!r}. "
            f"Its levels are: {_listed(levels)}."
        )
    return named


def favoured_rows(
    frame: Frame, outcome: str, favourable: object, default: object = None
) -> tuple[IntVector, object]:
    """Return for each row whether its outcome is the favourable one, and which that is.

    That is ``favourable``; without it the ``default`` if the outcome has this level, else the
    larger one of two. None if no row has it.
    """
    read = column(frame, outcome)
    missing = int(read.missing.sum())
    if missing:
        raise DataError(
            f"The outcome {outcome!r} is missing in {missing} "
            f"{'row' if missing == 1 else 'rows'}. Drop them, or leave out outcome=."
        )
    if isinstance(read, Categories):
        levels, codes = read.levels, read.codes
    else:
        values, codes = np.unique(read.values, return_inverse=True)
        levels = tuple(int(value) if value == round(value) else value for value in values.tolist())
    if len(levels) > 2:  # noqa: PLR2004
        raise DataError(
            f"The outcome {outcome!r} has {len(levels)} levels, utility needs two. "
            "Make it a yes or no, or leave out outcome=."
        )
    which = position_of(levels, default if favourable is None else favourable)
    if which is None and len(levels) == 2:  # noqa: PLR2004
        if favourable is not None:
            raise DataError(
                f"favourable={favourable!r} is no level of the outcome {outcome!r}. Its levels "
                f"are: {_listed(levels)}. Code it as the model does, or leave out outcome=."
            )
        which = 1
    if which is None and favourable is None:
        which = position_of(levels, 1)
    return (codes == which).astype(np.intp), None if which is None else levels[which]


def position_of(levels: Sequence[Any], wanted: object) -> int | None:
    """Return where a level stands; 1 and True are equal, 1 and "1" are not."""
    for position, level in enumerate(levels):
        if isinstance(level, str) == isinstance(wanted, str) and _equal(level, wanted):
            return position
    return None


def _equal(level: object, wanted: object) -> bool:
    # An array gives an array, and a missing value of pandas neither yes nor no.
    same = level == wanted
    return isinstance(same, bool | np.bool_) and bool(same)


def _listed(levels: Sequence[Any]) -> str:
    return ", ".join(map(repr, levels))


def normalised(weights: FloatVector) -> tuple[str, ...]:
    """Name weights that cannot be counts of rows."""
    n_rows, total = int((weights > 0).sum()), float(weights.sum())
    if total >= n_rows / 10:
        return ()
    note = (
        f"the weights of {n_rows} rows sum to {total:.4g}: a weight says how often a row counts, "
        "so links and intervals take this for so few rows. Multiply normalised weights by the "
        "number of rows"
    )
    return (note,)


def few_rows(levels: Sequence[Any], rows: FloatVector, sensitive: str) -> tuple[str, ...]:
    """Name the strata that have few rows; a weight of two is two rows."""
    return tuple(
        f"the stratum {sensitive} = {level} has only {n:.4g} {'row' if n == 1 else 'rows'}: "
        "its numbers are uncertain"
        for level, n in zip(levels, rows, strict=True)
        if n < LEAST_ROWS
    )
