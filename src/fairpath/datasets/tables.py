"""The example tables, prepared as in the paper or as they were published."""

from importlib.resources import as_file, files
from typing import Any, Literal, TypeAlias

import narwhals as nw

from fairpath.datasets.dataset import Backend, Dataset, dataset_of
from fairpath.datasets.examples import adult_graph, compas_graph
from fairpath.options import check_choice

Part: TypeAlias = Literal["train", "test"]

ADULT = """UCI Adult: census income, United States, 1994 (Becker and Kohavi 1996, CC BY 4.0).
Does a person earn more than 50,000 dollars a year? Prepared as in the paper: yes-or-no features for
private employer, married, husband, white and born in the United States. Known biases: the sample
weights are left out, sex is recorded as binary, "husband" is a man by definition, the money of
1994 is worth twice as much today, and income follows the discrimination of its time."""

COMPAS = """COMPAS risk scores, Broward County, 2013 and 2014 (Larson et al., ProPublica 2016).
Is a defendant not charged again within two years? Prepared as in the paper: Caucasian against all
others, juvenile counts as yes or no, the logarithm of prior convictions. Known biases: rearrest is
not crime, and policing differs between neighbourhoods; the two-year outcome has known errors in
its cut-off dates."""


def load_adult(
    part: Part | None = None, *, raw: bool = False, backend: Backend | None = None
) -> Dataset:
    """Return the Adult census data: 48,842 people, sex, seven features and income.

    Parameters
    ----------
    part
        The rows of UCI's training or test file; all by default.
    raw
        Whether all columns come as they were published, with a column ``part``.
    backend
        Library of the table; pandas where it is installed, else pyarrow.

    >>> load_adult("test", backend="pyarrow").data.num_rows
    16281
    """
    check_choice("part", part, (None, "train", "test"))
    table = _read("adult")
    if part is not None:
        table = table.filter(nw.col("part") == part)
    return dataset_of("adult", table, adult_graph(), ADULT, _adult, raw=raw, backend=backend)


def load_compas(
    *, all_rows: bool = False, raw: bool = False, backend: Backend | None = None
) -> Dataset:
    """Return the COMPAS data: 6,172 defendants, race, seven features and no recidivism.

    Parameters
    ----------
    all_rows
        All 7,214 rows of the published file. By default ProPublica's filter: screened within 30
        days of the arrest, a known outcome, no ordinary traffic offence, a valid score.
    raw, backend
        As for `load_adult`.

    >>> load_compas(backend="pyarrow").data.num_rows
    6172
    """
    table = _read("compas")
    if not all_rows:
        table = table.filter(
            nw.col("days_b_screening_arrest").abs() <= 30,  # noqa: PLR2004
            nw.col("is_recid") != -1,
            nw.col("c_charge_degree") != "O",
            nw.col("score_text") != "N/A",
        )
    return dataset_of("compas", table, compas_graph(), COMPAS, _compas, raw=raw, backend=backend)


def _adult(table: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    def is_level(name: str, level: str) -> nw.Expr:
        return (nw.col(name) == level).fill_null(value=False).alias(name)

    return table.select(
        is_level("sex", "Male").cast(nw.Int64),
        "age",
        is_level("workclass", "Private"),
        "education_num",
        is_level("marital_status", "Married-civ-spouse"),
        is_level("relationship", "Husband"),
        is_level("race", "White"),
        "hours_per_week",
        is_level("native_country", "United-States"),
        is_level("income", ">50K").cast(nw.Int64),
    )


def _compas(table: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    counts = ("juv_fel_count", "juv_misd_count", "juv_other_count")
    return table.select(
        (nw.col("race") == "Caucasian").cast(nw.Int64).alias("race"),
        (nw.col("sex") == "Male").alias("sex"),
        "age",
        *((nw.col(name) > 0).alias(name) for name in counts),
        (nw.col("priors_count") + 1).log().alias("priors_count"),
        (nw.col("c_charge_degree") == "F").alias("c_charge_degree"),
        (1 - nw.col("two_year_recid")).alias("no_recidivism"),
    )


def _read(name: str) -> nw.DataFrame[Any]:
    import pyarrow.parquet as pq  # noqa: PLC0415 - slow to import

    with as_file(files("fairpath.datasets").joinpath("files", f"{name}.parquet")) as file:
        table = pq.read_table(file)
    words = [field.name for field in table.schema if str(field.type).startswith("dictionary")]
    read: nw.DataFrame[Any] = nw.from_native(table, eager_only=True)
    return read.with_columns(nw.col(*words).cast(nw.String))
