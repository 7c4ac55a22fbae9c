"""An explanation as text, as a table for notebooks, and what it notes."""

import re
from functools import lru_cache
from html import unescape

import numpy as np
import pandas as pd
import pytest

import fairpath as fp
from fairpath.explanation.display import MOST_ROWS
from worlds import explained, mixed, mixed_chance, number, people


@lru_cache
def found(strata=("m", "f")):
    return explained(people(strata=strata), outcome="hired", method="exact", intervals="refit")


@pytest.mark.parametrize("strata", [("m", "f"), ("a", "b", "c")])
def test_text_and_html_show_the_numbers(strata):
    one = found(strata)
    text, html = repr(one), one._repr_html_()
    for stratum in (one.levels[c.stratum] for c in one.compared):
        disparity = one.disparity[stratum] if len(strata) > 2 else one.disparity
        table = one.table()
        for shown in (text, unescape(html)):
            assert f"sex = {stratum} minus {one.levels[one.reference]}" in shown
            assert str(disparity) in shown
            for row in table[table["stratum"] == stratum].to_dict("records"):
                assert row["path"] in shown
                assert f"{row['contribution']:+.4f}" in shown
                assert f"[{row['low']:+.4f}, {row['high']:+.4f}]" in shown
    assert f"utility {one.utility}" in text
    assert f"utility {one.utility}" in html
    assert all(note in unescape(html) for note in one.notes)
    bars = re.findall("█+$", text, flags=re.MULTILINE)
    assert max(map(len, bars)) == 24


def test_html_escapes_what_the_caller_named():
    evil = "<script>alert(1)</script>"
    table = people(strata=("m", evil)).rename(columns={"pay": evil, "sex": f"sex{evil}"})
    graph = fp.CausalGraph(directed=[(f"sex{evil}", evil), (evil, "hired")])
    one = explained(
        table, lambda rows: number(rows, evil), graph=graph, sensitive=f"sex{evil}",
        inputs=[evil], output="score", outcome="hired", links="auto", intervals="refit",
    )  # fmt: skip
    marked = fp.mark(one, contested=one.paths)
    for shown in (one, marked):
        html = shown._repr_html_()
        assert "<script" not in html
        assert html.count("&lt;script&gt;") >= 3
        assert evil in repr(shown)


def test_long_lists_are_cut_short():
    names = [f"x{i}" for i in range(MOST_ROWS + 5)]
    rng = np.random.default_rng(0)
    sex = np.arange(100) % 2
    table = pd.DataFrame(
        {"sex": sex} | {n: sex * i + rng.normal(size=100) for i, n in enumerate(names)}
    )
    graph = fp.CausalGraph(directed=[("sex", name) for name in names])
    one = explained(
        table, lambda rows: sum(number(rows, n) for n in names), graph=graph, inputs=names,
        output="score", rounds=1,
    )  # fmt: skip
    assert "… and 5 smaller paths" in repr(one)
    assert "… and 5 smaller paths" in one._repr_html_()
    assert len(repr(one).splitlines()) == MOST_ROWS + 3
    assert len(one.table()) == len(names) + 1


def test_notes_say_what_was_decided():
    table = mixed()
    asked = {"links": "auto", "outcome": "hired"}
    one = explained(table, mixed_chance, method="sampled", **asked)
    for feature in ("job", "hours", "pay"):
        assert any(note.startswith(f"link of {feature}: ") for note in one.notes)
    assert any(re.match(r"pairs of orders for each row: \d+ ", note) for note in one.notes)
    each = one.setting.evaluations / len(table)
    asked_for = f"model evaluations: {one.setting.evaluations}, {each:.1f} for each row explained"
    assert asked_for in one.notes
    assert "utility: hired = True is the favourable outcome" in one.notes
    assert "rounds of orders: 3" in explained(table, mixed_chance, method="sampled", rounds=3).notes
    assert any("all 128 coalitions" in note for note in found().notes)
    table = people(100)
    table["sex"] = np.arange(100) < 3
    with pytest.warns(UserWarning, match="only 3 rows"):
        few = explained(table, intervals="refit")
    assert "no intervals: a stratum has too few rows to be divided" in few.notes
    assert np.isnan(few.disparity.low)
