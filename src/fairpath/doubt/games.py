"""Fitted games under other graphs and links; what does not change is learned once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from fairpath.disparity import Outcome
from fairpath.encoding import Encoding
from fairpath.errors import DataError
from fairpath.frames import as_frame, columns
from fairpath.game.learning import Recipe, learn
from fairpath.game.path_game import Lesson, PathGame
from fairpath.game.tree import Features
from fairpath.game.worlds import Mechanisms
from fairpath.graph import CausalGraph
from fairpath.links import AutoLink, FittedLink, Link, Links, link_for
from fairpath.links.auto import ChosenLink
from fairpath.paths import Arrangement, arrange
from fairpath.paths.active import MAX_PATHS
from fairpath.study import Study

Games = Mapping[Outcome | None, PathGame]
"""One game, or one for each outcome that has links of its own."""


@dataclass(frozen=True, eq=False)
class Setup:
    """A graph as it enters the games: its arrangement, and which of the graphs have it.

    ``graphs`` are positions among the graphs that are tried; none: only the explained graph.
    """

    graph: CausalGraph
    arrangement: Arrangement
    graphs: tuple[int, ...]


def setups_of(study: Study, graphs: Sequence[CausalGraph]) -> tuple[Setup, ...]:
    """Arrange every graph; the explained one comes first, equal arrangements once."""
    game = study.game
    found: dict[object, Setup] = {_key(game.arrangement): Setup(game.graph, game.arrangement, ())}
    given = (game.outcome,) if study.viewpoint.given and game.outcome is not None else ()
    for place, graph in enumerate(graphs):
        arrangement = arrange(
            graph,
            sensitive=game.sensitive,
            inputs=game.inputs,
            given=given,
            outcome=game.outcome,
            max_paths=max(MAX_PATHS, len(game.players)),
            max_length=_max_length(game.arrangement),
        )
        key = _key(arrangement)
        setup = found.get(key, Setup(graph, arrangement, ()))
        found[key] = replace(setup, graphs=(*setup.graphs, place))
    return tuple(found.values())


def fitted_setups(
    study: Study, setups: Sequence[Setup], links: Sequence[Links | None], *, n_jobs: int | None
) -> tuple[list[list[Games]], tuple[str, ...]]:
    """Return the games of each setup with each kind of links, and notes.

    ``None`` among the links stands for those of the explanation. A link is learned once for the
    same feature, sources and kind; where these are those of the explanation not at all.
    """
    games, notes = _widened(study, setups)
    _check_names(links, setups)
    shelf = _Shelf(games)
    recipes = [
        [
            {
                outcome: _recipe(game, setup.arrangement, kinds, shelf, outcome)
                for outcome, game in games.items()
            }
            for kinds in links
        ]
        for setup in setups
    ]
    shelf.fit(study.seed, n_jobs)
    found: list[list[Games]] = [
        [
            {
                outcome: replace(
                    game,
                    graph=setup.graph,
                    arrangement=setup.arrangement,
                    recipe=by_outcome[outcome],
                    mechanisms=shelf.mechanisms(outcome, by_outcome[outcome]),
                )
                for outcome, game in games.items()
            }
            for by_outcome in of_setup
        ]
        for setup, of_setup in zip(setups, recipes, strict=True)
    ]
    return found, notes


class _Shelf:
    """Fitted links by outcome, feature, sources (in any order) and kind."""

    def __init__(self, games: Games) -> None:
        self._games = games
        self._kinds: list[Link] = []
        self._fitted: dict[object, tuple[Features, FittedLink]] = {}
        self._wanted: dict[object, tuple[Outcome | None, str, Features, Link]] = {}
        for outcome, game in games.items():
            for feature, fitted in game.mechanisms.links.items():
                key = self._key(
                    outcome, feature, game.recipe.sources[feature], asked(game, feature)
                )
                self._fitted[key] = game.recipe.sources[feature], fitted

    def want(self, outcome: Outcome | None, feature: str, sources: Features, kind: Link) -> None:
        key = self._key(outcome, feature, sources, kind)
        if key not in self._fitted:
            self._wanted.setdefault(key, (outcome, feature, sources, kind))

    def fit(self, seed: int, n_jobs: int | None) -> None:
        def one(outcome: Outcome | None, feature: str, sources: Features, kind: Link) -> FittedLink:
            game = self._games[outcome]
            recipe = Recipe(game.sensitive, {feature: sources}, {feature: kind}, ())
            lesson = game.lesson
            # One feature alone has the random numbers that it has among all.
            found = learn(recipe, game.encoding, lesson.columns, lesson.weights, key=(seed,))
            return found.links[feature]

        work = (delayed(one)(*task) for task in self._wanted.values())
        links = Parallel(n_jobs=n_jobs, prefer="threads")(work)
        for (key, task), link in zip(self._wanted.items(), links, strict=True):
            self._fitted[key] = task[2], link
        self._wanted = {}

    def mechanisms(self, outcome: Outcome | None, recipe: Recipe) -> Mechanisms:
        sources, links = {}, {}
        for feature, wanted in recipe.sources.items():
            key = self._key(outcome, feature, wanted, recipe.choices[feature])
            sources[feature], links[feature] = self._fitted[key]
        return Mechanisms(recipe.sensitive, sources, links)

    def _key(
        self, outcome: Outcome | None, feature: str, sources: Features, kind: Link
    ) -> tuple[object, ...]:
        alike = [one is kind or (type(one) is type(kind) and one == kind) for one in self._kinds]
        if not any(alike):
            self._kinds.append(kind)
            alike.append(True)
        return outcome, feature, frozenset(sources), alike.index(True)


def asked(game: PathGame, feature: str) -> Link:
    """Return the kind of link that was asked for: "auto" where it was chosen."""
    if isinstance(game.mechanisms.links[feature], ChosenLink):
        return AutoLink()
    return game.recipe.choices[feature]


def _recipe(
    game: PathGame,
    arrangement: Arrangement,
    kinds: Links | None,
    shelf: _Shelf,
    outcome: Outcome | None,
) -> Recipe:
    choices = {
        feature: _kind(game, feature) if kinds is None else link_for(kinds, feature)
        for block in arrangement.blocks
        for feature in block
    }
    recipe = Recipe.of(arrangement, set(game.lesson.columns), choices)
    for feature, sources in recipe.sources.items():
        shelf.want(outcome, feature, sources, choices[feature])
    return recipe


def _kind(game: PathGame, feature: str) -> Link:
    """Return the kind of the explanation; for a feature without a link there, that of the others.

    Where these differ, "auto".
    """
    if feature in game.mechanisms.links:
        return asked(game, feature)
    others = [asked(game, other) for other in game.mechanisms.links]
    alike = bool(others) and all(other == others[0] for other in others)
    return others[0] if alike else AutoLink()


def _key(arrangement: Arrangement) -> object:
    """Return all of an arrangement that a contribution depends on."""
    before = frozenset((b, frozenset(p)) for b, p in arrangement.predecessors.items())
    players = frozenset((path.nodes, path.longer) for path in arrangement.players)
    return frozenset(arrangement.blocks), before, frozenset(arrangement.outside), players


def _max_length(arrangement: Arrangement) -> int | None:
    """Return the length beyond which paths were merged."""
    if not any(path.longer for path in arrangement.players):
        return None
    return max((len(p.nodes) - 1 for p in arrangement.players if not p.longer), default=1)


def _widened(study: Study, setups: Sequence[Setup]) -> tuple[Games, tuple[str, ...]]:
    """Add the columns that some graph needs and the explained one does not.

    They are read from the table that taught the links, if it is that of the explained rows.
    """
    game = study.game
    on_paths = {f: None for s in setups for block in s.arrangement.blocks for f in block}
    outside = {name: None for s in setups for name in s.arrangement.outside}
    missing = [name for name in (*on_paths, *outside) if name not in game.lesson.columns]
    if not missing:
        return study.games, ()
    frame = as_frame(game.table)
    readable = _is_of_these_rows(study)
    more = [name for name in dict.fromkeys(missing) if readable and name in frame.columns]
    for name in missing:
        if name in on_paths and name not in more:
            raise DataError(
                f"{name!r} is on a path of one of the graphs, and the explanation did not read it. "
                "Explain with a graph in which it is on a path, or direct its edges."
            )
    games = dict(study.games)
    if more:
        read = columns(frame, [game.sensitive, *more])
        encoding = Encoding.of([read], game.sensitive)
        encoded = encoding.encode({name: read[name] for name in more})
        games = {
            outcome: _with_columns(study, one, outcome, encoding, encoded)
            for outcome, one in games.items()
        }
    left = [name for name in dict.fromkeys(missing) if name not in more and name in frame.columns]
    notes = [f"outside in some graphs, but not read by the explanation: {', '.join(left)}"]
    return games, tuple(notes[: bool(left)])


def _with_columns(
    study: Study,
    game: PathGame,
    outcome: Outcome | None,
    encoding: Encoding,
    encoded: Mapping[str, Any],
) -> PathGame:
    counted = study.weights > 0
    if outcome is not None:
        counted = counted & (study.favoured == outcome)
    known = replace(
        game.encoding,
        variables={**encoding.variables, **game.encoding.variables},
        levels={**encoding.levels, **game.encoding.levels},
    )
    added = {name: values[counted] for name, values in encoded.items()}
    lesson = Lesson({**game.lesson.columns, **added}, game.lesson.weights)
    return replace(game, encoding=known, lesson=lesson)


def added_columns(study: Study, games: Games) -> Study:
    """Return the study with the columns that its games know and it does not."""
    game = next(iter(games.values()))
    names = [name for name in game.lesson.columns if name not in study.columns]
    if not names:
        return study
    encoded = game.encoding.encode(columns(game.table, names))
    return replace(study, columns={**study.columns, **encoded})


def _is_of_these_rows(study: Study) -> bool:
    """Whether the table that taught the links holds the explained rows, in their order."""
    frame = as_frame(study.game.table)
    if not study.own_lesson or len(frame) != study.n_rows:
        return False
    again = study.game.encode(frame)
    return all(
        np.array_equal(values, study.columns[name], equal_nan=True)
        for name, values in again.items()
    )


def _check_names(links: Iterable[Links | None], setups: Sequence[Setup]) -> None:
    """Refuse a mapping of links that names what is on no path of any graph."""
    known = dict.fromkeys(f for s in setups for block in s.arrangement.blocks for f in block)
    for kinds in links:
        for name in kinds if isinstance(kinds, Mapping) else ():
            if name not in known:
                raise DataError(
                    f"links names {name!r}, which is no feature on a path. "
                    f"These are: {', '.join(known) or 'none'}."
                )
