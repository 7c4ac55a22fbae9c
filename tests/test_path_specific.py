"""Path-specific effects: Wright's rule, nested worlds by hand, and what they leave unexplained."""

from itertools import pairwise

import numpy as np
import pytest

import fairpath as fp
from fairpath.baselines import asv, pse
from fairpath.game.coalitions import Chosen
from fairpath.game.evaluate import Question, ask
from test_baselines import KNOWN, MEANS, asked, known, reading
from test_closed_form import SEEDS, drawn, regressed
from worlds import GRAPH, people

pytestmark = pytest.mark.filterwarnings("ignore:the stratum .* has only")  # small on purpose


@pytest.mark.parametrize("seed", SEEDS[:20])
def test_pse_is_the_product_of_coefficients_along_directed_paths(seed):
    graph, table, model, rng = drawn(seed)
    weights = rng.uniform(0.5, 2, len(table))

    def linear(rows):
        return sum(weight * rows[name] for name, weight in model.items())

    found = pse(
        linear, table, graph=graph, sensitive="A", inputs=list(model), output="score",
        links="linear", intervals=None, sample_weight=weights,
    )  # fmt: skip
    expected = {}
    for path in fp.active_paths(graph, sensitive="A", inputs=list(model)):
        if "←" in path.arrows:
            assert str(path) in " ".join(found.notes)
            continue
        effect = model[path.nodes[-1]]
        for cause, node in pairwise(path.nodes):
            effect *= regressed(table, node, graph.parents(node), weights)[cause]
        expected[path] = effect
    carried = dict(zip(found.paths, found.contributions().values, strict=True))
    assert carried == pytest.approx(expected, abs=1e-9)


def test_pse_leaves_a_confounder_in_the_remainder():
    table, ones = people(500, 9), np.ones(500)
    found = asked(pse, table, lambda t: t["pay"], inputs=["pay"], intervals="refit")
    # What job follows from, other than sex, differs between the sexes: the age above all.
    slopes = regressed(table, "job", GRAPH.parents("job"), ones)
    gap = table.groupby("sex").mean().diff().loc[1]
    passed = regressed(table, "pay", GRAPH.parents("pay"), ones)["job"]
    confounded = passed * (slopes["age"] * gap["age"] + slopes["city"] * gap["city"])
    assert found.remainder.value == pytest.approx(confounded, abs=1e-9)
    assert found.remainder.low > 0.2
    assert found.contributions().standard_errors.min() > 0.02  # all of it is that of links
    ours = asked(fp.explain, table, lambda t: t["pay"], inputs=["pay"], intervals="refit")
    assert ours.remainder.low < 0 < ours.remainder.high
    spurious = [path for path in ours.paths if path.kind == "spurious"]
    assert len(spurious) == 1
    assert str(spurious[0]) in " ".join(found.notes)


def test_pse_by_hand():
    table, inputs = known(30, 10), ["A", "B", "C", "D"]
    noise = {name: table[name] - mean(table) for name, mean in MEANS.items()}

    def chance_of(rows):
        return 1 / (1 + np.exp(-reading(rows)))

    def nested(chain, path, level):
        """Return the first node of a chain to the prediction; the level takes one path only."""
        if chain[0] == "A":
            return level if chain == path else 1.0
        parents = {p: nested((p, *chain), path, level) for p in KNOWN.parents(chain[0])}
        return MEANS[chain[0]](parents) + noise[chain[0]]

    def effect(path, level):
        said, still = (
            chance_of({name: nested((name,), path, a) for name in inputs}) for a in (level, 1.0)
        )
        return said - still

    found = pse(
        chance_of, table, graph=KNOWN, sensitive="A", inputs=inputs, outcome="Y", output="score",
        links=dict(MEANS), intervals=None, reference=1,
    )  # fmt: skip
    assert len(found.paths) == 9
    rows = found.table().set_index(["path", "stratum"])
    for path in found.paths:
        effects = {level: effect(path.nodes, float(level)) for level in (0, 2)}
        gained = np.mean((2 * table["Y"] - 1) * (effects[0] + effects[2]) / 3)
        for level, values in effects.items():
            row = rows.loc[(str(path), level)]
            assert row["contribution"] == pytest.approx(np.mean(values), abs=1e-9)
            assert row["utility"] == pytest.approx(gained, abs=1e-9)
        unit = found.values[:, found.paths.index(path)]
        assert np.allclose(unit, (effects[0] + effects[2]) / 2)
    assert found.table()["disparity_if_cut"].isna().all()


def test_paths_without_a_direction_have_no_effect():
    graph = fp.CausalGraph.parse("sex -> job; sex -- hours; job -- pay; hours -> pay")
    table = people(60)
    notes = " ".join(asked(asv, table, graph=graph).notes)
    assert "for want of a direction: hours – sex, job – pay" in notes
    found = asked(pse, table, graph=graph)
    assert [str(path) for path in found.paths] == ["sex → job → prediction"]
    assert "sex – hours → prediction; sex → job – pay" in " ".join(found.notes).replace(
        "; sex – hours → pay → prediction", ""
    )
    nothing = asked(pse, table, graph=fp.CausalGraph.parse("age -> sex; age -> pay"))
    assert nothing.paths == ()
    assert nothing.remainder.value == pytest.approx(nothing.disparity.value)
    assert "remainder" in repr(nothing)
    assert len(nothing.table()) == 1


def test_questions_between_any_levels_can_be_asked_together():
    table = people(20, strata=("a", "b", "c"))
    game = fp.PathGame.fit(table, graph=GRAPH, sensitive="sex", inputs=["pay"], links="linear")
    sample, places = game.sample(game.encode(table), key=(0,)), np.arange(len(game.players))
    some = Chosen(places, np.array([places % 2 == 0, places < 0]))
    levels = [(0.0, 1.0), (2.0, 1.0), (2.0, 0.0), (0.0, 0.0)]
    asked_for = [Question(np.arange(20), np.full(20, b), some, np.full(20, a)) for a, b in levels]

    def answers(questions):
        return ask(lambda columns: columns["pay"], game.board, sample, questions).values

    alone = [answers([question])[0] for question in asked_for]
    assert np.array_equal(alone, answers(asked_for))
    assert not np.allclose(alone[0][:, 0], alone[1][:, 0])
    assert np.array_equal(alone[0][:, 1], alone[1][:, 1])
