"""Translates positions and actions of Euchre between this package and OpenSpiel.

Both play the same rules, with two exceptions in OpenSpiel: the dealer discards before the maker says whether it goes alone,
and may not discard the card that was turned up. Seats and suits have the same numbers; OpenSpiel's card is 4 * rank + suit.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from cardenvs.contract.cards import EUCHRE_DECK, members_of
from cardenvs.contract.spec import GameSpec
from cardenvs.games import euchre

THEIR_PASS = 24
THEIR_CALL = 25  # OpenSpiel's first call of trump: ``THEIR_CALL + s`` calls suit s
ALONE, WITH_PARTNER = 29, 30  # OpenSpiel's actions that decide on going alone

_RANKS = len(EUCHRE_DECK.ranks)


def their_card(card: int) -> int:
    return 4 * (card % _RANKS) + card // _RANKS


def our_card(card: int) -> int:
    return card // 4 + _RANKS * (card % 4)


def game_name(stick_the_dealer: bool) -> str:
    """Returns the name by which OpenSpiel loads the game with the same options."""
    return f"euchre(stick_the_dealer={'true' if stick_the_dealer else 'false'})"


def _dealt_hands(world: Any) -> list[list[int]]:
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
    """Returns whether OpenSpiel's Euchre allows a position: the dealer has not discarded the card that was turned up."""
    return not (world["picked_up"] and world["discard"] == world["turned"])


def new_state(game: Any, world: Any) -> Any:
    """Returns OpenSpiel's state at the first bid, with the cards of a world, a full record of Euchre here.

    Raises ValueError if the dealer has discarded the card that was turned up.
    """
    state = game.new_initial_state()
    state.apply_action(int(world["dealer"]))
    if not is_allowed(world):
        raise ValueError("the dealer has discarded the card that was turned up: OpenSpiel's Euchre does not allow that")
    hands = _dealt_hands(world)
    if [len(hand) for hand in hands] != [5, 5, 5, 5]:
        raise ValueError(f"the seats were dealt {', '.join(str(len(hand)) for hand in hands)} cards, not five each")
    dealer = int(world["dealer"])
    for k in range(20):
        state.apply_action(their_card(hands[(dealer + k) % 4][k // 4]))
    state.apply_action(their_card(int(world["turned"]).bit_length() - 1))
    return state


def replay_actions(state: Any, world: Any) -> None:
    """Plays the actions of a world with history in OpenSpiel's state from `new_state`, where they exist there."""
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
    """Returns a position of this package's Euchre with recall as an OpenSpiel state; the episode is this deal alone."""
    import pyspiel

    from cardenvs.openspiel.games import check_params, register

    deal = np.array([world], dtype=world.dtype)
    deal["episode"] = deal["score"] = 0
    options = check_params(spec.plain, {"stick_the_dealer": bool(world["stick_the_dealer"]), "reward": "points"})
    state = pyspiel.load_game(register(spec.plain), options).new_initial_state()
    state.apply_action(0)
    state.play.set_deal(spec.parse(spec.text(deal, actions=False)))
    for name in spec.history(deal):
        state.apply_action(spec.action(name))
    return state


def is_discarding(state: Any) -> bool:
    return state.current_phase().name == "DISCARD"


def translate_answer(state: Any, world: Any, ask_bot: Callable[[Any], int]) -> int:
    """Returns our action for a bot's action in OpenSpiel's state; after a call of trump it also decides on going alone.

    Args:
        state: OpenSpiel's state, in which seat 0 is to act.
        world: the same here, a record.
        ask_bot: returns the bot's action in a state.
    """
    action = ask_bot(state)
    if action == THEIR_PASS:
        return euchre.PASS
    if not THEIR_CALL <= action < ALONE:
        return our_card(action)
    suit = action - THEIR_CALL
    state.apply_action(action)
    if is_discarding(state):
        own = state.current_player() == 0
        state.apply_action(ask_bot(state) if own else state.legal_actions()[0])
    alone = ask_bot(state) == ALONE
    if world["phase"] == euchre.ORDERING:
        return euchre.ORDER_UP_ALONE if alone else euchre.ORDER_UP
    return (euchre.CALL_ALONE if alone else euchre.CALL) + suit
