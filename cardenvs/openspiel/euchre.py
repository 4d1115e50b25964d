"""Positions and actions of Euchre, from here to OpenSpiel and back.

Both play the same rules, but for two things: there the dealer discards before the maker says whether it goes alone, and
may not discard the card that was turned up. Seats have the same numbers; so have suits; a card is four times its rank
and its suit there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cardenvs.contract.cards import EUCHRE_DECK, members_of
from cardenvs.contract.spec import GameSpec
from cardenvs.games import euchre

THEIR_PASS = 24
THEIR_CALL = 25
"""OpenSpiel's first call of trump: ``THEIR_CALL + s`` calls suit s."""
ALONE, WITH_PARTNER = 29, 30
"""OpenSpiel's actions that decide on going alone."""

_RANKS = len(EUCHRE_DECK.ranks)


def their_card(card: int) -> int:
    """OpenSpiel's number of a card."""
    return 4 * (card % _RANKS) + card // _RANKS


def our_card(card: int) -> int:
    """The number here of a card of OpenSpiel."""
    return card // 4 + _RANKS * (card % 4)


def game_name(stick_the_dealer: bool) -> str:
    """The name by which OpenSpiel loads the game with the same options."""
    return f"euchre(stick_the_dealer={'true' if stick_the_dealer else 'false'})"


def _dealt(world: Any) -> list[list[int]]:
    """The five cards that each seat was dealt, ascending."""
    hands = []
    for seat in range(4):
        held = int(world["hands"][seat]) | int(world["played"][seat])
        if seat == world["dealer"]:
            held |= int(world["discard"])
            if world["picked_up"]:
                held &= ~int(world["turned"])
        hands.append(members_of(held))
    return hands


def is_allowed(world: Any) -> bool:
    """Whether OpenSpiel's Euchre knows a position: the dealer has not put away the card that was turned up."""
    return not (world["picked_up"] and world["discard"] == world["turned"])


def new_state(game: Any, world: Any) -> Any:
    """OpenSpiel's state at the first word on trump, with the cards of a world.

    Args:
        game: OpenSpiel's game, a ``pyspiel.Game``.
        world: a full state of Euchre here, a record.

    Raises:
        ValueError: the dealer has put away the card that was turned up, which OpenSpiel does not allow.
    """
    state = game.new_initial_state()
    state.apply_action(int(world["dealer"]))
    if not is_allowed(world):
        raise ValueError("the dealer has discarded the card that was turned up: OpenSpiel's Euchre does not allow that")
    hands = _dealt(world)
    if [len(hand) for hand in hands] != [5, 5, 5, 5]:
        raise ValueError(f"the seats were dealt {', '.join(str(len(hand)) for hand in hands)} cards, not five each")
    dealer = int(world["dealer"])
    for k in range(20):
        state.apply_action(their_card(hands[(dealer + k) % 4][k // 4]))
    state.apply_action(their_card(int(world["turned"]).bit_length() - 1))
    return state


def replay(state: Any, world: Any) -> None:
    """Plays the actions of a world in OpenSpiel's state, as far as they decide something there.

    Args:
        state: what `new_state` gave.
        world: a full state that knows its history, a record.
    """
    turned = int(world["turned"]).bit_length() - 1
    sitting_out = bool(world["alone"]) and int(world["maker"]) ^ 2 == int(world["dealer"])
    for code in map(int, world["history"][: int(world["moves"])]):
        if code == euchre.PASS:
            state.apply_action(THEIR_PASS)
        elif code in (euchre.ORDER_UP, euchre.ORDER_UP_ALONE):
            state.apply_action(THEIR_CALL + turned // _RANKS)
            if sitting_out:  # the dealer does not discard here, but there
                state.apply_action(state.legal_actions()[0])
                state.apply_action(ALONE)
        elif code == euchre.HIDDEN_DISCARD:
            state.apply_action(their_card(int(world["discard"]).bit_length() - 1))
            state.apply_action(ALONE if world["alone"] else WITH_PARTNER)
        elif code >= euchre.CALL:
            call = euchre.CALL_ALONE if code >= euchre.CALL_ALONE else euchre.CALL
            state.apply_action(THEIR_CALL + code - call)
            state.apply_action(ALONE if world["alone"] else WITH_PARTNER)
        else:
            state.apply_action(their_card(code))


def state_here(spec: GameSpec, world: Any) -> Any:
    """A position in the game as it is here, as an OpenSpiel state; this deal is all that is played.

    Args:
        spec: Euchre with recall.
        world: a full state that knows its history, a record.
    """
    import pyspiel

    from cardenvs.openspiel.games import checked, register

    deal = np.array([world], dtype=world.dtype)
    deal["episode"] = deal["score"] = 0
    options = checked(spec.plain, {"stick_the_dealer": bool(world["stick_the_dealer"]), "reward": "points"})
    state = pyspiel.load_game(register(spec.plain), options).new_initial_state()
    state.apply_action(0)
    state.play.set_deal(spec.parse(spec.text(deal, actions=False)))
    for name in spec.history(deal):
        state.apply_action(spec.action(name))
    return state


def is_discarding(state: Any) -> bool:
    """Whether the dealer is to discard in OpenSpiel's state."""
    return state.current_phase().name == "DISCARD"


def answer(state: Any, world: Any, step: Callable[[Any], int]) -> int:
    """Our action for a bot's action in OpenSpiel's state; behind a word on trump it is asked about going alone, too.

    Args:
        state: OpenSpiel's state, in which seat 0 is to act.
        world: the same here, a record.
        step: gives the bot's action in a state.
    """
    action = step(state)
    if action == THEIR_PASS:
        return euchre.PASS
    if not THEIR_CALL <= action < ALONE:
        return our_card(action)
    suit = action - THEIR_CALL
    state.apply_action(action)
    if is_discarding(state):
        own = state.current_player() == 0
        state.apply_action(step(state) if own else state.legal_actions()[0])
    alone = step(state) == ALONE
    if world["phase"] == euchre.ORDERING:
        return euchre.ORDER_UP_ALONE if alone else euchre.ORDER_UP
    return (euchre.CALL_ALONE if alone else euchre.CALL) + suit
