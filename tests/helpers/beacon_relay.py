"""Games of the descriptions of Beacon Relay, beside the plain version of its clauses."""

import functools
from typing import Any

from cardenvs import GameSpec, get_game
from cardenvs.contract.fields import Games
from cardenvs.recycle import shipped
from cardenvs.recycle.compiler.layout import Layout
from tests.naive.beacon_relay import KEEP, Card, Relay

FORMS = {"beacon-relay": 8, "beacon-relay-4": 8, "beacon-relay-5": 8, "beacon-relay-mini": 4}
"""The descriptions, with the cards of a hand."""
RANKS = ("SEVEN", "EIGHT", "NINE", "TEN", "JACK", "QUEEN", "KING", "ACE")
SUITS = ("CLUBS", "DIAMONDS", "HEARTS", "SPADES", "STARS")


class Described:
    """The description of a name in `FORMS`, with its cards as the plain version has them."""

    def __init__(self, name: str) -> None:
        self.spec: GameSpec = get_game(name)
        self.layout = Layout(shipped(name))
        self.cards = [self._card(face) for face in self.layout.face_of]
        self.seats = self.spec.seats

    def _card(self, face: int) -> Card:
        values = dict(self.layout.faces[face][1])
        return RANKS.index(values["RANK"]), SUITS.index(values["SUIT"])

    def place(self, kind: str, name: str, owner: int = 0) -> int:
        """The number of a place."""
        wanted = (kind, name, owner)
        return next(k for k, (one, whose) in enumerate(self.layout.places) if (one.storage, one.name, whose) == wanted)

    def lying(self, record: Any, kind: str, name: str, owner: int = 0) -> list[Card]:
        """The cards that are seen in a place of a state or view, from the bottom on."""
        place = self.place(kind, name, owner)
        cards = record["cards"][place][: int(record["sizes"][place])].tolist()
        return [self.cards[card - 1] for card in cards if card > 0]

    def hands(self, world: Any, seat: int) -> tuple[frozenset[Card], ...]:
        """The hands of a world in the order of the deal's seats; in it the seat that looks is 0."""
        held = [frozenset(self.lying(world, "iloc", "HAND", k)) for k in range(self.seats)]
        return tuple(held[(k - seat) % self.seats] for k in range(self.seats))

    def text(self, record: Any, name: str, owner: int = 0) -> str:
        """The word of a player."""
        slot = next(k for k, (one, whose) in enumerate(self.layout.texts) if (one.name, whose) == (name, owner))
        return self.layout.strings[int(record["texts"][slot])]

    def plainly(self, games: Games) -> Relay:
        """The deal of a state of shape (1,) at its start."""
        state = games[0]
        owners = {card: seat for seat in range(self.seats) for card in self.lying(state, "mem", "BEACONS", seat)}
        return Relay(
            [set(self.lying(state, "iloc", "HAND", seat)) for seat in range(self.seats)],
            [(card, owners[card]) for card in self.lying(state, "mem", "DARK")],
            ordered=bool(state["ordered"]),
            lanterns=bool(state["lanterns"]),
        )

    def action(self, action: Card | str) -> int:
        """The number of an action."""
        return 0 if action == KEEP else 1 + self.cards.index(action)  # type: ignore[arg-type]

    def legal(self, games: Games) -> set[Card | str]:
        """The legal actions of a state."""
        legal = self.spec.legal(games)
        return {KEEP if k == 0 else self.cards[k - 1] for k in range(self.spec.num_actions) if legal >> k & 1}


@functools.cache
def beacon_relay(name: str) -> Described:
    """The description of a name in `FORMS`."""
    return Described(name)
