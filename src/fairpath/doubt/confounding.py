"""How strong an unobserved common cause would have to be to explain a path away."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from joblib import Parallel, delayed
from tqdm import tqdm

from fairpath.disparity import Outcome
from fairpath.doubt.asking import study_behind, table_of
from fairpath.doubt.association import (
    Associations,
    as_strong_as,
    equal_strength,
    robustness_value,
)
from fairpath.explanation import Explanation
from fairpath.explanation.quantities import Comparison
from fairpath.game.path_game import PathGame
from fairpath.game.tree import Features
from fairpath.options import check_choices, check_jobs
from fairpath.paths import Path
from fairpath.paths.path import LONGER, Block, label

MOST_ROWS = 12
NOTHING = float("nan")


class Pair(NamedTuple):
    """Two neighbouring nodes of a path, in the rows of one outcome or of all."""

    outcome: Outcome | None
    parent: Features
    child: Features


@dataclass(frozen=True)
class Benchmark:
    """The strongest observed predecessor, for comparison.

    Attributes
    ----------
    name
        The column.
    parent, child
        Partial R² that an unobserved cause as strong as this one could have with the two.
    strength
        The strength, equal on both sides, that would move as much.
    """

    name: str | None
    parent: float
    child: float
    strength: float


@dataclass(frozen=True)
class Strength:
    """How firm the link of a pair is.

    Attributes
    ----------
    partial_r2
        Of parent and child given the child's other predecessors and what is outside.
    strength
        The partial R² that a common cause must have with each of the two to explain it away.
    benchmark
        How strong the strongest observed predecessor is.
    """

    partial_r2: float
    strength: float
    benchmark: Benchmark


@dataclass(frozen=True, eq=False, repr=False)
class Confounding:
    """For each link, and each path, how strong a common cause would have to be.

    Made by `confounding`.

    Attributes
    ----------
    explanation
        The explanation.
    pairs
        What was found for each two neighbouring nodes of its paths.
    """

    explanation: Explanation
    pairs: dict[Pair, Strength]

    def table(self) -> Any:  # noqa: ANN401 - the caller's frame type
        """Return a row for each path, largest contribution first, in each comparison.

        Columns: ``path``, ``stratum``, ``outcome`` (under equalized odds), ``contribution``,
        ``strength`` (of its weakest link: the partial R² that an unobserved common cause of its
        two nodes must have with each of them to bring the contribution to zero),
        ``weakest_link``, its ``partial_r2``, then as in `links` the ``benchmark`` and its
        strength. NaN and None for A → prediction, where nothing can be confounded, and for
        longer paths that are one.
        """
        rows = [
            {"path": str(path)}
            | self.explanation.bearer(compared)
            | {"contribution": contribution}
            | _shown(*self.weakest(path, compared))
            for compared, path, contribution in self._rows()
        ]
        return table_of(rows, self.explanation)

    def links(self) -> Any:  # noqa: ANN401 - the caller's frame type
        """Return a row for each two neighbouring nodes, the weakest link first.

        Columns: ``parent``, ``child``, ``outcome`` (where each has links of its own),
        ``partial_r2``, ``strength``, then the strongest observed predecessor (``benchmark``): the
        partial R² with either node that a cause as strong as it could have, and
        ``benchmark_strength``, the equal strength that would move as much. If that is at least
        ``strength``, a cause no stronger than one that is observed would do.
        """
        order = sorted(self.pairs.items(), key=lambda item: item[1].strength)
        rows = []
        for pair, found in order:
            row: dict[str, Any] = {"parent": _text(pair.parent), "child": _text(pair.child)}
            if pair.outcome is not None:
                row["outcome"] = pair.outcome
            row |= {"partial_r2": found.partial_r2, "strength": found.strength}
            row |= {"benchmark": found.benchmark.name}
            row |= {"benchmark_parent": found.benchmark.parent}
            row |= {"benchmark_child": found.benchmark.child}
            rows.append(row | {"benchmark_strength": found.benchmark.strength})
        return table_of(rows, self.explanation)

    def weakest(self, path: Path, compared: Comparison) -> tuple[Pair | None, Strength | None]:
        """Return the weakest link of a path; None where no link of it is known.

        Where rows of both outcomes enter, each outcome has its own links, and the path is gone
        when it is gone in both: the firmer of the two.
        """
        firmest: tuple[Pair | None, Strength | None] = (None, None)
        for outcome in self.explanation.study.games if self.explanation.study else ():
            if compared.view.outcome is not None and outcome not in {None, compared.view.outcome}:
                continue
            pairs = [Pair(outcome, *both) for both in _neighbours(path)]
            if not pairs:
                continue
            pair = min(pairs, key=lambda one: self.pairs[one].strength)
            if firmest[1] is None or self.pairs[pair].strength > firmest[1].strength:
                firmest = pair, self.pairs[pair]
        return firmest

    def __repr__(self) -> str:
        rows = list(self._rows())
        left = len(rows) - MOST_ROWS if len(rows) > MOST_ROWS + 1 else 0
        width = max((len(str(path)) for _, path, _ in rows), default=0)
        lines = ["a common cause of two neighbouring nodes must explain so much of each of them"]
        for compared, path, contribution in rows[: len(rows) - left]:
            pair, found = self.weakest(path, compared)
            if pair is None or found is None:
                lines.append(f"  {path!s:<{width}}  {contribution:+.4f}")
                continue
            line = f"  {path!s:<{width}}  {contribution:+.4f}  {found.strength:6.1%}"
            line += f" of {_text(pair.parent)} and {_text(pair.child)}"
            if found.benchmark.name is not None:
                line += f" (as {found.benchmark.name}: {found.benchmark.strength:.1%})"
            lines.append(line)
        return "\n".join([*lines, *([f"  … and {left} more rows: see .table()"] if left else [])])

    def _rows(self) -> Iterator[tuple[Comparison, Path, float]]:
        one = self.explanation
        for compared in one.compared:
            level = one.levels[compared.stratum]
            values = one.contributions(level, compared.view.outcome).values
            for i in sorted(range(len(values)), key=lambda i: -abs(values[i])):
                yield compared, one.paths[i], float(values[i])


def confounding(
    explanation: Explanation, *, n_jobs: int | None = None, progress: bool | None = None
) -> Confounding:
    """Ask of each path how strong an unobserved common cause would have to be.

    The links of a path are the pairs of its neighbouring nodes; the sensitive attribute is one.
    A common cause of the two that has a partial R² of at least the reported strength with the
    parent (given the child's other predecessors and the outside columns) and with the child
    (given the parent too) could bring the link's association, and the contribution of every path
    through it, to zero. This is the robustness value of Cinelli and Hazlett (2020), which is
    exact where the link is a straight line; a path is as firm as its weakest link.

    The last step has none: what the model does with its inputs is known.

    Parameters
    ----------
    explanation
        Made by `explain` in this session.
    n_jobs
        How many links are looked at at the same time.
    progress
        Whether to show a progress bar; by default on a terminal, if it takes long.
    """
    study = study_behind(explanation, "confounding")
    check_jobs(n_jobs)
    check_choices(progress=(progress, (None, False, True)))
    samples = {
        outcome: Associations(game.lesson.columns, game.encoding.variables, game.lesson.weights)
        for outcome, game in study.games.items()
    }
    pairs = [
        Pair(outcome, *both)
        for outcome, game in study.games.items()
        for both in dict.fromkeys(both for path in game.players for both in _neighbours(path))
    ]
    with tqdm(
        total=len(pairs),
        desc="confounding",
        unit=" links",
        delay=2,
        leave=False,
        disable=None if progress is None else not progress,
    ) as bar:

        def one(pair: Pair) -> Strength:
            found = _strength(study.games[pair.outcome], samples[pair.outcome], pair)
            bar.update()
            return found

        work = (delayed(one)(pair) for pair in pairs)
        found = Parallel(n_jobs=n_jobs, prefer="threads")(work)
    return Confounding(explanation, dict(zip(pairs, found, strict=True)))


def _strength(game: PathGame, sample: Associations, pair: Pair) -> Strength:
    before = [f for block in game.arrangement.predecessors[pair.child] for f in block]
    others = tuple(f for f in (*before, *game.recipe.outside) if f not in pair.parent)
    r2 = sample.partial_r2(pair.parent, pair.child, others)
    benchmarks = [_benchmark(sample, pair, name, others) for name in others]
    nothing = Benchmark(None, NOTHING, NOTHING, NOTHING)
    strongest = max(benchmarks, key=lambda one: one.strength, default=nothing)
    return Strength(r2, robustness_value(r2), strongest)


def _benchmark(sample: Associations, pair: Pair, name: str, others: Features) -> Benchmark:
    rest = tuple(other for other in others if other != name)
    parent, child = as_strong_as(
        sample.partial_r2((name,), pair.parent, rest),
        sample.partial_r2((name,), pair.child, (*rest, *pair.parent)),
    )
    together = child * parent / (1 - parent) if parent < 1 else float("inf") * (child > 0)
    strength = 1.0 if together == float("inf") else equal_strength(together)
    return Benchmark(name, parent, child, strength)


def _neighbours(path: Path) -> list[tuple[Features, Features]]:
    """Return each two blocks of a path that are next to each other."""
    if LONGER in path.nodes:
        return []
    blocks = [_block(node) for node in path.nodes]
    return list(pairwise(blocks))


def _block(node: Block) -> Features:
    return (node,) if isinstance(node, str) else node


def _text(features: Features) -> str:
    return label(features if len(features) > 1 else features[0])


def _shown(pair: Pair | None, found: Strength | None) -> dict[str, Any]:
    if pair is None or found is None:
        return {
            "strength": NOTHING,
            "weakest_link": None,
            "partial_r2": NOTHING,
            "benchmark": None,
            "benchmark_strength": NOTHING,
        }
    return {
        "strength": found.strength,
        "weakest_link": f"{_text(pair.parent)}, {_text(pair.child)}",
        "partial_r2": found.partial_r2,
        "benchmark": found.benchmark.name,
        "benchmark_strength": found.benchmark.strength,
    }
