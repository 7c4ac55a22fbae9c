"""An explanation as one file that opens in any browser."""

from collections.abc import Iterable
from os import PathLike, fspath, getpid
from pathlib import Path
from typing import Any

from fairpath.errors import DataError
from fairpath.explanation import Explanation
from fairpath.report.page import page
from fairpath.report.possible import check_frontier
from fairpath.selection import Frontier


def write_report(
    explanation: Explanation,
    file: str | PathLike[str],
    *,
    title: str | None = None,
    frontier: Frontier | None = None,
    checks: Iterable[Any] | None = None,
) -> Path:
    """Write a report: one HTML file that needs no network and no server, and can be printed.

    Everything is there without JavaScript; with it, paths can be searched, sorted and lit up in the
    graph, comparisons switched and selections of paths tried. The same explanation gives the same
    bytes. No single rows of the data are written, only sums, means and histograms.

    Parameters
    ----------
    explanation
        What `explain` or `load` returned. One from a file no longer knows its model, its links and
        its graph; the report says what it cannot show.
    file
        Where to write; an existing file is replaced once the new one is complete.
    title
        The title; by default the disparity and the sensitive attribute.
    frontier
        What `select_paths` returned for this explanation: which paths to cut, and what that does.
    checks
        Results that say how sure all this is: objects with a method ``table`` and a ``verdict``, or
        a text that they print. `falsify` gives one for the graph.

    Returns
    -------
    The path of the file.
    """
    if not isinstance(explanation, Explanation):
        raise DataError(
            f"Expected an explanation that explain() or load() returned, got "
            f"{type(explanation).__name__}."
        )
    if title is not None and (not isinstance(title, str) or not title.strip()):
        raise DataError(f"title must be a text, or None for the usual one, got {title!r}.")
    target = _target(file)
    text = page(
        explanation,
        title=title,
        frontier=check_frontier(explanation, frontier),
        checks=_checked(checks),
    )
    _replace(target, text.encode("utf-8"))
    return target


def _target(file: object) -> Path:
    """Return where to write; refuse what cannot be written to."""
    if not isinstance(file, str | PathLike) or not isinstance(fspath(file), str):
        raise DataError(f"file must be the name of a file, got {file!r}.")
    target = Path(file)
    if not str(file) or target.is_dir():
        raise DataError(f"{str(file)!r} is no file but a folder. Add a name such as report.html.")
    if not target.parent.is_dir():
        raise DataError(f"There is no folder {str(target.parent)!r} to write to. Make it first.")
    return target


def _checked(checks: object) -> list[Any]:
    """Refuse what cannot be shown."""
    if checks is None:
        return []
    if isinstance(checks, str | bytes) or not isinstance(checks, Iterable):
        raise DataError(
            f"checks must be a list of results, got {type(checks).__name__}. One result alone goes "
            "into a list too."
        )
    found = list(checks)
    for one in found:
        if isinstance(one, type) or not callable(getattr(one, "table", None)):
            raise DataError(
                f"A check must have a method table(), {type(one).__name__} has none. Give what "
                "falsify() and the like return."
            )
    return found


def _replace(target: Path, content: bytes) -> None:
    """Write beside the file, then put it in its place: nobody ever reads half a report."""
    draft = target.with_name(f".{target.name}.{getpid()}.part")
    try:
        draft.write_bytes(content)
        draft.replace(target)
    except OSError as error:
        raise DataError(f"{str(target)!r} could not be written: {error.strerror}.") from error
    finally:
        draft.unlink(missing_ok=True)
