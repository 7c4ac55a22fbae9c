"""What the commands read: tables, graphs, trained models."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import narwhals as nw

from fairpath.datasets.dataset import in_library
from fairpath.errors import DataError, MissingExtraError

TABLES = (".csv", ".tsv", ".parquet", ".arrow", ".feather")
SAFE_MODELS = (".skops", ".onnx", ".json", ".ubj", ".txt", ".cbm")
PICKLES = (".pkl", ".pickle", ".joblib")

TRUST = "--trust-pickle"

HARMLESS = {"numpy.dtype"}
"""Of the encoders of scikit-learn; skops knows all the others itself."""


def read_table(file: Path) -> Any:  # noqa: ANN401 - a table of pandas, if it is installed
    """Read a table by the ending of its file."""
    _check_there(file)
    ending = file.suffix.lower()
    if ending not in TABLES:
        raise DataError(f"{file} ends in none of {', '.join(TABLES)}: save the table as one.")
    try:
        table = _read(file, ending)
    except (OSError, ValueError) as error:  # pyarrow's errors are of these kinds
        raise DataError(f"{file} cannot be read: {error}") from error
    return in_library(nw.from_native(table, eager_only=True), None)


def _read(file: Path, ending: str) -> Any:  # noqa: ANN401 - a pyarrow table
    if ending in {".csv", ".tsv"}:
        from pyarrow import csv  # noqa: PLC0415 - slow to import

        tabs = csv.ParseOptions(delimiter="\t" if ending == ".tsv" else ",")
        missing = csv.ConvertOptions(strings_can_be_null=True)
        return csv.read_csv(file, parse_options=tabs, convert_options=missing)
    if ending == ".parquet":
        from pyarrow import parquet  # noqa: PLC0415

        return parquet.read_table(file)
    from pyarrow import feather  # noqa: PLC0415

    return feather.read_table(file)


def read_model(file: Path, *, trust_pickle: bool) -> Any:  # noqa: ANN401 - of any library
    """Read a trained model by the ending of its file; a pickle only if it is trusted."""
    _check_there(file)
    ending = file.suffix.lower()
    if ending in PICKLES:
        if not trust_pickle:
            raise DataError(
                f"{file} is a pickle, which can run any code while it is read. If you know who "
                f"made it, add {TRUST}; else save the model with skops or as ONNX."
            )
        import joblib  # noqa: PLC0415

        return joblib.load(file)
    if ending not in READERS:
        known = ", ".join((*SAFE_MODELS, *PICKLES))
        raise DataError(f"{file} ends in none of {known}, so its kind of model is not known.")
    try:
        if ending == ".skops":
            return _skops(file, trust_pickle=trust_pickle)
        return READERS[ending](file)
    except ModuleNotFoundError as error:
        raise MissingExtraError(EXTRAS[ending]) from error
    except DataError:
        raise
    except Exception as error:  # each library has its own
        raise DataError(f"{file} cannot be read as a model: {error}") from error


def _skops(file: Path, *, trust_pickle: bool) -> Any:  # noqa: ANN401
    import skops.io  # noqa: PLC0415 - optional

    unknown = sorted(set(skops.io.get_untrusted_types(file=file)) - HARMLESS)
    if unknown and not trust_pickle:
        raise DataError(
            f"{file} holds types that are not known to be harmless: {', '.join(unknown)}. If you "
            f"know who made it, add {TRUST}."
        )
    return skops.io.load(file, trusted=[*HARMLESS, *unknown])


def _onnx(file: Path) -> Any:  # noqa: ANN401
    import onnxruntime  # noqa: PLC0415 - optional

    return onnxruntime.InferenceSession(file)


def _xgboost(file: Path) -> Any:  # noqa: ANN401
    import xgboost  # noqa: PLC0415 - optional

    return xgboost.Booster(model_file=file)


def _lightgbm(file: Path) -> Any:  # noqa: ANN401
    import lightgbm  # noqa: PLC0415 - optional

    return lightgbm.Booster(model_file=file)


def _catboost(file: Path) -> Any:  # noqa: ANN401
    import catboost  # noqa: PLC0415 - optional

    return catboost.CatBoostClassifier().load_model(file)


READERS: dict[str, Callable[[Path], Any]] = {
    ".skops": lambda file: _skops(file, trust_pickle=False),
    ".onnx": _onnx,
    ".json": _xgboost,
    ".ubj": _xgboost,
    ".txt": _lightgbm,
    ".cbm": _catboost,
}
EXTRAS = {
    ".skops": "skops",
    ".onnx": "onnx",
    ".json": "trees",
    ".ubj": "trees",
    ".txt": "trees",
    ".cbm": "catboost",
}
"""What to install where a library is missing."""


def _check_there(file: Path) -> None:
    if not file.is_file():
        raise DataError(f"There is no file {file}.")
