"""Everything that a seat may have seen of a deal, action by action: for checks of the kernels that keep it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cardenvs.contract.cards import Deck, members_of
from cardenvs.contract.fields import Games
from cardenvs.contract.spec import GameSpec

Pile = int | list[int]
"""The cards of a pile: a set, or in order."""


@dataclass(frozen=True)
class Sights:
    """Deals of a game that are watched, for checks."""

    spec: GameSpec
    deck: Deck
    glimpse: Callable[[Any, int], tuple[int, Any]]  # (state, seat) -> (cards, more): what a seat sees as a state is reached
    piles: Callable[[Any, int], list[Pile]]  # (state, seat) -> where all cards lie, as the seat counts the piles

    @property
    def cards(self) -> int:
        return self.deck.size

    def face(self, card: int) -> int:
        """Returns the number of the card's face."""
        return card

    def shuffles(self, state: Any) -> int:
        """Returns the number of shuffles in the deal of a state: one, at its start."""
        del state
        return 1

    def watch(self, state: Any, cards: Sequence[int] | None = None, shuffles: int = 0) -> Watched:
        """Returns the deal of a state from its start on. ``cards`` are the cards dealt instead, by card, unless a first
        shuffle stays as it is (``shuffles`` above 0)."""
        line = self.spec.text(state, actions=False)
        if cards is not None and not shuffles:
            names = {self.deck.text(card): self.deck.text(other) for card, other in enumerate(cards)}
            line = re.sub(f"[{self.deck.ranks}][a-z]", lambda name: names.get(name[0], name[0]), line)
        return Watched(self, self.spec.parse(line))

    def actions(self, state: Any) -> list[int]:
        return [self.spec.action(name) for name in self.spec.history(state)]

    def images(self, actions: Sequence[int], cards: Sequence[int]) -> list[int]:
        """Returns actions with their cards replaced by ``cards``, by card."""
        named = {name: card for card, name in enumerate(map(self.deck.text, range(self.cards)))}
        names = [self.spec.actions[action] for action in actions]
        return [
            self.spec.action(self.deck.text(cards[named[name]])) if name in named else action
            for name, action in zip(names, actions, strict=True)
        ]

    def kept(self, state: Any, seat: int = 0) -> tuple[()]:
        """Returns secrets other than cards: none."""
        return ()

    def places(self, state: Any, seat: int = 0) -> list[tuple[bool, list[int]]]:
        """Returns the cards in each place as a seat counts the places, each with whether their order counts."""
        return [(isinstance(pile, list), _pile_cards(pile)) for pile in self.piles(state, seat)]


class Watched:
    """A deal that is played on while all seats watch."""

    within, is_told = False, True

    def __init__(self, sights: Sights, state: Games) -> None:
        self._sights, self.state = sights, state
        self._seen = [0] * sights.spec.seats
        self._cards = [0] * sights.spec.seats
        self._add_glimpse()

    def copy(self) -> Watched:
        """Returns an independent copy."""
        other = object.__new__(Watched)
        other.__dict__ |= {**self.__dict__, "state": self.state.copy(), "_seen": [*self._seen], "_cards": [*self._cards]}
        return other

    @property
    def to_act(self) -> int:
        """The seat to act, -1 when the deal is over."""
        return int(self.state[0]["to_act"])

    @property
    def legal(self) -> list[int]:
        return members_of(self._sights.spec.legal(self.state))

    def sight(self, seat: int) -> int:
        """Returns a number that two deals share if a seat has seen the same in them."""
        return self._seen[seat]

    def unseen(self, seat: int) -> list[int]:
        """Returns the cards whose faces a seat has not seen in this deal."""
        return [card for card in range(self._sights.cards) if not self._cards[seat] >> card & 1]

    def step(self, action: int) -> None:
        self._sights.spec.kernels.step(self.state, 0, action)
        self._add_glimpse()

    def _add_glimpse(self) -> None:
        """Adds the present glimpse of each seat to its sight."""
        for seat in range(len(self._seen)):
            cards, more = self._sights.glimpse(self.state[0], seat)
            self._cards[seat] |= cards
            self._seen[seat] = hash((self._seen[seat], cards, more))


def _pile_cards(pile: Pile) -> list[int]:
    return pile if isinstance(pile, list) else members_of(pile)


def hands_by(spec: GameSpec, view: Any, unseen: Callable[..., Any], could_hold: Callable[..., Any]) -> list[int]:
    """Returns the cards that can be in each hand by a view, as sets, the own hand first; by a game's kernels."""
    views = spec.new_games(1)
    views[0] = view
    cards = int(unseen(views, 0))
    return [int(view["hands"][0]), *(int(could_hold(views, 0, seat, cards)) for seat in range(1, spec.seats))]


def false_claim(true: list[Pile], told: list[Pile], could: Sequence[int]) -> str:
    """Returns a false claim of a view about cards, in words; empty if there is none. ``true`` and ``told`` are the piles as
    they are and by the view; ``could`` are the cards that can be in the first piles by the view, as sets."""
    for number, (cards, known) in enumerate(zip(map(_pile_cards, true), map(_pile_cards, told), strict=True)):
        if not set(known) <= set(cards):
            return f"pile {number} has the cards {known}"
        if number < len(could) and not set(cards) <= set(members_of(could[number])):
            return f"pile {number} can have the cards {members_of(could[number])} alone"
    return ""
