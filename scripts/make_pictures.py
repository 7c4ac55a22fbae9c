"""Make the pictures of the README; run: python scripts/make_pictures.py."""

from pathlib import Path

import matplotlib as mpl
from sklearn.linear_model import LogisticRegression

import fairpath as fp

DOCS = Path(__file__).parents[1] / "docs"
MOST = 8


def main() -> None:
    """Explain the README's example and draw the graph with its largest paths."""
    mpl.use("Agg")
    mpl.rcParams.update({"svg.hashsalt": "fairpath", "svg.fonttype": "path"})
    train, test = (fp.datasets.load_adult(part, backend="pandas") for part in ("train", "test"))
    inputs = list(train.inputs)
    model = LogisticRegression(max_iter=1000).fit(train.data[inputs], train.data["income"])
    explanation = fp.explain(model, test.data, graph=test.graph, sensitive="sex", outcome="income")
    ax = fp.plots.graph(explanation, most=MOST)
    ax.figure.savefig(DOCS / "adult.svg", metadata={"Date": None})
    print(DOCS / "adult.svg")


if __name__ == "__main__":
    main()
