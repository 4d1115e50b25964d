"""Trained policies: a network read from a checkpoint or an exported file that plays like any other policy."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams
from cardenvs.compiled.streams import RandomSource
from cardenvs.contract.fields import Games
from cardenvs.contract.options import show
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.batch import Batch
from cardenvs.policy.contract import Policy
from cardenvs.policy.explanation import Explanation, ranked
from cardenvs.train.config import Config, playing_config
from cardenvs.train.inference.actor import ACTOR_PARTS, HIDDEN, Actor, Weights
from cardenvs.train.inference.belief import PREFIX, Belief
from cardenvs.train.inference.column_actor import ColumnActor
from cardenvs.train.inference.columns import ALONE
from cardenvs.train.inference.critic import CRITIC_PARTS, critic_of
from cardenvs.train.inference.exported import SUFFIX, check_export, read_export
from cardenvs.train.inference.layers import softmax
from cardenvs.train.inference.plain_actor import PlainActor
from cardenvs.train.inference.replay import Replay
from cardenvs.train.inference.symmetry import SuitSymmetry
from cardenvs.train.inference.weights import check_weights
from cardenvs.train.models.checkpoint import read_checkpoint
from cardenvs.train.models.entries import error_line

_CHUNK = 4096
"""Rows decided in one call of a kernel; between calls Python may be interrupted."""
STANDING = ("episode", "target", "score_own", "score_other")
"""Options and parts of observations that have no meaning in a single deal."""

_Columns = tuple[npt.NDArray[np.int64], npt.NDArray[np.int8]]
"""Columns of an observation, int64 (k,), and their values, int8 (k,)."""


def _option_columns(game: GameSpec, options: Mapping[str, Any]) -> tuple[_Columns, _Columns]:
    """The columns of an observation that show the rules, and those that show the score if episodes are single deals.

    A network trained on single deals has never seen a score: the second result holds what the network saw instead.
    """
    shown = Batch(game, 1, seed=0, **options).observations[0]
    known = {part for option in game.options for part in (option.name, f"sto_{option.name}")}  # described: a number
    standing = STANDING if options.get("episode", "deal") == "deal" else ()

    def columns(parts: Iterable[str]) -> _Columns:
        """The columns of some parts of an observation, and their values under the options."""
        ranges = [np.arange(game.slices[p].start, game.slices[p].stop) for p in parts if p in game.slices]
        numbers = np.concatenate(ranges) if ranges else np.zeros(0, np.int64)
        return numbers, shown[numbers]

    return columns(known - set(standing)), columns(standing)


class TrainedPolicy(Policy):
    """The actor of a policy that `cardenvs.train.learning.self_play` trained with `MaskablePPO`.

    Attributes:
        actor: the network that plays.
        belief: the network for where hidden cards are, None if none is among the weights
            (`cardenvs.train.inference.belief`).
        critic: the network that values states for searches, None if none is among the weights.
        options: those rule options that the policy was trained with and that were given.
        symmetry: how the network names suits; None if it names them as the game does.
        sample: whether actions are drawn from the network's distribution.

    Deterministic, it chooses what SB3's ``predict(..., deterministic=True)`` does (given the canonical observation); where
    two actions are alike to the last digits of a float32, roundings may decide otherwise.

    Args:
        game: name or spec, with recall if the policy was trained with it.
        weights: the policy's state dict as arrays, float32; other parts than actor, critic and belief network are ignored.
        activation: a name in `cardenvs.train.models.shapes.ACTIVATIONS`.
        sample: draw actions from the network's distribution (SB3's ``deterministic=False``) instead of taking its mode.
        canonical_suits: whether the network was trained on canonical suit names (`SuitSymmetry`).
        options: the rule options that the policy was trained with; what is not given has its default. `choose` refuses
            positions under other options. A policy of single deals may play whole games: it then does not see the score.
            None: the policy plays by any rules, as it sees them.
        value_kind: the kind of reward in which the critic foretells what the rest of a deal pays; "" if it does not.
        encoding: which entries of an observation the network was shown (`GameSpec.encodings`); None: all.

    Raises:
        ValueError: weights that are no such network, or not for this game; an unknown encoding.
    """

    has_chances = True

    def __init__(
        self,
        game: str | GameSpec,
        weights: Weights,
        activation: str = "relu",
        sample: bool = False,
        canonical_suits: bool = False,
        options: Mapping[str, Any] | None = None,
        value_kind: str = "",
        encoding: str | None = None,
    ) -> None:
        super().__init__(game)
        self._shown = self.game.shown_size(encoding)
        self.critic = critic_of(self.game, weights, activation, self._shown)
        self.value_kind = value_kind if self.critic is not None else ""
        self.belief = Belief.from_weights(self.game, weights, canonical_suits)
        self.options = dict(options or {})
        none = (np.zeros(0, np.int64), np.zeros(0, np.int8))
        self._fixed, self._unseen = (none, none) if options is None else _option_columns(self.game, options)
        constant, shown = (np.concatenate([a, b]) for a, b in zip(self._fixed, self._unseen, strict=True))
        self.symmetry = SuitSymmetry(self.game) if canonical_suits else None
        self.sample = sample
        self.can_be_foretold = not sample
        self.actor: Actor
        if any(name.startswith(f"{HIDDEN}.{ALONE}") for name in weights):
            self.actor = ColumnActor(self.game, weights, activation)
        else:
            size = None if encoding is None else self._shown
            self.actor = PlainActor(self.game, weights, activation, self.symmetry, constant, shown, size)
        # The acts of others can be replayed where the deal can be rewound.
        self.has_beliefs = isinstance(self.actor, PlainActor) and self.game.kernels.rewind is not None

    def replay(self) -> Replay:
        """The network in worlds that fit what a seat knows, for positions under the rules of its training.

        Raises:
            ValueError: the policy cannot be replayed.
        """
        if not isinstance(self.actor, PlainActor):
            raise ValueError(f"the policy {self.name!r} cannot be replayed: its network is of another kind")
        return Replay(self.game, self.actor)

    def believed(
        self, observations: Bytes, row: int, streams: Streams, worlds: int, candidates: int, doubt: float | None
    ) -> Games:
        """Worlds as the policy believes in them, as `Policy.believed` returns them.

        Raises:
            ValueError: the policy cannot be replayed; or a position under rules that it was not trained with.
        """
        self._check_rules(observations[row : row + 1, : self.game.observation_size])
        drawn = self.replay().drawn(observations, row, streams, worlds, candidates, doubt)
        return np.repeat(drawn.worlds, drawn.counts)

    def weights(self) -> dict[str, Floats]:
        """The actor's weights and biases, float32, by the names that the actor was made with."""
        return self.actor.named_weights()

    def chances(self, observations: Bytes, action_masks: Bytes) -> Floats:
        """The policy's probability of each action: float32 (n, num_actions), 0 for illegal ones.

        Args:
            observations: int8 (n, observation_size), as the game shows them, but without what `known` takes away.
            action_masks: int8 (n, num_actions).
        """
        if self.symmetry is None:
            return self.probabilities(observations, action_masks)
        rows, masks, names = self.symmetry.apply(observations, action_masks)
        canonical = self.probabilities(rows, masks)
        actions = np.arange(self.game.num_actions)
        there = np.stack([self.symmetry.rename(np.full(len(rows), action), names) for action in actions], 1)
        return np.take_along_axis(canonical, there, 1)

    def chances_of(self, observations: Bytes, action_masks: Bytes) -> Floats:
        """The policy's probability of each action, as `Policy.chances_of` returns them.

        Raises:
            ValueError: a position under rules that the policy was not trained with.
        """
        return self.chances(self.known(observations), action_masks)

    def values_of(self, states: Bytes) -> Floats:
        """Expected rewards of the seats to act, as `Policy.values_of` returns them.

        Raises:
            ValueError: the policy has no values; or a position under rules that it was not trained with.
        """
        if self.critic is None or not self.value_kind:
            return super().values_of(states)
        size = self.game.observation_size
        rows = np.concatenate([self.known(states[:, :size])[:, : self._shown], states[:, size:]], 1)
        if self.symmetry is not None:
            rows, _, _ = self.symmetry.apply(rows, np.zeros((len(rows), self.game.num_actions), np.int8))
        return self.critic(rows)

    def explain(self, observation: Mapping[str, Any], rng: RandomSource | None = None) -> Explanation:
        """The legal actions and their probabilities, as `Policy.explain` returns them; nothing is drawn from ``rng``."""
        row, mask, _ = self._one(observation, rng)
        return ranked(self.game, "probability", mask[0], self.chances(self.known(row), mask)[0])

    def probabilities(self, observations: Bytes, action_masks: Bytes) -> Floats:
        """The network's probability of each action: float32 (n, num_actions), 0 for illegal ones.

        Observations, masks and actions are as the network knows them: with canonical suits if it was trained so.

        Args:
            observations: int8 (n, observation_size).
            action_masks: int8 (n, num_actions).
        """
        return softmax(np.where(action_masks != 0, self.actor.logits(observations), -np.inf))

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """The network's actions, as `Policy.choose` returns them.

        Raises:
            ValueError: a position under rules that the policy was not trained with.
        """
        self._check_rules(observations)
        return self.decide(observations, action_masks, streams)

    def decide(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """Actions as by `choose`, but unchecked: for positions that are known to be under the rules of training."""
        observations, action_masks = np.ascontiguousarray(observations), np.ascontiguousarray(action_masks)
        out = np.empty(len(observations), np.int64)
        for start in range(0, len(out), _CHUNK):
            rows = slice(start, start + _CHUNK)
            out[rows] = self.actor.choose(observations[rows], action_masks[rows], streams[rows], self.sample)
        return out

    def plays(self, observations: Bytes) -> npt.NDArray[np.bool_]:
        """Mask of the positions under the rules that the policy was trained with: bool (n,).

        Args:
            observations: int8 (n, observation_size).
        """
        columns, values = self._fixed
        return np.asarray((observations[:, columns] == values).all(1))

    def known(self, observations: Bytes) -> Bytes:
        """Observations as they were in training, int8 (n, d): without the score, if the training was on single deals.

        Args:
            observations: int8 (n, observation_size), as the game shows them.

        Raises:
            ValueError: a position under other rules than in training.
        """
        self._check_rules(observations)
        columns, values = self._unseen
        if (observations[:, columns] == values).all():
            return observations
        observations = observations.copy()
        observations[:, columns] = values
        return observations

    def _check_rules(self, observations: Bytes) -> None:
        """Raises a ValueError for positions under other rules than in training; the message names the rules of training."""
        if not self.plays(observations).all():
            named = [option for option in self.game.options if option.name not in STANDING]
            rules = ", ".join(f"{o.name}={show(self.options.get(o.name, o.default))}" for o in named)
            raise ValueError(f"the policy {self.name!r} was trained with {rules}: it does not play by other rules")


def _value_kind(config: Config) -> str:
    """The kind of reward in which a critic of some training foretells what the rest of a deal pays; "" if it does not.

    It does not where it learned a seat's own part of its side's reward, where rewards to come count less, where an
    episode goes on behind the deal, and where scores are paid, as a side's score says nothing of the others'.
    """
    whole = not config.spec.team or config.team_share == 1.0
    deal = config.options.get("episode", "deal") == "deal"
    told = whole and deal and config.gamma == 1.0 and config.reward != "score"
    return str(config.reward) if told else ""


def load(game: GameSpec, path: str | os.PathLike[str], *, sample: bool = False, **unknown: Any) -> TrainedPolicy:
    """The policy in a checkpoint or an exported file; no pickled code is run, which holds with torch 2.10 and later.

    Args:
        game: the game that the policy is to play.
        path: a ``.zip`` written by `cardenvs.train.train`, or a ``.safetensors`` written by `cardenvs.train.export`.
        sample: draw actions from the network's distribution (SB3's ``deterministic=False``) instead of taking its mode.
        unknown: any other parameter, which is refused by name.

    Raises:
        FileNotFoundError: no such file.
        ValueError: no policy, a damaged one, or one of another game, layout or rules; an unknown parameter; a ``.zip``
            without torch installed.
    """
    for name in unknown:
        raise ValueError(f"unknown parameter {name!r} of policy {os.fspath(path)!r}: its parameters are sample")
    if not isinstance(sample, bool):
        raise ValueError(f"sample of policy {os.fspath(path)!r} must be yes or no, not {sample!r}")
    stored = read_network(game, path)
    try:
        config = stored.config
        shown = game.plain.with_recall(config.recall)
        policy = TrainedPolicy(
            shown, stored.weights, config.activation, sample, config.canonical_suits, config.options, _value_kind(config),
            config.encoding,
        )  # fmt: skip
        policy.name = os.fspath(path)
        return policy
    except ValueError as error:
        raise ValueError(f"no policy can be loaded from {os.fspath(path)!r}: {error_line(error)}") from error


class StoredNetwork(NamedTuple):
    """A policy's network as it is stored in a file.

    Attributes:
        config: the settings that it was trained with, as far as it plays by them.
        weights: the weights of its actor, and of its critic and its belief network where the file has them.
    """

    config: Config
    weights: Weights


def read_network(game: GameSpec, path: str | os.PathLike[str]) -> StoredNetwork:
    """The network in a checkpoint or an exported file, its arrays checked one by one; whether they fit together is not.

    Args:
        game: the game that it is to play.
        path: a ``.zip`` written by `cardenvs.train.train`, or a ``.safetensors`` written by `cardenvs.train.export`.

    Raises:
        FileNotFoundError: no such file.
        ValueError: no policy, a damaged one, or one of another game, layout or rules; a ``.zip`` without torch installed.
    """
    settings: Any
    weights: Weights
    if Path(path).suffix == SUFFIX:
        weights, record = read_export(path)
        check_export(path, record, game)
        settings = record["config"]
    else:
        checkpoint = read_checkpoint(path)
        checkpoint.check_game(game)
        settings, weights = checkpoint.record.get("config"), checkpoint.read_weights()
    try:
        config = playing_config(settings, game.name)
        weights = {name: array for name, array in weights.items() if name.startswith((*ACTOR_PARTS, *CRITIC_PARTS, PREFIX))}
        check_weights(weights)
        return StoredNetwork(config, weights)
    except ValueError as error:
        raise ValueError(f"no policy can be loaded from {os.fspath(path)!r}: {error_line(error)}") from error
