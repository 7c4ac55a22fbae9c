"""For those who know shap: paths in the place of features."""

from typing import Any

import numpy as np

from fairpath.errors import MissingExtraError
from fairpath.explanation.explanation import Explanation


def to_shap(explanation: Explanation) -> Any:  # noqa: ANN401 - shap.Explanation
    """Return a ``shap.Explanation`` of the single predictions, so that shap's plots work.

    Values are φ, base values v(∅), which differ from row to row; ``data`` repeats the position
    of the row's stratum, so that plots colour by stratum.
    """
    try:
        import shap  # noqa: PLC0415 - slow, and optional
    except ImportError as error:
        raise MissingExtraError("shap") from error
    values = explanation.values
    kept = explanation.kept
    assert kept is not None  # noqa: S101 - .values says so otherwise
    return shap.Explanation(
        values=values,
        base_values=explanation.base_values,
        data=np.repeat(kept.strata[:, None].astype(np.float64), values.shape[1], axis=1),
        feature_names=[str(path) for path in explanation.paths],
    )
