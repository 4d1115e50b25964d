"""The networks that learn, as Stable-Baselines3 wants them: one for any game, one for the columns of Five-O."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, MlpExtractor
from torch import Tensor, nn

from cardenvs.compiled.bits import Bytes, Floats, Ints
from cardenvs.contract.registry import get_game
from cardenvs.train.inference.column_actor import ColumnActor
from cardenvs.train.inference.columns import COLUMNS, FEATURES, column_features
from cardenvs.train.inference.critic import CRITIC_PARTS
from cardenvs.train.inference.layers import Layers
from cardenvs.train.inference.plain_actor import ACTOR_PARTS, HIDDEN, OUTPUT, Weights
from cardenvs.train.learning.descent import Workers, reduced_precision
from cardenvs.train.learning.rows import DenseRows, Rows, SparseRows
from cardenvs.train.models.checkpoint import as_arrays
from cardenvs.train.models.weights import perceptron_layers

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}  # by their names in settings


def actor_weights(policy: nn.Module) -> Weights:
    """Copies the weights of a policy's actor, float32, by their names in its state dict."""
    weights = policy.state_dict()
    return as_arrays({name: weights[name] for name in weights if name.startswith(ACTOR_PARTS)})


def load_weights(policy: nn.Module, weights: Weights, name: str) -> None:
    """Puts the weights of a trained actor into a policy, and those of its critic where they exist and fit. Raises
    ValueError, with ``name`` for the trained policy, if the actor has layers of other sizes."""
    own = policy.state_dict()
    with torch.no_grad():
        for parts in (ACTOR_PARTS, CRITIC_PARTS):
            mine = {key: tuple(tensor.shape) for key, tensor in own.items() if key.startswith(parts)}
            theirs = {key: array.shape for key, array in weights.items() if key.startswith(parts)}
            if mine == theirs:
                for key in mine:
                    own[key].copy_(torch.from_numpy(weights[key]))
            elif parts == ACTOR_PARTS:
                wrong = min(key for key in mine.keys() | theirs.keys() if mine.get(key) != theirs.get(key))
                raise ValueError(
                    f"start {name!r} does not fit the network of the run: "
                    f"{wrong} has the shape {theirs.get(wrong)} there, and {mine.get(wrong)} here"
                )


class LearningPolicy(MaskableActorCriticPolicy):
    """MaskablePPO's policy that also plays in compiled code and learns from rows prepared once for all epochs."""

    @abstractmethod
    def prepare_rows(self, observations: Bytes, threads: Workers) -> Rows:
        """Returns observations, int8 (n, d), n at least 1, as `logits` and `critic_values` take them."""

    @abstractmethod
    def logits(self, rows: Rows) -> Tensor:
        """Returns the actor's logit for each action, float32 (n, num_actions), before the softmax."""

    @abstractmethod
    def critic_values(self, rows: Rows) -> Tensor:
        """Returns the critic's values, float32 (n,)."""

    @abstractmethod
    def compiled_actor(self) -> Callable[[Bytes], Floats]:
        """Returns the actor with its present weights, in compiled code: from observations, int8 (n, d), to logits, float32.
        Several threads may call it at a time."""

    def evaluate_rows(self, rows: Rows, bfloat16: bool) -> tuple[Tensor, Tensor]:
        """Returns `logits` and `critic_values`, whose layers multiply in bfloat16 if ``bfloat16``."""
        with reduced_precision(self.device, bfloat16):
            return self.logits(rows), self.critic_values(rows)

    def _activation_name(self) -> str:
        return next(name for name, kind in ACTIVATIONS.items() if kind is self.activation_fn)


class _SplitExtractor(MlpExtractor):
    """Hidden layers of actor and critic: the actor's see the first entries of an observation, the critic's all entries."""

    def __init__(self, features_dim: int, actor_inputs: int, **settings: Any) -> None:
        super().__init__(features_dim, **settings)
        self.actor_inputs = actor_inputs
        self.policy_net = MlpExtractor(actor_inputs, **settings).policy_net

    def forward_actor(self, features: Tensor) -> Tensor:
        return self.policy_net(features[..., : self.actor_inputs])


class FullCriticPolicy(LearningPolicy):
    """MaskablePPO's policy whose critic alone sees what observations show behind the ``actor_inputs`` entries of the seat.
    Seeing all cards the critic predicts a deal's end better, and advantages become less noisy; a trained policy is its
    actor. ``could_hold`` (`could_hold_part`) is only a hint to what can be added up at a time."""

    def __init__(self, *args: Any, actor_inputs: int, could_hold: tuple[int, int] = (0, 0), **settings: Any) -> None:
        self.actor_inputs = actor_inputs
        self.could_hold = could_hold
        super().__init__(*args, **settings)

    def predict(self, observation: Any, *args: Any, **settings: Any) -> tuple[npt.NDArray[Any], Any]:
        """Predicts actions as SB3's method of the same name; rows may end with what the seat sees."""
        rows = np.asarray(observation)
        missing = self.observation_space.shape[0] - rows.shape[-1] if self.observation_space.shape else 0
        if rows.shape[-1] == self.actor_inputs and missing:
            rows = np.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(0, missing)])
        return super().predict(rows, *args, **settings)

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor = _SplitExtractor(
            self.features_dim,
            self.actor_inputs,
            net_arch=self.net_arch,
            activation_fn=self.activation_fn,
            device=self.device,
        )

    def _get_constructor_parameters(self) -> dict[str, Any]:
        ours = {"actor_inputs": self.actor_inputs, "could_hold": self.could_hold}
        return {**super()._get_constructor_parameters(), **ours}

    def prepare_rows(self, observations: Bytes, threads: Workers) -> Rows:
        if self.device.type == "cpu":
            return SparseRows.from_rows(observations, threads, *self.could_hold)
        return DenseRows(torch.from_numpy(observations).to(self.device))

    def logits(self, rows: Rows) -> Tensor:
        return _layer_outputs(rows, self.mlp_extractor.policy_net, self.action_net)

    def critic_values(self, rows: Rows) -> Tensor:
        return _layer_outputs(rows, self.mlp_extractor.value_net, self.value_net).flatten()

    def compiled_actor(self) -> Callable[[Bytes], Floats]:
        layers = Layers(list(perceptron_layers(actor_weights(self), HIDDEN, OUTPUT).values()), self._activation_name())
        return lambda observations: layers(observations[:, : self.actor_inputs])


def _layer_outputs(rows: Rows, hidden: nn.Sequential, last: nn.Module) -> Tensor:
    """Returns the outputs, float32 (n, k), of hidden layers and a last one, the first of which takes the rows."""
    first, *others = *hidden, last
    assert isinstance(first, nn.Linear) and isinstance(rows, (DenseRows, SparseRows))
    x = rows.apply_linear(first)
    for module in others:
        x = module(x)
    return x.float()


class _ColumnRows:
    """Rows of Five-O, int8 (n, observation_size), with features computed on demand, as they take far more memory."""

    def __init__(self, observations: Bytes, device: torch.device) -> None:
        self._observations, self._device = observations, device

    def __len__(self) -> int:
        return len(self._observations)

    def select_rows(self, numbers: Ints) -> _ColumnRows:
        return _ColumnRows(self._observations[numbers], self._device)

    @cached_property
    def features(self) -> Tensor:
        """The features of the rows, from `column_features`: float32 (n, 5 * FEATURES)."""
        return torch.from_numpy(column_features(self._observations).reshape(len(self), -1)).to(self._device)


def _features_of(rows: Rows) -> Tensor:
    assert isinstance(rows, _ColumnRows)
    return rows.features


class _Features(BaseFeaturesExtractor):
    """Turns SB3's observations into the features of `column_features`, float32 (n, 5 * FEATURES)."""

    def __init__(self, observation_space: Any) -> None:
        super().__init__(observation_space, COLUMNS * FEATURES)

    def forward(self, observations: Tensor) -> Tensor:
        rows = observations.to(torch.int8).cpu().numpy()
        return torch.from_numpy(column_features(rows).reshape(len(rows), -1)).to(observations.device)


class ColumnTrunk(nn.Module):
    """The hidden layers of a column network: from features (n, 5 * FEATURES) to float (n, 5, widths[1]), by column."""

    def __init__(self, widths: Sequence[int], activation: type[nn.Module]) -> None:
        super().__init__()
        self.alone = nn.Linear(FEATURES, widths[0])
        self.beside = nn.Linear(2 * widths[0], widths[1])
        self.activation = activation()

    def forward(self, features: Tensor) -> Tensor:
        x = self.activation(self.alone(features.reshape(-1, COLUMNS, FEATURES)))
        # A column's own numbers beside the mean of all five: as two products the mean is multiplied once.
        width = self.alone.out_features
        own, all_five = self.beside.weight[:, :width], self.beside.weight[:, width:]
        common = nn.functional.linear(x.mean(1, keepdim=True), all_five, self.beside.bias)
        hidden: Tensor = self.activation(nn.functional.linear(x, own) + common)
        return hidden


class _Trunks(nn.Module):
    """The hidden layers of actor and critic, under SB3's names."""

    def __init__(self, widths: Sequence[int], activation: type[nn.Module]) -> None:
        super().__init__()
        self.latent_dim_pi = self.latent_dim_vf = widths[-1]
        self.policy_net = ColumnTrunk(widths, activation)
        self.value_net = ColumnTrunk(widths, activation)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: Tensor) -> Tensor:
        hidden: Tensor = self.policy_net(features)
        return hidden

    def forward_critic(self, features: Tensor) -> Tensor:
        mean: Tensor = self.value_net(features).mean(1)
        return mean


class _Logits(nn.Linear):
    """The last layer of the actor: one logit for each column."""

    def __init__(self, width: int) -> None:
        super().__init__(width, 1)

    def forward(self, hidden: Tensor) -> Tensor:
        return super().forward(hidden).squeeze(-1)


class ColumnPolicy(LearningPolicy):
    """MaskablePPO's policy for Five-O with weights that the columns share; actor and critic see what the seat sees.
    ``net_arch`` is a list of two widths."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **{**settings, "features_extractor_class": _Features})

    def _build_mlp_extractor(self) -> None:
        assert isinstance(self.net_arch, list)
        self.mlp_extractor = _Trunks(self.net_arch, self.activation_fn)  # type: ignore[assignment]

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.action_net = _Logits(self.mlp_extractor.latent_dim_pi)
        nn.init.orthogonal_(self.action_net.weight, gain=0.01)
        nn.init.zeros_(self.action_net.bias)
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]

    def prepare_rows(self, observations: Bytes, threads: Workers) -> Rows:
        return _ColumnRows(observations, self.device)

    def logits(self, rows: Rows) -> Tensor:
        logits: Tensor = self.action_net(self.mlp_extractor.forward_actor(_features_of(rows))).float()
        return logits

    def critic_values(self, rows: Rows) -> Tensor:
        values: Tensor = self.value_net(self.mlp_extractor.forward_critic(_features_of(rows))).float()
        return values.flatten()

    def compiled_actor(self) -> Callable[[Bytes], Floats]:
        return ColumnActor(get_game("five-o"), actor_weights(self), self._activation_name()).logits
