"""The page: a template, its sections, and a policy that lets it load nothing."""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files
from string import Template
from typing import Any

from fairpath.explanation import Explanation
from fairpath.report.comparing import Room
from fairpath.report.found import amounts, findings
from fairpath.report.made import provenance
from fairpath.report.markup import Markup, element, label, phrase
from fairpath.report.possible import selection
from fairpath.report.sure import Again, certainty
from fairpath.report.where import graph
from fairpath.report.whom import people
from fairpath.report.words import Words
from fairpath.selection import Frontier

LARGEST = 2_900_000
"""Bytes of a page."""


def page(
    explanation: Explanation,
    *,
    title: str | None,
    frontier: Frontier | None,
    checks: Sequence[Any],
) -> str:
    """Return the whole page."""
    setting = explanation.setting
    if title is None:
        name = f"{explanation.viewpoint.name} by {setting.sensitive}"
        heading = phrase(explanation.viewpoint.name.capitalize(), " by ", label(setting.sensitive))
        title = name[:1].upper() + name[1:]
    else:
        heading = label(title)
    style, script = _asset("page.css"), _asset("page.js")
    parts = {
        "policy": _policy(style, script),
        "title": phrase(title),
        "style": style,
        "script": script,
        "heading": heading,
        "about": _about(explanation),
        "switch": _switch(explanation),
        "found": findings(explanation),
        "selection": selection(explanation, frontier),
        "provenance": provenance(explanation),
    }
    again = Again.of(explanation)
    room: Room | None = Room.among(len(explanation.compared))
    text = ""
    # Long names, or many strata: what is left out is said where it would stand.
    while room is not None:
        text = Template(_asset("page.html")).substitute(
            parts,
            amounts=amounts(explanation, room),
            graph=graph(explanation, room),
            people=people(explanation, room),
            certainty=certainty(explanation, again, checks, room),
        )
        room = room.less() if len(text.encode()) > LARGEST else None
    return text


def _about(explanation: Explanation) -> Markup:
    setting, levels = explanation.setting, explanation.levels
    others = len(levels) - 1
    rows = int(explanation.tally.rows.sum())
    return phrase(
        f"Through which causal paths a model's {setting.output} differs between strata of ",
        label(setting.sensitive),
        f": {others} {'stratum' if others == 1 else 'strata'} beside the reference, ",
        label(levels[explanation.reference]),
        f"; {len(explanation.paths)} paths; {rows:,} rows.",
    )


def _switch(explanation: Explanation) -> Markup:
    """Return what chooses a comparison; it shows only with a script."""
    if len(explanation.compared) == 1:
        return phrase()
    options = [
        element("option", Words.of(explanation, one).heading_text, value=str(number))
        for number, one in enumerate(explanation.compared)
    ]
    return element(
        "div",
        element("label", "Comparison ", element("select", *options, id="comparison")),
        class_="tools switch needs-script",
        hidden=True,
    )


def _asset(name: str) -> str:
    return files("fairpath.report").joinpath("assets", name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    """Allow the page's own style and script, by their hashes, and nothing else."""
    return (
        f"default-src 'none'; style-src '{_source(style)}'; script-src '{_source(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _source(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
