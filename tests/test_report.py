"""The report says what the explanation says, in a page that is whole, closed and escaped."""

import re
from base64 import b64encode
from functools import lru_cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import fairpath as fp
import plots_helpers
import report_helpers
import worlds
from fairpath.errors import DataError
from fairpath.report import write_report
from fairpath.report.numbers import NOTHING
from fairpath.selection import select_paths

SECTIONS = ["found", "amounts", "graph", "people", "certainty", "selection", "provenance"]

MANY = [
    plots_helpers.small,
    plots_helpers.without_intervals,
    plots_helpers.three,
    plots_helpers.odds,
    plots_helpers.accuracy,
    plots_helpers.long_names,
    report_helpers.hostile,
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("reports")


@pytest.fixture(scope="module")
def page(folder):
    """Write a report once, and read it."""

    @lru_cache
    def written(made):
        return report_helpers.read(write_report(made(), folder / f"{made.__name__}.html"))

    return written


@lru_cache
def pathless():
    """No path leads from the attribute to the model."""
    graph = fp.CausalGraph.parse("sex -> school; job -> pay")
    table = worlds.people(200).assign(school=0.0)
    return worlds.explained(table, graph=graph, inputs=["job", "pay"], model=_pay)


def _pay(rows):
    return 1 / (1 + np.exp(-worlds.number(rows, "pay")))


@pytest.fixture(scope="module")
def loaded(folder):
    plots_helpers.odds().save(folder / "odds.fairpath")
    return fp.load(folder / "odds.fairpath")


each = pytest.mark.parametrize("made", MANY, ids=lambda made: made.__name__)


@each
def test_sections_come_in_the_order_of_questions(page, made):
    found = page(made)
    assert [one.attributes.get("id") for one in found.one("main").children
            if not isinstance(one, str)] == SECTIONS  # fmt: skip
    assert [one.attributes["href"][1:] for one in found.one("nav").find("a")] == SECTIONS
    for section in SECTIONS:
        assert len(found.one("section", id=section).text.strip()) > 100
        head = next(
            one for one in found.one("section", id=section).children if one.__class__ is not str
        )
        assert (head.name, head.attributes["id"]) == ("h2", f"{section}-head")


@each
def test_every_number_of_the_table_is_that_of_the_explanation(page, made):
    explanation, found = made(), page(made)
    blocks = found.one("section", id="amounts").with_class("paths")
    options = plots_helpers.comparisons(explanation)
    assert len(blocks) == len(options)
    for block, picked in zip(blocks, options, strict=True):
        expected = plots_helpers.records(explanation, **picked)
        rows = [row for row in block.find("tr") if row.attributes.get("role") == "row"][1:-1]
        assert len(rows) == len(expected)
        for row, wanted in zip(rows, expected, strict=True):
            cells = report_helpers.cells(row)
            assert cells["path"].attributes["data-sort"] == wanted["path"]
            assert cells["path"].text.startswith(wanted["path"])
            place = row.attributes.get("data-path")
            assert (place is not None) == (wanted["kind"] == "path")
            assert place is None or str(explanation.paths[int(place)]) == wanted["path"]
            for name, cell in cells.items():
                if name in ("path", "share"):
                    continue
                value = wanted[name]
                if wanted["kind"] != "path" and name != "contribution":
                    value = np.nan
                shown = cell.with_class("value")
                report_helpers.assert_written(shown[0].text if shown else cell.text, value)
                if not np.isnan(value):
                    assert float(cell.attributes["data-sort"]) == value
                prefix = "" if name == "contribution" else f"{name}_"
                ends = [one.text.split(" to ") for one in cell.with_class("interval")]
                assert bool(ends) == (not np.isnan(value) and bool(explanation.replicates))
                for end, text in zip(("low", "high"), ends[0] if ends else (), strict=False):
                    report_helpers.assert_written(text, wanted[f"{prefix}{end}"])
            assert cells["share"].text == f"{100 * wanted['share']:.0f}\xa0%".replace(
                "-0\xa0", "0\xa0"
            ).replace("-", "\N{MINUS SIGN}")


@each
def test_the_rows_sum_to_the_disparity(page, made):
    explanation, found = made(), page(made)
    tables = found.one("section", id="amounts").with_class("paths")
    for table, one in zip(tables, explanation.compared, strict=True):
        parts = [
            float(cell.attributes["data-sort"])
            for cell in table.find("td", data_column="contribution")
            if "data-sort" in cell.attributes
        ]
        delta = explanation.estimates_at(one).values[0]
        assert sum(parts) == pytest.approx(delta, abs=1e-9)
        last = table.find("tr")[-1]
        report_helpers.assert_written(last.with_class("value")[0].text, delta)


@each
def test_nothing_is_loaded_and_only_the_page_itself_may_run(page, made):
    found = page(made)
    for one in found.walk():
        assert one.name not in ("link", "img", "iframe", "object", "base", "form", "use", "image")
        for name, value in one.attributes.items():
            assert not name.startswith("on")
            assert name not in ("src", "srcset", "style", "action", "xlink:href")
            if name == "href":
                assert value.startswith("#")
    style, script = found.one("style").text, found.one("script").text
    assert "http" not in style + script
    assert "@import" not in style
    assert set(re.findall(r"url\(([^)]*)\)", style)) == {"#hatch"}
    (policy,) = (
        one.attributes["content"] for one in found.find("meta") if "http-equiv" in one.attributes
    )
    for kind, text in (("style", style), ("script", script)):
        digest = b64encode(sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")


@each
def test_tables_pictures_and_controls_are_named(page, made):
    found = page(made)
    ids = [one.attributes["id"] for one in found.walk() if "id" in one.attributes]
    assert len(ids) == len(set(ids))
    assert found.one("html").attributes["lang"] == "en"
    for one in found.walk():
        for name in ("aria-labelledby", "href", "for"):
            for target in one.attributes.get(name, "").removeprefix("#").split():
                assert target in ids
    for table in found.find("table"):
        assert table.one("caption").text.strip()
        assert table.children[0].name == "caption"
        for head in table.find("th"):
            assert head.attributes["scope"] in ("col", "row")
    for control in ("input", "select"):
        labelled = [one for label in found.find("label") for one in label.find(control)]
        assert len(labelled) == len(found.find(control))
    for picture in found.find("svg"):
        named = picture.attributes.get("role") == "img" and picture.find("title")
        assert named or picture.attributes.get("aria-hidden") == "true"
    levels = [int(one.name[1]) for one in found.walk() if re.fullmatch("h[1-6]", one.name)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_names_from_the_data_stay_text(page, folder):
    made = report_helpers.hostile
    explanation, found = made(), page(made)
    assert len(found.find("script")) == 1
    assert not found.find("img")
    assert not found.find("b")
    assert not found.find("i")
    names = {one.text for one in found.find("bdi")}
    assert {*report_helpers.HOSTILE[:4], report_helpers.HOSTILE[5]} <= names
    assert {str(level) for level in explanation.levels} <= names
    title = "".join(report_helpers.HOSTILE)
    titled = report_helpers.read(write_report(explanation, folder / "titled.html", title=title))
    assert titled.one("head").one("title").text == title
    assert titled.one("h1").text == title


def test_what_utf_8_and_html_cannot_hold_is_replaced(folder):
    title = "a\x00b\ud800c\x1bd\x85"
    found = report_helpers.read(
        write_report(plots_helpers.without_intervals(), folder / "odd.html", title=title)
    )
    assert found.one("h1").text == "a\ufffdb\ufffdc\ufffdd\ufffd"


def test_the_same_explanation_gives_the_same_bytes(folder):
    """Also where the model has parts that differ in where they lie in memory."""
    table = worlds.people(200)

    def written(name):
        same = FunctionTransformer(lambda rows: rows * 1.0)
        model = make_pipeline(same, LogisticRegression()).fit(table[["job", "pay"]], table["hired"])
        found = worlds.explained(
            table, model=model, outcome="hired", inputs=["job", "pay"], intervals="refit"
        )
        frontier = select_paths(found)
        path = write_report(found, folder / name, frontier=frontier, checks=[_Check()])
        return path.read_bytes()

    one, other = written("one.html"), written("other.html")
    assert one == other
    assert b"LogisticRegression" in one
    assert b" at 0x" not in one


@each
def test_histograms_belong_to_paths(page, made):
    explanation, found = made(), page(made)
    blocks = found.one("section", id="people").with_class("comparison")
    for block, picked in zip(blocks, plots_helpers.comparisons(explanation), strict=True):
        values = np.abs(explanation.contributions(**picked).values)
        figures = block.find("figure")
        places = [int(one.attributes["data-path"]) for one in figures]
        assert places == np.argsort(-values, kind="stable").tolist()[: len(places)]
        assert len(places) == min(len(values), 60)
        for figure, place in zip(figures, places, strict=True):
            assert figure.one("figcaption").text == str(explanation.paths[place])


def test_a_large_report_is_small(folder):
    """Adult's 16,281 people, many paths, and all sections."""
    table = fp.datasets.load_adult("test")

    def model(rows):
        hours, study = worlds.number(rows, "hours_per_week"), worlds.number(rows, "education_num")
        married = worlds.number(rows, "marital_status")
        return 1 / (1 + np.exp(4 - 0.02 * hours - 0.1 * study - married))

    explanation = fp.explain(
        model, table.data, graph=table.graph, sensitive=table.sensitive, outcome=table.outcome,
        inputs=["age", "marital_status", "education_num", "hours_per_week", "workclass",
                "relationship"],
        links="linear", rounds=1, intervals=None,
    )  # fmt: skip
    assert len(explanation.kept.strata) == 16_281
    assert len(explanation.paths) == 26
    path = write_report(explanation, folder / "adult.html", frontier=select_paths(explanation))
    assert path.stat().st_size < 1_000_000


def test_pictures_need_no_matplotlib(folder, monkeypatch):
    def refuses(name):
        raise AssertionError(name)

    for module in ("canvas", "strokes"):
        monkeypatch.setattr(f"fairpath.plots.{module}.import_module", refuses)
    assert write_report(report_helpers.hostile(), folder / "plain.html").stat().st_size > 10_000


def test_more_comparisons_share_the_room(folder):
    table = worlds.people(930, strata=tuple(f"{k} years" for k in range(31)))
    explanation = worlds.explained(table, outcome="hired")
    assert len(explanation.compared) == 30
    path = write_report(explanation, folder / "crowd.html")
    found = report_helpers.read(path)
    assert path.stat().st_size < 3_000_000
    assert len(found.one("section", id="amounts").with_class("paths")) == 30
    assert len(found.one("select", id="comparison").find("option")) == 30


def test_long_names_leave_less_room(folder, monkeypatch):
    """Paths are left out, not truth: the rows still sum to the disparity."""
    explanation = plots_helpers.long_names()
    monkeypatch.setattr("fairpath.report.page.LARGEST", 120_000)
    path = write_report(explanation, folder / "crammed.html")
    assert path.stat().st_size < 120_000
    found = report_helpers.read(path)
    (table,) = found.with_class("paths")
    shown = len(table.one("tbody").find("tr"))
    assert 4 <= shown < len(explanation.paths)
    assert f"{len(explanation.paths) - shown} smaller paths together" in table.text
    cells = table.find("td", data_column="contribution")
    values = [report_helpers.number(one.with_class("value")[0].text) for one in cells]
    total = explanation.disparity.value
    assert abs(sum(v for v, _ in values[:-1]) - total) <= sum(r for _, r in values)


def test_paths_without_room_share_a_row(folder, monkeypatch):
    monkeypatch.setattr(
        "fairpath.report.page.Room.among", lambda _: fp.report.comparing.Room(3, 2, 1)
    )
    explanation = plots_helpers.small()
    found = report_helpers.read(write_report(explanation, folder / "few.html"))
    (table,) = found.with_class("paths")
    rows = table.find("tr")[1:]
    assert len(rows) == 3 + 3
    others = explanation.contribution(explanation.paths[3:])
    cells = report_helpers.cells(rows[3])
    assert cells["path"].text == "4 smaller paths together"
    report_helpers.assert_written(cells["contribution"].with_class("value")[0].text, others.value)
    assert "5 paths with smaller contributions" in found.one("section", id="graph").text
    assert len(found.one("section", id="people").find("figure")) == 1


class _Check:
    verdict = "All is <b>well</b>."

    def table(self):
        return pd.DataFrame({"what": ["<i>", "b"], "p_value": [0.5, np.nan], "fine": [True, False]})


class _Silent:
    """A check without a verdict, with more rows than a page has room for."""

    def __repr__(self):
        return "<_Silent: see & hear>"

    def table(self):
        return pd.DataFrame({"row": range(500)})


def test_checks_are_shown_whatever_they_are(folder):
    explanation = plots_helpers.without_intervals()
    path = write_report(explanation, folder / "checked.html", checks=iter([_Check(), _Silent()]))
    one, other = report_helpers.read(path).with_class("check")
    assert "All is <b>well</b>." in one.text
    cells = [cell.text for cell in one.find("td") + one.find("th")]
    assert {"<i>", "b", "0.5", NOTHING, "yes", "no", "p value"} <= set(cells)
    assert "<_Silent: see & hear>" in other.text
    assert "the first 200 of 500 rows" in other.one("caption").text
    assert len(other.find("tr")) == 201


def test_a_graph_check_is_shown(folder):
    falsify = pytest.importorskip("fairpath.discovery").falsify
    found = falsify(worlds.GRAPH, worlds.people(300), permutations=0)
    path = write_report(plots_helpers.without_intervals(), folder / "false.html", checks=[found])
    (check,) = report_helpers.read(path).with_class("check")
    assert found.verdict in check.text
    assert len(check.find("tr")) == len(found.table()) + 1


def test_a_selection_is_shown(folder):
    explanation = plots_helpers.small()
    frontier = select_paths(explanation)
    found = report_helpers.read(write_report(explanation, folder / "s.html", frontier=frontier))
    rows = found.one("table", id="frontier").one("tbody").find("tr")
    assert len(rows) == len(frontier.points) > 2
    slider = found.one("input", id="lambda")
    assert slider.attributes["max"] == str(len(rows) - 1)
    names = list(map(str, explanation.paths))
    for row, point in zip(rows, frontier.points, strict=True):
        kept = [names[int(k)] for k in row.attributes["data-kept"].split()]
        assert kept == list(map(str, point.kept))
        _, utility, disparity, accuracy, decided, _ = (cell.text for cell in row.find("td"))
        measured = point.measured
        for text, value in (
            (utility, measured.utility),
            (disparity, measured.disparity[0]),
            (accuracy, measured.accuracy),
            (decided, measured.decision_disparity[0]),
        ):
            report_helpers.assert_written(text, value)
        assert float(row.one("th").text) == pytest.approx(point.fairness_weight, rel=1e-3)
    gone = [text for row in rows for text in row.find("li")]
    assert len(gone) >= len(frontier.paths)


def test_a_selection_of_another_explanation_is_refused(folder):
    """Also if its paths have the same names, in the same order."""
    table = worlds.people(200)
    one, other = (worlds.explained(table, outcome="hired", reference=k) for k in (0, 1))
    assert one.paths == other.paths
    with pytest.raises(DataError, match="another explanation"):
        write_report(one, folder / "no.html", frontier=select_paths(other, measure=False))


def test_a_selection_without_a_model_is_added_up(folder, loaded):
    frontier = select_paths(loaded)
    found = report_helpers.read(write_report(loaded, folder / "l.html", frontier=frontier))
    section = found.one("section", id="selection")
    assert "no longer knows its model" in section.text
    first = section.one("tbody").find("tr")[0].find("td")
    report_helpers.assert_written(first[1].text, frontier.points[0].predicted.utility)
    report_helpers.assert_written(
        first[2].text, max(frontier.points[0].predicted.disparity, key=abs)
    )


def test_an_explanation_from_a_file_has_the_same_numbers(folder, loaded, page):
    """And says what it no longer knows."""
    found = report_helpers.read(write_report(loaded, folder / "loaded.html"))
    whole = page(plots_helpers.odds)
    for section in ("found", "amounts"):
        assert found.one("section", id=section).text == whole.one("section", id=section).text
    for section in ("graph", "people", "certainty", "provenance"):
        text = found.one("section", id=section).text
        assert "read from a file" in text or "from a file does not know" in text
        assert "read from a file" not in whole.one("section", id=section).text
    assert len(found.find("figure")) == len(whole.find("figure"))


def test_without_paths_rows_outcome_or_intervals_the_page_says_so(folder):
    found = report_helpers.read(write_report(pathless(), folder / "pathless.html"))
    assert "No path carries any of it" not in found.text
    assert "no path carries any of it" in found.one("section", id="found").text
    assert "no path that could move" in found.one("section", id="people").text
    assert "No intervals were computed" in found.one("section", id="certainty").text
    assert "utility" not in found.one("section", id="amounts").text.lower()
    assert not found.find("input")
    table = worlds.people(200)
    unkept = worlds.explained(table, outcome="hired", keep_rows=False, intervals="refit")
    found = report_helpers.read(write_report(unkept, folder / "unkept.html"))
    assert "were not kept" in found.one("section", id="people").text
    assert not found.one("section", id="people").find("figure")
    assert "No intervals" not in found.text
    assert "Utility" in found.one("section", id="amounts").text


def test_marked_paths_are_in_the_headline(folder):
    explanation = plots_helpers.odds()
    marked = fp.mark(explanation, contested=explanation.paths[:2])
    found = report_helpers.read(write_report(marked, folder / "marked.html"))
    for place, block in enumerate(found.one("section", id="found").with_class("comparison")):
        left = marked.if_contested_cut[explanation.compared[place].view.outcome]
        (sentence,) = (p.text for p in block.find("p") if p.text.startswith("If only the allowed"))
        report_helpers.assert_written(re.search(r"would be (\S+) ", sentence)[1], left.value)
    tags = [
        t for t in found.one("section", id="amounts").with_class("tag") if t.text == "contested"
    ]
    assert len(tags) == 2 * 2


def test_hashes_are_those_of_the_inputs(page):
    explanation = plots_helpers.small()
    rows = page(plots_helpers.small).one("section", id="provenance").with_class("hashes")[0]
    found = {row.one("th").text: row.one("td").text for row in rows.one("tbody").find("tr")}
    graph = fp.to_edge_list(explanation.study.game.graph)
    people = explanation.people
    data = sorted(f"{name}: {digest}" for name, digest in people.columns.items())
    data.append(f"weights: {people.weights}")
    assert found == {
        "data": sha256("\n".join(data).encode()).hexdigest(),
        "predictions": sha256(explanation.predictions.astype("<f8").tobytes()).hexdigest(),
        "graph": sha256(graph.encode()).hexdigest(),
    }
    shown = page(plots_helpers.small).one("section", id="provenance").find("pre")[-1].text
    assert fp.CausalGraph.parse(shown) == explanation.study.game.graph


def test_wrong_arguments_are_named(folder):
    explanation = plots_helpers.without_intervals()
    target = folder / "wrong.html"
    for arguments, options, message in [
        (("text", target), {}, "got str"),
        ((explanation, 3), {}, "file must be"),
        ((explanation, b"x.html"), {}, "file must be"),
        ((explanation, folder), {}, "is no file but a folder"),
        ((explanation, ""), {}, "is no file but a folder"),
        ((explanation, folder / "none" / "x.html"), {}, "There is no folder"),
        ((explanation, target), {"title": 3}, "title must be"),
        ((explanation, target), {"title": "  "}, "title must be"),
        ((explanation, target), {"frontier": 3}, "select_paths"),
        (
            (explanation, target),
            {"frontier": select_paths(plots_helpers.odds())},
            "another explanation",
        ),
        ((explanation, target), {"checks": "text"}, "checks must be a list"),
        ((explanation, target), {"checks": _Check()}, "checks must be a list"),
        ((explanation, target), {"checks": [3]}, "a method table"),
        ((explanation, target), {"checks": [_Check]}, "a method table"),
    ]:
        with pytest.raises(DataError, match=message):
            write_report(*arguments, **options)
    assert not target.exists()


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    target = tmp_path / "report.html"
    target.write_text("before")
    explanation = plots_helpers.without_intervals()

    def fails(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(Path, "replace", fails)
        with pytest.raises(DataError, match="No space left"):
            write_report(explanation, target)
    assert target.read_text() == "before"
    assert [one.name for one in tmp_path.iterdir()] == ["report.html"]
    assert write_report(explanation, str(target)) == target
    assert target.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert [one.name for one in tmp_path.iterdir()] == ["report.html"]


def test_colours_can_be_told_from_their_ground(page):
    """Text at least 4.5 to 1, what else carries meaning 3 to 1 (WCAG 2, AA), light and dark."""
    style = page(plots_helpers.small).one("style").text
    blocks = [dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6})", block))
              for block in re.findall(r":root \{(.*?)\}", style, re.DOTALL)]  # fmt: skip
    light, dark, printed = blocks
    for colours in (light, light | dark, light | printed):
        for text in ("ink", "soft", "link"):
            for ground in ("ground", "card", "mark"):
                assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground, colours)
        for shape in ("raises", "lowers", "strong", "one", "other", "neutral"):
            assert contrast(colours[shape], colours["ground"]) >= 3, (shape, colours)


def contrast(one, other):
    """Return the ratio of two relative luminances."""
    bright, dim = sorted(map(luminance, (one, other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
