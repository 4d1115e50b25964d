"""Actions drawn by a network, and what MaskablePPO learns from them: its loss over a share of a minibatch."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from cardenvs.compiled.bits import Floats, Ints
from cardenvs.compiled.jit import kernel
from cardenvs.train.learning.buffer import SeatRolloutBuffer

FIGURES = ("entropy_loss", "policy_gradient_loss", "value_loss", "approx_kl", "clip_fraction", "loss")
"""Names in SB3 of the figures that `ppo_loss` returns beside the loss."""

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

    def take(self, chosen: Ints) -> Decisions:
        """Some of the decisions, copied.

        Args:
            chosen: int64 (k,), their numbers.
        """
        where = torch.from_numpy(chosen).to(self.actions.device)
        mine: dict[str, Tensor] = {field.name: getattr(self, field.name) for field in fields(self)}
        return Decisions(**{name: tensor.index_select(0, where) for name, tensor in mine.items()})


def masked_log_softmax(logits: Tensor, legal: Tensor) -> Tensor:
    """Log-probabilities of actions, float (n, num_actions); those of illegal ones are -1e8, whose exponential is 0.

    Args:
        logits: float (n, num_actions).
        legal: bool (n, num_actions).
    """
    return torch.log_softmax(torch.where(legal, logits, _ILLEGAL), 1)


def centred(numbers: Tensor, legal: Tensor) -> Tensor:
    """Numbers less their row's mean over the legal actions, float (n, num_actions); 0 for illegal ones.

    Args:
        numbers: float (n, num_actions).
        legal: bool (n, num_actions).
    """
    kept = torch.where(legal, numbers, 0.0)
    return torch.where(legal, numbers - kept.sum(1, keepdim=True) / legal.sum(1, keepdim=True), 0.0)


def draw_actions(logits: Floats, legal: npt.NDArray[np.bool_], draws: npt.NDArray[np.float64]) -> tuple[Ints, Floats]:
    """Draws a legal action of every row by the softmax over the legal ones.

    Args:
        logits: float32 (n, num_actions), finite.
        legal: bool (n, num_actions), at least one in each row.
        draws: float64 (n,), numbers from 0 to below 1, drawn at random.

    Returns:
        The actions, int64 (n,), and their log-probabilities, float32 (n,).
    """
    known = np.where(legal, logits.astype(np.float64), -np.inf)
    powers = np.exp(known - known.max(1, keepdims=True))
    sums = powers.cumsum(1)
    actions = (sums > draws[:, None] * sums[:, -1:]).argmax(1)
    chances = powers[np.arange(len(powers)), actions] / sums[:, -1]
    return actions, np.log(chances).astype(np.float32)


@kernel
def _ppo_loss(
    n: int, clip: float, ent_coef: float, vf_coef: float, figures: Any, of_logits: Any, of_values: Floats,
    logits: Any, values: Floats, actions: Ints, legal: Any, before: Floats, advantages: Floats, returns: Floats,
) -> None:  # fmt: skip
    """The loss of `ppo_loss` and its gradients, from legal actions alone."""
    for row in range(len(logits)):
        highest = -np.inf
        for action in range(logits.shape[1]):
            if legal[row, action] and logits[row, action] > highest:
                highest = logits[row, action]
        total = mean = 0.0
        for action in range(logits.shape[1]):
            if legal[row, action]:
                power = math.exp(logits[row, action] - highest)
                of_logits[row, action] = power
                total += power
                mean += power * (logits[row, action] - highest)
        entropy = math.log(total) - mean / total
        common = highest + math.log(total)
        log_ratio = logits[row, actions[row]] - common - before[row]
        ratio = math.exp(log_ratio)
        gain, clipped = advantages[row] * ratio, advantages[row] * min(max(ratio, 1.0 - clip), 1.0 + clip)
        beyond = abs(ratio - 1.0) > clip
        slope = 0.0 if beyond and clipped <= gain else -gain / n
        for action in range(logits.shape[1]):
            if legal[row, action]:
                chance = of_logits[row, action] / total
                bonus = chance * (logits[row, action] - common + entropy) / n
                of_logits[row, action] = ent_coef * bonus - slope * chance
        of_logits[row, actions[row]] += slope
        error = values[row] - returns[row]
        of_values[row] = vf_coef * 2.0 * error / n
        figures[0] -= entropy / n
        figures[1] -= min(gain, clipped) / n
        figures[2] += error * error / n
        figures[3] += (ratio - 1.0 - log_ratio) / n
        figures[4] += beyond / n
    figures[5] = figures[1] + ent_coef * figures[0] + vf_coef * figures[2]


class _Compiled(torch.autograd.Function):
    """The loss of `ppo_loss` on the processor, with gradients that are made on the way."""

    @staticmethod
    def forward(
        ctx: Any, logits: Tensor, values: Tensor, decisions: Decisions, n: int, clip: float, ent_coef: float, vf_coef: float
    ) -> tuple[Tensor, Tensor]:
        """The loss and the figures, as `ppo_loss` returns them."""
        figures = np.zeros(len(FIGURES))
        of_logits, of_values = torch.zeros(logits.shape), torch.empty(values.shape)
        given = logits, values, *(getattr(decisions, field.name) for field in fields(decisions))
        arrays: list[Any] = [tensor.detach().contiguous().numpy() for tensor in given]
        _ppo_loss(n, clip, ent_coef, vf_coef, figures, of_logits.numpy(), of_values.numpy(), *arrays)
        ctx.save_for_backward(of_logits, of_values)
        told = torch.from_numpy(figures).float()
        ctx.mark_non_differentiable(told)
        return told[-1].clone(), told

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        """The gradients of the logits, float32 (k, num_actions), and of the values, float32 (k,)."""
        of_logits, of_values = ctx.saved_tensors
        return gradients[0] * of_logits, gradients[0] * of_values, None, None, None, None, None


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
    if logits.device.type == "cpu" and logits.dtype == torch.float32:
        loss, figures = _Compiled.apply(logits, values, decisions, n, clip, ent_coef, vf_coef)
        return loss, figures
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
