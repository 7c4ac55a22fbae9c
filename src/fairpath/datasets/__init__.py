"""Examples: tables that ship with the package, that are downloaded or simulated, with graphs."""

from fairpath.datasets.dataset import Dataset
from fairpath.datasets.examples import ExampleGraph, adult_graph, compas_graph, nutrition_graph
from fairpath.datasets.nutrition import load_nutrition
from fairpath.datasets.synthetic import Synthetic, make_synthetic
from fairpath.datasets.tables import load_adult, load_compas

__all__ = [
    "Dataset",
    "ExampleGraph",
    "Synthetic",
    "adult_graph",
    "compas_graph",
    "load_adult",
    "load_compas",
    "load_nutrition",
    "make_synthetic",
    "nutrition_graph",
]
