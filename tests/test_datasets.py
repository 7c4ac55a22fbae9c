"""The packaged tables: what is in them, and that they are what the public files say."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fairpath as fp
from fairpath.datasets import load_adult, load_compas

LOADERS = {"adult": load_adult, "compas": load_compas}


@pytest.mark.parametrize("name", LOADERS)
@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_every_library_has_the_same_table(name, backend):
    found = LOADERS[name](backend=backend)
    assert type(found.data).__module__.startswith(backend)
    usual = LOADERS[name]().data
    columns = list(usual.columns)
    table = found.data if backend == "pandas" else found.data.to_pandas()
    pd.testing.assert_frame_equal(table[columns], usual, check_dtype=False)
    roles = {found.sensitive, found.outcome, *found.inputs}
    assert roles == set(columns) == set(found.graph.nodes)
    assert not usual.isna().any(axis=None)


def test_adult_has_the_rows_of_both_files():
    whole, train, test = load_adult(), load_adult("train"), load_adult("test")
    assert [len(d.data) for d in (whole, train, test)] == [48_842, 32_561, 16_281]
    assert round(whole.data["income"].mean(), 4) == 0.2393  # as UCI says
    assert load_adult(raw=True).data["workclass"].isna().sum() == 2_799
    raw = load_adult(raw=True).data
    for name, level in (
        ("workclass", "Private"),
        ("marital_status", "Married-civ-spouse"),
        ("relationship", "Husband"),
        ("race", "White"),
        ("native_country", "United-States"),
        ("sex", "Male"),
        ("income", ">50K"),
    ):
        assert (whole.data[name].astype(bool) == (raw[name] == level)).all(), name
    with pytest.raises(fp.DataError, match="part must be one of"):
        load_adult("all")


def test_compas_has_the_rows_of_the_paper():
    assert len(load_compas().data) == 6_172
    whole = load_compas(all_rows=True).data
    assert len(whole) == 7_214
    assert round(whole["race"].mean(), 3) == 0.340
    assert round(whole["no_recidivism"].mean(), 3) == 0.549
    assert not {"name", "first", "last", "dob"} & set(load_compas(raw=True).data.columns)


def test_the_packaged_tables_are_made_from_the_public_files():
    folder = os.environ.get("FAIRPATH_DATA")
    if folder is None or not Path(folder, "adult.data").exists():
        pytest.skip("FAIRPATH_DATA names no folder with adult.data")
    script = Path(__file__).parents[1] / "scripts" / "make_datasets.py"
    code = (
        f"import runpy, sys; made = runpy.run_path({str(script)!r}); from pathlib import Path;"
        f"folder = Path({folder!r}); made['adult'](folder).to_pickle(sys.argv[1]);"
        "made['compas'](folder).to_pickle(sys.argv[2])"
    )
    files = [Path(os.environ.get("TMPDIR", "/tmp")) / f"fairpath-{os.getpid()}-{i}" for i in "ab"]  # noqa: S108
    try:
        subprocess.run([sys.executable, "-c", code, *map(str, files)], check=True)  # noqa: S603
        packed = (load_adult(raw=True), load_compas(all_rows=True, raw=True))
        for file, packaged in zip(files, packed, strict=True):
            made = pd.read_pickle(file)  # noqa: S301
            pd.testing.assert_frame_equal(made, packaged.data, check_dtype=False)
    finally:
        for file in files:
            file.unlink(missing_ok=True)


def test_the_largest_paths_are_those_of_the_paper():
    """Signs and order of the leading paths, of a plain linear model."""
    data = load_compas()
    x = data.data[list(data.inputs)].astype(float)
    weights = np.linalg.lstsq(x.assign(one=1.0), data.data[data.outcome], rcond=None)[0][:-1]
    found = fp.explain(
        lambda table: table[list(data.inputs)].astype(float).to_numpy() @ weights,
        data.data,
        graph=data.graph,
        sensitive=data.sensitive,
        inputs=data.inputs,
        output="score",
        links="linear",
        intervals=None,
    )
    leading = [str(path) for path in found.paths[:3]]
    assert set(leading[:2]) == {"race – age → prediction", "race → priors_count → prediction"}
    assert found.contribution(["race – age → priors_count → prediction"]).value < 0
