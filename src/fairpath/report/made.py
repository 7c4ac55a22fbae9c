"""How the numbers were made: data, model, graph, options, versions, and a hash of each input."""

import re
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from platform import python_version
from typing import Any

import numpy as np

from fairpath.explanation import Explanation
from fairpath.graph import to_edge_list
from fairpath.report.markup import Markup, details, element, label, phrase, table
from fairpath.report.numbers import NOTHING

LIBRARIES = ("fairpath", "numpy", "scipy", "scikit-learn", "narwhals", "joblib")

MOST_LETTERS = 300
"""Of the value of a model's parameter."""

UNKNOWN = "not known: read from a file, or from a baseline"


def provenance(explanation: Explanation) -> Markup:
    """Return all that it takes to repeat the explanation."""
    return phrase(
        element(
            "p",
            "The same inputs, options and versions give the same numbers, and this page byte for "
            "byte.",
        ),
        _rows(explanation),
        _settings(explanation),
        _model(explanation),
        table(
            "Versions with which this page was written",
            ("library", "version"),
            _versions(),
            class_="small",
        ),
        _hashes(explanation),
        _graph(explanation),
    )


def _rows(explanation: Explanation) -> Markup:
    """Return how many people there are in each stratum."""
    tally, setting = explanation.tally, explanation.setting
    heads = ["stratum", "rows", "weight"]
    by_outcome = tally.weight.shape[1] > 1
    if by_outcome:
        heads.append(phrase(label(setting.outcome), " = ", label(setting.favourable)))
    rows = []
    for place, level in enumerate(explanation.levels):
        reference = " (reference)" if place == explanation.reference else ""
        weight = float(tally.weight[place].sum())
        cells = [f"{int(tally.rows[place].sum()):,}", f"{weight:,.6g}"]
        if by_outcome:
            share = float(tally.weight[place, 1]) / weight if weight else float("nan")
            cells.append(f"{100 * share:.1f}\N{NO-BREAK SPACE}%" if weight else NOTHING)
        rows.append((phrase(label(setting.sensitive), " = ", label(level), reference), *cells))
    return table("The people whom the disparity looks at", heads, rows, class_="small")


def _settings(explanation: Explanation) -> Markup:
    setting = explanation.setting
    asked: list[tuple[str, object]] = [
        ("disparity", explanation.viewpoint.name),
        ("conditioning", setting.conditioning),
        ("sensitive attribute", label(setting.sensitive)),
        ("outcome", NOTHING if setting.outcome is None else label(setting.outcome)),
        (
            "favourable outcome",
            NOTHING if setting.favourable is None else label(setting.favourable),
        ),
        ("output", setting.output),
        ("threshold", f"{setting.threshold:g}" if setting.output == "decision" else NOTHING),
        ("method", setting.method),
        ("order of paths", setting.order),
        ("intervals", "refit" if explanation.replicates else "none"),
        ("rows of the model asked", f"{setting.evaluations:,}"),
        ("seed", str(setting.seed)),
        ("library of the table", setting.backend),
    ]
    study = explanation.study
    if study is not None:
        asked.append(("cross-fitted", f"{study.folds} folds" if study.folds else "no"))
        taught = "the explained rows" if study.own_lesson else "other rows"
        asked.append(("links learned from", taught))
        kinds = {name: type(link).__name__ for name, link in study.game.recipe.choices.items()}
        chosen = sorted(set(kinds.values()))
        asked.append(("kinds of links", ", ".join(chosen) or NOTHING))
        asked.append(("inputs of the model", ", ".join(study.game.inputs)))
    return table("Options", ("option", "value"), asked, class_="small")


def _model(explanation: Explanation) -> Markup:
    """Return the class of the model and its parameters, where it says them."""
    study = explanation.study
    if study is None:
        return table("Model", ("what", "value"), [("class", UNKNOWN)], class_="small")
    found = _estimator(study.model)
    if found is None:
        name = getattr(study.model, "name", type(study.model).__name__)
        rows = [("class", name), ("parameters", "this kind of model does not say them")]
        return table("Model", ("what", "value"), rows, class_="small")
    rows = [("class", f"{type(found).__module__}.{type(found).__qualname__}")]
    parameters = [
        (name, _shortened(repr(value))) for name, value in sorted(found.get_params().items())
    ]
    return phrase(
        table("Model", ("what", "value"), rows, class_="small"),
        details("Parameters of the model", table("Parameters", ("name", "value"), parameters)),
    )


def _estimator(model: Any) -> Any:  # noqa: ANN401 - a model of any kind
    """Return the estimator that is asked, if it is one that says its parameters."""
    ask = getattr(getattr(model, "reading", None), "ask", None)
    while isinstance(ask, partial):
        ask = ask.func
    owner = getattr(ask, "__self__", None)
    return owner if hasattr(owner, "get_params") else None


def without_addresses(text: str) -> str:
    """Drop where objects lie in memory: that differs from run to run.

    >>> without_addresses("<function f at 0x7f3a>")
    '<function f>'
    """
    return re.sub(r" at 0x[0-9A-Fa-f]+", "", text)


def _shortened(text: str) -> str:
    text = " ".join(without_addresses(text).split())
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]}…"


def _versions() -> Iterator[tuple[str, str]]:
    yield "Python", python_version()
    for name in LIBRARIES:
        yield name, version(name)


def _hashes(explanation: Explanation) -> Markup:
    """Return a hash of each input, and how to compute it."""
    rows = [
        ("data", _hash_of_data(explanation)),
        ("predictions", _hash_of_predictions(explanation)),
        ("graph", UNKNOWN if explanation.study is None else _hash(_graph_text(explanation))),
    ]
    people = explanation.people
    columns: list[tuple[object, str]] = [
        (label(name), digest) for name, digest in sorted(people.columns.items())
    ]
    columns.append(("weights", people.weights))
    return phrase(
        table("SHA-256 of each input", ("input", "hash"), rows, class_="hashes"),
        element(
            "p",
            "Data: of the lines “column: digest” of explanation.people.columns, sorted, and of "
            "the weights. Predictions: of explanation.predictions as little-endian 64-bit "
            "numbers. Graph: of its edge list in UTF-8, as it stands below.",
            class_="aside",
        ),
        details("Digest of each column", table("BLAKE2b, 128 bits", ("column", "digest"), columns)),
    )


def _hash_of_data(explanation: Explanation) -> str:
    people = explanation.people
    lines = [f"{name}: {digest}" for name, digest in sorted(people.columns.items())]
    return _hash("\n".join([*lines, f"weights: {people.weights}"]))


def _hash_of_predictions(explanation: Explanation) -> str:
    if explanation.kept is None:
        return "not kept"
    return sha256(np.ascontiguousarray(explanation.kept.factual, dtype="<f8").tobytes()).hexdigest()


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def _graph_text(explanation: Explanation) -> str:
    assert explanation.study is not None  # noqa: S101 - asked before
    return to_edge_list(explanation.study.game.graph)


def _graph(explanation: Explanation) -> Markup:
    if explanation.study is None:
        return element("p", "The graph is not shown: it is ", UNKNOWN, ".", class_="missing")
    return details("The graph as an edge list", element("pre", _graph_text(explanation)))
