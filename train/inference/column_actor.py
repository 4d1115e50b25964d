"""The actor of Five-O's policies: a small network with weights that the five columns share (`columns.py`)."""

import numpy as np

from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams
from cardenvs.compiled.jit import helper, kernel
from cardenvs.contract.spec import GameSpec
from cardenvs.train.inference.columns import COLUMNS, FEATURES, column_features, column_layers
from cardenvs.train.inference.layers import Layers, add_rows, list_inputs
from cardenvs.train.inference.plain_actor import HIDDEN, OUTPUT, Weights, list_legal, pick_action
from cardenvs.train.models.weights import arrays_by_name


@kernel
def _choose_by_logits(logits: Floats, masks: Bytes, streams: Streams, sample: bool, out: Ints) -> None:
    """Chooses an action in every row by given logits."""
    legal, chosen_from = np.empty(masks.shape[1], np.int64), np.empty(masks.shape[1], np.float32)
    for row in range(len(out)):
        count = list_legal(masks, row, legal)
        for k in range(count):
            chosen_from[k] = logits[row, legal[k]]
        out[row] = pick_action(chosen_from, legal, count, sample, streams, row) if count > 1 else legal[0] if count else 0


@helper
def _apply_activation(values: Floats, width: int, tanh: bool) -> None:
    """Applies the activation function to the first ``width`` values in place."""
    for k in range(width):
        values[k] = np.tanh(values[k]) if tanh else max(values[k], np.float32(0.0))


@kernel
def _column_logits(
    features: Floats, alone: Floats, own: Floats, mean: Floats, head: Floats, bias: float, shapes: Ints, tanh: bool,
    inputs: Ints, values: Floats, out: Floats,
) -> None:  # fmt: skip
    """Writes the logit of each column."""
    first, second = shapes[0, 1], shapes[1, 1]
    hidden, total = np.empty((COLUMNS, first), np.float32), np.empty((1, first), np.float32)
    all_five, beside = np.empty((1, second), np.float32), np.empty((1, second), np.float32)
    for row in range(len(out)):
        total[:] = 0.0
        for k in range(COLUMNS):
            count = list_inputs(features[row], k, inputs, values)
            inputs[count] = shapes[0, 0]
            values[count] = 1.0
            add_rows(alone, 0, inputs, values, count + 1, False, hidden[k : k + 1], first)
            _apply_activation(hidden[k], first, tanh)
            for j in range(first):
                total[0, j] += hidden[k, j] / np.float32(COLUMNS)
        count = list_inputs(total, 0, inputs, values)
        inputs[count] = shapes[1, 0]
        values[count] = 1.0
        add_rows(mean, 0, inputs, values, count + 1, False, all_five, second)
        for k in range(COLUMNS):
            count = list_inputs(hidden, k, inputs, values)
            add_rows(own, 0, inputs, values, count, False, beside, second)
            for j in range(second):
                beside[0, j] += all_five[0, j]
            _apply_activation(beside[0], second, tanh)
            logit = bias
            for j in range(len(head)):
                logit += beside[0, j] * head[j]
            out[row, k] = logit


class ColumnActor:
    """The actor of `cardenvs.train.learning.network.ColumnPolicy`: Five-O, with weights that the columns share. ``weights``
    is the policy's state dict, of which other parts are ignored; methods are those of `PlainActor`. Raises ValueError for
    weights that are no such network, another game or an unknown activation."""

    def __init__(self, game: GameSpec, weights: Weights, activation: str) -> None:
        if game.column_game is None:
            raise ValueError(f"the weights are those of a network for the columns of five-o, not for {game.name}")
        self._layers = column_layers(weights, HIDDEN, OUTPUT)
        (alone, first), (beside, second), (head, bias) = self._layers.values()
        width, wider = len(first), len(second)
        allowed = ((width, FEATURES), (wider, 2 * width), (1, wider))
        for (part, (weight, _)), wanted in zip(self._layers.items(), allowed, strict=True):
            if weight.shape != wanted:
                shapes = f"{part} is of shape {weight.shape}, not {wanted}"
                raise ValueError(f"the weights are those of no column network: {shapes}")
        if bias.shape != (1,):
            raise ValueError(f"the weights are those of no column network: {OUTPUT} has the biases {bias.shape}, not (1,)")
        # A column's own numbers beside the mean of all five: as two products the mean is multiplied once.
        under = Layers([(alone, first)], activation)
        own = Layers([(beside[:, :width], np.zeros_like(second))], activation)
        mean = Layers([(beside[:, width:], second)], activation)
        self._nets = (under.weights, own.weights, mean.weights)
        self._shapes = np.array([under.shapes[0, :2], own.shapes[0, :2]])
        self._tanh = under.tanh
        self._head, self._bias = head[0], float(bias[0])

    def named_weights(self) -> dict[str, Floats]:
        return arrays_by_name(self._layers.items())

    def logits(self, observations: Bytes) -> Floats:
        features = column_features(observations)
        out = np.empty((len(features), COLUMNS), np.float32)
        widest = int(self._shapes.max()) + 1
        _column_logits(
            features, *self._nets, self._head, self._bias, self._shapes, self._tanh, np.empty(widest, np.int64),
            np.empty(widest, np.float32), out,
        )  # fmt: skip
        return out

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams, sample: bool) -> Ints:
        out = np.empty(len(observations), np.int64)
        _choose_by_logits(self.logits(observations), action_masks, streams, sample, out)
        return out
