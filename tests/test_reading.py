import pytest

from fairpath import GraphError, from_causallearn, from_networkx, read_graph, to_networkx
from fairpath.datasets import adult_graph
from fairpath.graph import formats

WRITERS = {
    "graph.txt": formats.to_edge_list,
    "graph.csv": formats.to_edge_table,
    "graph.dot": formats.to_dot,
    "graph.gml": formats.to_gml,
    "a graph – with spaces.dagitty": formats.to_dagitty,
    "graph.tetrad": formats.to_tetrad,
}


@pytest.mark.parametrize("name", WRITERS)
def test_files_of_every_format(name, tmp_path):
    graph = adult_graph().graph
    file = tmp_path / name
    file.write_text(WRITERS[name](graph), encoding="utf-8-sig")
    assert read_graph(file) == graph
    assert read_graph(str(file)) == graph


def test_graphs_of_other_libraries():
    graph = adult_graph().graph
    assert from_networkx(to_networkx(graph)) == graph
    matrix = formats.to_endpoint_matrix(graph)
    markov = from_causallearn(matrix, graph.nodes)
    assert (markov.directed, markov.undirected) == (graph.directed, graph.undirected)
    assert markov.reading == "markov"


def test_errors_name_the_file_and_the_line(tmp_path):
    file = tmp_path / "bad.txt"
    file.write_text("sex -> job\njob -> job\n")
    with pytest.raises(GraphError, match=r"bad\.txt: The edge 'job -> job'.*\(line 2\)"):
        read_graph(file)
    with pytest.raises(GraphError, match=r"none\.txt cannot be read: No such file"):
        read_graph(tmp_path / "none.txt")
    with pytest.raises(GraphError, match="cannot be read"):
        read_graph(tmp_path)
    file.write_bytes(b"\xff\xfe\x00graph")
    with pytest.raises(GraphError, match="not a text file in UTF-8"):
        read_graph(file)
