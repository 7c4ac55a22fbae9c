import os
import subprocess
import sys
from types import ModuleType

import pytest

import fairpath


def test_public_names():
    names = {
        name
        for name, value in vars(fairpath).items()
        if name[0] != "_" and not isinstance(value, ModuleType)
    }
    modules = {"baselines", "datasets", "errors", "links", "plots"}
    lazy = {"PathSelectionClassifier"}
    assert sorted(names | modules | lazy | {"__version__"}) == sorted(fairpath.__all__)


@pytest.mark.parametrize(
    "heavy", ["pandas", "networkx", "causallearn", "sklearn", "polars", "matplotlib", "typer"]
)
def test_import_loads_nothing_heavy(heavy):
    code = f"import sys, fairpath; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603


def test_the_demo_explains_both_examples(tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "fairpath.demo"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "Agg"},
    )
    written = {file.name for file in (tmp_path / "demo").iterdir()}
    assert {"adult.html", "compas.html", "adult-graph.png", "compas-paths.png"} <= written
    assert "sex = 1 minus 0" in run.stdout
    assert "race = 1 minus 0" in run.stdout
    assert run.stdout.count("what if the largest path were cut") == 2
    assert "Traceback" not in run.stderr
