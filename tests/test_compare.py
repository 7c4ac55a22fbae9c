"""What changed between two explanations: laws, intervals that know the same people, refusals."""

from functools import lru_cache

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fairpath as fp
from fairpath.uncertainty import Estimate
from worlds import WITH_OUTCOME, chance, explained, hired, number, people, score


def later(rows):
    """Return the answers of a model that is much like `chance`."""
    return 1 / (1 + np.exp(-(score(rows) + 0.1 * number(rows, "job"))))


def refit(table, model=chance, **options):
    return explained(table, model, **{"intervals": "refit", **options})


def odds(model, **options):
    usual = {"disparity": "equalized_odds", "intervals": "refit"}
    return hired(model=model, **{**usual, **options})[1]


FEWER = fp.CausalGraph(tuple(edge for edge in WITH_OUTCOME.directed if edge != ("sex", "hours")))

PAIRS = {
    "models": lambda: (refit(people()), refit(people(), later)),
    "periods": lambda: (refit(people()), refit(people(300, 7), later)),
    "three strata": lambda: tuple(refit(people(strata=tuple("abc")), m) for m in (chance, later)),
    "other seeds": lambda: (refit(people()), refit(people(), later, seed=3)),
    "rows not kept": lambda: tuple(refit(people(), m, keep_rows=False) for m in (chance, later)),
    "points": lambda: (explained(people()), explained(people(), later)),
    "one has intervals": lambda: (explained(people()), refit(people(), later)),
    "odds": lambda: (odds(chance), odds(later)),
    "accuracy": lambda: tuple(odds(m, disparity="accuracy_parity") for m in (chance, later)),
    "after": lambda: tuple(odds(m, conditioning="after") for m in (chance, later)),
    "graphs": lambda: (refit(people()), refit(people(), later, graph=FEWER)),
    "weights": lambda: tuple(
        refit(people(), m, sample_weight=1 + np.arange(240) % 2) for m in (chance, later)
    ),
}
NO_INTERVALS = {"points", "one has intervals"}
PAIRED = set(PAIRS) - NO_INTERVALS - {"periods", "other seeds"}

each_pair = pytest.mark.parametrize("case", PAIRS)


@lru_cache
def pair(case):
    return PAIRS[case]()


@lru_cache
def found(case):
    return fp.compare(*pair(case))


def numbers(change):
    """Return all rows of a table by what they are about."""
    table = change.table()
    keys = [name for name in ("kind", "path", "stratum", "outcome") if name in table]
    return table.set_index(keys).sort_index()


def estimates(found):
    return [one for f in found.values() for one in estimates(f)] if isinstance(found, dict) else [
        found
    ]  # fmt: skip


@each_pair
def test_nothing_changes_against_itself(case):
    for one in pair(case):
        table = fp.compare(one, one).table()
        assert (table["before"] == table["after"]).all()
        assert (table["change"] == 0).all()
        for end in ("low", "high"):
            assert table[end].isna().all() if not one.replicates else (table[end] == 0).all()


@each_pair
def test_the_other_way_round_everything_turns_its_sign(case):
    one, other = numbers(found(case)), numbers(fp.compare(*pair(case)[::-1]))
    assert list(one.index) == list(other.index)
    turned = other.rename(columns={"before": "after", "after": "before"})
    for name in ("before", "after"):
        pd.testing.assert_series_equal(one[name], turned[name])
    for name, end in [("change", "change"), ("low", "high"), ("high", "low")]:
        assert one[name].to_numpy() == pytest.approx(-other[end].to_numpy(), abs=1e-15, nan_ok=True)
    assert one["change"].abs().max() > 0.004


@each_pair
def test_changes_sum_to_that_of_the_disparity(case):
    change = found(case)
    before, after = pair(case)
    table = change.table()
    keys = [name for name in ("stratum", "outcome") if name in table]
    groups = [rows for _, rows in table.groupby(keys, sort=False)]
    assert len(groups) == len(after.compared)
    disparities = [estimates(one.disparity) for one in (before, after)]
    for rows, *sides, moved, left in zip(
        groups, *disparities, estimates(change.disparity), estimates(change.remainder), strict=True
    ):
        *parts, whole = rows.to_dict("records")
        assert sum(row["change"] for row in parts) == pytest.approx(whole["change"], abs=1e-12)
        assert [whole["before"], whole["after"]] == [side.value for side in sides]
        assert (whole["change"], whole["low"]) == pytest.approx(
            (moved.value, moved.low), nan_ok=True
        )
        assert parts[-1]["change"] == left.value
        kinds = [row["kind"] for row in parts]
        apart = ["outcome"] * (change.apart is not None)
        assert kinds == ["path"] * len(change.paths) + [*apart, "remainder"]
        assert whole["kind"] == "disparity"
        assert (rows[rows["kind"] == "path"]["change"].abs().diff().dropna() <= 0).all()
        both = rows.dropna(subset=["before", "after"])
        assert (both["after"] - both["before"]).to_numpy() == pytest.approx(both["change"])
    assert (change.apart is not None) == (case in {"accuracy", "after"})
    joint = change.contributions()
    assert list(joint.values) == list(groups[0]["change"][: len(change.paths)])
    assert change.contribution(change.paths).value == pytest.approx(joint.values.sum())


@each_pair
def test_intervals_know_who_is_the_same(case):
    change = found(case)
    table = change.table()
    if case in NO_INTERVALS:
        assert table["low"].isna().all()
        assert change.notes[0].startswith("no intervals")
        return
    moved = table[table["change"] != 0]
    assert (moved["low"] < moved["change"]).all()
    assert (moved["change"] < moved["high"]).all()
    assert change.paired == (case in PAIRED)
    said = {"periods": "other people", "other seeds": "divided otherwise"}
    assert said.get(case, "what both share cancels") in change.notes[0]


def test_what_both_share_cancels():
    one = pair("models")[0]
    apart = fp.compare(one, refit(people(), later, seed=3))
    near, far = found("models").contributions(), apart.contributions()
    widths = [dict(zip(c.paths, c.contributions().standard_errors, strict=True))
              for c in (found("models"), apart)]  # fmt: skip
    shares = [widths[0][path] / widths[1][path] for path in one.paths]
    assert max(shares) < 0.6
    assert np.median(shares) < 0.05
    assert near.freedom == far.freedom == one.contributions().freedom
    # Two samples: variances add.
    for path, error in widths[1].items():
        sides = [e.contribution([path]).standard_error for e in (one, apart.after)]
        assert error == pytest.approx(np.hypot(*sides))


@pytest.mark.parametrize("case", ["models", "weights", "three strata", "odds", "accuracy"])
def test_the_disparity_is_compared_row_by_row(case):
    before, after = pair(case)
    moved = after.predictions - before.predictions
    weights, y = after.kept.weights, after.kept.favoured
    for compared, estimate in zip(after.compared, estimates(found(case).disparity), strict=True):
        variance = 0.0
        for stratum in (compared.stratum, compared.reference):
            who = after.kept.strata == stratum
            if compared.view.outcomes is not None:
                who &= np.isin(y, compared.view.outcomes)
            mean = np.average(moved[who], weights=weights[who])
            total = weights[who].sum()
            variance += (weights[who] * (moved[who] - mean) ** 2).sum() / total / (total - 1)
        assert estimate.standard_error == pytest.approx(np.sqrt(variance), rel=1e-9)


def test_without_rows_the_disparity_is_compared_part_by_part():
    by_row, by_part = (found(case).disparity for case in ("models", "rows not kept"))
    assert by_part.value == by_row.value
    assert 0.5 < by_part.standard_error / by_row.standard_error < 2
    sides = [one.disparity.standard_error for one in pair("models")]
    assert by_row.standard_error < 0.3 * min(sides)
    apart = found("periods")
    sides = [one.disparity.standard_error for one in pair("periods")]
    assert apart.disparity.standard_error == pytest.approx(np.hypot(*sides))


def test_a_path_of_one_graph_alone():
    change = found("graphs")
    gone = {path for path in change.paths if path.nodes[:2] == ("sex", "hours")}
    assert len(gone) == 2
    assert set(change.before.paths) - set(change.after.paths) == gone
    for row, path in zip(change.table().to_dict("records"), change.paths, strict=False):
        assert row["path"] == str(path)
        assert np.isnan(row["after"]) == (path in gone)
        if path in gone:
            assert row["change"] == -row["before"]
            assert f"no path {path} after: it counts as 0 there" in change.notes
    assert "–" in repr(change)
    other_way = fp.compare(change.after, change.before)
    assert sum("before: it counts as 0" in note for note in other_way.notes) == 2


@pytest.mark.parametrize("case", ["models", "periods", "rows not kept", "odds", "three strata"])
def test_files_say_the_same(case, tmp_path):
    for name, one in zip("ab", pair(case), strict=True):
        one.save(tmp_path / name)
    loaded = fp.compare(*(fp.load(tmp_path / name) for name in "ab"))
    pd.testing.assert_frame_equal(loaded.table(), found(case).table(), check_exact=True)
    assert (loaded.notes, repr(loaded)) == (found(case).notes, repr(found(case)))


def period(n, seed, effect):
    """Draw a period: sex moves the job by ``effect``, the job the pay by 0.8."""
    rng = np.random.default_rng(seed)
    sex = rng.permutation(np.arange(n) % 2)
    job = effect * sex + rng.normal(size=n)
    pay = 0.8 * job + 0.5 * sex + rng.normal(size=n)
    return pd.DataFrame({"sex": sex, "job": job, "pay": pay})


LINE = fp.CausalGraph.parse("sex -> job; sex -> pay; job -> pay")


def straight(table, pay, job, **options):
    return explained(
        table, lambda rows: pay * number(rows, "pay") + job * number(rows, "job"),
        graph=LINE, inputs=["job", "pay"], output="score", method="exact", **options,
    )  # fmt: skip


def test_on_straight_lines_changes_are_differences_of_products():
    tables = period(300, 0, 1.0), period(200, 1, 0.4)
    weights = (2.0, 0.5), (1.5, -1.0)
    products = []
    for table, (pay, job) in zip(tables, weights, strict=True):
        one = np.ones(len(table))
        first = np.linalg.lstsq(np.column_stack([one, table.sex]), table.job)[0]
        both = np.linalg.lstsq(np.column_stack([one, table.sex, table.job]), table.pay)[0]
        products.append({
            ("sex", "pay"): pay * both[1],
            ("sex", "job"): job * first[1],
            ("sex", "job", "pay"): pay * first[1] * both[2],
        })  # fmt: skip
    change = fp.compare(*(straight(t, *w) for t, w in zip(tables, weights, strict=True)))
    for path, moved in zip(change.paths, change.contributions().values, strict=True):
        expected = products[1][path.nodes] - products[0][path.nodes]
        assert moved == pytest.approx(expected, abs=1e-9)
        assert abs(expected) > 0.1


def test_the_smaller_sample_says_how_sure_the_error_is():
    sizes = {n: straight(period(n, n, 1.0), 1.0, 1.0, intervals="refit") for n in (240, 3000)}
    freedoms = [one.contributions().freedom for one in sizes.values()]
    assert freedoms[0] < freedoms[1]
    for change in (fp.compare(*sizes.values()), fp.compare(*reversed(sizes.values()))):
        assert change.contributions().freedom == freedoms[0]


def test_intervals_of_two_periods_cover():
    truth = {("sex", "pay"): 0.0, ("sex", "job"): -0.5, ("sex", "job", "pay"): -0.4}
    inside = []
    for k in range(40):
        one, other = (
            straight(period(n, 2 * k + i, effect), 1.0, 1.0, intervals="refit", seed=k)
            for i, (n, effect) in enumerate([(240, 1.0), (400, 0.5)])
        )
        change = fp.compare(one, other)
        assert not change.paired
        found = [change.contribution([nodes]) for nodes in truth]
        ends = zip([*found, change.disparity], [*truth.values(), -0.9], strict=True)
        inside.append([e.low < value < e.high for e, value in ends])
    covered = np.mean(inside, axis=0)
    assert (covered >= 0.82).all()
    assert 0.89 < covered.mean() < 1


def test_what_is_shown():
    change = found("models")
    text = repr(change)
    assert text.startswith("change of demographic parity, probability: sex = 1 minus 0: 0.")
    assert all(str(path) in text for path in change.paths)
    assert "█" * 24 in text
    assert "note: the same people" in text
    assert "hired = not 1" in repr(found("odds"))
    assert isinstance(change.disparity, Estimate)
    assert list(found("three strata").disparity) == list(pair("three strata")[0].disparity)
    columns = ["kind", "path", "stratum", "before", "after", "change", "low", "high"]
    assert list(change.table()) == columns
    assert list(found("odds").table()) == [*columns[:3], "outcome", *columns[3:]]
    polars = explained(pl.from_pandas(people()))
    assert isinstance(fp.compare(polars, polars).table(), pl.DataFrame)


def test_refusals():
    table, one = people(), pair("points")[0]
    others = {
        "the sensitive attribute: sex before, city": {"sensitive": "city"},
        r"its levels: \(0, 1\) before, \(0, 2\) after": {"data": table.assign(sex=table.sex * 2)},
        "the reference: 0 before, 1 after": {"reference": 1},
        "the output: probability before, score after": {"output": "score"},
        "the disparity: demographic parity before, equal opportunity after": {
            "disparity": "equal_opportunity", "outcome": "hired", "graph": WITH_OUTCOME,
        },
    }  # fmt: skip
    for message, options in others.items():
        other = explained(**{"data": table, **options})
        with pytest.raises(fp.DataError, match=f"differ in .*{message}"):
            fp.compare(one, other)
    decisions = [explained(table, output="decision", threshold=t) for t in (0.4, 0.5)]
    with pytest.raises(fp.DataError, match=r"the threshold: 0.4 before, 0.5 after"):
        fp.compare(*decisions)
    with pytest.raises(fp.DataError, match="two explanations, got dict"):
        fp.compare(one, {})
