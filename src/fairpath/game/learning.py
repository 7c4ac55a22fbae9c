"""From rows to fitted links, and from fitted links to the noise of rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from joblib import Parallel, delayed

from fairpath.encoding import Encoding
from fairpath.game.contributions import Key
from fairpath.game.tree import Features
from fairpath.game.worlds import Mechanisms, Sample
from fairpath.links.link import FittedLink, Link
from fairpath.paths import Arrangement
from fairpath.vocabulary import FloatMatrix, FloatVector, IntVector

_FITTING, _NOISE = 1, 2


@dataclass(frozen=True, eq=False)
class Recipe:
    """What there is to learn: for each feature on a path its sources and the kind of its link.

    Features come in causal order, those of one block in alphabetical order.
    """

    sensitive: str
    sources: Mapping[str, Features]
    choices: Mapping[str, Link]
    outside: Features

    @classmethod
    def of(
        cls, arrangement: Arrangement, observed: set[str], choices: Mapping[str, Link]
    ) -> "Recipe":
        """Let each feature read its predecessors, earlier ones of its block, and what is outside.

        Outside features that are not ``observed`` are left out.
        """
        outside = tuple(name for name in arrangement.outside if name in observed)
        sources: dict[str, Features] = {}
        for block in arrangement.blocks:
            before = tuple(f for earlier in arrangement.predecessors[block] for f in earlier)
            for i, feature in enumerate(block):
                sources[feature] = (*before, *block[:i], *outside)
        chosen = {name: choices[name] for name in sources}
        return cls(arrangement.sensitive, sources, chosen, outside)


def learn(
    recipe: Recipe,
    encoding: Encoding,
    columns: Mapping[str, FloatVector],
    weights: FloatVector,
    *,
    key: Key,
    n_jobs: int | None = None,
) -> Mechanisms:
    """Fit the link of every feature; each has its own stream of random numbers."""

    def fit(feature: str) -> FittedLink:
        sources = recipe.sources[feature]
        return recipe.choices[feature].fit(
            _stacked(columns, sources),
            columns[feature],
            sources=tuple(encoding.variables[source] for source in sources),
            target=encoding.variables[feature],
            weights=weights,
            rng=_stream(key, _FITTING, feature),
        )

    fitted = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(fit)(f) for f in recipe.sources)
    links = dict(zip(recipe.sources, fitted, strict=True))
    return Mechanisms(recipe.sensitive, recipe.sources, links)


def with_noise(
    mechanisms: Mechanisms,
    columns: Mapping[str, FloatVector],
    *,
    key: Key,
    rows: IntVector | None = None,
) -> Sample:
    """Find the noise of every feature of all or some rows, one draw where the value leaves it open.

    A draw belongs to a position: some ``rows`` alone have the noise that they have among all.
    """
    n_rows = len(columns[mechanisms.sensitive])
    if rows is None:
        rows = np.arange(n_rows)
    else:
        columns = {name: values[rows] for name, values in columns.items()}
    noise = {}
    for feature, link in mechanisms.links.items():
        values = columns[feature]
        uniforms = _stream(key, _NOISE, feature).random((n_rows, 2))[rows]
        noise[feature] = link.abduct(
            _stacked(columns, mechanisms.sources[feature]), values, uniforms
        )
    return Sample(columns, noise)


def _stacked(columns: Mapping[str, FloatVector], names: Features) -> FloatMatrix:
    return np.column_stack([columns[name] for name in names])


def _stream(key: Key, purpose: int, feature: str) -> np.random.Generator:
    return np.random.default_rng([*key, purpose, crc32(feature.encode())])
