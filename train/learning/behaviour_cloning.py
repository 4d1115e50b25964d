"""Behaviour cloning: before self-play the actor learns a strong policy's decisions, and the critic that policy's returns.

The settings `imitate`, `imitate_decisions` and `imitate_epochs` of `cardenvs.train.config.Config` switch it on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from cardenvs.compiled.bits import Ints
from cardenvs.policy.contract import Policy, SeatMemory, ask
from cardenvs.randomness import hashed_streams
from cardenvs.train.learning.descent import descend, reduced, workers
from cardenvs.train.learning.loss import masked_log_softmax
from cardenvs.train.learning.vec_env import SelfPlayVecEnv

_BATCH = 2048
"""Decisions in a minibatch, about."""
_LR = 1e-3  # Adam's learning rate at the start; it falls to 0


@dataclass(frozen=True)
class Demonstrations:
    """Decisions of a teacher who held every seat, n of them.

    Attributes:
        observations: int8 (n, d), as the network sees them.
        action_masks: bool (n, num_actions), the legal actions under the names that the network knows.
        actions: int64 (n,), the teacher's actions under the same names.
        returns: float32 (n,), what the deal paid the deciding seat in the end.
    """

    observations: npt.NDArray[np.int8]
    action_masks: npt.NDArray[np.bool_]
    actions: npt.NDArray[np.int64]
    returns: npt.NDArray[np.float32]


def demonstrate(env: SelfPlayVecEnv, teacher: Policy, decisions: int, seed: int = 0) -> Demonstrations:
    """Plays games in which a teacher holds every seat, and keeps its decisions.

    Args:
        env: an environment that nobody else uses, without a league; it is reset.
        teacher: the policy to learn from.
        decisions: about how many decisions to play, but at least one deal in each game; decisions of deals that are not
            finished at the end are left out.
        seed: seed of the teacher's random choices.
    """
    streams = hashed_streams(seed, "teacher", env.num_envs)
    rows, memory = np.arange(env.num_envs), SeatMemory(env.num_envs)
    played: list[tuple[npt.NDArray[Any], ...]] = []
    row: npt.NDArray[Any] = env.reset()
    finished = np.zeros(env.num_envs, np.bool_)
    while len(played) * env.num_envs < decisions or not finished.all():
        batch = env.batch
        seats, drawn = batch.to_act.copy(), np.tile(streams[:, None], env.game.seats)
        chosen = ask(teacher, batch.observations, batch.action_masks, drawn, rows, seats, memory=memory)
        streams = drawn[rows, seats]
        named, masks = env.rename(chosen), env.action_masks()
        following: Any = env.step(named)[0]
        played.append((row, masks, named, env.acting, env.payoffs, env.ended))
        finished |= env.ended
        memory.games[env.ended] += env.num_envs
        row = following
    seats = np.arange(env.game.seats)
    owed = np.zeros((env.num_envs, len(seats)), np.float32)
    known = np.zeros(env.num_envs, np.bool_)
    parts = []
    for rows, masks, actions, acting, payoffs, ended in reversed(played):
        owed[ended] = 0
        known |= ended
        owed += payoffs
        games = np.flatnonzero(known)
        parts.append((rows[games], masks[games], actions[games], owed[games, acting[games]]))
    joined = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return Demonstrations(*joined)


def clone_behaviour(model: Any, shown: Demonstrations, epochs: int) -> list[float]:
    """Trains actor and critic of a MaskablePPO ``model`` on demonstrations, with an optimizer of its own.

    Args:
        model: a `cardenvs.train.learning.ppo.SelfPlayPPO` whose policy is a `LearningPolicy`; its random generator orders
            the minibatches.
        shown: the decisions to learn from.
        epochs: how often each decision is learned from.

    Returns:
        Each epoch's share of decisions in which the network's first choice was the teacher's.
    """
    net, device = model.policy, model.device
    parameters = list(net.parameters())
    optimizer = torch.optim.Adam(parameters, lr=_LR, fused=True)
    n = len(shown.actions)
    parts = max(1, n // _BATCH)
    scale = float(np.square(shown.returns).mean()) or 1.0
    legal, actions, returns = (
        torch.from_numpy(array).to(device) for array in (shown.action_masks, shown.actions, shown.returns)
    )

    def imitation(chosen: Ints, part: slice) -> tuple[torch.Tensor, torch.Tensor]:
        """The loss of a share of a minibatch, and its number of decisions with the teacher's action as first choice."""
        seen, where = rows.take(chosen[part]), torch.from_numpy(chosen[part]).to(device)
        with reduced(device, model.bfloat16):
            logits, values = net.logits(seen), net.values(seen)
        log_probs, taken = masked_log_softmax(logits, legal[where]), actions[where]
        loss = -log_probs.gather(1, taken[:, None]).sum() / len(chosen)
        loss = loss + 0.5 * (values - returns[where]).square().sum() / (len(chosen) * scale)
        return loss, (log_probs.argmax(1) == taken).sum()

    agreed = []
    net.set_training_mode(True)
    with workers(device) as threads:
        rows = net.rows(shown.observations, threads)
        for epoch in range(epochs):
            right = 0
            for k, chosen in enumerate(np.array_split(model.generator.permutation(n), parts)):
                for group in optimizer.param_groups:
                    group["lr"] = _LR * (1 - (epoch + k / parts) / epochs)
                loss = partial(imitation, chosen)
                right += int(descend(parameters, optimizer, loss, len(chosen), threads, max_grad_norm=1.0))
            agreed.append(right / n)
    net.set_training_mode(False)
    return agreed
