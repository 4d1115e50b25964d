"""Learning by looking ahead: every action of a seat is tried in the same cards, the others answer, and the critic judges.

The critic judges the seat's next decision, or the deal ends. With the same cards, differences between actions have little
luck in them: the actor learns these, the critic the value of the actor's choice (temporal differences over all actions). It
pays where the winner is mostly a matter of luck, as in Five-O.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from stable_baselines3.common.utils import update_learning_rate
from torch import Tensor
from torch.nn import functional

from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.contract.loops import EPISODE_OVER
from cardenvs.envs.batch import Batch
from cardenvs.randomness import hashed_streams
from cardenvs.train.config import Config
from cardenvs.train.learning.league import LEARNER
from cardenvs.train.learning.loss import centre_over_legal
from cardenvs.train.learning.vec_env import SelfPlayVecEnv

STEP = 0.02  # difference in reward between two actions for a difference of 1 between the actor's logits for them
_ACTOR_WEIGHT = 10.0  # beside the critic's loss
_EXPLORE = 0.1  # share of moves drawn among the legal ones
_BRANCHES = 4096  # tried at a time
_CHUNK = 1024  # rows in a network evaluation, few enough for the processor's cache


def _evaluate_chunks(
    evaluate: Callable[[Tensor, slice], Tensor], observations: Bytes, device: torch.device
) -> npt.NDArray[Any]:
    """Returns a network's answers for all rows; ``evaluate`` takes a chunk of them, and where it lies."""
    parts = [slice(k, k + _CHUNK) for k in range(0, len(observations), _CHUNK)]
    with torch.inference_mode():
        answers = [evaluate(torch.from_numpy(observations[part]).to(device), part).cpu().numpy() for part in parts]
    return np.concatenate(answers)


class Lookahead:
    """Trains a model move by move in its environment, whose league's other players answer for their seats. ``streams``,
    uint64 (n,), are those that other players draw from after each tried action of a game."""

    def __init__(self, config: Config, env: SelfPlayVecEnv) -> None:
        self.config, self.env = config, env
        self._branches = Batch(
            config.spec, _BRANCHES, seed=0, reward=config.reward, team_share=config.team_share, skip_forced=True,
            **config.options,
        )  # fmt: skip
        self.streams = hashed_streams(config.seed, "lookahead", env.num_envs)

    def learn(self, model: Any, moves: int) -> float:
        """Plays ``moves`` in every game and learns from each; returns the mean entropy of the actor's choices in nats. The
        MaskablePPO's optimizer is used, its generator draws explored moves, and its steps go up by the moves of all
        games."""
        net, env = model.policy, self.env
        rows: Any = env.reset() if model._last_obs is None else model._last_obs
        update_learning_rate(net.optimizer, model.lr_schedule(model.remaining))
        net.set_training_mode(True)
        entropy = 0.0
        for _ in range(moves):
            # Other players draw the same after each action of a game, and in a resumed run the same as in an unbroken one.
            first = (2 + model.num_timesteps // env.num_envs) * env.num_envs
            self.streams = hashed_streams(self.config.seed, "lookahead", env.num_envs, first)
            masks = env.action_masks()
            worth = self.action_values(net)
            seen, legal, wanted = (torch.from_numpy(array).to(net.device) for array in (rows, masks, worth))
            distribution = net.get_distribution(seen, masks)
            best = distribution.mode()
            values = net.predict_values(seen).flatten()
            logits = distribution.distribution.logits
            differences = centre_over_legal(STEP * logits, legal) - centre_over_legal(wanted, legal)
            loss = _ACTOR_WEIGHT * differences.square().sum(1).mean()
            loss = loss + functional.mse_loss(values, wanted.gather(1, best[:, None])[:, 0])
            net.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), self.config.max_grad_norm)
            net.optimizer.step()
            entropy += distribution.entropy().mean().item()
            drawn = (model.generator.random(masks.shape) * masks).argmax(1)
            explored = model.generator.random(env.num_envs) < _EXPLORE
            rows = env.step(np.where(explored, drawn, best.cpu().numpy()))[0]
            model.num_timesteps += env.num_envs
        net.set_training_mode(False)
        model._last_obs, model._last_episode_starts = rows, env.ended.copy()
        return entropy / moves

    def action_values(self, net: Any) -> npt.NDArray[np.float32]:
        """Returns the value of each action in every game: float32 (n, num_actions), 0 if illegal, by the network's names.
        It is what the seat to act is paid until its next decision, plus the critic's value of that decision; the network's
        actor answers for the learner's seats."""
        batch = self.env.batch
        games, actions = np.nonzero(batch.action_masks)
        out = np.zeros(batch.action_masks.shape, np.float32)
        for part in (slice(first, first + _BRANCHES) for first in range(0, len(games), _BRANCHES)):
            out[games[part], actions[part]] = self._try_actions(net, games[part], actions[part])
        return self.env.rename_columns(out)

    def _try_actions(self, net: Any, games: Ints, actions: Ints) -> npt.NDArray[np.float32]:
        """Returns the values, float32 (k,), of ``actions`` in ``games``, both int64 (k,); k is at most `_BRANCHES`."""
        batch, n = self._branches, len(games)
        there = np.resize(games, batch.n)  # the rows behind the last are never played
        batch.set_games(self.env.batch.games[there])
        batch.streams[:] = self.env.batch.streams[there]
        batch.decisions[:] = self.env.batch.decisions[there]
        seats, rows = batch.to_act[:n].copy(), np.arange(n)
        chosen = np.full(batch.n, -1)
        chosen[:n] = actions
        streams = self.streams[games]
        paid = np.zeros(n, np.float32)
        over = np.zeros(n, np.bool_)
        while True:
            batch.step(chosen)
            paid += np.where(over, 0, batch.rewards[rows, seats])
            over |= batch.ended[:n] >= EPISODE_OVER
            answering = np.flatnonzero(~over & (batch.to_act[:n] != seats))
            if not len(answering):
                break
            chosen[:] = -1
            chosen[answering] = self._answer_actions(net, games, answering, streams)
        own = np.flatnonzero(~over)
        if len(own):
            shown, _, _ = self._shown_positions(own)
            values = _evaluate_chunks(lambda seen, at: net.predict_values(seen).flatten(), shown, net.device)
            paid[own] += self.config.gamma * values
        return paid

    def _answer_actions(self, net: Any, games: Ints, rows: Ints, streams: Streams) -> npt.NDArray[np.int64]:
        """Returns actions of the seats to act in the branches ``rows``, by the actor or by the league's player at the seat.
        Branch ``k`` belongs to game ``games[k]`` and draws from ``streams[k]``."""
        league, batch = self.env.league, self._branches
        if league is None:
            return self._actor_choices(net, rows)
        players = league.lineup[games[rows], batch.to_act[rows]]
        out = np.empty(len(rows), np.int64)
        for number in np.unique(players):
            index = np.flatnonzero(players == number)
            asked = rows[index]
            if number == LEARNER:
                out[index] = self._actor_choices(net, asked)
            else:
                drawn = streams[asked]
                out[index] = league.ask_imagined(int(number), batch.observations[asked], batch.action_masks[asked], drawn)
                streams[asked] = drawn
        return out

    def _actor_choices(self, net: Any, rows: Ints) -> npt.NDArray[np.int64]:
        """Returns the actor's likeliest actions in the branches ``rows``, under the game's own names."""
        observations, masks, names = self._shown_positions(rows)
        actions = _evaluate_chunks(lambda seen, at: net.get_distribution(seen, masks[at]).mode(), observations, net.device)
        return actions if self.env.symmetry is None else self.env.symmetry.restore_actions(actions, names)

    def _shown_positions(self, rows: Ints) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8], Any]:
        """Returns the branches ``rows`` as the environment shows them: observations, masks, names of suits or None."""
        batch = self._branches
        observations = (batch.states() if self.env.full_state else batch.observations)[rows]
        if self.env.symmetry is None:
            return observations, batch.action_masks[rows], None
        return self.env.symmetry.rename_positions(observations, batch.action_masks[rows])
