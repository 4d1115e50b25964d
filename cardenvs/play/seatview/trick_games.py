"""Views of Whist and Euchre: hands, trick, trump, bids, and conclusions from the cards seen."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from cardenvs.contract.cards import SUITS, Deck
from cardenvs.contract.kinds import TrickGame
from cardenvs.contract.loops import RUNNING
from cardenvs.games import euchre
from cardenvs.play.deal import Event
from cardenvs.play.seatview.sight import Sight, card_names, only_card, sorted_hand


def show_trick_game(sight: Sight, state: dict[str, Any], kind: TrickGame) -> None:
    """Fills in the visible entries of the message "state" of a deal of Whist or Euchre."""
    v, table, deck, trump = sight.v, sight.table, kind.deck, sight.v["trump"]
    dealer = sight.absolute_seat(v["dealer"])
    state["phase"] = "playing" if v["over"] == RUNNING else "finished"
    state[kind.open_field] = only_card(deck, v[kind.open_field])
    tricks, played = sight.by_seat("tricks"), sight.by_seat("played")
    for seat in state["seats"]:
        number = seat["seat"]
        seat["cards"] = kind.dealt - played[number].bit_count()
        seat["tricks"] = tricks[number]
        seat["dealer"] = number == dealer
    if kind.bids:
        _show_bids(sight, state, dealer)
    state["trump"] = SUITS[trump] if trump < 4 else None
    plays = (event for event in table.events if 0 <= event.action < deck.size)
    state["trick"], state["tricks"] = _split_tricks(deck, plays)
    state["last_trick"] = state["tricks"][-1] if state["tricks"] else None
    state["trick_winning"] = sight.absolute_seat(v["winner"])
    state["side_tricks"] = [tricks[0] + tricks[2], tricks[1] + tricks[3]]
    if v["episode"]:
        own = sight.turn & 1
        state["score"] = [v["score"][own], v["score"][1 - own]]
    if sight.you is not None:
        state["hand"] = sorted_hand(kind, trump, sight.own_hand())
    if sight.open:
        # When the deal is over the hands are shown as they were dealt: by then they have been played.
        over = v["over"] != RUNNING
        hands = table.opening if over else table.state
        state["hands"] = {str(k): sorted_hand(kind, trump, int(hands["hands"][0][k])) for k in range(sight.n)}
    if sight.you is not None or not table.sat:
        state["readouts"] = _readouts(sight, kind)


def _show_bids(sight: Sight, state: dict[str, Any], dealer: int | None) -> None:
    """Fills in what there is besides in Euchre: the bids, the maker, the turned card and the cards out of play."""
    v, table = sight.v, sight.table
    maker = sight.absolute_seat(v["maker"])
    state["phase"] = euchre.PHASES[v["phase"]]
    state["picked_up"] = bool(v["picked_up"])
    state["turned_down"] = v["passes"] >= 4
    state["maker"] = maker
    state["alone"] = bool(v["alone"])
    for event in table.events:
        if event.action >= euchre.PASS:
            label = euchre.in_words(event.action, by_dealer=event.seat == dealer).told
            state["bids"].append({"seat": event.seat, "action": euchre.ACTIONS[event.action], "label": label})
    if v["phase"] == euchre.DISCARDING and dealer is not None:
        state["seats"][dealer]["cards"] += 1
    if v["alone"] and maker is not None:
        state["seats"][(maker + 2) % 4]["sitting_out"] = True
    state["discard"] = only_card(euchre.DECK, int(table.state[0]["discard"]) if sight.open else v["discard"])
    if sight.open:
        state["kitty"] = card_names(euchre.DECK, int(table.state[0]["kitty"]))


def _split_tricks(deck: Deck, events: Iterable[Event]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Returns the cards of the current trick, and the complete tricks, each with its leader, cards and winner."""
    current: list[dict[str, Any]] = []
    complete: list[dict[str, Any]] = []
    for event in events:
        current.append({"seat": event.seat, "card": deck.text(event.action)})
        if event.winner is not None:
            complete.append({"leader": current[0]["seat"], "cards": current, "winner": event.winner})
            current = []
    return current, complete


def _readouts(sight: Sight, kind: TrickGame) -> dict[str, Any]:
    """Returns the viewer's conclusions: cards seen, cards of others, voids shown, trumps left."""
    table, you, v, deck = sight.table, sight.you, sight.v, kind.deck
    trump, shown = v["trump"], v[kind.open_field]
    gone = sight.own_hand() | v.get("discard", 0)
    for cards in v["played"]:
        gone |= cards
    could_hold = {}
    if you is not None:
        seen_by = table.game.observation(table.state, you)
        for seat, name in enumerate(("left", "partner", "right"), 1):
            where = table.game.slices[f"could_hold_{name}"]
            could_hold[str((you + seat) % sight.n)] = [deck.text(card) for card in np.flatnonzero(seen_by[where]).tolist()]
    voids = sight.by_seat("voids")
    trumps = int(kind.suit_sets[trump, trump]) if trump < 4 else 0
    lying = shown if kind.bids and not v["picked_up"] else 0
    return {
        "seen": card_names(deck, gone | shown),
        "could_hold": could_hold,
        "voids": {str(k): [SUITS[suit] for suit in range(4) if voids[k] >> suit & 1] for k in range(sight.n)},
        "trumps_left": sorted_hand(kind, trump, trumps & ~gone & ~lying),
    }
