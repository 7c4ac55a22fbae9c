"""PyTorch modules answer without gradients, without dropout, and are left as they were."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fairpath.errors import DataError
from fairpath.models import check_answers, inputs_of
from models_helpers import NUMERIC, PEOPLE, answers, each_container, scored

torch = pytest.importorskip("torch")

SINGLE = torch.as_tensor(NUMERIC.to_numpy(dtype=np.float32))


def network(*last, width=1):
    torch.manual_seed(0)
    nn = torch.nn
    return nn.Sequential(
        nn.BatchNorm1d(3), nn.Linear(3, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, width), *last
    )


def settled(model):
    """Return the answer of a module in eval mode, and put it back."""
    model.eval()
    with torch.no_grad():
        answer = model(SINGLE).double().numpy()
    model.train()
    return answer


@each_container
def test_a_probability_for_each_row(container):
    model = network(torch.nn.Sigmoid())
    expected = settled(model).ravel()
    assert expected.std() > 0.01
    assert inputs_of(model) is None
    score, rows = scored(model, container(NUMERIC))
    assert_array_equal(score(rows), expected)
    assert score.notes == ()
    assert_array_equal(answers(model, container(NUMERIC), output="score"), expected)
    cut = float(np.median(expected))
    decided = answers(model, container(NUMERIC), output="decision", threshold=cut)
    assert_array_equal(decided == 1, expected > cut)


def test_one_dimension():
    model = network(torch.nn.Sigmoid(), torch.nn.Flatten(0))
    assert settled(model).ndim == 1
    assert_array_equal(answers(model, NUMERIC), settled(model))


def test_two_columns():
    model = network(torch.nn.Softmax(dim=1), width=2)
    assert_array_equal(answers(model, NUMERIC), settled(model)[:, 1])
    assert_array_equal(answers(model, NUMERIC, favourable=0), settled(model)[:, 0])


def test_logits_are_no_probabilities():
    model = network()
    with pytest.raises(DataError, match=r"no probabilities. Use output='score'.* sigmoid"):
        scored(model, NUMERIC)
    assert_array_equal(answers(model, NUMERIC, output="score"), settled(model).ravel())
    both = network(torch.nn.Sigmoid(), width=2)
    with pytest.raises(DataError, match=r"for one row add up to .* softmax"):
        scored(both, NUMERIC)
    with pytest.raises(DataError, match=r"shape \(300, 3\)"):
        scored(network(width=3), NUMERIC, output="score")


def test_words_are_refused():
    with pytest.raises(DataError, match=r"numbers only, and column 'sex' holds words"):
        scored(network(), PEOPLE, inputs=["sex", "age", "hours"])


def test_double_precision():
    model = network(torch.nn.Sigmoid()).double()
    model.eval()
    with torch.no_grad():
        expected = model(SINGLE.double()).numpy().ravel()
    assert_allclose(answers(model, NUMERIC), expected, rtol=1e-6)
    assert answers(model, NUMERIC).dtype == np.float64


class Constant(torch.nn.Module):
    def forward(self, rows):
        return rows[:, 1] / 100


def test_a_module_without_parameters():
    assert_allclose(answers(Constant(), NUMERIC), NUMERIC["age"] / 100, rtol=1e-6)


def test_modes_are_restored():
    model = network(torch.nn.Sigmoid())
    model.train()
    model[0].eval()
    before = [part.training for part in model.modules()]
    assert len(set(before)) == 2
    score, rows = scored(model, NUMERIC)
    first = score(rows)
    assert [part.training for part in model.modules()] == before
    assert torch.is_grad_enabled()
    assert_array_equal(score(rows), first)
    assert check_answers(score, rows) == ()

    def broken(*_):
        raise RuntimeError("no")

    model[1].register_forward_hook(broken)
    with pytest.raises(DataError, match=r"Sequential failed on 300 rows with RuntimeError: no"):
        score(rows)
    assert [part.training for part in model.modules()] == before


class Meeting(torch.nn.Module):
    """Waits in the middle of its answer until another thread is there too, or has left."""

    def __init__(self):
        super().__init__()
        self.inner = network(torch.nn.Sigmoid())
        self.barrier = None

    def forward(self, rows):
        if self.barrier is not None:
            self.barrier.wait(timeout=10)
        return self.inner(rows)


def test_threads_never_see_dropout():
    model = Meeting()
    model.train()
    score, rows = scored(model, NUMERIC)
    expected = score(rows)
    model.barrier = Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        for _ in range(30):
            for got in pool.map(score, [rows, rows]):
                assert_array_equal(got, expected)
    assert all(part.training for part in model.modules())


def test_missing_numbers_reach_the_module():
    data = NUMERIC.assign(hours=NUMERIC["hours"].where(NUMERIC.index > 4))
    with pytest.raises(DataError, match=r"NaN or infinity for 5 of 300 rows"):
        scored(network(torch.nn.Sigmoid()), pd.DataFrame(data))
