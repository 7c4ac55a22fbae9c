"""Causal graphs learned from data, and graphs put to the test of data."""

from fairpath.discovery.asking import ByFunction, Question
from fairpath.discovery.confidence import Confidence
from fairpath.discovery.discover import discover
from fairpath.discovery.discovery import Conflict, Discovery, Tested, graph_of
from fairpath.discovery.falsification import Checked, Falsification
from fairpath.discovery.falsify import falsify
from fairpath.discovery.knowledge import Knowledge, knowledge_of
from fairpath.discovery.pc import Pattern, pc

__all__ = [
    "ByFunction",
    "Checked",
    "Confidence",
    "Conflict",
    "Discovery",
    "Falsification",
    "Knowledge",
    "Pattern",
    "Question",
    "Tested",
    "discover",
    "falsify",
    "graph_of",
    "knowledge_of",
    "pc",
]
