"""The adviser's next question, from the facts entered so far."""

from __future__ import annotations

from dataclasses import dataclass

from cardenvs.play.advise.book import Book


@dataclass(frozen=True)
class Question:
    """A question of the adviser about the next fact.

    Attributes:
        kind: ``names``, ``engine``, ``dealer``, ``card`` (pulled or turned up), ``hand``, ``columns``, ``action``,
            ``drawn``, ``column``, ``reveal`` or ``over``.
        seat: the seat that the question is about, or None.
        text: the question for people.
        engine: whether one of the engine's seats is to act, so that `cardenvs.play.advise.Adviser.advice` has an answer.
    """

    kind: str
    seat: int | None
    text: str
    engine: bool = False


def next_question(book: Book) -> Question:
    """Returns the question to ask next; of kind ``over`` when the deal is over."""
    seats = book.game.seats
    if book.told_names is None:
        order = "clockwise from seat 0" if seats > 2 else "who moves first is seat 0"
        return Question("names", None, f"Names of the {seats} players, {order} (Enter: player 0, ...)")
    if book.told_engine is None:
        listed = book.listed_names
        return Question("engine", None, f"Seats that the engine plays, as in 0,{seats - 1}; all or none ({listed})")
    return _trick_question(book) if book.plays_tricks else _column_question(book)


def _trick_question(book: Book) -> Question:
    names = book.player_names
    if book.dealer is None:
        return Question("dealer", None, f"Dealer ({book.listed_names})")
    if book.card is None:
        what = "Turned-up card" if book.game.bids_trump else "Pulled card (it sets trump)"
        return Question("card", book.dealer, f"{what}, of the dealer {names[book.dealer]}")
    for seat in book.engine:
        held, size = len(book.hands.get(seat, [])), book.hand_size(seat)
        if held < size:
            besides = f" besides the pulled {book.deck.text(book.card)}" if size == 12 else ""
            return Question("hand", seat, f"{names[seat]}'s hand, {size} cards{besides}, {held} so far")
    deal = book.trick_deal
    if deal.over:
        return Question("over", None, "The deal is over")
    name, seat = names[deal.seat_to_act], deal.seat_to_act
    if deal.discarding:
        text = f"{name} has picked up {book.deck.text(book.card)} and discards"
    elif deal.choosing_card:
        text = f"{name} plays"
    else:
        legal = book.game.legal_names(book.legal).split(", ")
        short = [bid.removeprefix("call-") for bid in legal if not bid.endswith("-alone")]
        text = f"{name} bids ({', '.join(short)}; with 'alone' behind it to go alone)"
    return Question("action", seat, text, seat in book.engine)


def _column_question(book: Book) -> Question:
    names = book.player_names
    if len(book.columns) < 10:
        seat, held = divmod(len(book.columns), 5)
        return Question("columns", seat, f"{names[seat]}'s first row, columns 1 to 5 in order, {held} so far")
    deal = book.column_deal
    hidden = deal.next_unrevealed()
    if hidden is not None:
        seat, column, count = hidden
        cards = "card" if count == 1 else f"{count} cards"
        return Question("reveal", seat, f"Turn up: the face-down {cards} of {names[seat]}'s column {column + 1}")
    if deal.over:
        return Question("over", None, "The deal is over")
    name, seat = names[deal.seat_to_act], deal.seat_to_act
    if deal.awaits_card:
        more = "" if seat in book.engine else ", and its column, as in 4 s 3"
        return Question("drawn", seat, f"Card drawn by {name}{more}")
    card = book.deck.text(deal.card) if deal.card is not None else "a face-down card"
    return Question("column", seat, f"{name} puts {card} into column (1 to 5)", seat in book.engine)
