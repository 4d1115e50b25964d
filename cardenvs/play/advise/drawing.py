"""The drawing in text of a deal at a real table, by the facts entered."""

from __future__ import annotations

from typing import cast

from cardenvs.contract.cards import SUIT_NAMES, SUIT_SYMBOLS, members_of
from cardenvs.play.advise.book import Book
from cardenvs.play.advise.partial_five_o import PartialFiveO
from cardenvs.play.advise.partial_tricks import PartialTricks


def drawing(book: Book) -> str:
    """Returns the position for the person at the keyboard, in several lines."""
    if book.deal is None:
        lines = [f"{book.game.title}: dealing"]
        for seat, name in enumerate(book.player_names):
            cards = book.hands.get(seat, [])
            shown = book.deck.format(sorted(cards), " ") if book.plays_tricks else _first_row(book, seat)
            mark = "*" if seat in book.engine else " "
            lines.append(f" {mark} {'D' if seat == book.dealer else ' '} {name:<12} {shown}".rstrip())
        return "\n".join(lines)
    return _draw_tricks(book, book.deal) if isinstance(book.deal, PartialTricks) else _draw_columns(book, book.deal)


def _first_row(book: Book, seat: int) -> str:
    return book.deck.format(book.columns[5 * seat : 5 * seat + 5], " ")


def _draw_tricks(book: Book, deal: PartialTricks) -> str:
    s, text = deal.state[0], book.deck.format
    trump, names = int(s["trump"]), book.player_names
    title = f"{book.game.title}: "
    title += "finished" if deal.over else f"trick {deal.trick_number}" if s["leader"] >= 0 else "bidding"
    title += f", trump {SUIT_SYMBOLS[trump]} {SUIT_NAMES[trump]}" if trump < 4 else ""
    up = book.deck.text(cast(int, book.card))
    if book.game.bids_trump:
        called = s["maker"] >= 0 and book.options["bidding"] == "full"
        title += f" called by {names[int(s['maker'])]}" if called else ""
        title += " alone" if s["alone"] else ""
        title += f", turned up {up}" + (" (picked up)" if s["picked_up"] else "")
    else:
        title += f", pulled card {up}"
    lines = [title]
    width = max(map(len, names))
    for seat, name in enumerate(names):
        known = seat in book.engine
        marks = (">", seat == deal.seat_to_act), ("D", seat == s["dealer"]), ("*", known)
        mark = "".join(sign if holds else " " for sign, holds in marks)
        cards = sorted(members_of(int(s["hands"][seat])), key=deal.effective_suit)
        hand = text(cards, " ") if known else f"{len(cards)} cards"
        voids = [SUIT_NAMES[suit] for (who, suit) in deal.shown_out if who == seat]
        notes = [f"tricks {int(s['tricks'][seat])}"] + ([f"no {' '.join(voids)}"] if voids else [])
        played = text(int(s["trick"][seat])) or ".."
        lines.append(f"{mark} {name:<{width}}  {played}  {', '.join(notes):<12}  {hand}".rstrip())
    score = "" if book.options["episode"] != "game" else f", score {int(s['score'][0])} : {int(s['score'][1])}"
    sides = int(s["tricks"][0] + s["tricks"][2]), int(s["tricks"][1] + s["tricks"][3])
    lines.append(f"tricks {sides[0]} : {sides[1]}{score} (> to act, D dealer, * engine)")
    lines.append("played: " + (" ".join(map(book.deck.text, deal.played)) or "nothing"))
    return "\n".join(lines)


def _draw_columns(book: Book, deal: PartialFiveO) -> str:
    row = 2 + len(deal.turns()) // 10
    lines = [f"{book.game.title}: " + ("finished" if deal.over else f"row {row}")]
    for seat, name in enumerate(book.player_names):
        mark = (">" if seat == deal.seat_to_act else " ") + ("*" if seat in book.engine else " ")
        columns = [[book.deck.text(card)] for card in book.columns[5 * seat : 5 * seat + 5]]
        shown = deal.seen_cards()
        for turn, (_, column) in enumerate(deal.turns()):
            if turn % 2 == seat:
                card = shown[turn]
                columns[column].append("--" if card is None else book.deck.text(card))
        lines.append(f"{mark} {name}")
        lines.append("     " + "   ".join("12345"))
        for at in range(max(map(len, columns))):
            lines.append("     " + "  ".join(column[at] if at < len(column) else "  " for column in columns).rstrip())
    if deal.card is not None:
        lines.append(f"card in {book.player_names[deal.seat_to_act]}'s hand: {book.deck.text(deal.card)}")
    return "\n".join(lines)
