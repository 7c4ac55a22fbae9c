"""Explanations in files: a NumPy archive with one JSON text, no pickle. See docs/file-format.md."""

import json
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from fairpath.disparity import View, Viewpoint
from fairpath.errors import DataError
from fairpath.paths import Path
from fairpath.tally import Tally

if TYPE_CHECKING:
    from fairpath.explanation.explanation import ByComparison, Explanation
    from fairpath.uncertainty import Estimate

FORMAT = "fairpath explanation"
VERSION = 1
_TALLY = ("rows", "weight", "sums", "scatter")


def write(explanation: "Explanation", file: str | PathLike[str]) -> None:
    """Write an explanation; the model and what asks it further questions are left out."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "setting": vars(explanation.setting),
        "paths": [[path.nodes, path.arrows, path.longer] for path in explanation.paths],
        "levels": explanation.levels,
        "reference": explanation.reference,
        "viewpoint": _viewpoint(explanation.viewpoint),
        "has_utility": explanation.has_utility,
        "notes": explanation.notes,
        "people": vars(explanation.people),
        "parts": [len(partition) for partition in explanation.replicates],
        "contested": [list(explanation.paths).index(path) for path in explanation.contested],
        "if_contested_cut": [vars(estimate) for estimate in _listed(explanation.if_contested_cut)],
        "kept": explanation.kept is not None,
    }
    arrays: dict[str, Any] = _arrays("tally", explanation.tally)
    tallies = [tally for partition in explanation.replicates for tally in partition]
    for i, tally in enumerate(tallies):
        arrays |= _arrays(f"part{i}", tally)
    if explanation.kept is not None:
        arrays |= {f"kept_{name}": array for name, array in vars(explanation.kept).items()}
    with open(fspath(file), "wb") as opened:  # noqa: PTH123 - a name without .npz keeps it
        np.savez_compressed(opened, head=json.dumps(head, default=_plain), **arrays)


def read(file: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    """Return the head and the arrays of a file; refuse what is none of ours."""
    name = fspath(file)
    with open(name, "rb") as opened:  # noqa: PTH123
        try:
            with np.load(opened, allow_pickle=False) as archive:
                arrays = {member: archive[member] for member in archive.files}
            head = json.loads(str(arrays.pop("head")))
            is_ours = head["format"] == FORMAT
            version = int(head["version"])
        except Exception as error:  # other bytes can end in an error of any kind
            raise DataError(
                f"{name} is no saved explanation, or it is damaged. "
                "Give a file that explanation.save(file) wrote."
            ) from error
    if not is_ours:
        raise DataError(f"{name} is no saved explanation but a {head['format']!r}.")
    if version > VERSION:
        raise DataError(
            f"{name} was saved by a newer fairpath (file version {version}, this one reads up to "
            f"{VERSION}). Upgrade: pip install --upgrade fairpath."
        )
    return head, arrays


def path_of(stored: list[Any]) -> Path:
    """Return a path from its nodes, arrows and whether it stands for longer ones."""
    nodes, arrows, longer = stored
    return Path(
        tuple(node if isinstance(node, str) else tuple(node) for node in nodes),
        tuple(arrows),
        bool(longer),
    )


def tally_of(name: str, arrays: dict[str, np.ndarray[Any, Any]]) -> Tally:
    """Return a stored tally."""
    return Tally(*(arrays[f"{name}_{part}"] for part in _TALLY))


def _arrays(name: str, tally: Tally) -> dict[str, np.ndarray[Any, Any]]:
    return {f"{name}_{part}": getattr(tally, part) for part in _TALLY}


def _listed(found: "ByComparison | None") -> list["Estimate"]:
    """Return the estimates of all strata that are compared, if there are any."""
    if found is None:
        return []
    if isinstance(found, dict):
        return [estimate for part in found.values() for estimate in _listed(part)]
    return [found]


def _viewpoint(viewpoint: Viewpoint) -> dict[str, Any]:
    return {
        "name": viewpoint.name,
        "views": [vars(view) for view in viewpoint.views],
        "signs": None if viewpoint.signs is None else viewpoint.signs.tolist(),
        "given": viewpoint.given,
    }


def viewpoint_of(stored: dict[str, Any]) -> Viewpoint:
    """Return a stored disparity."""
    views = tuple(
        View(
            view["outcome"],
            None if view["outcomes"] is None else tuple(view["outcomes"]),
            view["apart"],
        )
        for view in stored["views"]
    )
    signs = None if stored["signs"] is None else np.array(stored["signs"], dtype=np.float64)
    return Viewpoint(stored["name"], views, signs, given=stored["given"])


def _plain(value: object) -> object:
    """Turn NumPy's scalars into Python's, and any other label into its text."""
    return value.item() if isinstance(value, np.generic) else str(value)
