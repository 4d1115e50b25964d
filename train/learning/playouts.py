"""Learning from play-outs: every action that a seat has is played out to the end of the deal, in the same cards.

PPO learns from one action a decision, and judges it by a critic that errs a little. Here each action is tried, the network
plays on for everybody as it plays in earnest, and the deal's end is what the action is worth: no critic, and as little luck
in the differences between actions as there can be. The cards are those of the deal at hand: over many deals others' hands
come as often as the play before makes them likely, as a seat's beliefs should have them. The actor learns by the policy
gradient over all actions at once, the critic what the choice that the network prefers has brought. In off-belief learning
(`cardenvs.train.learning.off_belief`) the cards are drawn anew for each decision.

Each decision takes some hundred further ones, all in compiled code. It pays where PPO does not get any further.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams
from cardenvs.compiled.jit import as_records
from cardenvs.compiled.streams import as_streams
from cardenvs.contract.fields import Games
from cardenvs.train.config import Config
from cardenvs.train.inference.learned import TrainedPolicy
from cardenvs.train.inference.plain_actor import PlainActor
from cardenvs.train.inference.playing_on import PlayOn
from cardenvs.train.learning.descent import Workers, descend, reduced, workers
from cardenvs.train.learning.loss import centred, draw_actions, masked_log_softmax
from cardenvs.train.learning.network import LearningPolicy, actor_weights
from cardenvs.train.learning.off_belief import Believed, OffBelief, explored
from cardenvs.train.learning.rows import Rows
from cardenvs.train.learning.vec_env import SelfPlayVecEnv
from cardenvs.worlds import rewards_of

EXPLORE = 0.02
"""Share of the moves that are drawn among the legal ones, so that others' possible moves are met, too."""


class Playouts:
    """Trains a model rollout by rollout in its environment.

    Args:
        config: the run's settings.
        env: the environment that the model plays in. What other players of its league do is met there; in play-outs the
            learner holds every seat.

    Attributes:
        off_belief: draws the worlds in which actions are tried; None: these are the deals at hand.

    Raises:
        ValueError: a policy of the level below that `OffBelief` refuses.
        FileNotFoundError: that policy is no file that there is.
    """

    def __init__(self, config: Config, env: SelfPlayVecEnv) -> None:
        self.config, self.env = config, env
        self.off_belief = OffBelief(config, env) if config.off_belief else None

    def learn(self, model: Any, moves: int) -> float:
        """Plays a rollout and learns from it.

        Args:
            model: a `cardenvs.train.learning.ppo.SelfPlayPPO` whose policy is a `LearningPolicy` and that learns in this
                environment; its optimizer and its settings are used, its generator draws moves and orders the minibatches.
            moves: how many moves to play in each game; the model's steps go up by those of all games together.

        Returns:
            The mean entropy of the actor's choices in nats.
        """
        env, net = self.env, model.policy
        seen: Any = env.reset() if model._last_obs is None else model._last_obs
        logits, actor = net.player(), self._make_actor(net)
        explore = EXPLORE if self.off_belief is None else explored(env.num_envs)
        rows, legal, worth, chosen, found = [], [], [], [], []
        with workers(torch.device("cpu")) as threads:
            for _ in range(moves):
                masks, numbers = env.action_masks(), self._compute_logits(logits, seen, threads)
                rows.append(seen)
                legal.append(masks)
                streams, tried = None, Believed(env.batch.games, np.ones(env.num_envs, np.bool_))
                if self.off_belief is not None:
                    streams = as_streams(model.generator, env.num_envs)
                    tried = self.off_belief.draw(streams)
                worth.append(env.rename_columns(self.action_values(actor, threads, tried.games, streams)))
                found.append(tried.found)
                chosen.append(np.where(masks, numbers, -np.inf).argmax(1))
                drawn = model.generator.random(env.num_envs) < explore
                flat = np.where(drawn[:, None], np.float32(0), numbers)
                actions, _ = draw_actions(flat, masks, model.generator.random(env.num_envs))
                seen = env.step(actions)[0]
                model.num_timesteps += env.num_envs
        model._last_obs, model._last_episode_starts = seen, env.ended.copy()
        model._n_updates += self.config.epochs
        # Where the only action is forced there is nothing to learn.
        decided = (np.concatenate(legal).sum(1) > 1) & np.concatenate(found)
        if not decided.any():
            return 0.0
        return self._learn_decisions(model, *(np.concatenate(part)[decided] for part in (rows, legal, worth, chosen)))

    def action_values(self, actor: PlainActor, threads: Workers, games: Games, streams: Streams | None = None) -> Floats:
        """Rewards to come of the seats to act for each action: float32 (n, num_actions), 0 if illegal or forced.

        Args:
            actor: the network that plays on.
            threads: divide the games among themselves.
            games: structured array of shape (n,), the environment's games or worlds that were drawn for the seats to act.
            streams: uint64 (n,), random streams by which the network's actions are drawn, of which each thread takes the
                first of its share; None: it plays what it prefers.

        Returns:
            Float32 (n, num_actions), a column for each of the game's own names of actions.
        """
        batch = self.env.batch
        games = as_records(games)
        out = np.zeros(batch.action_masks.shape, np.float32)

        def try_all(part: slice) -> None:
            """Tries the actions in a share of the games."""
            drawn = None if streams is None else streams[part.start : part.start + 1].copy()
            player = PlayOn(self.config.spec, actor.net, actor.net_space(), drawn)
            player.try_all(games[part], batch.kind, batch.share, out[part])

        threads.run(try_all, batch.n)
        if batch.spec.pays_gains(batch.kind):
            paid = rewards_of(batch.spec, games, batch.kind, batch.share)[np.arange(batch.n), games["to_act"]]
            several = batch.action_masks.sum(1, keepdims=True) > 1
            out -= np.where(several & (batch.action_masks != 0), paid[:, None], 0).astype(np.float32)
        return out

    def _make_actor(self, net: LearningPolicy) -> PlainActor:
        """The network as it plays, with its present weights."""
        config = self.config
        actor = TrainedPolicy(
            config.spec, actor_weights(net), config.activation, canonical_suits=config.canonical_suits,
            options=config.options,
        ).actor  # fmt: skip
        assert isinstance(actor, PlainActor)  # which `Config` makes sure of
        return actor

    def _compute_logits(self, logits: Any, seen: Bytes, threads: Workers) -> Floats:
        """The network's logit for each action, float32 (n, num_actions)."""
        return np.concatenate(threads.run(lambda part: logits(seen[part]), len(seen)))

    def _learn_decisions(self, model: Any, seen: Bytes, legal: npt.NDArray[np.bool_], worth: Floats, preferred: Ints) -> float:
        """Learns from n decisions; returns the mean entropy of the actor's choices in nats."""
        net, n = model.policy, len(seen)
        for group in net.optimizer.param_groups:
            group["lr"] = model.lr_schedule(model.remaining)
        means = (worth * legal).sum(1, keepdims=True) / legal.sum(1, keepdims=True)
        advantages = np.where(legal, worth - means, np.float32(0))
        spread = float(np.sqrt(np.square(advantages).sum() / legal.sum())) or 1.0
        spread = spread if self.off_belief is None else 1.0
        returns = worth[np.arange(n), preferred]
        put = partial(torch.as_tensor, device=model.device)
        every = put(legal), put(advantages / spread), put(returns)
        parameters = list(net.parameters())
        net.set_training_mode(True)
        told = []
        with workers(model.device) as threads:
            rows = net.rows(seen, threads)
            for _ in range(self.config.epochs):
                for numbers in np.array_split(model.generator.permutation(n), max(1, n // self.config.batch_size)):
                    loss = partial(self._share_loss, model, rows, numbers, *every)
                    told.append(descend(parameters, net.optimizer, loss, len(numbers), threads, self.config.max_grad_norm))
        net.set_training_mode(False)
        return float(torch.stack(told).mean())

    def _share_loss(
        self, model: Any, rows: Rows, numbers: Ints, legal: Tensor, advantages: Tensor, returns: Tensor, part: slice
    ) -> tuple[Tensor, Tensor]:
        """The loss of a share of a minibatch, and its part of the mean entropy."""
        net, where, n = model.policy, torch.from_numpy(numbers[part]).to(model.device), len(numbers)
        taken = rows.take(numbers[part])
        with reduced(model.device, model.bfloat16):
            logits, values = net.logits(taken), net.values(taken)
        open_to = legal[where]
        log_probs = masked_log_softmax(logits.float(), open_to)
        known = torch.where(open_to, log_probs, 0.0)
        probs = torch.where(open_to, known.exp(), 0.0)
        entropy = -(probs * known).sum() / n
        if self.off_belief is None:
            actor_loss = -(probs * advantages[where]).sum() / n - model.ent_coef * entropy
        else:
            differences = centred(model.ent_coef * logits.float(), open_to) - advantages[where]
            actor_loss = differences.square().sum() / (2 * model.ent_coef * n)
        error = (returns[where] - values.float()).square().sum() / n
        loss = actor_loss + self.config.vf_coef * error
        return loss, entropy.detach()[None]
