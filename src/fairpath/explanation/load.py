"""Read an explanation back from a file."""

from dataclasses import fields, replace
from os import PathLike, fspath
from typing import Any

import numpy as np

from fairpath.errors import DataError
from fairpath.explanation.explanation import Explanation, Kept, Setting
from fairpath.explanation.people import People
from fairpath.explanation.quantities import Columns
from fairpath.explanation.storage import path_of, read, tally_of, viewpoint_of
from fairpath.tally import Tally
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
    tally = tally_of("tally", arrays)
    shape = (len(head["levels"]), tally.weight.shape[1])
    width = Columns(len(paths))
    _check_shapes(tally, shape, width, width.n_products)
    for partition in replicates:
        for part in partition:
            _check_shapes(part, shape, width, 0)
    kept = None
    if head["kept"]:
        kept = Kept(**{field.name: arrays[f"kept_{field.name}"] for field in fields(Kept)})
        n_rows = len(kept.strata)
        _check(kept.values.shape == (n_rows, len(paths)))
        _check(all(vars(kept)[one].shape == (n_rows,) for one in vars(kept) if one != "values"))
    _check(head["reference"] in range(len(head["levels"])))
    found = Explanation(
        paths=paths,
        levels=tuple(head["levels"]),
        reference=head["reference"],
        viewpoint=viewpoint_of(head["viewpoint"]),
        has_utility=head["has_utility"],
        tally=tally,
        replicates=tuple(replicates),
        setting=Setting(**head["setting"]),
        notes=tuple(head["notes"]),
        people=People(**head["people"]),
        kept=kept,
        contested=tuple(paths[i] for i in head["contested"]),
    )
    estimates = [Estimate(**stored) for stored in head["if_contested_cut"]]
    return replace(found, if_contested_cut=found.by_comparison(estimates)) if estimates else found


def _check_shapes(tally: Tally, shape: tuple[int, int], width: Columns, n_products: int) -> None:
    _check(tally.rows.shape == tally.weight.shape == shape)
    _check(tally.sums.shape == (*shape, width.cut.stop))
    _check(tally.scatter.shape == (*shape, n_products, n_products))


def _check(holds: bool) -> None:  # noqa: FBT001
    """Refuse arrays that do not fit together."""
    if not holds:
        raise ValueError
