"""What a seat, or somebody who looks on, may be shown of a table: plain data, the same for a page and a terminal.

All of it comes from the seat's *view* (`cardenvs.spec.Kernels.view`), in which what the seat cannot know is zero, and from
the public events. Somebody who looks on at a table with people gets a view without any seat's own knowledge. Only once a
deal is over, or where no person plays, are all cards shown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

from cardenvs.cards import FULL_DECK, SUITS, Deck, card_name, members_of
from cardenvs.drivers import EPISODE_OVER, RUNNING
from cardenvs.games import euchre, whist
from cardenvs.play.table import HUMAN, Event, Table
from cardenvs.poker import hand_name, hand_value
from cardenvs.tricks import SuitLookups

# The order in which a hand's suits lie, red and black in turn, for each trump: trump comes first.
_SUIT_ORDER = ((0, 1, 3, 2), (1, 0, 2, 3), (2, 3, 1, 0), (3, 2, 0, 1), (3, 2, 0, 1))

_SAID = {
    "pass": ("pass", "passes"),
    "order-up": ("order up", "orders up"),
    "order-up-alone": ("order up, alone", "orders up, alone"),
}
_TAKEN = {
    "order-up": ("take it up", "takes it up"),
    "order-up-alone": ("take it up, alone", "takes it up, alone"),
}


def seat_names(seats: Iterable[int]) -> str:
    """``player 0 and player 2``."""
    return " and ".join(f"player {seat}" for seat in seats)


def _bid_label(action: str, by_dealer: bool) -> tuple[str, str]:
    """What a button says, and what the log says of somebody who pressed it."""
    if by_dealer and action in _TAKEN:
        return _TAKEN[action]
    if action in _SAID:
        return _SAID[action]
    _, suit, *alone = action.split("-")
    return f"call {suit}{', alone' if alone else ''}", f"calls {suit}{', alone' if alone else ''}"


class _Sight:
    """A view with absolute seats: what ``you`` (None: somebody who looks on) can see."""

    def __init__(self, table: Table, you: int | None) -> None:
        game = table.game
        views = game.new_games(1)
        game.kernels.view(table.state, 0, you or 0, views, 0)
        self.table = table
        self.you = you
        self.turn = you or 0
        self.n = game.seats
        self.v: dict[str, Any] = {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in zip(game.dtype.names or (), views[0].tolist(), strict=True)
        }
        if you is None:
            self._forget()
        self.open = table.over != RUNNING or (you is None and not table.people)

    def _forget(self) -> None:
        """Takes away what seat 0, whose view it is, knows and not everybody."""
        v = self.v
        if "hands" in v:
            v["hands"][0] = 0
        if "discard" in v:
            v["discard"] = 0
        if "columns" in v:
            v["card"] = 0
            v["columns"][0] = [cards & ~v["down"][0] for cards in v["columns"][0]]
            v["down"][0] = 0

    def seat(self, relative: int) -> int | None:
        """The seat that the view calls ``relative``; None for nobody."""
        return (relative + self.turn) % self.n if relative >= 0 else None

    def by_seat(self, name: str) -> list[Any]:
        """A field by absolute seat."""
        return [self.v[name][(seat - self.turn) % self.n] for seat in range(self.n)]

    def hand(self) -> int:
        """The own cards, as a set."""
        return int(self.v["hands"][0])


def _sorted(deck: Deck, tables: SuitLookups, trump: int, cards: int) -> list[str]:
    """Cards as a hand is held: the trump suit first, the highest card of each suit first."""
    order = _SUIT_ORDER[trump]

    def place(card: int) -> tuple[int, int]:
        return order.index(int(tables.suit_of[trump, card])), -int(tables.strength[trump, card])

    names = _CARDS[deck]
    return [names[card] for card in sorted(members_of(cards), key=place)]


_CARDS = {deck: tuple(deck.text(card) for card in range(deck.size)) for deck in (euchre.DECK, FULL_DECK)}


def _names(deck: Deck, cards: int) -> list[str]:
    names = _CARDS[deck]
    return [names[card] for card in members_of(cards)]


def _card(deck: Deck, cards: int) -> str | None:
    return deck.format(cards) or None


# --- trick games ---------------------------------------------------------------------------------------------------


def _tricks(deck: Deck, events: Iterable[Event]) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """The cards of the current trick in order, and the last complete one."""
    current: list[dict[str, Any]] = []
    last = None
    for event in events:
        current.append({"seat": event.seat, "card": _CARDS[deck][event.action]})
        if event.winner is not None:
            last = {"cards": current, "winner": event.winner}
            current = []
    return current, last


def _readouts_of_tricks(
    sight: _Sight, deck: Deck, tables: SuitLookups, trump: int, shown: int, lying: int, mine: int
) -> dict[str, Any] | None:
    """Seen cards, what seats can hold, voids and trumps left, by what ``you`` knows.

    ``shown`` is the card that all have seen, ``lying`` the same if it is out of play, ``mine`` what ``you`` has or put
    away.
    """
    table, you = sight.table, sight.you
    if you is None and table.people:
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
            could_hold[str((you + seat) % sight.n)] = [_CARDS[deck][card] for card in lit]
    voids = sight.by_seat("voids")
    gone = played | mine
    trumps = int(tables.suit_sets[trump, trump]) if trump < 4 else 0
    return {
        "seen": _names(deck, gone | shown),
        "could_hold": could_hold,
        "voids": {str(k): [SUITS[suit] for suit in range(4) if voids[k] >> suit & 1] for k in range(sight.n)},
        "trumps_left": _sorted(deck, tables, trump, trumps & ~gone & ~lying),
    }


def _whist(sight: _Sight, state: dict[str, Any]) -> None:
    v, deck, tables = sight.v, whist.DECK, _WHIST_TABLES
    events = sight.table.events
    state["phase"] = "playing" if v["over"] == RUNNING else "finished"
    state["shown"] = _card(deck, v["shown"])
    for seat, played in enumerate(sight.by_seat("played")):
        state["seats"][seat]["cards"] = 13 - played.bit_count()
    _trick_game(sight, state, deck, tables, events)
    state["readouts"] = _readouts_of_tricks(sight, deck, tables, v["trump"], v["shown"], 0, sight.hand())


def _euchre(sight: _Sight, state: dict[str, Any]) -> None:
    v, deck, tables, table = sight.v, euchre.DECK, _EUCHRE_TABLES, sight.table
    dealer, maker = sight.seat(v["dealer"]), sight.seat(v["maker"])
    bids = [event for event in table.events if event.action >= euchre.PASS]
    plays = [event for event in table.events if 0 <= event.action < euchre.PASS]
    state["phase"] = euchre.PHASES[v["phase"]]
    state["turned"] = _card(deck, v["turned"])
    state["picked_up"] = bool(v["picked_up"])
    state["turned_down"] = v["passes"] >= 4
    state["maker"] = maker
    state["alone"] = bool(v["alone"])
    state["discard"] = _card(deck, v["discard"])
    for event in bids:
        label = _bid_label(euchre.ACTIONS[event.action], event.seat == dealer)[1]
        state["bids"].append({"seat": event.seat, "action": euchre.ACTIONS[event.action], "label": label})
    for seat, played in enumerate(sight.by_seat("played")):
        discarding = v["phase"] == euchre.DISCARDING and seat == dealer
        state["seats"][seat]["cards"] = 5 - played.bit_count() + discarding
    if v["alone"] and maker is not None:
        state["seats"][(maker + 2) % 4]["sitting_out"] = True
    _trick_game(sight, state, deck, tables, plays)
    lying = 0 if v["picked_up"] else v["turned"]
    mine = sight.hand() | v["discard"]
    state["readouts"] = _readouts_of_tricks(sight, deck, tables, v["trump"], v["turned"], lying, mine)
    if sight.open:
        full = table.state[0]
        state["kitty"] = _names(deck, int(full["kitty"]))
        state["discard"] = _card(deck, int(full["discard"]))


def _trick_game(sight: _Sight, state: dict[str, Any], deck: Deck, tables: SuitLookups, plays: Iterable[Event]) -> None:
    v, table, trump = sight.v, sight.table, sight.v["trump"]
    state["trump"] = SUITS[trump] if trump < 4 else None
    state["trick"], state["last_trick"] = _tricks(deck, plays)
    state["trick_winning"] = sight.seat(v["winner"])
    tricks = sight.by_seat("tricks")
    dealer = sight.seat(v["dealer"])
    for seat in state["seats"]:
        seat["tricks"] = tricks[seat["seat"]]
        seat["dealer"] = seat["seat"] == dealer
    state["side_tricks"] = [tricks[0] + tricks[2], tricks[1] + tricks[3]]
    if v["episode"]:
        own = sight.turn & 1
        state["score"] = [v["score"][own], v["score"][1 - own]]
    if sight.you is not None:
        state["hand"] = _sorted(deck, tables, trump, sight.hand())
    if sight.open:
        # When the deal is over the hands are shown as they were dealt: by then they have been played.
        over = v["over"] != RUNNING
        hands = table.opening if over else table.state
        state["hands"] = {str(k): _sorted(deck, tables, trump, int(hands["hands"][0][k])) for k in range(sight.n)}


# --- Five-O --------------------------------------------------------------------------------------------------------


def _five_o(sight: _Sight, state: dict[str, Any]) -> None:
    v, deck, table = sight.v, FULL_DECK, sight.table
    over = v["over"] != RUNNING
    state["phase"] = "finished" if over else "placing"
    known = sight.by_seat("columns")
    card = v["card"]
    if sight.open:
        full = table.state[0]
        known = [[int(cards) for cards in full["columns"][seat]] for seat in range(2)]
        card = int(full["card"])
    columns: list[list[list[str | None]]] = [
        [[deck.format(int(c))] for c in table.opening["columns"][0][k]] for k in (0, 1)
    ]
    for event in table.events:
        there = known[event.seat][event.action] >> event.drawn & 1  # a view has only the cards that may be seen
        columns[event.seat][event.action].append(deck.text(event.drawn) if there else None)
    for seat in state["seats"]:
        seat["cards"] = int(seat["seat"] == state["to_act"])
    results = []
    if over:
        for k in range(5):
            values = [int(hand_value(known[seat][k])) for seat in range(2)]
            winner = None if values[0] == values[1] else int(values[1] > values[0])
            results.append({"winner": winner, "hands": [hand_name(known[seat][k]) for seat in range(2)]})
        for seat in state["seats"]:
            seat["tricks"] = sum(result["winner"] == seat["seat"] for result in results)
        state["side_tricks"] = [seat["tricks"] for seat in state["seats"]]
    state["five_o"] = {
        "columns": columns,
        "card": _card(deck, card),
        "row": min(2 + (v["drawn"] - 11) // 10, 5),
        "results": results or None,
    }
    if sight.you is not None:
        state["hand"] = _names(deck, v["card"])
    if sight.open:
        in_hand = {str(k): _names(deck, card) if k == state["to_act"] else [] for k in range(2)}
        state["hands"] = in_hand
    if sight.you is not None or not table.people:
        seen = card
        for cards in (*known[0], *known[1]):
            seen |= cards
        state["readouts"] = {"seen": _names(deck, seen), "unseen": _names(deck, deck.all & ~seen)}


# --- all games -----------------------------------------------------------------------------------------------------

_WHIST_TABLES = SuitLookups(whist.SUIT_SETS, whist.SUIT_OF, whist.STRENGTH)
_EUCHRE_TABLES = SuitLookups(euchre.SUIT_SETS, euchre.SUIT_OF, euchre.STRENGTH)
_GAMES = {"whist": _whist, "euchre": _euchre, "five-o": _five_o}


def action_label(table: Table, action: str) -> dict[str, Any]:
    """A legal action of the seat to act, with words for a person: ``action``, ``label``, ``card`` and maybe ``column``."""
    game = table.game.name
    if game == "five-o":
        column = int(action.rpartition("-")[2])
        return {"action": action, "label": f"column {column}", "card": None, "column": column - 1}
    if len(action) == 2:
        put_away = game == "euchre" and table.state["phase"][0] == euchre.DISCARDING
        return {"action": action, "label": f"{'discard' if put_away else 'play'} the {card_name(action)}", "card": action}
    by_dealer = table.to_act == int(table.state["dealer"][0])
    return {"action": action, "label": _bid_label(action, by_dealer)[0], "card": None}


def _log(table: Table, state: Mapping[str, Any], five_o: Mapping[str, Any] | None) -> list[str]:
    """The deal so far in public words."""
    lines = []
    names = table.game.actions
    dealer = int(table.state["dealer"][0]) if five_o is None else -1
    heights = [[1] * 5, [1] * 5]
    for event in table.events:
        player = f"player {event.seat}"
        if five_o is not None:
            row = heights[event.seat][event.action]
            heights[event.seat][event.action] += 1
            card = five_o["columns"][event.seat][event.action][row]
            what = f"the {card_name(card)}" if card else "a card face down"
            lines.append(f"{player} puts {what} in column {event.action + 1}")
        elif event.action == euchre.HIDDEN_DISCARD:
            lines.append(f"{player} discards")
        elif len(names[event.action]) == 2:
            lines.append(f"{player} plays the {card_name(names[event.action])}")
        else:
            lines.append(f"{player} {_bid_label(names[event.action], event.seat == dealer)[1]}")
        if event.winner is not None:
            lines.append(f"player {event.winner} wins the trick")
    if state["result"]:
        lines.append(state["result"]["text"])
    return lines


def _result(table: Table) -> dict[str, Any] | None:
    if table.over == RUNNING:
        return None
    points, tricks = np.zeros((1, 2), np.int64), np.zeros((1, table.game.seats), np.int64)
    winner = int(table.game.kernels.outcome(table.state, 0, points, tricks))
    made, taken = points[0].tolist(), [int(tricks[0, side::2].sum()) for side in (0, 1)]
    sides = [seat_names(range(side, table.game.seats, 2)) for side in (0, 1)]
    best = None if made[0] == made[1] else int(made[1] > made[0])
    s = "" if table.game.seats > 2 else "s"
    if best is None:
        text = "all passed: no points" if table.game.name == "euchre" else f"a draw, {taken[0]} columns each"
    elif table.game.name == "five-o":
        text = f"{sides[best]} win{s}, {taken[best]} columns to {taken[1 - best]}"
    else:
        plural = "" if made[best] == 1 else "s"
        text = f"{sides[best]} win {made[best]} point{plural}, {taken[best]} tricks to {taken[1 - best]}"
    names = table.game.dtype.names or ()
    if "episode" in names and table.state["episode"][0] and table.over == EPISODE_OVER:
        score = table.state["score"][0].tolist()
        text += f", and the game, {score[winner]} to {score[1 - winner]}"
    return {"points": made, "tricks": taken, "winner": best, "text": text}


def seat_view(
    table: Table,
    you: int | None,
    *,
    connected: Collection[int] | None = None,
    thinking: int | None = None,
) -> dict[str, Any]:
    """The table as ``you`` may see it, as plain data for JSON: the message "state" of the pages.

    Args:
        table: what is being played.
        you: a seat, or None for somebody who looks on.
        connected: the seats whose people are there; None if that means nothing.
        thinking: the seat whose policy is at work; None takes the policy to act.

    Raises:
        ValueError: no such seat.
    """
    if you is not None and not 0 <= you < table.game.seats:
        raise ValueError(f"the seats of {table.game.name} are 0 to {table.game.seats - 1}, not {you!r}")
    sight = _Sight(table, you)
    to_act = table.to_act
    busy = table.policy_to_act if thinking is None else thinking
    seats = []
    for seat, name in enumerate(table.seats):
        person = name == HUMAN
        seats.append(
            {
                "seat": seat,
                "name": ("You" if seat == you else f"player {seat}") if person else name,
                "kind": "human" if person else "policy",
                "side": seat % 2,
                "cards": 0,
                "dealer": False,
                "sitting_out": False,
                "tricks": 0,
                "thinking": seat == busy,
                "connected": seat in connected if person and connected is not None else None,
                "failed": table.failed.get(seat),
            }
        )
    legal = table.legal() if you is not None and you == to_act else []
    state: dict[str, Any] = {
        "type": "state",
        "version": table.version,
        "game": table.game.name,
        "title": table.game.title,
        "options": table.options,
        "you": you,
        "phase": "",
        "to_act": to_act,
        "deal_over": table.over != RUNNING,
        "episode_over": table.over == EPISODE_OVER,
        "seats": seats,
        "score": None,
        "side_tricks": [0, 0],
        "hand": None,
        "hands": None,
        "legal": [action_label(table, table.game.actions[action]) for action in legal],
        "trump": None,
        "turned": None,
        "turned_down": False,
        "picked_up": False,
        "discard": None,
        "kitty": None,
        "shown": None,
        "maker": None,
        "alone": False,
        "bids": [],
        "trick": [],
        "trick_winning": None,
        "last_trick": None,
        "five_o": None,
        "log": [],
        "readouts": None,
        "result": _result(table),
        "text": table.line if sight.open else None,
    }
    _GAMES[table.game.name](sight, state)
    state["log"] = _log(table, state, state["five_o"])
    return state
