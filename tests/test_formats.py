"""Every format: what is written is read back, and what cannot be read is refused in words."""

import csv
import io
import itertools
import sys
from dataclasses import dataclass
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pandas as pd
import pydot
import pytest
from causallearn.graph.Edge import Edge
from causallearn.graph.Endpoint import Endpoint
from causallearn.graph.GeneralGraph import GeneralGraph
from causallearn.graph.GraphNode import GraphNode
from causallearn.search.ConstraintBased.PC import pc
from causallearn.utils.GraphUtils import GraphUtils
from hypothesis import given, settings
from hypothesis import strategies as st

from fairpath.errors import GraphError, MissingExtraError
from fairpath.graph import formats
from fairpath.graph.formats import parse_text


@dataclass(frozen=True)
class Drawn:
    """The smallest thing with the four attributes of ``Marks``."""

    nodes: tuple = ()
    directed: tuple = ()
    undirected: tuple = ()
    reading: str = "drawn"


WRITERS = {
    "edge list": formats.to_edge_list,
    "CSV": formats.to_edge_table,
    "DOT": formats.to_dot,
    "DAGitty": formats.to_dagitty,
    "GML": formats.to_gml,
    "Tetrad text": formats.to_tetrad,
}
HOLDS_EVERYTHING = {"edge list", "GML"}
each_format = pytest.mark.parametrize("name", WRITERS)

# Names that mean something in some format.
HOSTILE = [
    *("", " ", " a", "a ", "a  b", "Marital Status", "education-num", "a.b", "1", "-1", "1.5"),
    *("a -> b", "a--b", "->", "--", "<-", "-", "o", "o-o", "o->", "x o-o y", "–", "→", "=>"),
    *("a;b", "a,b", ",", ";", "#1", "a#b", "# reading: markov", "//", "a // b", "/*", "*/"),
    *('"', 'say "hi"', "\\", "a\\", 'a\\"', "\\n", "a\\\\b", "\\\nb", "'", "<b>", "<", ">"),
    *("{", "}", "[", "]", "[x]", "(x)", "(a) b", "=", ":", "+", "@", "&", "&amp;", "&#65;"),
    *("graph", "node", "Node", "edge", "digraph", "subgraph", "strict", "dag", "none", "directed"),
    *("source", "target", "from", "to", "Graph Nodes:", "Graph Edges:", "1. a --> b", "A dd"),
    *("line\nbreak", "\n", "\r", "\r\n", "\t", "\0", "\x0b", "\x1f", "\x7f", "\x85", "\u2028"),
    *("\ufeff", "\xa0", "\u3000", "é", "e\u0301", "年龄", "\U000e0001", "🙂", "\ud800", "a" * 200),
    *("NaN", "true", "reading", "markov", "{\n", "\nGraph Nodes:\n", "()", "a b c d e f g h i j"),
]
names = (
    st.sampled_from(HOSTILE) | st.text(max_size=5) | st.text("ab \"\\->;,#\n\t{}'o&", max_size=6)
)
plain_names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,5}", fullmatch=True)


@st.composite
def drawn_graphs(draw, names=names):
    nodes = sorted(draw(st.sets(names, max_size=5)))
    pairs = list(itertools.combinations(nodes, 2))
    marks = draw(st.lists(st.sampled_from("><- "), min_size=len(pairs), max_size=len(pairs)))
    directed = [p if m == ">" else p[::-1] for p, m in zip(pairs, marks, strict=True) if m in "><"]
    return Drawn(
        nodes=tuple(nodes),
        directed=tuple(sorted(directed)),
        undirected=tuple(p for p, mark in zip(pairs, marks, strict=True) if mark == "-"),
        reading=draw(st.sampled_from(["drawn", "markov"])),
    )


def content(raw):
    """Put a raw graph into the canonical order of ``Marks``, keeping doubles."""
    directed = sorted((e.source, e.target) for e in raw.edges if e.directed)
    undirected = sorted(tuple(sorted((e.source, e.target))) for e in raw.edges if not e.directed)
    return Drawn(tuple(sorted(raw.nodes)), tuple(directed), tuple(undirected), raw.reading)


def edges(text, suffix=""):
    return [str(edge) for edge in parse_text(text, suffix).edges]


# What is written is read back.


@each_format
@given(graph=drawn_graphs())
def test_text_round_trip(name, graph):
    try:
        text = WRITERS[name](graph)
    except GraphError as error:
        assert name not in HOLDS_EVERYTHING
        assert "edge list or GML" in str(error)  # noqa: PT017
        return
    assert content(parse_text(text)) == graph
    assert content(parse_text("\ufeff" + text.replace("\n", "\r\n"))) == graph


@each_format
@given(
    graph=drawn_graphs(plain_names | st.sampled_from(["Marital Status", "a.b", "é", "1", "a-b"]))
)
def test_no_format_refuses_ordinary_names(name, graph):
    assert content(parse_text(WRITERS[name](graph))) == graph


CARRIAGE_RETURN_OR_WORSE = {"\r", "\r\n", "\0", "\ud800"}
LINE_BREAK = {"line\nbreak", "\n", "\\\nb", "{\n", "\nGraph Nodes:\n"}
CANNOT_HOLD = {
    "edge list": set(),
    "CSV": {"", *CARRIAGE_RETURN_OR_WORSE},
    "DOT": CARRIAGE_RETURN_OR_WORSE,
    "DAGitty": {
        *CARRIAGE_RETURN_OR_WORSE,
        *LINE_BREAK,
        *("\t", "\x0b", "\x1f", "\x7f", "\\", "a\\", "graph", "node"),
    },
    "GML": set(),
    "Tetrad text": {
        *CARRIAGE_RETURN_OR_WORSE,
        *LINE_BREAK,
        *("", " ", " a", "a ", "\t", "\x0b", "\x1f", "\x85", "\u2028", "\xa0", "\u3000"),
        *(
            "a;b",
            "a,b",
            ",",
            ";",
            "&amp;",
            "&#65;",
            "o-o",
            "o->",
            "x o-o y",
            "1. a --> b",
            "[x]",
            "(x)",
        ),
        *("Graph Nodes:", "Graph Edges:"),
    },
}


@each_format
def test_a_format_holds_every_name_or_names_it(name):
    refused = set()
    for node in HOSTILE:
        graph = Drawn(nodes=tuple(sorted({"x", node})), directed=(("x", node),))
        try:
            text = WRITERS[name](graph)
        except GraphError as error:
            assert str(error).startswith(f"{name} cannot hold the node name ")  # noqa: PT017
            assert str(error).isprintable()  # noqa: PT017
            refused.add(node)
        else:
            assert content(parse_text(text)) == graph
    assert refused == CANNOT_HOLD[name]


@given(drawn_graphs())
def test_networkx_round_trip(graph):
    assert content(formats.raw_from_networkx(formats.to_networkx(graph))) == graph


@given(drawn_graphs())
def test_causallearn_round_trip(graph):
    there = formats.to_causallearn(graph)
    assert content(formats.raw_from_causallearn(there)) == graph
    matrix = formats.to_endpoint_matrix(graph)
    assert (there.graph == matrix).all()
    back = content(formats.raw_from_causallearn(matrix, graph.nodes))
    assert (back.nodes, back.directed, back.undirected) == (
        *(graph.nodes, graph.directed, graph.undirected),
    )
    assert back.reading == "markov"


@given(drawn_graphs(names.filter(lambda name: name not in ("()", "[]"))))
def test_networkx_reads_our_gml(graph):
    theirs = nx.parse_gml(formats.to_gml(graph))
    undirected = {(a, b) for a, b, about in theirs.edges(data=True) if about.get("undirected")}
    assert set(theirs.nodes) == set(graph.nodes)
    assert set(theirs.edges) - undirected == set(graph.directed)
    assert undirected == set(graph.undirected)
    assert content(formats.raw_from_networkx(theirs)) == graph


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of pyparsing, by pydot
@settings(deadline=None)  # pydot takes its time to start
@given(drawn_graphs(plain_names))
def test_pydot_reads_our_dot(graph):
    (theirs,) = pydot.graph_from_dot_data(formats.to_dot(graph))
    assert theirs.get_type() == "digraph"
    found = {(e.get_source(), e.get_destination(), e.get("dir")) for e in theirs.get_edges()}
    assert {(a.strip('"'), b.strip('"'), c) for a, b, c in found} == {
        *((a, b, None) for a, b in graph.directed),
        *((a, b, "none") for a, b in graph.undirected),
    }


@given(drawn_graphs(names.filter(bool)))
def test_our_csv_is_ordinary_csv(graph):
    try:
        text = formats.to_edge_table(graph)
    except GraphError:
        return
    lines = text.removeprefix("# reading: markov\n")
    header, *rows = csv.reader(io.StringIO(lines, newline=""))
    assert header == ["source", "target", "edge"]
    assert {tuple(row) for row in rows if row[1]} == {
        *((a, b, "->") for a, b in graph.directed),
        *((a, b, "--") for a, b in graph.undirected),
    }


def test_what_the_writers_write():
    graph = Drawn(("a", "b c", "d"), (("a", "b c"),), (("a", "d"),), "markov")
    assert formats.to_edge_list(graph) == '# reading: markov\na -> "b c"\na -- d\n'
    assert formats.to_edge_table(graph) == (
        '# reading: markov\n"source","target","edge"\n"a","b c","->"\n"a","d","--"\n'
    )
    assert formats.to_dot(graph) == (
        'digraph {\n  reading=markov;\n  a;\n  "b c";\n  d;\n'
        '  a -> "b c";\n  a -> d [dir=none];\n}\n'
    )
    assert formats.to_dagitty(graph) == (
        'pdag {\nreading="markov"\na\n"b c"\nd\na -> "b c"\na -- d\n}\n'
    )
    assert formats.to_tetrad(graph) == (
        "Graph Nodes:\na;b c;d\n\nGraph Edges:\n1. a --> b c\n2. a --- d\n"
    )
    dag = Drawn(("a", "b"), (("a", "b"),))
    assert formats.to_dagitty(dag) == "dag {\na\nb\na -> b\n}\n"
    assert formats.to_edge_list(dag) == "a -> b\n"
    assert formats.to_tetrad(dag).endswith("\nGraph Attributes:\nreading: drawn\n")
    assert formats.to_endpoint_matrix(graph).tolist() == [[0, -1, -1], [1, 0, 0], [-1, 0, 0]]


# Edge lists.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a -> b; b -- c", ["a -> b", "b -- c"]),
        ("a <- b", ["b -> a"]),
        ("a -> b -> c -- d", ["a -> b", "b -> c", "c -- d"]),
        ("a → b ← c – d — e", ["a -> b", "c -> b", "c -- d", "d -- e"]),
        ("a->b", ["a -> b"]),
        ("a-->b<--c---d", ["a -> b", "c -> b", "c -- d"]),
        ("education-num->hours", ["education-num -> hours"]),
        ("Marital Status -> Hours per week", ["Marital Status -> Hours per week"]),
        ("a -> o-o -> b", ["a -> o-o", "o-o -> b"]),
        ("foo->o; o -- bar", ["foo -> o", "o -- bar"]),
        ("o-o -> b; b -> o-o # c", ["o-o -> b", "b -> o-o"]),
        ("a -> b # c -> d", ["a -> b"]),
        ('"a" -> "b" # c -> d', ["a -> b"]),
        ("a -> b // c -> d", ["a -> b"]),
        ("http://x.org -> b", ["http://x.org -> b"]),
        ("// a -> b\nb -> c", ["b -> c"]),
        ('"a -> b" -> "say \\"hi\\"; # no comment"', ['a -> b -> say "hi"; # no comment']),
        ('"a\\tb\\n\\\\\\u00e9\\U0001F642" -> c', ["a\tb\n\\é🙂 -> c"]),
        ("driver's age -> 5' -> x", ["driver's age -> 5'", "5' -> x"]),
        (" \n;;a -> b;\n", ["a -> b"]),
    ],
)
def test_edge_list(text, expected):
    assert edges(text) == expected


def test_edge_list_keeps_isolated_nodes_lines_and_reading():
    raw = parse_text("# reading: markov\nb -> a; c\n\n b\nd -- a")
    assert raw.nodes == ("b", "a", "c", "d")
    assert [edge.line for edge in raw.edges] == [2, 5]
    assert raw.reading == "markov"
    assert parse_text("a; b").reading == "drawn"


# Edge tables.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("source,target\na,b\n", ["a -> b"]),
        ("From,TO,edge\na,b,-->\nb,c,---\nc,d,<--", ["a -> b", "b -- c", "d -> c"]),
        ("cause,effect,type,\na,b,directed,\nb,c,Undirected,", ["a -> b", "b -- c"]),
        ("parent;child\na;b", ["a -> b"]),
        ('from\tto\tedge\n"a"\t"b"\t--\n\t"c"\t', ["a -- b"]),
        ("a,b,a\na,c,c\na,d,None", ["a -> b", "c -> a", "a -- d"]),
        ("a,b\nb,c,\n", ["a -> b", "b -> c"]),
        ('"source","target"\n" a ","x, ""y"""\n', [' a  -> x, "y"']),
        ("source,target\n a , b \n\n", ["a -> b"]),
        ("source,target,edge\na,none,none\nnone,b,none", ["a -- none", "none -- b"]),
    ],
)
def test_edge_table(text, expected):
    assert edges(text) == expected


def test_edge_table_lines_nodes_and_reading():
    raw = parse_text('#reading: markov\n# more\n\nsource,target\n"a\nb",c\nd,\n,e\nc,d')
    assert raw.nodes == ("a\nb", "c", "d", "e")
    assert [edge.line for edge in raw.edges] == [5, 9]
    assert raw.reading == "markov"


def test_suffix_decides_only_what_the_text_leaves_open():
    assert edges("marital status, hours per week", "csv") == ["marital status -> hours per week"]
    assert edges("a -> b", ".CSV") == ["a -> b"]
    assert edges("digraph { a -> b }", ".csv") == ["a -> b"]
    assert edges("a -> b", ".dot") == ["a -> b"]
    with pytest.raises(GraphError, match='Line 1: found "digraf", expected digraph'):
        parse_text("digraf { a -> b }", ".dot")
    with pytest.raises(GraphError, match="0 graphs"):
        parse_text("graf [ ]", ".gml")


# DOT and DAGitty.

GRAPHVIZ = r"""
/* drawn by hand */
strict digraph "my graph" {
    # preprocessor line
    graph [rankdir=LR, label=<A <b>bold</b> label; a {>]; node [shape=box] edge [color="red"]
    bgcolor = "white"
    "Marital
 Status" [label="Marital\nStatus"; pos="1,2!"][fontsize=12]
    age:port:n -> hours:s -> income  // chain
    subgraph cluster_0 { label = "inner"; edge [dir=none]; x -> y; { y -> z } }
    x -> w [arrowhead=vee]
    {a b} -> "c" + "d" -> { e; f }
    hours -> age [dir=back]
    1 -> -.5;
    p -> q [dir=both arrowtail=none]; q -> r [arrowhead=none]; r -- s
}
"""


def test_graphviz_file():
    raw = parse_text(GRAPHVIZ)
    assert [str(edge) for edge in raw.edges] == [
        *("age -> hours", "hours -> income", "x -- y", "y -- z", "x -> w"),
        *("a -> cd", "b -> cd", "cd -> e", "cd -> f", "1 -> -.5"),
        *("p -> q", "q -- r", "r -- s"),
    ]
    assert raw.nodes[0] == "Marital\n Status"
    assert raw.edges[0].line == 9
    assert raw.edges[-1].line == 15
    assert raw.reading == "drawn"


def test_strict_merges_only_equal_edges():
    assert edges("strict graph { a -- b; b -- a; a -- c }") == ["a -- b", "a -- c"]
    assert edges("digraph { a -> b; a -> b }") == ["a -> b", "a -> b"]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("a -- b [dir=forward]", "a -> b"),
        ("a -- b [dir=back]", "b -> a"),
        ("a -- b [arrowhead=normal]", "a -- b"),
        ("a -- b [dir=both, arrowhead=none]", "b -> a"),
        ("a -- b [dir=both, arrowhead=none, arrowtail=none]", "a -- b"),
        ("edge [dir=forward] {edge [dir=none]} a -- b", "a -> b"),
        ("a -> b", "a -> b"),
        ("a <- b", "b -> a"),
        ("subgraph { a -- b }", "a -- b"),
    ],
)
def test_direction_in_an_undirected_graph(statement, expected):
    assert edges(f"graph {{ {statement} }}") == [expected]


DAGITTY = r"""dag {
bb="0,0,1,1"
"Marital Status" [exposure,pos="0.1,0.2"]
Income.2 [outcome,pos="-0.5,1.000"]
U [latent,label="say \"hi\""]
"back\slash" [beta=-0.3]
"Marital Status" -> Income.2 [pos="0.3,0.4"]
U -> { "Marital Status" "back\slash" }
graph [x=1]
edge -> Income.2 <- U
a -- b [dir=forward]
}
"""


def test_dagitty_file():
    raw = parse_text(DAGITTY)
    assert [str(edge) for edge in raw.edges] == [
        *("Marital Status -> Income.2", "U -> Marital Status", "U -> back\\slash"),
        *("edge -> Income.2", "U -> Income.2", "a -- b"),
    ]
    assert raw.nodes[:4] == ("Marital Status", "Income.2", "U", "back\\slash")
    assert raw.edges[0].line == 7


def test_backslashes_follow_each_language():
    # Graphviz draws "\\" as one backslash; DAGitty has no escape but \".
    assert parse_text(r'digraph { "a\\" -> "b\"c" }').nodes == ("a\\", 'b"c')
    assert parse_text(r'dag { "a\\b" -> "b\"c" }').nodes == (r"a\\b", 'b"c')
    assert parse_text('digraph { "a\\\nb" }').nodes == ("ab",)


def test_reading_of_dot():
    assert parse_text("digraph { graph [reading=markov] a -- b }").reading == "markov"
    assert parse_text('pdag{ reading="markov" a -- b }').reading == "markov"
    assert parse_text("digraph { subgraph s { reading=markov } a -> b }").reading == "drawn"


# GML.


def test_gml_of_networkx():
    theirs = nx.DiGraph([("é", 'say "hi"'), ("é", 3)], reading="markov")
    theirs.add_edge("a", "b", undirected=True, weight=1.5)
    theirs.nodes["a"]["nested"] = {"list": [1, 2], "deeper": {"x": 1}}
    raw = parse_text("\n".join(nx.generate_gml(theirs)))
    assert [str(edge) for edge in raw.edges] == ['é -> say "hi"', "é -> 3", "a -- b"]
    assert raw.reading == "markov"
    undirected = nx.Graph([("a", "b")])
    assert edges("\n".join(nx.generate_gml(undirected))) == ["a -- b"]


def test_gml_of_others():
    text = """Creator "igraph [x] version 0.10" # no graph [
    Version 1
    graph
    [
      directed 1
      node [ id 7 name "by name" name "second" graphics [ x 1.0 w [ ] ] ]
      node [ id "s" label "a&quot;&apos;&#x41;&nosuch;&#9999999;b" ]
      node [ id -2.5e3 ]
      edge [ source 7 target "s" ]
      edge [ target -2.5e3 source 7 dir "none" ]
      edge [ source "s" target -2.5e3 dir "back" ]
    ]
    """
    raw = parse_text(text)
    assert raw.nodes == ("by name", "a\"'A&nosuch;&#9999999;b", "-2.5e3")
    assert [(e.source, e.target, e.directed, e.line) for e in raw.edges] == [
        ("by name", raw.nodes[1], True, 9),
        ("by name", "-2.5e3", False, 10),
        ("-2.5e3", raw.nodes[1], True, 11),
    ]


# Tetrad.

TETRAD = """\
Runtime: 0.2 s

Graph Nodes:
X;Y;X dd;Marital Status;(L1);[S]

Graph Edges:
1. X --> Y dd nl
2. Y --- X dd nl
3. Marital Status <-- X [X --> Marital Status]:0.9800;[no edge]:0.0200;
4. L1 --> S

Graph Attributes:
Score: -123.4

Ambiguous triples (i.e. list of triples for which there is ambiguous data):
(X, Y, L1)
"""


def test_tetrad_file():
    raw = parse_text(TETRAD)
    assert raw.nodes == ("X", "Y", "X dd", "Marital Status", "L1", "S")
    assert [str(edge) for edge in raw.edges] == [
        *("X -> Y", "Y -- X dd", "X -> Marital Status", "L1 -> S"),
    ]
    assert [edge.line for edge in raw.edges] == [7, 8, 9, 10]
    assert raw.reading == "markov"
    assert parse_text("Graph Nodes: a,b\nGraph Edges:\na --> b").nodes == ("a", "b")


# Objects of networkx and causal-learn.


def test_networkx_undirected_edges_and_doubles():
    pair = nx.DiGraph([("a", "b"), ("c", "d"), ("b", "a")])
    assert [str(e) for e in formats.raw_from_networkx(pair).edges] == ["a -- b", "c -> d"]
    marked = nx.DiGraph()
    marked.add_edge("a", "b", undirected=True)
    marked.add_edge("b", "c", dir="none")
    marked.add_edge("c", "d", dir="back")
    assert [str(e) for e in formats.raw_from_networkx(marked).edges] == [
        *("a -- b", "b -- c", "d -> c"),
    ]
    assert [str(e) for e in formats.raw_from_networkx(nx.Graph([("a", "b")])).edges] == ["a -- b"]
    double = nx.MultiDiGraph([("a", "b"), ("a", "b"), ("c", "c"), ("c", "c")])
    assert [str(e) for e in formats.raw_from_networkx(double).edges] == [
        *("a -> b", "a -> b", "c -> c", "c -> c"),
    ]
    many = nx.MultiDiGraph([("a", "b"), ("a", "b"), ("a", "b"), ("b", "a"), ("b", "a")])
    assert sorted(map(str, formats.raw_from_networkx(many).edges)) == [
        *("a -- b", "a -- b", "a -> b"),
    ]


def test_networkx_names_must_be_columns():
    with pytest.raises(GraphError, match=r'node "1" is of type int.*relabel'):
        formats.raw_from_networkx(nx.DiGraph([("a", 1)]))


def endless(**changes):
    parts = {"is_directed": lambda: True, "nodes": itertools.count(), "edges": []}
    return SimpleNamespace(**(parts | changes))


@pytest.mark.parametrize(
    "odd", [None, "a -> b", 3, [("a", "b")], pd.DataFrame(), endless(), endless(nodes=["a"])]
)
def test_what_is_not_a_networkx_graph(odd):
    with pytest.raises(GraphError, match=f"got an object of type {type(odd).__name__}"):
        formats.raw_from_networkx(odd)


def test_third_marks_of_networkx():
    graph = nx.DiGraph()
    graph.add_edge("a", "b", dir="both")
    with pytest.raises(GraphError, match=r'"a <-> b" points both ways: add the common cause'):
        formats.raw_from_networkx(graph)
    graph.add_edge("a", "b", dir="sideways")
    with pytest.raises(GraphError, match='direction "sideways", expected forward, back or none'):
        formats.raw_from_networkx(graph)


def test_what_pc_returns():
    rng = np.random.default_rng(0)
    data = rng.normal(size=(500, 3))
    data[:, 2] += data[:, 0] + data[:, 1]
    found = pc(data, show_progress=False)
    expected = Drawn(("X1", "X2", "X3"), (("X1", "X3"), ("X2", "X3")), (), "markov")
    assert content(formats.raw_from_causallearn(found)) == expected
    assert content(formats.raw_from_causallearn(found.G)) == expected
    assert content(formats.raw_from_causallearn(found.G.graph)) == expected
    assert content(parse_text(str(found.G))) == expected
    # Its DOT numbers the nodes and draws every edge with dir=both.
    assert edges(GraphUtils.to_pydot(found.G).to_string()) == ["0 -> 2", "1 -> 2"]


def test_endpoint_convention():
    # Checked against causal-learn itself: a --> b.
    nodes = [GraphNode("a"), GraphNode("b")]
    theirs = GeneralGraph(nodes)
    theirs.add_edge(Edge(nodes[0], nodes[1], Endpoint.TAIL, Endpoint.ARROW))
    assert [str(e) for e in formats.raw_from_causallearn(theirs).edges] == ["a -> b"]
    assert formats.to_causallearn(Drawn(("a", "b"), (("a", "b"),))).is_parent_of(*nodes)


def test_names_of_an_endpoint_matrix():
    matrix = [[0, -1], [1, 0]]
    assert formats.raw_from_causallearn(matrix).nodes == ("X1", "X2")
    frame = pd.DataFrame(matrix, columns=["a", "b"])
    assert formats.raw_from_causallearn(frame).nodes == ("a", "b")
    assert formats.raw_from_causallearn(frame, ["c", "d"]).nodes == ("c", "d")
    assert formats.raw_from_causallearn(pd.DataFrame(matrix)).nodes == ("X1", "X2")
    assert formats.raw_from_causallearn(np.array(matrix, dtype=float)).edges
    with pytest.raises(GraphError, match="in a different order"):
        formats.raw_from_causallearn(pd.DataFrame(matrix, columns=["a", "b"], index=["b", "a"]))


@pytest.mark.parametrize(
    ("matrix", "names", "message"),
    [
        ("ab", None, "got an object of type str"),
        (None, None, "got an object of type NoneType"),
        ({"G": 1}, None, r"of ges\(\): result\['G'\].*type dict"),
        ([[0, 1]], None, r"list of shape \(1, 2\)"),
        ([[0, 1], [0]], None, "got an object of type list"),
        ([0, 1], None, r"of shape \(2,\)"),
        (np.zeros((2, 2), complex), None, "got an object of type ndarray"),
        ([[10**400]], None, "got an object of type list"),
        ([[0, 3], [1, 0]], None, r"has 3 at \(0, 1\), expected -1 \(tail\)"),
        ([[0, float("nan")], [1, 0]], None, r"has nan at \(0, 1\)"),
        ([[0, 0.5], [1, 0]], None, r"has 0.5 at \(0, 1\)"),
        ([[0, 1], [0, 0]], None, 'edge between "X2" and "X1" on one side only.*adjacency'),
        ([[1, 0], [0, 0]], None, 'joins "X1" to itself'),
        ([[0, 1], [1, 0]], None, r'"X1 <-> X2" points both ways: add the common cause'),
        ([[0, 2], [1, 0]], ["a", "b"], r'"a o-> b" has an undecided end: decide the mark'),
        ([[0, 2], [2, 0]], ["a", "b"], r'"a o-o b" has an undecided end'),
        ([[0, 0], [0, 0]], ["a"], "Got 1 names for 2 nodes"),
        ([[0, 0], [0, 0]], ["a", "a"], 'name "a" is given to 2 nodes'),
        ([[0, 0], [0, 0]], "ab", "Expected names as a list of strings, got str"),
        ([[0, 0], [0, 0]], ["a", 1], "Expected names as a list of strings, got list"),
        ([[0, 0], [0, 0]], 2, "Expected names as a list of strings, got int"),
    ],
)
def test_refused_matrices(matrix, names, message):
    with pytest.raises(GraphError, match=message):
        formats.raw_from_causallearn(matrix, names)


@pytest.mark.parametrize(
    ("write", "module", "extra"),
    [
        (formats.to_networkx, "networkx", "networkx"),
        (formats.to_causallearn, "causallearn.graph.Edge", "causal-learn"),
    ],
)
def test_a_missing_library_is_named(monkeypatch, write, module, extra):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"fairpath\[{extra}\]"):
        write(Drawn(("a",)))


# What is refused, and in which words.

TOO_DEEP = "digraph {" + "{" * 60 + "}" * 60 + "}"
TOO_MANY = "digraph {{" + " ".join(f"a{i}" for i in range(1000)) + "} -> {"
TOO_MANY += " ".join(f"b{i}" for i in range(1000)) + "}}"
GML_NODES = 'graph [ directed 1 node [ id 0 label "a" ]\nnode [ id 1 label "b" ]\n'
TETRAD_HEAD = "Graph Nodes:\na;b c\nGraph Edges:\n"
BOTH = r"points both ways: add the common cause as a node of its own \(u -> x; u -> y\), or decide"
OPEN = r"has an undecided end: decide the mark: ->, <-, or -- for unknown direction"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # not a graph
        ("", "not a graph.*edge list.*CSV.*DOT, DAGitty, GML, Tetrad text. Found no text"),
        ("\ufeff \r\n", "Found no text"),
        ("# only a comment", "Found no node"),
        ("PK\x03\0", "Found binary data"),
        ("This is a letter, not a graph.", 'Found no edge, but "This is a letter, not a graph."'),
        (
            "Dear all,\nwe met -- as agreed -- and found that nothing at all was to be decided.",
            "8 words",
        ),
        ("<!DOCTYPE html><html></html>", "Found HTML or XML"),
        ('<?xml version="1.0"?><graphml/>', "Found HTML or XML"),
        ('{"nodes": ["a -> b"]}', "Found JSON"),
        ('[["a", "b"]]', "Found JSON"),
        ("1 2 3\n4 5 6", "Found a table of numbers"),
        ("0,1,0\n1,0,1", "Found a table of numbers"),
        ("age,sex\n39,1", r"Found numbers on line 2: .*add the header source,target"),
        ("graph TD\nA --> B", "Found Mermaid"),
        # edge lists
        ("a ->", "Line 1: found the end, expected a node name after ->"),
        ("x\na -> ; b", 'Line 2: found ";", expected a node name after ->'),
        ("-> b", 'found "->", expected a node name'),
        ("a -> -> b", 'found "->", expected a node name'),
        ('"a" b -> c', 'found "b", expected an arrow'),
        ('"a', r'Line 1: found ""a", expected quotes around the whole name'),
        ('a "b" -> c', "quotes around the whole name"),
        (r'"a\d" -> b', r'found "\\d", expected \\\\ for a backslash'),
        ("a - b", 'found "-", expected ->, <- or --'),
        ("a => b", 'found "=>", expected ->, <- or --'),
        ("a -> {b c}", "braces belong into digraph"),
        ("a -> b\nc <-> d", f'Line 2: the edge "c <-> d" {BOTH}'),
        ("c ↔ d", f'Line 1: the edge "c ↔ d" {BOTH}'),
        ("c o-> d", f'Line 1: the edge "c o-> d" {OPEN}'),
        ("c o-o d", f'Line 1: the edge "c o-o d" {OPEN}'),
        ("c <-o d", f'Line 1: the edge "c <-o d" {OPEN}'),
        ('"c" o-- d', f'Line 1: the edge "c o-- d" {OPEN}'),
        ("a -> b\n# reading: makrov", 'Line 2: the reading is "makrov", expected drawn or markov'),
        # edge tables
        ("source,target,edge\na,b,x", 'Line 2: found "x" as the third cell of the edge "a, b"'),
        ("a,b,0.5", 'Line 1: found "0.5" as the third cell of the edge "a, b"'),
        ("source,target\na,b,,1", 'Line 2: found "1", expected two or three columns'),
        ("source,target\na,,->", 'Line 2: found "->", expected two nodes'),
        ('source,target\n"a,b', r'Line 2: found ""a,b", expected a closing quote'),
        ('source,target\n"a"b,c', 'Line 2: found "b,c", expected "," after the quoted cell'),
        ("effect,cause\na,b", 'header "effect,cause" puts the effect first: swap'),
        ("source,target,edge\na,b,<->", f'Line 2: the edge "a <-> b" {BOTH}'),
        ("source,target,edge\na,b,bidirected", f'Line 2: the edge "a <-> b" {BOTH}'),
        ("source,target,edge\na,b,o-o", f'Line 2: the edge "a o-o b" {OPEN}'),
        ("# reading: maybe\nsource,target\na,b", 'Line 1: the reading is "maybe"'),
        # DOT and DAGitty
        ("digraph { a -> }", 'Line 1: found "}", expected a node name'),
        ("digraph {\na -> b", 'Line 2: found the end, expected "}" for the "{" of line 1'),
        ("digraph { a } b", 'found "b", expected nothing after the closing brace'),
        ("digraph { a\n-> node }", 'Line 2: found "node", expected a node name, or quotes'),
        ("digraph { education-num -> b }", "quotes around a name with a hyphen"),
        ("dag { education-num -> b }", "quotes around a name with a hyphen"),
        ("digraph { a -b }", 'found "-b }", expected a name in quotes'),
        ("digraph { a [dir }", 'found "}", expected an attribute or "]"'),
        ("digraph { a [dir=] }", 'found "]", expected a value'),
        ("digraph { a = ; }", 'found ";", expected a value'),
        ("digraph { a -> %b }", 'found "%b }", expected a name in quotes'),
        ('digraph { "a" + b }', 'found "b", expected a string in quotes'),
        ('digraph { "a }', "expected a closing quote"),
        ("digraph { a [label=<<b>] }", 'expected a closing ">"'),
        ("digraph { /* a -> b }", r'expected a closing "\*/"'),
        ("digraph { subgraph [a=b] }", 'found "[", expected a name or "{"'.replace("[", "\\[")),
        ("digraph { subgraph -> b }", 'found "->", expected a name or "{"'),
        (TOO_DEEP, "Line 1: more than 50 nested subgraphs"),
        (TOO_MANY, "Line 1: more than 100000 edges"),
        ("digraph { a -> b [dir=sideways] }", 'found "dir=sideways", expected dir=forward'),
        ("digraph {\n a -> b [dir=both] }", rf'Line 2: the edge "a -> b \[dir=both\]" {BOTH}'),
        ("digraph { a @-> b }", f'Line 1: the edge "a @-> b" {OPEN}'),
        ("digraph { a <-> b }", f'Line 1: the edge "a <-> b" {BOTH}'),
        ("digraph { a -> b [arrowhead=odot] }", f"arrowhead=odot.*{OPEN}"),
        ("digraph { edge [dir=both arrowtail=odot] a -> b }", OPEN),
        ("dag { a <-> b }", f'Line 1: the edge "a <-> b" {BOTH}'),
        ("pdag { a @-@ b }", f'Line 1: the edge "a @-@ b" {OPEN}'),
        ("pdag { a @-> b }", OPEN),
        ("mag { a <-> b }", r"A mag leaves hidden common causes.*call the graph dag or pdag"),
        ("PAG { a @-> b }", r"A pag leaves hidden common causes"),
        ("digraph { reading=maybe }", 'Line 1: the reading is "maybe"'),
        # GML
        (GML_NODES + "edge [ source 0 target 5 ] ]", 'Line 3: the target "5" is not the id of any'),
        (GML_NODES + "edge [ source 0 ] ]", "Line 3: the edge has no target"),
        (GML_NODES + "node [ id 1 ] ]", 'Line 3: the node id "1" is used twice'),
        (
            GML_NODES + 'node [ id 2 label "a" ] ]',
            'Line 3: the label "a" was already given on line 1',
        ),
        (GML_NODES + "node [ ] ]", "Line 3: the node has no id"),
        (GML_NODES, 'Line 3: found the end, expected "]" for the "\\[" of line 1'),
        (GML_NODES + "] ]", 'Line 3: found "]", expected a key'),
        (GML_NODES + "edge ]", 'Line 3: found "]", expected a value for "edge"'),
        (GML_NODES + "] key", 'Line 3: found the end, expected a value for "key"'),
        (GML_NODES + '"x" ]', 'Line 3: found ""x"", expected a key or "]"'),
        (GML_NODES + '] x "', 'Line 3: found """, expected a closing quote'),
        (GML_NODES + "] x 12x", 'Line 3: found "12x", expected a key, a value'),
        (GML_NODES + "] graph [ ]", "GML with 2 graphs instead of one"),
        ("graph [ directed 2 ]", '"directed" is "2", expected 0 or 1'),
        ('graph [ reading "x" ]', 'Line 1: the reading is "x"'),
        (
            GML_NODES + 'edge [ source 0 target 1 dir "both" ] ]',
            f'Line 3: the edge "a <-> b" {BOTH}',
        ),
        (GML_NODES + 'edge [ source 0 target 1 dir "up" ] ]', 'Line 3: found "up", expected dir'),
        # Tetrad
        (TETRAD_HEAD + "1. a --> ab", 'Line 4: the edge names the node "ab", which is not listed'),
        (TETRAD_HEAD + "1. a --> d", 'Line 4: the edge names the node "d", which is not listed'),
        (
            TETRAD_HEAD + "1. a b --> a",
            'Line 4: the edge names the node "a b", which is not listed',
        ),
        (
            TETRAD_HEAD + "1. a b c",
            r'Line 4: found "1?.*a b c", expected an edge such as "1. X --> Y"',
        ),
        (TETRAD_HEAD + "1. a <-> b c dd", f'Line 4: the edge "a <-> b c" {BOTH}'),
        (TETRAD_HEAD + "1. a o-o b c", f'Line 4: the edge "a o-o b c" {OPEN}'),
        (TETRAD_HEAD + "1. a o-> b c", OPEN),
        (TETRAD_HEAD + "1. a <-o b c", OPEN),
        (TETRAD_HEAD + "\nGraph Attributes:\nreading: x", 'Line 6: the reading is "x"'),
    ],
)
def test_refused_texts(text, message):
    with pytest.raises(GraphError, match=f"(?s){message}") as caught:
        parse_text(text)
    assert len(str(caught.value)) < 350


@pytest.mark.parametrize("text", [None, b"a -> b", 3, ["a -> b"]])
def test_only_text_is_parsed(text):
    with pytest.raises(GraphError, match=f"got an object of type {type(text).__name__}"):
        parse_text(text)


# No text makes a reader fail in any other way.

VALID = [
    *(GRAPHVIZ, DAGITTY, TETRAD, GML_NODES + "edge [ source 0 target 1 ] ]"),
    'a -> b; "c d" -- e # x\n',
    '# reading: markov\nsource,target,edge\na,b,->\n"c",d,none\n',
]
SUFFIXES = ["", ".csv", ".dot", ".gml", ".txt"]


@st.composite
def mutated(draw):
    text = draw(st.sampled_from(VALID))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 12)))
        signs = st.text('{}[]<>-="\\;,:#/*o@&+ \n0aA', max_size=6)
        text = text[:start] + draw(signs | st.sampled_from(HOSTILE)) + text[end:]
    return text


@given(st.text() | mutated(), st.sampled_from(SUFFIXES))
def test_only_graph_errors_escape(text, suffix):
    try:
        raw = parse_text(text, suffix)
    except GraphError as error:
        assert len(str(error)) < 350  # noqa: PT017
    else:
        mentioned = {end for edge in raw.edges for end in (edge.source, edge.target)}
        assert mentioned <= set(raw.nodes)
        lines = text.count("\n") + text.count("\r") + 1
        assert all(edge.line and 1 <= edge.line <= lines for edge in raw.edges)


@pytest.mark.parametrize("unit", [*HOSTILE, "a ", "{a ", "a->"])
def test_long_garbage_is_read_in_linear_time(unit):
    for start in ("", "digraph {", "dag {", "graph [", "Graph Nodes:\n", "source,target\n"):
        try:
            parse_text(start + unit * (20_000 // max(len(unit), 1)))
        except GraphError as error:
            assert len(str(error)) < 350  # noqa: PT017
