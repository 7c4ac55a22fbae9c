"""What all pictures share: the door to matplotlib, axes, colours, texts and their size."""

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from math import floor, isfinite, log10
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from fairpath.errors import DataError, MissingExtraError
from fairpath.explanation import Explanation
from fairpath.explanation.quantities import Comparison
from fairpath.uncertainty import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POSITIVE, NEGATIVE = "#ff0051", "#008bfb"
OTHER, TOTAL, INK, FAINT = "#9a9a9a", "#4d4d4d", "#222222", "#c8c8c8"
HATCH = "/////"
"""On what is negative: red and blue are the same grey in print."""

GROUPS = (
    "#5e3c99", "#e69f00", "#009e73", "#56b4e9", "#d55e00", "#000000", "#cc79a7", "#b3a500",
)  # fmt: skip
"""Colours of strata: light and dark in turn, and none of them means a sign."""

POINTS = 72.0
TEXT, SMALL = 9.0, 7.5
TITLE_WIDTH, NOTE_WIDTH = 62, 84
MOST_NOTES = 8
SMALLEST, LARGEST = 1e-4, 1e6
"""Numbers are written out between these."""


def matplotlib(part: str) -> Any:  # noqa: ANN401 - a module
    """Import a part of matplotlib, which is slow and optional."""
    try:
        return import_module(f"matplotlib.{part}")
    except ImportError as error:
        raise MissingExtraError("plots") from error


def axes(ax: "Axes | None", width: float, height: float) -> "Axes":
    """Return the caller's axes, or those of a new figure of this size in points."""
    if ax is None:
        size = (width / POINTS, height / POINTS)
        _, ax = matplotlib("pyplot").subplots(figsize=size, layout="constrained")
        assert ax is not None  # noqa: S101 - one pair of axes
    elif not isinstance(ax, matplotlib("axes").Axes):
        raise DataError(
            f"ax must be axes of matplotlib, got {type(ax).__name__}. If plt.subplots() made "
            "several, give one of them."
        )
    return ax


def checked(explanation: object) -> Explanation:
    """Refuse what is no explanation."""
    if not isinstance(explanation, Explanation):
        raise DataError(
            f"Expected an explanation that explain() or load() returned, got "
            f"{type(explanation).__name__}."
        )
    return explanation


def text_width(text: str, size: float = TEXT) -> float:
    """Return how wide the widest line of a text is, in points."""
    shape = matplotlib("textpath").TextPath
    return max(
        (
            float(shape((0, 0), line, size=size).vertices[:, 0].max())
            for line in plain(text).split("\n")
            if line.strip()
        ),
        default=0.0,
    )


def disparity_at(explanation: Explanation, compared: Comparison) -> Estimate:
    """Return Δ of a comparison, be it the only one."""
    found = explanation.disparity
    if isinstance(found, dict) and compared.view.outcome is not None:
        found = found[compared.view.outcome]
    if isinstance(found, dict):
        found = found[explanation.levels[compared.stratum]]
    assert isinstance(found, Estimate)  # noqa: S101 - all dictionaries are open
    return found


def title(ax: "Axes", explanation: Explanation, *lines: str, pad: float | None = None) -> None:
    """Say above the axes which disparity this is, and what else there is to say."""
    name = f"{explanation.viewpoint.name}, {explanation.setting.output}"
    wrapped = [part for line in (name, *lines) for part in wrap(plain(line), TITLE_WIDTH)]
    ax.set_title("\n".join(wrapped), loc="left", fontsize=TEXT + 1, color=INK, pad=pad)


def whom(explanation: Explanation, compared: Comparison) -> str:
    """Return who is compared with whom, and Δ."""
    setting, levels = explanation.setting, explanation.levels
    among = ""
    if compared.view.outcome is not None:
        among = f"among {setting.outcome} = {'' if compared.view.outcome else 'not '}"
        among += f"{setting.favourable}, "
    delta = disparity_at(explanation, compared)
    written = numbers([delta.value])
    return (
        f"{among}{setting.sensitive} = {levels[compared.stratum]} minus "
        f"{levels[explanation.reference]}: {written(delta.value)}{interval(delta, written)}"
    )


def note(ax: "Axes", lines: Sequence[str]) -> None:
    """Write small lines below the axes and their label."""
    if not lines:
        return
    ax.annotate(
        plain("\n".join(lines)),
        xy=(0, 0),
        xycoords=("axes fraction", ax.xaxis.label),
        xytext=(0, -5),
        textcoords="offset points",
        fontsize=SMALL,
        color="#555555",
        va="top",
        ha="left",
        annotation_clip=False,
        gid="note",
    )


def note_height(lines: Sequence[str]) -> float:
    """Return how many points notes need."""
    return len(lines) * (SMALL + 3)


def notes(texts: Sequence[str], shortened: dict[str, str]) -> list[str]:
    """Return lines that fit below a picture: texts, then the full names of those shown short."""
    lines = [f"{short}: {name}" for name, short in shortened.items() if short != name]
    left = len(lines) - MOST_NOTES
    if left > 1:
        lines = [*lines[:MOST_NOTES], f"and {left} more: the gid of each label is its full text"]
    return [part for line in (*texts, *lines) for part in wrap(line, NOTE_WIDTH)]


def short_names(names: Iterable[str], longest: int) -> dict[str, str]:
    """Shorten names in the middle, to names that are still different.

    >>> short_names(["marital_status", "age"], 8)
    {'marital_status': 'mari…tus', 'age': 'age'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in dict.fromkeys(names):
        short, times = _short(name, longest), 1
        while short in taken:
            times += 1
            short = f"{_short(name, longest - len(str(times)))}{times}"
        taken.add(short)
        found[name] = short
    return found


def _short(name: str, longest: int) -> str:
    name = " ".join(name.split())
    if len(name) <= longest:
        return name
    back = (longest - 1) // 2
    return f"{name[: longest - 1 - back]}…{name[len(name) - back :]}"


def numbers(values: Iterable[float]) -> Callable[[float], str]:
    """Return how to write numbers with their sign: three digits of the largest, all alike."""
    largest = max((abs(value) for value in values if isfinite(value)), default=0.0)
    if largest == 0 or SMALLEST <= largest < LARGEST:
        decimals = max(0, 2 - floor(log10(largest))) if largest else 3
        code = f"+.{decimals}f"
    else:
        code = "+.2e"

    def written(value: float) -> str:
        text = f"{value:{code}}".replace("-", "\N{MINUS SIGN}")
        return text if any(digit in text for digit in "123456789") else text[1:]

    return written


def interval(estimate: Estimate, written: Callable[[float], str]) -> str:
    """Return the interval behind a number; nothing if there is none."""
    if not isfinite(estimate.low):
        return ""
    return f" [{written(estimate.low)}, {written(estimate.high)}]"


def plain(text: str) -> str:
    """Keep a dollar sign a dollar sign: matplotlib takes two of them for a formula."""
    return text.replace("$", r"\$")


def bare(ax: "Axes", *sides: str) -> None:
    """Hide the lines on some sides of the axes."""
    for side in sides:
        ax.spines[side].set_visible(False)


def sign_of(value: float) -> dict[str, Any]:
    """Return how an area looks whose value has this sign."""
    if value < 0:
        return {"facecolor": NEGATIVE, "edgecolor": "white", "hatch": HATCH, "linewidth": 0.0}
    return {"facecolor": POSITIVE, "edgecolor": "white", "linewidth": 0.0}
