"""The smaller tables of the report say what the explanation says."""

import numpy as np
import pytest

import plots_helpers
import report_helpers
import worlds
from fairpath.explanation import calibration
from fairpath.plots.flow_map import flow_map
from fairpath.report import write_report
from fairpath.report.numbers import NOTHING
from report_helpers import assert_written, body, table_of

EACH = [
    plots_helpers.small,
    plots_helpers.without_intervals,
    plots_helpers.three,
    plots_helpers.odds,
    plots_helpers.accuracy,
]


@pytest.fixture(scope="module", params=EACH, ids=lambda made: made.__name__)
def both(request, tmp_path_factory):
    explanation = request.param()
    path = tmp_path_factory.mktemp("tables") / "report.html"
    return explanation, report_helpers.read(write_report(explanation, path))


def assert_interval(text, low, high):
    if np.isnan(low):
        assert text == NOTHING
        return
    for end, value in zip(text.split(" to "), (low, high), strict=True):
        assert_written(end, value)


def of(explanation, table, picked):
    """Return the rows of a table of the explanation that are about one comparison."""
    bearer = explanation.bearer(explanation.comparison(**picked))
    rows = table.to_dict("records")
    return [row for row in rows if all(row[name] == value for name, value in bearer.items())]


def paired(explanation, found):
    """Return each comparison with its tables."""
    options = plots_helpers.comparisons(explanation)
    assert len(found) == len(options)
    return list(zip(options, found, strict=True))


def test_rates(both):
    explanation, page = both
    tables = table_of(page.one("section", id="amounts"), "The ")
    for picked, table in paired(explanation, tables):
        (rates,) = of(explanation, explanation.measures(), picked)
        first, second, difference, *others = body(table)
        assert str(rates["stratum"]) in first[0]
        assert_written(first[1], rates["rate"])
        assert_written(second[1], rates["reference_rate"])
        assert_written(difference[1], rates["difference"])
        named = {row[0]: row for row in others}
        for name, column in (
            ("ratio", "ratio"), ("difference in pooled standard deviations", "standardised")
        ):  # fmt: skip
            assert_written(named[name][1], rates[column])
            assert_interval(named[name][2], rates[f"{column}_low"], rates[f"{column}_high"])
    text = page.one("section", id="amounts").text
    keeps = explanation.measures()["four_fifths"].tolist()
    assert text.count("one, below 0.8") == keeps.count(False)
    assert text.count("one, not below 0.8") == keeps.count(True)


def test_sums_over_features_and_routes(both):
    explanation, page = both
    section = page.one("section", id="graph")
    for start, name, table in (
        ("Sums over the paths", "feature", explanation.by_feature()),
        ("Sums over routes", "kind", explanation.by_kind()),
    ):
        for picked, shown in paired(explanation, table_of(section, start)):
            expected = of(explanation, table, picked)
            for row, wanted in zip(body(shown), expected, strict=True):
                assert row[0] == wanted[name]
                assert int(row[1]) == wanted["paths"]
                assert_written(row[2], wanted["contribution"])
                assert_interval(row[3], wanted["low"], wanted["high"])


def test_edges(both):
    explanation, page = both
    tables = table_of(page.one("section", id="graph"), "What paths carry along")
    for picked, table in paired(explanation, tables):
        flows = flow_map(explanation, explanation.comparison(**picked), None).flows
        rows = {(row[0], row[2]): row for row in body(table)}
        assert len(rows) == len(flows)
        for (left, right), flow in flows.items():
            ends = tuple(", ".join(node) or "prediction" for node in (left, right))
            _, arrow, _, raises, lowers = rows[ends]
            assert arrow == flow.arrow
            assert_written(raises, flow.raises)
            assert_written(lowers, -flow.lowers)


def test_what_the_picture_amounts_to(both):
    explanation, page = both
    figures = page.one("section", id="graph").find("figure")
    for picked, figure in paired(explanation, figures):
        values = explanation.contributions(**picked).values
        words = figure.one("figcaption").find("p")[0].text.rstrip(".").replace(",", "").split()
        assert_written(words[2], values[values > 0].sum())
        assert_written(words[4].rstrip("."), values[values < 0].sum())


def test_bands(both):
    explanation, page = both
    tables = table_of(page.one("section", id="certainty"), "Intervals hold for one path")
    if not explanation.replicates:
        assert not tables
        return
    for picked, table in paired(explanation, tables):
        rows = plots_helpers.records(explanation, **picked)[: len(explanation.paths)]
        for row, wanted in zip(body(table), rows, strict=True):
            assert row[0] == wanted["path"]
            assert_written(row[1], wanted["contribution"])
            assert_interval(row[2], wanted["low"], wanted["high"])
            assert_interval(row[3], wanted["band_low"], wanted["band_high"])


def test_numbers_that_are_no_paths(both):
    explanation, page = both
    tables = table_of(page.one("section", id="certainty"), "Numbers that are")
    for picked, table in paired(explanation, tables):
        rows = {row[0]: row for row in body(table)}
        found = plots_helpers.records(explanation, **picked)[-1]
        shown = rows["remainder: what no path carries"]
        assert_written(shown[1], found["contribution"])
        assert_interval(shown[2], found["low"], found["high"])
        assert ("utility of the model" in rows) == explanation.has_utility
        if explanation.has_utility:
            for name, one in (
                ("utility of the model", explanation.utility),
                ("utility with all paths cut", explanation.base_utility),
            ):
                assert_written(rows[name][1], one.value)
                assert_interval(rows[name][2], one.low, one.high)
        other = "remainder with links from other rows"
        assert (other in rows) == (explanation.apart is None)


def test_people_of_each_stratum(both):
    explanation, page = both
    (table,) = table_of(page.one("section", id="provenance"), "The people")
    rows = body(table)
    tally = explanation.tally
    assert len(rows) == len(explanation.levels)
    for k, row in enumerate(rows):
        assert str(explanation.levels[k]) in row[0]
        assert ("(reference)" in row[0]) == (k == explanation.reference)
        assert int(row[1]) == tally.rows[k].sum()
        assert float(row[2]) == tally.weight[k].sum()
        if tally.weight.shape[1] > 1:
            share = float(row[3].removesuffix("\xa0%")) / 100
            assert share == pytest.approx(tally.weight[k, 1] / tally.weight[k].sum(), abs=6e-4)


def test_how_far_people_are_moved(both):
    """The difference of the two means is the contribution."""
    explanation, page = both
    tables = table_of(page.one("section", id="people"), "How far")
    kept = explanation.kept
    for picked, table in paired(explanation, tables):
        compared = explanation.comparison(**picked)
        values = dict(zip(map(str, explanation.paths), kept.values.T, strict=True))
        values[f"all {len(values)} paths together"] = kept.factual - kept.base
        carried = dict(
            zip(
                map(str, explanation.paths), explanation.contributions(**picked).values, strict=True
            )
        )
        looked = np.ones(len(kept.strata), dtype=bool)
        if compared.view.outcomes is not None:
            looked = np.isin(kept.favoured, compared.view.outcomes)
        for name, *cells in body(table):
            means = []
            for place, (mean, middle) in (
                (explanation.reference, cells[:2]), (compared.stratum, cells[2:])
            ):  # fmt: skip
                phi = values[name][looked & (kept.strata == place)]
                assert_written(mean, phi.mean())
                low, high = (report_helpers.number(end)[0] for end in middle.split(" to "))
                assert np.mean(phi < low - 1e-4) <= 0.05 <= np.mean(phi <= low + 1e-4) + 1e-9
                assert np.mean(phi < high - 1e-4) <= 0.95 <= np.mean(phi <= high + 1e-4) + 1e-9
                means.append(report_helpers.number(mean)[0])
            if name in carried:
                assert means[1] - means[0] == pytest.approx(carried[name], abs=2e-4)


def test_calibration_is_that_of_the_package(tmp_path):
    explanation = plots_helpers.small()
    page = report_helpers.read(write_report(explanation, tmp_path / "report.html"))
    (table,) = table_of(page.one("section", id="certainty"), "Calibration")
    expected = calibration(explanation).to_dict("records")
    worst = max((row for row in expected if row["stratum"] == "all"), key=lambda r: r["distance"])
    said = f"The farthest is that of {worst['feature']}, {worst['distance']:.3f}."
    assert said in page.one("section", id="certainty").text
    for row, wanted in zip(body(table), expected, strict=True):
        assert row[:3] == [wanted["feature"], wanted["link"], wanted["stratum"]]
        assert int(row[3]) == wanted["rows"]
        assert float(row[4]) == pytest.approx(wanted["distance"], rel=1e-3)
        assert float(row[5]) == pytest.approx(wanted["p_value"], rel=1e-3)


def test_who_is_moved_most(tmp_path):
    """At least ten people, else nobody is told of; means are those of the rows that move most."""
    table = worlds.people(400)
    explanation = worlds.explained(table)
    page = report_helpers.read(write_report(explanation, tmp_path / "report.html"))
    kept = explanation.kept
    moved = np.abs(kept.factual - kept.base)
    strata = (explanation.reference, explanation.compared[0].stratum)
    tables = table_of(page.one("section", id="people"), "sex = ")
    for place, found in zip(strata, tables, strict=True):
        inside = kept.strata == place
        top = inside & (moved >= np.quantile(moved[inside], 0.9, method="inverted_cdf"))
        assert top.sum() >= 10
        assert (
            f"the {100 * top.sum() / inside.sum():.0f}\xa0% of people" in found.one("caption").text
        )
        rows = body(found)
        assert len(rows) == len(worlds.INPUTS)
        apart = []
        for name, one, other in rows:
            column = table[name].to_numpy(dtype=float)
            means = column[top].mean(), column[inside].mean()
            assert_written(one.removeprefix("mean "), means[0])
            assert_written(other.removeprefix("mean "), means[1])
            apart.append(abs(means[0] - means[1]) / column[inside].std())
        assert apart == sorted(apart, reverse=True)
    few = worlds.explained(worlds.people(120))
    text = report_helpers.read(write_report(few, tmp_path / "few.html")).one("section", id="people")
    assert text.text.count("fewer than 10 people") == 2
    assert not table_of(text, "sex = ")


def test_the_most_moved_of_a_category(tmp_path):
    table = worlds.mixed(400)
    explanation = worlds.explained(table, model=worlds.mixed_chance, reference="f")
    page = report_helpers.read(write_report(explanation, tmp_path / "report.html"))
    kept = explanation.kept
    moved = np.abs(kept.factual - kept.base)
    found = table_of(page.one("section", id="people"), "sex = f")[0]
    inside = kept.strata == explanation.reference
    top = inside & (moved >= np.quantile(moved[inside], 0.9, method="inverted_cdf"))
    rows = {row[0]: row[1:] for row in body(found)}
    for text, rows_of in zip(rows["job"], (top, inside), strict=True):
        level, share = text.removesuffix("\xa0%").split(": ")
        assert float(share) == pytest.approx(
            100 * (table["job"][rows_of] == level).mean(), abs=0.51
        )
