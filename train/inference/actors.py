"""The networks of trained policies as they play: compiled, from observations to actions, without torch.

`cardenvs.train.learning.network` has the same networks as they learn; tests hold the two together.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Protocol

import numpy as np
import numpy.typing as npt

from cardenvs.cards import Bytes, Floats, Ints, Streams, below, lowest, nonzero, read_bits
from cardenvs.jit import helper, kernel
from cardenvs.policy import mask_bits
from cardenvs.spec import GameSpec
from cardenvs.train.inference.columns import ALONE, BESIDE, COLUMNS, FEATURES, column_features
from cardenvs.train.inference.layers import Layers, add_rows, forward, list_inputs
from cardenvs.train.inference.symmetry import SuitSymmetry, name_suits, renamed

Weights = Mapping[str, npt.NDArray[np.float32]]
"""A network's weights and biases, by the names that torch gives them."""

HIDDEN, OUTPUT = "mlp_extractor.policy_net", "action_net"
ACTOR_PARTS = (HIDDEN, OUTPUT)
"""How the names of the actor's weights begin."""
_UNIT = 1 << 30
_OTHERS = 3

_Layer = tuple[Floats, Floats]
"""Weights and biases."""


class Actor(Protocol):
    """A network that plays."""

    def weights(self) -> dict[str, Floats]:
        """The network, by the names that it was made with."""

    def logits(self, observations: Bytes) -> Floats:
        """A number for each action, float32 (n, num_actions), of observations as the network knows them."""

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams, sample: bool) -> Ints:
        """A legal action in each position, int64 (n,): the likeliest, or one drawn; 0 where there is none.

        Args:
            observations: int8 (n, observation_size), as the game shows them.
            action_masks: int8 (n, num_actions).
            streams: uint64 (n,), random streams, which are drawn from only to ``sample`` among several actions.
            sample: draw by the network's probabilities.
        """


@helper
def _legal(masks: Bytes, row: int, legal: Ints) -> int:
    """Lists the legal actions; returns how many."""
    count = 0
    bits = mask_bits(masks, row)
    while bits != 0:
        legal[count] = lowest(bits)
        count += 1
        bits &= bits - 1
    return count


@helper
def _pick(logits: Floats, legal: Ints, count: int, sample: bool, streams: Streams, row: int) -> int:
    """Which of the first ``count`` of the ``legal`` actions is chosen by their logits, in the same order."""
    best = 0
    for k in range(1, count):
        if logits[k] > logits[best]:
            best = k
    if not sample:
        return int(legal[best])
    highest, total = logits[best], 0.0
    for k in range(count):
        logits[k] = np.exp(logits[k] - highest)
        total += logits[k]
    left = (below(streams, row, _UNIT) + 0.5) / _UNIT * total
    for k in range(count):
        left -= logits[k]
        if left <= 0.0:
            return int(legal[k])
    return int(legal[best])


@kernel
def _choose(
    observations: Bytes, masks: Bytes, streams: Streams, sample: bool, varies: Ints, together: Ints, columns: Ints,
    actions: Ints, paired: bool, weights: Floats, shapes: Ints, tanh: bool, inputs: Ints, values: Floats, hidden: Floats,
    out: Ints,
) -> None:  # fmt: skip
    """Decides every row; see `PlainActor.choose`."""
    size, width = masks.shape[1], len(varies)
    legal, found = np.empty(size, np.int64), np.empty(size, np.float32)
    scratch, new = np.empty(4, np.int64), np.empty(4, np.int64)
    first, cards = together[0], together[1]
    for row in range(len(out)):
        several = _legal(masks, row, legal)
        if several < 2:
            out[row] = legal[0] if several else 0
            continue
        listed = nonzero(observations, row, 0, first, inputs, 0)
        listed = nonzero(observations, row, first + _OTHERS * cards, width, inputs, listed)
        name_suits(inputs, listed, columns, paired, scratch, new)
        count = 0
        for k in range(listed):
            column = inputs[k]
            inputs[count] = renamed(column, columns, new)
            count += varies[column]
        if cards > 0:
            left = read_bits(observations, row, first, cards)
            partner = read_bits(observations, row, first + cards, cards)
            right = read_bits(observations, row, first + 2 * cards, cards)
            some = left | partner | right
            while some != 0:
                card = lowest(some)
                some &= some - 1
                who = left >> card & 1 | (partner >> card & 1) << 1 | (right >> card & 1) << 2
                inputs[count] = width + (renamed(first + card, columns, new) - first << _OTHERS) + who
                count += 1
        values[:count] = 1.0
        forward(weights, shapes, tanh, inputs, values, count, hidden)
        for k in range(several):
            found[k] = hidden[0, renamed(legal[k], actions, new)]
        out[row] = _pick(found, legal, several, sample, streams, row)


def _together(game: GameSpec) -> tuple[int, int]:
    """Where an observation begins to say who of the three others could hold each card, and how many cards there are."""
    parts = [game.slices.get(f"could_hold_{seat}") for seat in ("left", "partner", "right")]
    found = [part for part in parts if part is not None]
    apart = len(found) < _OTHERS or any(a.stop != b.start for a, b in itertools.pairwise(found))
    cards = 0 if apart else found[0].stop - found[0].start
    if not 0 < cards <= 63:  # no such parts, or more cards than a card set holds
        return game.observation_size, 0
    return found[0].start, cards


def _folded(layer: _Layer, constant: Ints, shown: Bytes, first: int, cards: int) -> _Layer:
    """A first layer that takes more at a time: a bias that holds what is always seen, and more inputs.

    Behind the observation come, card by card, eight inputs for which of the three others could hold it: the sum of up to
    three weights each. A third of all entries that are not 0 are of this kind, most of them three at a time.
    """
    weight, bias = layer
    bias = bias + weight[:, constant[shown != 0]].sum(1, dtype=np.float32)
    could = weight[:, first : first + _OTHERS * cards].reshape(len(bias), _OTHERS, cards)
    who = np.arange(1 << _OTHERS) >> np.arange(_OTHERS)[:, None] & 1
    return np.concatenate([weight, np.einsum("hoc,ow->hcw", could, who).reshape(len(bias), -1)], 1, dtype=np.float32), bias


class PlainActor:
    """The actor of `cardenvs.train.learning.network.FullCriticPolicy`, a multilayer perceptron.

    Args:
        game: whose observations and actions.
        weights: the policy's state dict; other parts than the actor are ignored.
        activation: of the hidden layers, by name.
        symmetry: how the network names suits, if not as the game does.
        constant: columns of an observation, int64 (k,), of which it always sees this, whatever stands there:
        shown: int8 (k,).

    Raises:
        ValueError: weights that are no such network, or not for this game; an unknown activation.
    """

    def __init__(
        self, game: GameSpec, weights: Weights, activation: str, symmetry: SuitSymmetry | None, constant: Ints, shown: Bytes
    ) -> None:
        names = [name.removesuffix(".weight") for name in weights if name.startswith(HIDDEN) and name.endswith(".weight")]
        self._names = [*names, OUTPUT]
        try:
            self._layers = [(weights[f"{name}.weight"], weights[f"{name}.bias"]) for name in self._names]
        except KeyError as error:
            raise ValueError(f"the weights are those of no multilayer perceptron: {error} is missing") from None
        self._net = Layers(self._layers, activation)
        if self._net.inputs != game.observation_size:
            raise ValueError(f"the weights take {self._net.inputs} values, but {game.name} shows {game.observation_size}")
        if self._net.outputs != game.num_actions:
            raise ValueError(f"the weights give {self._net.outputs} actions, but {game.name} has {game.num_actions}")
        self._together = np.array(_together(game))
        folded = _folded(self._layers[0], constant, shown, *self._together)
        self._playing = Layers([folded, *self._layers[1:]], activation)
        self._varies = np.ones(game.observation_size, np.int64)
        self._varies[constant] = 0
        if symmetry is None:
            as_it_is = np.zeros((4, game.observation_size), np.int64), np.zeros((2, game.num_actions), np.int64)
            self._naming = (*as_it_is, False)
        else:
            self._naming = (symmetry.columns, symmetry.actions, symmetry.paired)

    def weights(self) -> dict[str, Floats]:
        """See `Actor.weights`."""
        named = zip(self._names, self._layers, strict=True)
        return {
            f"{name}.{kind}": part for name, layer in named for kind, part in zip(("weight", "bias"), layer, strict=True)
        }

    def logits(self, observations: Bytes) -> Floats:
        """See `Actor.logits`."""
        return self._net(observations)

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams, sample: bool) -> Ints:
        """See `Actor.choose`."""
        out = np.empty(len(observations), np.int64)
        net = self._playing
        _choose(
            observations, action_masks, streams, sample, self._varies, self._together, *self._naming, net.weights,
            net.shapes, net.tanh, *net.work_space(), out,
        )  # fmt: skip
        return out


@kernel
def _choose_among(logits: Floats, masks: Bytes, streams: Streams, sample: bool, out: Ints) -> None:
    """Decides every row whose logits are there."""
    legal, found = np.empty(masks.shape[1], np.int64), np.empty(masks.shape[1], np.float32)
    for row in range(len(out)):
        count = _legal(masks, row, legal)
        for k in range(count):
            found[k] = logits[row, legal[k]]
        out[row] = _pick(found, legal, count, sample, streams, row) if count > 1 else legal[0] if count else 0


@helper
def _activate(values: Floats, width: int, tanh: bool) -> None:
    for k in range(width):
        values[k] = np.tanh(values[k]) if tanh else max(values[k], np.float32(0.0))


@kernel
def _column_logits(
    features: Floats, alone: Floats, own: Floats, mean: Floats, head: Floats, bias: float, shapes: Ints, tanh: bool,
    inputs: Ints, values: Floats, out: Floats,
) -> None:  # fmt: skip
    """Writes a number for each column.

    Args:
        features: float32 (n, 5, FEATURES).
        alone: weights of the first layer, as in `Layers`.
        own: those of the second layer that belong to the column itself, and
        mean: those for the mean over all columns.
        head: float32, weights of the last layer.
        bias: of the last layer.
        shapes: int64 (2, 2): inputs and outputs of the first and the second layer, padded.
        tanh: whether this is the activation; else it is the rectifier.
        inputs: int64, work space, as is ``values``.
        values: float32.
        out: float32 (n, 5).
    """
    first, second = shapes[0, 1], shapes[1, 1]
    hidden, total = np.empty((COLUMNS, first), np.float32), np.empty((1, first), np.float32)
    all_five, found = np.empty((1, second), np.float32), np.empty((1, second), np.float32)
    for row in range(len(out)):
        total[:] = 0.0
        for k in range(COLUMNS):
            count = list_inputs(features[row], k, inputs, values)
            inputs[count] = shapes[0, 0]
            values[count] = 1.0
            add_rows(alone, 0, inputs, values, count + 1, False, hidden[k : k + 1], first)
            _activate(hidden[k], first, tanh)
            for j in range(first):
                total[0, j] += hidden[k, j] / np.float32(COLUMNS)
        count = list_inputs(total, 0, inputs, values)
        inputs[count] = shapes[1, 0]
        values[count] = 1.0
        add_rows(mean, 0, inputs, values, count + 1, False, all_five, second)
        for k in range(COLUMNS):
            count = list_inputs(hidden, k, inputs, values)
            add_rows(own, 0, inputs, values, count, False, found, second)
            for j in range(second):
                found[0, j] += all_five[0, j]
            _activate(found[0], second, tanh)
            logit = bias
            for j in range(len(head)):
                logit += found[0, j] * head[j]
            out[row, k] = logit


class ColumnActor:
    """The actor of `cardenvs.train.learning.network.ColumnPolicy`: Five-O, with weights that the columns share.

    Args:
        game: Five-O.
        weights: the policy's state dict; other parts than the actor are ignored.
        activation: of the hidden layers, by name.

    Raises:
        ValueError: weights that are no such network, or another game; an unknown activation.
    """

    def __init__(self, game: GameSpec, weights: Weights, activation: str) -> None:
        if game.name != "five-o":
            raise ValueError(f"the weights are those of a network for the columns of five-o, not for {game.name}")
        parts = [f"{HIDDEN}.{ALONE}", f"{HIDDEN}.{BESIDE}", OUTPUT]
        try:
            self._layers = {part: (weights[f"{part}.weight"], weights[f"{part}.bias"]) for part in parts}
        except KeyError as error:
            raise ValueError(f"the weights are those of no column network: {error} is missing") from None
        (alone, first), (beside, second), (head, bias) = self._layers.values()
        width, wider = len(first), len(second)
        for part, wanted in zip(parts, ((width, FEATURES), (wider, 2 * width), (1, wider)), strict=True):
            if self._layers[part][0].shape != wanted:
                shapes = f"{part} is of shape {self._layers[part][0].shape}, not {wanted}"
                raise ValueError(f"the weights are those of no column network: {shapes}")
        # A column's own numbers beside the mean of all five: as two products the mean is multiplied once.
        under = Layers([(alone, first)], activation)
        own = Layers([(beside[:, :width], np.zeros_like(second))], activation)
        mean = Layers([(beside[:, width:], second)], activation)
        self._nets = (under.weights, own.weights, mean.weights)
        self._shapes = np.array([under.shapes[0, :2], own.shapes[0, :2]])
        self._tanh = under.tanh
        self._head, self._bias = head[0], float(bias[0])

    def weights(self) -> dict[str, Floats]:
        """See `Actor.weights`."""
        return {
            f"{part}.{kind}": layer
            for part, layers in self._layers.items()
            for kind, layer in zip(("weight", "bias"), layers, strict=True)
        }

    def logits(self, observations: Bytes) -> Floats:
        """See `Actor.logits`."""
        features = column_features(observations)
        out = np.empty((len(features), COLUMNS), np.float32)
        widest = int(self._shapes.max()) + 1
        _column_logits(
            features, *self._nets, self._head, self._bias, self._shapes, self._tanh, np.empty(widest, np.int64),
            np.empty(widest, np.float32), out,
        )  # fmt: skip
        return out

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams, sample: bool) -> Ints:
        """See `Actor.choose`."""
        out = np.empty(len(observations), np.int64)
        _choose_among(self.logits(observations), action_masks, streams, sample, out)
        return out
