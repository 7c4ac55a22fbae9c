"""A table that was taken apart into encoded columns is put together as it was."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from fairpath.errors import DataError
from fairpath.models.table import Table
from models_helpers import encoded


def rebuilt(data, sensitive="sex", others=()):
    encoding, rows = encoded(data, sensitive, others)
    names = tuple(rows)
    return Table.of(data, names, encoding, others).frame(rows, names)


def assert_same(got, expected):
    assert type(got) is type(expected)
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(got, expected, check_categorical=True)
    elif isinstance(expected, pl.DataFrame):
        assert got.schema == expected.schema
        assert got.equals(expected, null_equal=True)
    else:
        assert got.schema == expected.schema
        assert got.equals(expected)


WORDS = ["b", "a", None, "b", "c"]
PANDAS = {
    "words": (WORDS, "str"),
    "object": (WORDS, object),
    "object with NaN": (["b", "a", np.nan, "b", "c"], object),
    "string": (WORDS, "string"),
    "arrow string": (WORDS, pd.ArrowDtype(pa.string())),
    "category": (WORDS, pd.CategoricalDtype(["d", "c", "b", "a"])),
    "ordered": (WORDS, pd.CategoricalDtype(["c", "b", "a"], ordered=True)),
    "category of numbers": ([3, 1, None, 3, 2], "category"),
    "bool": ([True, False, True, True, False], bool),
    "boolean": ([True, None, False, True, True], "boolean"),
    "bool or missing": ([True, None, False, True, True], object),
    "arrow bool": ([True, None, False, True, True], pd.ArrowDtype(pa.bool_())),
    "int8": ([1, -128, 127, 0, 5], "int8"),
    "uint64": ([1, 2**53, 0, 0, 5], "uint64"),
    "Int64": ([1, None, 3, 0, 5], "Int64"),
    "arrow int": ([1, None, 3, 0, 5], pd.ArrowDtype(pa.int32())),
    "float32": ([0.1, np.nan, 3, 0, 5], "float32"),
    "float64": ([0.1, np.nan, 3, 0, 5], "float64"),
    "Float64": ([0.1, None, 3, 0, 5], "Float64"),
    "arrow float": ([0.1, None, 3, 0, 5], pd.ArrowDtype(pa.float64())),
}


@pytest.mark.parametrize(("values", "kind"), PANDAS.values(), ids=PANDAS)
def test_pandas_types_come_back(values, kind):
    column = pd.Series(values, dtype=kind)
    data = pd.DataFrame({"sex": ["f", "m", "f", "m", "m"], "c": column})
    assert_same(rebuilt(data), data)


def test_the_index_of_the_data_does_not_matter():
    data = pd.DataFrame({"sex": ["f", "m"], "age": [1, 2], "job": ["x", "y"]}, index=[7, 7])
    assert_same(rebuilt(data), data.reset_index(drop=True))


POLARS = [
    pl.Series(WORDS, dtype=pl.String),
    pl.Series(WORDS, dtype=pl.Categorical),
    pl.Series(WORDS, dtype=pl.Enum(["c", "d", "b", "a"])),
    pl.Series([True, None, False, True, True]),
    pl.Series([1, None, 3, 0, 5], dtype=pl.Int8),
    pl.Series([1, None, 3, 0, 2**53], dtype=pl.UInt64),
    pl.Series([0.1, None, 3, 0, 5], dtype=pl.Float32),
    pl.Series([0.1, None, 3, 0, 5], dtype=pl.Float64),
    pl.Series([0.1, float("nan"), 3, 0, 5], dtype=pl.Float64),
]


@pytest.mark.parametrize("column", POLARS, ids=[str(column.dtype) for column in POLARS])
def test_polars_types_come_back(column):
    data = pl.DataFrame({"sex": ["f", "m", "f", "m", "m"], "c": column})
    assert_same(rebuilt(data), data)


ARROW = [
    pa.array(WORDS),
    pa.array(WORDS, pa.large_string()),
    pa.array(WORDS).dictionary_encode(),
    pa.DictionaryArray.from_arrays(
        pa.array([1, 2, None, 1, 0], pa.int8()), ["c", "b", "a"], ordered=True
    ),
    pa.array([True, None, False, True, True]),
    pa.array([1, None, 3, 0, 5], pa.int16()),
    pa.array([1, None, 3, 0, 5], pa.uint32()),
    pa.array([0.1, None, 3, 0, 5], pa.float32()),
    pa.array([0.1, None, 3, 0, 5]),
    pa.array([0.1, float("nan"), 3, 0, 5]),
]


@pytest.mark.parametrize("column", ARROW, ids=[str(column.type) for column in ARROW])
def test_arrow_types_come_back(column):
    data = pa.table({"sex": ["f", "m", "f", "m", "m"], "c": column})
    got = rebuilt(data)
    assert got.schema == data.schema
    # NaN is no NaN to pyarrow.
    assert str(got.to_pydict()) == str(data.to_pydict())


@pytest.mark.parametrize(
    "data",
    [
        pl.DataFrame({"sex": ["f", "m"], "c": [Decimal("1.5"), Decimal("2.25")]}),
        pa.table({"sex": ["f", "m"], "c": [Decimal("1.50"), Decimal("2.25")]}),
        pd.DataFrame({"sex": ["f", "m"], "c": [Decimal("1.5"), Decimal("2.25")]}),
    ],
    ids=["polars", "arrow", "pandas"],
)
def test_decimals_become_floats(data):
    got = rebuilt(data)
    kind = getattr(got["c"], "dtype", None) or got["c"].type
    assert str(kind).lower() in {"float64", "double"}
    assert list(np.asarray(got["c"])) == [1.5, 2.25]


cells = st.tuples(
    st.sampled_from(["f", "m"]),
    st.none() | st.text("ab", max_size=2),
    st.none() | st.booleans(),
    st.none() | st.integers(-(2**40), 2**40),
    st.none() | st.floats(-9, 9, width=32),
)


@given(st.lists(cells, min_size=1, max_size=9), st.data())
def test_any_rows_in_any_order_come_back(rows, draw):
    names = ["sex", "word", "flag", "whole", "real"]
    schema = {
        "sex": pl.String,
        "word": pl.String,
        "flag": pl.Boolean,
        "whole": pl.Int64,
        "real": pl.Float64,
    }
    table = pl.DataFrame(rows, schema=schema, orient="row")
    order = draw.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=20))
    for data, expected in [
        (table, table[order]),
        (table.to_arrow(), table[order].to_arrow()),
        (
            table.to_pandas(use_pyarrow_extension_array=True),
            table[order].to_pandas(use_pyarrow_extension_array=True),
        ),
    ]:
        encoding, columns = encoded(data)
        taken = {name: values[order] for name, values in columns.items()}
        assert_same(Table.of(data, names, encoding).frame(taken, names), expected)


def test_whole_numbers_stay_whole_only_where_they_are():
    data = pd.DataFrame({"sex": ["f", "m"], "age": np.array([1, 100], dtype="int8")})
    encoding, rows = encoded(data)
    table = Table.of(data, ["age"], encoding)
    for values, kind in [
        ([5.0, 127.0], "int8"),
        ([5.0, 128.0], "float64"),
        ([5.0, -128.0], "int8"),
        ([5.0, -129.0], "float64"),
        ([5.5, 6.0], "float64"),
        ([np.nan, 6.0], "float64"),
    ]:
        got = table.frame(rows | {"age": np.array(values)}, ["age"])["age"]
        assert got.dtype == kind
        assert_array_equal(got, values)


def test_a_sensitive_number_comes_back_as_that_number():
    data = pd.DataFrame({"sex": np.array([2, 1, 2], dtype="int16"), "age": [1, 2, 3]})
    encoding, rows = encoded(data)
    assert_array_equal(rows["sex"], [1, 0, 1])
    assert_same(rebuilt(data), data)
    assert_array_equal(Table.of(data, ["sex"], encoding).array(rows, ["sex"]), [[2], [1], [2]])


def test_one_and_true_are_two_labels():
    data = pd.DataFrame({"sex": ["f", "m", "f"], "c": pd.Series([1, True, "x"], dtype=object)})
    got = rebuilt(data)["c"].tolist()
    assert [type(value) for value in got] == [int, bool, str]


@pytest.mark.parametrize(
    ("mine", "other"),
    [
        (pd.Series(["a", "b"]), pd.Series(["c", None])),
        (
            pd.Series(["a", "b"], dtype=pd.CategoricalDtype(["a", "b", "c"])),
            pd.Series(["c", None], dtype=pd.CategoricalDtype(["a", "b", "c"])),
        ),
        (pl.Series(["a", "b"], dtype=pl.Categorical), pl.Series(["c", None])),
        (pl.Series(["a", "b"], dtype=pl.Enum(["c", "b", "a"])), pl.Series(["c", None])),
        (pa.array(["a", "b"]).dictionary_encode(), pa.array(["c", None])),
    ],
)
def test_levels_that_only_another_table_has_take_the_type_of_the_data(mine, other):
    make = pl.DataFrame if isinstance(mine, pl.Series) else pd.DataFrame
    make = pa.table if isinstance(mine, pa.Array) else make
    data, more = (make({"sex": ["f", "m"], "c": column}) for column in (mine, other))
    encoding, rows = encoded(data, others=[more])
    table = Table.of(data, ["c"], encoding, [more])
    got = table.frame({"c": np.array([0.0, 1.0, 2.0, 3.0])}, ["c"])["c"]
    values = got.to_pylist() if isinstance(mine, pa.Array) else list(got)
    assert values[:3] == ["a", "b", "c"]
    assert pd.isna(values[3])
    assert str(got.type if isinstance(mine, pa.Array) else got.dtype) == str(
        mine.type if isinstance(mine, pa.Array) else mine.dtype
    )
    assert len(rows) == 2


def test_a_type_too_narrow_for_all_levels_gives_way_to_that_of_another_table():
    data = pd.DataFrame({"sex": ["f", "m"], "c": [True, False]})
    more = pd.DataFrame({"sex": ["f", "m"], "c": pd.Series([None, True], dtype=object)})
    encoding, _ = encoded(data, others=[more])
    got = Table.of(data, ["c"], encoding, [more]).frame({"c": np.array([1.0, 2.0])}, ["c"])["c"]
    assert got.tolist() == [True, None]


def test_categories_that_no_type_holds_are_refused():
    data = pd.DataFrame({"sex": ["f", "m"], "c": pd.Categorical(["a", "b"])})
    more = pd.DataFrame({"sex": ["f", "m"], "c": pd.Categorical(["a", "x"])})
    encoding, _ = encoded(data, others=[more])
    with pytest.raises(DataError, match=r"'c' is of type category in the data.*'a', 'b', 'x'"):
        Table.of(data, ["c"], encoding, [more])


def test_arrays():
    data = pd.DataFrame({"sex": ["f", "m"], "age": [3, 4], "rich": [True, False]})
    encoding, rows = encoded(data)
    table = Table.of(data, rows, encoding)
    numeric = table.array(rows, ["rich", "age"])
    assert numeric.dtype == np.float64
    assert_array_equal(numeric, [[1, 3], [0, 4]])
    words = table.array(rows, ["age", "sex"])
    assert words.dtype == object
    assert words.tolist() == [[3.0, "f"], [4.0, "m"]]
    with pytest.raises(DataError, match=r"numbers only, and column 'sex' holds words"):
        table.matrix(rows, ["age", "sex"])


@pytest.mark.parametrize("kind", [pl.String, pl.Categorical, pl.Enum(["b", "a"])])
def test_other_tables_as_pandas(kind):
    data = pl.DataFrame(
        {"sex": ["f", "m", "m"], "n": [1, 2, 3], "x": [0.5, None, 1.5], "c": ["a", None, "b"]},
        schema_overrides={"c": kind},
    )
    encoding, rows = encoded(data)
    got = Table.of(data, rows, encoding).as_pandas().frame(rows, tuple(rows))
    assert got["n"].tolist() == [1, 2, 3]
    assert got["n"].dtype == np.int64
    assert_array_equal(got["x"], [0.5, np.nan, 1.5])
    assert got["c"].fillna("?").tolist() == ["a", "?", "b"] if kind == pl.String else True
    assert (str(got["c"].dtype) == "category") == (kind != pl.String)
    assert got["c"].isna().tolist() == [False, True, False]


def test_the_encoded_columns_are_not_changed_through_the_table():
    data = pd.DataFrame({"sex": ["f", "m"], "x": [0.5, 1.5]})
    encoding, rows = encoded(data)
    table = Table.of(data, rows, encoding)
    frame = table.frame(rows, ["x"])
    frame.loc[0, "x"] = 9.0
    table.array(rows, ["x"])[0] = 9.0
    assert_array_equal(rows["x"], [0.5, 1.5])


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_threads_share_a_table(make):
    data = make({"sex": ["f", "m"] * 50, "c": ["x", "y", "z", "x"] * 25, "n": list(range(100))})
    encoding, rows = encoded(data)
    table = Table.of(data, rows, encoding)

    def part(i):
        return table.frame({name: np.roll(values, i) for name, values in rows.items()}, ("c", "n"))

    alone = [part(i) for i in range(40)]
    with ThreadPoolExecutor(4) as pool:
        for got, expected in zip(pool.map(part, range(40)), alone, strict=True):
            assert got.equals(expected)
