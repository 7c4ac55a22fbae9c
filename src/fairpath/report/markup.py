"""HTML made of elements: whatever is not markup already is escaped, so nothing can forget to."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import TypeAlias

from fairpath.paths import Path
from fairpath.paths.path import Block

Attribute: TypeAlias = str | float | bool | None
"""True is an attribute without a value, False and None are none."""

VOID = frozenset({"br", "input", "meta"})

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""What HTML or UTF-8 cannot hold."""


class Markup(str):
    """Text that is HTML."""

    __slots__ = ()


def safe(value: object) -> Markup:
    """Return markup as it is, and anything else as escaped text.

    >>> safe('<b> & "c"')
    '&lt;b&gt; &amp; &quot;c&quot;'
    """
    if isinstance(value, Markup):
        return value
    return Markup(escape(_UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", str(value)), quote=True))


def phrase(*parts: object) -> Markup:
    """Join parts."""
    return Markup("".join(map(safe, parts)))


def listed(parts: Iterable[object], between: object = ", ") -> Markup:
    """Join parts with something between each two."""
    return Markup(safe(between).join(map(safe, parts)))


def element(name: str, *content: object, **attributes: Attribute) -> Markup:
    """Return an element; ``class_`` is written ``class``, ``data_path`` is written ``data-path``.

    >>> element("td", "a < b", class_="number", data_sort=1.5, hidden=True)
    '<td class="number" data-sort="1.5" hidden>a &lt; b</td>'
    """
    written = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        label = key.rstrip("_").replace("_", "-")
        written.append(label if value is True else f'{label}="{safe(value)}"')
    start = f"<{' '.join(written)}>"
    return Markup(start if name in VOID else f"{start}{phrase(*content)}</{name}>")


def label(name: object) -> Markup:
    """Return a name from the data, isolated so that its direction of writing stays its own."""
    return element("bdi", name)


def block(features: Block) -> Markup:
    """Return a feature, or the features of a block in braces."""
    if isinstance(features, str):
        return label(features)
    return phrase("{", listed(map(label, features)), "}")


def path(one: Path) -> Markup:
    """Return a path as it prints."""
    if one.longer:
        return phrase("longer paths into ", block(one.nodes[-1]))
    steps: list[object] = [block(one.nodes[0])]
    for arrow, node in zip((*one.arrows, "→"), (*one.nodes[1:], None), strict=True):
        # The space behind an arrow is no place to break a line; those within a block are.
        to = element("span", "prediction" if node is None else block(node))
        steps += [" ", element("span", arrow, " ", to, class_="step")]
    return phrase(*steps)


def items(contents: Iterable[object], **attributes: Attribute) -> Markup:
    """Return a list with a bullet for each part."""
    return element("ul", *(element("li", one) for one in contents), **attributes)


def table(
    caption: object,
    heads: Sequence[object],
    rows: Iterable[Sequence[object]],
    **attributes: Attribute,
) -> Markup:
    """Return a table whose first column names its rows; a narrow page scrolls it."""
    head = element("tr", *(element("th", one, scope="col") for one in heads))
    body = [
        element("tr", element("th", first, scope="row"), *(element("td", one) for one in others))
        for first, *others in rows
    ]
    written = element(
        "table",
        element("caption", caption),
        element("thead", head),
        element("tbody", *body),
        **attributes,
    )
    return scrolling(caption, written)


def scrolling(name: object, *content: object) -> Markup:
    """Return a part of the page that can be scrolled sideways, also with the keyboard."""
    plain = re.sub("<[^>]*>", "", safe(name))
    words = Markup(plain)
    return element("div", *content, class_="scroll", tabindex="0", role="region", aria_label=words)


def details(summary: object, *content: object, **attributes: Attribute) -> Markup:
    """Return a part that is folded away."""
    return element("details", element("summary", summary), *content, **attributes)
