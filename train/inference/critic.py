"""Critics: the networks of trained policies that estimate a seat's expected reward, for searches.

They are the critics of `cardenvs.train.learning.network`, which learn beside the actors; tests hold the two together.
"""

from __future__ import annotations

import numpy as np

from cardenvs.compiled.bits import Bytes, Floats
from cardenvs.contract.spec import GameSpec
from cardenvs.train.inference.actor import Weights
from cardenvs.train.inference.columns import ALONE, BESIDE, COLUMNS, FEATURES, column_features
from cardenvs.train.inference.layers import Layers
from cardenvs.train.inference.weights import perceptron

HIDDEN, OUTPUT = "mlp_extractor.value_net", "value_net"
"""The beginnings of the names of the critic's weights: in its hidden layers, and in its last layer."""
CRITIC_PARTS = (HIDDEN, OUTPUT)
"""The beginnings of the names of all the critic's weights."""


class Critic:
    """The critic of `cardenvs.train.learning.network.FullCriticPolicy`, a multilayer perceptron.

    Attributes:
        inputs: how many entries of a full state the network takes, from the first on: all, or those that the seat sees.

    Args:
        game: the game whose states the network knows.
        weights: the policy's state dict as float32 arrays; other parts than the critic are passed over.
        activation: the activation function of the hidden layers, a name in `cardenvs.train.models.shapes.ACTIVATIONS`.
        shown: number of entries of an observation that the network sees, ahead of what the seat cannot see; None: all.

    Raises:
        ValueError: weights that are no such network, or not for this game; an unknown activation.
    """

    def __init__(self, game: GameSpec, weights: Weights, activation: str, shown: int | None = None) -> None:
        self._layers = perceptron(weights, HIDDEN, OUTPUT)
        self._net = Layers(list(self._layers.values()), activation)
        self.inputs = self._net.inputs
        least = game.observation_size if shown is None else shown
        most = least + game.state_size - game.observation_size
        if self.inputs not in (least, most):
            sizes = f"{least} or {most}"
            raise ValueError(f"the critic takes {self.inputs} values, but {game.name} shows {sizes}")
        if self._net.outputs != 1:
            raise ValueError(f"the critic gives {self._net.outputs} values, not 1")

    def __call__(self, states: Bytes) -> Floats:
        """Expected rewards of the seats to act, float32 (n,).

        Args:
            states: int8 (n, state_size), as the network knows them: with canonical suits, or less of an observation, if
                it was trained so.
        """
        return self._net(states[:, : self.inputs])[:, 0]

    def weights(self) -> dict[str, Floats]:
        """The network's weights and biases, float32, by the names that the network was made with."""
        named = self._layers.items()
        return {
            f"{name}.{kind}": part for name, layer in named for kind, part in zip(("weight", "bias"), layer, strict=True)
        }


class ColumnCritic(Critic):
    """The critic of `cardenvs.train.learning.network.ColumnPolicy`: Five-O, with weights that the columns share.

    Args:
        game: Five-O.
        weights: the policy's state dict as float32 arrays; other parts than the critic are passed over.
        activation: the activation function of the hidden layers, a name in `cardenvs.train.models.shapes.ACTIVATIONS`.
        shown: not used: the network sees all of an observation.

    Raises:
        ValueError: weights that are no such network; an unknown activation.
    """

    def __init__(self, game: GameSpec, weights: Weights, activation: str, shown: int | None = None) -> None:
        parts = [f"{HIDDEN}.{ALONE}", f"{HIDDEN}.{BESIDE}", OUTPUT]
        try:
            self._layers = {part: (weights[f"{part}.weight"], weights[f"{part}.bias"]) for part in parts}
        except KeyError as error:
            raise ValueError(f"the weights are those of no column network: {error} is missing") from None
        alone, beside, head = self._layers.values()
        self.inputs = game.observation_size
        self._alone, self._beside, self._head = Layers([alone]), Layers([beside]), Layers([head])
        widths = [(layers.inputs, layers.outputs) for layers in (self._alone, self._beside, self._head)]
        width, wider = widths[0][1], widths[1][1]
        if widths != [(FEATURES, width), (2 * width, wider), (wider, 1)]:
            raise ValueError(f"the weights are those of no column network: its critic has layers of {widths}")
        self._tanh = Layers([alone], activation).tanh

    def __call__(self, states: Bytes) -> Floats:
        """Expected rewards of the seats to act, as `Critic` returns them."""
        features = column_features(np.ascontiguousarray(states[:, : self.inputs]))
        own = self._apply_activation(self._alone(features.reshape(-1, FEATURES))).reshape(len(features), COLUMNS, -1)
        both = np.concatenate([own, np.broadcast_to(own.mean(1, keepdims=True), own.shape)], 2)
        beside = self._apply_activation(self._beside(both.reshape(-1, both.shape[2]))).reshape(len(features), COLUMNS, -1)
        return self._head(beside.mean(1))[:, 0]

    def _apply_activation(self, values: Floats) -> Floats:
        """The activation function of some values."""
        return np.asarray(np.tanh(values) if self._tanh else np.maximum(values, 0), np.float32)


def critic_of(game: GameSpec, weights: Weights, activation: str, shown: int | None = None) -> Critic | None:
    """The critic among a policy's weights; None if there is none. Arguments as in `Critic`.

    Raises:
        ValueError: weights that are no critic, or not for this game; an unknown activation.
    """
    if f"{OUTPUT}.weight" not in weights:
        return None
    columns = any(name.startswith(f"{HIDDEN}.{ALONE}") for name in weights)
    return (ColumnCritic if columns else Critic)(game, weights, activation, shown)
