"""v(T) as a function of a person: what a value leaves open is drawn by the values, and averaged.

`PathGame.values` draws it by the position of a row, as explanations do. A classifier shall answer
the same about a person whoever else is asked about, so here it depends on the person's features.
The mean over several draws varies less than one draw and puts people in a better order.
"""

from collections.abc import Mapping
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from fairpath.game.contributions import coalition_values
from fairpath.game.evaluate import Model
from fairpath.game.path_game import PathGame
from fairpath.game.worlds import Sample
from fairpath.vocabulary import BoolMatrix, FloatMatrix, FloatVector

Hashes = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_ORDER = 21


def drawn_values(
    game: PathGame,
    model: Model,
    encoded: Mapping[str, FloatVector],
    held: BoolMatrix,
    n_draws: int,
) -> FloatMatrix:
    """Return v(T) of every row, a column for each row of ``held``; equal people have equal values.

    Parameters
    ----------
    game, model
        Players and links; the model as a function of encoded columns.
    encoded
        The columns of the rows.
    held
        Which players each set holds.
    n_draws
        How often what the values leave open is drawn.
    """
    total = np.zeros((len(encoded[game.sensitive]), len(held)))
    for draw in range(n_draws):
        sample = drawn_sample(game, encoded, draw, n_draws)
        total += coalition_values(model, game.board, sample, held, game.shares)
    return total / n_draws


def drawn_sample(
    game: PathGame, encoded: Mapping[str, FloatVector], draw: int, n_draws: int
) -> Sample:
    """Find the noise of all rows, in one of several draws that are spread evenly."""
    people = _hashed(encoded, game.sensitive)
    mechanisms = game.mechanisms
    noise = {}
    for feature, link in mechanisms.links.items():
        key = crc32(feature.encode())
        parents = np.column_stack([encoded[name] for name in mechanisms.sources[feature]])
        order = np.random.default_rng([game.seed, _ORDER, key])
        uniforms = np.empty((len(people), 2))
        for place in range(2):
            # Draws of a person lie 1 / n_draws apart, so their mean is better than that of chance.
            shift = order.permutation(n_draws)[draw] / n_draws
            uniforms[:, place] = (_uniform(people, key, place, game.seed) + shift) % 1.0
        noise[feature] = link.abduct(parents, encoded[feature], uniforms)
    return Sample(encoded, noise)


def _hashed(encoded: Mapping[str, FloatVector], sensitive: str) -> Hashes:
    """Return a number for the values of each row, the sensitive attribute left out."""
    found = np.zeros(len(encoded[sensitive]), dtype=np.uint64)
    for name in sorted(encoded):
        if name != sensitive:
            column = encoded[name]
            # Adding zero makes -0.0 and 0.0 the same bits; missing values get one pattern.
            bits = np.where(np.isnan(column), np.nan, column + 0.0).view(np.uint64)
            found = _mixed(found ^ bits)
    return found


def _uniform(people: Hashes, key: int, place: int, seed: int) -> FloatVector:
    salt = np.array([key * 2 + place, seed % 2**64], dtype=np.uint64)
    mixed = _mixed(people ^ _mixed(_mixed(salt[:1]) ^ salt[1:]))
    return np.asarray((mixed >> np.uint64(11)).astype(np.float64) / 2.0**53)


def _mixed(numbers: Hashes) -> Hashes:
    """Scatter numbers over all 64 bits (the finaliser of SplitMix64)."""
    mixed = numbers + _STEP
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _FIRST
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _SECOND
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))
