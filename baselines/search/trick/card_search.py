"""The search of trick games in worlds of their own sampler: cards are searched, bids may be left to a caller."""

from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.heuristics.calling import call_kernel
from cardenvs.baselines.heuristics.trick_games import for_trick_games
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


@for_trick_games
def choose_kernel(game: GameSpec, kind: TrickGame) -> Kernel:
    """The kernel that writes the best actions of rows: among equals the card in the lowest slot, or the lowest bid."""
    decode, cards = game.kernels.decode, np.int64(kind.deck.all)
    slot, card, _, _ = slots_of(kind)

    @game.kernels.loop("card-search.choose")
    def choose_rows(rows: Ints, observations: Bytes, masks: Bytes, views: Any, sums: Scores, chosen: Ints) -> None:
        """Writes to ``chosen``, int64 (n,), for ``rows``, int64 (k,), by ``sums``, float64 (n, num_actions)."""
        for row in rows:
            decode(observations, row, views, 0)
            actions, trump = mask_bits(masks, row), views[0].trump
            if actions & ~cards == 0:
                chosen[row] = card[trump, best_slot(to_slots(actions, trump, slot), trump, card, sums, row)]
                continue
            best = lowest(actions)
            while actions != 0:
                action = lowest(actions)
                actions &= actions - 1
                if sums[row, action] > sums[row, best]:
                    best = action
            chosen[row] = best

    return choose_rows


def make_card_search(game: GameSpec, kind: TrickGame, name: str, add_worlds: Kernel) -> Kernel:
    """The kernel that searches cards in positions of `cardenvs.baselines.search.trick.slots`, and leaves bids to a caller.

    ``add_worlds(views, own, worlds, rules, ways, ways_discarded, positions, streams, row, sums)`` adds ``worlds`` worlds to
    ``sums[row]``: those of a position that was opened, in which seat 0 can play the slots ``own``.
    """
    decode, playing, open_position, call = game.kernels.decode, kind.playing, opening_in(game), call_kernel(kind)
    slot, card, _, _ = slots_of(kind)

    @game.kernels.loop(f"{name}.rows")
    def search(
        rows: Ints, worlds: int, calling: int, rules: Any, observations: Bytes, masks: Bytes, streams: Streams, views: Any,
        positions: Any, sums: Scores, chosen: Ints,
    ) -> None:  # fmt: skip
        """Adds to ``sums`` and writes the best actions to ``chosen``; the choice of caller number ``calling`` scores 1."""
        for row in rows:
            decode(observations, row, views, 0)
            actions, trump = mask_bits(masks, row), views[0].trump
            if playing(views, 0):
                own = to_slots(actions, trump, slot)
                ways, ways_discarded = open_position(views, 0, positions, 0)
                add_worlds(views, own, worlds, rules, ways, ways_discarded, positions, streams, row, sums)
                chosen[row] = card[trump, best_slot(own, trump, card, sums, row)]
            else:
                chosen[row] = call(calling, views, 0, actions, streams, row)
                sums[row, chosen[row]] = 1

    return search
