"""The actor of most policies: one kernel lists a row's entries, renames suits, runs the layers and picks an action."""

import itertools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams, lowest, nonzero, read_bits
from cardenvs.compiled.jit import helper, kernel
from cardenvs.compiled.streams import below
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import mask_bits
from cardenvs.train.inference.layers import Layers, run_layers
from cardenvs.train.inference.symmetry import Naming, NamingSpace, SuitSymmetry, naming_number
from cardenvs.train.models.weights import Layer, arrays_by_name, perceptron_layers

Weights = Mapping[str, npt.NDArray[np.float32]]  # weights and biases by torch's names

HIDDEN, OUTPUT = "mlp_extractor.policy_net", "action_net"  # prefixes of the names of the actor's weights
ACTOR_PARTS = (HIDDEN, OUTPUT)  # the beginnings of the names of all the actor's weights
_UNIT = 1 << 30  # a number below it is drawn for a number between 0 and 1
_OTHER_SEATS = ("left", "partner", "right")
OTHERS = len(_OTHER_SEATS)  # number of other seats whose possible cards observations show


class Net(NamedTuple):
    """The network as kernels take it."""

    varies: Ints  # int64 (k,), for each entry that the network sees 0 if the first layer's bias holds it already, else 1
    could_hold: Ints  # int64 (2,), from `could_hold_part`
    naming: Naming  # the names of suits that it sees
    weights: Floats  # float32, from `Layers.weights`, the first layer folded
    shapes: Ints  # int64 (layers, 3), from `Layers.shapes`
    tanh: bool  # from `Layers.tanh`


class NetSpace(NamedTuple):
    """Work arrays for the evaluation of a network."""

    legal: Ints  # int64 (num_actions,), the legal actions of a position
    logits: Floats  # float32 (num_actions,), the network's logit for each of these
    naming: NamingSpace  # for the suits' names
    inputs: Ints  # int64, from `Layers.work_space`
    values: Floats  # float32, from `Layers.work_space`
    hidden: Floats  # float32, from `Layers.work_space`


@helper
def list_legal(masks: Bytes, row: int, legal: Ints) -> int:
    """Lists the legal actions of a row in ``legal``, int64 (num_actions,), ascending; returns their number."""
    if masks.shape[1] > 63:
        return nonzero(masks, row, 0, masks.shape[1], legal, 0)
    count = 0
    bits = mask_bits(masks, row)
    while bits != 0:
        legal[count] = lowest(bits)
        count += 1
        bits &= bits - 1
    return count


@helper
def pick_action(logits: Floats, legal: Ints, count: int, sample: bool, streams: Streams, row: int) -> int:
    """Returns one of ``count`` legal actions: the first of the highest logit, or with ``sample`` one drawn by the softmax.
    ``logits`` are those of the ``legal`` actions, in their order; overwritten when drawing from the stream of ``row``."""
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


@helper
def legal_logits(observations: Bytes, row: int, several: int, net: Net, space: NetSpace) -> None:
    """Writes the network's logits for a row's ``several`` actions in ``space.legal`` to ``space.logits``."""
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
    for row in range(len(out)):
        several = list_legal(masks, row, space.legal)
        if several < 2:
            out[row] = space.legal[0] if several else 0
            continue
        legal_logits(observations, row, several, net, space)
        out[row] = pick_action(space.logits, space.legal, several, sample, streams, row)


def could_hold_part(game: GameSpec) -> tuple[int, int]:
    """Returns the first entry of an observation's sets of cards that other seats could hold, and the number of cards. The
    number of cards is 0 where the observation has no such parts, or more cards than a card set holds (63)."""
    named = [game.slices.get(f"could_hold_{seat}") for seat in _OTHER_SEATS]
    parts = [part for part in named if part is not None]
    apart = len(parts) < OTHERS or any(a.stop != b.start for a, b in itertools.pairwise(parts))
    cards = 0 if apart else parts[0].stop - parts[0].start
    if not 0 < cards <= 63:
        return game.observation_size, 0
    return parts[0].start, cards


def _fold_first_layer(layer: Layer, constant: Ints, shown: Bytes, first: int, cards: int) -> Layer:
    """Folds constant columns of a first layer into its bias, and adds eight inputs for each card behind the observation.
    These say which of the three other seats could hold the card, as sums of up to three weights. A third of all entries
    that are not 0 are of this kind, most of them three at a time."""
    weight, bias = layer
    bias = bias + weight[:, constant[shown != 0]].sum(1, dtype=np.float32)
    could = weight[:, first : first + OTHERS * cards].reshape(len(bias), OTHERS, cards)
    who = np.arange(1 << OTHERS) >> np.arange(OTHERS)[:, None] & 1
    return np.concatenate([weight, np.einsum("hoc,ow->hcw", could, who).reshape(len(bias), -1)], 1, dtype=np.float32), bias


class PlainActor:
    """The actor of `cardenvs.train.learning.network.FullCriticPolicy`, a multilayer perceptron. ``weights`` is the policy's
    state dict; in columns ``constant``, int64 (k,), the network always sees ``shown``, int8 (k,); it sees the first
    ``size`` entries of an observation (None: all). Raises ValueError for weights that do not fit the game."""

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
        self._layers = perceptron_layers(weights, HIDDEN, OUTPUT)
        first, *others = self._layers.values()
        self._net = Layers(list(self._layers.values()), activation)
        if self._net.inputs != size:
            raise ValueError(f"the weights take {self._net.inputs} values, but {game.name} shows {size}")
        if self._net.outputs != game.num_actions:
            raise ValueError(f"the weights give {self._net.outputs} actions, but {game.name} has {game.num_actions}")
        constant, shown = constant[constant < size], shown[constant < size]
        self._playing = Layers([_fold_first_layer(first, constant, shown, *could_hold), *others], activation)
        varies = np.ones(size, np.int64)
        varies[constant] = 0
        named = SuitSymmetry(game, names=False) if symmetry is None else symmetry
        playing, self._naming_space = self._playing, named.naming_space
        self.net = Net(varies, could_hold, named.naming, playing.weights, playing.shapes, playing.tanh)

    def net_space(self) -> NetSpace:
        """Returns work arrays for kernels that evaluate the network."""
        size = self.net.naming.actions.shape[1]
        space = np.empty(size, np.int64), np.empty(size, np.float32), self._naming_space()
        return NetSpace(*space, *self._playing.work_space())

    def named_weights(self) -> dict[str, Floats]:
        """Returns the network's weights and biases, float32, by the names that it was made with."""
        return arrays_by_name(self._layers.items())

    def logits(self, observations: Bytes) -> Floats:
        """Returns the logit of each action, float32 (n, num_actions); observations have canonical suits if training had."""
        return self._net(observations[:, : len(self.net.varies)])

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams, sample: bool) -> Ints:
        """Chooses a legal action in each row, int64 (n,): the likeliest, or with ``sample`` one drawn; 0 if none.
        Observations are as the game shows them; streams are drawn from only to sample among several actions."""
        out = np.empty(len(observations), np.int64)
        _choose_actions(observations, action_masks, streams, sample, self.net, self.net_space(), out)
        return out
