"""Bars and histograms as inline pictures that need no script."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, sqrt

import numpy as np

from fairpath.report.markup import Markup, element
from fairpath.report.numbers import Style, percent
from fairpath.uncertainty import Estimate
from fairpath.vocabulary import FloatVector

TALL = 22

NOTHING_AT_ALL = 1e-300
"""An axis this short has no scale."""

TICK = 45.0
"""Units that the number at an end needs."""

MARKED = (0.01, 0.1, 0.5)
"""Frequencies that have a line, if they are below the largest one."""

WIDTH, HEIGHT, TOP, BOTTOM, LEFT, RIGHT = 360.0, 150.0, 8.0, 24.0, 40.0, 10.0
"""Of a histogram, and the room around it."""


@dataclass(frozen=True)
class Axis:
    """From where to where bars can reach."""

    low: float
    high: float

    @classmethod
    def of(cls, estimates: Sequence[Estimate]) -> "Axis":
        """Leave room for all numbers, their intervals, and zero."""
        ends = [0.0]
        for one in estimates:
            ends += [end for end in (one.value, one.low, one.high) if isfinite(end)]
        low, high = min(ends), max(ends)
        room = 0.02 * (high - low) if high - low > NOTHING_AT_ALL else 1.0
        return cls(low - room, high + room)

    def at(self, value: float) -> str:
        """Return a place on the axis."""
        return f"{100 * (value - self.low) / (self.high - self.low):.2f}%"

    def wide(self, one: float, other: float) -> str:
        """Return how far two values are apart."""
        return f"{100 * abs(one - other) / (self.high - self.low):.2f}%"


def bar(axis: Axis, one: Estimate, *, neutral: bool = False) -> Markup:
    """Return a bar from zero, with a line for the interval; negative ones are hatched."""
    look = "neutral" if neutral else "lowers" if one.value < 0 else "raises"
    middle = TALL / 2
    parts = [
        element("line", class_="zero", x1=axis.at(0), x2=axis.at(0), y1=0, y2=TALL),
        element(
            "rect",
            class_=look,
            x=axis.at(min(0.0, one.value)),
            y=4,
            width=axis.wide(one.value, 0.0),
            height=TALL - 8,
        ),
    ]
    if isfinite(one.low):
        ends = {"x1": axis.at(one.low), "x2": axis.at(one.high)}
        parts.append(element("line", class_="whisker", **ends, y1=middle, y2=middle))
        for end in ends.values():
            cap = {"x1": end, "x2": end}
            parts.append(element("line", class_="whisker", **cap, y1=middle - 3, y2=middle + 3))
    return element("svg", *parts, class_="bar", height=TALL, aria_hidden="true")


@dataclass(frozen=True)
class Heap:
    """The relative frequencies of one stratum, and its mean."""

    heights: FloatVector
    mean: float


def histogram(edges: FloatVector, heaps: Sequence[Heap], name: str) -> Markup:
    """Return outlines of relative frequencies by their square roots, the reference first."""
    low, high = float(edges[0]), float(edges[-1])
    most = max(float(heap.heights.max()) for heap in heaps) or 1.0

    def across(value: float) -> float:
        return LEFT + (value - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def up(share: float) -> float:
        return HEIGHT - BOTTOM - sqrt(share / most) * (HEIGHT - TOP - BOTTOM)

    parts = []
    for share in (0.0, *(one for one in MARKED if one < 0.9 * most), most):
        y = f"{up(share):.1f}"
        parts.append(element("line", class_="grid", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y))
        text = percent(share)
        parts.append(element("text", text, x=LEFT - 4, y=f"{up(share) + 4:.1f}", class_="tick end"))
    for number, heap in enumerate(heaps):
        corners = [f"M{across(low):.1f},{up(0):.1f}"]
        for k, share in enumerate(heap.heights.tolist()):
            corners.append(f"V{up(share):.1f}H{across(float(edges[k + 1])):.1f}")
        corners.append(f"V{up(0):.1f}")
        parts.append(element("path", class_=f"heap heap{number}", d="".join(corners)))
        x = f"{across(heap.mean):.1f}"
        parts.append(
            element("line", class_=f"mean heap{number}", x1=x, x2=x, y1=TOP - 4, y2=f"{up(0):.1f}")
        )
    base = f"{up(0):.1f}"
    parts.append(element("line", class_="zero", x1=LEFT, x2=WIDTH - RIGHT, y1=base, y2=base))
    parts += [
        element("text", text, x=f"{x:.1f}", y=y, class_=f"tick {side}")
        for text, x, y, side in _ticks(low, high, across(0.0))
    ]
    return element(
        "svg",
        element("title", name),
        *parts,
        class_="histogram",
        viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}",
        role="img",
        aria_label=name,
    )


def _ticks(low: float, high: float, zero: float) -> list[tuple[str, float, float, str]]:
    style = Style.of([low, high], 2)
    below = HEIGHT - 8
    ticks = [
        (style.signed(low), LEFT, below, "start"),
        (style.signed(high), WIDTH - RIGHT, below, "end"),
    ]
    if low < 0 < high and LEFT + TICK < zero < WIDTH - RIGHT - TICK:
        ticks.append(("0", zero, below, "middle"))
    return ticks


def heap(values: FloatVector, weights: FloatVector, edges: FloatVector) -> Heap:
    """Count values; they weigh something."""
    counts = np.histogram(values, edges, weights=weights)[0]
    return Heap(counts / weights.sum(), float(np.average(values, weights=weights)))
