"""
Selecting paths on COMPAS
=========================

Which paths does one have to remove for a fairer model, and what does it cost?
"""

# %%
import fairpath as fp
from fairpath.training import trained

compas = fp.datasets.load_compas()
model = trained("mlp", compas.data, inputs=compas.inputs, outcome=compas.outcome, hidden=8)
explanation = fp.explain(
    model,
    compas.data,
    graph=compas.graph,
    sensitive="race",
    outcome=compas.outcome,
    output="decision",
    intervals=None,
)
frontier = fp.select_paths(explanation)
frontier

# %%
# Accuracy against disparity, as measured on the model without these paths:
fp.plots.frontier(frontier, chosen=0.1)

# %%
# Which paths are kept at which weight:
fp.plots.path_matrix(frontier)
