"""The search that the trick games' own samplers of worlds share: cards are searched, bids may be left to a caller."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.heuristics.calling import call_kernel
from cardenvs.baselines.heuristics.trick_games import for_trick_games
from cardenvs.baselines.search.base import WorldSearch
from cardenvs.baselines.search.trick.slots import best_slot, opening_in, slots_of, to_slots
from cardenvs.compiled.bits import Bytes, Ints, Streams, lowest
from cardenvs.contract.kernels import Kernel
from cardenvs.contract.kinds import TrickGame
from cardenvs.contract.spec import GameSpec
from cardenvs.games import euchre
from cardenvs.policy.contract import mask_bits
from cardenvs.policy.explanation import Scores


def plays_card(game: GameSpec, observations: Bytes) -> npt.NDArray[np.bool_]:
    """Whether a card is to be played in each row of a trick game, bool (n,), not a bid made or a card discarded."""
    if not game.bids_trump:
        return np.ones(len(observations), np.bool_)
    return np.asarray(observations[:, game.slices["phase"].start + euchre.PLAYING] != 0)


class RowKernels(NamedTuple):
    """The kernels for the rows of a batch; ``rows``, int64, are the numbers of some of them, ``views`` (1,) is overwritten.

    ``call`` writes 1 to ``sums``, float64 (n, num_actions), for the choice of caller number ``calling`` in each of these
    rows; ``choose`` writes the action with the best sum of every row to ``chosen``, int64 (n,): among equals the card in
    the lowest slot, or the lowest bid.
    """

    call: Kernel  # (rows, calling, observations, masks, streams, views, sums)
    choose: Kernel  # (observations, masks, views, sums, chosen)


@for_trick_games
def row_kernels(game: GameSpec, kind: TrickGame) -> RowKernels:
    decode, call, cards = game.kernels.decode, call_kernel(kind), np.int64(kind.deck.all)
    slot, card, _, _ = slots_of(kind)

    @game.kernels.loop("card-search.call")
    def call_rows(
        rows: Ints, calling: int, observations: Bytes, masks: Bytes, streams: Streams, views: Any, sums: Scores
    ) -> None:
        for row in rows:
            decode(observations, row, views, 0)
            sums[row, call(calling, views, 0, mask_bits(masks, row), streams, row)] = 1

    @game.kernels.loop("card-search.choose")
    def choose_rows(observations: Bytes, masks: Bytes, views: Any, sums: Scores, chosen: Ints) -> None:
        for row in range(len(chosen)):
            actions = mask_bits(masks, row)
            best = lowest(actions)
            if actions & (actions - 1) != 0 and actions & ~cards == 0:
                decode(observations, row, views, 0)
                trump = views[0].trump
                best = card[trump, best_slot(to_slots(actions, trump, slot), trump, card, sums, row)]
            while actions & ~cards != 0:
                action = lowest(actions)
                actions &= actions - 1
                if sums[row, action] > sums[row, best]:
                    best = action
            chosen[row] = best

    return RowKernels(call_rows, choose_rows)


def make_slot_search(game: GameSpec, kind: TrickGame, name: str, add_worlds: Kernel) -> Kernel:
    """The kernel that searches the cards of rows in positions of `cardenvs.baselines.search.trick.slots`.

    ``add_worlds(views, own, worlds, rules, ways, ways_discarded, positions, streams, row, sums)`` adds ``worlds`` worlds to
    ``sums[row]``: those of a position that was opened, in which seat 0 can play the slots ``own``.
    """
    decode, open_position, slot = game.kernels.decode, opening_in(game), slots_of(kind).slot

    @game.kernels.loop(f"{name}.slots")
    def search(
        rows: Ints, worlds: int, rules: Any, observations: Bytes, masks: Bytes, streams: Streams, views: Any,
        positions: Any, sums: Scores,
    ) -> None:  # fmt: skip
        for row in rows:
            decode(observations, row, views, 0)
            own = to_slots(mask_bits(masks, row), views[0].trump, slot)
            ways, ways_discarded = open_position(views, 0, positions, 0)
            add_worlds(views, own, worlds, rules, ways, ways_discarded, positions, streams, row, sums)

    return search


class CardSearch(WorldSearch):
    """A search of a trick game that chooses the card in the lowest slot among equals."""

    def call(self, rows: Ints, calling: int, batch: tuple[Any, ...], sums: Scores) -> None:
        """Leaves bids and discards to a caller; ``batch`` has observations, masks, streams and a view."""
        if len(rows):
            row_kernels(self.game).call(rows, calling, *batch, sums)

    def best_actions(self, observations: Bytes, action_masks: Bytes, sums: Scores, scores: Scores) -> Ints:
        chosen = np.empty(len(sums), np.int64)
        row_kernels(self.game).choose(observations, action_masks, self.game.new_games(1), sums, chosen)
        return chosen
