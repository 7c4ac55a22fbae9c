"""The words and signs of DOT and DAGitty text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from fairpath.errors import GraphError
from fairpath.graph.formats import refusals

_TOKEN = re.compile(
    r"""
      (?P<blank> [ \t\n\r\f\v]+ | \#[^\n]* | //[^\n]* | /\*.*?\*/ )
    | (?P<arrow> @->|<-@|@-@|@--|--@|<->|->|<-|-- )
    | (?P<sign> [{}\[\]=,;:+] )
    | (?P<name> (?:-(?=[\d.]))?[\w.\u0080-\U0010ffff]+ )
    """,
    re.VERBOSE | re.DOTALL,
)
_NAME_END = re.compile(r"[\w.\"\u0080-\U0010ffff]")
_DOT_KEYWORDS = frozenset({"strict", "graph", "digraph", "subgraph", "node", "edge"})
_DAGITTY_KEYWORDS = frozenset({"graph", "node"})
_ANGLE = re.compile("[<>]")

# DOT has two escapes, \" and \\; DAGitty only \", so that "a\\" ends differently.
_DOT_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_DOT_ESCAPE = re.compile(r'\\(["\\\n])')
_DAGITTY_STRING = re.compile(r'"((?:[^"\\]|\\"?)*+)"')
_DAGITTY_ESCAPE = re.compile(r'\\("|\n)')


class Token(NamedTuple):
    """A word or sign; ``kind`` is name, keyword, quoted, arrow, end, or the sign itself."""

    kind: str
    text: str
    line: int


@dataclass
class Cursor:
    """A place in a list of tokens, whose last one is of the kind "end"."""

    tokens: list[Token]
    position: int = 0

    @property
    def next(self) -> Token:
        """The token at this place."""
        return self.tokens[self.position]

    def sees(self, *kinds: str) -> bool:
        """Tell whether the next tokens are of these kinds."""
        ahead = self.tokens[self.position : self.position + len(kinds)]
        return tuple(token.kind for token in ahead) == kinds

    def take(self) -> Token:
        """Return the next token and step over it; the end stays where it is."""
        token = self.next
        if token.kind != "end":
            self.position += 1
        return token

    def skip(self, *kinds: str) -> bool:
        """Step over the next token if it is of one of these kinds."""
        found = self.next.kind in kinds
        if found:
            self.take()
        return found

    def expect(self, *kinds: str, expected: str) -> Token:
        """Return the next token, which must be of one of these kinds."""
        if self.next.kind not in kinds:
            raise self.unexpected(expected)
        return self.take()

    def unexpected(self, expected: str) -> GraphError:
        """Report the next token as a syntax error."""
        found = '""' if self.sees("quoted") and not self.next.text else self.next.text
        return refusals.unexpected(self.next.line, found, expected)


def tokens(text: str, *, dagitty: bool) -> Iterator[Token]:
    """Split ``text``; a quoted name comes without quotes and escapes."""
    position, line, previous = 0, 1, ""
    while position < len(text):
        # "<" opens an HTML string only where "<-" cannot be an arrow.
        html = text[position] == "<" and (
            previous == "=" or text[position + 1 : position + 2] != "-"
        )
        token: Token | None
        if text[position] == '"':
            end, token = _string(text, position, line, dagitty=dagitty)
        elif html:
            end, token = _html(text, position, line)
        else:
            end, token = _plain(text, position, line, dagitty=dagitty)
        if token is not None:
            yield token
            previous = token.kind
        line += text.count("\n", position, end)
        position = end
    yield Token("end", "", line)


def _string(text: str, position: int, line: int, *, dagitty: bool) -> tuple[int, Token]:
    string = _DAGITTY_STRING if dagitty else _DOT_STRING
    escape = _DAGITTY_ESCAPE if dagitty else _DOT_ESCAPE
    match = string.match(text, position)
    if match is None:
        raise refusals.unexpected(line, text[position : position + 61], "a closing quote")
    name = escape.sub(lambda escaped: escaped[1].replace("\n", ""), match[1])
    return match.end(), Token("quoted", name, line)


def _html(text: str, position: int, line: int) -> tuple[int, Token]:
    depth = 0
    for angle in _ANGLE.finditer(text, position):
        depth += 1 if angle[0] == "<" else -1
        if depth == 0:
            inside = text[position + 1 : angle.start()]
            return angle.end(), Token("quoted", inside, line)
    raise refusals.unexpected(line, text[position : position + 61], 'a closing ">"')


def _plain(text: str, position: int, line: int, *, dagitty: bool) -> tuple[int, Token | None]:
    match = _TOKEN.match(text, position)
    hyphen = text[position] == "-" and _NAME_END.match(text, position - 1)
    if match is None or (hyphen and match.lastgroup == "name"):
        expected = "a name in quotes, an arrow or a bracket"
        if text.startswith("/*", position):
            expected = 'a closing "*/"'
        if hyphen:
            # DAGitty itself reads education-num as two nodes, "education" and "-num".
            expected = "an arrow, or quotes around a name with a hyphen"
        raise refusals.unexpected(line, text[position : position + 61], expected)
    kind, found = str(match.lastgroup), match[0]
    if kind == "blank":
        return match.end(), None
    if kind == "sign":
        kind = found
    elif found in _DAGITTY_KEYWORDS if dagitty else found.lower() in _DOT_KEYWORDS:
        kind = "keyword"
    return match.end(), Token(kind, found, line)
