"""The view of Five-O: the columns, the card in hand, and the cards that have been seen."""

from typing import Any

from cardenvs.contract.cards import FULL_DECK, members_of
from cardenvs.contract.loops import RUNNING
from cardenvs.games.poker import hand_name, hand_value
from cardenvs.play.seatview.sight import Sight, card_names, only_card


def show_five_o(sight: Sight, state: dict[str, Any]) -> None:
    """Fills in the visible entries of the message "state" of a deal of Five-O."""
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
        seen = known[event.seat][event.action] >> event.drawn & 1  # a view has only the cards that may be seen
        columns[event.seat][event.action].append(deck.text(event.drawn) if seen else None)
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
        "card": only_card(deck, card),
        "row": min(2 + (v["drawn"] - 11) // 10, 5),
        "results": results or None,
        "names": [[column_name(known[seat][k]) if all(columns[seat][k]) else "" for k in range(5)] for seat in range(2)],
    }
    if sight.you is not None:
        state["hand"] = card_names(deck, v["card"])
    if sight.open:
        state["hands"] = {str(k): card_names(deck, card) if k == state["to_act"] else [] for k in range(2)}
    if sight.you is not None or not table.sat:
        seen = card
        for cards in (*known[0], *known[1]):
            seen |= cards
        state["readouts"] = {"seen": card_names(deck, seen), "unseen": card_names(deck, deck.all & ~seen)}


def column_name(cards: int) -> str:
    """Returns a column's hand so far: ``"pair"``, ``"flush draw"``, ``"king high"``; empty for fewer than two cards.

    A draw is named from three cards on: of one suit, or of different ranks that one straight can hold.
    """
    numbers = members_of(cards)
    if len(numbers) < 2:
        return ""
    name = hand_name(cards)
    if len(numbers) in (3, 4) and name.endswith(" high"):
        ranks = sorted(number % 13 for number in numbers)
        low_ace = sorted((rank + 1) % 13 for rank in ranks)  # the ace below the two
        straight = any(held[-1] - held[0] <= 4 for held in (ranks, low_ace))
        flush = len({number // 13 for number in numbers}) == 1
        if straight or flush:
            return f"{'straight ' if straight else ''}{'flush ' if flush else ''}draw"
    return "pair" if name.startswith("pair") else name.partition(",")[0]
