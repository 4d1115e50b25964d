"""Critics: compiled networks that estimate a seat's expected reward, for searches; tests hold them to those that learn."""

import numpy as np

from cardenvs.compiled.bits import Bytes, Floats
from cardenvs.contract.spec import GameSpec
from cardenvs.train.inference.columns import ALONE, COLUMNS, FEATURES, column_features, column_layers
from cardenvs.train.inference.layers import Layers
from cardenvs.train.inference.plain_actor import Weights
from cardenvs.train.models.weights import perceptron_layers

HIDDEN, OUTPUT = "mlp_extractor.value_net", "value_net"  # prefixes of the names of the critic's weights
CRITIC_PARTS = (HIDDEN, OUTPUT)  # the beginnings of the names of all the critic's weights


class Critic:
    """The critic of `cardenvs.train.learning.network.FullCriticPolicy`, a multilayer perceptron over states. Its ``inputs``
    are the first entries of a full state: all, or those that the seat sees, of which the network sees ``shown`` (None:
    all). Raises ValueError for weights that are no such network or not for this game, and an unknown activation."""

    def __init__(self, game: GameSpec, weights: Weights, activation: str, shown: int | None = None) -> None:
        self._net = Layers(list(perceptron_layers(weights, HIDDEN, OUTPUT).values()), activation)
        self.inputs = self._net.inputs
        least = game.observation_size if shown is None else shown
        most = least + game.state_size - game.observation_size
        if self.inputs not in (least, most):
            raise ValueError(f"the critic takes {self.inputs} values, but {game.name} shows {least} or {most}")
        if self._net.outputs != 1:
            raise ValueError(f"the critic gives {self._net.outputs} values, not 1")

    def __call__(self, states: Bytes) -> Floats:
        """Returns expected rewards of the seats to act, float32 (n,), from int8 (n, state_size) as in training."""
        return self._net(states[:, : self.inputs])[:, 0]


class ColumnCritic(Critic):
    """The critic of `cardenvs.train.learning.network.ColumnPolicy`: Five-O, with weights that the columns share."""

    def __init__(self, game: GameSpec, weights: Weights, activation: str, shown: int | None = None) -> None:
        alone, beside, head = column_layers(weights, HIDDEN, OUTPUT).values()
        self.inputs = game.observation_size
        self._alone, self._beside, self._head = Layers([alone]), Layers([beside]), Layers([head])
        widths = [(layers.inputs, layers.outputs) for layers in (self._alone, self._beside, self._head)]
        width, wider = widths[0][1], widths[1][1]
        if widths != [(FEATURES, width), (2 * width, wider), (wider, 1)]:
            raise ValueError(f"the weights are those of no column network: its critic has layers of {widths}")
        self._tanh = Layers([alone], activation).tanh

    def __call__(self, states: Bytes) -> Floats:
        features = column_features(np.ascontiguousarray(states[:, : self.inputs]))
        own = self._apply_activation(self._alone(features.reshape(-1, FEATURES))).reshape(len(features), COLUMNS, -1)
        both = np.concatenate([own, np.broadcast_to(own.mean(1, keepdims=True), own.shape)], 2)
        beside = self._apply_activation(self._beside(both.reshape(-1, both.shape[2]))).reshape(len(features), COLUMNS, -1)
        return self._head(beside.mean(1))[:, 0]

    def _apply_activation(self, values: Floats) -> Floats:
        return np.asarray(np.tanh(values) if self._tanh else np.maximum(values, 0), np.float32)


def critic_of(game: GameSpec, weights: Weights, activation: str, shown: int | None = None) -> Critic | None:
    """Returns the critic among a policy's weights, None if there is none; arguments and errors as in `Critic`."""
    if f"{OUTPUT}.weight" not in weights:
        return None
    columns = any(name.startswith(f"{HIDDEN}.{ALONE}") for name in weights)
    return (ColumnCritic if columns else Critic)(game, weights, activation, shown)
