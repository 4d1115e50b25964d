"""The network that learns: an actor that sees what its seat sees, and a critic that may see the whole deal."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import MlpExtractor
from torch import Tensor


class _SplitExtractor(MlpExtractor):
    """Hidden layers of which the actor's see the first entries of an observation, the critic's all."""

    def __init__(self, features_dim: int, actor_inputs: int, **settings: Any) -> None:
        super().__init__(features_dim, **settings)
        self.actor_inputs = actor_inputs
        self.policy_net = MlpExtractor(actor_inputs, **settings).policy_net

    def forward_actor(self, features: Tensor) -> Tensor:
        """The actor's last hidden layer."""
        return self.policy_net(features[..., : self.actor_inputs])


class FullCriticPolicy(MaskableActorCriticPolicy):
    """MaskablePPO's policy for observations that go on behind what the seat sees: only the critic sees the rest.

    Seeing all cards the critic predicts a deal's end better, and advantages become less noisy. It is needed for learning
    alone: a trained policy is its actor.

    Args:
        args: as for `MaskableActorCriticPolicy`.
        actor_inputs: how many entries, the first ones, the actor sees.
        settings: as for `MaskableActorCriticPolicy`.
    """

    def __init__(self, *args: Any, actor_inputs: int, **settings: Any) -> None:
        self.actor_inputs = actor_inputs
        super().__init__(*args, **settings)

    def predict(self, observation: Any, *args: Any, **settings: Any) -> tuple[npt.NDArray[Any], Any]:
        """As in SB3; rows may end with what the seat sees, int8 (actor_inputs,) or (n, actor_inputs)."""
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
        return {**super()._get_constructor_parameters(), "actor_inputs": self.actor_inputs}
