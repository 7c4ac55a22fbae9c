"""Which explanations can be asked what they rest on."""

from collections.abc import Sequence
from typing import Any

from fairpath.errors import DataError
from fairpath.explanation import Explanation
from fairpath.frames import as_table
from fairpath.study import Study


def study_behind(explanation: object, verb: str) -> Study:
    """Return the model, the games and the rows of an explanation; refuse one without them."""
    if not isinstance(explanation, Explanation):
        raise DataError(
            f"{verb}() needs an explanation made by explain(), got {type(explanation).__name__}."
        )
    if explanation.study is None:
        raise DataError(
            f"{verb}() asks the model and the links again, and this explanation does not know "
            "them: it was loaded from a file, or is that of a baseline. Explain again."
        )
    return explanation.study


def table_of(rows: Sequence[dict[str, Any]], explanation: Explanation) -> Any:  # noqa: ANN401
    """Return rows, which have the same names, as a table of the caller's library."""
    if not rows:
        raise DataError("There is nothing to show: no path leads through a feature.")
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return as_table(columns, explanation.setting.backend)
