"""Path by path: the table of contributions, with bars, and what narrows it down."""

from collections.abc import Sequence
from math import isnan
from typing import Any

from fairpath.explanation import Explanation
from fairpath.explanation.quantities import Comparison
from fairpath.plots.canvas import disparity_at
from fairpath.plots.rows import by_contribution
from fairpath.report.bars import Axis, bar
from fairpath.report.comparing import Room, each, records
from fairpath.report.markup import Markup, element, path, phrase
from fairpath.report.numbers import NOTHING, Style, percent
from fairpath.report.words import Words
from fairpath.uncertainty import Estimate

COLUMNS_WITHOUT_UTILITY = (
    "A contribution is the average change that a path makes to the difference when it begins to "
    "carry a person's own level, after others in random order. “Δ if cut alone” is the "
    "difference that would remain if this path alone carried it no longer. A direct path is one "
    "where the model reads the attribute itself, an indirect one runs through its effects, a "
    "spurious one through its causes."
)

COLUMNS = (
    f"{COLUMNS_WITHOUT_UTILITY} Utility is the mean of the output where the outcome is favourable "
    "and of one minus it where it is not: for decisions their accuracy."
)

HEADS = (
    ("path", "path", "text"),
    ("contribution", "contribution, 95\N{NO-BREAK SPACE}% interval", "number"),
    ("share", "share of Δ", "number"),
    ("disparity_if_cut", "Δ if cut alone", "number"),
    ("utility", "utility it adds", "number"),
    ("utility_if_cut", "utility if cut alone", "number"),
)


def ranking(explanation: Explanation, room: Room) -> Markup:
    """Return the tables of paths, and what their columns mean."""
    paths = explanation.table()

    def shares(_: int, compared: Comparison) -> Markup:
        found = records(explanation, paths, compared)
        return _paths(explanation, compared, found, room.rows)

    meaning = COLUMNS if explanation.has_utility else COLUMNS_WITHOUT_UTILITY
    return phrase(
        element("h3", "Path by path"),
        element("p", meaning, class_="aside"),
        _tools(explanation) if explanation.paths else "",
        each(explanation, shares),
    )


def _paths(
    explanation: Explanation,
    compared: Comparison,
    rows: list[dict[str, Any]],
    most: int,
) -> Markup:
    """Return the table of paths, with what no path carries and the sum below."""
    heads = HEADS if explanation.has_utility else HEADS[:4]
    order = by_contribution(explanation, compared).tolist()
    shown = rows if len(order) <= most + 1 else [*rows[:most], *rows[len(order) :]]
    estimates = [_estimate(row) for row in shown]
    delta = disparity_at(explanation, compared)
    axis = Axis.of(estimates)
    styles = {
        "contribution": Style.of([delta.value, *(one.value for one in estimates)]),
        "utility": Style(4),
        "utility_if_cut": Style(4),
    }
    styles["disparity_if_cut"] = styles["contribution"]
    body: list[Markup] = []
    foot: list[Markup] = []
    for place, (row, estimate) in enumerate(zip(shown, estimates, strict=True)):
        is_path = row["kind"] == "path"
        name: object = row["path"]
        attributes: dict[str, Any] = {"class_": "rest"}
        if is_path:
            one = explanation.paths[order[place]]
            contested = (
                element("span", "contested", class_="tag") if one in explanation.contested else ""
            )
            name = phrase(path(one), " ", element("span", one.kind, class_="tag"), contested)
            attributes = {"data_path": order[place], "data_route": one.kind}
            attributes["data_sure"] = _excludes_zero(estimate)
        cells = [_cell(heads[0], name, str(row["path"]))]
        drawn = bar(axis, estimate, neutral=not is_path)
        cells += [_numbers(head, row, styles, drawn, is_path=is_path) for head in heads[1:]]
        written = element("tr", *cells, role="row", **attributes)
        (body if is_path else foot).append(written)
    if left := len(order) - (len(shown) - len(foot)):
        foot.insert(0, _others(explanation, compared, order[-left:], heads, styles["contribution"]))
    foot.append(_total(delta, heads, styles["contribution"]))
    caption = phrase(
        "What each path carries of the difference, ",
        Words.of(explanation, compared).heading,
        ". The rows sum to Δ.",
    )
    columns = (
        element("th", name, scope="col", role="columnheader", data_type=kind)
        for _, name, kind in heads
    )
    return element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *columns, role="row"), role="rowgroup"),
        element("tbody", *body, role="rowgroup"),
        element("tfoot", *foot, role="rowgroup"),
        class_="paths",
        role="table",
    )


def _excludes_zero(one: Estimate) -> str:
    return "yes" if one.low > 0 or one.high < 0 else "no"


def _estimate(row: dict[str, Any]) -> Estimate:
    return Estimate(row["contribution"], row["low"], row["high"], row["standard_error"])


def _cell(head: tuple[str, str, str], content: object, sort: str, **attributes: Any) -> Markup:  # noqa: ANN401
    """Return the cell that names its row."""
    return element(
        "th",
        content,
        scope="row",
        role="rowheader",
        data_sort=sort,
        data_column=head[0],
        **attributes,
    )


def _numbers(
    head: tuple[str, str, str],
    row: dict[str, Any],
    styles: dict[str, Style],
    drawn: Markup,
    *,
    is_path: bool,
) -> Markup:
    """Return the cell of a number, with its interval below."""
    column, name, _ = head
    value = row[column]
    prefix = "" if column == "contribution" else f"{column}_"
    if column == "share":
        content = phrase(percent(value))
    elif not is_path and column != "contribution":
        content = phrase(NOTHING)
        value = float("nan")
    else:
        style = styles[column]
        one = Estimate(value, row[f"{prefix}low"], row[f"{prefix}high"], 0.0)
        signed = column in ("contribution", "utility", "disparity_if_cut")
        content = phrase(
            drawn if column == "contribution" else "",
            element("span", style.signed(value) if signed else style.plain(value), class_="value"),
            element("span", style.interval(one), class_="interval") if style.interval(one) else "",
        )
    return element(
        "td",
        content,
        role="cell",
        data_column=column,
        data_label=name,
        data_sort="" if isnan(value) else repr(float(value)),
    )


def _others(
    explanation: Explanation,
    compared: Comparison,
    places: list[int],
    heads: Sequence[tuple[str, str, str]],
    style: Style,
) -> Markup:
    """Return the row for the paths that the table has no room for."""
    delta = disparity_at(explanation, compared)
    together = explanation.contribution(
        [explanation.paths[i] for i in places],
        explanation.levels[compared.stratum],
        compared.view.outcome,
    )
    share = percent(together.value / delta.value) if delta.value else NOTHING
    return _summary(f"{len(places)} smaller paths together", together, heads, style, share)


def _total(delta: Estimate, heads: Sequence[tuple[str, str, str]], style: Style) -> Markup:
    return _summary("disparity Δ", delta, heads, style, percent(1.0) if delta.value else NOTHING)


def _summary(
    name: str, one: Estimate, heads: Sequence[tuple[str, str, str]], style: Style, share: str
) -> Markup:
    interval = style.interval(one)
    number = phrase(
        element("span", style.signed(one.value), class_="value"),
        element("span", interval, class_="interval") if interval else "",
    )
    cells = [_cell(heads[0], name, name)]
    for column, label_of, _ in heads[1:]:
        told = {"contribution": number, "share": share}.get(column, NOTHING)
        cells.append(element("td", told, role="cell", data_column=column, data_label=label_of))
    return element("tr", *cells, role="row", class_="rest")


def _tools(explanation: Explanation) -> Markup:
    """Return what narrows the table down; it shows only with a script."""
    kinds = list(dict.fromkeys(one.kind for one in explanation.paths))
    return element(
        "div",
        element(
            "label", "Search ", element("input", type="search", id="search", autocomplete="off")
        ),
        element("label", "Route ", _choice("route", ["all", *kinds])),
        element("label", "Direction ", _choice("direction", ["all", "raises Δ", "lowers Δ"])),
        element("label", element("input", type="checkbox", id="sure"), " interval excludes zero")
        if explanation.replicates
        else "",
        element("output", "", id="shown", aria_live="polite"),
        class_="tools needs-script",
        hidden=True,
    )


def _choice(name: str, options: Sequence[str]) -> Markup:
    return element("select", *(element("option", one) for one in options), id=name)
