"""Read an explanation back from a file."""

from dataclasses import replace
from os import PathLike, fspath
from typing import Any

import numpy as np

from fairpath.errors import DataError
from fairpath.explanation.explanation import Explanation, Kept, Setting
from fairpath.explanation.storage import path_of, read, tally_of
from fairpath.uncertainty import Estimate


def load(file: str | PathLike[str]) -> Explanation:
    """Return the explanation that ``explanation.save(file)`` wrote.

    It shows the same numbers; only what needs the model again (`cut`, `mark`) is gone.
    """
    head, arrays = read(file)
    try:
        return _explanation(head, arrays)
    except (LookupError, TypeError, ValueError) as error:
        raise DataError(
            f"{fspath(file)} is damaged: it is a saved explanation, but a part of it is missing "
            "or wrong. Save it again."
        ) from error


def _explanation(head: dict[str, Any], arrays: dict[str, np.ndarray[Any, Any]]) -> Explanation:
    paths = tuple(path_of(stored) for stored in head["paths"])
    position, replicates = 0, []
    for n_parts in head["parts"]:
        replicates.append(tuple(tally_of(f"part{position + k}", arrays) for k in range(n_parts)))
        position += n_parts
    kept = None
    if head["kept"]:
        kept = Kept(*(arrays[f"kept_{name}"] for name in ("values", "factual", "base", "strata")))
    found = Explanation(
        paths=paths,
        levels=tuple(head["levels"]),
        reference=head["reference"],
        tally=tally_of("tally", arrays),
        replicates=tuple(replicates),
        setting=Setting(**head["setting"]),
        notes=tuple(head["notes"]),
        kept=kept,
        contested=tuple(paths[i] for i in head["contested"]),
    )
    estimates = [Estimate(**stored) for stored in head["if_contested_cut"]]
    return replace(found, if_contested_cut=found.by_stratum(estimates)) if estimates else found
