"""The actor of most policies as it plays: a multilayer perceptron over observations, suits renamed on the way.

One kernel decides a row from end to end: the entries of the observation that are not 0 are listed, renamed to canonical
suits, shortened (see `_fold_first_layer`), sent through the layers, and an action is chosen under the names that the game knows.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams, lowest, nonzero, read_bits
from cardenvs.compiled.jit import helper, kernel
from cardenvs.contract.spec import GameSpec
from cardenvs.train.inference.actor import HIDDEN, OUTPUT, Weights, list_legal, pick_action
from cardenvs.train.inference.layers import Layers, run_layers
from cardenvs.train.inference.symmetry import Naming, NamingSpace, SuitSymmetry, naming_number
from cardenvs.train.inference.weights import Layer, perceptron

_OTHER_SEATS = ("left", "partner", "right")
OTHERS = len(_OTHER_SEATS)
"""Number of other seats whose possible cards observations show."""


class Net(NamedTuple):
    """The network as kernels take it."""

    varies: Ints
    """int64 (k,), by entry that the network sees: 0 for those that the bias of the first layer holds already, else 1."""
    could_hold: Ints
    """int64 (2,), from `could_hold_part`: where the observation's sets of cards that the other seats could hold begin, and
    how many cards there are."""
    naming: Naming
    """The names of suits that it sees."""
    weights: Floats
    """float32, from `Layers.weights`, the first layer folded."""
    shapes: Ints
    """int64 (layers, 3), from `Layers.shapes`."""
    tanh: bool
    """From `Layers.tanh`."""


class NetSpace(NamedTuple):
    """Work arrays for the evaluation of a network."""

    legal: Ints
    """int64 (num_actions,), the legal actions of a position."""
    logits: Floats
    """float32 (num_actions,), the network's logit for each of these."""
    naming: NamingSpace
    """For the suits' names."""
    inputs: Ints
    """int64, from `Layers.work_space`."""
    values: Floats
    """float32, from `Layers.work_space`."""
    hidden: Floats
    """float32, from `Layers.work_space`."""


@helper
def legal_logits(observations: Bytes, row: int, several: int, net: Net, space: NetSpace) -> None:
    """Writes the network's logits for the legal actions of a position to ``space.logits``.

    Args:
        observations: int8 (n, observation_size).
        row: the position.
        several: how many entries of ``space.legal`` are in use: the position's legal actions.
        net: the network.
        space: of the sizes that `PlainActor.net_space` gives.
    """
    naming, inputs = net.naming, space.inputs
    width = len(net.varies)
    first, cards = int(net.could_hold[0]), int(net.could_hold[1])  # as plain Python, too, `nonzero` counts on Python's ints
    listed = nonzero(observations, row, 0, first, inputs, 0)
    listed = nonzero(observations, row, first + OTHERS * cards, width, inputs, listed)
    number = naming_number(observations, row, inputs, listed, naming, space.naming)
    count = 0
    for k in range(listed):
        column = inputs[k]
        inputs[count] = naming.entries[number, column]
        count += net.varies[column]
    if cards > 0:
        left = read_bits(observations, row, first, cards)
        partner = read_bits(observations, row, first + cards, cards)
        right = read_bits(observations, row, first + 2 * cards, cards)
        some = left | partner | right
        while some != 0:
            card = lowest(some)
            some &= some - 1
            who = left >> card & 1 | (partner >> card & 1) << 1 | (right >> card & 1) << 2
            inputs[count] = width + (naming.entries[number, first + card] - first << OTHERS) + who
            count += 1
    space.values[:count] = 1.0
    run_layers(net.weights, net.shapes, net.tanh, inputs, space.values, count, space.hidden)
    for k in range(several):
        space.logits[k] = space.hidden[0, naming.actions[number, space.legal[k]]]


@kernel
def _choose_actions(
    observations: Bytes, masks: Bytes, streams: Streams, sample: bool, net: Net, space: NetSpace, out: Ints
) -> None:  # fmt: skip
    """Chooses an action in every row."""
    for row in range(len(out)):
        several = list_legal(masks, row, space.legal)
        if several < 2:
            out[row] = space.legal[0] if several else 0
            continue
        legal_logits(observations, row, several, net, space)
        out[row] = pick_action(space.logits, space.legal, several, sample, streams, row)


def could_hold_part(game: GameSpec) -> tuple[int, int]:
    """First entry of an observation's sets of cards that the other three seats could hold, and the number of cards.

    The number of cards is 0 where the observation has no such parts, or more cards than a card set holds (63).
    """
    named = [game.slices.get(f"could_hold_{seat}") for seat in _OTHER_SEATS]
    parts = [part for part in named if part is not None]
    apart = len(parts) < OTHERS or any(a.stop != b.start for a, b in itertools.pairwise(parts))
    cards = 0 if apart else parts[0].stop - parts[0].start
    if not 0 < cards <= 63:
        return game.observation_size, 0
    return parts[0].start, cards


def _fold_first_layer(layer: Layer, constant: Ints, shown: Bytes, first: int, cards: int) -> Layer:
    """A first layer that takes more inputs at a time: its bias holds the columns that are always the same.

    Behind the observation come, card by card, eight inputs for which of the three other seats could hold the card: the sum
    of up to three weights each. A third of all entries that are not 0 are of this kind, most of them three at a time.
    """
    weight, bias = layer
    bias = bias + weight[:, constant[shown != 0]].sum(1, dtype=np.float32)
    could = weight[:, first : first + OTHERS * cards].reshape(len(bias), OTHERS, cards)
    who = np.arange(1 << OTHERS) >> np.arange(OTHERS)[:, None] & 1
    return np.concatenate([weight, np.einsum("hoc,ow->hcw", could, who).reshape(len(bias), -1)], 1, dtype=np.float32), bias


class PlainActor:
    """The actor of `cardenvs.train.learning.network.FullCriticPolicy`, a multilayer perceptron.

    Args:
        game: the game whose observations and actions the network knows.
        weights: the policy's state dict as float32 arrays; other parts than the actor are ignored.
        activation: the activation function of the hidden layers, a name in `cardenvs.train.models.shapes.ACTIVATIONS`.
        symmetry: how the network names suits; None if it names them as the game does.
        constant: int64 (k,), columns of an observation in which the network is always to see the same, whatever they hold.
        shown: int8 (k,), what the network is to see in the columns ``constant``.
        size: number of entries of an observation that the network sees, the first ones; None: all.

    Attributes:
        net: the network as kernels take it.

    Raises:
        ValueError: weights that are no such network, or not for this game; an unknown activation.
    """

    def __init__(
        self,
        game: GameSpec,
        weights: Weights,
        activation: str,
        symmetry: SuitSymmetry | None,
        constant: Ints,
        shown: Bytes,
        size: int | None = None,
    ) -> None:
        could_hold = np.array(could_hold_part(game) if size is None else (size, 0))
        size = game.observation_size if size is None else size
        layers = perceptron(weights, HIDDEN, OUTPUT)
        self._names, self._layers = list(layers), list(layers.values())
        self._net = Layers(self._layers, activation)
        if self._net.inputs != size:
            raise ValueError(f"the weights take {self._net.inputs} values, but {game.name} shows {size}")
        if self._net.outputs != game.num_actions:
            raise ValueError(f"the weights give {self._net.outputs} actions, but {game.name} has {game.num_actions}")
        constant, shown = constant[constant < size], shown[constant < size]
        folded = _fold_first_layer(self._layers[0], constant, shown, *could_hold)
        self._playing = Layers([folded, *self._layers[1:]], activation)
        varies = np.ones(size, np.int64)
        varies[constant] = 0
        named = SuitSymmetry(game, names=False) if symmetry is None else symmetry
        playing, self._naming_space = self._playing, named.space
        self.net = Net(varies, could_hold, named.naming, playing.weights, playing.shapes, playing.tanh)

    def net_space(self) -> NetSpace:
        """Arrays for kernels that ask the network to work in."""
        size = self.net.naming.actions.shape[1]
        space = np.empty(size, np.int64), np.empty(size, np.float32), self._naming_space()
        return NetSpace(*space, *self._playing.work_space())

    def named_weights(self) -> dict[str, Floats]:
        """The network's weights and biases, float32, by the names that the network was made with."""
        named = zip(self._names, self._layers, strict=True)
        return {
            f"{name}.{kind}": part for name, layer in named for kind, part in zip(("weight", "bias"), layer, strict=True)
        }

    def logits(self, observations: Bytes) -> Floats:
        """The network's logit for each action, as `Actor.logits` returns them."""
        return self._net(observations[:, : len(self.net.varies)])

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams, sample: bool) -> Ints:
        """A legal action in each position, as `Actor.choose` returns them."""
        out = np.empty(len(observations), np.int64)
        _choose_actions(observations, action_masks, streams, sample, self.net, self.net_space(), out)
        return out
