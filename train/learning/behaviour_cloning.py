"""Behaviour cloning before self-play: the actor learns a strong policy's decisions, the critic that policy's returns."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from stable_baselines3.common.utils import update_learning_rate

from cardenvs.compiled.bits import Ints
from cardenvs.policy.contract import Policy, SeatMemory, ask
from cardenvs.randomness import hashed_streams
from cardenvs.train.learning.descent import take_gradient_step, use_workers
from cardenvs.train.learning.loss import masked_log_softmax
from cardenvs.train.learning.vec_env import SelfPlayVecEnv

_BATCH = 2048  # decisions in a minibatch, about
_LR = 1e-3  # Adam's learning rate at the start; it falls to 0


@dataclass(frozen=True)
class Demonstrations:
    """n decisions of a teacher who held every seat, with observations, masks and actions as the network sees them."""

    observations: npt.NDArray[np.int8]  # (n, d)
    action_masks: npt.NDArray[np.bool_]  # (n, num_actions)
    actions: npt.NDArray[np.int64]  # (n,), the teacher's
    returns: npt.NDArray[np.float32]  # (n,), what the deal paid the deciding seat in the end


def play_demonstrations(env: SelfPlayVecEnv, teacher: Policy, decisions: int, seed: int = 0) -> Demonstrations:
    """Plays games in which a teacher holds every seat, and returns about ``decisions`` of its decisions. ``env``, which
    must have no league and no other user, is reset. At least one deal is played in each game; decisions of unfinished deals
    are left out. ``seed`` is that of the teacher's random choices."""
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
        named, masks = env.rename_actions(chosen), env.action_masks()
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
    """Trains actor and critic of a `SelfPlayPPO` on demonstrations, with an optimizer of its own, for some epochs. The
    model's generator orders the minibatches. Returns each epoch's share of decisions in which the network's first choice
    was the teacher's."""
    net, device = model.policy, model.device
    parameters = list(net.parameters())
    optimizer = torch.optim.Adam(parameters, lr=_LR, fused=True)
    n = len(shown.actions)
    parts = max(1, n // _BATCH)
    scale = float(np.square(shown.returns).mean()) or 1.0
    legal, actions, returns = (
        torch.from_numpy(array).to(device) for array in (shown.action_masks, shown.actions, shown.returns)
    )

    def imitation_loss(chosen: Ints, part: slice) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns the loss of a share of a minibatch, and its number of decisions with the teacher's first choice."""
        where = torch.from_numpy(chosen[part]).to(device)
        logits, values = net.evaluate_rows(rows.select_rows(chosen[part]), model.bfloat16)
        log_probs, taken = masked_log_softmax(logits, legal[where]), actions[where]
        loss = -log_probs.gather(1, taken[:, None]).sum() / len(chosen)
        loss = loss + 0.5 * (values - returns[where]).square().sum() / (len(chosen) * scale)
        return loss, (log_probs.argmax(1) == taken).sum()

    agreed = []
    net.set_training_mode(True)
    with use_workers(device) as threads:
        rows = net.prepare_rows(shown.observations, threads)
        for epoch in range(epochs):
            right = 0
            for k, chosen in enumerate(np.array_split(model.generator.permutation(n), parts)):
                update_learning_rate(optimizer, _LR * (1 - (epoch + k / parts) / epochs))
                loss = partial(imitation_loss, chosen)
                right += int(take_gradient_step(parameters, optimizer, loss, len(chosen), threads, max_grad_norm=1.0))
            agreed.append(right / n)
    net.set_training_mode(False)
    return agreed
