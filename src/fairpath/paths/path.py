"""One path from the sensitive attribute to the prediction."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Block: TypeAlias = str | tuple[str, ...]
"""A feature, or the sorted features of a block of several."""

Kind: TypeAlias = Literal["direct", "indirect", "spurious"]

LONGER = "…"


@dataclass(frozen=True)
class Path:
    """A path; the step from its last block to the prediction is implied.

    Attributes
    ----------
    nodes
        From the sensitive attribute to the last block; a block of several features is a
        sorted tuple.
    arrows
        The mark between each two of them: ``→``, ``←``, ``–`` where the direction is not
        known or differs inside a block, or ``→ income ←`` where two blocks are joined
        only by a common effect on which the disparity conditions.
    longer
        Whether this stands for all paths into its last block that are longer than a limit.

    >>> path = Path(("sex", ("felonies", "misdemeanours"), "priors"), ("–", "→"))
    >>> print(path)
    sex – {felonies, misdemeanours} → priors → prediction
    """

    nodes: tuple[Block, ...]
    arrows: tuple[str, ...]
    longer: bool = False

    @classmethod
    def longer_into(cls, sensitive: str, end: Block) -> "Path":
        """Return the one player that stands for all longer paths into ``end``."""
        return cls((sensitive, LONGER, end), ("–", "→"), longer=True)

    @property
    def kind(self) -> Kind:
        """Direct: the model reads the attribute. Spurious: the first edge points into it.

        Everything else is indirect, also a path whose first edge has no direction.
        """
        if not self.arrows:
            return "direct"
        return "spurious" if self.arrows[0].startswith("←") else "indirect"

    def __str__(self) -> str:
        if self.longer:
            return f"longer paths into {label(self.nodes[-1])}"
        steps = [label(self.nodes[0])]
        for arrow, node in zip(self.arrows, self.nodes[1:], strict=True):
            steps += [arrow, label(node)]
        return " ".join([*steps, "→", "prediction"])


def label(block: Block) -> str:
    """Return a feature's name, or the features of a block in braces."""
    return block if isinstance(block, str) else "{" + ", ".join(block) + "}"
