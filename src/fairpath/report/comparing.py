"""What the page has room for, and parts that exist once for each comparison."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import narwhals as nw

from fairpath.explanation import Explanation
from fairpath.explanation.quantities import Comparison
from fairpath.report.markup import Markup, element, phrase
from fairpath.report.words import Words

LEAST_ROWS = 4


@dataclass(frozen=True)
class Room:
    """How many paths each comparison has room for, so that the file stays small.

    Attributes
    ----------
    rows, strands, histograms
        In the table, in the picture of the graph, and with a histogram.
    """

    rows: int
    strands: int
    histograms: int

    @classmethod
    def among(cls, n_comparisons: int) -> "Room":
        """Share the room between comparisons."""

        def part(whole: int, most: int, least: int) -> int:
            return max(least, min(most, whole // n_comparisons))

        return cls(part(1200, 400, 12), part(400, 60, 8), part(240, 60, 3))

    def less(self) -> "Room | None":
        """Return half of the room; None if that would be too little to say anything."""
        if self.rows < 2 * LEAST_ROWS:
            return None
        return Room(self.rows // 2, max(1, self.strands // 2), max(1, self.histograms // 2))


def each(explanation: Explanation, written: Callable[[int, Comparison], Markup]) -> Markup:
    """Return a part for each comparison; with a script only the one that is chosen shows."""
    several = len(explanation.compared) > 1
    return phrase(
        *(
            element(
                "div",
                element("h3", Words.of(explanation, one).heading) if several else "",
                written(number, one),
                class_="comparison",
                data_comparison=number,
            )
            for number, one in enumerate(explanation.compared)
        )
    )


def records(explanation: Explanation, table: object, compared: Comparison) -> list[dict[str, Any]]:
    """Return the rows of a table of the explanation that are about one comparison."""
    bearer = explanation.bearer(compared)
    return [row for row in rows_of(table) if all(row[name] == bearer[name] for name in bearer)]


def rows_of(table: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - any library's table
    """Yield the rows of a table of any library."""
    frame = nw.from_native(table, eager_only=True)
    yield from frame.iter_rows(named=True)
