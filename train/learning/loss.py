"""Actions drawn by a network, and MaskablePPO's loss over a share of a minibatch of them."""

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
"""SB3's names of the figures that `ppo_loss` returns beside the loss."""

_ILLEGAL = -1e8  # the logit of an illegal action, as in sb3_contrib


@dataclass(frozen=True)
class Decisions:
    """n decisions to learn from, on the device that learns."""

    actions: Tensor  # int64 (n,), the actions taken
    legal: Tensor  # bool (n, num_actions)
    log_probs: Tensor  # float32 (n,), of the actions when they were taken
    advantages: Tensor  # float32 (n,)
    returns: Tensor  # float32 (n,), targets of the critic

    @classmethod
    def from_buffer(cls, buffer: SeatRolloutBuffer, device: torch.device) -> Decisions:
        """Returns the decisions of a rollout, in the order of `SeatRolloutBuffer.decision_moves`."""
        moves = buffer.decision_moves()

        def move_entries(array: Any, *shape: int) -> Tensor:
            return torch.from_numpy(array.reshape(-1, *shape)[moves]).to(device)

        return cls(
            actions=move_entries(buffer.actions),
            legal=move_entries(buffer.action_masks, buffer.mask_dims),
            log_probs=move_entries(buffer.log_probs),
            advantages=move_entries(buffer.advantages),
            returns=move_entries(buffer.returns),
        )

    def select_decisions(self, chosen: Ints) -> Decisions:
        """Returns copies of the decisions with some numbers, int64 (k,)."""
        where = torch.from_numpy(chosen).to(self.actions.device)
        mine: dict[str, Tensor] = {field.name: getattr(self, field.name) for field in fields(self)}
        return Decisions(**{name: tensor.index_select(0, where) for name, tensor in mine.items()})


def masked_log_softmax(logits: Tensor, legal: Tensor) -> Tensor:
    """Returns log-probabilities, float (n, num_actions); those of illegal actions are -1e8, whose exponential is 0."""
    return torch.log_softmax(torch.where(legal, logits, _ILLEGAL), 1)


def centre_over_legal(numbers: Tensor, legal: Tensor) -> Tensor:
    """Subtracts each row's mean over the legal actions, float (n, num_actions); illegal ones get 0."""
    kept = torch.where(legal, numbers, 0.0)
    return torch.where(legal, numbers - kept.sum(1, keepdim=True) / legal.sum(1, keepdim=True), 0.0)


def draw_actions(logits: Floats, legal: npt.NDArray[np.bool_], draws: npt.NDArray[np.float64]) -> tuple[Ints, Floats]:
    """Draws a legal action of every row by the softmax over the legal ones. Logits are float32 (n, num_actions), finite;
    ``draws``, float64 (n,), random numbers from 0 to below 1. Returns the actions, int64 (n,), and their log-probabilities,
    float32 (n,)."""
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
    """Computes the loss of `ppo_loss` and its gradients, from legal actions alone."""
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
    """The loss of `ppo_loss` on the processor, with gradients that are computed on the way."""

    @staticmethod
    def forward(
        ctx: Any, logits: Tensor, values: Tensor, decisions: Decisions, n: int, clip: float, ent_coef: float, vf_coef: float
    ) -> tuple[Tensor, Tensor]:
        figures = np.zeros(len(FIGURES))
        of_logits, of_values = torch.zeros(logits.shape), torch.empty(values.shape)
        given = logits, values, *(getattr(decisions, field.name) for field in fields(decisions))
        arrays: list[Any] = [tensor.detach().contiguous().numpy() for tensor in given]
        _ppo_loss(n, clip, ent_coef, vf_coef, figures, of_logits.numpy(), of_values.numpy(), *arrays)
        ctx.save_for_backward(of_logits, of_values)
        parts = torch.from_numpy(figures).float()
        ctx.mark_non_differentiable(parts)
        return parts[-1].clone(), parts

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        of_logits, of_values = ctx.saved_tensors
        return gradients[0] * of_logits, gradients[0] * of_values, None, None, None, None, None


def ppo_loss(
    logits: Tensor, values: Tensor, decisions: Decisions, n: int, clip: float, ent_coef: float, vf_coef: float
) -> tuple[Tensor, Tensor]:
    """Returns the loss of k of a minibatch's ``n`` decisions, and its parts (`FIGURES`), float32 (6,); both add up. Logits
    are float32 (k, num_actions), values float32 (k,). Source: Schulman et al., Proximal Policy Optimization Algorithms
    (2017); Huang and Ontanon, A Closer Look at Invalid Action Masking in Policy Gradient Algorithms (2022)."""
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
