"""Trained policies: a network read from a checkpoint that plays like any other policy."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from cardenvs.cards import Bytes, Floats, Ints, Streams, below
from cardenvs.jit import kernel
from cardenvs.policy import Policy
from cardenvs.spec import GameSpec
from train.checkpoint import read_checkpoint
from train.symmetry import SuitSymmetry

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}
"""Activation functions by name."""

_CHUNK = 4096
_HIDDEN, _OUTPUT = "mlp_extractor.policy_net", "action_net"
ACTOR_PARTS = (_HIDDEN, _OUTPUT)
"""How the names of the actor's weights begin."""


@kernel
def _sample(probabilities: Floats, action_masks: Bytes, streams: Streams, out: Ints) -> None:
    for row in range(len(out)):
        left = (below(streams, row, 1 << 30) + 0.5) / (1 << 30)
        for action in range(action_masks.shape[1]):
            if action_masks[row, action]:
                out[row] = action  # the last legal action if rounding leaves something over
                left -= probabilities[row, action]
                if left <= 0.0:
                    break


class TrainedPolicy(Policy):
    """The actor of a `MaskablePPO` policy with a multilayer perceptron.

    Greedy, it chooses exactly what SB3's ``predict(..., deterministic=True)`` does (given the canonical observation).

    Args:
        game: name or spec.
        weights: the policy's state dict; other parts than the actor are ignored.
        activation: a name in `ACTIVATIONS`.
        sample: draw from the network's distribution instead of its mode.
        canonical_suits: whether the network was trained on canonical suit names (`SuitSymmetry`).

    Raises:
        ValueError: weights that are no such network, or not for this game.
    """

    def __init__(
        self,
        game: str | GameSpec,
        weights: Mapping[str, Tensor],
        activation: str = "relu",
        sample: bool = False,
        canonical_suits: bool = False,
    ) -> None:
        super().__init__(game)
        self.symmetry = SuitSymmetry(self.game) if canonical_suits else None
        if activation not in ACTIVATIONS:
            raise ValueError(f"activation must be one of {', '.join(ACTIVATIONS)}, not {activation!r}")
        self.sample = sample
        self.activation = ACTIVATIONS[activation]()
        names = [name.removesuffix(".weight") for name in weights if name.startswith(_HIDDEN) and name.endswith(".weight")]
        self._names = [*names, _OUTPUT]
        try:
            self.layers = [(weights[f"{name}.weight"].detach(), weights[f"{name}.bias"].detach()) for name in self._names]
        except KeyError as error:
            raise ValueError(f"the weights are those of no multilayer perceptron: {error} is missing") from None
        size = self.game.observation_size
        for weight, bias in self.layers:
            if weight.ndim != 2 or weight.shape != (len(bias), size):
                raise ValueError(f"the weights do not fit together: a layer of {tuple(weight.shape)} after {size} values")
            size = len(bias)
        if size != self.game.num_actions:
            raise ValueError(f"the weights give {size} actions, but {self.game.name} has {self.game.num_actions}")

    def weights(self) -> dict[str, Tensor]:
        """The network, by the names that it was made with."""
        named = zip(self._names, self.layers, strict=True)
        return {
            f"{name}.{kind}": part for name, layer in named for kind, part in zip(("weight", "bias"), layer, strict=True)
        }

    def probabilities(self, observations: Bytes, action_masks: Bytes) -> Floats:
        """The network's probability of each action: float32 (n, num_actions), 0 for illegal ones.

        Observations, masks and actions are as the network knows them: with canonical suits if it was trained so.
        """
        with torch.inference_mode():
            return self._distribution(observations, action_masks).numpy()

    def _distribution(self, observations: Bytes, action_masks: Bytes) -> Tensor:
        x = torch.from_numpy(observations).float()
        for weight, bias in self.layers[:-1]:
            x = self.activation(nn.functional.linear(x, weight, bias))
        weight, bias = self.layers[-1]
        logits = nn.functional.linear(x, weight, bias)
        # The steps of sb3_contrib's MaskableCategorical, so that even roundings agree.
        logits = logits - logits.logsumexp(-1, keepdim=True)
        logits = torch.where(torch.from_numpy(action_masks).bool(), logits, -1e8)
        logits = logits - logits.logsumexp(-1, keepdim=True)
        return torch.softmax(logits, -1)

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """See `Policy.choose`."""
        out = np.empty(len(observations), np.int64)
        for start in range(0, len(out), _CHUNK):
            rows = slice(start, start + _CHUNK)
            out[rows] = self._choose(observations[rows], action_masks[rows], streams[rows])
        return out

    def _choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        if self.symmetry is not None:
            observations, action_masks, names = self.symmetry.apply(observations, action_masks)
        with torch.inference_mode():
            probabilities = self._distribution(observations, action_masks)
            if self.sample:
                actions = np.empty(len(observations), np.int64)
                _sample(probabilities.numpy(), action_masks, streams, actions)
            else:
                actions = probabilities.argmax(1).numpy()
        return actions if self.symmetry is None else self.symmetry.restore(actions, names)


def load(game: GameSpec, path: str | os.PathLike[str], *, sample: bool = False, **unknown: Any) -> TrainedPolicy:
    """The policy in a checkpoint; no pickled code is run.

    Args:
        game: what it is to play.
        path: a ``.zip`` written by `train`.
        sample: draw from the network's distribution instead of its mode.
        unknown: taken only to be refused by name.

    Raises:
        FileNotFoundError: no such file.
        ValueError: no checkpoint, a damaged one, or one of another game or another layout; an unknown parameter.
    """
    for name in unknown:
        raise ValueError(f"unknown parameter {name!r} of policy {os.fspath(path)!r}: its parameters are sample")
    checkpoint = read_checkpoint(path)
    checkpoint.check_game(game)
    try:
        config = checkpoint.record["config"]
        return TrainedPolicy(
            game, checkpoint.tensors("policy"), config["activation"], sample, canonical_suits=config["canonical_suits"]
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"no policy can be loaded from {os.fspath(path)!r}: its settings lack {error}") from error
    except ValueError as error:
        raise ValueError(f"no policy can be loaded from {os.fspath(path)!r}: {error}") from error
