"""
Income on the Adult census data
===============================

Through which paths does a network predict a high income for men more often than for women?
"""

# %%
# The data and their graph ship with the package; the network is the paper's.
import fairpath as fp
from fairpath.training import trained

train, test = fp.datasets.load_adult("train"), fp.datasets.load_adult("test")
model = trained("mlp", train.data, inputs=train.inputs, outcome="income")
explanation = fp.explain(
    model, test.data, graph=test.graph, sensitive="sex", outcome="income", output="decision"
)
explanation

# %%
# Marriage carries most of it; being a husband, which only married men are, takes some back.
fp.plots.waterfall(explanation, most=8)

# %%
# In the graph:
fp.plots.graph(explanation, most=8)

# %%
# Contributions to single people differ within both strata.
path = "sex → hours_per_week → prediction"
fp.plots.histogram(explanation, path)
