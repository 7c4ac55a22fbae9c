"""What was found, and how much of it each path carries."""

from collections.abc import Sequence
from math import isnan
from typing import Any

from fairpath.explanation import Explanation
from fairpath.explanation.quantities import Comparison
from fairpath.paths import Path
from fairpath.plots.canvas import disparity_at
from fairpath.report.comparing import Room, each, records
from fairpath.report.markup import Markup, details, element, items, label, path, phrase, table
from fairpath.report.numbers import INTERVAL, NOTHING, Style
from fairpath.report.ranking import ranking
from fairpath.report.words import Words, sentences
from fairpath.uncertainty import Estimate

FOUR_FIFTHS = 0.8

MOST_NAMED = 5
"""Of the paths that are marked; longer lists are folded away."""


def findings(explanation: Explanation) -> Markup:
    """Return three sentences for each comparison, and a fourth if paths are marked."""

    def told(_: int, compared: Comparison) -> Markup:
        lines = [element("p", one) for one in sentences(explanation, compared)]
        if explanation.if_contested_cut is not None:
            lines.append(element("p", _if_contested_cut(explanation, compared)))
        return element("div", *lines, class_="findings")

    return each(explanation, told)


def amounts(explanation: Explanation, room: Room) -> Markup:
    """Return the rates that are compared, and the table of paths."""
    rates = explanation.measures()

    def means(_: int, compared: Comparison) -> Markup:
        return phrase(
            _rates(explanation, compared, records(explanation, rates, compared)[0]),
            _contested(explanation, compared),
        )

    return phrase(each(explanation, means), ranking(explanation, room))


def _if_contested_cut(explanation: Explanation, compared: Comparison) -> Markup:
    left = _at(explanation, compared)
    style = Style.of([left.value, disparity_at(explanation, compared).value], 3)
    interval = style.interval(left)
    return phrase(
        "If only the allowed paths carried ",
        label(explanation.setting.sensitive),
        f", the difference would be {style.signed(left.value)}",
        f" ({interval})" if interval else "",
        ".",
    )


def _at(explanation: Explanation, compared: Comparison) -> Estimate:
    """Return the disparity without the contested paths."""
    found: Any = explanation.if_contested_cut
    if (
        isinstance(found, dict)
        and compared.view.outcome in found
        and compared.view.outcome is not None
    ):
        found = found[compared.view.outcome]
    if isinstance(found, dict):
        found = found[explanation.levels[compared.stratum]]
    assert isinstance(found, Estimate)  # noqa: S101 - all dictionaries are open
    return found


def _contested(explanation: Explanation, compared: Comparison) -> Markup:
    if explanation.if_contested_cut is None:
        return element(
            "p",
            "No path was marked as allowed or contested. Whether a path is justified is a "
            "judgement that no number makes.",
            class_="aside",
        )
    allowed = [one for one in explanation.paths if one not in explanation.contested]
    return element(
        "div",
        element("p", _if_contested_cut(explanation, compared)),
        _named("Contested", explanation.contested),
        _named("Allowed", allowed),
        class_="callout",
    )


def _named(name: str, paths: Sequence[Path]) -> Markup:
    """Return a list of paths, folded away if it is long."""
    if not paths:
        return element("p", element("b", name), ": none")
    if len(paths) > MOST_NAMED:
        return details(f"{name}: {len(paths)} paths", items(map(path, paths)))
    return phrase(element("p", element("b", name), ":"), items(map(path, paths)))


def _rates(explanation: Explanation, compared: Comparison, rates: dict[str, Any]) -> Markup:
    """Return both means, their difference, ratio and standardised difference."""
    words = Words.of(explanation, compared)
    delta = disparity_at(explanation, compared)
    style = Style.of([rates["rate"], rates["reference_rate"], delta.value])
    others = Style(3)
    ratio, distance = (
        Estimate(rates[name], rates[f"{name}_low"], rates[f"{name}_high"], float("nan"))
        for name in ("ratio", "standardised")
    )
    rows = [
        (words.stratum, style.plain(rates["rate"]), NOTHING),
        (words.reference, style.plain(rates["reference_rate"]), NOTHING),
        ("difference (disparity Δ)", style.signed(delta.value), style.interval(delta) or NOTHING),
    ]
    if not isnan(ratio.value):
        rows.append(("ratio", others.plain(ratio.value), others.interval(ratio) or NOTHING))
    if not isnan(distance.value):
        name = "difference in pooled standard deviations"
        told = others.signed(distance.value)
        rows.append((name, told, others.interval(distance) or NOTHING))
    notes = phrase()
    if rates["four_fifths"] is not None:
        lower = min(ratio.value, 1 / ratio.value)
        side = "below" if lower < FOUR_FIFTHS else "not below"
        notes = element(
            "p",
            f"The lower mean is {others.plain(lower)} of the higher one, {side} 0.8, where the "
            "four-fifths rule of thumb draws its line.",
            class_="aside",
        )
    caption = phrase(words.mean, words.given)
    heads = ("who", "mean or difference", INTERVAL)
    return phrase(table(caption, heads, rows, class_="small"), notes)
