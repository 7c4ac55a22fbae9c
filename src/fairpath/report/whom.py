"""For whom: how contributions to single predictions are distributed, and who is moved most."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairpath.explanation import Explanation, Kept
from fairpath.explanation.quantities import Comparison
from fairpath.plots.rows import by_contribution
from fairpath.report.bars import Heap, heap, histogram
from fairpath.report.comparing import Room, each
from fairpath.report.markup import Markup, details, element, label, path, phrase, table
from fairpath.report.numbers import Style, percent
from fairpath.report.words import Words
from fairpath.study import Study
from fairpath.vocabulary import BoolVector, FloatVector

BINS, OPEN, MOST_TOLD = 30, 3, 10
"""Of a histogram; histograms that are not folded away; paths in the table."""

MIDDLE = (0.05, 0.95)
TENTH, LEAST_PEOPLE, MOST_FEATURES = 0.1, 10, 5
"""Who is moved most; of fewer people nothing is told."""

NOT_KEPT = (
    "The contributions to single predictions were not kept, so how they are distributed is not "
    "shown. Explain again with keep_rows=True."
)


@dataclass(frozen=True)
class Stratum:
    """People of one stratum whom the disparity looks at."""

    name: Markup
    rows: BoolVector
    weights: FloatVector

    @property
    def people(self) -> float:
        """How many there are; a weight of two is two."""
        return float(self.weights.sum())


def people(explanation: Explanation, room: Room) -> Markup:
    """Return histograms and tables for each comparison."""
    kept = explanation.kept
    if kept is None:
        return element("p", NOT_KEPT, class_="missing")
    if not explanation.paths:
        return element("p", "There is no path that could move anybody.", class_="missing")

    def told(_: int, compared: Comparison) -> Markup:
        strata = _strata(explanation, kept, compared)
        order = by_contribution(explanation, compared).tolist()
        return phrase(
            _histograms(explanation, kept, strata, order, room.histograms),
            _spread(explanation, kept, strata, order),
            _most_moved(explanation, kept, strata),
        )

    return phrase(
        element(
            "p",
            "A contribution to the disparity is the difference between two means of φ, what the "
            "path adds to single predictions. Frequencies are relative to each stratum, and "
            "drawn by their square roots so that few people can be seen too. The page holds no "
            "single rows.",
        ),
        each(explanation, told),
    )


def _strata(explanation: Explanation, kept: Kept, compared: Comparison) -> tuple[Stratum, Stratum]:
    """Return the reference and the stratum that is compared with it."""
    looked = kept.weights > 0
    if compared.view.outcomes is not None:
        looked &= np.isin(kept.favoured, compared.view.outcomes)
    words = Words.of(explanation, compared)
    found = []
    for place, name in (
        (explanation.reference, words.reference),
        (compared.stratum, words.stratum),
    ):
        rows = looked & (kept.strata == place)
        found.append(Stratum(name, rows, kept.weights[rows]))
    return found[0], found[1]


def _histograms(
    explanation: Explanation,
    kept: Kept,
    strata: tuple[Stratum, Stratum],
    order: list[int],
    most: int,
) -> Markup:
    figures = [_figure(explanation, kept, strata, place) for place in order[:most]]
    folded = phrase()
    if more := figures[OPEN:]:
        folded = details(f"{len(more)} more paths", element("div", *more, class_="figures"))
    left = len(order) - most
    unseen = f"{left} paths with smaller contributions have no histogram here." if left > 0 else ""
    return phrase(
        element("div", *figures[:OPEN], class_="figures"),
        folded,
        element("p", unseen, class_="aside") if unseen else "",
    )


def _figure(
    explanation: Explanation, kept: Kept, strata: tuple[Stratum, Stratum], place: int
) -> Markup:
    phi = kept.values[:, place]
    edges = np.histogram_bin_edges(np.concatenate([phi[s.rows] for s in strata]), BINS)
    heaps = [heap(phi[one.rows], one.weights, edges) for one in strata]
    style = Style.of([one.mean for one in heaps], 3)
    name = f"How {explanation.paths[place]} moves single predictions"
    return element(
        "figure",
        element("figcaption", path(explanation.paths[place])),
        histogram(edges, heaps, name),
        element("ul", *_legend(strata, heaps, style), class_="legend"),
        class_="people",
        data_path=place,
    )


def _legend(strata: tuple[Stratum, Stratum], heaps: list[Heap], style: Style) -> Iterator[Markup]:
    for number, (one, found) in enumerate(zip(strata, heaps, strict=True)):
        line = element("line", class_=f"mean heap{number}", x1=0, x2=20, y1=7, y2=7)
        swatch = element("svg", line, width=20, height=14, aria_hidden="true")
        yield element("li", swatch, " ", one.name, f", mean {style.signed(found.mean)}")


def _spread(
    explanation: Explanation,
    kept: Kept,
    strata: tuple[Stratum, Stratum],
    order: list[int],
) -> Markup:
    """Return for the largest paths, and all together, the mean and the middle nine tenths of φ."""
    listed: list[tuple[object, FloatVector]] = [
        (path(explanation.paths[place]), kept.values[:, place]) for place in order[:MOST_TOLD]
    ]
    if len(order) > 1:
        listed.append((f"all {len(order)} paths together", kept.factual - kept.base))
    numbers = [
        [_mean_and_middle(phi[one.rows], one.weights) for one in strata] for _, phi in listed
    ]
    style = Style.of(np.concatenate([np.ravel(row) for row in numbers]).tolist())
    rows = [
        (
            name,
            *(
                cell
                for mean, low, high in row
                for cell in (style.signed(mean), f"{style.plain(low)} to {style.plain(high)}")
            ),
        )
        for (name, _), row in zip(listed, numbers, strict=True)
    ]
    heads = ["path"]
    for one in strata:
        heads += [phrase("mean φ, ", one.name), phrase("middle 90\N{NO-BREAK SPACE}%, ", one.name)]
    counted = "; ".join(f"{one.people:,.0f}" for one in strata)
    caption = f"How far single predictions are moved ({counted} people)"
    return table(caption, heads, rows)


def _mean_and_middle(phi: FloatVector, weights: FloatVector) -> tuple[float, float, float]:
    low, high = (_quantile(phi, weights, share) for share in MIDDLE)
    return float(np.average(phi, weights=weights)), low, high


def _most_moved(explanation: Explanation, kept: Kept, strata: tuple[Stratum, Stratum]) -> Markup:
    """Return how the tenth of each stratum whom the paths move most differs from all of it."""
    study = explanation.study
    if study is None:
        return element(
            "p",
            "Who is moved most is not shown: this explanation was read from a file, or is that "
            "of a baseline, and holds no features of people.",
            class_="missing",
        )
    moved = np.abs(kept.factual - kept.base)
    return phrase(
        element("h4" if len(explanation.compared) > 1 else "h3", "Who is moved most"),
        *(_profile(study, moved, one) for one in strata),
    )


def _profile(study: Study, moved: FloatVector, one: Stratum) -> Markup:
    limit = _quantile(moved[one.rows], one.weights, 1 - TENTH)
    # Decisions move many people equally far: all of them, or the tenth would be arbitrary.
    top = one.rows & ((moved >= limit) if limit > 0 else (moved > 0))
    if int(top.sum()) < LEAST_PEOPLE:
        return element(
            "p",
            one.name,
            f": fewer than {LEAST_PEOPLE} people would stand for those who are moved most, so "
            "nothing is told of them.",
            class_="missing",
        )
    found = sorted(_differences(study, one.rows, top), key=lambda row: -row[0])[:MOST_FEATURES]
    share = float(study.weights[top].sum() / one.people)
    style = Style.of([limit], 3)
    caption = phrase(
        one.name,
        f": the {percent(share)} of people whose predictions all paths together move most, by "
        f"{f'at least {style.plain(limit)}' if limit > 0 else 'anything at all'}, and all of this "
        "stratum",
    )
    rows = [(label(name), *told) for _, name, *told in found]
    return table(caption, ("feature", "moved most", "all"), rows, class_="small")


def _quantile(values: FloatVector, weights: FloatVector, share: float) -> float:
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    return float(values[order[min(int(np.searchsorted(reached, share)), len(values) - 1)]])


def _differences(
    study: Study, everybody: BoolVector, top: BoolVector
) -> Iterator[tuple[float, str, str | Markup, str | Markup]]:
    """Yield for each input how far those moved most differ, and both numbers."""
    encoding = study.game.encoding
    for name in study.game.inputs:
        if name == study.game.sensitive:
            continue
        values = study.columns[name]
        if encoding.variables[name].is_category:
            yield _of_category(study, name, encoding.levels, everybody, top)
            continue
        known = ~np.isnan(values)
        means, spread = [], 0.0
        for rows in (top & known, everybody & known):
            if not rows.any():
                break
            means.append(float(np.average(values[rows], weights=study.weights[rows])))
            spread = float(np.std(values[rows]))
        if len(means) == 2 and spread > 0:  # noqa: PLR2004
            style = Style.of(means, 3)
            yield (
                abs(means[0] - means[1]) / spread,
                name,
                f"mean {style.plain(means[0])}",
                f"mean {style.plain(means[1])}",
            )


def _of_category(
    study: Study,
    name: str,
    levels: Mapping[str, tuple[Any, ...]],
    everybody: BoolVector,
    top: BoolVector,
) -> tuple[float, str, str | Markup, str | Markup]:
    """Return the level whose share differs most."""
    codes = study.columns[name].astype(np.intp)
    n_codes = study.game.encoding.variables[name].n_levels or 0
    shares = [
        np.bincount(codes[rows], study.weights[rows], minlength=n_codes) / study.weights[rows].sum()
        for rows in (top, everybody)
    ]
    which = int(np.argmax(np.abs(shares[0] - shares[1])))
    level = levels[name][which] if which < len(levels[name]) else "missing"
    one, whole = float(shares[0][which]), float(shares[1][which])
    spread = np.sqrt(whole * (1 - whole))
    told = [phrase(label(level), f": {percent(share)}") for share in (one, whole)]
    return float(abs(one - whole) / spread) if spread > 0 else 0.0, name, told[0], told[1]
