"""A side that sees all cards: every call, discard and card by its exact minimax value.

It is no `cardenvs.policy.Policy`, which decides from what one seat sees. It assumes that all four seats see all cards and
play perfectly, so its value of an action is a lower bound against any opponents: in duplicate deals it cannot lose.
"""

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.search.trick import dds, double_dummy
from cardenvs.baselines.search.trick.double_dummy import margins_with, tricks_left
from cardenvs.checks import check_int
from cardenvs.compiled.bits import Ints
from cardenvs.contract.cards import members_of
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.spec import GameSpec
from cardenvs.games import euchre, whist

ILLEGAL = -99  # value of an action that is not legal
_DDS_FROM = 8  # number of cards a hand from which on DDS is the faster solver, where it is installed


def play_actions(spec: GameSpec, games: Games, rows: Ints, actions: Ints) -> None:
    """Plays ``actions``, int64 (k,), in the states with the numbers ``rows``, int64 (k,), in place."""
    step = spec.kernels.step
    for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
        step(games, row, action)


def expand_states(spec: GameSpec, games: Games, rows: Ints) -> tuple[Games, Ints, Ints]:
    """Plays every legal action in copies of the states ``rows``, int64 (k,); the game has at most 63 actions.

    Returns:
        The states (m,), the number of the state that each comes from, int64 (m,), and the action that leads there, int64
        (m,).
    """
    legal = [members_of(int(spec.kernels.legal(games, row))) for row in rows.tolist()]
    parents = np.repeat(rows, [len(actions) for actions in legal])
    chosen = np.array([action for actions in legal for action in actions], np.int64)
    after = games[parents]
    play_actions(spec, after, np.arange(len(after)), chosen)
    return after, parents, chosen


def check_open_cards(spec: GameSpec, cards: int | None) -> int:
    """Maximum number of cards a hand with open cards, by default as many as can be solved; ValueError if out of range."""
    if spec.bids_trump:
        if cards is not None:
            raise ValueError("open_cards is for whist; in euchre all cards are open from the bidding on")
        return 5
    most = 13 if dds.is_available() else double_dummy.MAX_CARDS
    if cards is None:
        return most
    if check_int("open_cards", cards, 1, 13) > most:
        raise ValueError(f"open_cards must be at most {most}, not {cards}; endplay solves more, {dds.INSTALLING}")
    return cards


def choose(games: Games) -> npt.NDArray[np.int64]:
    """The actions of a side that sees all cards in full states of Euchre or Whist that are not over, int64 (n,).

    Of cards with equal values those that take more tricks come first, then the weaker ones, of discards the weaker ones, of
    calls the lowest action, so the pass.

    Raises:
        ValueError: more cards a hand than the installed solvers can solve.
    """
    auction = games.dtype.names == euchre.STATE.names
    playing = np.asarray(games["phase"]) == euchre.PLAYING if auction else np.ones(len(games), np.bool_)
    out = np.zeros(len(games), np.int64)
    for rows, choose_action in ((np.flatnonzero(~playing), _choose_call), (np.flatnonzero(playing), _choose_card)):
        if len(rows):
            out[rows] = choose_action(games[rows])
    return out


def card_tricks(games: Games) -> npt.NDArray[np.int64]:
    """The tricks that the side to act, which is to play a card, still takes with each, int64 (n, cards); -1 if illegal."""
    in_whist = games.dtype.names == whist.STATE.names
    by_dds = (tricks_left(games) >= _DDS_FROM) & (in_whist and dds.is_available())
    out = np.empty((len(games), 52 if in_whist else 24), np.int64)
    for part, solver in ((np.flatnonzero(by_dds), dds.solve_cards), (np.flatnonzero(~by_dds), double_dummy.solve_cards)):
        if len(part):
            out[part] = solver(games[part])
    return out


def _choose_card(games: Games) -> npt.NDArray[np.int64]:
    tricks = card_tricks(games)
    rows, cards = np.nonzero(tricks >= 0)
    taken, side = tricks[rows, cards], np.asarray(games["to_act"])[rows] & 1
    strength = euchre.STRENGTH if tricks.shape[1] == 24 else whist.STRENGTH
    heights = strength[np.asarray(games["trump"])[rows], cards]
    # In each state the last in this order is chosen.
    order = np.lexsort((-cards, -heights, taken, margins_with(games[rows], taken, side), rows))
    last = np.append(np.flatnonzero(np.diff(rows[order])), len(order) - 1)
    return np.asarray(cards[order[last]], np.int64)


def call_values(games: Games) -> npt.NDArray[np.int64]:
    """The points that the side to act will win in the deal, less the other side's, after each call or discard.

    All seats call, discard and play perfectly, all cards open; a deal that all pass is worth 0. All auctions that may
    follow are tried, with every discard, and every contract is solved.

    Returns int64 (n, 35) for full states of Euchre before the play of the cards; `ILLEGAL` where an action is not legal.
    """
    bidding = np.flatnonzero(_in_auction(games))
    if not len(bidding):
        raise ValueError("games must be states of euchre in which a call or a discard is to be made")
    after, parents, actions = expand_states(euchre.SPEC, games, bidding)
    out = np.full((len(games), euchre.SPEC.num_actions), ILLEGAL)
    out[parents, actions] = _signs(games)[parents] * _worth(after)
    return out


def _worth(games: Games) -> npt.NDArray[np.int64]:
    """The points of side 0 less side 1's by perfect play, int64 (n,): by the best action while the auction lasts."""
    worth = np.zeros(len(games), np.int64)
    played = np.flatnonzero(np.asarray(games["phase"]) == euchre.PLAYING)
    if len(played):
        further = double_dummy.solve(games[played])[:, 0]
        worth[played] = margins_with(games[played], further, np.zeros(len(played), np.int64))
    bidding = np.flatnonzero(_in_auction(games))
    if len(bidding):
        worth[bidding] = _signs(games)[bidding] * call_values(games[bidding]).max(1)
    return worth


def _signs(games: Games) -> npt.NDArray[np.int64]:
    """1 where side 0 is to act, -1 elsewhere, int64 (n,)."""
    return np.asarray(1 - 2 * (np.asarray(games["to_act"], np.int64) & 1))


def _in_auction(games: Games) -> npt.NDArray[np.bool_]:
    return np.asarray((np.asarray(games["over"]) == RUNNING) & (np.asarray(games["phase"]) < euchre.PLAYING))


def _choose_call(games: Games) -> npt.NDArray[np.int64]:
    values = call_values(games)
    discarding = np.asarray(games["phase"]) == euchre.DISCARDING
    order = np.tile(-np.arange(values.shape[1]), (len(games), 1))  # the lowest action first
    heights = np.zeros(values.shape, np.int64)
    heights[:, :24] = -euchre.STRENGTH[np.asarray(games["trump"]), :24]
    order = np.where(discarding[:, None], 99 * heights + order, order)
    best = values == values.max(1, keepdims=True)
    return np.asarray(np.where(best, order, np.iinfo(np.int64).min).argmax(1), np.int64)
