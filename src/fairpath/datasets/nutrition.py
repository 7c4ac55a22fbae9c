"""NHANES I with its follow-up, which is downloaded: it may not be shipped."""

import os
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import narwhals as nw

from fairpath.datasets.dataset import Backend, Dataset, dataset_of
from fairpath.datasets.examples import nutrition_graph
from fairpath.errors import DataError, MissingExtraError
from fairpath.options import check_choice

NUTRITION = """NHANES I, health and nutrition survey of the United States, 1971 to 1974, and its
follow-up (Cox et al. 1998; the copy in the shap project; a work of the United States government).
Is a person alive 15 years later? White against all others, 14 measures of blood and body, poverty
index. People lost before 15 years are left out; impossible codes are missing values. Known biases:
race as interviewers saw it, oversampled poor and old people without their sample weights, follow-up
is lost more often where records are poor, and medicine was another one in 1975."""

ADDRESS = "https://github.com/shap/shap/raw/master/data/"
FILES = {
    "NHANESI_subset_X.csv": "cef5336deb83640da63adb3a36ddd436da49f685480c87a37c8b2959602bcb99",
    "NHANESI_subset_y.csv": "a26b0d295c0bbad0aa8034be8598274e35bd43c98e5a25cfcb407453cae4d7aa",
}
"""Each file and the SHA-256 that it must have."""

FOLDER = "FAIRPATH_DATA"
"""The environment variable that names a folder with these files."""

YEARS = 15

NAMES = {
    "Age": "age",
    "Poverty index": "poverty_index",
    "BMI": "bmi",
    "Systolic BP": "systolic_pressure",
    "Diastolic BP": "diastolic_pressure",
    "Pulse pressure": "pulse_pressure",
    "Red blood cells": "red_cells",
    "White blood cells": "white_cells",
    "Sedimentation rate": "sedimentation_rate",
    "Serum Protein": "serum_protein",
    "Serum Albumin": "serum_albumin",
    "Serum Cholesterol": "serum_cholesterol",
    "Serum Iron": "serum_iron",
    "Serum Magnesium": "serum_magnesium",
    "TIBC": "iron_binding_capacity",
    "TS": "transferrin_saturation",
}

IMPOSSIBLE = {"Poverty index": (999.0,), "Red blood cells": (77.7, 88.8)}
"""Codes for what is not known."""

ROUNDING = 1e-6


def load_nutrition(
    *,
    untraced: Literal["drop", "dead"] = "drop",
    raw: bool = False,
    backend: Backend | None = None,
) -> Dataset:
    """Return the NHANES I data: 9,278 people, race, 17 features and survival for 15 years.

    The two files are downloaded once, into the cache folder of this user; each must have the known
    SHA-256. Where the environment variable ``FAIRPATH_DATA`` names a folder that holds them, they
    are taken from there.

    Parameters
    ----------
    untraced
        382 people were never seen again: their follow-up is "alive after 0 years". ``"drop"``
        leaves them out, as the 272 others who were lost before 15 years; ``"dead"`` counts them
        as dead (9,660 rows), as one does who only asks whether the years are less than 15.
    raw
        Whether all columns of all 9,932 people come as they were published, with the years of
        follow-up in ``y``: negative for those alive at the last contact.
    backend
        Library of the table; pandas where it is installed, else pyarrow.
    """
    check_choice("untraced", untraced, ("drop", "dead"))
    prepared = partial(_prepared, untraced_dead=untraced == "dead")
    return dataset_of(
        "nutrition", _read(), nutrition_graph(), NUTRITION, prepared, raw=raw, backend=backend
    )


def _prepared(table: nw.DataFrame[Any], *, untraced_dead: bool) -> nw.DataFrame[Any]:
    for name, codes in IMPOSSIBLE.items():
        for code in codes:
            # The file has them with the rounding errors of an earlier sum.
            known = (nw.col(name) - code).abs() > ROUNDING
            table = table.with_columns(nw.when(known).then(nw.col(name)).alias(name))
    survived = nw.col("y").abs() >= YEARS
    died = nw.col("y") >= 0 if untraced_dead else nw.col("y") > 0
    return table.filter(survived | died).select(
        (nw.col("Race") == 1).cast(nw.Int64).alias("race"),
        (nw.col("Sex") == 1).alias("sex"),
        *(nw.col(old).alias(new) for old, new in NAMES.items()),
        survived.cast(nw.Int64).alias("survival"),
    )


def _read() -> nw.DataFrame[Any]:
    from pyarrow import csv  # noqa: PLC0415 - slow to import

    features, years = (nw.from_native(csv.read_csv(_file(name)), eager_only=True) for name in FILES)
    joined: nw.DataFrame[Any] = features.drop("").with_columns(years["y"])
    return joined


def _file(name: str) -> Path:
    """Return where a file is, after a look at its contents."""
    folder = os.environ.get(FOLDER)
    if folder and (here := Path(folder, name)).exists():
        found = sha256(here.read_bytes()).hexdigest()
        if found != FILES[name]:
            raise DataError(
                f"{here} is not the known file: its SHA-256 is {found}, not {FILES[name]}. "
                f"Take it out of the folder that {FOLDER} names, and it is downloaded."
            )
        return here
    try:
        import pooch  # noqa: PLC0415 - optional
    except ImportError as error:
        raise MissingExtraError("download") from error
    try:
        got = pooch.retrieve(
            ADDRESS + name,
            known_hash=f"sha256:{FILES[name]}",
            fname=name,
            path=pooch.os_cache("fairpath"),
            progressbar=False,
        )
    except (OSError, ValueError) as error:
        raise DataError(
            f"Could not download {ADDRESS + name}: {error}. Put the files "
            f"{' and '.join(FILES)} of the shap project into a folder and name it in {FOLDER}."
        ) from error
    return Path(got)
