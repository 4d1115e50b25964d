"""Learning by looking ahead: every action that a seat has is tried in the same cards.

PPO learns from what was done and what came of it: one action a position, with all the luck of the cards. Here each action
is tried, the other seats answer, and what is judged is the position at the seat's next decision, by the critic, or the end
of the deal. The cards are the same for all actions, so that their differences have little luck in them. The actor learns
these differences, the critic what the actor's choice is worth: temporal differences, over all actions at once.

It needs a simulator whose positions can be copied, and takes a few network evaluations for every action. It pays where who
wins is mostly luck: in Five-O.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from cardenvs.cards import Ints, Streams, seed_streams
from cardenvs.drivers import EPISODE_OVER
from cardenvs.envs.batch import Batch
from cardenvs.train.config import Config
from cardenvs.train.learning.league import LEARNER
from cardenvs.train.learning.vec_env import SelfPlayVecEnv

STEP = 0.02
"""What an action is better by, in reward, for each 1 that the actor's number for it is higher."""
_ACTOR_WEIGHT = 10.0  # beside the critic's loss
_EXPLORE = 0.1  # share of moves drawn among the legal ones
_BRANCHES = 4096  # tried at a time
_CHUNK = 1024  # rows in a network evaluation, few enough for the processor's cache


class Lookahead:
    """Trains a model move by move in its environment.

    Args:
        config: the run's settings.
        env: where the model plays. Where others of its league sit at the table, they are who answers.
    """

    def __init__(self, config: Config, env: SelfPlayVecEnv) -> None:
        self.config, self.env = config, env
        self._branches = Batch(
            config.game, _BRANCHES, seed=0, reward=config.reward, team_share=config.team_share, skip_forced=True,
            **config.options,
        )  # fmt: skip
        self._drawn = seed_streams(config.seed, env.num_envs)

    def learn(self, model: Any, moves: int) -> float:
        """Plays so many moves in each game, every one the same actor's, and learns from each.

        Args:
            model: a MaskablePPO whose environment this is; its optimizer is used, its generator draws explored moves.
            moves: how many; the model's steps go up by those of all games.

        Returns:
            The mean entropy of the actor's choices in nats.
        """
        net, env = model.policy, self.env
        rows: Any = env.reset() if model._last_obs is None else model._last_obs
        for group in net.optimizer.param_groups:
            group["lr"] = model.lr_schedule(model.remaining)
        net.set_training_mode(True)
        entropy = 0.0
        for _ in range(moves):
            # Others draw alike after each action of a game, and in a run that was stopped as in one that was not.
            first = (2 + model.num_timesteps // env.num_envs) * env.num_envs
            self._drawn = seed_streams(self.config.seed, env.num_envs, first)
            masks = env.action_masks()
            worth = self._worth(net)
            distribution = net.get_distribution(torch.from_numpy(rows), masks)
            best = distribution.mode()
            values = net.predict_values(torch.from_numpy(rows)).flatten()
            legal, found = torch.from_numpy(masks), torch.from_numpy(worth)
            differences = _centred(STEP * distribution.distribution.logits, legal) - _centred(found, legal)
            loss = _ACTOR_WEIGHT * differences.square().sum(1).mean()
            loss = loss + functional.mse_loss(values, found.gather(1, best[:, None])[:, 0])
            net.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), self.config.max_grad_norm)
            net.optimizer.step()
            entropy += distribution.entropy().mean().item()
            rows = env.step(self._explored(best.numpy(), masks, model.generator))[0]
            model.num_timesteps += env.num_envs
        net.set_training_mode(False)
        model._last_obs, model._last_episode_starts = rows, env.ended.copy()
        return entropy / moves

    def _explored(
        self, chosen: npt.NDArray[np.int64], masks: npt.NDArray[np.bool_], generator: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        drawn = (generator.random(masks.shape) * masks).argmax(1)
        return np.where(generator.random(len(chosen)) < _EXPLORE, drawn, chosen)

    def _worth(self, net: Any) -> npt.NDArray[np.float32]:
        """What each action comes to: float32 (n, num_actions), under the names that the network knows; 0 if illegal."""
        batch = self.env.batch
        games, actions = np.nonzero(batch.action_masks)
        found = np.concatenate(
            [self._try(net, games[k : k + _BRANCHES], actions[k : k + _BRANCHES]) for k in range(0, len(games), _BRANCHES)]
        )
        out = np.zeros(batch.action_masks.shape, np.float32)
        named = np.stack([self.env.rename(np.full(batch.n, action)) for action in range(out.shape[1])], 1)
        out[games, named[games, actions]] = found
        return out

    def _try(self, net: Any, games: Ints, actions: Ints) -> npt.NDArray[np.float32]:
        """What actions in games come to, of at most `_BRANCHES` pairs."""
        batch, n = self._branches, len(games)
        there = np.resize(games, batch.n)  # the rows behind the last are never played
        batch.set_games(self.env.batch.games[there])
        batch.streams[:] = self.env.batch.streams[there]
        seats, rows = batch.to_act[:n].copy(), np.arange(n)
        chosen = np.full(batch.n, -1)
        chosen[:n] = actions
        streams = self._drawn[games]
        paid = np.zeros(n, np.float32)
        over = np.zeros(n, np.bool_)
        while True:
            batch.step(chosen)
            paid += np.where(over, 0, batch.rewards[rows, seats])
            over |= batch.ended[:n] == EPISODE_OVER
            others = np.flatnonzero(~over & (batch.to_act[:n] != seats))
            if not len(others):
                break
            chosen[:] = -1
            chosen[others] = self._others(net, games, others, streams)
        own = np.flatnonzero(~over)
        if len(own):
            paid[own] += self.config.gamma * self._values(net, own)
        return paid

    def _others(self, net: Any, games: Ints, rows: Ints, streams: Streams) -> npt.NDArray[np.int64]:
        """What those who are to act in some branches of ``games`` do: the actor, or whoever of the league sits there."""
        league, batch = self.env.league, self._branches
        if league is None:
            return self._answers(net, rows)
        players = league.lineup[games[rows], batch.to_act[rows]]
        out = np.empty(len(rows), np.int64)
        for number in np.unique(players):
            where = np.flatnonzero(players == number)
            asked = rows[where]
            if number == LEARNER:
                out[where] = self._answers(net, asked)
            else:
                drawn = streams[asked]
                out[where] = league.ask(int(number), batch.observations[asked], batch.action_masks[asked], drawn)
                streams[asked] = drawn
        return out

    def _answers(self, net: Any, rows: Ints) -> npt.NDArray[np.int64]:
        """What the actor does in some branches."""
        observations, masks, names = self._seen(rows)
        found = []
        with torch.inference_mode():
            for k in range(0, len(rows), _CHUNK):
                part = torch.from_numpy(observations[k : k + _CHUNK])
                found.append(net.get_distribution(part, masks[k : k + _CHUNK]).mode().numpy())
        actions = np.concatenate(found)
        return actions if self.env.symmetry is None else self.env.symmetry.restore(actions, names)

    def _values(self, net: Any, rows: Ints) -> npt.NDArray[np.float32]:
        """What the critic thinks of some branches."""
        observations, _, _ = self._seen(rows)
        with torch.inference_mode():
            parts = [
                net.predict_values(torch.from_numpy(observations[k : k + _CHUNK])).flatten().numpy()
                for k in range(0, len(rows), _CHUNK)
            ]
        return np.concatenate(parts)

    def _seen(self, rows: Ints) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8], Any]:
        """Some branches as the environment would show them: observations, masks, and the names of suits if it has any."""
        batch = self._branches
        observations = (batch.states() if self.env.full_state else batch.observations)[rows]
        if self.env.symmetry is None:
            return observations, batch.action_masks[rows], None
        return self.env.symmetry.apply(observations, batch.action_masks[rows])


def _centred(numbers: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """Rows less their mean over legal actions; 0 for the others."""
    kept = torch.where(legal, numbers, 0.0)
    return torch.where(legal, numbers - kept.sum(1, keepdim=True) / legal.sum(1, keepdim=True), 0.0)
