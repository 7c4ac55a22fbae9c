"""The paper's tables and figures: the quick form of each keeps the laws, the results are whole."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import fairpath as fp
from fairpath.experiments import NAMES, experiment
from fairpath.experiments.accuracy import symmetric_model
from fairpath.experiments.experiment import QUICK, as_good, summarised
from fairpath.experiments.page import page
from fairpath.experiments.reproduce import main
from fairpath.experiments.tradeoff import ODDS, area, compared

# fairlearn sets values of a Series in a way that pandas will refuse one day.
pytestmark = pytest.mark.filterwarnings("ignore:Setting an?")

ROOT = Path(__file__).parents[1]
TABLES_OF_PATHS = ("adult_paths", "compas_paths", "nutrition_paths")
NEEDS_DATA = (
    *(name for name in NAMES if name.startswith("nutrition")),
    "selected_paths",
    "tradeoff",
)


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Run each experiment once, when it is first asked for."""
    folder, done = tmp_path_factory.mktemp("results"), {}

    def result(name):
        if name in NEEDS_DATA and not _has_nutrition():
            pytest.skip("FAIRPATH_DATA names no folder with NHANESI_subset_X.csv")
        if name not in done:
            assert main(experiment(name), ["--quick", "--folder", str(folder)]) == 0
            done[name] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        return done[name], folder

    return result


def _has_nutrition():
    return Path(os.environ.get("FAIRPATH_DATA", "-"), "NHANESI_subset_X.csv").exists()


@pytest.mark.filterwarnings("ignore:the stratum")
@pytest.mark.parametrize("name", NAMES)
def test_each_writes_numbers_a_picture_and_a_line(name, quick):
    result, folder = quick(name)
    assert result["quick"]
    assert result["verdict"]
    assert result["summary"]
    for ending in ("csv", "svg", "png"):
        assert (folder / f"{name}.{ending}").stat().st_size > 100
    lines = (folder / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(result["summary"]) + 1


@pytest.mark.parametrize("name", TABLES_OF_PATHS)
def test_paths_and_remainder_sum_to_the_disparity(name, quick):
    rows = quick(name)[0]["rows"]
    for data in {row["data"] for row in rows}:
        mine = [row for row in rows if row["data"] == data]
        total = sum(row["contribution"] for row in mine)
        assert np.isclose(total, mine[0]["disparity"], rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("adult_paths", "sex → marital_status → prediction"),
        ("compas_paths", "race → priors_count → prediction"),
        ("nutrition_paths", "race → poverty_index → prediction"),
    ],
)
def test_the_leading_path_has_the_papers_sign(name, path, quick):
    cells = [row for row in quick(name)[0]["summary"] if row["path"] == path]
    assert cells
    for cell in cells:
        assert cell["mean"] * cell["paper"] > 0


def test_the_miscoded_country_changes_the_answer(quick):
    def disparity(data):
        rows = quick("adult_paths")[0]["rows"]
        return next(row["disparity"] for row in rows if row["data"] == data)

    right, wrong = disparity("UCI's files"), disparity("Country wrong")
    assert right != wrong


def test_what_is_left_is_the_disparity_less_the_sum(quick):
    rows = quick("efficiency")[0]["rows"]
    for row in rows:
        left = abs(row["explained"] - row["disparity"]) / abs(row["disparity"])
        assert row["left"] == left
    assert {row["data"] for row in rows} == {"S1", "S2", "adult", "compas"}
    mean = {m: np.mean([r["left"] for r in rows if r["method"] == m]) for m in ("PSE", "ours")}
    assert mean["ours"] < mean["PSE"]


def test_errors_of_contributions_are_those_of_real_estimates(quick):
    rows = quick("accuracy")[0]["rows"]
    assert {row["form"] for row in rows} == {"symmetric", "random"}
    assert all(0 < row["nrmse"] < 1 for row in rows)


def test_no_path_goes_without_a_weight(quick):
    rows = quick("selected_paths")[0]["rows"]
    assert rows[0]["λ"] == 0
    assert rows[0]["kept"] == 17
    carried = [abs(row["carried"]) for row in rows]
    assert carried[-1] <= carried[0]


def test_curves_are_the_best_within_each_limit(quick):
    result = quick("tradeoff")[0]
    for line in result["summary"]:
        assert line["within 0.02"] <= line["within 0.05"] <= line["within 0.1"]
        mine = [
            row
            for row in result["rows"]
            if (row["data"], row["method"]) == (line["data"], line["method"])
        ]
        inside = [row["accuracy"] for row in mine if abs(row["disparity"]) <= 0.05]
        assert line["within 0.05"] == pytest.approx(max([*inside, mine[0]["majority"]]))
        odds = [row["accuracy"] for row in mine if row["equalized_odds"] <= 0.05]
        assert line[ODDS] == pytest.approx(max([*odds, mine[0]["majority"]]))
    methods = {line["method"] for line in result["summary"]}
    assert {"unfair", "ours", "ours, mixed", "thresholds", "RFL, grid"} <= methods


def test_learners_that_are_not_installed_are_named():
    line = {"data": "d", "within 0.05": 0.7}
    both = [{**line, "method": "ours"}, {**line, "method": "ours, mixed"}]
    said = compared([*both, {**line, "method": "thresholds", "within 0.05": 0.8}])
    assert "d: 0.700 against 0.800 (thresholds)" in said
    assert "left out: unfair, RFL, exponentiated gradient, RFL, grid, AFL" in said


def test_the_area_is_the_mean_of_the_best():
    rows = [
        {"accuracy": 0.8, "disparity": -0.1, "majority": 0.6},
        {"accuracy": 0.7, "disparity": 0.05, "majority": 0.6},
    ]
    # 0.6 below 0.05, then 0.7 up to 0.1, then 0.8
    assert area(rows) == pytest.approx(0.25 * 0.6 + 0.25 * 0.7 + 0.5 * 0.8, abs=1e-3)


def test_quantiles_of_the_histograms_rise(quick):
    for row in quick("nutrition_histograms")[0]["rows"]:
        quantiles = [value for name, value in row.items() if name.startswith("q")]
        assert quantiles == sorted(quantiles)
        assert quantiles[0] < quantiles[-1]


@pytest.mark.parametrize("kind", ["S1", "S2"])
def test_all_paths_of_the_symmetric_design_carry_the_same(kind):
    """The truth by symmetry is that of the true links."""
    people = fp.datasets.make_synthetic(kind, 2, structure="symmetric")

    class Odd:
        """Depends on its five features in five ways."""

        @staticmethod
        def predict_proba(table):
            x = table.to_numpy()
            p = 1 / (1 + np.exp(-(x @ [0.1, 0.3, 0.0, 0.5, 0.2] + 0.2 * x[:, 0] * x[:, 3])))
            return np.column_stack([1 - p, p])

    alone = people.explained(lambda t: Odd.predict_proba(t[list(people.inputs)])[:, 1], n_rows=5000)
    assert np.ptp(alone.contributions().values) > 0.01  # the model itself is not symmetric
    found = people.explained(symmetric_model(Odd, people), n_rows=20_000)
    values = found.contributions().values
    assert len(values) == 10
    assert np.allclose(values, found.disparity.value / 10, rtol=0, atol=0.002)


def test_summaries_are_means_beside_the_papers():
    rows = [{"data": "d", "method": "ours", "error": e} for e in (0.1, 0.3)]
    (cell,) = summarised(rows, ("data", "method"), "error", {("d", "ours"): (0.2, 0.1)})
    assert cell["mean"] == pytest.approx(0.2)
    assert cell["sd"] == pytest.approx(np.sqrt(0.02))
    assert (cell["repeats"], cell["paper"], cell["paper_sd"]) == (2, 0.2, 0.1)
    assert as_good([cell]) == "at least as good as the paper in 1 of 1 cells"
    assert "0 of 1 cells (not: d ours: 0.200)" in as_good([{**cell, "paper": 0.19}])


def test_quick_is_quick():
    assert QUICK.repeats == QUICK.simulations == 1
    assert not QUICK.tune


def test_the_committed_page_is_made_from_the_committed_results():
    folder = ROOT / "experiments"
    for name in NAMES:
        result = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        assert not result["quick"], name
    made = page(folder, NAMES)
    assert made == (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
