"""Deals of Five-O in which the hidden cards of one or both seats are unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cardenvs.contract.cards import members_of
from cardenvs.contract.options import show
from cardenvs.contract.spec import GameSpec
from cardenvs.games import five_o
from cardenvs.play.advise.partial import PartialDeal


class PartialFiveO(PartialDeal):
    """A deal of Five-O in which the hidden cards of the seats that are not in ``known`` are unknown.

    ``columns`` are the five cards dealt to each seat. ``card`` is the card in hand of the seat to act, None if unknown; in
    `state` it is any of the unseen ones then.
    """

    def __init__(
        self,
        spec: GameSpec,
        options: Mapping[str, Any],
        names: Sequence[str],
        columns: Sequence[Sequence[int]],
        known: frozenset[int],
    ) -> None:
        self.spec = spec
        self.names = tuple(names)
        self.known = known
        self.card: int | None = None
        self._columns = [list(cards) for cards in columns]
        self._turns: list[tuple[int | None, int]] = []  # the card, None if it was not seen, and its column
        self._shown: dict[int, int] = {}  # turn: a face-down card turned up at the end
        self._options = dict(options)
        self._fit_deal()

    @property
    def face_down(self) -> bool:
        """Whether the next card is put down face down [F7]."""
        return len(self._turns) >= 40 - 10 * int(self.state[0]["hidden_rows"])

    @property
    def awaits_card(self) -> bool:
        """Whether the next fact to enter is the card that the seat to act has drawn."""
        return not self.over and self.card is None and (self.seat_to_act in self.known or not self.face_down)

    def _seen_where(self, card: int) -> str | None:
        """Returns the place of a card that was seen, for messages; else None."""
        for seat, cards in enumerate(self._columns):
            if card in cards:
                return f"lies in {self.names[seat]}'s column {cards.index(card) + 1}"
        for turn, (seen, column) in enumerate(self._turns):
            if card in (seen, self._shown.get(turn)):
                return f"lies in {self.names[turn % 2]}'s column {column + 1}"
        return f"is in {self.names[self.seat_to_act]}'s hand" if card == self.card else None

    def _check_unseen(self, card: int) -> None:
        where = self._seen_where(card)
        if where is not None:
            raise ValueError(f"{five_o.DECK.text(card)} {where}")

    def draw_card(self, card: int) -> None:
        """Notes the card that the seat to act has drawn; raises ValueError if it has been seen elsewhere."""
        self._check_unseen(card)
        self.card = card
        self._fit_deal()

    def put_card(self, column: int) -> None:
        """Puts the card in hand into a column, 0 to 4; raises ValueError if that is longer than the shortest."""
        legal = self.spec.legal(self.state)
        if not legal >> column & 1:
            free = ", ".join(str(k + 1) for k in members_of(legal))
            raise ValueError(
                f"{self.names[self.seat_to_act]}'s column {column + 1} is longer than the shortest; open: {free}"
            )
        self._turns.append((self.card, column))
        self.card = None
        self._fit_deal()

    def next_unrevealed(self) -> tuple[int, int, int] | None:
        """Returns, at the end, the next (seat, column, number of cards) with unknown face-down cards, or None."""
        if self.over:
            for seat in range(2):
                for column in range(5):
                    left = self._unseen_turns(seat, column)
                    if left:
                        return seat, column, len(left)
        return None

    def _unseen_turns(self, seat: int, column: int) -> list[int]:
        """Returns the turns, from 0, in which a seat put a still unknown card face down into a column."""
        return [
            turn
            for turn, (card, put) in enumerate(self._turns)
            if card is None and put == column and turn % 2 == seat and turn not in self._shown
        ]

    def reveal_cards(self, cards: Sequence[int]) -> None:
        """Turns up the face-down cards of the column that `unrevealed` names.

        Raises ValueError, and changes nothing, for a wrong number of cards, or a card named twice or seen elsewhere.
        """
        unrevealed = self.next_unrevealed()
        if unrevealed is None:
            raise ValueError("nothing lies face down")
        seat, column, count = unrevealed
        if len(cards) != count or len(set(cards)) != count:
            plural = "" if count == 1 else "s"
            raise ValueError(f"{self.names[seat]}'s column {column + 1} has {count} face-down card{plural}")
        for card in cards:
            self._check_unseen(card)
        self._shown.update(zip(self._unseen_turns(seat, column), cards, strict=True))
        self._fit_deal()

    def _fit_deal(self) -> None:
        """Makes a whole deal: the unseen cards, in order, stand for the unknown ones."""
        told: list[int | None] = [*self._columns[0], *self._columns[1], *self.seen_cards()]
        if len(self._turns) < 40:
            told.append(self.card)
        told += [None] * (52 - len(told))
        unseen = [card for card in range(52) if card not in told]
        deck = [unseen.pop(0) if card is None else card for card in told]
        words = [self.spec.name, *(f"{name}={show(value)}" for name, value in self._options.items())]
        cards = five_o.DECK.format
        words.append(f"columns={cards(deck[:5])}/{cards(deck[5:10])}")
        words.append(f"deck={cards(deck[10:])}")
        words.append("actions=" + ",".join(five_o.ACTIONS[column] for _, column in self._turns))
        self.state = self.spec.parse(" ".join(words))

    def turns(self) -> list[tuple[int | None, int]]:
        """Returns the turns so far: the card, None if unseen, and the column (0 to 4)."""
        return list(self._turns)

    def seen_cards(self) -> list[int | None]:
        """Returns the card of each turn, also if it was turned up only at the end; None if unseen."""
        return [self._shown.get(turn, card) for turn, (card, _) in enumerate(self._turns)]

    def is_known(self) -> bool:
        """Whether all is known but the order of the cards that lay face down in one column."""
        return self.over and self.next_unrevealed() is None
