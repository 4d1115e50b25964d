"""Positions of Hanabi for agents in plain Python."""

from typing import Any

Face = tuple[int, int]
"""Colour and rank, both from 0 on."""


class Table:
    """A position: hands as lists of faces, the oldest card first."""

    def __init__(self, state: Any) -> None:
        self.players, self.colours, self.ranks = (int(state[name]) for name in ("players", "colours", "ranks"))
        self.hand_size = int(state["hand_size"])
        self.lives, self.most_lives = int(state["lives"]), int(state["most_lives"])
        self.tokens, self.most_tokens = int(state["information"]), int(state["most_information"])
        self.first, self.turn = int(state["first"]), int(state["to_act"])
        self.heights = [int(height) for height in state["fireworks"]]
        self.faces = [(colour, rank) for colour in range(self.colours) for rank in range(self.ranks)]
        self.hands = [
            [self.faces[int(card) - 1] for card in state["hands"][seat][: int(state["sizes"][seat])]]
            for seat in range(self.players)
        ]
        self.deck = sum(self.copies(face) for face in self.faces) - int(state["drawn"])

    def copies(self, face: Face) -> int:
        return 3 if face[1] == 0 else 1 if face[1] == self.ranks - 1 else 2

    def discard(self, slot: int) -> int:
        return slot

    def play(self, slot: int) -> int:
        return self.hand_size + slot

    def hint(self, seat: int, by_rank: bool, value: int) -> int:
        k = (seat - self.turn) % self.players
        start = 2 * self.hand_size
        if by_rank:
            return start + (self.players - 1) * self.colours + (k - 1) * self.ranks + value
        return start + (k - 1) * self.colours + value

    def hint_of(self, action: int) -> tuple[int, bool, int]:
        """The seat that a hint is for, whether it is of a rank, and which."""
        for seat in range(self.players):
            for by_rank in (False, True):
                for value in range(self.ranks if by_rank else self.colours):
                    if seat != self.turn and self.hint(seat, by_rank, value) == action:
                        return seat, by_rank, value
        raise ValueError(f"{action} is no hint")


def touches(face: Face, by_rank: bool, value: int) -> bool:
    return face[by_rank] == value
