"""Limits of networks, and checks of weights from a file, before anything is computed with them."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

ACTIVATIONS = ("relu", "tanh")  # names of the activation functions
MOST_WIDTH = 16_384  # the most values that a layer takes or gives
MOST_LAYERS = 32  # the most hidden layers
MOST_WEIGHT = 1e6  # the greatest weight, below which sums stay numbers
MOST_ARRAYS = 6 * (MOST_LAYERS + 1)  # in a file: weights and biases of an actor, a critic and a belief network

Layer = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]  # weights (outputs, inputs), and biases (outputs,)


def check_weights(weights: Mapping[str, Any]) -> None:
    """Checks that arrays can be the weights and biases of a network. Names end in ``.weight`` for two dimensions (outputs,
    inputs) and in ``.bias`` for one. Raises ValueError naming an array with another name, type, shape or size, or with an
    entry that is no number or too great."""
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


def perceptron_layers(weights: Mapping[str, Any], hidden: str, output: str) -> dict[str, Layer]:
    """Returns the layers of a multilayer perceptron by name, in their order, from a policy's state dict as arrays.
    ``hidden`` begins the names of the numbered hidden layers, ``output`` is that of the last. Raises ValueError for other
    names or a layer without weights or biases."""
    numbers = [name.removeprefix(f"{hidden}.").removesuffix(".weight") for name in weights if name.startswith(hidden)]
    found = {number for number in numbers if not number.endswith(".bias")}
    if not all(number.isdecimal() and len(number) < 4 for number in found):
        raise ValueError("the weights are those of no multilayer perceptron: its layers have other names than numbers")
    # By their numbers: by their names, as files have them, the tenth layer comes before the second.
    names = [*(f"{hidden}.{number}" for number in sorted(found, key=int)), output]
    try:
        return {name: (weights[f"{name}.weight"], weights[f"{name}.bias"]) for name in names}
    except KeyError as error:
        raise ValueError(f"the weights are those of no multilayer perceptron: {error} is missing") from None


def arrays_by_name(layers: Iterable[tuple[str, Layer]]) -> dict[str, npt.NDArray[np.float32]]:
    """Returns the weights and biases of named layers by torch's names, the inverse of `perceptron_layers`."""
    return {f"{name}.{kind}": part for name, layer in layers for kind, part in zip(("weight", "bias"), layer, strict=True)}
