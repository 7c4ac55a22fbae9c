"""Trained models of many kinds, asked about rows of the caller's own table.

`score_of` turns a model into a function of encoded columns. `inputs_of` says which columns a
model was trained on, if it knows; `check_inputs` compares them with those it is to be given, and
`check_answers` whether it answers equal rows equally.
"""

from fairpath.models.answers import check_answers
from fairpath.models.names import check_inputs, inputs_of
from fairpath.models.outputs import Output
from fairpath.models.score import Score, score_of

__all__ = ["Output", "Score", "check_answers", "check_inputs", "inputs_of", "score_of"]
