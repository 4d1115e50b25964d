"""Slow, obvious Kuhn poker; a card is its letter, the betting a word of ``p`` and ``b``."""

from dataclasses import dataclass

CARDS = ["J", "Q", "K"]
ENDS = ["pp", "bp", "bb", "pbp", "pbb"]


@dataclass
class Deal:
    """A deal in play: `act` with ``"p"`` or ``"b"`` until `over`; ``cards`` are those of seat 0 and seat 1."""

    cards: list[str]
    betting: str = ""

    @property
    def over(self) -> bool:
        return self.betting in ENDS

    @property
    def seat(self) -> int:
        """Whose turn it is."""
        return len(self.betting) % 2

    @property
    def legal(self) -> list[str]:
        return [] if self.over else ["p", "b"]

    def act(self, what: str) -> None:
        assert what in self.legal
        self.betting += what

    def knows(self, seat: int) -> tuple[str, str, str]:
        """What a seat knows: its card, the other's if that was shown, the betting."""
        shown = self.betting in ("pp", "bb", "pbb")
        return self.cards[seat], self.cards[1 - seat] if shown else "", self.betting

    def deals(self, seat: int) -> list[list[str]]:
        """The cards of both that a seat must think possible."""
        own, other, _ = self.knows(seat)
        others = [other] if other else [card for card in CARDS if card != own]
        return [[own, card] if seat == 0 else [card, own] for card in others]

    @property
    def gains(self) -> list[int]:
        """What each seat wins or loses."""
        if self.betting in ("bp", "pbp"):
            gain = 1 if self.betting == "bp" else -1
        else:
            better = CARDS.index(self.cards[0]) > CARDS.index(self.cards[1])
            gain = (1 if better else -1) * (1 if self.betting == "pp" else 2)
        return [gain, -gain]
