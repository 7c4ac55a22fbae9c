"""What an experiment is: numbers beside the paper's, a picture, and a line that compares them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np
from tqdm import tqdm

Row: TypeAlias = dict[str, Any]
"""One line of results: names and values."""

Key: TypeAlias = tuple[str, ...]

T = TypeVar("T")

ROUNDING = 0.005
"""The paper prints two decimals."""


@dataclass(frozen=True)
class Scale:
    """How much of an experiment is run.

    Attributes
    ----------
    repeats
        Random divisions of the data, or random graphs.
    simulations
        Simulations whose truth is known.
    most_rows
        Rows of a table that are used; None for all.
    population
        Simulated people who stand for everybody.
    tune
        Whether hyper-parameters are chosen by cross-validation.
    progress
        Whether to show a progress bar; None: on a terminal.
    """

    repeats: int
    simulations: int
    most_rows: int | None
    population: int
    tune: bool
    progress: bool | None = None

    def counted(self, repeats: Iterable[T], what: str) -> Iterator[T]:
        """Yield the repeats, with a progress bar."""
        hide = None if self.progress is None else not self.progress
        yield from tqdm(list(repeats), desc=what, leave=False, disable=hide)


FULL = Scale(repeats=5, simulations=10, most_rows=None, population=100_000, tune=True)
QUICK = Scale(repeats=1, simulations=1, most_rows=1000, population=10_000, tune=False)


@dataclass(frozen=True, eq=False)
class Found:
    """What an experiment found.

    Attributes
    ----------
    rows
        A line for each repeat.
    summary
        A line for each cell of the paper's table: mean and standard deviation, the paper's number.
    verdict
        How they compare, in a line.
    draw
        Makes the picture.
    """

    rows: Sequence[Row]
    summary: Sequence[Row]
    verdict: str
    draw: Callable[[], Any]


@dataclass(frozen=True)
class Experiment:
    """A table or figure of the paper.

    Attributes
    ----------
    name, title
        For the command line, and for people.
    source
        Where it is in the paper.
    differs
        What differs from the paper in data or protocol.
    run
        Do it.
    """

    name: str
    title: str
    source: str
    differs: str
    run: Callable[[Scale], Found]


def summarised(
    rows: Sequence[Row], by: Sequence[str], value: str, paper: Mapping[Key, tuple[float, ...]]
) -> list[Row]:
    """Return mean and standard deviation over repeats, beside the paper's, for each ``by``."""
    cells: dict[Key, list[float]] = {}
    for row in rows:
        cells.setdefault(tuple(row[name] for name in by), []).append(row[value])
    result = []
    for key, values in cells.items():
        printed = paper.get(key, ())
        result.append(
            {
                **dict(zip(by, key, strict=True)),
                "mean": float(np.mean(values)),
                "sd": float(np.std(values, ddof=1)) if len(values) > 1 else None,
                "repeats": len(values),
                "paper": printed[0] if printed else None,
                "paper_sd": printed[1] if len(printed) > 1 else None,
            }
        )
    return result


def as_good(summary: Sequence[Row], method: str = "ours") -> str:
    """Say in how many cells errors of a method are at most the paper's, as far as it prints."""
    cells = [row for row in summary if row["method"] == method and row["paper"] is not None]
    good = [row for row in cells if row["mean"] < row["paper"] + ROUNDING]
    worse = "; ".join(
        f"{' '.join(v for v in row.values() if isinstance(v, str))}: {row['mean']:.3f}"
        for row in cells
        if row not in good
    )
    line = f"at least as good as the paper in {len(good)} of {len(cells)} cells"
    return f"{line} (not: {worse})" if worse else line
