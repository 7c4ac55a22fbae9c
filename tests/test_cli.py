"""The command line: what it prints, how it ends."""

import json
import subprocess
import sys

import pytest

import fairpath as fp
from fairpath.cli import run
from fairpath.experiments import NAMES


def ended(*arguments):
    """Run a command line and return how it ended."""
    with pytest.raises(SystemExit) as left:
        run(arguments)
    return left.value.code or 0


def test_the_command_is_installed():
    done = subprocess.run(
        [sys.executable, "-m", "fairpath", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == fp.__version__


def test_data_sets_are_listed_and_described(capsys):
    assert ended("datasets") == 0
    listed = capsys.readouterr().out
    assert [line.split()[0] for line in listed.splitlines()] == [
        "adult",
        "compas",
        "nutrition",
        "synthetic",
    ]
    assert ended("datasets", "compas", "--json") == 0
    about = json.loads(capsys.readouterr().out)
    assert about["rows"] == 6_172
    assert about["sensitive"] == "race"
    assert ended("datasets", "compas") == 0
    assert "6172 rows" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (("datasets", "nowhere"), "error: No data set is called 'nowhere'. There are: adult,"),
        (("reproduce", "table9"), "error: No experiment is called 'table9'. There are: accuracy,"),
    ],
)
def test_errors_of_the_user_are_one_line(line, message, capsys):
    assert ended(*line) == 1
    printed = capsys.readouterr().err
    assert printed.startswith(message)
    assert printed.count("\n") == 1
    with pytest.raises(fp.FairpathError):
        run((*line, "--debug"))


def test_a_wrong_command_line_ends_with_two(capsys):
    assert ended("explode") == 2
    assert ended("datasets", "--nonsense") == 2
    assert "Usage" in capsys.readouterr().err
    assert ended("--help") == 0
    assert "reproduce" in capsys.readouterr().out


def test_an_experiment_is_reproduced(tmp_path, capsys):
    assert ended("reproduce", "compas_paths", "--quick", "--folder", str(tmp_path)) == 0
    assert "Appendix, table (b): " in capsys.readouterr().out
    assert (tmp_path / "compas_paths.json").exists()


def test_the_page_needs_all_results(tmp_path, capsys):
    assert ended("reproduce", "page", "--folder", str(tmp_path)) == 1
    assert f"no results of {NAMES[0]}" in capsys.readouterr().err
