"""Rates, their ratio, standardised differences, and decisions split into score and threshold."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import fairpath as fp
from worlds import INPUTS, WITH_OUTCOME, chance, explained, hired, people, score


def test_rates_and_their_ratio_by_hand():
    table = people(500, 1)
    found = explained(table, output="decision", outcome="hired", intervals="refit", reference=0)
    (row,) = found.measures().to_dict("records")
    said = chance(table) > 0.5
    ones, zeros = (said[table["sex"] == k] for k in (1, 0))
    assert_allclose([row["rate"], row["reference_rate"]], [ones.mean(), zeros.mean()])
    assert_allclose(row["ratio"], ones.mean() / zeros.mean())
    assert row["four_fifths"] == (min(row["ratio"], 1 / row["ratio"]) >= 0.8)
    # Katz: the variance of the logarithm is the sum of (1 - p) / (n p), here with n - 1.
    variance = sum((1 - s.mean()) / s.mean() / (len(s) - 1) for s in (ones, zeros))
    reach = 1.959964 * np.sqrt(variance)
    ends = [row["ratio_low"], row["ratio_high"]]
    assert_allclose(ends, row["ratio"] * np.exp([-reach, reach]), rtol=1e-6)
    pooled = np.sqrt((ones.var() * len(ones) + zeros.var() * len(zeros)) / (len(said) - 2))
    assert_allclose(row["standardised"], (ones.mean() - zeros.mean()) / pooled)
    assert row["standardised_low"] < row["standardised"] < row["standardised_high"]


def test_ratios_cover_the_truth():
    inside = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        sex = rng.integers(0, 2, 400)
        yes = (rng.random(400) < 0.3 + 0.2 * sex).astype(float)
        found = fp.explain(
            lambda rows: rows["yes"],
            pd.DataFrame({"sex": sex, "yes": yes}),
            graph=fp.CausalGraph.parse("sex -> yes"),
            sensitive="sex",
            inputs=["yes"],
            links="linear",
        )
        (row,) = found.measures().to_dict("records")
        inside += row["ratio_low"] <= 5 / 3 <= row["ratio_high"]
    assert 0.95 - 3 * np.sqrt(0.95 * 0.05 / 200) < inside / 200


@pytest.mark.parametrize("name", ["demographic_parity", "equalized_odds", "accuracy_parity"])
def test_contributions_count_in_other_units(name):
    _, found = hired(disparity=name, intervals="refit", rounds=1)
    plain, measures = found.table(), found.measures()
    for unit, total in (
        ("ratio", measures["ratio"] - 1),
        ("standard deviations", measures["standardised"]),
    ):
        table = found.table(unit)
        by = [column for column in ("stratum", "outcome") if column in table]
        sums = table.groupby(by, sort=False)["contribution"].sum()
        assert_allclose(sums.to_numpy(), total, rtol=1e-12)
        assert_allclose(table["utility"], plain["utility"])
        width = (table["high"] - table["low"]) / (plain["high"] - plain["low"])
        assert_allclose(width, table["contribution"] / plain["contribution"], rtol=1e-9)
    with pytest.raises(fp.DataError, match="unit must be"):
        found.table("percent")


def test_scores_have_no_ratio():
    found = explained(people(300, 1), score, output="score", reference=0)
    assert found.measures()[["ratio", "ratio_low", "ratio_high"]].isna().all(axis=None)
    assert found.measures()["four_fifths"].tolist() == [None]
    assert found.table("ratio")["contribution"].isna().all()


@pytest.mark.parametrize("method", ["exact", "sampled"])
@pytest.mark.parametrize("intervals", [None, "refit"])
def test_a_decision_is_its_score_and_its_threshold(method, intervals):
    table = people(400, 2)
    options = {"outcome": "hired", "reference": 0, "method": method, "intervals": intervals}
    if method == "sampled":
        options["rounds"] = 2
    decided = explained(table, output="decision", **options)
    scored = explained(table, **options)
    split = fp.threshold_split(decided).set_index("path")
    for path in map(str, decided.paths):
        one, other = (found.contribution([path]) for found in (decided, scored))
        assert_allclose(split.loc[path, "contribution"], one.value, atol=1e-12)
        assert_allclose(split.loc[path, "score"], other.value, atol=1e-12)
        if intervals:
            assert_allclose(split.loc[path, "low"], one.low, atol=1e-12)
            assert_allclose(split.loc[path, "score_high"], other.high, atol=1e-12)
        else:
            assert np.isnan(split.loc[path, "threshold_low"])
    rest = split.loc["no path"]
    assert_allclose(rest["contribution"], decided.remainder.value, atol=1e-12)
    assert_allclose(split["contribution"], split["score"] + split["threshold"], atol=1e-12)
    assert_allclose(split["contribution"].sum(), decided.disparity.value, rtol=1e-12)


def test_decisions_are_split_under_every_disparity():
    _, found = hired(disparity="accuracy_parity", output="decision", rounds=1, inputs=INPUTS)
    _, scored = hired(disparity="accuracy_parity", rounds=1, inputs=INPUTS)
    split = fp.threshold_split(found).set_index("path")
    for path in map(str, found.paths):
        assert_allclose(split.loc[path, "score"], scored.contribution([path]).value, atol=1e-12)
    rest = scored.remainder.value + scored.apart.value
    assert_allclose(split.loc["no path", "score"], rest, atol=1e-12)


def test_what_cannot_be_split(tmp_path):
    table = people(300, 1)
    found = explained(table, output="decision", graph=WITH_OUTCOME)
    found.save(tmp_path / "found")
    with pytest.raises(fp.DataError, match="Explain again"):
        fp.threshold_split(fp.load(tmp_path / "found"))
    with pytest.raises(fp.DataError, match="output='decision'"):
        fp.threshold_split(explained(table))
