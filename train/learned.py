"""Trained policies: a network read from a checkpoint that plays like any other policy."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from cardenvs.cards import Bytes, Floats, Ints, RandomSource, Streams, below
from cardenvs.envs.batch import Batch
from cardenvs.jit import kernel
from cardenvs.policy import Policy
from cardenvs.spec import GameSpec, show
from train.belief import Belief
from train.checkpoint import read_checkpoint
from train.columns import ALONE, BESIDE, ColumnTrunk, column_features
from train.export import SUFFIX, check_export, read_export
from train.symmetry import SuitSymmetry

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}
"""Activation functions by name."""

_CHUNK = 4096
_HIDDEN, _OUTPUT = "mlp_extractor.policy_net", "action_net"
ACTOR_PARTS = (_HIDDEN, _OUTPUT)
"""How the names of the actor's weights begin."""


@kernel
def _sample(probabilities: Floats, action_masks: Bytes, streams: Streams, out: Ints) -> None:
    for row in range(len(out)):
        left = (below(streams, row, 1 << 30) + 0.5) / (1 << 30)
        for action in range(action_masks.shape[1]):
            if action_masks[row, action]:
                out[row] = action  # the last legal action if rounding leaves something over
                left -= probabilities[row, action]
                if left <= 0.0:
                    break


_STANDING = ("episode", "target", "score_own", "score_other")
"""Options and parts of observations that have no meaning in a single deal."""

_Columns = tuple[npt.NDArray[np.int64], npt.NDArray[np.int8]]
"""Columns of an observation and what stands there."""


def _option_columns(game: GameSpec, options: Mapping[str, Any]) -> tuple[_Columns, _Columns]:
    """What an observation shows of the rules under ``options``; and of the score, if episodes are single deals."""
    shown = Batch(game, 1, seed=0, **options).observations[0]
    known = {option.name for option in game.options}
    standing = _STANDING if options.get("episode", "deal") == "deal" else ()

    def columns(parts: Iterable[str]) -> _Columns:
        found = [np.arange(game.slices[p].start, game.slices[p].stop) for p in parts if p in game.slices]
        where = np.concatenate(found) if found else np.zeros(0, np.int64)
        return where, shown[where]

    return columns(known - set(standing)), columns(standing)


class PlainActor:
    """The actor of `train.network.FullCriticPolicy`, a multilayer perceptron.

    Args:
        game: whose observations and actions.
        weights: the policy's state dict; other parts than the actor are ignored.
        activation: of the hidden layers.

    Raises:
        ValueError: weights that are no such network, or not for this game.
    """

    def __init__(self, game: GameSpec, weights: Mapping[str, Tensor], activation: type[nn.Module]) -> None:
        names = [name.removesuffix(".weight") for name in weights if name.startswith(_HIDDEN) and name.endswith(".weight")]
        self._names = [*names, _OUTPUT]
        self._activation = activation()
        try:
            self._layers = [(weights[f"{name}.weight"].detach(), weights[f"{name}.bias"].detach()) for name in self._names]
        except KeyError as error:
            raise ValueError(f"the weights are those of no multilayer perceptron: {error} is missing") from None
        size = game.observation_size
        for weight, bias in self._layers:
            if weight.ndim != 2 or weight.shape != (len(bias), size):
                raise ValueError(f"the weights do not fit together: a layer of {tuple(weight.shape)} after {size} values")
            size = len(bias)
        if size != game.num_actions:
            raise ValueError(f"the weights give {size} actions, but {game.name} has {game.num_actions}")

    def weights(self) -> dict[str, Tensor]:
        """The network, by the names that it was made with."""
        named = zip(self._names, self._layers, strict=True)
        return {
            f"{name}.{kind}": part for name, layer in named for kind, part in zip(("weight", "bias"), layer, strict=True)
        }

    def logits(self, observations: Bytes) -> Tensor:
        """A number for each action, float32 (n, num_actions), of observations, int8 (n, observation_size)."""
        x = torch.from_numpy(observations).float()
        for weight, bias in self._layers[:-1]:
            x = self._activation(nn.functional.linear(x, weight, bias))
        return nn.functional.linear(x, *self._layers[-1])


class ColumnActor:
    """The actor of `train.network.ColumnPolicy`: Five-O, with weights that the columns share.

    Args:
        game: Five-O, or the weights do not fit.
        weights: the policy's state dict; other parts than the actor are ignored.
        activation: of the hidden layers.

    Raises:
        ValueError: weights that are no such network, or another game.
    """

    def __init__(self, game: GameSpec, weights: Mapping[str, Tensor], activation: type[nn.Module]) -> None:
        if game.name != "five-o":
            raise ValueError(f"the weights are those of a network for the columns of five-o, not for {game.name}")
        try:
            widths = [len(weights[f"{_HIDDEN}.{name}.bias"]) for name in (ALONE, BESIDE)]
            # No numbers are drawn for weights that are there: that would shift the random numbers of a training.
            with torch.device("meta"):
                self._trunk, self._head = ColumnTrunk(widths, activation), nn.Linear(widths[-1], 1)
            for module, part in ((self._trunk, _HIDDEN), (self._head, _OUTPUT)):
                own = {n.removeprefix(f"{part}."): w.detach() for n, w in weights.items() if n.startswith(f"{part}.")}
                module.load_state_dict(own, assign=True)
        except (KeyError, RuntimeError) as error:
            raise ValueError(f"the weights are those of no column network: {' '.join(str(error).split())}") from None

    def weights(self) -> dict[str, Tensor]:
        """The network, by the names that it was made with."""
        parts = {_HIDDEN: self._trunk, _OUTPUT: self._head}
        return {f"{part}.{name}": w.detach() for part, module in parts.items() for name, w in module.state_dict().items()}

    def logits(self, observations: Bytes) -> Tensor:
        """A number for each action, float32 (n, 5), of observations, int8 (n, observation_size)."""
        found: Tensor = self._head(self._trunk(torch.from_numpy(column_features(observations)))).squeeze(-1)
        return found


class TrainedPolicy(Policy):
    """The actor of a policy that `train.self_play` trained with `MaskablePPO`.

    Attributes:
        belief: a network for where hidden cards are, if one is among the weights (`train.belief`).
        explains: what the numbers of `explain` are.

    Greedy, it chooses exactly what SB3's ``predict(..., deterministic=True)`` does (given the canonical observation).

    Args:
        game: name or spec.
        weights: the policy's state dict; other parts than the actor are ignored.
        activation: a name in `ACTIVATIONS`.
        sample: draw from the network's distribution instead of its mode.
        canonical_suits: whether the network was trained on canonical suit names (`SuitSymmetry`).
        options: the rule options that it was trained with; what is not given has its default. `choose` refuses positions
            under others. A policy of single deals may play whole games: it then does not see the score. None: it plays by
            any rules, as it sees them.

    Raises:
        ValueError: weights that are no such network, or not for this game.
    """

    explains: ClassVar[str] = "probability"

    def __init__(
        self,
        game: str | GameSpec,
        weights: Mapping[str, Tensor],
        activation: str = "relu",
        sample: bool = False,
        canonical_suits: bool = False,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(game)
        self.belief = Belief.from_weights(self.game, weights, canonical_suits)
        self.options = dict(options or {})
        none = (np.zeros(0, np.int64), np.zeros(0, np.int8))
        self._fixed, self._unseen = (none, none) if options is None else _option_columns(self.game, options)
        self.symmetry = SuitSymmetry(self.game) if canonical_suits else None
        if activation not in ACTIVATIONS:
            raise ValueError(f"activation must be one of {', '.join(ACTIVATIONS)}, not {activation!r}")
        self.sample = sample
        kind = ColumnActor if any(name.startswith(f"{_HIDDEN}.{ALONE}") for name in weights) else PlainActor
        self.actor: PlainActor | ColumnActor = kind(self.game, weights, ACTIVATIONS[activation])

    def weights(self) -> dict[str, Tensor]:
        """The network, by the names that it was made with."""
        return self.actor.weights()

    def chances(self, observations: Bytes, action_masks: Bytes) -> Floats:
        """The policy's probability of each action: float32 (n, num_actions), 0 for illegal ones.

        Args:
            observations: int8 (n, observation_size), as the game shows them but for what `known` takes away.
            action_masks: int8 (n, num_actions).
        """
        if self.symmetry is None:
            return self.probabilities(observations, action_masks)
        rows, masks, names = self.symmetry.apply(observations, action_masks)
        found = self.probabilities(rows, masks)
        actions = np.arange(self.game.num_actions)
        there = np.stack([self.symmetry.rename(np.full(len(rows), action), names) for action in actions], 1)
        return np.take_along_axis(found, there, 1)

    def explain(self, observation: Mapping[str, Any], rng: RandomSource | None = None) -> list[tuple[str, float]]:
        """The legal actions and their probabilities, likeliest first: what `act` chooses, if it does not draw.

        Args:
            observation: as a PettingZoo environment returns it, with ``"observation"`` and ``"action_mask"``.
            rng: not used; search policies need one there.
        """
        del rng
        row = np.ascontiguousarray(observation["observation"], np.int8)[None]
        mask = np.ascontiguousarray(observation["action_mask"], np.int8)[None]
        chances = self.chances(self.known(row), mask)[0]
        order = sorted(np.flatnonzero(mask[0]), key=lambda action: -chances[action])
        return [(self.game.actions[action], float(chances[action])) for action in order]

    def probabilities(self, observations: Bytes, action_masks: Bytes) -> Floats:
        """The network's probability of each action: float32 (n, num_actions), 0 for illegal ones.

        Observations, masks and actions are as the network knows them: with canonical suits if it was trained so.
        """
        with torch.inference_mode():
            return self._distribution(observations, action_masks).numpy()

    def _distribution(self, observations: Bytes, action_masks: Bytes) -> Tensor:
        logits = self.actor.logits(observations)
        # The steps of sb3_contrib's MaskableCategorical, so that even roundings agree.
        logits = logits - logits.logsumexp(-1, keepdim=True)
        logits = torch.where(torch.from_numpy(action_masks).bool(), logits, -1e8)
        logits = logits - logits.logsumexp(-1, keepdim=True)
        return torch.softmax(logits, -1)

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """See `Policy.choose`.

        Raises:
            ValueError: a position under rules that the policy was not trained with.
        """
        out = np.asarray(action_masks.argmax(1), np.int64)
        wanted = np.flatnonzero(action_masks.sum(1) > 1)
        observations = self.known(observations)
        for start in range(0, len(wanted), _CHUNK):
            rows = wanted[start : start + _CHUNK]
            drawn = streams[rows]
            out[rows] = self._choose(observations[rows], action_masks[rows], drawn)
            streams[rows] = drawn
        return out

    def plays(self, observations: Bytes) -> npt.NDArray[np.bool_]:
        """Which positions are under the rules that the policy was trained with: bool (n,)."""
        columns, values = self._fixed
        return np.asarray((observations[:, columns] == values).all(1))

    def known(self, observations: Bytes) -> Bytes:
        """Observations as they were in training: without the score, if that was on single deals.

        Raises:
            ValueError: other rules than in training.
        """
        if not self.plays(observations).all():
            named = [option for option in self.game.options if option.name not in _STANDING]
            rules = ", ".join(f"{o.name}={show(self.options.get(o.name, o.default))}" for o in named)
            raise ValueError(f"the policy {self.name!r} was trained with {rules}: it does not play by other rules")
        columns, values = self._unseen
        if (observations[:, columns] == values).all():
            return observations
        observations = observations.copy()
        observations[:, columns] = values
        return observations

    def _choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        if self.symmetry is not None:
            observations, action_masks, names = self.symmetry.apply(observations, action_masks)
        with torch.inference_mode():
            probabilities = self._distribution(observations, action_masks)
            if self.sample:
                actions = np.empty(len(observations), np.int64)
                _sample(probabilities.numpy(), action_masks, streams, actions)
            else:
                actions = probabilities.argmax(1).numpy()
        return actions if self.symmetry is None else self.symmetry.restore(actions, names)


def load(game: GameSpec, path: str | os.PathLike[str], *, sample: bool = False, **unknown: Any) -> TrainedPolicy:
    """The policy in a checkpoint or an exported file; no pickled code is run.

    Args:
        game: what it is to play.
        path: a ``.zip`` written by `train`, or a ``.safetensors`` written by `train.export`.
        sample: draw from the network's distribution instead of its mode.
        unknown: taken only to be refused by name.

    Raises:
        FileNotFoundError: no such file.
        ValueError: no policy, a damaged one, or one of another game, layout or rules; an unknown parameter.
    """
    for name in unknown:
        raise ValueError(f"unknown parameter {name!r} of policy {os.fspath(path)!r}: its parameters are sample")
    config: Any
    if Path(path).suffix == SUFFIX:
        arrays, config = read_export(path)
        check_export(path, config, game)
        weights = {name: torch.from_numpy(array) for name, array in arrays.items()}
    else:
        checkpoint = read_checkpoint(path)
        checkpoint.check_game(game)
        config, weights = checkpoint.record.get("config"), checkpoint.tensors("policy")
    try:
        settings = {name: config[name] for name in ("activation", "canonical_suits")}
        policy = TrainedPolicy(game, weights, sample=sample, options=config.get("options"), **settings)
        policy.name = os.fspath(path)
        return policy
    except (KeyError, TypeError) as error:
        raise ValueError(f"no policy can be loaded from {os.fspath(path)!r}: its settings lack {error}") from error
    except ValueError as error:
        raise ValueError(f"no policy can be loaded from {os.fspath(path)!r}: {error}") from error
