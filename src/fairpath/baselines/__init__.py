"""What others would say of the same disparity: features in place of paths, causal paths alone.

The call and the result are those of `fairpath.explain`, so that the answers can be compared.
"""

from fairpath.baselines.asv import asv
from fairpath.baselines.isv import isv
from fairpath.baselines.pse import pse

__all__ = ["asv", "isv", "pse"]
