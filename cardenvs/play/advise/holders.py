"""Distributes hidden cards to holders that may have them and have room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cardenvs.contract.cards import Deck


@dataclass
class Holder:
    """A place where hidden cards can lie: a hand, the kitty, a discard."""

    name: str  # in messages
    size: int  # number of cards in all
    allowed: int  # set of the cards that it may have
    cards: list[int] = field(default_factory=list)  # distributed so far


def distribute_cards(cards: Sequence[int], holders: Sequence[Holder], deck: Deck) -> None:
    """Adds each card to ``cards`` of a holder that may have it and has room, by augmenting paths.

    Raises ValueError, with the cards that are too many and their possible holders, if that is impossible.
    """
    for card in cards:
        asked: dict[int, int] = {}  # by holder, the card that would go there instead of one of its own
        queue = [card]
        free = -1
        while queue and free < 0:
            looking = queue.pop(0)
            for k, holder in enumerate(holders):
                if k not in asked and holder.allowed >> looking & 1:
                    asked[k] = looking
                    if len(holder.cards) < holder.size:
                        free = k
                        break
                    queue += holder.cards
        if free < 0:
            crowd = sorted({card, *(held for k in asked for held in holders[k].cards)})
            names = deck.format(crowd, " ")
            if not any(holders[k].size for k in asked):
                raise ValueError(f"nobody could hold {names} then")
            who = _join_words([holders[k].name for k in asked])
            room = sum(holders[k].size for k in asked)
            raise ValueError(f"only {who} could hold {names} then, with room for {room}")
        # Back along the path: every holder on it passes on the card that makes room.
        end = free
        while True:
            moved = asked[end]
            owner = next((k for k, holder in enumerate(holders) if moved in holder.cards), -1)
            holders[end].cards.append(moved)
            if owner < 0:
                break
            holders[owner].cards.remove(moved)
            end = owner


def _join_words(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
