"""Every error this library raises, grouped by what the caller can do about it.

FairpathError
├── GraphError           fix the graph
│   └── TooManyPathsError    merge or drop nodes, or limit the length
├── DataError            fix the data
└── MissingExtraError    install an optional dependency
"""


class FairpathError(Exception):
    """Base class: ``except FairpathError`` catches everything raised on purpose."""


class GraphError(FairpathError, ValueError):
    """The causal graph is not one this analysis can use."""


class TooManyPathsError(GraphError):
    """The graph has more paths than ``max_paths`` allows."""


class DataError(FairpathError, ValueError):
    """The data does not match the graph or cannot be analysed."""


class MissingExtraError(FairpathError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, extra: str) -> None:
        super().__init__(f"This needs an optional dependency: pip install 'fairpath[{extra}]'.")
