"""Compiled layers compute what matrix products do."""

import itertools

import numpy as np
import pytest

from cardenvs.compiled.bits import Bytes, Floats
from cardenvs.train.inference.layers import Layers, softmax


def layers(rng: np.random.Generator, *widths: int) -> list[tuple[Floats, Floats]]:
    return [
        ((rng.normal(size=(o, i)) / np.sqrt(i)).astype(np.float32), rng.normal(size=o).astype(np.float32))
        for i, o in itertools.pairwise(widths)
    ]


def products(rows: Bytes | Floats, net: list[tuple[Floats, Floats]], activation: str) -> np.ndarray:
    x = rows.astype(np.float64)
    for k, (weight, bias) in enumerate(net):
        x = x @ weight.T.astype(np.float64) + bias
        if k < len(net) - 1:
            x = np.tanh(x) if activation == "tanh" else np.maximum(x, 0)
    return x


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("widths", [(1, 1), (7, 3), (70, 64, 5), (200, 65, 130, 35), (33, 16, 16, 16, 2)])
def test_layers_are_matrix_products(widths: tuple[int, ...], activation: str) -> None:
    rng = np.random.default_rng(sum(widths))
    net = layers(rng, *widths)
    made = Layers(net, activation)
    assert (made.inputs, made.outputs) == (widths[0], widths[-1])
    sparse = (rng.random((20, widths[0])) < 0.2).astype(np.int8)
    for rows in (sparse, np.zeros_like(sparse), np.ones_like(sparse), rng.normal(size=sparse.shape).astype(np.float32)):
        outputs = made(rows)
        assert outputs.dtype == np.float32 and outputs.shape == (20, widths[-1])
        assert outputs == pytest.approx(products(rows, net, activation), abs=2e-5)
    assert made(sparse[:0]).shape == (0, widths[-1])
    wide = np.zeros((40, 2 * widths[0]), np.int8)
    wide[::2, : widths[0]] = sparse
    assert (made(wide[::2, : widths[0]]) == made(sparse)).all(), "rows need not lie next to each other"


def test_weights_begin_where_a_cache_line_does() -> None:
    for _ in range(5):
        made = Layers(layers(np.random.default_rng(0), 50, 40, 30))
        assert made.weights.ctypes.data % 64 == 0 and made.work_space()[2].ctypes.data % 64 == 0
        assert (made.shapes[:, 1] % 64 == 0).all()


def test_what_does_not_fit() -> None:
    rng = np.random.default_rng(0)
    (first,), (second,) = layers(rng, 5, 4), layers(rng, 3, 2)
    with pytest.raises(ValueError, match=r"do not fit together: a layer of \(2, 3\) after 4 values"):
        Layers([first, second])
    with pytest.raises(ValueError, match="do not fit together"):
        Layers([(first[0], first[1][:-1])])
    with pytest.raises(ValueError, match="activation must be one of relu, tanh, not 'step'"):
        Layers([first], "step")
    with pytest.raises(ValueError, match=r"rows must be of shape \(n, 5\), not \(2, 6\)"):
        Layers([first])(np.zeros((2, 6), np.int8))


def test_softmax() -> None:
    logits = np.array([[0.0, np.log(3), -np.inf], [1000.0, -1000.0, 1000.0]])
    assert softmax(logits) == pytest.approx(np.array([[0.25, 0.75, 0], [0.5, 0, 0.5]]))
    assert softmax(logits).dtype == np.float32
