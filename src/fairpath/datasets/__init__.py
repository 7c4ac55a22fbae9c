"""Examples that ship with the package: tables, and graphs that go with them."""

from fairpath.datasets.examples import ExampleGraph, adult_graph, compas_graph
from fairpath.datasets.tables import Dataset, load_adult, load_compas

__all__ = ["Dataset", "ExampleGraph", "adult_graph", "compas_graph", "load_adult", "load_compas"]
