"""From what the caller says about links to the link of a feature."""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, Literal, TypeAlias, cast

from fairpath.errors import DataError
from fairpath.links.auto import AutoLink
from fairpath.links.estimator import Estimator, EstimatorLink
from fairpath.links.forest import ForestLink
from fairpath.links.known import KnownLink, Mechanism
from fairpath.links.linear import LinearLink
from fairpath.links.link import Link

Choice: TypeAlias = Literal["auto", "forest", "linear"] | Link | Estimator | Mechanism
"""A link, or what one is made of."""

Links: TypeAlias = Choice | Mapping[str, Choice]
"""One choice for all features, or one for each; features that are not named use "auto"."""

NAMED: Mapping[str, Callable[[], Link]] = {
    "auto": AutoLink,
    "forest": ForestLink,
    "linear": LinearLink,
}


def link_for(links: Links, feature: str) -> Link:
    """Return the link of a feature.

    >>> link_for({"pay": "linear"}, "pay")
    LinearLink()
    >>> link_for({"pay": "linear"}, "hours")
    AutoLink()
    """
    choice: Any = links.get(feature, "auto") if isinstance(links, Mapping) else links
    if isinstance(choice, str) and choice in NAMED:
        return NAMED[choice]()
    if not isinstance(choice, type):
        if _is_link(choice):
            return cast("Link", choice)
        if hasattr(choice, "get_params"):
            return EstimatorLink(choice)
        if callable(choice):
            return KnownLink(choice)
    raise DataError(
        f"The link of {feature!r} cannot be {choice!r}. Give 'auto', 'forest' or 'linear', "
        "a link such as ForestLink(), a scikit-learn regressor or classifier, a known function "
        "of the parents, or a mapping from features to these."
    )


def _is_link(choice: object) -> bool:
    """Whether it has the ``fit`` of a link; that of scikit-learn knows no sources."""
    fit = getattr(choice, "fit", None)
    return callable(fit) and {"sources", "target", "weights", "rng"} <= {*signature(fit).parameters}
