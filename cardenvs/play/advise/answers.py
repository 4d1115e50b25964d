"""Answers to the adviser's questions, noted in the deal's book: each kind of question has its kind of answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

from cardenvs.contract.cards import SUIT_NAMES, members_of
from cardenvs.contract.record import seats_line
from cardenvs.games import euchre
from cardenvs.play.advise.book import Book, seats_text
from cardenvs.play.advise.questions import Question
from cardenvs.play.typed_input import column_word, parse_cards

Answer = tuple[str, list[str]]  # an answer as it could be typed again, and its consequences, in sentences for people


def take_answer(book: Book, question: Question, text: str) -> Answer:
    """Notes the answer to a question; raises ValueError, and changes nothing, if it is wrong or not understood."""
    return _TAKERS[question.kind](book, question, text)


def _take_names(book: Book, question: Question, text: str) -> Answer:
    words = re.split(r"\s*[,;]\s*" if re.search("[,;]", text) else r"\s+", text.strip()) if text.strip() else []
    names = tuple(words) or book.player_names
    if len(names) != book.game.seats or not all(names):
        raise ValueError(
            f"{book.game.title} has {book.game.seats} players, not {len(names)}: names with commas between them"
        )
    if len({name.lower() for name in names}) != len(names):
        raise ValueError("two players have the same name")
    if any(name.isdigit() for name in names):
        raise ValueError("a name must not be a number: seats have numbers")
    seats_line(names)  # so that a record can name them
    book.told_names = names
    return ", ".join(names), []


def _take_engine(book: Book, question: Question, text: str) -> Answer:
    word = text.strip().lower()
    if not word:
        raise ValueError("type the engine's seats, as in 0,2, or all, or none")
    if word == "all":
        seats = set(range(book.game.seats))
    elif word in ("none", "-"):
        seats = set()
    else:
        parts = re.split(r"\s*[,;]\s*", text.strip()) if re.search("[,;]", text) else [text]
        try:
            seats = {book.seat_named(part) for part in parts}
        except ValueError:
            seats = {book.seat_named(part) for part in re.split(r"[\s,;]+", text.strip())}
    book.told_engine = tuple(sorted(seats))
    return seats_text(book.engine), []


def _take_dealer(book: Book, question: Question, text: str) -> Answer:
    book.dealer = book.seat_named(text)
    return str(book.dealer), []


def _one_card(book: Book, text: str) -> int:
    cards = parse_cards(text, book.deck)
    if len(cards) > 1:
        raise ValueError(f"one card at a time, not {book.deck.format(cards, ' ')}")
    return cards[0]


def _take_card(book: Book, question: Question, text: str) -> Answer:
    book.card = _one_card(book, text)
    remarks = []
    if not book.game.bids_trump:
        remarks.append(f"Trump is {SUIT_NAMES[book.card // 13]}")
    book.begin_if_dealt()
    return book.deck.text(book.card), remarks


def _take_hand(book: Book, question: Question, text: str) -> Answer:
    seat = cast(int, question.seat)
    cards, mine = parse_cards(text, book.deck), book.hands.get(seat, [])
    for k, card in enumerate(cards):
        word = book.deck.text(card)
        if card == book.card:
            what = "turned-up" if book.game.bids_trump else "pulled"
            raise ValueError(f"{word} is the {what} card; none of this line has been taken")
        if card in cards[:k]:
            raise ValueError(f"{word} is twice in this line; none of it has been taken")
        for owner, held in book.hands.items():
            if card in held:
                raise ValueError(
                    f"{word} is already in {book.player_names[owner]}'s hand; none of this line has been taken"
                )
    room = book.hand_size(seat) - len(mine)
    if len(cards) > room:
        raise ValueError(f"{len(cards)} cards are too many: {book.player_names[seat]}'s hand lacks {room}")
    book.hands[seat] = mine + cards
    book.begin_if_dealt()
    return book.deck.format(cards, " "), []


def _take_columns(book: Book, question: Question, text: str) -> Answer:
    """Takes cards of a player's first row of Five-O."""
    seat = cast(int, question.seat)
    cards = parse_cards(text, book.deck)
    for k, card in enumerate(cards):
        if card in book.columns or card in cards[:k]:
            raise ValueError(f"{book.deck.text(card)} is on the table twice; none of this line has been taken")
    room = 5 - len(book.columns) % 5
    if len(cards) > room:
        raise ValueError(f"{len(cards)} cards are too many: {book.player_names[seat]}'s first row lacks {room}")
    book.columns += cards
    book.begin_if_dealt()
    return book.deck.format(cards, " "), []


def _take_action(book: Book, question: Question, text: str) -> Answer:
    deal = book.trick_deal
    action = _one_card(book, text) if deal.choosing_card else _bid_number(book, text)
    before = deal.state
    deal.play_action(action)
    return book.game.actions[action], _public_remarks(book, before[0], deal.state[0], question)


def _bid_number(book: Book, text: str) -> int:
    """Returns the number of a bid by its name or a beginning: ``p``, ``up``, ``order up alone``, ``call hearts alone``."""
    legal = book.legal
    names = {book.game.actions[k]: k for k in members_of(legal)}
    word = "-".join(re.split(r"[\s-]+", text.strip().lower()))
    stem, alone = (word.removesuffix("-alone"), True) if word.endswith("-alone") else (word, word == "alone")
    stem = {"up": "order-up", "alone": "order-up"}.get(stem, stem)
    fitting = [name for name in names if stem and name.endswith("-alone") == alone]
    suits = [name for name in fitting if name.startswith(f"call-{stem}")]  # "c" is clubs, not the beginning of "call"
    matching = suits or [name for name in fitting if name.startswith(stem)]
    if len(matching) != 1:
        raise ValueError(f"{text.strip()!r} is no bid now: type one of {', '.join(names)}")
    return names[matching[0]]


def _public_remarks(book: Book, before: Any, after: Any, question: Question) -> list[str]:
    """Returns sentences on the public part of an action in Whist or Euchre, by the states before and after it."""
    deal, seat = book.trick_deal, cast(int, question.seat)
    up = book.deck.text(cast(int, book.card))
    remarks = []
    for void in members_of(int(after["voids"][seat]) & ~int(before["voids"][seat])):
        remarks.append(f"{book.player_names[seat]} has shown out of {SUIT_NAMES[void]}")
    if book.game.bids_trump:
        if after["maker"] != before["maker"]:
            suit, maker = SUIT_NAMES[int(after["trump"])], book.player_names[int(after["maker"])]
            remarks.append(f"Trump is {suit}, called by {maker}{', alone' if after['alone'] else ''}")
            if after["alone"]:
                remarks.append(f"{book.player_names[(int(after['maker']) + 2) % 4]} sits out")
            if after["picked_up"] and int(after["dealer"]) not in book.engine:
                dealer = book.player_names[int(after["dealer"])]
                remarks.append(f"{dealer} picks up {up} and discards a card unseen")
        elif before["phase"] == euchre.ORDERING and after["phase"] == euchre.CALLING:
            remarks.append(f"{up} is turned down")
    for k in range(4):
        if after["tricks"][k] > before["tricks"][k]:
            remarks.append(f"{book.player_names[k]} takes trick {int(after['tricks'].sum())}")
    if deal.over:
        remarks.append(book.deal_result()["text"])
    return remarks


def _take_drawn(book: Book, question: Question, text: str) -> Answer:
    card = _one_card(book, text)
    book.column_deal.draw_card(card)
    return book.deck.text(card), []


def _take_column(book: Book, question: Question, text: str) -> Answer:
    word = column_word(text)
    if word not in ("1", "2", "3", "4", "5"):
        raise ValueError(f"{text.strip()!r} is no column: type 1 to 5")
    deal = book.column_deal
    deal.put_card(int(word) - 1)
    return word, [book.deal_result()["text"]] if deal.is_known() else []


def _take_reveal(book: Book, question: Question, text: str) -> Answer:
    """Takes the face-down cards of a column, turned up at the end."""
    deal = book.column_deal
    cards = parse_cards(text, book.deck)
    deal.reveal_cards(cards)
    return book.deck.format(cards, " "), [book.deal_result()["text"]] if deal.is_known() else []


_TAKERS: dict[str, Callable[[Book, Question, str], Answer]] = {
    "names": _take_names,
    "engine": _take_engine,
    "dealer": _take_dealer,
    "card": _take_card,
    "hand": _take_hand,
    "columns": _take_columns,
    "action": _take_action,
    "drawn": _take_drawn,
    "column": _take_column,
    "reveal": _take_reveal,
}
