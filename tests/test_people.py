"""Who is explained: digests that tell the same people from others."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fairpath as fp
from worlds import explained, mixed, mixed_chance, number, people, score

TABLE = people()


def straight(name):
    return lambda rows: number(rows, name)


def asked(table=TABLE, model=score, **options):
    return explained(table, model, **{"output": "score", "intervals": "refit", **options})


ONE = asked()


def paired(other):
    assert ONE.people.are_divided_like(other.people) == fp.compare(ONE, other).paired
    return fp.compare(ONE, other).paired


def test_the_same_people():
    assert paired(ONE)
    assert paired(asked(pl.from_pandas(TABLE)))
    assert paired(asked(pa.Table.from_pandas(TABLE), links="forest", rounds=1))
    assert paired(asked(TABLE.assign(city=TABLE["city"].astype("int8"))))
    assert paired(asked(model=straight("pay"), inputs=["pay"]))
    assert paired(asked(outcome="hired", keep_rows=False))
    assert paired(asked(sample_weight=np.ones(240)))


def test_other_people():
    assert not paired(asked(TABLE.sample(frac=1, random_state=1)))
    assert not paired(asked(TABLE[:-1]))
    assert not paired(asked(TABLE.assign(pay=TABLE["pay"] + 1e-9)))
    assert not paired(asked(sample_weight=np.full(240, 2.0)))
    assert not ONE.people.are(asked(sample_weight=np.full(240, 2.0), intervals=None).people)
    hired = asked(outcome="hired")
    fired = asked(TABLE.assign(hired=1 - TABLE["hired"]), outcome="hired")
    assert not hired.people.are(fired.people)


@pytest.mark.parametrize("options", [{"seed": 3}, {"intervals": None}])
def test_the_same_people_in_other_parts(options):
    other = asked(**options)
    assert ONE.people.are(other.people)
    assert not paired(other)


def test_other_rows_that_teach_are_other_parts():
    lessons = [asked(links_from=people(n, 5)) for n in (300, 300, 310)]
    assert fp.compare(*lessons[:2]).paired
    assert not fp.compare(*lessons[1:]).paired
    assert lessons[0].people.are(ONE.people)


def test_strata_in_the_same_order_say_little():
    alone = {}
    for name in ("job", "pay"):
        graph = fp.CausalGraph.parse(f"sex -> {name}")
        columns = TABLE[["sex", name]]
        alone[name] = asked(columns, straight(name), inputs=[name], graph=graph)
    assert alone["job"].people.columns["sex"] == alone["pay"].people.columns["sex"]
    assert not fp.compare(alone["job"], alone["pay"]).paired
    assert fp.compare(alone["job"], alone["job"]).paired


def test_labels_are_what_they_say():
    # Their codes depend on what other tables hold.
    words = TABLE.assign(city=np.where(TABLE["city"] == 1, "Rome", "Oslo"))
    more = pd.concat([words, words.assign(city=words["city"].replace("Rome", "Bern"))])
    other = words.assign(city=words["city"].replace("Rome", "Bern"))

    def model(rows):
        return number(rows, "pay") + (np.asarray(rows["city"]) == "Oslo")

    found = [
        explained(table, model, output="score", links_from=lesson, rounds=1)
        for table, lesson in [(words, words), (words, more), (other, other)]
    ]
    codes = [one.study.columns["city"] for one in found]
    assert (codes[0] != codes[1]).any()
    assert found[0].people.are(found[1].people)
    assert (codes[0] == 1 - codes[2]).all()
    assert not found[0].people.are(found[2].people)


def test_missing_is_missing():
    tables = [mixed(), mixed().convert_dtypes(), pl.from_pandas(mixed())]
    found = [explained(table, mixed_chance, rounds=1).people for table in tables]
    assert mixed()["pay"].isna().any()
    assert found[0].are(found[1])
    assert found[0].are(found[2])
    filled = explained(mixed().fillna({"pay": 0.0}), mixed_chance, rounds=1)
    assert not found[0].are(filled.people)
