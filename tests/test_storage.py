"""Files: every number comes back, and other bytes are refused."""

import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairpath as fp
from fairpath.explanation.storage import VERSION
from worlds import explained, mixed, mixed_chance, people, same_bits, score

CASES = {
    "two strata": lambda: explained(people(), outcome="hired", intervals="refit"),
    "three strata": lambda: explained(people(strata=("a", "b", "c")), intervals="refit"),
    "truth values": lambda: explained(people(strata=(False, True)), outcome="hired"),
    "no rows": lambda: explained(people(), keep_rows=False, intervals="refit"),
    "no intervals": lambda: explained(people(), outcome="hired"),
    "polars": lambda: explained(pl.from_pandas(people()), outcome="hired"),
    "weights": lambda: explained(people(), sample_weight=np.arange(240) % 3, intervals="refit"),
    "words": lambda: explained(mixed(), mixed_chance, outcome="hired"),
    "score": lambda: explained(people(), score, output="score", favourable=0),
    "merged": lambda: explained(people(), max_length=1),
    "blocks": lambda: explained(
        people(), graph=fp.CausalGraph.parse("sex -> job; job -- hours; sex -> hours; hours -> pay")
    ),
    "no paths": lambda: explained(people(), graph=fp.CausalGraph.parse("sex -> age; job")),
    "marked": lambda: marked(explained(people(), intervals="refit")),
    "marked, three": lambda: marked(explained(people(300, strata=(2, 0, 1)))),
}


def marked(found):
    return fp.mark(found, contested=found.paths[:2])


def public(found):
    """Return everything that an explanation says, as text that shows every bit."""
    shown = [
        found.disparity, found.remainder, found.utility, found.base_utility, found.contested,
        found.if_contested_cut, found.notes, found.levels, found.reference, found.paths,
        [(path.kind, path.nodes, path.arrows, path.longer) for path in found.paths],
        [found.band(found.levels[c.stratum]) for c in found.compared],
        vars(found.setting), repr(found), found._repr_html_(),
    ]  # fmt: skip
    tables = [found.table(), found.by_feature(), found.by_kind()]
    if found.kept is not None:
        tables.append(found.rows)
    return [*map(repr, shown), *(repr(columns_of(table)) for table in tables)]


def columns_of(table):
    if isinstance(table, pd.DataFrame):
        return table.to_dict("list")
    return table.to_dict(as_series=False)


@pytest.mark.parametrize("case", CASES)
def test_every_number_comes_back(case, tmp_path):
    found = CASES[case]()
    found.save(tmp_path / "saved.npz")
    loaded = fp.load(tmp_path / "saved.npz")
    assert public(loaded) == public(found)
    assert same_bits(loaded, found)
    assert (loaded.kept is None) == (found.kept is None) == (case == "no rows")
    assert type(loaded.table()) is type(found.table())
    assert [type(level) for level in loaded.levels] == [type(level) for level in found.levels]
    loaded.save(tmp_path / "again.npz")
    assert public(fp.load(tmp_path / "again.npz")) == public(found)


class Saved:
    """A small explanation that has everything, its bytes, and a place for other bytes."""

    def __init__(self, found, place):
        found.save(place)
        self.found, self.content, self.place = found, place.read_bytes(), place

    def loaded(self, content):
        self.place.write_bytes(content)
        return fp.load(self.place)

    def arrays(self):
        self.place.write_bytes(self.content)
        with np.load(self.place, allow_pickle=False) as archive:
            return dict(archive)

    def loaded_with(self, arrays):
        np.savez(self.place, **arrays)
        return fp.load(self.place)

    def loaded_head(self, **changed):
        arrays = self.arrays()
        head = json.loads(str(arrays["head"])) | changed
        return self.loaded_with(arrays | {"head": json.dumps(head)})


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    found = marked(explained(people(60), outcome="hired", max_length=1, intervals="refit"))
    return Saved(found, tmp_path_factory.mktemp("saved") / "found.npz")


def test_a_file_keeps_its_name(saved, tmp_path):
    for name in ("found", "found.fair", "found.npz"):
        saved.found.save(tmp_path / name)
        assert same_bits(fp.load(str(tmp_path / name)), saved.found)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["found", "found.fair", "found.npz"]


def test_a_file_holds_plain_arrays(saved):
    arrays = saved.arrays()  # read without pickle
    assert all(array.dtype != object for array in arrays.values())
    head = json.loads(str(arrays["head"]))
    assert (head["format"], head["version"]) == ("fairpath explanation", VERSION)


def test_no_pickle_is_read(saved):
    evil = pickle.dumps(Trap())
    with pytest.raises(fp.DataError, match="no saved explanation"):
        saved.loaded(evil)
    with pytest.raises(fp.DataError, match="no saved explanation"):
        saved.loaded_with(saved.arrays() | {"tally_sums": np.array([Trap()], dtype=object)})
    assert not Trap.sprung


class Trap:
    sprung = False

    def __reduce__(self):
        return setattr, (Trap, "sprung", True)


@pytest.mark.parametrize(
    "content", [b"", b"PK", b"path,contribution\nA,1\n", b"\x93NUMPY\x01\x00", b"\x80\x04N."]
)
def test_other_files_are_refused(saved, content):
    with pytest.raises(fp.DataError, match="no saved explanation, or it is damaged"):
        saved.loaded(content)


def test_other_archives_are_refused(saved):
    for arrays in (
        {},
        {"a": np.zeros(3)},
        {"head": np.zeros(3)},
        {"head": "null"},
        {"head": "{}"},
        {"head": "[" * 100_000},
    ):
        with pytest.raises(fp.DataError, match="no saved explanation"):
            saved.loaded_with(arrays)
    with pytest.raises(fp.DataError, match="but a 'recipe'"):
        saved.loaded_head(format="recipe")
    np.save(saved.place, np.zeros(3))
    with pytest.raises(fp.DataError, match="no saved explanation"):
        fp.load(saved.place)


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        fp.load(tmp_path / "nowhere")


def test_a_newer_file_asks_for_an_upgrade(saved):
    with pytest.raises(fp.DataError, match=f"file version {VERSION + 1}.*pip install --upgrade"):
        saved.loaded_head(version=VERSION + 1)
    for version in ("new", None, float("inf")):
        with pytest.raises(fp.DataError, match="damaged"):
            saved.loaded_head(version=version)


def test_a_missing_part_is_refused(saved):
    arrays = saved.arrays()
    assert len(arrays) == 4 * (1 + 16) + 6 + 1
    for name in arrays:
        with pytest.raises(fp.DataError, match="damaged"):
            saved.loaded_with({other: array for other, array in arrays.items() if other != name})
    head = json.loads(str(arrays["head"]))
    for name in set(head) - {"format", "version"}:
        less = json.dumps({other: value for other, value in head.items() if other != name})
        with pytest.raises(fp.DataError, match="damaged"):
            saved.loaded_with(arrays | {"head": less})


def test_parts_that_do_not_fit_are_refused(saved):
    arrays = saved.arrays()
    for name in [name for name in arrays if arrays[name].size and name != "head"]:
        with pytest.raises(fp.DataError, match="damaged"):
            saved.loaded_with(arrays | {name: arrays[name][..., :-1]})
    head = json.loads(str(arrays["head"]))
    for changed in (
        {"levels": [0, 1, 2]},
        {"levels": [0]},
        {"reference": 2},
        {"paths": head["paths"][:-1]},
        {"paths": [1]},
        {"parts": [17]},
        {"contested": [99]},
        {"if_contested_cut": [{"value": 1}]},
        {"setting": None},
        {"setting": head["setting"] | {"colour": "red"}},
        {"notes": 5},
    ):
        with pytest.raises(fp.DataError, match="damaged"):
            saved.loaded_head(**changed)


@settings(max_examples=300)
@given(data=st.data())
def test_damaged_bytes_are_refused_or_do_no_harm(saved, data):
    content = bytearray(saved.content)
    for _ in range(data.draw(st.integers(1, 3))):
        # Half of all places are near an end, where the directory of the archive is.
        place = data.draw(st.integers(0, len(content) - 1) | st.integers(-3000, -1))
        content[place] = data.draw(st.integers(0, 255))
    assert_refused_or_equal(saved, bytes(content))


@given(share=st.floats(0, 1), more=st.binary(min_size=1, max_size=30))
def test_a_cut_file_is_refused(saved, share, more):
    content = saved.content[: int(share * (len(saved.content) - 1))]
    with pytest.raises(fp.DataError):
        saved.loaded(content)
    assert_refused_or_equal(saved, content + more)


@given(st.binary(max_size=200), st.sampled_from([b"", b"PK\x03\x04", b"\x93NUMPY\x01\x00"]))
def test_random_bytes_are_refused(saved, content, start):
    with pytest.raises(fp.DataError):
        saved.loaded(start + content)


def assert_refused_or_equal(saved, content):
    try:
        loaded = saved.loaded(content)
    except fp.DataError:
        return
    assert same_bits(loaded, saved.found)
    assert (loaded.notes, loaded.levels) == (saved.found.notes, saved.found.levels)
    assert vars(loaded.setting) == vars(saved.found.setting)
