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
        for seat, name in enumerate(book.names):
            cards = book.hands.get(seat, [])
            shown = book.deck.format(sorted(cards), " ") if book.tricks else _row(book, seat)
            mark = "*" if seat in book.engine else " "
            lines.append(f" {mark} {'D' if seat == book.dealer else ' '} {name:<12} {shown}".rstrip())
        return "\n".join(lines)
    return _tricks(book, book.deal) if isinstance(book.deal, PartialTricks) else _columns(book, book.deal)


def _row(book: Book, seat: int) -> str:
    """Returns the cards entered of a player's first row of Five-O."""
    return book.deck.format(book.columns[5 * seat : 5 * seat + 5], " ")


def _tricks(book: Book, deal: PartialTricks) -> str:
    """Returns a deal of Whist or Euchre in play: a line a seat, the cards played, the score."""
    s, text = deal.state[0], book.deck.format
    trump = int(s["trump"])
    title = f"{book.game.title}: " + ("finished" if deal.over else f"trick {deal.trick}" if s["leader"] >= 0 else "bidding")
    title += f", trump {SUIT_SYMBOLS[trump]} {SUIT_NAMES[trump]}" if trump < 4 else ""
    up = book.deck.text(cast(int, book.card))
    if book.game.bids_trump:
        title += (
            f" called by {book.names[int(s['maker'])]}" if s["maker"] >= 0 and book.options["bidding"] == "full" else ""
        )
        title += " alone" if s["alone"] else ""
        title += f", turned up {up}" + (" (picked up)" if s["picked_up"] else "")
    else:
        title += f", pulled card {up}"
    lines = [title]
    width = max(map(len, book.names))
    for seat, name in enumerate(book.names):
        mark = (
            (">" if seat == deal.seat else " ")
            + ("D" if seat == s["dealer"] else " ")
            + ("*" if seat in book.engine else " ")
        )
        known = seat in book.engine
        cards = [c for suit in range(4) for c in members_of(int(s["hands"][seat])) if deal.suit(c) == suit] if known else []
        hand = text(cards, " ") if known else f"{int(s['hands'][seat]).bit_count()} cards"
        voids = [SUIT_NAMES[suit] for (who, suit) in deal.shown_out if who == seat]
        notes = [f"tricks {int(s['tricks'][seat])}"] + ([f"no {' '.join(voids)}"] if voids else [])
        lines.append(
            f"{mark} {name:<{width}}  {text(int(s['trick'][seat])) or '..'}  {', '.join(notes):<12}  {hand}".rstrip()
        )
    score = "" if book.options["episode"] != "game" else f", score {int(s['score'][0])} : {int(s['score'][1])}"
    sides = int(s["tricks"][0] + s["tricks"][2]), int(s["tricks"][1] + s["tricks"][3])
    lines.append(f"tricks {sides[0]} : {sides[1]}{score} (> to act, D dealer, * engine)")
    played = [book.deck.text(card) for card in deal.played]
    lines.append("played: " + (" ".join(played) or "nothing"))
    return "\n".join(lines)


def _columns(book: Book, deal: PartialFiveO) -> str:
    """Returns a deal of Five-O in play: the columns of both players."""
    row = 2 + len(deal.turns()) // 10
    lines = [f"{book.game.title}: " + ("finished" if deal.over else f"row {row}")]
    for seat, name in enumerate(book.names):
        mark = (">" if seat == deal.seat else " ") + ("*" if seat in book.engine else " ")
        columns = [[book.deck.text(card)] for card in book.columns[5 * seat : 5 * seat + 5]]
        shown = deal.told()
        for turn, (_, column) in enumerate(deal.turns()):
            if turn % 2 == seat:
                card = shown[turn]
                columns[column].append("--" if card is None else book.deck.text(card))
        lines.append(f"{mark} {name}")
        lines.append("     " + "   ".join("12345"))
        for at in range(max(map(len, columns))):
            lines.append("     " + "  ".join(column[at] if at < len(column) else "  " for column in columns).rstrip())
    if deal.card is not None:
        lines.append(f"card in {book.names[deal.seat]}'s hand: {book.deck.text(deal.card)}")
    return "\n".join(lines)
