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
    modules = {"datasets", "errors", "links"}
    assert sorted(names | modules | {"__version__"}) == sorted(fairpath.__all__)


@pytest.mark.parametrize("heavy", ["pandas", "networkx", "causallearn", "sklearn", "polars"])
def test_import_loads_nothing_heavy(heavy):
    code = f"import sys, fairpath; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603


def test_the_demo_prints_the_paths_of_adult():
    run = subprocess.run(
        [sys.executable, "-m", "fairpath"], capture_output=True, text=True, check=True
    )
    assert "26 paths from sex to the prediction" in run.stdout
    assert "4 paths from sex to the prediction" in run.stdout
    assert run.stderr == ""
