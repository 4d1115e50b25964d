"""Other-play: in training each seat has names of its own for what the rules treat alike, such as Hanabi's colours.

Seats that are shown the same names agree on what the rules leave open: that red is told when the oldest card is to be
played. Nobody who has trained apart can know. Where every seat of every episode has its names drawn anew, the network finds
no such agreement, and learns what two strangers can both find. What is played outside of training has the game's own names.

Source: H. Hu, A. Lerer, A. Peysakhovich and J. Foerster, "'Other-Play' for Zero-Shot Coordination" (ICML 2020).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.compiled.bits import Bytes, Ints, Streams, nonzero
from cardenvs.compiled.jit import kernel
from cardenvs.compiled.streams import below
from cardenvs.contract.spec import GameSpec
from cardenvs.randomness import hashed_streams
from cardenvs.train.inference.symmetry import exchange


@kernel
def _draw_names(streams: Streams, rows: Ints, count: int, numbers: Ints) -> None:
    """Draws a number below ``count`` for each seat of some games, but 0 for one seat of each."""
    seats = numbers.shape[1]
    for row in rows:
        for seat in range(seats):
            numbers[row, seat] = below(streams, row, count)
        numbers[row, below(streams, row, seats)] = 0


@kernel
def _rename_rows(rows: Bytes, masks: Bytes, numbers: Ints, entries: Ints, actions: Ints, out: Bytes, out_masks: Bytes) -> None:
    """Writes rows and masks with their names exchanged to ``out`` and ``out_masks``; shapes as in `OtherPlay.apply`."""
    seen = np.empty(max(rows.shape[1], masks.shape[1]), np.int64)
    for row in range(len(rows)):
        number = numbers[row]
        exchange(rows, row, seen, nonzero(rows, row, 0, rows.shape[1], seen, 0), entries[number], out)
        exchange(masks, row, seen, nonzero(masks, row, 0, masks.shape[1], seen, 0), actions[number], out_masks)


class OtherPlay:
    """The names by which each seat of each game knows what a symmetry exchanges.

    One seat of each game, drawn at random, has the game's own names; those of all others are drawn apart from each other.

    Attributes:
        numbers: int64 (n, seats), the number of the permutation that each seat's names come from.
        streams: uint64 (n,), the random streams that they are drawn from.

    Args:
        game: the spec of the game, with recall if that is shown.
        name: the name of the symmetry.
        n: number of games.
        seed: seed of what is drawn.
        encoding: as in `cardenvs.envs.batch.Batch`: which entries of an observation are shown.

    Raises:
        ValueError: the game announces no such symmetry, or has no such encoding.
    """

    def __init__(self, game: GameSpec, name: str, n: int, seed: int, encoding: str | None = None) -> None:
        symmetry, shown = game.symmetry(name), game.shown_size(encoding)
        parts = [part for part in game.parts if game.slices[part.name].stop <= shown]
        self._entries = symmetry.places(*(part.labels for part in (*parts, *game.hidden)))
        self._actions = symmetry.places(game.actions)
        self._original = self._actions.argsort(1)
        self.numbers = np.zeros((n, game.seats), np.int64)
        self.streams: Streams = hashed_streams(seed, "other-play", n)

    def draw(self, rows: Ints) -> None:
        """Draws the names of all seats for the next episode of some games.

        Args:
            rows: int64 (k,), numbers of the games.
        """
        _draw_names(self.streams, rows, len(self._actions), self.numbers)

    def of_seats(self, seats: Ints) -> Ints:
        """The number of the permutation of one seat of each game, int64 (n,).

        Args:
            seats: int64 (n,).
        """
        return self.numbers[np.arange(len(seats)), seats]

    def apply(self, rows: Bytes, masks: Bytes, numbers: Ints) -> tuple[Bytes, Bytes]:
        """Observations or full states with their masks under exchanged names, fresh arrays.

        Args:
            rows: int8 (n, d), as they are shown without this; those of full states have all hidden parts behind.
            masks: int8 (n, num_actions).
            numbers: int64 (n,), from `of_seats`.
        """
        out, out_masks = np.empty(rows.shape, np.int8), np.empty(masks.shape, np.int8)
        rows, masks = np.ascontiguousarray(rows), np.ascontiguousarray(masks)
        _rename_rows(rows, masks, numbers, self._entries, self._actions, out, out_masks)
        return out, out_masks

    def rename(self, actions: npt.NDArray[np.integer[Any]], numbers: Ints) -> Ints:
        """Actions under exchanged names, int64 (n,); `restore` turns them back.

        Args:
            actions: ints (n,), as the game calls them.
            numbers: int64 (n,), from `of_seats`.
        """
        return self._actions[numbers, actions]

    def restore(self, actions: npt.NDArray[np.integer[Any]], numbers: Ints) -> Ints:
        """Actions as the game calls them, int64 (n,); `rename` turns them back.

        Args:
            actions: ints (n,), chosen under exchanged names.
            numbers: int64 (n,), from `of_seats`.
        """
        return self._original[numbers, actions]

    # --- saving and restoring ---

    def get_state(self) -> dict[str, npt.NDArray[Any]]:
        """All names and random numbers, copies as arrays by name; `set_state` takes them back."""
        return {"names": self.numbers.copy(), "names_streams": self.streams.copy()}

    def set_state(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continues where `get_state` was called.

        Args:
            state: what `get_state` returned, among other arrays if need be.

        Raises:
            ValueError: names that there are not.
        """
        numbers = np.asarray(state["names"], np.int64)
        if numbers.shape != self.numbers.shape or not ((numbers >= 0) & (numbers < len(self._actions))).all():
            raise ValueError("the names of the seats are none of the game's")
        self.numbers[:] = numbers
        self.streams[:] = state["names_streams"]
