"""A network's beliefs about the *holders* (hands, kitty, discards) of hidden cards, given what a seat sees.

It is fitted to a policy's own games (`cardenvs.train.learning.belief`): bids and plays tell more than the rules force.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from cardenvs.compiled.bits import Bytes, Floats
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.train.inference.layers import Layers
from cardenvs.train.inference.symmetry import SuitSymmetry
from cardenvs.train.models.weights import arrays_by_name

PREFIX = "belief"  # the beginning of the names of a belief network's weights in a file that holds a policy, too


def holder_names(game: GameSpec) -> list[str]:
    """Returns the names of the hidden parts of a state that are card sets, in their order."""
    deck = len(game.parts[0].labels)
    return [part.name for part in game.hidden if part.size == deck]


def allowed_holders(game: GameSpec, observations: Bytes) -> Floats:
    """Returns terms to add to a network's logits, float32 (n, holders, cards): 0 where the rules allow a holder to have a
    card, and -8 where they do not."""
    parts = [game.slices.get(f"could_hold_{holder.removeprefix('hand_')}") for holder in holder_names(game)]
    free = np.ones((len(observations), len(game.parts[0].labels)), np.int8)
    masks = [free if part is None else observations[:, part] for part in parts]
    return 8 * (np.stack(masks, 1) - np.float32(1))


class Belief:
    """A multilayer perceptron from observations to the probabilities of each card's holder. ``layers`` are weight and bias
    of each layer; the last layer gives a number for each holder and card, holder by holder. With ``canonical_suits`` it was
    fitted under canonical suit names. Raises ValueError for layers that do not fit the game."""

    def __init__(self, game: str | GameSpec, layers: Sequence[tuple[Floats, Floats]], canonical_suits: bool) -> None:
        self.game = get_game(game)
        self.layers = list(layers)
        symmetry = SuitSymmetry(self.game)
        self.symmetry = symmetry if canonical_suits and symmetry.symmetry is not None else None
        self.shape = (len(holder_names(self.game)), len(self.game.parts[0].labels))
        if self.layers[0][0].shape[1] != self.game.observation_size or len(self.layers[-1][1]) != np.prod(self.shape):
            raise ValueError(f"the belief network does not fit {self.game.name}")
        self._net = Layers(self.layers)

    def log_chances(self, observations: Bytes) -> npt.NDArray[np.float64]:
        """Returns the logarithm of each holder's probability to have each card: float64 (n, holders, cards). For a card
        that is not hidden the numbers mean nothing."""
        rows, numbers = observations, None
        if self.symmetry is not None:
            masks = np.zeros((len(rows), self.game.num_actions), np.int8)
            rows, _, numbers = self.symmetry.rename_positions(rows, masks)
        logits = self._net(rows).reshape(-1, *self.shape) + allowed_holders(self.game, rows)
        logits -= logits.max(1, keepdims=True)
        log_chances = logits.astype(np.float64) - np.log(np.exp(logits).sum(1, keepdims=True))
        if self.symmetry is None or numbers is None:
            return np.ascontiguousarray(log_chances)
        # A card of suit s is a card of suit names[s] to the network; suits follow each other in blocks of equal size.
        deck, n, names = self.shape[1], len(rows), self.symmetry.permutations[numbers]
        size = deck // 4
        cards = np.arange(deck)
        there = names[:, cards // size] * size + cards % size
        return np.ascontiguousarray(np.take_along_axis(log_chances, np.broadcast_to(there[:, None], (n, *self.shape)), 2))

    def named_weights(self) -> dict[str, Floats]:
        """Returns weights and biases, float32, by the names that `from_weights` reads."""
        return arrays_by_name((f"{PREFIX}.{k}", layer) for k, layer in enumerate(self.layers))

    @classmethod
    def from_weights(cls, game: str | GameSpec, weights: Mapping[str, Floats], canonical_suits: bool) -> Belief | None:
        """Returns the belief network among a file's weights, None if it has none; ValueError if it does not fit."""
        named = [name for name in weights if name.startswith(PREFIX)]
        if not named:
            return None
        names = [(f"{PREFIX}.{k}.weight", f"{PREFIX}.{k}.bias") for k in range((len(named) + 1) // 2)]
        if {name for layer in names for name in layer} != set(named):
            raise ValueError("the weights are those of no belief network: layers are missing or named otherwise")
        if not holder_names(get_game(game)):
            raise ValueError(f"{get_game(game).name} has no holders of hidden cards for a belief network")
        layers = [(weights[weight], weights[bias]) for weight, bias in names]
        return cls(game, layers, canonical_suits)
