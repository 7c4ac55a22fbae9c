"""What `explain` adds up to, for every kind of question that it can be asked."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import fairpath as fp
from worlds import (
    GRAPH,
    INPUTS,
    by_path,
    chance,
    explained,
    mixed,
    mixed_chance,
    people,
    same_bits,
    score,
)

WEIGHTS = np.random.default_rng(8).integers(0, 4, 240).astype(float)
TABLE, MIXED = people(), mixed()
SEVEN = people(420, strata=tuple(range(7)))

CASES = {
    "numbers": lambda: explained(TABLE, outcome="hired"),
    "intervals": lambda: explained(TABLE, outcome="hired", intervals="refit"),
    "exact": lambda: explained(TABLE, method="exact"),
    "weights": lambda: explained(TABLE, sample_weight=WEIGHTS, outcome="hired"),
    "three strata": lambda: explained(people(strata=("a", "b", "c")), method="sampled"),
    "seven strata": lambda: explained(SEVEN, rounds=2),
    "topological": lambda: explained(TABLE, order="topological"),
    "folds": lambda: explained(TABLE, cross_fit=3),
    "others": lambda: explained(TABLE, links_from=people(300, 5)),
    "short": lambda: explained(TABLE, max_length=1),
    "mixed": lambda: explained(MIXED, mixed_chance, outcome="hired"),
    "forest": lambda: explained(MIXED, mixed_chance, links="forest", outcome="hired"),
    "auto": lambda: explained(MIXED, mixed_chance, links="auto"),
    "score": lambda: explained(TABLE, score, output="score", outcome="hired"),
    "decision": lambda: explained(TABLE, output="decision", threshold=0.6),
    "nothing": lambda: explained(TABLE, graph=fp.CausalGraph.parse("sex -> age; job")),
}


@pytest.mark.parametrize("case", CASES)
def test_everything_adds_up(case):
    found = CASES[case]()
    weights = WEIGHTS if case == "weights" else np.ones(len(found.predictions))
    table, strata = found.table(), found.kept.strata
    compared = [found.levels[c.stratum] for c in found.compared]
    assert list(dict.fromkeys(table["stratum"])) == compared
    for stratum in compared:
        rows = table[table["stratum"] == stratum]
        disparity = found.disparity
        disparity = disparity[stratum] if len(compared) > 1 else disparity
        assert rows["contribution"].sum() == pytest.approx(disparity.value, rel=1e-12, abs=0)
        assert list(rows["kind"]) == ["path"] * len(found.paths) + ["remainder"]
        assert (rows["contribution"].iloc[:-1].abs().diff().dropna() <= 0).all()
        # The same from single rows.
        who = [strata == found.levels.index(stratum), strata == found.reference]

        def gap(column, who=who):
            one, other = (np.average(column[w], axis=0, weights=weights[w]) for w in who)
            return one - other

        assert gap(found.predictions) == pytest.approx(disparity.value, abs=1e-12)
        assert gap(found.values) == pytest.approx(found.contributions(stratum).values, abs=1e-12)
        assert gap(found.base_values) == pytest.approx(rows["contribution"].iloc[-1], abs=1e-12)
    sums = found.values.sum(axis=1) + found.base_values
    assert sums == pytest.approx(found.predictions, abs=1e-12)
    first = table[table["stratum"] == compared[0]]
    assert list(first["path"]) == [*map(str, found.paths), "remainder"]
    assert len(found.paths) == {"nothing": 0, "short": 5}.get(case, 7)
    assert bool(found.values.any()) == (case != "nothing")


@pytest.mark.parametrize("output", ["probability", "decision", "score"])
@pytest.mark.parametrize("favourable", [None, 0, 1])
def test_the_disparity_is_a_difference_of_means(output, favourable):
    model = LogisticRegression().fit(TABLE[INPUTS], TABLE["hired"])
    asked = {"output": output, "favourable": favourable, "threshold": 0.4}
    found = explained(TABLE, model, inputs=None, sample_weight=WEIGHTS, **asked)
    chances = model.predict_proba(TABLE[INPUTS])[:, 0 if favourable == 0 else 1]
    sign = -1 if favourable == 0 else 1
    numbers = {
        "probability": chances,
        "decision": (chances > 0.4).astype(float),
        "score": sign * model.decision_function(TABLE[INPUTS]),
    }[output]
    one, other = (
        np.average(numbers[who], weights=WEIGHTS[who]) for who in (TABLE.sex == 1, TABLE.sex == 0)
    )
    assert found.predictions == pytest.approx(numbers, abs=1e-12)
    assert found.disparity.value == pytest.approx(one - other, abs=1e-12)
    assert abs(one - other) > 0.1


@pytest.mark.parametrize(
    ("strata", "named", "expected"),
    [
        ((0, 1), None, 0),
        ((1, 0), None, 0),
        ((False, True), None, False),
        ((-1, 2, 0), None, 0),
        (("0", "1"), None, "1"),  # words: the largest
        ((1, 2), None, 2),
        ((0, 1), 1, 1),
        ((0, 1), True, 1),
        (("x", "y", "z"), "y", "y"),
    ],
)
def test_the_reference(strata, named, expected):
    table = people(400, strata=strata)
    small = table[table["sex"] == strata[0]].index[:20]  # the first stratum is smaller
    found = explained(table.drop(index=small), reference=named)
    assert found.levels[found.reference] == expected
    assert type(found.levels[found.reference]) is type(expected)
    others = [level for level in found.levels if level != expected]
    assert sorted(set(found.table()["stratum"])) == sorted(others)
    if len(others) > 1:
        assert list(found.disparity) == list(found.remainder) == others
    else:
        turned = explained(table.drop(index=small), reference=others[0])
        assert turned.disparity.value == pytest.approx(-found.disparity.value)
        assert by_path(turned) == pytest.approx({p: -v for p, v in by_path(found).items()})


def test_weights_decide_which_stratum_is_largest():
    table = people(strata=("x", "y"))
    weights = np.where(table["sex"] == "x", 2.0, 1.0)
    assert explained(table, sample_weight=weights).reference == 0
    assert explained(table, sample_weight=3 - weights).reference == 1


@pytest.mark.parametrize(("make", "model"), [(people, None), (mixed, mixed_chance)])
def test_sampled_orders_agree_with_all_of_them(make, model):
    options = {} if model is None else {"model": model}
    exact = explained(make(), method="exact", **options)
    errors = {}
    for rounds in (1, 16):
        found = explained(make(), method="sampled", rounds=rounds, **options)
        order = [found.paths.index(path) for path in exact.paths]
        error = found.values[:, order] - exact.values
        standard = np.sqrt((error**2).mean(axis=0) / len(error))
        assert (np.abs(error.mean(axis=0)) < 4.5 * standard + 1e-12).all()
        assert found.base_values == pytest.approx(exact.base_values, abs=1e-12)
        assert f"rounds of orders: {rounds}" in found.notes
        errors[rounds] = np.sqrt((error**2).sum())
    assert 0.15 < errors[16] / errors[1] < 0.4  # one quarter
    assert exact.setting.method == "exact"


def test_topological_orders_are_others():
    uniform, causal = (
        explained(TABLE, order=order, rounds=8) for order in ("uniform", "topological")
    )
    one, other = by_path(uniform), by_path(causal)
    assert max(abs(one[path] - other[path]) for path in one) > 0.002
    assert causal.base_values == pytest.approx(uniform.base_values, abs=1e-12)
    assert explained(TABLE, order="topological", method="auto").setting.method == "sampled"


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("others", [None, "others"])
def test_a_fitted_game_gives_the_same_bits(weights, others):
    lesson = people(300, 5) if others else TABLE
    game = fp.PathGame.fit(
        lesson, graph=GRAPH, sensitive="sex", inputs=INPUTS, links="linear",
        sample_weight=None if others else weights, also=TABLE if others else None,
    )  # fmt: skip
    asked = {"sample_weight": weights, "intervals": "refit"}
    direct = explained(TABLE, links_from=lesson if others else None, **asked)
    again = fp.explain(chance, TABLE.copy(), game=game, **asked)
    assert same_bits(direct, again)
    assert direct.replicates


@dataclass
class Watched:
    """The linear link, and which values it was learned from and asked about."""

    learned: list = field(default_factory=list)
    asked: list = field(default_factory=list)

    def fit(self, parents, values, *, sources, target, weights, rng):
        self.learned.append(set(values.tolist()))
        link = fp.links.LinearLink().fit(
            parents, values, sources=sources, target=target, weights=weights, rng=rng
        )
        return WatchedFit(self, link)


@dataclass
class WatchedFit:
    kind: Watched
    link: object

    def abduct(self, parents, values, uniforms):
        self.kind.asked.append(set(values.tolist()))
        return self.link.abduct(parents, values, uniforms)

    def generate(self, parents, noise):
        return self.link.generate(parents, noise)


def test_folds_learn_from_the_other_folds():
    watched = Watched()
    explained(TABLE, links={"pay": watched}, cross_fit=4, rounds=1)
    everyone = set(TABLE["pay"].tolist())
    assert len(watched.asked) == 4
    assert watched.learned[0] == everyone  # the game itself, which no row is explained with
    for learned, asked in zip(watched.learned[1:], watched.asked, strict=True):
        assert learned | asked == everyone
        assert not learned & asked
        assert len(asked) == 60


def test_folds_leave_no_stratum_out():
    table = people(80)
    table["sex"] = np.arange(80) < 3
    for seed in range(8):
        watched = Watched()
        with pytest.warns(UserWarning, match="3 rows"):
            explained(table, links={"pay": watched}, cross_fit=2, rounds=1, seed=seed)
        rare = set(table["pay"][:3].tolist())
        assert all(learned & rare for learned in watched.learned)


def test_links_learn_from_the_other_table_alone():
    watched, lesson = Watched(), people(300, 5)
    found = explained(TABLE, links={"pay": watched}, links_from=lesson, intervals="refit", rounds=1)
    assert found.replicates
    others = set(lesson["pay"].tolist())
    assert all(learned <= others for learned in watched.learned)
    assert watched.learned[0] == others


def test_rows_without_weight_do_not_count():
    table = people(290)
    table.loc[240:, "job"] = 1e3
    weights = np.repeat([1.0, 0.0], [240, 50])
    found = explained(table, sample_weight=weights, method="exact")
    alone = explained(table[:240], method="exact")
    assert by_path(found) == pytest.approx(by_path(alone), abs=1e-12)
    assert found.disparity.value == pytest.approx(alone.disparity.value, abs=1e-12)
    assert len(found.values) == 290


def test_what_is_kept():
    kept, not_kept = explained(TABLE), explained(TABLE, keep_rows=False)
    assert np.array_equal(kept.tally.sums, not_kept.tally.sums)
    assert kept.values.shape == (240, 7)
    for name in ("values", "predictions", "base_values", "rows"):
        with pytest.raises(fp.DataError, match="keep_rows=True"):
            getattr(not_kept, name)


def test_weights_that_are_no_counts_are_pointed_out():
    table = people()
    options = {"sample_weight": np.full(len(table), 1 / len(table))}
    with pytest.warns(UserWarning, match="Multiply normalised weights|only 0.5 rows"):
        found = explained(table, **options)
    assert any("sum to 1" in note for note in found.notes)


@pytest.mark.parametrize("links", ["forest", "auto"])
def test_strata_that_differ_only_in_a_correlation_inside_a_block(links):
    rng = np.random.default_rng(0)
    sex = np.arange(3000) % 2
    a, noise = rng.normal(size=(2, 3000))
    table = pd.DataFrame({"sex": sex, "a": a, "b": np.where(sex, 0.8, -0.8) * a + 0.6 * noise})
    means = table.groupby("sex").mean()
    assert (means - means.mean()).abs().to_numpy().max() < 0.05  # each alone tells nothing
    found = fp.explain(
        lambda rows: rows["a"] * rows["b"],
        table,
        graph=fp.CausalGraph.parse("sex -> a; sex -> b; a -- b"),
        sensitive="sex",
        inputs=["a", "b"],
        output="score",
        links=links,
        intervals=None,
    )
    assert [str(path) for path in found.paths] == ["sex → {a, b} → prediction"]
    assert found.disparity.value > 1.4
    assert abs(found.remainder.value) < 0.1 * found.disparity.value
