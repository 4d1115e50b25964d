"""Views of Whist and Euchre: hands, trick, trump, bids, and conclusions from the cards seen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from cardenvs.contract.cards import SUITS, Deck
from cardenvs.contract.loops import RUNNING
from cardenvs.games import euchre, whist
from cardenvs.games.tricks import SuitLookups
from cardenvs.play.deal import Event
from cardenvs.play.seatview.sight import CARD_NAMES, Sight, card_names, only_card, sorted_hand

_WHIST_SUITS = SuitLookups(whist.SUIT_SETS, whist.SUIT_OF, whist.STRENGTH)
_EUCHRE_SUITS = SuitLookups(euchre.SUIT_SETS, euchre.SUIT_OF, euchre.STRENGTH)


def show_whist(sight: Sight, state: dict[str, Any]) -> None:
    """Fills in the visible entries of the message "state" of a deal of Whist."""
    v, deck, suits = sight.v, whist.DECK, _WHIST_SUITS
    events = sight.table.events
    state["phase"] = "playing" if v["over"] == RUNNING else "finished"
    state["shown"] = only_card(deck, v["shown"])
    for seat, played in enumerate(sight.by_seat("played")):
        state["seats"][seat]["cards"] = 13 - played.bit_count()
    _trick_game(sight, state, deck, suits, events)
    state["readouts"] = _readouts_of_tricks(sight, deck, suits, v["trump"], v["shown"], 0, sight.own_hand())


def show_euchre(sight: Sight, state: dict[str, Any]) -> None:
    """Fills in the visible entries of the message "state" of a deal of Euchre."""
    v, deck, suits, table = sight.v, euchre.DECK, _EUCHRE_SUITS, sight.table
    dealer, maker = sight.absolute_seat(v["dealer"]), sight.absolute_seat(v["maker"])
    bids = [event for event in table.events if event.action >= euchre.PASS]
    plays = [event for event in table.events if 0 <= event.action < euchre.PASS]
    state["phase"] = euchre.PHASES[v["phase"]]
    state["turned"] = only_card(deck, v["turned"])
    state["picked_up"] = bool(v["picked_up"])
    state["turned_down"] = v["passes"] >= 4
    state["maker"] = maker
    state["alone"] = bool(v["alone"])
    state["discard"] = only_card(deck, v["discard"])
    for event in bids:
        label = euchre.in_words(event.action, by_dealer=event.seat == dealer).told
        state["bids"].append({"seat": event.seat, "action": euchre.ACTIONS[event.action], "label": label})
    for seat, played in enumerate(sight.by_seat("played")):
        discarding = v["phase"] == euchre.DISCARDING and seat == dealer
        state["seats"][seat]["cards"] = 5 - played.bit_count() + discarding
    if v["alone"] and maker is not None:
        state["seats"][(maker + 2) % 4]["sitting_out"] = True
    _trick_game(sight, state, deck, suits, plays)
    lying = 0 if v["picked_up"] else v["turned"]
    mine = sight.own_hand() | v["discard"]
    state["readouts"] = _readouts_of_tricks(sight, deck, suits, v["trump"], v["turned"], lying, mine)
    if sight.open:
        full = table.state[0]
        state["kitty"] = card_names(deck, int(full["kitty"]))
        state["discard"] = only_card(deck, int(full["discard"]))


def _trick_game(sight: Sight, state: dict[str, Any], deck: Deck, suits: SuitLookups, plays: Iterable[Event]) -> None:
    v, table, trump = sight.v, sight.table, sight.v["trump"]
    state["trump"] = SUITS[trump] if trump < 4 else None
    state["trick"], state["tricks"] = _split_tricks(deck, plays)
    state["last_trick"] = state["tricks"][-1] if state["tricks"] else None
    state["trick_winning"] = sight.absolute_seat(v["winner"])
    tricks = sight.by_seat("tricks")
    dealer = sight.absolute_seat(v["dealer"])
    for seat in state["seats"]:
        seat["tricks"] = tricks[seat["seat"]]
        seat["dealer"] = seat["seat"] == dealer
    state["side_tricks"] = [tricks[0] + tricks[2], tricks[1] + tricks[3]]
    if v["episode"]:
        own = sight.turn & 1
        state["score"] = [v["score"][own], v["score"][1 - own]]
    if sight.you is not None:
        state["hand"] = sorted_hand(deck, suits, trump, sight.own_hand())
    if sight.open:
        # When the deal is over the hands are shown as they were dealt: by then they have been played.
        over = v["over"] != RUNNING
        hands = table.opening if over else table.state
        state["hands"] = {str(k): sorted_hand(deck, suits, trump, int(hands["hands"][0][k])) for k in range(sight.n)}


def _split_tricks(deck: Deck, events: Iterable[Event]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Returns the cards of the current trick, and the complete tricks, each with its leader, cards and winner."""
    current: list[dict[str, Any]] = []
    complete: list[dict[str, Any]] = []
    for event in events:
        current.append({"seat": event.seat, "card": CARD_NAMES[deck][event.action]})
        if event.winner is not None:
            complete.append({"leader": current[0]["seat"], "cards": current, "winner": event.winner})
            current = []
    return current, complete


def _readouts_of_tricks(
    sight: Sight, deck: Deck, suits: SuitLookups, trump: int, shown: int, lying: int, mine: int
) -> dict[str, Any] | None:
    """Returns the viewer's conclusions: cards seen, cards of others, voids shown, trumps left."""
    table, you = sight.table, sight.you
    if you is None and table.sat:
        return None
    played = 0
    for cards in sight.v["played"]:
        played |= cards
    could_hold = {}
    if you is not None:
        seen_by = table.game.observation(table.state, you)
        for seat, name in enumerate(("left", "partner", "right"), 1):
            where = table.game.slices[f"could_hold_{name}"]
            lit = np.flatnonzero(seen_by[where])
            could_hold[str((you + seat) % sight.n)] = [CARD_NAMES[deck][card] for card in lit]
    voids = sight.by_seat("voids")
    gone = played | mine
    trumps = int(suits.suit_sets[trump, trump]) if trump < 4 else 0
    return {
        "seen": card_names(deck, gone | shown),
        "could_hold": could_hold,
        "voids": {str(k): [SUITS[suit] for suit in range(4) if voids[k] >> suit & 1] for k in range(sight.n)},
        "trumps_left": sorted_hand(deck, suits, trump, trumps & ~gone & ~lying),
    }
