"""Predictions where the sensitive attribute is known, and where only P(A | x) is."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fairpath.game.path_game import PathGame
from fairpath.links.design import Design
from fairpath.links.levels import Law
from fairpath.links.logistic import fit_levels
from fairpath.models import Score
from fairpath.selection.draws import drawn_values
from fairpath.vocabulary import BoolMatrix, FloatMatrix, FloatVector


@dataclass(frozen=True, eq=False)
class LevelLaw:
    """The probability of each level, given some columns."""

    names: tuple[str, ...]
    law: Law

    def __call__(self, encoded: Mapping[str, FloatVector]) -> FloatMatrix:
        """Return it for some rows, a column for each level."""
        return self.law(np.column_stack([encoded[name] for name in self.names]))


def level_law(game: PathGame) -> LevelLaw:
    """Learn P(A | inputs of the model) by logistic regression from the rows of the links."""
    lesson, names = game.lesson, game.inputs
    parents = np.column_stack([lesson.columns[name] for name in names])
    sources = tuple(game.encoding.variables[name] for name in names)
    codes = lesson.columns[game.sensitive].astype(np.intp)
    design = Design.of(parents, sources, lesson.weights)
    return LevelLaw(names, fit_levels(design, parents, codes, len(game.strata), lesson.weights).law)


@dataclass(frozen=True, eq=False)
class Predictor:
    """v(T) of people, averaged over P(A | x) where there is such a law.

    Attributes
    ----------
    game
        Players and links.
    law
        P(A | x); None: the attribute is known.
    n_draws
        Over how many draws of what a value leaves open v(T) is averaged.
    """

    game: PathGame
    law: LevelLaw | None
    n_draws: int

    def __call__(
        self, score: Score, encoded: Mapping[str, FloatVector], held: BoolMatrix
    ) -> FloatMatrix:
        """Return v(T) of each row, a column for each set of players."""
        if self.law is None:
            return drawn_values(self.game, score, encoded, held, self.n_draws)
        chances = self.law(encoded)
        total = np.zeros((len(chances), len(held)))
        for level in range(chances.shape[1]):
            own = dict(encoded) | {self.game.sensitive: np.full(len(chances), float(level))}
            found = drawn_values(self.game, score, own, held, self.n_draws)
            total += chances[:, [level]] * found
        return total
