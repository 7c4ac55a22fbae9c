"""What scikit-learn itself asks of a classifier."""

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from fairpath.selection import PathSelectionClassifier

INSTANCES = [
    PathSelectionClassifier(LogisticRegression(), links="linear", n_draws=1),
    PathSelectionClassifier(
        LogisticRegression(), links="linear", max_disparity=0.1, fairness_weight=0.0,
        model_reads_sensitive=True, n_draws=1, fine_tune=2,
    ),
]  # fmt: skip


# The checks give a handful of rows, so strata are small and limits cannot always be met.
@pytest.mark.filterwarnings("ignore:the stratum:UserWarning")
@pytest.mark.filterwarnings("ignore:No selection has decisions:UserWarning")
@parametrize_with_checks(INSTANCES)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
