"""A position as a plain table: piles of cards, numbers and names, for games without a picture of their own.

A `Board` is what one seat may see, as plain data by absolute seats, for pages, terminals and text drawings.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from cardenvs.contract.cards import card_text

Owner = Literal["game", "player", "team"]
"""Kind of owner of a pile or a tally."""
TINTS = ("red", "yellow", "green", "white", "blue")
"""Colours of cards that are not of the pack of 52."""
Whose = Callable[[Owner, int], str]
"""Function that returns the text before the name of an owner's pile: ``"your "``, ``"player_1's "``, or nothing."""


@dataclass(frozen=True)
class Face:
    """The face of a card.

    Attributes:
        name: the card's name for people, such as ``"ten of hearts"`` or ``"red seven"``.
        card: the two-letter name of a card of the pack of 52, such as ``"Th"``; None for any other card.
        sign: the sign on another card, such as ``"R1"``; empty where it is the name.
        tint: the colour of such a card, one of `TINTS`; empty for none.
    """

    name: str
    card: str | None = None
    sign: str = ""
    tint: str = ""

    @property
    def text(self) -> str:
        """The card in a line of text: its two letters, its sign, or its name in one word."""
        return self.card or self.sign or self.name.replace(" ", "-")

    @property
    def words(self) -> str:
        """The card as people read it: ``10♥``, or its name."""
        return card_text(self.card) if self.card else self.name


@dataclass(frozen=True)
class Note:
    """Knowledge of a card by its holder, who sees it from behind.

    Attributes:
        told: the hinted colour, rank, or both, as the face of a card; None for nothing.
        lines: what the card can be by common knowledge, in short lines such as ``"RB 123"``.
        words: the same in words, such as ``"red or blue, 1 to 3"``.
        own_lines: what the card can be for the viewer, if the viewer holds it and knows more than everybody; else empty.
        own_words: the same in words.
    """

    told: Face | None
    lines: tuple[str, ...]
    words: str
    own_lines: tuple[str, ...] = ()
    own_words: str = ""


@dataclass(frozen=True)
class Pile:
    """Cards that lie at one place.

    Attributes:
        owner: kind of owner.
        number: the seat or the team; 0 for a place of the game.
        name: name of the place.
        cards: the cards, None for each face that is not seen.
        ordered: whether the last card is known to lie on top; if not, the cards are in no order.
        notes: what the owner knows of each card, in a hand that its owner sees from behind; empty for other piles.
        touched: indices of the cards that the last action was about.
        trick: whether the cards of a trick lie there until it is taken; tables lay out a game with such piles as tricks.
    """

    owner: Owner
    number: int
    name: str
    cards: tuple[Face | None, ...]
    ordered: bool = False
    notes: tuple[Note, ...] = ()
    touched: tuple[int, ...] = ()
    trick: bool = False


@dataclass(frozen=True)
class Tally:
    """A number or a name that the game keeps.

    Attributes:
        owner: kind of owner.
        number: the seat or the team; 0 for one of the game.
        name: name of the tally.
        value: the number or the name, empty for none yet; None where it is hidden.
    """

    owner: Owner
    number: int
    name: str
    value: int | str | None


@dataclass(frozen=True)
class Offer:
    """An action that the seat to act can take.

    Attributes:
        action: the action's number.
        card: index of a pile and of a card in it that the action chooses; None for no, several, or unseen cards.
        at: pile and card indices of the cards at which a page offers the action, seen or not; else empty.
        short: the action in a word or two, for a button at a card.
    """

    action: int
    card: tuple[int, int] | None
    at: tuple[tuple[int, int], ...] = ()
    short: str = ""


@dataclass(frozen=True)
class Board:
    """A position as a seat, or everybody, may see it.

    Attributes:
        piles: the piles, those of the game first, then those of the players, then those of the teams.
        tallies: the numbers and names, in the same order.
        teams: the seats of each team; empty where everybody plays alone.
        offers: the actions of the seat to act, in display order; empty on boards of other seats.
        chosen: the actions by which the seat to act has chosen parts of an option so far, if the board is that seat's.
        spoken: whether each action is public, so that its label and `GameSpec.told` suffice for a log.
    """

    piles: tuple[Pile, ...]
    tallies: tuple[Tally, ...]
    teams: tuple[tuple[int, ...], ...]
    offers: tuple[Offer, ...]
    chosen: tuple[int, ...] = ()
    spoken: bool = False


def public_board(boards: Sequence[Board]) -> Board:
    """Returns the board of what all seats see, from the boards of all seats at one position."""
    return Board(
        piles=tuple(map(_public_pile, zip(*(board.piles for board in boards), strict=True))),
        tallies=tuple(map(_public_tally, zip(*(board.tallies for board in boards), strict=True))),
        teams=boards[0].teams,
        offers=(),
        spoken=boards[0].spoken,
    )


def _public_tally(seen: Sequence[Tally]) -> Tally:
    """Returns a tally, hidden if any seat does not see it."""
    return replace(seen[0], value=None) if any(tally.value is None for tally in seen) else seen[0]


def _public_pile(seen: Sequence[Pile]) -> Pile:
    """Returns a pile with the cards that all seats see in it."""
    notes = tuple(replace(note, own_lines=(), own_words="") for note in seen[0].notes)
    first = replace(seen[0], notes=notes)
    if first.ordered:
        cards = tuple(card if all(pile.cards[k] == card for pile in seen) else None for k, card in enumerate(first.cards))
        return replace(first, cards=cards)
    common = Counter(card for card in first.cards if card is not None)
    for pile in seen[1:]:
        common &= Counter(card for card in pile.cards if card is not None)
    shown: list[Face | None] = []
    for card in first.cards:
        if card is not None and common[card] > 0:
            common[card] -= 1
            shown.append(card)
    return replace(first, cards=(*shown, *[None] * (len(first.cards) - len(shown))))


def board_text(board: Board, title: str) -> str:
    """Returns a board in text under a title: a line for each owner, its piles and tallies indented below."""
    lines = [title]
    owned: list[Pile | Tally] = [*board.piles, *board.tallies]
    owners = dict.fromkeys((one.owner, one.number) for one in owned)
    for owner, number in sorted(owners, key=lambda one: ("game", "team", "player").index(one[0])):
        lines.append(owner_text(owner, number))
        piles = [pile for pile in board.piles if (pile.owner, pile.number) == (owner, number)]
        width = max((len(pile.name) for pile in piles), default=0)
        for pile in piles:
            lines.append(f"  {pile.name:<{width}}  {pile_text(pile)}")
        tallies = [tally for tally in board.tallies if (tally.owner, tally.number) == (owner, number)]
        if tallies:
            lines.append("  " + ", ".join(f"{tally.name} {tally_text(tally)}" for tally in tallies))
    return "\n".join(lines)


def owner_text(owner: Owner, number: int) -> str:
    """Returns an owner in text: ``table``, ``player_2`` or ``team 1``."""
    return {"game": "table", "player": f"player_{number}", "team": f"team {number}"}[owner]


def pile_text(pile: Pile) -> str:
    """Returns a pile in a line of text: the cards that are seen, and the number of the others."""
    seen = " ".join(card.text if card else "--" for card in pile.cards) if pile.ordered else ""
    if not pile.ordered or not any(pile.cards):
        hidden = sum(card is None for card in pile.cards)
        words = [card.text for card in pile.cards if card] + ([f"{hidden} face down"] if hidden else [])
        seen = " ".join(words)
    return seen or "empty"


def tally_text(tally: Tally) -> str:
    """Returns the value of a tally in text: ``hidden``, and ``-`` for no name."""
    return "hidden" if tally.value is None else str(tally.value) or "-"


# --- what has changed -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """A change that a seat sees between two positions: cards that move, or a new value of a tally.

    Attributes:
        cards: the cards whose faces are seen.
        hidden: number of other cards.
        source: the pile that they leave, without its cards; None if unknown.
        target: the pile that they enter, without its cards; None if unknown.
        tally: the tally with its new value; None where cards move.
    """

    cards: tuple[Face, ...] = ()
    hidden: int = 0
    source: Pile | None = None
    target: Pile | None = None
    tally: Tally | None = None


_MOST_TOLD = 6
"""Maximum number of cards that are named one by one, and of changes that are described for one action."""


def changes(before: Board, after: Board) -> list[Change]:
    """Returns the changes between two boards of one seat, by what that seat sees alone.

    The order of cards in a pile is ignored.
    """
    found = _seen_moves(before, after) + _unseen_moves(before, after)
    pairs = zip(before.tallies, after.tallies, strict=True)
    return found + [Change(tally=new) for old, new in pairs if old.value != new.value]


def _count_faces(board: Board) -> list[Counter[Face]]:
    return [Counter(card for card in pile.cards if card is not None) for pile in board.piles]


def _count_unseen(pile: Pile) -> int:
    return sum(card is None for card in pile.cards)


def _without_cards(pile: Pile) -> Pile:
    return replace(pile, cards=())


def _seen_moves(before: Board, after: Board) -> list[Change]:
    """Returns the moves of seen cards; the pile of unseen cards that come or go is left open."""
    old, new = _count_faces(before), _count_faces(after)
    gone = [was - now for was, now in zip(old, new, strict=True)]
    moved: dict[tuple[int | None, int | None], list[Face]] = {}
    for target, (was, now) in enumerate(zip(old, new, strict=True)):
        for face in (now - was).elements():
            source = next((k for k, faces in enumerate(gone) if faces[face] > 0), None)
            if source is not None:
                gone[source][face] -= 1
            moved.setdefault((source, target), []).append(face)
    for source, faces in enumerate(gone):
        for face in (+faces).elements():
            moved.setdefault((source, None), []).append(face)
    piles = [_without_cards(pile) for pile in after.piles]
    return [
        Change(tuple(cards), 0, None if source is None else piles[source], None if target is None else piles[target])
        for (source, target), cards in moved.items()
    ]


def _unseen_moves(before: Board, after: Board) -> list[Change]:
    """Returns the moves of unseen cards that the moves of seen cards do not account for."""
    gains = [_count_unseen(new) - _count_unseen(old) for old, new in zip(before.piles, after.piles, strict=True)]
    appeared = sum(_count_faces(after), Counter()).total() - sum(_count_faces(before), Counter()).total()
    losers = [k for k, gain in enumerate(gains) if gain < 0]
    gainers = [k for k, gain in enumerate(gains) if gain > 0]
    if not gainers and sum(gains) == -appeared:
        return []
    if not appeared and not sum(gains) and len(losers) == 1:
        return [
            Change((), gains[k], _without_cards(after.piles[losers[0]]), _without_cards(after.piles[k])) for k in gainers
        ]
    more = [Change((), gains[k], None, _without_cards(after.piles[k])) for k in gainers]
    return more + [Change((), -gains[k], _without_cards(after.piles[k]), None) for k in losers]


def change_words(found: Sequence[Change], whose: Whose) -> str:
    """Returns changes in words for people, with owners named by ``whose``; empty for none."""
    words = [_change_text(change, whose) for change in found[:_MOST_TOLD]]
    return ", ".join(words + ["and more"] * (len(found) > _MOST_TOLD))


def _change_text(change: Change, whose: Whose) -> str:
    tally = change.tally
    if tally is not None:
        return f"{whose(tally.owner, tally.number)}{tally.name} {tally_text(tally)}"
    source, target = (
        None if pile is None else f"{whose(pile.owner, pile.number)}{pile.name}" for pile in (change.source, change.target)
    )
    count = len(change.cards) + change.hidden
    shown = (" " if all(face.card for face in change.cards) else ", ").join(face.words for face in change.cards)
    said = shown if shown and count <= _MOST_TOLD else f"{count} card{'s' * (count != 1)}"
    if not change.cards and (source is None or target is None):
        return f"{said} more in {target}" if source is None else f"{said} fewer in {source}"
    said += "" if source is None else f" from {source}"
    return f"{said} away" if target is None else f"{said} to {target}"
