"""Learning from play-outs: every action of a seat is played out in the same cards, by the network in all seats.

The deal's end is the action's value: no critic, and little luck in the differences between actions. The cards are those of
the deal at hand, in off-belief learning (`off_belief.py`) drawn for each decision. The actor learns by the policy gradient
over all actions at once, the critic the result of the preferred one. It pays where PPO does not get any further.
"""

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from stable_baselines3.common.utils import update_learning_rate
from torch import Tensor

from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams
from cardenvs.compiled.jit import as_records
from cardenvs.compiled.streams import as_streams
from cardenvs.contract.fields import Games
from cardenvs.train.config import Config
from cardenvs.train.inference.learned import make_player
from cardenvs.train.inference.plain_actor import PlainActor
from cardenvs.train.inference.replay import PlayOn
from cardenvs.train.learning.descent import Workers, take_gradient_step, use_workers
from cardenvs.train.learning.loss import centre_over_legal, draw_actions, masked_log_softmax
from cardenvs.train.learning.network import actor_weights
from cardenvs.train.learning.off_belief import DrawnWorlds, OffBelief, exploration_shares
from cardenvs.train.learning.rows import Rows
from cardenvs.train.learning.vec_env import SelfPlayVecEnv
from cardenvs.worlds import rewards_of

EXPLORE = 0.02  # share of the moves that are drawn among the legal ones, so that others' possible moves are met, too


class Playouts:
    """Trains a model rollout by rollout in its environment; in play-outs the learner holds every seat, without its league.
    ``off_belief`` draws the worlds in which actions are tried; None: these are the deals at hand. Errors as in
    `OffBelief`."""

    def __init__(self, config: Config, env: SelfPlayVecEnv) -> None:
        self.config, self.env = config, env
        self.off_belief = OffBelief(config, env) if config.off_belief else None

    def learn(self, model: Any, moves: int) -> float:
        """Plays ``moves`` in each game and learns from them; returns the mean entropy of the actor's choices in nats.
        ``model`` is a `SelfPlayPPO` with a `LearningPolicy` in this environment; its optimizer and settings are used, its
        generator draws moves and orders the minibatches, and its steps go up by the moves of all games."""
        env, net = self.env, model.policy
        seen: Any = env.reset() if model._last_obs is None else model._last_obs
        logits, actor = net.compiled_actor(), make_player(self.config, actor_weights(net)).actor
        assert isinstance(actor, PlainActor)  # `Config` allows no other network
        explore = EXPLORE if self.off_belief is None else exploration_shares(env.num_envs)
        rows, legal, worth, chosen, found = [], [], [], [], []
        with use_workers(torch.device("cpu")) as threads:
            for _ in range(moves):
                parts = threads.run_shares(lambda part, seen=seen: logits(seen[part]), len(seen))  # type: ignore[misc]
                masks, numbers = env.action_masks(), np.concatenate(parts)
                rows.append(seen)
                legal.append(masks)
                streams, tried = None, DrawnWorlds(env.batch.games, np.ones(env.num_envs, np.bool_))
                if self.off_belief is not None:
                    streams = as_streams(model.generator, env.num_envs)
                    tried = self.off_belief.draw_worlds(streams)
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
        """Returns future rewards of the seats to act for each action: float32 (n, num_actions), 0 if illegal or forced.
        ``games``, structured (n,), are the environment's or worlds drawn for the seats to act. ``streams``, uint64 (n,),
        draw the network's actions, each thread by the first of its share; None: it plays what it prefers."""
        batch = self.env.batch
        games = as_records(games)
        out = np.zeros(batch.action_masks.shape, np.float32)

        def try_share(part: slice) -> None:
            drawn = None if streams is None else streams[part.start : part.start + 1].copy()
            player = PlayOn(self.config.spec, actor.net, actor.net_space(), drawn)
            player.try_actions(games[part], batch.kind, batch.share, out[part])

        threads.run_shares(try_share, batch.n)
        if batch.spec.pays_gains(batch.kind):
            paid = rewards_of(batch.spec, games, batch.kind, batch.share)[np.arange(batch.n), games["to_act"]]
            several = batch.action_masks.sum(1, keepdims=True) > 1
            out -= np.where(several & (batch.action_masks != 0), paid[:, None], 0).astype(np.float32)
        return out

    def _learn_decisions(
        self, model: Any, seen: Bytes, legal: npt.NDArray[np.bool_], worth: Floats, preferred: Ints
    ) -> float:
        """Learns from n decisions; returns the mean entropy of the actor's choices in nats."""
        net, n = model.policy, len(seen)
        update_learning_rate(net.optimizer, model.lr_schedule(model.remaining))
        means = (worth * legal).sum(1, keepdims=True) / legal.sum(1, keepdims=True)
        advantages = np.where(legal, worth - means, np.float32(0))
        spread = float(np.sqrt(np.square(advantages).sum() / legal.sum())) or 1.0
        spread = spread if self.off_belief is None else 1.0
        returns = worth[np.arange(n), preferred]
        put = partial(torch.as_tensor, device=model.device)
        every = put(legal), put(advantages / spread), put(returns)
        parameters = list(net.parameters())
        net.set_training_mode(True)
        entropies = []
        with use_workers(model.device) as threads:
            rows = net.prepare_rows(seen, threads)
            for _ in range(self.config.epochs):
                for numbers in np.array_split(model.generator.permutation(n), max(1, n // self.config.batch_size)):
                    loss = partial(self._share_loss, model, rows, numbers, *every)
                    clip = self.config.max_grad_norm
                    entropies.append(take_gradient_step(parameters, net.optimizer, loss, len(numbers), threads, clip))
        net.set_training_mode(False)
        return float(torch.stack(entropies).mean())

    def _share_loss(
        self, model: Any, rows: Rows, numbers: Ints, legal: Tensor, advantages: Tensor, returns: Tensor, part: slice
    ) -> tuple[Tensor, Tensor]:
        """Returns the loss of a share of a minibatch, and its part of the mean entropy."""
        net, where, n = model.policy, torch.from_numpy(numbers[part]).to(model.device), len(numbers)
        logits, values = net.evaluate_rows(rows.select_rows(numbers[part]), model.bfloat16)
        open_to = legal[where]
        log_probs = masked_log_softmax(logits.float(), open_to)
        known = torch.where(open_to, log_probs, 0.0)
        probs = torch.where(open_to, known.exp(), 0.0)
        entropy = -(probs * known).sum() / n
        if self.off_belief is None:
            actor_loss = -(probs * advantages[where]).sum() / n - model.ent_coef * entropy
        else:
            differences = centre_over_legal(model.ent_coef * logits.float(), open_to) - advantages[where]
            actor_loss = differences.square().sum() / (2 * model.ent_coef * n)
        error = (returns[where] - values.float()).square().sum() / n
        loss = actor_loss + self.config.vf_coef * error
        return loss, entropy.detach()[None]
