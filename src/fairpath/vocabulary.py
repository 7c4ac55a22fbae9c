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

BoolVector: TypeAlias = NDArray[np.bool_]
"""Shape (n,)."""

Reading: TypeAlias = Literal["drawn", "markov"]
"""What an undirected edge means: direction unknown, or a Markov equivalence class."""

Edge: TypeAlias = tuple[str, str]
"""A cause and its effect, or the two ends of an undirected edge in sorted order."""
