"""Kinds of games: what pictures, solvers and the adviser need to know of one.

Code outside `cardenvs.games` asks for the kind of a game, never for its name.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cardenvs.contract.cards import Deck
from cardenvs.contract.outcome import ActionWords


@dataclass(frozen=True, eq=False)
class TrickGame:
    """A trick-taking game for two sides of two seats, whose STATE has the fields that Whist's and Euchre's share.

    Attributes:
        deck: the deck.
        dealt: number of cards in a hand at the start.
        suit_sets: int64 (trumps, 4), the cards of each suit by trump, sets.
        suit_of: int64 (trumps, cards), the suit of each card by trump.
        strength: int64 (trumps, cards), the strength of each card within its suit by trump.
        open_field: field of the STATE with the card that all see from the start, a set; also its key in a deal's text.
        open_word: word for that card, such as ``"pulled"``.
        bids: whether trump is bid for, as in Euchre; else the open card sets it, as in Whist, and is the dealer's.
        in_words: ``(action, by_dealer) -> ActionWords``: an action in words.
        playing: ``playing(games, i) -> bool``: whether the seat to act plays a card, not bids or discards. This and the
            following are kernels for views and states.
        sitting_out: ``sitting_out(games, i) -> int``: the seat that sits out, -1 if none.
        unseen: ``unseen(games, i, seat) -> int``: the cards that ``seat`` has not seen, a set, with the open card while
            another dealer holds it.
        taken: ``taken(games, i) -> int``: the card that only the dealer can hold, as a set.
        margin: ``margin(games, i, tricks) -> int``: the points of side 0 less those of side 1 if side 0 takes ``tricks``
            tricks in the deal.
    """

    deck: Deck
    dealt: int
    suit_sets: Any
    suit_of: Any
    strength: Any
    open_field: str
    open_word: str
    bids: bool
    in_words: Callable[[int, bool], ActionWords]
    playing: Callable[..., Any]
    sitting_out: Callable[..., Any]
    unseen: Callable[..., Any]
    taken: Callable[..., Any]
    margin: Callable[..., Any]


@dataclass(frozen=True, eq=False)
class ColumnGame:
    """A game of columns for two seats, whose STATE has the fields of Five-O's.

    Attributes:
        deck: the deck.
        in_words: ``(column, card as a set) -> ActionWords``: a placement in words; 0 for a card that is not shown.
    """

    deck: Deck
    in_words: Callable[[int, int], ActionWords]
