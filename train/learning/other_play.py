"""Other-play: in training each seat has names of its own for what the rules treat alike, such as Hanabi's colours.

Names are drawn for every episode, so that the network learns only what strangers can find, too. Source: H. Hu, A. Lerer,
A. Peysakhovich and J. Foerster, "'Other-Play' for Zero-Shot Coordination" (ICML 2020).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.compiled.bits import Bytes, Ints, Streams, nonzero
from cardenvs.compiled.jit import kernel
from cardenvs.compiled.streams import below
from cardenvs.contract.spec import GameSpec
from cardenvs.randomness import hashed_streams
from cardenvs.train.inference.symmetry import move_entries


@kernel
def _draw_names(streams: Streams, rows: Ints, count: int, numbers: Ints) -> None:
    """Draws a number below ``count`` for each seat of some games, but 0 for one seat of each."""
    seats = numbers.shape[1]
    for row in rows:
        for seat in range(seats):
            numbers[row, seat] = below(streams, row, count)
        numbers[row, below(streams, row, seats)] = 0


@kernel
def _rename_rows(
    rows: Bytes, masks: Bytes, numbers: Ints, entries: Ints, actions: Ints, out: Bytes, out_masks: Bytes
) -> None:
    """Writes rows and masks under exchanged names to ``out`` and ``out_masks``, as for `OtherPlay.rename_positions`."""
    seen = np.empty(max(rows.shape[1], masks.shape[1]), np.int64)
    for row in range(len(rows)):
        number = numbers[row]
        move_entries(rows, row, seen, nonzero(rows, row, 0, rows.shape[1], seen, 0), entries[number], out)
        move_entries(masks, row, seen, nonzero(masks, row, 0, masks.shape[1], seen, 0), actions[number], out_masks)


class OtherPlay:
    """The names by which each seat of ``n`` games knows what the symmetry ``name`` exchanges. One seat of each game, drawn
    at random, has the game's own names; those of all others are drawn independently. Raises ValueError for an unknown
    symmetry or encoding."""

    def __init__(self, game: GameSpec, name: str, n: int, seed: int, encoding: str | None = None) -> None:
        symmetry, shown = game.symmetry(name), game.shown_size(encoding)
        parts = [part for part in game.parts if game.slices[part.name].stop <= shown]
        self._entries = symmetry.places(*(part.labels for part in (*parts, *game.hidden)))
        self._actions = symmetry.places(game.actions)
        self._original = self._actions.argsort(1)
        self.numbers = np.zeros((n, game.seats), np.int64)  # of the permutation that each seat's names come from
        self.streams: Streams = hashed_streams(seed, "other-play", n)

    def draw_names(self, rows: Ints) -> None:
        """Draws the names of all seats for the next episode of some games, int64 (k,)."""
        _draw_names(self.streams, rows, len(self._actions), self.numbers)

    def of_seats(self, seats: Ints) -> Ints:
        """Returns the number of the permutation of one seat of each game, int64 (n,)."""
        return self.numbers[np.arange(len(seats)), seats]

    def rename_positions(self, rows: Bytes, masks: Bytes, numbers: Ints) -> tuple[Bytes, Bytes]:
        """Returns observations or full states and masks under exchanged names, all fresh; ``numbers`` from `of_seats`."""
        out, out_masks = np.empty(rows.shape, np.int8), np.empty(masks.shape, np.int8)
        rows, masks = np.ascontiguousarray(rows), np.ascontiguousarray(masks)
        _rename_rows(rows, masks, numbers, self._entries, self._actions, out, out_masks)
        return out, out_masks

    def rename_actions(self, actions: npt.NDArray[np.integer[Any]], numbers: Ints) -> Ints:
        """Returns actions under exchanged names, int64 (n,); `restore_actions` is the inverse."""
        return self._actions[numbers, actions]

    def restore_actions(self, actions: npt.NDArray[np.integer[Any]], numbers: Ints) -> Ints:
        """Returns actions as the game calls them, int64 (n,), from those under exchanged names."""
        return self._original[numbers, actions]

    # --- saving and restoring ---

    def get_state(self) -> dict[str, npt.NDArray[Any]]:
        """Returns copies of all names and random numbers as arrays by name; `set_state` takes them back."""
        return {"names": self.numbers.copy(), "names_streams": self.streams.copy()}

    def set_state(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continues where `get_state` was called; raises ValueError for names that do not exist."""
        numbers = np.asarray(state["names"], np.int64)
        if numbers.shape != self.numbers.shape or not ((numbers >= 0) & (numbers < len(self._actions))).all():
            raise ValueError("the names of the seats are none of the game's")
        self.numbers[:] = numbers
        self.streams[:] = state["names_streams"]
