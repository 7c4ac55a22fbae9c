"""A fitted classifier as plain values, for pickle and for skops.

Links are learned again when it is loaded: the same rows give the same links, to the bit. The
explanation comes back as from a file, so it no longer knows its model.
"""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path as FilePath
from tempfile import TemporaryDirectory
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from fairpath.explanation import Explanation, load
from fairpath.frames import as_frame, backend_of
from fairpath.game.players import held
from fairpath.paths import Path
from fairpath.selection.frontier import Frontier, Point, Predicted
from fairpath.selection.layout import Layout
from fairpath.selection.rows import Measured
from fairpath.strata import Strata

_ROLES = ("names", "is_table", "sensitive", "in_x", "inputs", "outcome")
_KEPT = ("headline", "comparisons", "notes", "backend", "swept", "method", "objective")


def packed_table(data: object) -> dict[str, Any]:
    """Return a table as the bytes of an Arrow stream, with the name of its library."""
    frame = as_frame(data)
    sink = pa.BufferOutputStream()
    table = frame.to_arrow()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return {"backend": backend_of(frame), "stream": sink.getvalue().to_pybytes()}


def unpacked_table(packed: Mapping[str, Any]) -> Any:  # noqa: ANN401 - the caller's frame type
    """Return the table."""
    table = pa.ipc.open_stream(packed["stream"]).read_all()
    if packed["backend"] == "pyarrow":
        return table
    return table.to_pandas() if packed["backend"] == "pandas" else nw.from_native(table).to_polars()


def packed_explanation(explanation: Explanation) -> bytes:
    """Return what ``explanation.save`` writes."""
    with TemporaryDirectory() as folder:
        file = FilePath(folder) / "explanation"
        explanation.save(file)
        return file.read_bytes()


def unpacked_explanation(packed: bytes) -> Explanation:
    """Return the explanation, without its model."""
    with TemporaryDirectory() as folder:
        file = FilePath(folder) / "explanation"
        file.write_bytes(packed)
        return load(file)


def packed_frontier(frontier: Frontier) -> dict[str, Any]:
    """Return numbers and names; paths as their positions."""
    return {name: getattr(frontier, name) for name in _KEPT} | {
        "always": [
            held(frontier.paths, paths).tolist()
            for paths in (frontier.always_kept, frontier.always_dropped)
        ],
        "points": [
            {
                "fairness_weight": point.fairness_weight,
                "held": frontier.held(point).tolist(),
                "predicted": asdict(point.predicted),
                "measured": None if point.measured is None else asdict(point.measured),
            }
            for point in frontier.points
        ],
    }


def members(paths: tuple[Path, ...], mask: object) -> tuple[Path, ...]:
    """Return the paths where a mask, or a list of yes and no, says so."""
    inside = np.asarray(mask, dtype=np.bool_)
    return tuple(path for path, there in zip(paths, inside, strict=True) if there)


def unpacked_frontier(packed: Mapping[str, Any], paths: tuple[Path, ...]) -> Frontier:
    """Return the frontier, without its model."""

    def tuples(stored: Mapping[str, Any]) -> dict[str, Any]:
        return {k: tuple(v) if isinstance(v, list | tuple) else v for k, v in stored.items()}

    points = []
    for stored in packed["points"]:
        mask = np.asarray(stored["held"], dtype=np.bool_)
        found = stored["measured"]
        points.append(
            Point(
                stored["fairness_weight"],
                members(paths, mask),
                members(paths, ~mask),
                Predicted(**tuples(stored["predicted"])),
                None if found is None else Measured(**tuples(found)),
            )
        )
    always = [members(paths, mask) for mask in packed["always"]]
    described = {name: packed[name] for name in _KEPT}
    described |= {name: tuple(packed[name]) for name in ("comparisons", "notes")}
    return Frontier(
        points=tuple(points),
        paths=paths,
        always_kept=always[0],
        always_dropped=always[1],
        **described,
    )


def packed_layout(layout: Layout) -> dict[str, Any]:
    """Return the roles of columns."""
    stored = {name: getattr(layout, name) for name in _ROLES}
    strata = layout.strata
    return stored | {"strata": None if strata is None else [strata.columns, strata.cuts]}


def unpacked_layout(packed: Mapping[str, Any]) -> Layout:
    """Return the layout."""
    described = {name: packed[name] for name in _ROLES}
    described |= {name: tuple(packed[name]) for name in ("names", "inputs")}
    if packed["strata"] is not None:
        columns, cuts = packed["strata"]
        described["strata"] = Strata(tuple(columns), tuple(cuts))
    return Layout(**described)
