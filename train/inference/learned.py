"""Trained policies: networks from checkpoints or exported files that play like any other policy."""

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
from cardenvs.train.inference.belief import PREFIX, Belief
from cardenvs.train.inference.column_actor import ColumnActor
from cardenvs.train.inference.columns import ALONE
from cardenvs.train.inference.critic import CRITIC_PARTS, critic_of
from cardenvs.train.inference.exported import SUFFIX, check_export, read_export
from cardenvs.train.inference.layers import softmax
from cardenvs.train.inference.plain_actor import ACTOR_PARTS, HIDDEN, PlainActor, Weights
from cardenvs.train.inference.replay import Replay
from cardenvs.train.inference.symmetry import SuitSymmetry
from cardenvs.train.models.checkpoint import read_checkpoint
from cardenvs.train.models.entries import refused_as
from cardenvs.train.models.weights import check_weights

_CHUNK = 4096  # rows decided in one call of a kernel; between calls Python may be interrupted
# Options and parts of observations that have no meaning in a single deal.
STANDING = ("episode", "target", "score_own", "score_other")

_Columns = tuple[npt.NDArray[np.int64], npt.NDArray[np.int8]]  # columns of an observation and their values, each (k,)


def _option_columns(game: GameSpec, options: Mapping[str, Any]) -> tuple[_Columns, _Columns]:
    """Returns the columns of an observation that show the rules, and those of the score if episodes are single deals. A
    network trained on single deals has never seen a score: the second result holds what it saw instead."""
    shown = Batch(game, 1, seed=0, **options).observations[0]
    known = {part for option in game.options for part in (option.name, f"sto_{option.name}")}  # described: a number
    standing = STANDING if options.get("episode", "deal") == "deal" else ()

    def columns_of_parts(parts: Iterable[str]) -> _Columns:
        ranges = [np.arange(game.slices[p].start, game.slices[p].stop) for p in parts if p in game.slices]
        numbers = np.concatenate(ranges) if ranges else np.zeros(0, np.int64)
        return numbers, shown[numbers]

    return columns_of_parts(known - set(standing)), columns_of_parts(standing)


class TrainedPolicy(Policy):
    """The actor of a policy that `cardenvs.train.learning.self_play` trained with `MaskablePPO`.

    Deterministic, it chooses as SB3's ``predict(..., deterministic=True)`` (given the canonical observation), except where
    two actions are alike to the last digits of a float32. ValueError for weights that do not fit, or an unknown encoding.

    Args:
        game: name or spec, with recall if the policy was trained with it.
        weights: the policy's state dict as arrays, float32; other parts than actor, critic and belief network are ignored.
        sample: draw actions from the network's distribution (SB3's ``deterministic=False``) instead of taking its mode.
        canonical_suits: whether the network was trained on canonical suit names (`SuitSymmetry`).
        options: the rule options of the training; positions under others are refused. A policy of single deals may play
            whole games; it does not see the score. None: it plays by any rules, as it sees them.
        value_kind: the kind of reward of which the critic predicts what the rest of a deal pays; "" if it does not.
        encoding: entries of an observation that the network was shown (`GameSpec.encodings`); None: all.
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
        self.actor: PlainActor | ColumnActor
        if any(name.startswith(f"{HIDDEN}.{ALONE}") for name in weights):
            self.actor = ColumnActor(self.game, weights, activation)
        else:
            size = None if encoding is None else self._shown
            self.actor = PlainActor(self.game, weights, activation, self.symmetry, constant, shown, size)
        # The acts of others can be replayed where the deal can be rewound.
        self.has_beliefs = isinstance(self.actor, PlainActor) and self.game.kernels.rewind is not None

    def replay(self) -> Replay:
        """Returns the network in worlds that fit what a seat knows, for positions under the rules of its training."""
        if not isinstance(self.actor, PlainActor):
            raise ValueError(f"the policy {self.name!r} cannot be replayed: its network is of another kind")
        return Replay(self.game, self.actor)

    def believed(
        self, observations: Bytes, row: int, streams: Streams, worlds: int, candidates: int, doubt: float | None,
        steps: int = 0,
    ) -> Games:  # fmt: skip
        """Draws worlds by the policy's beliefs, as `Policy.believed`; ValueError where it cannot be replayed."""
        self._check_rules(observations[row : row + 1, : self.game.observation_size])
        drawn = self.replay().draw_believed(observations, row, streams, worlds, candidates, doubt, steps)
        return np.repeat(drawn.worlds, drawn.counts)

    def weights(self) -> dict[str, Floats]:
        """Returns the actor's weights and biases, float32, by the names that the actor was made with."""
        return self.actor.named_weights()

    def chances(self, observations: Bytes, action_masks: Bytes) -> Floats:
        """Returns each action's probability: float32 (n, num_actions), 0 for illegal ones; observations from `known`."""
        if self.symmetry is None:
            return self.probabilities(observations, action_masks)
        rows, masks, names = self.symmetry.rename_positions(observations, action_masks)
        return np.take_along_axis(self.probabilities(rows, masks), self.symmetry.naming.actions[names], 1)

    def chances_of(self, observations: Bytes, action_masks: Bytes) -> Floats:
        """Returns the probabilities, as `Policy.chances_of`; ValueError for rules not trained with."""
        return self.chances(self.known(observations), action_masks)

    def values_of(self, states: Bytes) -> Floats:
        """Returns expected rewards of the seats to act, as `Policy.values_of`; ValueError if the policy has none."""
        if self.critic is None or not self.value_kind:
            return super().values_of(states)
        size = self.game.observation_size
        rows = np.concatenate([self.known(states[:, :size])[:, : self._shown], states[:, size:]], 1)
        if self.symmetry is not None:
            rows, _, _ = self.symmetry.rename_positions(rows, np.zeros((len(rows), self.game.num_actions), np.int8))
        return self.critic(rows)

    def explain(self, observation: Mapping[str, Any], rng: RandomSource | None = None) -> Explanation:
        """Returns the legal actions and their probabilities, as `Policy.explain`; nothing is drawn from ``rng``."""
        row, mask, _ = self._check_one(observation, rng)
        return ranked(self.game, "probability", mask[0], self.chances(self.known(row), mask)[0])

    def probabilities(self, observations: Bytes, action_masks: Bytes) -> Floats:
        """Returns the probabilities as `chances`, with suits as the network names them."""
        return softmax(np.where(action_masks != 0, self.actor.logits(observations), -np.inf))

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """Chooses the network's actions, as `Policy.choose`; ValueError for rules not trained with."""
        self._check_rules(observations)
        return self.decide(observations, action_masks, streams)

    def decide(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """Chooses actions as `choose`, unchecked: for positions that are known to be under the rules of training."""
        observations, action_masks = np.ascontiguousarray(observations), np.ascontiguousarray(action_masks)
        out = np.empty(len(observations), np.int64)
        for start in range(0, len(out), _CHUNK):
            rows = slice(start, start + _CHUNK)
            out[rows] = self.actor.choose(observations[rows], action_masks[rows], streams[rows], self.sample)
        return out

    def plays(self, observations: Bytes) -> npt.NDArray[np.bool_]:
        """Returns a mask of the positions under the rules that the policy was trained with: bool (n,)."""
        columns, values = self._fixed
        return np.asarray((observations[:, columns] == values).all(1))

    def known(self, observations: Bytes) -> Bytes:
        """Returns observations as in training, int8 (n, d): without the score, if the training was on single deals.
        Raises ValueError for a position under other rules."""
        self._check_rules(observations)
        columns, values = self._unseen
        if (observations[:, columns] == values).all():
            return observations
        observations = observations.copy()
        observations[:, columns] = values
        return observations

    def _check_rules(self, observations: Bytes) -> None:
        if not self.plays(observations).all():
            named = [option for option in self.game.options if option.name not in STANDING]
            rules = ", ".join(f"{o.name}={show(self.options.get(o.name, o.default))}" for o in named)
            raise ValueError(f"the policy {self.name!r} was trained with {rules}: it does not play by other rules")


def _value_kind(config: Config) -> str:
    """Returns the kind of reward of which a critic predicts what the rest of a deal pays; "" if it predicts none: a seat's
    own part of a reward, discounted ones, those of more than a deal, and scores, which do not tell of the other sides'."""
    whole = not config.spec.team or config.team_share == 1.0
    deal = config.options.get("episode", "deal") == "deal"
    predicts = whole and deal and config.gamma == 1.0 and config.reward != "score"
    return str(config.reward) if predicts else ""


def make_player(
    config: Config, weights: Weights, game: GameSpec | None = None, sample: bool = False, value_kind: str = ""
) -> TrainedPolicy:
    """Returns a policy with weights that were trained by some settings; ``game`` has recall as they say (None: theirs)."""
    return TrainedPolicy(
        config.spec if game is None else game, weights, config.activation, sample, config.canonical_suits, config.options,
        value_kind, config.encoding,
    )  # fmt: skip


def load(game: GameSpec, path: str | os.PathLike[str], *, sample: bool = False, **unknown: Any) -> TrainedPolicy:
    """Loads the policy of a checkpoint (``.zip``) or an exported file (``.safetensors``); runs no pickled code.
    ``sample`` draws actions. Raises FileNotFoundError, or ValueError for no policy, a damaged one, one of another game,
    layout or rules, a ``.zip`` without torch, and other parameters."""
    for name in unknown:
        raise ValueError(f"unknown parameter {name!r} of policy {os.fspath(path)!r}: its parameters are sample")
    if not isinstance(sample, bool):
        raise ValueError(f"sample of policy {os.fspath(path)!r} must be yes or no, not {sample!r}")
    stored = read_network(game, path)
    with refused_as(f"no policy can be loaded from {os.fspath(path)!r}", (ValueError,)):
        shown = game.plain.with_recall(stored.config.recall)
        policy = make_player(stored.config, stored.weights, shown, sample, _value_kind(stored.config))
    policy.name = os.fspath(path)
    return policy


class StoredNetwork(NamedTuple):
    """A policy's network as it is stored in a file."""

    config: Config  # settings of the training that matter for play
    weights: Weights  # of its actor, and of its critic and its belief network where the file has them


def read_network(game: GameSpec, path: str | os.PathLike[str]) -> StoredNetwork:
    """Reads the network in a checkpoint or exported file and checks its arrays one by one; errors as in `load`."""
    weights: Weights
    if Path(path).suffix == SUFFIX:
        weights, record = read_export(path)
        check_export(path, record, game)
    else:
        checkpoint = read_checkpoint(path)
        checkpoint.check_game(game)
        record, weights = checkpoint.record, checkpoint.read_weights()
    with refused_as(f"no policy can be loaded from {os.fspath(path)!r}", (ValueError,)):
        config = playing_config(record.get("config"), game.name)
        weights = {name: array for name, array in weights.items() if name.startswith((*ACTOR_PARTS, *CRITIC_PARTS, PREFIX))}
        check_weights(weights)
    return StoredNetwork(config, weights)
