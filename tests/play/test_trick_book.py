"""The places of hidden cards at a real table: whether they have room, and for which cards not."""

import itertools
import random

from cardenvs.contract.cards import members_of
from cardenvs.play.advise.trick_book import Holder, deal_to, find_crowd


def fits(cards: list[int], holders: list[Holder]) -> bool:
    """Whether some way to deal the cards leaves each holder room and only cards that it may have."""
    for places in itertools.product(range(len(holders)), repeat=len(cards)):
        if all(holders[k].allowed >> card & 1 for card, k in zip(cards, places, strict=True)):
            if all(places.count(k) <= holder.room for k, holder in enumerate(holders)):
                return True
    return False


def test_holders_have_room_where_the_cards_can_be_dealt() -> None:
    rng, seen = random.Random(1), {True: 0, False: 0}
    for _ in range(400):
        cards = rng.sample(range(8), rng.randrange(1, 6))
        holders = [
            Holder(k, f"hand {k}", rng.randrange(4), sum(1 << card for card in range(8) if rng.random() < 0.5))
            for k in range(rng.randrange(1, 5))
        ]
        number = sum(1 << card for card in cards)
        crowd = find_crowd(number, holders)
        seen[crowd is None] += 1
        assert (crowd is None) == fits(cards, holders)
        if crowd is None:
            dealt = deal_to(number, holders)
            assert sum(holder.cards for holder in dealt) == number
            for old, new in zip(holders, dealt, strict=True):
                assert new.room == old.room - new.cards.bit_count() >= 0 and not new.cards & ~old.allowed
        else:
            few, theirs = crowd
            assert theirs and theirs & ~number == 0 and theirs.bit_count() > sum(holder.room for holder in few)
            others = [holder for holder in holders if holder not in few and holder.room]
            assert not any(holder.allowed >> card & 1 for holder in others for card in members_of(theirs))
    assert min(seen.values()) > 40, seen
