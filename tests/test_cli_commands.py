"""The commands on tables, graphs and models in files."""

import json

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.pipeline import make_pipeline

import fairpath as fp
from fairpath.cli import printing, run
from fairpath.cli.subject import roles_of, subject_of
from fairpath.training import trained

ROLES = ("--sensitive", "race", "--outcome", "no_recidivism")


def ended(*arguments):
    """Run a command line and return how it ended."""
    with pytest.raises(SystemExit) as left:
        run([str(argument) for argument in arguments])
    return left.value.code or 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table in three formats, a graph and a model in four."""
    where = tmp_path_factory.mktemp("files")
    data = fp.datasets.load_compas(backend="pandas")
    table = data.data[:600]
    table.to_csv(where / "people.csv", index=False)
    table.to_csv(where / "people.tsv", index=False, sep="\t")
    table.to_parquet(where / "people.parquet")
    table.to_feather(where / "people.feather")
    (where / "graph.txt").write_text(fp.to_edge_list(data.graph), encoding="utf-8")
    asked = {"inputs": data.inputs, "outcome": data.outcome}
    model = trained("logistic", table, **asked)
    skops.io.dump(model, where / "model.skops")
    joblib.dump(model, where / "model.joblib")
    booster = trained("xgboost", table, trees=5, **asked)["model"]
    numbers = table[list(data.inputs)].astype(float)
    booster.fit(numbers, table[data.outcome])
    booster.save_model(where / "model.ubj")
    return where


def explained(folder, file, *more):
    line = ["explain", folder / file, "--graph", folder / "graph.txt", *ROLES]
    return ended(*line, "--no-intervals", *more)


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "feather"])
def test_every_table_and_the_library_give_the_same_numbers(ending, folder, tmp_path):
    out = tmp_path / "out.json"
    model = ("--model", folder / "model.skops")
    assert explained(folder, f"people.{ending}", *model, "--json", out, "--quiet") == 0
    found = json.loads(out.read_text(encoding="utf-8"))
    data = fp.datasets.load_compas(backend="pandas")
    expected = fp.explain(
        joblib.load(folder / "model.joblib"),
        data.data[:600],
        graph=data.graph,
        sensitive="race",
        outcome="no_recidivism",
        inputs=data.inputs,
        intervals=None,
    )
    values = {row["path"]: row["contribution"] for row in found["table"]}
    for path, value in zip(expected.paths, expected.contributions().values, strict=True):
        assert values[str(path)] == pytest.approx(value, abs=1e-12)
    assert found["disparity"]["value"] == pytest.approx(expected.disparity.value)
    assert found["disparity"]["low"] is None  # there are no intervals


def test_models_of_other_libraries(folder, capsys):
    assert (
        explained(folder, "people.csv", "--model", folder / "model.ubj", "--output", "score") == 0
    )
    assert "demographic parity, score: race = 1 minus 0" in capsys.readouterr().out


def test_pickles_are_read_only_if_trusted(folder, capsys):
    model = ("--model", folder / "model.joblib")
    assert explained(folder, "people.csv", *model) == 1
    assert "is a pickle, which can run any code" in capsys.readouterr().err
    assert explained(folder, "people.csv", *model, "--trust-pickle", "--reference", "1") == 0
    assert "race = 0 minus 1" in capsys.readouterr().out


def test_unknown_types_in_a_file_are_refused(tmp_path, folder, capsys):
    model = make_pipeline(joblib.load(folder / "model.joblib"))
    model.extra = np.random.default_rng(0).random  # a bound method of a generator
    skops.io.dump(model, tmp_path / "model.skops")
    assert explained(folder, "people.csv", "--model", tmp_path / "model.skops") == 1
    assert "not known to be harmless" in capsys.readouterr().err


def test_an_example_is_trained_reported_and_saved(tmp_path, capsys):
    files = {name: tmp_path / name for name in ("report.html", "all.json", "kept.fairpath")}
    line = ["explain", "--example", "compas", "--train", "logistic", "--no-intervals"]
    line += ["--report", files["report.html"], "--json", files["all.json"]]
    assert ended(*line, "--save", files["kept.fairpath"]) == 0
    printed = capsys.readouterr()
    assert "race – age → prediction" in printed.out
    assert "trained logistic on 70 % of the rows" in printed.err
    assert "<html" in files["report.html"].read_text(encoding="utf-8")
    numbers = json.loads(files["all.json"].read_text(encoding="utf-8"))
    total = sum(row["contribution"] for row in numbers["table"])
    assert total == pytest.approx(numbers["disparity"]["value"])
    loaded = fp.load(files["kept.fairpath"])
    assert loaded.disparity.value == pytest.approx(numbers["disparity"]["value"])


def test_a_model_is_explained_on_rows_that_did_not_train_it():
    roles = roles_of(None, "compas", None, None, None, None)
    asked = {"find_graph": False, "trust_pickle": False, "seed": 3, "quiet": True}
    subject = subject_of(roles, None, "logistic", **asked)
    assert len(subject.rows) == round(0.3 * 6_172)
    assert not set(subject.rows.index) & set(subject.train.index)
    assert len(subject.rows) + len(subject.train) == 6_172
    again = subject_of(roles, None, "logistic", **{**asked, "seed": 4})
    assert set(again.rows.index) != set(subject.rows.index)


def test_json_goes_to_the_output_alone(folder, capsys):
    model = ("--model", folder / "model.skops")
    assert explained(folder, "people.csv", *model, "--json", "-") == 0
    json.loads(capsys.readouterr().out)


def test_paths_are_selected(folder, capsys, tmp_path):
    line = ["mitigate", folder / "people.csv", "--graph", folder / "graph.txt", *ROLES]
    line += ["--model", folder / "model.skops", "--drop", "race → priors_count → prediction"]
    assert ended(*line, "--json", tmp_path / "frontier.json") == 0
    assert "paths selected for demographic parity, decision" in capsys.readouterr().out
    rows = json.loads((tmp_path / "frontier.json").read_text(encoding="utf-8"))["frontier"]
    assert rows[0]["kept"] == 12
    assert ended(*line, "--keep", "nowhere") == 1
    assert capsys.readouterr().err.startswith("error: ")


def test_graphs_are_shown_converted_and_tested(folder, capsys, tmp_path):
    graph = folder / "graph.txt"
    drawn = fp.read_graph(graph)
    assert ended("graph", graph) == 0
    assert "nodes" in capsys.readouterr().out
    assert ended("graph", graph, "--sensitive", "race", "--given", "no_recidivism") == 0
    assert "paths from race to the prediction" in capsys.readouterr().out
    paths = tmp_path / "paths.json"
    reads = ",".join(fp.datasets.compas_graph().inputs)
    assert ended("graph", graph, "--sensitive", "race", "--inputs", reads, "--json", paths) == 0
    assert len(json.loads(paths.read_text(encoding="utf-8"))["paths"]) == 13
    for name in ("edge-list", "csv", "dot", "gml", "dagitty", "tetrad"):
        capsys.readouterr()
        assert ended("graph", graph, "--to", name) == 0
        again = fp.CausalGraph.parse(capsys.readouterr().out)
        assert set(again.directed) == set(drawn.directed)
        assert set(again.undirected) == set(drawn.undirected)
    assert ended("graph", graph, "--data", folder / "people.csv", "--json", paths) == 0
    assert json.loads(paths.read_text(encoding="utf-8"))["verdict"]


def test_a_graph_is_discovered_and_used(folder, capsys, tmp_path):
    graph = tmp_path / "found.txt"
    tiers = "race,age,sex;juv_fel_count,juv_misd_count,juv_other_count;priors_count"
    line = ["discover", folder / "people.csv", *ROLES, "--write", graph]
    line += ["--tiers", f"{tiers};c_charge_degree;no_recidivism", "--required", "age->priors_count"]
    assert ended(*line) == 0
    assert "Discovery: " in capsys.readouterr().out
    found = fp.read_graph(graph)
    assert ("age", "priors_count") in found.directed
    later = ("c_charge_degree", "no_recidivism")
    assert not [e for e in found.directed if e[0] in later and e[1] not in later]
    assert ended("discover", folder / "people.csv", "--required", "age=priors_count") == 1
    assert "is no edge: write it as cause->effect" in capsys.readouterr().err
    model = ("--model", folder / "model.skops", "--discover", "--no-intervals", "--links", "linear")
    assert ended("explain", folder / "people.csv", *ROLES, *model) == 0
    assert "the graph was learned from the 600 rows" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["explain"], "Name a table, or an example"),
        (["explain", "{}/people.csv", "--example", "adult"], "and not both"),
        (["explain", "{}/people.csv"], "Name the sensitive column"),
        (["explain", "{}/nowhere.csv", *ROLES], "There is no file"),
        (["explain", "{}/graph.txt", *ROLES], "ends in none of .csv"),
        (["explain", "{}/people.csv", "--sensitive", "rase"], "Did you mean race?"),
        (["explain", "{}/people.csv", *ROLES], "Name a trained model with --model"),
        (["explain", "{}/people.csv", "--sensitive", "race", "--train", "mlp"], "--outcome"),
        (["explain", "{}/people.csv", *ROLES, "--model", "{}/graph.txt"], "cannot be read"),
        (["explain", "{}/people.csv", *ROLES, "--model", "{}/people.csv"], "ends in none of"),
        (["explain", "{}/people.csv", *ROLES, "--model", "{}/model.skops"], "--graph"),
        (["explain", "--example", "nowhere", "--train", "mlp"], "No data set is called"),
        (["graph", "{}/graph.txt", "--json", "-"], "--json goes with"),
        (["discover"], "Name a table"),
    ],
)
def test_errors_say_in_a_line_what_to_change(line, message, folder, capsys):
    assert ended(*(part.format(folder) for part in line)) == 1
    # Libraries of models may say something first.
    *others, last = capsys.readouterr().err.splitlines()
    assert last.startswith("error: ")
    assert message in last
    assert "Traceback" not in "".join(others)


def test_a_table_is_drawn_on_a_terminal(monkeypatch, capsys):
    class Terminal(printing.Console):
        """Thinks that it is one."""

        def __init__(self):
            super().__init__(force_terminal=True, width=100)

    monkeypatch.setattr(printing, "Console", Terminal)
    people = pd.DataFrame({"sex": [0, 1] * 50, "job": np.arange(100.0)})
    found = fp.explain(
        lambda t: t["job"] * (1 + t["job"]),
        people,
        graph=fp.CausalGraph.parse("sex -> job"),
        sensitive="sex",
        output="score",
        intervals=None,
    )
    printing.show(found)
    printed = capsys.readouterr().out
    assert "█" in printed
    assert "sex → job → prediction" in printed
    assert "remainder" in printed
