"""Two selections mixed: w v(T₁) + (1 - w) v(T₂), to meet a limit on the disparity exactly."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairpath.paths import Path
from fairpath.selection.rows import Measured

SLACK = 1e-12
"""Rounding that a limit allows for."""

Shares = tuple[tuple[int, float], ...]
"""Positions of selections, with the share of each in the mixture."""


@dataclass(frozen=True)
class Mixture:
    """A selection, or two that are mixed.

    Attributes
    ----------
    parts
        The share of each selection, with its paths.
    measured
        Numbers of the mixed output.
    """

    parts: tuple[tuple[float, tuple[Path, ...]], ...]
    measured: Measured

    def __repr__(self) -> str:
        lines = []
        for share, kept in self.parts:
            names = "; ".join(map(str, kept)) or "no path"
            lines.append(f"{share:.3f} × v(T) with {len(kept)} paths: {names}")
        gap = max(self.measured.disparity, key=abs)
        lines.append(
            f"  utility {self.measured.utility:.4f}, disparity {gap:+.4f}, "
            f"accuracy {self.measured.accuracy:.4f}"
        )
        return "\n".join(lines)


def best_of_outputs(found: Sequence[Measured], limit: float) -> Shares:
    """Return the mixture of neighbours with the most utility and every |Δ| at most the limit.

    Utility and disparities are linear in the share, so it is at one end of the shares that are
    allowed. If none is, the one with the least disparity.
    """
    pairs = [(k, k) for k in range(len(found))] + [(k, k + 1) for k in range(len(found) - 1)]
    best: tuple[float, Shares] | None = None
    for one, other in pairs:
        first, second = found[one], found[other]
        low, high = allowed(first.disparity, second.disparity, limit)
        if low > high:
            continue
        for share in (high, low):
            utility = share * first.utility + (1 - share) * second.utility
            if best is None or utility > best[0]:
                best = utility, mixed(one, other, share)
    if best is None:
        return ((least_unequal(found), 1.0),)
    return best[1]


def allowed(first: Sequence[float], second: Sequence[float], limit: float) -> tuple[float, float]:
    """Return the least and the largest share of the first that keep |Δ| within the limit."""
    low, high = 0.0, 1.0
    for one, other in zip(first, second, strict=True):
        slope = one - other
        if slope == 0:
            if abs(other) > limit + SLACK:
                return 1.0, 0.0
            continue
        ends = sorted(((-limit - other) / slope, (limit - other) / slope))
        low, high = max(low, ends[0]), min(high, ends[1])
    return low, high


def mixed(one: int, other: int, share: float) -> Shares:
    """Return the parts that are there at all."""
    if one == other or share == 1:
        return ((one, 1.0),)
    return ((other, 1.0),) if share == 0 else ((one, share), (other, 1 - share))


def least_unequal(found: Sequence[Measured]) -> int:
    """Return the selection whose largest |Δ| is least."""
    return int(np.argmin([max(map(abs, one.disparity)) for one in found]))
