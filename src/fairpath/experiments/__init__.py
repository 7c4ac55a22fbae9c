"""The tables and figures of the paper, one file each; run them with ``fairpath reproduce``."""

from importlib import import_module

from fairpath.experiments.experiment import Experiment

NAMES = (
    "accuracy",
    "efficiency",
    "nutrition_features",
    "nutrition_paths",
    "nutrition_histograms",
    "nutrition_graph",
    "adult_paths",
    "compas_paths",
    "selected_paths",
    "tradeoff",
)
"""Each is a module of this package; in the order of the paper."""


def experiment(name: str) -> Experiment:
    """Return the experiment of this name."""
    found: Experiment = import_module(f"fairpath.experiments.{name}").EXPERIMENT
    return found
