"""How numbers are written: with a minus sign, and as many digits as their company."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import floor, isfinite, log10

from fairpath.uncertainty import Estimate

NOTHING = "–"
"""Where there is no number."""

INTERVAL = "95\N{NO-BREAK SPACE}% interval"

IN_A_TABLE, IN_A_SENTENCE = 4, 3
"""Digits of the largest number."""

SMALLEST, LARGEST = 1e-4, 1e7

ROUNDING = 1e-13
"""Numbers below this are what sums of floats leave: zero."""
MOST_DECIMALS = 6
COMMON = (0.01, 2.0)


@dataclass(frozen=True)
class Style:
    """How numbers that are compared with each other are written: all with the same decimals.

    >>> style = Style.of([0.1742, 0.0031], digits=4)
    >>> style.signed(0.00312), style.plain(0.1742)
    ('+0.0031', '0.1742')
    """

    decimals: int | None

    @classmethod
    def of(cls, values: Iterable[float], digits: int = IN_A_TABLE) -> "Style":
        """Give the largest of some numbers so many digits."""
        largest = max((abs(value) for value in values if isfinite(value)), default=0.0)
        if largest < ROUNDING:
            return cls(digits)
        if not SMALLEST <= largest < LARGEST:
            return cls(None)
        if COMMON[0] <= largest < COMMON[1]:
            return cls(digits)  # most are probabilities: the same decimals in all tables
        return cls(max(0, min(MOST_DECIMALS, digits - 1 - floor(log10(largest)))))

    def plain(self, value: float) -> str:
        """Write a number; one that is rounded to zero has no sign."""
        if not isfinite(value):
            return NOTHING
        text = f"{value:.2e}" if self.decimals is None else f"{value:.{self.decimals}f}"
        if not any(digit in text.partition("e")[0] for digit in "123456789"):
            text = text.removeprefix("-")
        return text.replace("-", "\N{MINUS SIGN}")

    def signed(self, value: float) -> str:
        """Write a number, also with a plus sign."""
        text = self.plain(value)
        return f"+{text}" if value > 0 and isfinite(value) and not self.is_zero(value) else text

    def is_zero(self, value: float) -> bool:
        """Whether a number is zero as it is written."""
        return not any(digit in self.plain(value).partition("e")[0] for digit in "123456789")

    def interval(self, estimate: Estimate) -> str:
        """Write the ends of an interval; nothing if there is none."""
        if not isfinite(estimate.low):
            return ""
        return f"{self.plain(estimate.low)} to {self.plain(estimate.high)}"


def percent(share: float) -> str:
    r"""Write a share.

    >>> percent(0.834), percent(0.0), percent(float("nan"))
    ('83\xa0%', '0\xa0%', '–')
    """
    if not isfinite(share):
        return NOTHING
    text = f"{round(100 * share) + 0}".replace("-", "\N{MINUS SIGN}")
    return f"{text}\N{NO-BREAK SPACE}%"


def holds_zero(estimate: Estimate) -> bool:
    """Whether an interval says that the number may be zero."""
    return estimate.low <= 0 <= estimate.high
