"""Features and causal paths as others would explain them: laws, brute force, shap, by hand."""

from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fairpath as fp
from fairpath.baselines import asv, isv, pse
from fairpath.baselines.features import allowed_sets
from test_closed_form import regressed
from worlds import GRAPH, INPUTS, by_path, chance, mixed, mixed_chance, people, same_bits, score

pytestmark = pytest.mark.filterwarnings("ignore:the stratum .* has only")  # small on purpose

WITH_GRAPH = {"graph": GRAPH, "links": "linear"}
USUAL = {"sensitive": "sex", "inputs": INPUTS, "output": "score"}


def asked(ask, data, model=score, **options):
    graph = {} if ask is isv else WITH_GRAPH
    return ask(model, data, **{**USUAL, **graph, "intervals": None, **options})


def by_feature(found, stratum=None):
    return {name.split(" ")[0]: value for name, value in by_path(found, stratum).items()}


each = pytest.mark.parametrize("ask", [isv, asv, pse])
of_features = pytest.mark.parametrize("ask", [isv, asv])
each_method = pytest.mark.parametrize("method", ["exact", "sampled"])


def test_isv_is_what_shap_says():
    shap = pytest.importorskip("shap")
    table, background = people(60, 1), people(25, 2)[INPUTS]
    found = asked(isv, table, background=background)

    def model(rows):
        return score(pd.DataFrame(rows, columns=INPUTS))

    masker = shap.maskers.Independent(background.to_numpy())
    theirs = shap.explainers.Exact(model, masker)(table[INPUTS].to_numpy())
    own = table["sex"] == 1
    gap = theirs.values[own].mean(axis=0) - theirs.values[~own].mean(axis=0)
    assert by_feature(found) == pytest.approx(dict(zip(INPUTS, gap, strict=True)), abs=1e-9)
    order = [INPUTS.index(path.nodes[0]) for path in found.paths]
    assert np.allclose(found.values, theirs.values[:, order], atol=1e-9)
    assert np.allclose(found.base_values, theirs.base_values, atol=1e-9)
    assert "the 25 rows of the table" in " ".join(found.notes)


@each
@each_method
def test_contributions_and_the_remainder_are_the_disparity(ask, method):
    table = people(90, 3, strata=("a", "b", "c"))
    options = {} if ask is pse else {"method": method, "background": 12}
    found = asked(ask, table, chance, output="probability", outcome="hired", **options)
    means = table.assign(said=chance(table)).groupby("sex")["said"].mean()
    for level in ("b", "c"):
        total = found.contributions(level).values.sum() + found.remainder[level].value
        assert total == pytest.approx(means[level] - means["a"], abs=1e-12)
        assert found.disparity[level].value == pytest.approx(total, abs=1e-12)
    assert np.allclose(found.values.sum(axis=1) + found.base_values, found.predictions)
    gained = found.table().query("stratum == 'b'")["utility"].sum()
    assert gained == pytest.approx(found.utility.value, abs=1e-12)
    if ask is not pse:  # v(∅) is the mean of the background for everybody
        assert np.ptp(found.base_values) < 1e-12
        assert abs(found.remainder["c"].value) < 1e-12


@of_features
def test_sampled_orders_come_close_to_all_of_them(ask):
    table = people(120, 4)
    exact = by_feature(asked(ask, table, method="exact", background=10))
    rough = asked(ask, table, method="sampled", background=10)
    assert by_feature(rough) == pytest.approx(exact, abs=0.05)
    fine = asked(ask, table, method="sampled", background=10, rounds=20)
    assert by_feature(fine) == pytest.approx(exact, abs=0.015)
    assert rough.setting.evaluations < fine.setting.evaluations


@of_features
@each_method
def test_a_feature_that_the_model_does_not_read_carries_nothing(ask, method):
    # No feature follows from pay, so it has nothing to pass on either.
    found = asked(
        ask, people(80, 5), lambda t: np.tanh(t["job"] * t["hours"]) + t["city"], method=method
    )
    assert abs(by_feature(found)["pay"]) < 1e-12
    assert min(abs(by_feature(found)[name]) for name in ("job", "hours", "city")) > 1e-3


@each_method
def test_asv_without_causes_among_the_features_is_isv(method):
    graph = fp.CausalGraph.parse("sex -> job; sex -> hours; sex -> pay; city -> sex")
    options = {"method": method, "background": 15, "rounds": "auto" if method == "exact" else 2}
    table = people(70, 6)
    one, other = asked(asv, table, graph=graph, **options), asked(isv, table, **options)
    assert by_feature(one) != pytest.approx(by_feature(other), abs=1e-6)  # a city comes first
    graph = fp.CausalGraph.parse("sex -> job; sex -> hours; sex -> pay; age -> sex")
    one = asked(asv, table, graph=graph, **options)
    assert by_feature(one) == pytest.approx(by_feature(other), abs=1e-12)


def test_asv_of_a_chain_by_hand():
    # Only one order: job, then pay. What pay follows from job is the job's.
    table = people(150, 7)
    graph = fp.CausalGraph.parse("sex -> job; job -> pay")
    found = asked(asv, table, lambda t: 2 * t["pay"] + t["job"], graph=graph, inputs=["pay", "job"])
    slope = regressed(table, "pay", ["job"], np.ones(150))["job"]
    gap = table.groupby("sex")[["job", "pay"]].mean().diff().loc[1]
    expected = {"job": (1 + 2 * slope) * gap["job"], "pay": 2 * (gap["pay"] - slope * gap["job"])}
    assert by_feature(found) == pytest.approx(expected, abs=1e-9)


def test_asv_draws_the_attribute_unless_the_model_reads_it():
    table, graph = people(150, 7), fp.CausalGraph.parse("age -> sex; sex -> pay")
    hidden = asked(asv, table, lambda t: t["pay"], graph=graph, inputs=["age", "pay"])
    assert abs(by_feature(hidden)["age"]) < 1e-12
    read = asked(asv, table, lambda t: t["pay"], graph=graph, inputs=["age", "sex", "pay"])
    assert by_feature(read)["age"] > 0.05


MEANS = {
    "M": lambda w: 0.7 * w["A"] ** 2,
    "B": lambda w: np.sin(w["M"]) + 0.5 * w["A"],
    "C": lambda w: w["B"] ** 2 - w["A"],
    "D": lambda w: w["B"] * w["M"],
}
"""A → M → B → C, A → B, A → C, B → D ← M; the model reads B, C, D, and A or not."""
KNOWN = fp.CausalGraph.parse("A -> M; M -> B; A -> B; B -> C; A -> C; B -> D; M -> D")


def known(n, seed):
    rng = np.random.default_rng(seed)
    rows = {"A": rng.permutation(np.arange(n) % 3).astype(float)}
    for name, mean in MEANS.items():
        rows[name] = mean(rows) + rng.normal(size=n)
    rows["Y"] = (rows["D"] + rng.normal(size=n) > 0).astype(float)
    return pd.DataFrame(rows)


def reading(rows):
    attribute = rows["A"] if "A" in rows else 0.3  # noqa: SIM401 - a row or a table
    return np.tanh(rows["B"] * rows["C"]) + rows["D"] * (1 + attribute) / 5


def generated(noise, held):
    """Generate everything in causal order, but what is held."""
    world = {"A": held.get("A", noise["A"])}
    for name, mean in MEANS.items():
        world[name] = held[name] if name in held else mean(world) + noise[name]
    return world


@each_method
@pytest.mark.parametrize("inputs", [["D", "C", "B"], ["D", "A", "C", "B"]])
def test_asv_is_the_mean_over_causal_orders(inputs, method):
    table, rounds = known(12, 8), {"rounds": 400} if method == "sampled" else {}
    found = asv(
        reading, table, graph=KNOWN, sensitive="A", inputs=inputs, output="score",
        links=dict(MEANS), intervals=None, method=method, **rounds,
    )  # fmt: skip
    rows = table.to_dict("records")
    noises = [
        {"A": row["A"]} | {name: row[name] - mean(row) for name, mean in MEANS.items()}
        for row in rows
    ]
    causal = [
        order
        for order in permutations(inputs)
        if order.index("B") < min(order.index("C"), order.index("D"))
        and ("A" not in order or order[0] == "A")
    ]
    assert len(causal) == 2

    def worth(row, members):
        held = {name: row[name] for name in members}
        return np.mean([
            reading({k: v for k, v in generated(noise, held).items() if k in inputs})
            for noise in noises
        ])  # fmt: skip

    phi = np.zeros((12, len(inputs)))
    for i, row in enumerate(rows):
        for order in causal:
            for place, name in enumerate(order):
                gain = worth(row, order[: place + 1]) - worth(row, order[:place])
                phi[i, inputs.index(name)] += gain / len(causal)
    order = [inputs.index(path.nodes[0]) for path in found.paths]
    assert np.allclose(found.values, phi[:, order], atol=1e-9 if method == "exact" else 0.02)


@pytest.mark.parametrize(
    "before", [[(), (), (), ()], [(), (0,), (0,), ()], [(2,), (), (1,), (0, 1, 2)]]
)
def test_sets_that_can_come_first(before):
    sets, weights = allowed_sets([frozenset(others) for others in before])
    worth = {tuple(np.flatnonzero(one)): np.sqrt(2 + i) for i, one in enumerate(sets)}
    orders = [
        order
        for order in permutations(range(4))
        if all(order.index(b) < order.index(i) for i in range(4) for b in before[i])
    ]
    gains = np.zeros(4)
    for order in orders:
        for place, player in enumerate(order):
            more, less = sorted(order[: place + 1]), sorted(order[:place])
            gains[player] += (worth[tuple(more)] - worth[tuple(less)]) / len(orders)
    assert np.allclose(np.array(list(worth.values())) @ weights, gains)


@each
def test_the_result_is_an_ordinary_explanation(ask, tmp_path):
    table = people(160, 11)
    options = {"outcome": "hired", "output": "probability"}
    found = asked(ask, table, chance, intervals="refit", **options)
    found.save(tmp_path / "found.npz")
    again = fp.load(tmp_path / "found.npz")
    assert same_bits(found, again)
    assert (text := repr(again)) == repr(found)
    assert ("\n  job → prediction" in text) == (ask is not pse)
    assert "remainder" in text
    assert found._repr_html_()
    rows = found.table()
    assert (rows["low"] <= rows["contribution"]).all()
    assert (rows["contribution"] <= rows["high"]).all()
    assert rows["standard_error"][:-1].gt(0).all()
    assert set(found.by_feature()["feature"]) <= set(INPUTS)
    assert found.contribution([found.paths[0]]).value == pytest.approx(rows["contribution"][0])
    assert found.utility is not None
    with pytest.raises(fp.DataError, match="of a baseline"):
        fp.cut(found, [found.paths[0]])


def test_a_feature_that_is_cut_is_that_of_the_background():
    table = people(50, 12)
    rows = asked(isv, table, background=50).table().set_index("path")
    given = np.mean([score(table.assign(pay=pay)) for pay in table["pay"]], axis=0)
    gap = given[table["sex"] == 1].mean() - given[table["sex"] == 0].mean()
    assert rows.loc["pay → prediction", "disparity_if_cut"] == pytest.approx(gap, abs=1e-9)
    graph = fp.CausalGraph.parse("job -> pay; age -> sex")
    rows = asked(asv, table, graph=graph, background=50).table().set_index("path")
    slope = regressed(table, "pay", ["job"], np.ones(50))["job"]
    noise = table["pay"] - slope * table["job"]
    given = np.mean([score(table.assign(pay=slope * table["job"] + n)) for n in noise], axis=0)
    gap = given[table["sex"] == 1].mean() - given[table["sex"] == 0].mean()
    assert rows.loc["pay → prediction", "disparity_if_cut"] == pytest.approx(gap, abs=1e-9)


def test_intervals_of_isv_are_those_of_two_samples():
    found = asked(isv, people(1200, 13), intervals="refit", background=10)
    closed = np.sqrt(np.diag(found.tally.covariance(1, 0)))[: len(INPUTS)]
    assert np.allclose(found.contributions().standard_errors, closed, rtol=0.25)


def test_intervals_of_asv_contain_the_error_of_links():
    table = people(400, 16)
    table["job"] += 6 * table["sex"]  # so that the slope of pay on job decides who carries what
    usual = {"inputs": ["job", "pay"], "intervals": "refit", "background": 5}
    found = asked(asv, table, lambda t: t["pay"], **usual)
    closed = np.sqrt(np.diag(found.tally.covariance(1, 0)))[:2]
    assert (found.contributions().standard_errors > 1.5 * closed).all()


@each
def test_rows_that_count_twice_are_two_rows(ask):
    table = people(60, 14)
    times = np.where(score(table) > 1, 8, np.arange(60) % 3)
    stays = {"background": table[INPUTS]} if ask is isv else {}
    if ask is asv:  # its donors are drawn, so many of them that it hardly matters which
        stays = {"background": 4000}
    one = asked(ask, table, sample_weight=times, **stays)
    two = asked(ask, table.loc[np.repeat(table.index, times)], **stays)
    assert by_path(one) == pytest.approx(by_path(two), abs=0.05 if ask is asv else 1e-9)
    if ask is asv:
        mean = np.average(score(table), weights=times)
        assert mean > score(table[times > 0]).mean() + 0.5
        assert one.base_values == pytest.approx(np.full(60, mean), abs=0.1)


@each
def test_numbers_do_not_depend_on_container_or_workers(ask):
    table = mixed(80, 15)
    options = {"graph": GRAPH, "links": "auto"} if ask is not isv else {}
    usual = {"sensitive": "sex", "inputs": INPUTS, "outcome": "hired", **options}
    found = ask(mixed_chance, table, **usual)
    other = ask(mixed_chance, pl.from_pandas(table), n_jobs=2, **usual)
    assert same_bits(found, other)
    assert isinstance(other.table(), pl.DataFrame)


def test_errors_say_what_to_do():
    table = people(40)
    many = pd.DataFrame(np.eye(40)[:, :20]).add_prefix("x").assign(sex=table["sex"])
    with pytest.raises(fp.DataError, match=r"2 \*\* 20 sets.*method='sampled'"):
        isv(lambda t: t["x0"], many, sensitive="sex", output="score", method="exact")
    for options, words in [
        ({"method": "fast"}, "method must be one of"),
        ({"method": "exact", "rounds": 3}, "has no rounds"),
        ({"rounds": 0}, "rounds must be"),
        ({"background": 0}, "background must be"),
        ({"background": "all"}, "pandas, polars or pyarrow"),
        ({"sensitive": "sxe"}, "Did you mean sex"),
        ({"outcome": "fired"}, "Did you mean hired"),
        ({"inputs": []}, "inputs is empty"),
        ({"reference": 7}, "no level of 'sex'"),
    ]:
        with pytest.raises(fp.DataError, match=words):
            asked(isv, table, **options)
    hidden = fp.CausalGraph.parse("sex -> luck; luck -> pay; sex -> job")
    for ask in (asv, pse):
        with pytest.raises(fp.DataError, match=r"'luck' is .*no column.*join its causes"):
            asked(ask, table, graph=hidden)
        with pytest.raises(fp.GraphError, match="graph must be a CausalGraph"):
            asked(ask, table, graph="sex -> job")
