"""What the tables of contributions share: lines for each path, and the paper's beside them."""

from collections.abc import Iterator, Mapping, Sequence

from fairpath.experiments.experiment import Found, Row, summarised
from fairpath.experiments.pictures import contributions
from fairpath.explanation import Explanation

BY = ("data", "path")
Printed = Mapping[str, tuple[float, float]]
"""What the paper prints for a path: the contributions to disparity and to utility; below 0.001 it
prints "<0.001", which is 0.001 here."""


def path_rows(found: Explanation, data: str, seed: int) -> Iterator[Row]:
    """Yield a line for each path, and one for what no path carries."""
    table = found.table()
    columns = (table[name] for name in ("path", "contribution", "utility"))
    for path, contribution, utility in zip(*columns, strict=True):
        yield {
            "data": data,
            "path": path,
            "seed": seed,
            "contribution": float(contribution),
            "utility": float(utility),
            "disparity": found.larger_disparity.value,
        }


def path_summary(rows: Sequence[Row], printed: Printed) -> list[Row]:
    """Return means over repeats beside the paper's numbers, largest contribution first."""
    data = tuple(dict.fromkeys(row["data"] for row in rows))
    both = [
        summarised(
            rows, BY, value, {(d, path): (p[i],) for d in data for path, p in printed.items()}
        )
        for i, value in enumerate(("contribution", "utility"))
    ]
    summary = [
        {
            **row,
            "utility": other["mean"],
            "utility_sd": other["sd"],
            "paper_utility": other["paper"],
        }
        for row, other in zip(*both, strict=True)
    ]
    return sorted(summary, key=lambda row: (data.index(row["data"]), -abs(row["mean"])))


def same_signs(summary: Sequence[Row]) -> str:
    """Say, for each data set, whether signs and the leading path are the paper's."""
    lines = []
    for data in dict.fromkeys(row["data"] for row in summary):
        both = [row for row in summary if row["data"] == data and row["paper"] is not None]
        same = [row for row in both if row["mean"] * row["paper"] > 0]
        other = ", ".join(row["path"] for row in both if row not in same)
        leads = max(both, key=lambda row: abs(row["mean"]))["path"]
        theirs = max(both, key=lambda row: abs(row["paper"]))["path"]
        line = f"{data}: the paper's sign for {len(same)} of {len(both)} paths"
        line += f" (not: {other})" if other else ""
        lines.append(line + f"; {leads} leads" + ("" if leads == theirs else f", there {theirs}"))
    return ". ".join(lines)


def concluded(rows: Sequence[Row], printed: Printed) -> Found:
    """Put the lines of all repeats together."""
    summary = path_summary(rows, printed)
    return Found(rows, summary, same_signs(summary), lambda: contributions(summary))
