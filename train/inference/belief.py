"""Where the hidden cards are, given what a seat sees: a network that learns it from a policy's own games.

Bids and plays tell more than the rules force: who passed twice has no strong hand, who did not overtake could not. A belief
network turns an observation into the chances of each place (another seat's hand, the kitty, a hidden discard) for every
card. Searches weight the worlds they draw with it (`cardenvs.train.inference.learned_search`).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.cards import Bytes, Floats, seed_streams
from cardenvs.envs.batch import Batch
from cardenvs.policy import Policy
from cardenvs.spec import GameSpec, get_game
from cardenvs.train.inference.layers import Layers
from cardenvs.train.inference.symmetry import SuitSymmetry

PREFIX = "belief"
"""How the names of its weights begin in a file that holds a policy, too."""
_GAMES = 512
"""Played side by side, and positions in a minibatch."""


def places(game: GameSpec) -> list[str]:
    """The hidden parts of a state that are a place for cards, in their order."""
    deck = len(game.parts[0].labels)
    return [part.name for part in game.hidden if part.size == deck]


class _Allowed:
    """What the rules say of places, in a network's logits: shown voids need not be learned.

    Called with observations, int8 (n, d), it returns 0 where a card can be and -8 where it cannot, float32
    (n, places, cards).
    """

    def __init__(self, game: GameSpec) -> None:
        found = [f"could_hold_{place.removeprefix('hand_')}" for place in places(game)]
        self.parts = [game.slices.get(name) for name in found]

    def __call__(self, observations: Bytes) -> Floats:
        deck = next(part.stop - part.start for part in self.parts if part is not None)
        free = np.ones((len(observations), deck), np.int8)
        masks = [free if part is None else observations[:, part] for part in self.parts]
        return 8 * (np.stack(masks, 1) - np.float32(1))


class Belief:
    """A multilayer perceptron from observations to the chances of each card's place.

    Args:
        game: name or spec.
        layers: weight and bias of each layer, float32; the last one gives a number for each place and card, place by place.
        canonical_suits: whether it was fitted under canonical suit names (`SuitSymmetry`).

    Raises:
        ValueError: layers that do not fit the game.
    """

    def __init__(self, game: str | GameSpec, layers: Sequence[tuple[Floats, Floats]], canonical_suits: bool) -> None:
        self.game = get_game(game)
        self.layers = list(layers)
        self.symmetry = SuitSymmetry(self.game) if canonical_suits else None
        self._allowed = _Allowed(self.game)
        self.shape = (len(places(self.game)), len(self.game.parts[0].labels))
        if self.layers[0][0].shape[1] != self.game.observation_size or len(self.layers[-1][1]) != np.prod(self.shape):
            raise ValueError(f"the belief network does not fit {self.game.name}")
        self._net = Layers(self.layers)

    def log_chances(self, observations: Bytes) -> npt.NDArray[np.float64]:
        """The logarithm of each place's chance for every card: float64 (n, places, cards).

        For a card that is not hidden the numbers mean nothing.

        Args:
            observations: int8 (n, observation_size).
        """
        rows, names = observations, None
        if self.symmetry is not None:
            masks = np.zeros((len(rows), self.game.num_actions), np.int8)
            rows, _, names = self.symmetry.apply(rows, masks)
        logits = self._net(rows).reshape(-1, *self.shape) + self._allowed(rows)
        logits -= logits.max(1, keepdims=True)
        found = logits.astype(np.float64) - np.log(np.exp(logits).sum(1, keepdims=True))
        if names is None:
            return np.ascontiguousarray(found)
        # The card that is called c here is called names[suit of c] there; suits follow each other in equal blocks.
        deck, n = self.shape[1], len(rows)
        size = deck // 4
        cards = np.arange(deck)
        there = names[:, cards // size] * size + cards % size
        return np.ascontiguousarray(np.take_along_axis(found, np.broadcast_to(there[:, None], (n, *self.shape)), 2))

    def weights(self) -> dict[str, Floats]:
        """The network, by the names that `from_weights` reads."""
        return {
            f"{PREFIX}.{k}.{kind}": part
            for k, layer in enumerate(self.layers)
            for kind, part in zip(("weight", "bias"), layer, strict=True)
        }

    @classmethod
    def from_weights(cls, game: str | GameSpec, weights: Mapping[str, Floats], canonical_suits: bool) -> Belief | None:
        """The network among ``weights``, if there is one."""
        count = sum(name.startswith(f"{PREFIX}.") for name in weights) // 2
        if not count:
            return None
        layers = [(weights[f"{PREFIX}.{k}.weight"], weights[f"{PREFIX}.{k}.bias"]) for k in range(count)]
        return cls(game, layers, canonical_suits)


def fit_belief(
    player: Policy,
    decisions: int,
    *,
    net: Sequence[int] = (256, 256),
    canonical_suits: bool = True,
    seed: int = 0,
    lr: float = 1e-3,
    **options: Any,
) -> tuple[Belief, list[float]]:
    """Fits a belief network to games in which ``player`` holds every seat.

    Each position is used once, in the order in which the games come.

    Args:
        player: who plays; one that varies its play shows more.
        decisions: positions to learn from, about; forced moves are not among them.
        net: widths of the hidden layers.
        canonical_suits: whether to learn under canonical suit names.
        seed: of the games and the network.
        lr: Adam's learning rate, falling to 0.
        options: rule options.

    Returns:
        The network, and in tenths of the run the mean loss: what a hidden card's true place was believed in, as a negative
        logarithm in nats.
    """
    import torch
    from torch import nn

    game = player.game
    batch = Batch(game, _GAMES, seed=seed, skip_forced=True, **options)
    streams = seed_streams(seed + 1, _GAMES)
    symmetry = SuitSymmetry(game) if canonical_suits else None
    where = places(game)
    ends = game.observation_size + np.cumsum([part.size for part in game.hidden])
    hidden = [slice(end - part.size, end) for end, part in zip(ends, game.hidden, strict=True) if part.name in where]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        widths = [game.observation_size, *net, len(where) * len(game.parts[0].labels)]
        modules: list[nn.Module] = []
        for wide, next_wide in itertools.pairwise(widths):
            modules += [nn.Linear(wide, next_wide), nn.ReLU()]
        network = nn.Sequential(*modules[:-1])
    optimizer = torch.optim.Adam(network.parameters(), lr=lr)
    rounds = max(1, decisions // _GAMES)
    losses = []
    allowed = _Allowed(game)
    for k in range(rounds):
        states = batch.states()
        shown = states if symmetry is None else symmetry.apply(states, batch.action_masks)[0]
        batch.step(player.choose(batch.observations, batch.action_masks, streams))
        truth = torch.from_numpy(np.stack([shown[:, part] for part in hidden], 1)).float()
        seen = shown[:, : game.observation_size]
        logits = network(torch.from_numpy(seen).float()).reshape(len(shown), len(hidden), -1)
        logits = logits + torch.from_numpy(allowed(seen))
        loss = -(torch.log_softmax(logits, 1) * truth).sum() / truth.sum().clamp(min=1)
        for group in optimizer.param_groups:
            group["lr"] = lr * (1 - k / rounds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    layers = [
        (module.weight.detach().numpy().copy(), module.bias.detach().numpy().copy())
        for module in network
        if isinstance(module, nn.Linear)
    ]
    means = [float(np.mean(part)) for part in np.array_split(np.array(losses), min(10, len(losses)))]
    return Belief(game, layers, canonical_suits), means
