"""Checks of a network's weights that come from a file: types, shapes and numbers, before anything is computed with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardenvs.train.shapes import MOST_LAYERS, MOST_WEIGHT, MOST_WIDTH

MOST_ARRAYS = 4 * (MOST_LAYERS + 1)
"""The most arrays of a file: weights and biases of an actor and of a belief network."""


def check_weights(weights: Mapping[str, Any]) -> None:
    """Checks that arrays can be the weights and biases of a network.

    Args:
        weights: arrays by name; a name ends in ``.weight`` for two dimensions (outputs, inputs), in ``.bias`` for one.

    Raises:
        ValueError: another name, type, shape or size, or an entry that is no number or too great a one; names the array.
    """
    if len(weights) > MOST_ARRAYS:
        raise ValueError(f"there are {len(weights)} arrays of weights, more than {MOST_ARRAYS}")
    for name, array in weights.items():
        dimensions = {"weight": 2, "bias": 1}.get(name.rpartition(".")[2])
        if dimensions is None:
            raise ValueError(f"the array {name[:80]!r} is neither a weight nor a bias")
        if not isinstance(array, np.ndarray) or array.dtype != np.float32:
            raise ValueError(f"{name[:80]!r} must be of float32, not {getattr(array, 'dtype', type(array).__name__)}")
        if array.ndim != dimensions or not all(1 <= width <= MOST_WIDTH for width in array.shape):
            raise ValueError(
                f"{name[:80]!r} must have {dimensions} dimensions of 1 to {MOST_WIDTH}, not the shape {array.shape}"
            )
        if not (np.abs(array) <= MOST_WEIGHT).all():
            raise ValueError(
                f"{name[:80]!r} has entries that are no numbers from {-MOST_WEIGHT:,.0f} to {MOST_WEIGHT:,.0f}"
            )
