"""Figure: accuracy against disparity for each fair learner, over its weight of fairness."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fairpath.datasets import load_adult, load_compas
from fairpath.experiments import nutrition
from fairpath.experiments.experiment import Experiment, Found, Row, Scale, summarised
from fairpath.experiments.learners import LEARNERS, Task, available
from fairpath.experiments.pictures import figure
from fairpath.experiments.protocol import Split, splits
from fairpath.experiments.reproduce import main
from fairpath.vocabulary import IntVector

BY = ("data", "method")
WIDEST = 0.2
"""The frontier is looked at up to this disparity."""

MOST = 12_000
"""Rows of a larger table that are used in each division."""

LIMITS = (0.02, 0.05, 0.1)
ODDS = f"equalized odds within {LIMITS[1]:g}"
OURS = ("ours", "ours, mixed")


def run(scale: Scale) -> Found:
    """Train all learners on random divisions."""
    rows: list[Row] = []
    with warnings.catch_warnings():
        # That networks would like more iterations is no news.
        warnings.simplefilter("ignore", ConvergenceWarning)
        tables = load_compas(backend="pandas"), nutrition.table(), load_adult(backend="pandas")
        for data in tables:
            some = scale
            if scale.most_rows is None and len(data.data) > MOST:
                some = replace(scale, most_rows=MOST)
            for part in scale.counted(splits(data, some), f"tradeoff, {data.name}"):
                rows += learned(part, quick=not scale.tune)
    summary = curves(rows)
    return Found(rows, summary, compared(summary), lambda: drawn(rows))


def learned(part: Split, *, quick: bool) -> Iterator[Row]:
    """Yield a line for each learner and weight: accuracy, disparity, time."""
    task = Task(part, part.model("mlp"), quick)
    data, test = part.dataset, part.test
    outcome, strata = test[data.outcome].to_numpy(), test[data.sensitive].to_numpy()
    for method, learner in available().items():
        start = perf_counter()
        for weight, decide in learner(task):
            fitted = perf_counter()
            decisions = decide(test)
            yield {
                "data": data.name,
                "method": method,
                "seed": part.seed,
                "weight": float(weight),
                "accuracy": float((decisions == outcome).mean()),
                "disparity": _gap(decisions, strata),
                "equalized_odds": max(
                    abs(_gap(decisions[outcome == y], strata[outcome == y])) for y in (0, 1)
                ),
                "majority": float(max(outcome.mean(), 1 - outcome.mean())),
                "fit_seconds": fitted - start,
                "predict_seconds": perf_counter() - fitted,
            }
            start = perf_counter()


def _gap(decisions: IntVector, strata: IntVector) -> float:
    one, other = (float(decisions[strata == level].mean()) for level in (1, 0))
    return one - other


def best_within(rows: Sequence[Row], limit: float, measure: str = "disparity") -> float:
    """Return the best accuracy with at most so much disparity; deciding nothing always has none."""
    inside = [row["accuracy"] for row in rows if abs(row[measure]) <= limit]
    return float(max([*inside, rows[0]["majority"]]))


def area(rows: Sequence[Row]) -> float:
    """Return the mean of the best accuracy over limits from 0 to the widest."""
    return float(np.mean([best_within(rows, limit) for limit in np.linspace(0, WIDEST, 201)]))


def curves(rows: Sequence[Row]) -> list[Row]:
    """Return the numbers of each curve: means over divisions."""
    by_split: dict[tuple[str, str, int], list[Row]] = {}
    for row in rows:
        by_split.setdefault((row["data"], row["method"], row["seed"]), []).append(row)
    lines = []
    for (data, method, seed), mine in by_split.items():
        line = {"data": data, "method": method, "seed": seed, "area": area(mine)}
        line |= {f"within {limit:g}": best_within(mine, limit) for limit in LIMITS}
        line[ODDS] = best_within(mine, LIMITS[1], "equalized_odds")
        for name in ("fit_seconds", "predict_seconds"):
            line[name] = float(np.mean([row[name] for row in mine]))
        lines.append(line)
    limits = (f"within {limit:g}" for limit in LIMITS)
    names = ("area", *limits, ODDS, "fit_seconds", "predict_seconds")
    cells = {name: summarised(lines, BY, name, {}) for name in names}
    return [
        {
            "data": row["data"],
            "method": row["method"],
            **{name: cells[name][i]["mean"] for name in names},
            **{f"{name} sd": cells[name][i]["sd"] for name in names[:-2]},
            "paper": None,
        }
        for i, row in enumerate(cells["area"])
    ]


def compared(summary: Sequence[Row]) -> str:
    """Say how accurate the better of ours is at a disparity of 0.05, and the best other one."""
    lines = []
    for data in dict.fromkeys(row["data"] for row in summary):
        at = {row["method"]: row["within 0.05"] for row in summary if row["data"] == data}
        ours = max(at[name] for name in OURS)
        others = {name: value for name, value in at.items() if name not in (*OURS, "unfair")}
        if others:
            best = max(others, key=lambda name: others[name])
            lines.append(f"{data}: {ours:.3f} against {others[best]:.3f} ({best})")
    line = "accuracy with at most 0.05 of disparity, ours against the best other: "
    line += "; ".join(lines)
    missing = [name for name in LEARNERS if name not in {row["method"] for row in summary}]
    return line + (f"; not installed, so left out: {', '.join(missing)}" if missing else "")


def drawn(rows: Sequence[Row]) -> Any:  # noqa: ANN401
    """Draw the mean curve of each learner, with the spread over divisions."""
    names = list(dict.fromkeys(row["data"] for row in rows))
    picture, axes = figure(len(names), width=5.0, height=4.2)
    marks = dict(zip(LEARNERS, "*os^vDX", strict=True))
    for data, ax in zip(names, axes, strict=True):
        for place, method in enumerate(LEARNERS):
            mine = [row for row in rows if (row["data"], row["method"]) == (data, method)]
            weights = sorted({row["weight"] for row in mine})
            points = [
                [(abs(r["disparity"]), r["accuracy"]) for r in mine if r["weight"] == w]
                for w in weights
            ]
            if not points:
                continue
            means = np.array([np.mean(inside, axis=0) for inside in points])
            spreads = np.array([np.std(inside, axis=0) for inside in points])
            order = np.argsort(means[:, 0])
            ax.errorbar(
                *means[order].T,
                xerr=spreads[order, 0],
                yerr=spreads[order, 1],
                marker=marks[method],
                color="#ff0051" if method == "ours" else f"C{place}",
                linewidth=1.2,
                elinewidth=0.5,
                label=method,
            )
        ax.set_title(data)
        ax.set_xlabel("|disparity| of the decisions")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("accuracy")
    axes[-1].legend(frameon=False, fontsize="small")
    return picture


EXPERIMENT = Experiment(
    "tradeoff",
    "Accuracy against disparity",
    "Figure with the trade-off curves",
    "Demographic parity of decisions on the rows that trained nothing. *Ours* is the paper's "
    "greedy selection for several λ; *mixed* takes a limit of the disparity, mixes two selections "
    "and tunes the threshold. The others are fairlearn's, over the same network; the area is the "
    "mean of the best accuracy over limits from 0 to 0.2. Of Adult 12,000 random people are used "
    "in each division. Seconds are those of one busy core.",
    run,
)

if __name__ == "__main__":
    raise SystemExit(main(EXPERIMENT))
