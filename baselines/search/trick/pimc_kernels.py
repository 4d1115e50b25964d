"""The kernels of ``pimc``: worlds are dealt, every legal action is solved in them with all cards open, the best is chosen.

Worlds of more cards than can be solved are played out. Bids and discards are carried out in Euchre and then solved.
``sums`` is int64 (n, columns, 2): of each row and action, at POINTS the sum over the worlds of the points that the side of
the seat to act gains less those of the other side, at TRICKS the sum of the tricks that it takes. Behind the columns of the
actions lie, where trump is bid for, two for each card: the discards of a dealer that orders up itself, with its partner
and alone.
"""

from typing import Any, NamedTuple

import numpy as np

from cardenvs.baselines.heuristics.calling import choose_call
from cardenvs.baselines.heuristics.cardplay import COOP_HIGH_LOW, rule_card
from cardenvs.baselines.heuristics.trick_games import for_trick_games
from cardenvs.baselines.search.trick.double_dummy import solver_of
from cardenvs.compiled.bits import Bytes, Ints, Streams, lowest, popcount
from cardenvs.compiled.jit import helper, kernel
from cardenvs.compiled.streams import below
from cardenvs.contract.kernels import Kernel
from cardenvs.contract.kinds import TrickGame
from cardenvs.contract.loops import POINTS, RUNNING, TRICKS
from cardenvs.contract.spec import GameSpec
from cardenvs.games import euchre
from cardenvs.games.euchre import view as euchre_view
from cardenvs.games.tricks import playable_cards
from cardenvs.policy.contract import mask_bits

_CARDS = euchre.DECK.size
_euchre_value = solver_of(euchre.SPEC).value


@helper
def _add_world(sums: Any, row: int, action: int, points: int, tricks: int) -> None:
    sums[row, action, POINTS] += points
    sums[row, action, TRICKS] += tricks


@kernel
def _compare_sums(sums: Any, row: int, action: int, other: int, first: int) -> int:
    """1, 0 or -1: whether ``action`` has greater, equal or smaller sums than ``other``, the kind ``first`` first."""
    for kind in (first, 1 - first):
        if sums[row, action, kind] != sums[row, other, kind]:
            return 1 if sums[row, action, kind] > sums[row, other, kind] else -1
    return 0


@kernel
def best_card(cards: int, sums: Any, row: int, first: int, trump: int, strength: Ints, streams: Streams, s: int) -> int:
    """The card with the best sums, of ``first`` first; of equal sums the weakest, a random one of equally weak cards."""
    chosen = lowest(cards)
    cards &= cards - 1
    ties = 1
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        order = _compare_sums(sums, row, card, chosen, first)
        if order == 0:
            order = strength[trump, chosen] - strength[trump, card]
        if order > 0:
            chosen, ties = card, 1
        elif order == 0:
            ties += 1
            if below(streams, s, ties) == 0:
                chosen = card
    return chosen


# --- bids and discards, in Euchre ----------------------------------------------------------------------------------


@kernel
def _settle_bidding(calling: int, views: Any, deals: Any, j: int, streams: Streams, s: int) -> None:
    """Bids and discards for all seats of ``deals[j]`` by a caller, each from its view, until play begins or all passed."""
    while deals[j].over == RUNNING and deals[j].phase != euchre.PLAYING:
        euchre_view(deals, j, deals[j].to_act, views, 1)
        euchre.step(deals, j, choose_call(calling, views, 1, euchre.legal(deals, j), streams, s))


@kernel
def _add_contract(deals: Any, j: int, transpositions: Ints, stack: Ints, sums: Any, row: int, action: int) -> None:
    """Adds what side 0 gains in the play of ``deals[j]`` to ``sums[row, action]``; nothing if all passed.

    Bids are compared by points first, so the kind TRICKS holds by how many tricks side 0 leads.
    """
    if deals[j].over == RUNNING:
        tricks = _euchre_value(deals, j, transpositions, stack)
        _add_world(sums, row, action, euchre.margin(tricks, deals[j].maker, deals[j].alone), 2 * tricks - 5)


@kernel
def _add_calls(
    calling: int, views: Any, deals: Any, actions: int, streams: Streams, s: int, transpositions: Ints, stack: Ints,
    sums: Any, row: int,
) -> None:  # fmt: skip
    """Carries out each bid or discard in the world ``deals[0]`` and adds what comes of it to ``sums[row]``."""
    behind = sums.shape[1] - 2 * _CARDS
    while actions != 0:
        action = lowest(actions)
        actions &= actions - 1
        deals[1] = deals[0]
        euchre.step(deals, 1, action)
        if deals[1].phase == euchre.DISCARDING and deals[1].to_act == 0:
            cards = deals[1].hands[0]
            while cards != 0:
                card = lowest(cards)
                cards &= cards - 1
                deals[2] = deals[1]
                euchre.step(deals, 2, card)
                column = behind + 2 * card + action - euchre.ORDER_UP
                _add_contract(deals, 2, transpositions, stack, sums, row, column)
        else:
            _settle_bidding(calling, views, deals, 1, streams, s)
            _add_contract(deals, 1, transpositions, stack, sums, row, action)


@kernel
def _best_call(views: Any, actions: int, sums: Any, row: int) -> int:
    """The best bid, the lowest of equals. A dealer's ordering up counts with the discard that is best over all worlds."""
    v = views[0]
    if v.phase == euchre.ORDERING and v.dealer == 0:
        behind = sums.shape[1] - 2 * _CARDS
        for alone in range(2):
            best = behind + 2 * lowest(v.turned) + alone
            for card in range(_CARDS):
                column = behind + 2 * card + alone
                if v.hands[0] >> card & 1 and _compare_sums(sums, row, column, best, POINTS) > 0:
                    best = column
            for kind in range(2):
                sums[row, euchre.ORDER_UP + alone, kind] = sums[row, best, kind]
    best = lowest(actions)
    while actions != 0:
        action = lowest(actions)
        actions &= actions - 1
        if _compare_sums(sums, row, action, best, POINTS) > 0:
            best = action
    return best


@kernel
def _add_no_calls(
    calling: int, views: Any, deals: Any, actions: int, streams: Streams, s: int, transpositions: Ints, stack: Ints,
    sums: Any, row: int,
) -> None:  # fmt: skip
    """Stands for `_add_calls` in a game without bids; never called."""


@kernel
def _lowest_call(views: Any, actions: int, sums: Any, row: int) -> int:
    """Stands for `_best_call` in a game without bids; never called."""
    return lowest(actions)


# --- in any trick game ---------------------------------------------------------------------------------------------


@for_trick_games
def _play_out_kernel(game: GameSpec, kind: TrickGame) -> Kernel:
    step, suit_sets, suit_of, strength = game.kernels.step, kind.suit_sets, kind.suit_of, kind.strength

    @game.kernels.loop("pimc.same_card")
    def same_card(deals: Any, j: int, card: int, lower: int) -> bool:
        """Whether two cards of the seat to act are equivalent: no card in play lies between. ``lower`` is -1 for no card.

        For games in which a suit's cards are numbered by their strength, as where none is a bower.
        """
        g = deals[j]
        suit = suit_of[g.trump, card]
        if lower < 0 or suit != suit_of[g.trump, lower]:
            return False
        in_play = g.hands[0] | g.hands[1] | g.hands[2] | g.hands[3]
        if g.winner >= 0:
            in_play |= g.trick[g.winner]
        between = ((np.int64(1) << card) - 1) & -(np.int64(2) << lower)
        return in_play & between & suit_sets[g.trump, suit] == 0

    @game.kernels.loop("pimc.play_cards")
    def play_cards(deals: Any, actions: int, streams: Streams, s: int, tricks: Ints) -> None:
        """Writes the tricks that side 0 still takes after each card to ``tricks``, by play-outs of coop-high-low."""
        won, last = deals[0].tricks[0] + deals[0].tricks[2], -1
        tricks[:] = -1
        while actions != 0:
            card = lowest(actions)
            actions &= actions - 1
            if same_card(deals, 0, card, last):
                tricks[card] = tricks[last]
            else:
                deals[1] = deals[0]
                step(deals, 1, card)
                while deals[1].over == RUNNING:
                    allowed = playable_cards(deals[1], suit_sets, suit_of)
                    step(deals, 1, rule_card(COOP_HIGH_LOW, deals[1], allowed, strength, streams, s))
                tricks[card] = deals[1].tricks[0] + deals[1].tricks[2] - won
            last = card

    return play_cards


class PimcKernels(NamedTuple):
    """The kernels of a game; ``views`` (2,) and ``deals`` (3,) are overwritten.

    ``search`` adds ``worlds`` more worlds to the sums of some rows, whose numbers are ``rows``, int64 (k,). Hands of more
    than ``exact`` cards are played out; ``calling`` is the number of the caller of the other seats. ``add_solved`` adds
    worlds that were solved, ``games[0]`` among them, or of the view ``games[0]``; ``tricks``, int64 (worlds, cards), is -1
    for illegal cards. ``choose`` writes the best action of every row to ``out``, int64 (n,); ``goal`` is the kind of sums
    by which cards to play are chosen, bids and discards are chosen by POINTS.
    """

    search: Kernel  # (rows, worlds, calling, exact, observations, masks, streams, views, deals, *workspace, sums)
    add_solved: Kernel  # (games, tricks, sums, row)
    choose: Kernel  # (observations, masks, streams, goal, views, sums, out)


@for_trick_games
def pimc_in(game: GameSpec, kind: TrickGame) -> PimcKernels:
    decode, redeal = game.kernels.decode, game.kernels.redealing
    playing, margin, solve, play_cards = kind.playing, kind.margin, solver_of(game).cards, _play_out_kernel(game)
    strength, cards, size = kind.strength, np.int64(kind.deck.all), kind.deck.size
    add_calls, best_call = (_add_calls, _best_call) if kind.bids else (_add_no_calls, _lowest_call)

    @game.kernels.loop("pimc.add_solved")
    def add_solved(games: Any, tricks: Ints, sums: Any, row: int) -> None:
        won = games[0].tricks[0] + games[0].tricks[2]
        for j in range(len(tricks)):
            for card in range(tricks.shape[1]):
                if tricks[j, card] >= 0:
                    _add_world(sums, row, card, margin(games, 0, won + tricks[j, card]), tricks[j, card])

    @game.kernels.loop("pimc.search")
    def search(
        rows: Ints, worlds: int, calling: int, exact: int, observations: Bytes, masks: Bytes, streams: Streams, views: Any,
        deals: Any, transpositions: Ints, stack: Ints, sums: Any,
    ) -> None:  # fmt: skip
        tricks = np.empty((1, size), np.int64)
        for row in rows:
            decode(observations, row, views, 0)
            actions = mask_bits(masks, row)
            for _ in range(worlds):
                redeal(views, 0, streams, row, deals, 0)
                if not playing(views, 0):
                    add_calls(calling, views, deals, actions, streams, row, transpositions, stack, sums, row)
                    continue
                if popcount(views[0].hands[0]) <= exact:
                    solve(deals, 0, transpositions, stack, tricks[0])
                else:
                    play_cards(deals, actions, streams, row, tricks[0])
                add_solved(views, tricks, sums, row)

    @game.kernels.loop("pimc.choose")
    def choose(observations: Bytes, masks: Bytes, streams: Streams, goal: int, views: Any, sums: Any, out: Ints) -> None:
        for row in range(len(out)):
            decode(observations, row, views, 0)
            actions = mask_bits(masks, row)
            if actions & ~cards == 0:
                first = goal if playing(views, 0) else POINTS
                out[row] = best_card(actions, sums, row, first, views[0].trump, strength, streams, row)
            else:
                out[row] = best_call(views, actions, sums, row)

    return PimcKernels(search, add_solved, choose)
