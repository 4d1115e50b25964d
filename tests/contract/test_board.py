"""Positions as plain tables: what everybody sees of them, how they are drawn, and what is told of changes."""

import pytest

from cardenvs.contract.board import Board, Face, Owner, Pile, Tally, board_text, change_words, changes, public_board

TEN, ACE, RED = Face("ten of hearts", "Th"), Face("ace of clubs", "Ac"), Face("red seven")


def board(stock=(None, None), hand=(TEN,), other=(None,), pile=(), paid: int | str | None = 1, ordered=False) -> Board:
    """The board of seat 0 of two, with a stock, a pile that lies open and a hand each."""
    piles = (
        Pile("game", 0, "stock", tuple(stock)), Pile("game", 0, "pile", tuple(pile), ordered),
        Pile("player", 0, "hand", tuple(hand)), Pile("player", 1, "hand", tuple(other)),
    )  # fmt: skip
    return Board(piles, (Tally("player", 0, "paid", paid),), (), ())


def whose(owner: Owner, number: int) -> str:
    return "" if owner == "game" else "your " if number == 0 else f"seat {number}'s "


def told(before: Board, after: Board) -> str:
    return change_words(changes(before, after), whose)


def test_a_board_in_text() -> None:
    assert board_text(board(pile=(ACE, RED), paid=None, ordered=True), "Toy").splitlines() == [
        "Toy", "table", "  stock  2 face down", "  pile   Ac red-seven", "player_0", "  hand  Th", "  paid hidden",
        "player_1", "  hand  1 face down",
    ]  # fmt: skip
    assert "  pile   -- red-seven" in board_text(board(pile=(None, RED), ordered=True), "Toy")
    assert "  hand  empty" in board_text(board(hand=()), "Toy")
    assert "  hand  Th 2 face down" in board_text(board(hand=(TEN, None, None)), "Toy")


@pytest.mark.parametrize(
    ("after", "words"),
    [
        (board(), ""),
        (board(hand=(), pile=(TEN,)), "10♥ from your hand to pile"),
        (board(other=(), pile=(RED,)), "red seven to pile"),
        (board(stock=(), pile=(RED, ACE)), "red seven, A♣ to pile"),
        (board(hand=(), other=(None, None)), "10♥ from your hand away, 1 card more in seat 1's hand"),
        (board(stock=(None,), other=(None, None)), "1 card from stock to seat 1's hand"),
        (board(stock=(None,), hand=(TEN, ACE)), "A♣ to your hand"),
        (board(paid=2), "your paid 2"),
        (board(paid=""), "your paid -"),
        (board(paid=None), "your paid hidden"),
        (board(stock=(None,) * 3), "1 card more in stock"),
        (board(pile=(ACE,) * 7), "7 cards to pile"),
        (board(stock=(None,), pile=(ACE,)), "A♣ to pile"),  # the hand is as large as before: not said to be from the stock
    ],
)
def test_changes_in_words(after: Board, words: str) -> None:
    assert told(board(), after) == words


def test_many_changes_are_cut() -> None:
    names = [Tally("game", 0, f"bin {k}", 0) for k in range(9)]
    before = Board((), tuple(names), (), ())
    after = Board((), tuple(Tally(one.owner, 0, one.name, 1) for one in names), (), ())
    assert told(before, after) == "bin 0 1, bin 1 1, bin 2 1, bin 3 1, bin 4 1, bin 5 1, and more"


def test_everybody_sees_what_all_seats_see() -> None:
    """Nobody's own cards and numbers, though two may see the same face."""
    first = board(hand=(TEN, ACE), other=(None, None), pile=(TEN, TEN, RED), paid=3)
    second = board(hand=(ACE, None), other=(TEN, RED), pile=(RED, TEN, TEN), paid=None)
    seen = public_board([first, second])
    hand, other, pile = seen.piles[2], seen.piles[3], seen.piles[1]
    assert hand.cards == (ACE, None) and other.cards == (None, None)
    assert sorted(card.name for card in pile.cards if card) == ["red seven", "ten of hearts", "ten of hearts"]
    assert seen.tallies[0].value is None and public_board([first, first]).tallies[0].value == 3
    places = [board(pile=(TEN, None), ordered=True), board(pile=(None, None), ordered=True)]
    assert public_board(places).piles[1].cards == (None, None)
    assert public_board([places[0], places[0]]).piles[1].cards == (TEN, None)
