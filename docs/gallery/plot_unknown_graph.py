"""
When nobody has drawn the graph
===============================

Learn one, look at what is sure about it, and ask what the data say against it.
"""

# %%
import fairpath as fp

compas = fp.datasets.load_compas()
tiers = [
    ["race", "age", "sex"],
    ["juv_fel_count", "juv_misd_count", "juv_other_count"],
    ["priors_count"],
    ["c_charge_degree"],
    ["no_recidivism"],
]
found = fp.discover(compas.data, sensitive="race", outcome="no_recidivism", tiers=tiers)
found

# %%
# The graph that the paper's authors used, put to the test of the same data:
fp.falsify(compas.graph, compas.data, permutations=20)

# %%
# Paths of the discovered graph carry what the authors' graph leaves unexplained: it joins race and
# sex.
from fairpath.training import trained

model = trained("logistic", compas.data, inputs=compas.inputs, outcome=compas.outcome)
explanation = fp.explain(
    model,
    compas.data,
    graph=found,
    sensitive="race",
    outcome=compas.outcome,
    inputs=compas.inputs,
    output="decision",
)
fp.plots.bar(explanation, most=10)
