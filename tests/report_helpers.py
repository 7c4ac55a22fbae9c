"""Explanations to report, and a reader of pages that knows only the standard library."""

import html
from dataclasses import dataclass, field
from functools import lru_cache
from html.parser import HTMLParser

import numpy as np
import pandas as pd

import fairpath as fp
import worlds
from fairpath.report.numbers import NOTHING

VOID = {"br", "input", "meta"}

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(2)>",
    "a\"b'c&amp;d",
    "]]> --> $found ${title}",
    "שלום \u202egnp.exe\u2066",
    "</title><b>",
)


@dataclass
class Node:
    """An element with what is in it."""

    name: str
    attributes: dict
    children: list = field(default_factory=list)

    def walk(self):
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    def find(self, name=None, **wanted):
        """Return elements by name and attributes; an underscore stands for a hyphen."""
        wanted = {key.rstrip("_").replace("_", "-"): str(value) for key, value in wanted.items()}
        return [
            one
            for one in self.walk()
            if (name is None or one.name == name)
            and all(one.attributes.get(key) == value for key, value in wanted.items())
        ]

    def one(self, name=None, **wanted):
        (found,) = self.find(name, **wanted)
        return found

    def with_class(self, look):
        return [one for one in self.walk() if look in one.attributes.get("class", "").split()]

    @property
    def text(self):
        return "".join(child if isinstance(child, str) else child.text for child in self.children)


class Reader(HTMLParser):
    """Builds a tree, and refuses elements that are not closed in order."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.root = Node("root", {})
        self.open = [self.root]

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs), f"an attribute twice in {tag}: {attrs}"
        node = Node(tag, {key: value or "" for key, value in attrs})
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_endtag(self, tag):
        assert tag not in VOID, tag
        assert self.open[-1].name == tag, f"</{tag}> closes <{self.open[-1].name}>"
        self.open.pop()

    def handle_data(self, data):
        self.open[-1].children.append(data)

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data!r}")

    def unknown_decl(self, data):
        raise AssertionError(f"a declaration: {data!r}")


def read(path):
    """Return the tree of a page."""
    reader = Reader()
    reader.feed(path.read_text("utf-8"))
    reader.close()
    assert reader.open == [reader.root], [one.name for one in reader.open]
    return reader.root


def unescaped(text):
    return html.unescape(text)


def cells(row):
    """Return the cells of a row of the table of paths by their column."""
    return {
        one.attributes["data-column"]: one for one in row.walk() if "data-column" in one.attributes
    }


@lru_cache
def hostile():
    """Names, levels and an outcome that try to be markup, with paths through them."""
    rng = np.random.default_rng(0)
    one, two, three, four, five, last = HOSTILE
    levels = np.array(["<b>x</b>", "\"'&"])
    sensitive = rng.integers(0, 2, 300)
    first = sensitive + rng.normal(size=300)
    second = first + rng.normal(size=300)
    third = np.where(second + rng.normal(size=300) > 0, "</td>", "<i>&lt;")
    outcome = np.where(second + rng.logistic(size=300) > 0.5, "yes<script>", "no")
    table = pd.DataFrame(
        {one: levels[sensitive], two: first, three: second, four: third, five: rng.normal(size=300),
         last: outcome}
    )  # fmt: skip
    graph = fp.CausalGraph(
        [(one, two), (two, three), (three, four), (one, four), (three, last), (five, four)]
    )

    def model(rows):
        wanted = np.asarray(rows[four]) == "</td>"
        return 1 / (1 + np.exp(-0.5 * worlds.number(rows, three) - wanted))

    return fp.explain(
        model, table, graph=graph, sensitive=one, outcome=last, inputs=[three, four, five],
        favourable="yes<script>", links="linear", intervals="refit",
    )  # fmt: skip


def number(text):
    """Read a number as it is written, and by how much it may be rounded."""
    text = text.replace("\N{MINUS SIGN}", "-")
    digits = text.partition("e")[0].partition(".")[2]
    size = 10.0 ** int(text.partition("e")[2] or 0)
    return float(text), 0.5000001 * size * 10.0 ** -len(digits)


def assert_written(text, value):
    if np.isnan(value):
        assert text == NOTHING
        return
    found, rounding = number(text)
    assert abs(found - value) <= rounding
    assert rounding <= 0.01 * max(abs(value), 0.06)


def table_of(section, start):
    """Return the tables whose captions start like this."""
    return [table for table in section.find("table") if table.one("caption").text.startswith(start)]


def body(table):
    """Return the texts of the cells of a table."""
    return [
        [cell.text for cell in row.children]
        for part in table.find("tbody")
        for row in part.find("tr")
    ]
