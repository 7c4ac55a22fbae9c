"""The same values give the same column, whatever table they came in."""

import datetime as dt
from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from fairpath.errors import DataError
from fairpath.frames import Categories, Numbers, as_frame, column, columns


def pandas_frame(values):
    return pd.DataFrame({"c": pd.Series(values, dtype=object).infer_objects()})


def polars_frame(values):
    return pl.DataFrame({"c": values})


def arrow_frame(values):
    return pa.table({"c": pa.array(values)})


CONTAINERS = [pandas_frame, polars_frame, arrow_frame]
each_container = pytest.mark.parametrize("container", CONTAINERS)


def contents(read):
    if read.kind == "number":
        return read.kind, read.name, tuple(np.nan_to_num(read.values, nan=-99.0))
    return read.kind, read.name, tuple(read.codes), read.levels, read.ordered


@st.composite
def column_values(draw):
    """Values of one sort, some of them missing, at least one of them there."""
    sort = draw(
        st.sampled_from(
            [
                st.text(max_size=3),
                st.booleans(),
                st.integers(-(2**40), 2**40),
                st.floats(allow_nan=True, allow_infinity=False, width=32),
            ]
        )
    )
    first = draw(sort)
    return draw(st.permutations([first, *draw(st.lists(st.none() | sort, max_size=8))]))


@given(column_values())
def test_every_container_gives_the_same_column(values):
    one, two, three = (contents(column(container(values), "c")) for container in CONTAINERS)
    assert one == two == three


@given(column_values().filter(lambda values: not isinstance(values[0], float)), st.randoms())
def test_codes_do_not_depend_on_the_order_of_rows(values, random):
    before = column(pl.DataFrame({"c": values}), "c")
    order = list(range(len(values)))
    random.shuffle(order)
    after = column(pl.DataFrame({"c": [values[i] for i in order]}), "c")
    key = "codes" if before.kind == "category" else "values"
    assert_array_equal(getattr(after, key), getattr(before, key)[order])


@each_container
def test_numbers(container):
    read = column(container([2, None, 1]), "c")
    assert isinstance(read, Numbers)
    assert read.values.dtype == np.float64
    assert_array_equal(read.values, [2.0, np.nan, 1.0])
    assert_array_equal(read.missing, [False, True, False])


@each_container
def test_categories(container):
    read = column(container(["b", None, "a", "b"]), "c")
    assert isinstance(read, Categories)
    assert read.levels == ("a", "b")
    assert_array_equal(read.codes, [1, -1, 0, 1])
    assert_array_equal(read.missing, [False, True, False, False])


@pytest.mark.parametrize(
    "values",
    [
        pd.array([1, None, 3], dtype="Int64"),
        pd.array([1, None, 3], dtype="Float64"),
        pd.Series([1, None, 3], dtype=pd.ArrowDtype(pa.int64())),
        pd.Series([Decimal(1), None, Decimal(3)], dtype=object),
        pd.Series([1, None, 3], dtype=object),
        pd.Series([np.float32(1), float("nan"), np.int8(3)], dtype=object),
        pl.Series([1, None, 3], dtype=pl.Int128),
        pl.Series([1, None, 3], dtype=pl.Decimal(10, 2)),
        pl.Series([1.0, float("nan"), 3.0], dtype=pl.Float32),
        pa.array([1, None, 3], pa.uint8()),
        pa.array([Decimal(1), None, Decimal(3)]),
    ],
    ids=lambda values: f"{type(values).__module__.split('.')[0]}-{getattr(values, 'dtype', '')}",
)
def test_every_type_of_number(values):
    assert_array_equal(column(as_table(values), "c").values, [1.0, np.nan, 3.0])


def as_table(values):
    if isinstance(values, pl.Series):
        return pl.DataFrame({"c": values})
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return pa.table({"c": values})
    return pd.DataFrame({"c": values})


UNORDERED = [
    pd.Categorical(["b", None, "a"], categories=["unused", "b", "a"]),
    pl.Series(["b", None, "a"], dtype=pl.Categorical),
    pa.array(["b", None, "a"]).dictionary_encode(),
    pa.chunked_array(
        [pa.array(["b"]).dictionary_encode(), pa.array([None, "a"]).dictionary_encode()]
    ),
]
ORDERED = [
    pd.Categorical(["b", None, "a"], categories=["unused", "b", "a"], ordered=True),
    pl.Series(["b", None, "a"], dtype=pl.Enum(["unused", "b", "a"])),
    pa.DictionaryArray.from_arrays(pa.array([1, None, 2]), ["unused", "b", "a"], ordered=True),
]


@pytest.mark.parametrize("values", UNORDERED, ids=["pandas", "polars", "arrow", "chunks"])
def test_categoricals(values):
    assert contents(column(as_table(values), "c")) == (
        "category",
        "c",
        (1, -1, 0),
        ("a", "b"),
        False,
    )


@pytest.mark.parametrize("values", ORDERED, ids=["pandas", "polars", "arrow"])
def test_ordered_categoricals_keep_their_order(values):
    assert contents(column(as_table(values), "c")) == (
        "category",
        "c",
        (0, -1, 1),
        ("b", "a"),
        True,
    )


def test_intervals_from_a_cut():
    read = column(pd.DataFrame({"age": pd.cut([50, 10, 51], [0, 18, 99])}), "age")
    assert read.ordered
    assert_array_equal(read.codes, [1, 0, 1])


def test_mixed_labels_are_sorted_by_type_and_value():
    mixed = pd.DataFrame({"c": pd.Series(["z", 1, True, "a", 1.0, None, False], dtype=object)})
    read = column(mixed, "c")
    assert read.levels == (False, True, 1, "a", "z")
    assert [type(level) for level in read.levels[:3]] == [bool, bool, int]
    assert_array_equal(read.codes, [4, 2, 1, 3, 2, -1, 0])


def test_a_column_without_any_value():
    for frame in (
        pandas_frame([None, None]),
        polars_frame([None, None]),
        arrow_frame([None, None]),
    ):
        assert contents(column(frame, "c")) == ("category", "c", (-1, -1), (), False)


def test_columns_in_the_order_asked_for():
    data = pl.DataFrame({"a": [1], "b": ["x"], "c": [True]})
    assert list(columns(data, ["c", "a"])) == ["c", "a"]
    assert list(columns(data)) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "data", [pd.DataFrame({"a": [1]}), nw.from_native(pd.DataFrame({"a": [1]}))]
)
def test_a_narwhals_frame_is_a_frame(data):
    assert as_frame(data).columns == ["a"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"a": [1]}, "Got a dict, need a pandas, polars or pyarrow table"),
        (np.ones((2, 2)), "Got a ndarray.*pandas.DataFrame"),
        (pd.Series([1]), "Got a Series"),
        (None, "Got a NoneType"),
        (pl.LazyFrame({"a": [1]}), "lazy.*collect"),
        (pd.DataFrame({"a": []}), "no rows"),
        (pl.DataFrame(), "no rows"),
        (pd.DataFrame(np.ones((2, 2))), r"must be strings, got 0.*data\.columns ="),
        (pd.DataFrame(np.ones((2, 2)), columns=["a", "a"]), "share a name.*'a' 2 times"),
        (pa.table([[1], [2]], names=["a", "a"]), "share a name.*'a' 2 times"),
    ],
)
def test_what_is_not_a_table(data, message):
    with pytest.raises(DataError, match=message):
        columns(data)


@pytest.mark.parametrize(
    "values",
    [
        pl.Series([dt.date(2020, 1, 1)]),
        pl.Series([dt.datetime(2020, 1, 1)]),  # noqa: DTZ001
        pl.Series([dt.time(1)]),
        pl.Series([dt.timedelta(1)]),
        pl.Series([[1, 2]]),
        pl.Series([{"x": 1}]),
        pl.Series([b"x"]),
        pa.array([dt.date(2020, 1, 1)]),
        pd.Series(pd.to_datetime(["2020-01-01"])),
        pd.Series([[1, 2]]),
        pd.Series([dt.date(2020, 1, 1)]),
        pd.Series([1j]),
    ],
    ids=lambda values: f"{type(values).__module__.split('.')[0]}-{getattr(values, 'dtype', '')}",
)
def test_what_is_neither_number_nor_category(values):
    with pytest.raises(DataError, match=r"Column 'c' holds .*Leave it out, or turn it into"):
        column(as_table(values), "c")


@each_container
def test_infinite_numbers_are_counted(container):
    with pytest.raises(DataError, match="Column 'c' holds 2 infinite numbers"):
        column(container([1.0, float("inf"), -float("inf")]), "c")


def test_an_unknown_column_names_the_close_ones():
    data = pl.DataFrame({"Age": [1], "income": [2], "hours": [3]})
    with pytest.raises(DataError, match=r"no column 'age'. Did you mean Age\?"):
        column(data, "age")
    with pytest.raises(DataError, match=r"no column 'xyz'. There are: Age, income, hours\."):
        column(data, "xyz")
