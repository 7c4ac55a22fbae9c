"""Examples worked by hand, limits, and the cases at the edge."""

import pickle
from itertools import pairwise

import pytest

from fairpath import CausalGraph, GraphError, Path, TooManyPathsError, active_paths, arrange
from fairpath.datasets import adult_graph, compas_graph
from fairpath.paths import search


def shown(paths):
    return [str(path).removesuffix(" → prediction") for path in paths]


def test_the_papers_first_example():
    graph = CausalGraph.parse("A -> X1; A -> X2; X1 -> X2; X3 -> X1; X3 -> X2")
    found = arrange(graph, sensitive="A")
    assert shown(found.players) == ["A → X1", "A → X2", "A → X1 → X2"]
    assert found.predecessors == {("X1",): (("A",),), ("X2",): (("A",), ("X1",))}
    assert found.outside == ("X3",)


def test_the_papers_second_example():
    graph = CausalGraph.parse("A -- X1; X1 -> X2; A -> X2")
    assert shown(active_paths(graph, sensitive="A")) == ["A – X1", "A → X2", "A – X1 → X2"]
    assert arrange(graph, sensitive="A").blocks == (("X1",), ("X2",))


def test_the_papers_third_example():
    graph = CausalGraph.parse("A -> X1; A -> X2; X1 -- X2")
    assert shown(active_paths(graph, sensitive="A")) == [
        "A → X1",
        "A → X2",
        "A → X1 – X2",
        "A → X2 – X1",
    ]
    found = arrange(graph, sensitive="A")
    assert found.blocks == (("X1", "X2"),)
    assert found.players == (Path(("A", ("X1", "X2")), ("→",)),)
    assert shown(found.players) == ["A → {X1, X2}"]


def test_the_papers_conditional_example():
    graph = CausalGraph.parse("A -> X1; X1 -> Y; X2 -> Y")
    found = active_paths(graph, sensitive="A", given=("Y",))
    assert [path.nodes for path in found] == [("A", "X1"), ("A", "X1", "Y", "X2")]
    players = arrange(graph, sensitive="A", given=("Y",)).players
    assert [path.nodes for path in players] == [("A", "X1"), ("A", "X1", "X2")]
    assert shown(players) == ["A → X1", "A → X1 → Y ← X2"]
    assert arrange(graph, sensitive="A", outcome="Y").outside == ("X2",)


ADULT = """
sex – age
sex → marital_status
sex → hours_per_week
sex → relationship
sex – age → marital_status
sex – age → education_num
sex – age → hours_per_week
sex – age → relationship
sex – age → workclass
sex → marital_status → education_num
sex → marital_status → hours_per_week
sex → marital_status → relationship
sex → marital_status → workclass
sex – age → education_num → hours_per_week
sex – age → education_num → relationship
sex – age → education_num → workclass
sex – age → marital_status → education_num
sex – age → marital_status → hours_per_week
sex – age → marital_status → relationship
sex – age → marital_status → workclass
sex → marital_status → education_num → hours_per_week
sex → marital_status → education_num → relationship
sex → marital_status → education_num → workclass
sex – age → marital_status → education_num → hours_per_week
sex – age → marital_status → education_num → relationship
sex – age → marital_status → education_num → workclass
"""


def test_adult():
    example = adult_graph()
    roles = {"sensitive": example.sensitive, "inputs": example.inputs}
    found = arrange(example.graph, **roles, outcome=example.outcome)
    assert sorted(shown(found.players)) == sorted(ADULT.strip().splitlines())
    assert found.outside == ("native_country", "race")
    assert {block: set(map("".join, before)) for block, before in found.predecessors.items()} == {
        ("age",): {"sex"},
        ("marital_status",): {"sex", "age"},
        ("education_num",): {"age", "marital_status"},
        ("hours_per_week",): {"sex", "age", "marital_status", "education_num"},
        ("relationship",): {"sex", "age", "marital_status", "education_num"},
        ("workclass",): {"age", "marital_status", "education_num"},
    }


def test_adult_relative_to_the_outcome():
    example = adult_graph()
    found = arrange(example.graph, sensitive="sex", inputs=example.inputs, given=[example.outcome])
    # Everything that shares the effect income, or an ancestor of it, with sex or age.
    one = (
        "age",
        "education_num",
        "hours_per_week",
        "marital_status",
        "native_country",
        "race",
    )
    assert [path.nodes for path in found.players] == [
        ("sex", one),
        ("sex", "relationship"),
        ("sex", one, "relationship"),
        ("sex", one, "workclass"),
    ]
    assert found.outside == ()


def test_compas():
    example = compas_graph()
    found = arrange(example.graph, sensitive="race", inputs=example.inputs, outcome=example.outcome)
    juvenile = ("juv_fel_count", "juv_misd_count", "juv_other_count")
    block = "{" + ", ".join(juvenile) + "}"
    expected = f"""
race – age
race → {block}
race → priors_count
race → c_charge_degree
race – age → {block}
race – age → priors_count
race – age → c_charge_degree
race → {block} → priors_count
race → priors_count → c_charge_degree
race – age → {block} → priors_count
race – age → priors_count → c_charge_degree
race → {block} → priors_count → c_charge_degree
race – age → {block} → priors_count → c_charge_degree
"""
    assert sorted(shown(found.players)) == sorted(expected.strip().splitlines())
    assert found.outside == ("sex",)
    assert juvenile in found.blocks


def test_compas_relative_to_the_outcome():
    example = compas_graph()
    found = arrange(example.graph, sensitive="race", inputs=example.inputs, given=[example.outcome])
    one = ("age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count", "sex")
    assert [path.nodes for path in found.players] == [
        ("race", one),
        ("race", "c_charge_degree"),
        ("race", one, "c_charge_degree"),
    ]


def test_a_sensitive_attribute_with_a_cause_has_spurious_paths():
    graph = CausalGraph.parse("region -> sex; region -> pay; sex -> job; job -> pay")
    found = active_paths(graph, sensitive="sex", inputs=["job", "pay"])
    assert [(str(path), path.kind) for path in found] == [
        ("sex → job → prediction", "indirect"),
        ("sex → job → pay → prediction", "indirect"),
        ("sex ← region → pay → prediction", "spurious"),
    ]


def test_a_model_that_reads_the_attribute_has_the_direct_path():
    graph = CausalGraph.parse("sex -> job")
    for paths in (
        active_paths(graph, sensitive="sex", inputs=["sex", "job"]),
        arrange(graph, sensitive="sex", inputs=["sex", "job"]).players,
    ):
        assert [(str(path), path.kind) for path in paths] == [
            ("sex → prediction", "direct"),
            ("sex → job → prediction", "indirect"),
        ]
        assert paths[0].nodes == ("sex",)


def test_without_neighbours_there_is_no_path():
    graph = CausalGraph.parse("sex; age -> job")
    assert active_paths(graph, sensitive="sex") == ()
    found = arrange(graph, sensitive="sex")
    assert (found.players, found.blocks, found.outside) == ((), (), ("age", "job"))


def test_a_mediator_that_the_model_does_not_read_still_carries_a_path():
    graph = CausalGraph.parse("sex -> talent -> job; sex -> hobby; sex -> job")
    found = arrange(graph, sensitive="sex", inputs=["job"])
    assert shown(found.players) == ["sex → job", "sex → talent → job"]
    # A node that leads to no input is no block, and no outside feature either.
    assert found.blocks == (("talent",), ("job",))
    assert found.outside == ()
    assert "on a path, but not read by the model: talent" in found.notes


def test_inputs_that_the_graph_does_not_know_are_outside_with_a_note():
    graph = CausalGraph.parse("sex -> job")
    found = arrange(graph, sensitive="sex", inputs=["job", "shoe_size"])
    assert found.outside == ("shoe_size",)
    assert "not in the graph, so taken as unaffected: shoe_size" in found.notes
    assert shown(active_paths(graph, sensitive="sex", inputs=["job", "shoe_size"])) == ["sex → job"]


def test_an_outcome_in_the_graph_is_never_outside():
    graph = CausalGraph.parse("sex -> job; age -> income")
    assert arrange(graph, sensitive="sex", outcome="income").outside == ("age",)


def test_blocks_joined_only_by_an_ancestor_of_the_outcome_show_it_in_parentheses():
    graph = CausalGraph.parse("A -> W; X -> W; W -> Y")
    found = arrange(graph, sensitive="A", given=["Y"])
    assert shown(found.players) == [
        "A → W",
        "A → (W) ← X",
        "A → W ← X",
    ]


def test_predecessors_that_run_in_a_circle_become_one_block():
    # Relative to X6 each two of X1, X2, X3, X4 are ordered, but all four are not.
    directed = "A X1, A X4, A X6, X2 X4, X3 X1, X5 A, X5 X4, X5 X6, X6 X3, X6 X4"
    graph = CausalGraph(
        [tuple(pair.split()) for pair in directed.split(", ")],
        undirected=[("X1", "X2"), ("X3", "X4")],
    )
    found = arrange(graph, sensitive="A", given=["X6"])
    assert any({"X1", "X2", "X3", "X4"} <= set(block) for block in found.blocks)


def ladder(n):
    """Return a DAG in which every node points to all later ones: 2 ** n - 1 paths."""
    nodes = ["A", *(f"x{i:02}" for i in range(n))]
    return CausalGraph([(u, v) for i, u in enumerate(nodes) for v in nodes[i + 1 :]])


@pytest.mark.parametrize("verb", [active_paths, arrange])
def test_more_paths_than_allowed_is_an_error_that_helps(verb):
    with pytest.raises(TooManyPathsError, match="max_length") as caught:
        verb(ladder(10), sensitive="A", max_paths=1000)
    assert "1000" in str(caught.value)
    assert "x0" in str(caught.value)
    assert len(verb(ladder(10), sensitive="A", max_paths=2**10 - 1)) if verb is active_paths else 1


def test_the_error_counts_the_paths_and_proposes_a_limit_that_works():
    # 2 ** 60 paths are counted, not listed.
    with pytest.raises(TooManyPathsError, match=f"{2**60 - 1} paths") as caught:
        arrange(ladder(60), sensitive="A")
    limit = int(str(caught.value).split("max_length=")[1].split(":")[0])
    assert arrange(ladder(60), sensitive="A", max_length=limit).players
    with pytest.raises(TooManyPathsError):
        arrange(ladder(60), sensitive="A", max_length=limit + 1)


def test_longer_paths_become_one_player_for_each_end():
    found = arrange(ladder(3), sensitive="A", max_length=1)
    assert [str(path) for path in found.players] == [
        "A → x00 → prediction",
        "A → x01 → prediction",
        "A → x02 → prediction",
        "longer paths into x01",
        "longer paths into x02",
    ]
    assert [path.longer for path in found.players] == [False, False, False, True, True]
    assert "longer paths are one player for each of: x01, x02" in found.notes


def test_many_undirected_edges_do_not_blow_up():
    nodes = [f"x{i:02}" for i in range(31)]
    chain = CausalGraph(undirected=list(pairwise(nodes)))
    assert len(active_paths(chain, sensitive="x00")) == 30
    assert arrange(chain, sensitive="x00").blocks == tuple((node,) for node in nodes[1:])


def test_a_search_that_finds_nothing_for_long_gives_up_with_advice(monkeypatch):
    monkeypatch.setattr(search, "MAX_IDLE", 2)
    with pytest.raises(TooManyPathsError, match="Give some of them a direction"):
        active_paths(CausalGraph.parse("a -- b -- c -- d -- e"), sensitive="a", inputs=["e"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sensitive": "gender"}, r"sensitive attribute 'gender' is not in the graph"),
        ({"sensitive": "sex", "inputs": "job"}, r"write inputs=\['job'\]"),
        ({"sensitive": "sex", "given": "income"}, r"write given=\['income'\]"),
        ({"sensitive": "sex", "given": ["pay"]}, r"conditions on 'pay'.*Add it with"),
        ({"sensitive": "sex", "given": ["sex"]}, "cannot be conditioned on"),
        ({"sensitive": "sex", "given": ["income"], "inputs": ["income"]}, "model reads 'income'"),
        ({"sensitive": "sex", "max_paths": 0}, "max_paths must be a whole number"),
        ({"sensitive": "sex", "max_length": 1.5}, "max_length must be a whole number"),
    ],
)
@pytest.mark.parametrize("verb", [active_paths, arrange])
def test_wrong_roles_and_limits(verb, options, message):
    with pytest.raises(GraphError, match=message):
        verb(CausalGraph.parse("sex -> job -> income"), **options)


@pytest.mark.parametrize("verb", [active_paths, arrange])
def test_something_that_is_no_graph(verb):
    with pytest.raises(GraphError, match=r"got str\. Use CausalGraph\.parse"):
        verb("sex -> job", sensitive="sex")


def test_an_arrangement_travels_and_prints():
    example = compas_graph()
    found = arrange(example.graph, sensitive="race", inputs=example.inputs)
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301 - our own bytes
    assert "13 paths from race to the prediction" in str(found)
    assert "priors_count from race, age, {juv_fel_count, juv_misd_count" in str(found)
