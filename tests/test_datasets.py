"""The packaged tables: what is in them, and that they are what the public files say."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fairpath as fp
from fairpath.datasets import load_adult, load_compas, load_nutrition

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


def nutrition(**options):
    """Load it from the folder with the data, or skip."""
    if not Path(os.environ.get("FAIRPATH_DATA", "-"), "NHANESI_subset_X.csv").exists():
        pytest.skip("FAIRPATH_DATA names no folder with NHANESI_subset_X.csv")
    return load_nutrition(**options)


def test_nutrition_leaves_out_whom_nobody_followed():
    raw = nutrition(raw=True).data
    assert len(raw) == 9_932
    years = raw["y"]
    lost = (years < 0) & (years > -15)
    never_seen = years == 0
    assert (lost.sum(), never_seen.sum()) == (272, 382)
    kept = raw[~lost & ~never_seen].reset_index(drop=True)
    found = nutrition().data
    assert len(found) == len(kept) == 9_278
    assert (found["survival"] == (kept["y"].abs() >= 15)).all()
    assert (found["race"] == (kept["Race"] == 1)).all()
    assert (found["sex"] == (kept["Sex"] == 1)).all()
    dead = nutrition(untraced="dead").data
    assert len(dead) == 9_660
    assert dead["survival"].sum() == found["survival"].sum()


def test_impossible_codes_of_nutrition_are_missing():
    found, raw = nutrition().data, nutrition(raw=True).data
    assert found["poverty_index"].max() < 999
    assert raw["Poverty index"].max() == 999
    for code, times in ((77.7, 1849), (88.8, 464)):
        assert np.isclose(raw["Red blood cells"], code).sum() == times
        assert not np.isclose(found["red_cells"], code).any()
    assert found["red_cells"].max() < 70  # per cent of the blood, at most
    assert found["age"].notna().all()


@pytest.mark.parametrize("backend", ["polars", "pyarrow"])
def test_nutrition_is_the_same_in_every_library(backend):
    usual, found = nutrition().data, nutrition(backend=backend).data
    pd.testing.assert_frame_equal(found.to_pandas(), usual, check_dtype=False)
    example = fp.datasets.nutrition_graph()
    assert {"race", "survival", *example.inputs} == set(usual.columns) == set(example.graph.nodes)


def test_the_blocks_of_nutrition():
    example = fp.datasets.nutrition_graph()
    found = fp.arrange(example.graph, sensitive="race", inputs=example.inputs)
    assert {block for block in found.blocks if len(block) > 1} == {
        ("diastolic_pressure", "pulse_pressure", "systolic_pressure"),
        ("iron_binding_capacity", "serum_iron", "transferrin_saturation"),
        ("serum_albumin", "serum_protein"),
        ("sedimentation_rate", "white_cells"),
    }
    assert found.outside == ("age", "sex")
    assert len(found.players) == 17  # nine blocks; eight of them also behind the poverty index


def test_other_files_of_nutrition_are_refused(tmp_path, monkeypatch):
    (tmp_path / "NHANESI_subset_X.csv").write_text("Age\n1\n", encoding="utf-8")
    monkeypatch.setenv("FAIRPATH_DATA", str(tmp_path))
    with pytest.raises(fp.DataError, match="is not the known file: its SHA-256 is"):
        load_nutrition()


def test_nutrition_is_downloaded_with_its_checksum(tmp_path, monkeypatch):
    """No test reaches the internet: what would is replaced."""
    pooch = pytest.importorskip("pooch")
    asked = []

    def retrieve(address, known_hash, **_):
        asked.append((address, known_hash))
        raise OSError("no network")

    monkeypatch.setenv("FAIRPATH_DATA", str(tmp_path))
    monkeypatch.setattr(pooch, "retrieve", retrieve)
    with pytest.raises(fp.DataError, match=r"Could not download .*: no network. Put the files"):
        load_nutrition()
    ((address, known),) = asked
    assert address.endswith("/NHANESI_subset_X.csv")
    assert known.startswith("sha256:cef5336d")


def test_nutrition_needs_an_extra_to_be_downloaded(tmp_path, monkeypatch):
    monkeypatch.setenv("FAIRPATH_DATA", str(tmp_path))
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(fp.MissingExtraError, match=r"fairpath\[download\]"):
        load_nutrition()


def test_wrong_options_of_nutrition_are_refused():
    with pytest.raises(fp.DataError, match="untraced must be one of"):
        load_nutrition(untraced="alive")
