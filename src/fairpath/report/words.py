"""What is compared with what, and what was found, in plain sentences."""

import re
from dataclasses import dataclass
from html import unescape

from fairpath.disparity import SELECTION
from fairpath.explanation import Explanation
from fairpath.explanation.quantities import Comparison, Numbers
from fairpath.plots.canvas import disparity_at
from fairpath.plots.rows import by_contribution
from fairpath.report.markup import Markup, label, path, phrase
from fairpath.report.numbers import IN_A_SENTENCE, Style, holds_zero, percent
from fairpath.uncertainty import Estimate

MOST, MORE_THAN_ALL, WORTH_SAYING = 0.5, 1.05, -0.1
"""Shares of the disparity from which on a path carries most of it, or more than all of it, and from
which on it is worth saying that others work against it."""


@dataclass(frozen=True)
class Words:
    """The words for one comparison.

    Attributes
    ----------
    stratum, reference
        Who is compared with whom.
    among
        Whom the disparity looks at, if not everybody.
    mean
        Whose difference it is.
    """

    stratum: Markup
    reference: Markup
    among: Markup | None
    mean: Markup

    @classmethod
    def of(cls, explanation: Explanation, compared: Comparison) -> "Words":
        """Put a comparison into words."""
        setting, levels = explanation.setting, explanation.levels
        return cls(
            _is(setting.sensitive, levels[compared.stratum]),
            _is(setting.sensitive, levels[explanation.reference]),
            _among(explanation, compared),
            _mean(explanation),
        )

    @property
    def heading(self) -> Markup:
        """The comparison as a heading."""
        return phrase(self.stratum, " beside ", self.reference, self.given)

    @property
    def heading_text(self) -> str:
        """The same without marks, for where no element can be."""
        return unescape(re.sub("<[^>]*>", "", self.heading))

    @property
    def given(self) -> Markup:
        """Whom the disparity looks at, behind something else."""
        return phrase(", among ", self.among) if self.among else phrase()


def _is(name: object, value: object, *, negated: bool = False) -> Markup:
    return phrase(label(name), " = ", "not " if negated else "", label(value))


def _among(explanation: Explanation, compared: Comparison) -> Markup | None:
    outcomes = compared.view.outcomes
    if outcomes is None or len(outcomes) != 1:
        return None
    setting = explanation.setting
    return phrase("people with ", _is(setting.outcome, setting.favourable, negated=not outcomes[0]))


def _mean(explanation: Explanation) -> Markup:
    signs = explanation.viewpoint.signs
    if signs is None or (signs >= 0).all():
        return phrase("The model's mean ", explanation.setting.output)
    if signs.tolist() == [-1.0, 1.0]:
        return phrase(
            "The mean agreement of the model's ", explanation.setting.output, " with the outcome"
        )
    return phrase("The mean of “", label(explanation.viewpoint.name), "”")


def sentences(explanation: Explanation, compared: Comparison) -> list[Markup]:
    """Return what was found: how large the disparity is, its largest part, and what is left."""
    found = explanation.estimates_at(compared)
    place = Numbers(len(explanation.paths))
    delta = disparity_at(explanation, compared)
    style = Style.of([delta.value, *found.values[place.contributions]], IN_A_SENTENCE)
    return [
        _how_much(explanation, compared, delta, style),
        _which_path(explanation, compared, delta, style),
        _what_is_left(explanation, compared, style),
    ]


def _how_much(
    explanation: Explanation, compared: Comparison, delta: Estimate, style: Style
) -> Markup:
    words = Words.of(explanation, compared)
    before = phrase("Among ", words.among, ", ", _lower(words.mean)) if words.among else words.mean
    if style.is_zero(delta.value):
        return phrase(before, " is the same, as far as it is written here, for ", words.stratum,
                      " and ", words.reference, f" ({style.plain(0.0)}).")  # fmt: skip
    size = style.plain(abs(delta.value))
    way = "higher" if delta.value >= 0 else "lower"
    towards = delta if delta.value >= 0 else _negated(delta)
    doubt = ""
    if style.interval(delta):
        doubt = f" (95\N{NO-BREAK SPACE}% interval {style.interval(towards)})"
        if holds_zero(delta):
            doubt += ", which is compatible with no difference"
    else:
        doubt = " (no intervals were computed, so how sure these numbers are is not known)"
    return phrase(
        before, f" is {size} {way} for ", words.stratum, " than for ", words.reference, doubt, "."
    )


def _lower(text: Markup) -> Markup:
    return Markup(text[:1].lower() + text[1:])


def _negated(estimate: Estimate) -> Estimate:
    return Estimate(-estimate.value, -estimate.high, -estimate.low, estimate.standard_error)


def _which_path(
    explanation: Explanation, compared: Comparison, delta: Estimate, style: Style
) -> Markup:
    if not explanation.paths:
        return phrase(
            "In the graph no path leads from ",
            label(explanation.setting.sensitive),
            " to the prediction, so that no path carries any of it.",
        )
    found = explanation.estimates_at(compared)
    first = int(by_contribution(explanation, compared)[0])
    one = found[Numbers(len(explanation.paths)).contributions.start + first]
    interval = style.interval(one)
    amount = style.signed(one.value) + (f", {interval}" if interval else "")
    doubt = ", which is compatible with zero" if holds_zero(one) else ""
    along = path(explanation.paths[first])
    if style.is_zero(one.value):
        return phrase(
            f"No path carries anything, as far as it is written here ({style.plain(0.0)})."
        )
    share = 0.0 if style.is_zero(delta.value) else one.value / delta.value
    if holds_zero(delta) or not share:
        return phrase("The largest contribution runs along ", along, f" ({amount}){doubt}.")
    if share < 0:
        return phrase(
            "The largest contribution runs along ",
            along,
            f" ({amount}){doubt}: it works against "
            "the difference, which other parts more than make up for.",
        )
    against = _against(explanation, compared, delta)
    also = (
        f"; paths that work against it carry {percent(against)}" if against <= WORTH_SAYING else ""
    )
    if share <= MOST:
        told = f" ({percent(share)}: {amount}){doubt}{also}."
        return phrase("No path carries more of it than ", along, told)
    part = "More than all" if share > MORE_THAN_ALL else "Most"
    told = f"{part} of it ({percent(share)}: {amount}) runs along "
    return phrase(told, along, f"{doubt}{also}.")


def _against(explanation: Explanation, compared: Comparison, delta: Estimate) -> float:
    """Return what paths of the other sign carry, as a share of the disparity."""
    found = explanation.estimates_at(compared)
    shares = found.values[Numbers(len(explanation.paths)).contributions] / delta.value
    return float(shares[shares < 0].sum())


def _what_is_left(explanation: Explanation, compared: Comparison, style: Style) -> Markup:
    found = explanation.estimates_at(compared)
    place = Numbers(len(explanation.paths))
    apart = compared.view.apart
    left = found[place.remainder]
    if apart is None:
        return phrase("No path explains ", _left(left, style), ".")
    one = found[place.apart]
    interval = style.interval(one)
    told = f"{style.plain(one.value)}{f' ({interval})' if interval else ''}"
    if apart == SELECTION:
        return phrase(
            f"Looking only at people with the same outcome ({apart}) accounts for {told}; with "
            "that, nothing is left over.",
        )
    return phrase(
        f"Different {apart} account for {told}, and neither they nor any path explain ",
        _left(left, style),
        ".",
    )


def _left(left: Estimate, style: Style) -> str:
    interval = style.interval(left)
    told = style.plain(left.value) + (f" ({interval})" if interval else "")
    if not interval:
        return told
    if holds_zero(left):
        return f"{told}, which is compatible with zero"
    return f"{told}, which is not compatible with zero: the graph or the links miss something"
