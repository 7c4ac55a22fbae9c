"""Where in the graph: the picture, the same as a table, sums by feature and by route."""

from fairpath.explanation import Explanation
from fairpath.explanation.quantities import Comparison, Numbers
from fairpath.report.comparing import Room, each, records
from fairpath.report.drawing import drawn, legend
from fairpath.report.markup import Markup, details, element, label, phrase, scrolling, table
from fairpath.report.numbers import INTERVAL, NOTHING, Style, percent
from fairpath.report.picture import Picture, flows, pictured
from fairpath.uncertainty import Estimate


def graph(explanation: Explanation, room: Room) -> Markup:
    """Return the picture for each comparison, and what stands in it in words."""
    by_feature, by_kind = explanation.by_feature(), explanation.by_kind()

    def told(number: int, compared: Comparison) -> Markup:
        picture = pictured(explanation, compared, room.strands)
        summary = _summary(explanation, compared, picture, room.strands)
        figure = element(
            "figure",
            scrolling("causal graph", drawn(explanation, picture, number=number, summary=summary)),
            element("figcaption", legend(picture), element("p", summary)),
        )
        sums = [
            _sums(caption, name, records(explanation, found, compared))
            for caption, name, found in (
                ("Sums over the paths that end in the same feature", "feature", by_feature),
                ("Sums over routes: direct, through other features, or spurious", "kind", by_kind),
            )
        ]
        return phrase(figure, _edges(picture), *sums if explanation.paths else ())

    return phrase(_where_from(explanation), each(explanation, told))


def _where_from(explanation: Explanation) -> Markup:
    text = (
        "Strands run from the sensitive attribute to the prediction. Each is a path; its width "
        "is what the path carries, the same along all its edges. Red raises the signed "
        "difference, stratum minus reference; hatched blue lowers it."
    )
    if explanation.study is None:
        text += (
            " This explanation was read from a file, or is that of a baseline: it knows its "
            "paths but not the rest of the graph, which is not drawn."
        )
    return element("p", text)


def _summary(explanation: Explanation, compared: Comparison, picture: Picture, most: int) -> str:
    """Say what the widths amount to, and what is not drawn."""
    strands = {one.path: one.value for along in picture.strands.values() for one in along}.values()
    raises = sum(value for value in strands if value > 0)
    lowers = sum(value for value in strands if value < 0)
    found = explanation.estimates_at(compared)
    place = Numbers(len(explanation.paths))
    left, apart = float(found.values[place.remainder]), float(found.values[place.apart])
    style = Style.of([raises, lowers, left, apart])
    text = f"Paths carry {style.signed(raises)} and {style.signed(lowers)}. Not drawn: "
    if compared.view.apart is not None:
        text += f"{compared.view.apart} {style.signed(apart)}, "
    text += f"remainder {style.signed(left)}"
    if (unseen := len(explanation.paths) - most) > 0:
        text += f", {unseen} paths with smaller contributions"
    return f"{text}."


def _edges(picture: Picture) -> Markup:
    """Return the picture as a table."""
    found = list(flows(picture))
    if not found:
        return phrase()
    style = Style.of([size for _, _, flow in found for size in (flow.raises, flow.lowers)])
    rows = [
        (one, flow.arrow, other, style.signed(flow.raises), style.signed(-flow.lowers))
        for one, other, flow in found
    ]
    heads = ("from", "edge", "to", "raises Δ", "lowers Δ")
    caption = "What paths carry along each edge of the graph"
    return details("The picture as a table", table(caption, heads, rows))


def _sums(caption: str, name: str, rows: list[dict[str, object]]) -> Markup:
    style = Style.of([float(row["contribution"]) for row in rows])  # type: ignore[arg-type]
    told = []
    for row in rows:
        value, low, high = (float(row[k]) for k in ("contribution", "low", "high"))  # type: ignore[arg-type]
        one = Estimate(value, low, high, 0.0)
        interval = style.interval(one) or NOTHING
        share = percent(float(row["share"]))  # type: ignore[arg-type]
        told.append((label(row[name]), str(row["paths"]), style.signed(value), interval, share))
    heads = (name, "paths", "contribution", INTERVAL, "share of Δ")
    return table(caption, heads, told, class_="small")
