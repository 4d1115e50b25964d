"""The loss of MaskablePPO, over a share of a minibatch: the clipped surrogate, the critic's error, the entropy bonus."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import torch
from torch import Tensor

from cardenvs.cards import Ints
from cardenvs.train.learning.buffer import SeatRolloutBuffer

FIGURES = ("entropy_loss", "policy_gradient_loss", "value_loss", "approx_kl", "clip_fraction", "loss")
"""What `ppo_loss` tells beside the loss, by SB3's names."""

_ILLEGAL = -1e8  # the logit of an illegal action, as in sb3_contrib


@dataclass(frozen=True)
class Decisions:
    """Decisions to learn from, n of them, on the device that learns.

    Attributes:
        actions: int64 (n,), the actions taken.
        legal: bool (n, num_actions), the legal actions.
        log_probs: float32 (n,), the log-probabilities of the actions when they were taken.
        advantages: float32 (n,).
        returns: float32 (n,), what the critic is to learn.
    """

    actions: Tensor
    legal: Tensor
    log_probs: Tensor
    advantages: Tensor
    returns: Tensor

    @classmethod
    def of(cls, buffer: SeatRolloutBuffer, device: torch.device) -> Decisions:
        """The decisions of a rollout, in the order of `SeatRolloutBuffer.decisions`."""
        moves = buffer.decisions()

        def put(array: Any, *shape: int) -> Tensor:
            """The moves' entries of an array of the buffer, on the device."""
            return torch.from_numpy(array.reshape(-1, *shape)[moves]).to(device)

        return cls(
            actions=put(buffer.actions),
            legal=put(buffer.action_masks, buffer.mask_dims),
            log_probs=put(buffer.log_probs),
            advantages=put(buffer.advantages),
            returns=put(buffer.returns),
        )

    def take(self, chosen: Ints | slice) -> Decisions:
        """Some of the decisions.

        Args:
            chosen: int64 (k,), their numbers, or those in a row.
        """
        mine: dict[str, Tensor] = {field.name: getattr(self, field.name) for field in fields(self)}
        if isinstance(chosen, slice):
            return Decisions(**{name: tensor[chosen] for name, tensor in mine.items()})
        where = torch.from_numpy(chosen).to(self.actions.device)
        return Decisions(**{name: tensor.index_select(0, where) for name, tensor in mine.items()})


def masked_log_softmax(logits: Tensor, legal: Tensor) -> Tensor:
    """Log-probabilities of actions, float (n, num_actions); those of illegal ones are -1e8, whose exponential is 0.

    Args:
        logits: float (n, num_actions).
        legal: bool (n, num_actions).
    """
    return torch.log_softmax(torch.where(legal, logits, _ILLEGAL), 1)


def ppo_loss(
    logits: Tensor, values: Tensor, decisions: Decisions, n: int, clip: float, ent_coef: float, vf_coef: float
) -> tuple[Tensor, Tensor]:
    """The part of a minibatch's loss that some of its decisions have.

    Args:
        logits: float32 (k, num_actions), from the actor.
        values: float32 (k,), from the critic.
        decisions: the k decisions.
        n: how many decisions the minibatch has in all.
        clip: how far the probability ratio may go from 1 before it is clipped.
        ent_coef: weight of the entropy bonus.
        vf_coef: weight of the critic's loss.

    Returns:
        The loss, and the parts of `FIGURES`, float32 (6,); the sums over all shares are those of the minibatch.

    Source: Schulman et al., Proximal Policy Optimization Algorithms (2017); Huang and Ontanon, A Closer Look at Invalid
    Action Masking in Policy Gradient Algorithms (2022).
    """
    log_probs = masked_log_softmax(logits, decisions.legal)
    log_ratios = log_probs.gather(1, decisions.actions[:, None])[:, 0] - decisions.log_probs
    ratios = log_ratios.exp()
    gains = decisions.advantages * ratios
    clipped = decisions.advantages * ratios.clamp(1 - clip, 1 + clip)
    policy_loss = -torch.min(gains, clipped).sum() / n
    value_loss = (decisions.returns - values).square().sum() / n
    # Exponentials that underflow take many times as long.
    known = torch.where(decisions.legal, log_probs, 0.0)
    entropy_loss = (known.exp() * known).sum() / n
    loss = policy_loss + ent_coef * entropy_loss + vf_coef * value_loss
    with torch.no_grad():
        divergence = (ratios - 1 - log_ratios).sum() / n
        beyond = ((ratios - 1).abs() > clip).sum() / n
    return loss, torch.stack([entropy_loss, policy_loss, value_loss, divergence, beyond, loss])
