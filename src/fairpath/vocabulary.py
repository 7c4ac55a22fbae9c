"""The nouns that every other module shares."""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatVector: TypeAlias = NDArray[np.float64]
"""Shape (n,)."""

FloatMatrix: TypeAlias = NDArray[np.float64]
"""Shape (n, columns)."""

IntVector: TypeAlias = NDArray[np.intp]
"""Shape (n,): positions or codes."""

IntMatrix: TypeAlias = NDArray[np.intp]
"""Shape (n, columns): positions."""

BoolVector: TypeAlias = NDArray[np.bool_]
"""Shape (n,)."""

BoolMatrix: TypeAlias = NDArray[np.bool_]
"""Shape (n, columns)."""

Reading: TypeAlias = Literal["drawn", "markov"]
"""What an undirected edge means: direction unknown, or a Markov equivalence class."""

Edge: TypeAlias = tuple[str, str]
"""A cause and its effect, or the two ends of an undirected edge in sorted order."""


def same(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether values are equal; a missing number equals a missing number."""
    return np.asarray((one == other) | ((one != one) & (other != other)))  # noqa: PLR0124 - NaN
