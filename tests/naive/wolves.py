"""Slow, obvious Wolves; who goes is decided by lists of votes, a vote being the seat that is voted against."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from functools import cache

Round = dict[int, int]
"""The votes of a round by voter, in turn."""


def goes(votes: Round) -> int | None:
    """The seat that has to go, None if several have the most votes."""
    counts = [list(votes.values()).count(seat) for seat in range(5)]
    return counts.index(max(counts)) if counts.count(max(counts)) == 1 else None


@dataclass
class Deal:
    """A deal in play: `vote` against seats until `over`."""

    wolves: set[int]
    first: int
    rounds: list[Round] = field(default_factory=list)
    now: Round = field(default_factory=dict)

    @property
    def out(self) -> list[int]:
        return [seat for votes in self.rounds if (seat := goes(votes)) is not None]

    @property
    def inside(self) -> list[int]:
        """The seats still in, in the order of voting."""
        return [seat % 5 for seat in range(self.first, self.first + 5) if seat % 5 not in self.out]

    @property
    def winner(self) -> str | None:
        left = len(self.wolves - set(self.out))
        if left == 0:
            return "village"
        return "wolves" if left > 3 - len(self.rounds) else None

    @property
    def over(self) -> bool:
        return self.winner is not None

    @property
    def seat(self) -> int:
        """Whose turn it is."""
        return next(seat for seat in self.inside if seat not in self.now)

    @property
    def legal(self) -> list[int]:
        return [] if self.over else [seat for seat in range(5) if seat in self.inside and seat != self.seat]

    def vote(self, against: int) -> None:
        assert against in self.legal
        self.now[self.seat] = against
        if len(self.now) == len(self.inside):
            self.rounds.append(self.now)
            self.now = {}

    def knows_wolves(self, seat: int) -> bool:
        return self.over or seat in self.wolves

    def knows(self, seat: int) -> tuple[object, ...]:
        """All that a seat has seen: who is who as far as it knows, and the votes, None for those that are hidden."""
        known = {k: k in self.wolves for k in range(5) if self.knows_wolves(seat) or k in [seat, *self.out]}
        return known, self.rounds, {voter: vote if voter == seat else None for voter, vote in self.now.items()}

    def worlds(self, seat: int) -> list[tuple[set[int], Round]]:
        """The wolves and the votes of this round that a seat must think possible; each once."""
        wolves = []
        for pair in itertools.combinations(range(5), 2):
            known, _, _ = self.knows(seat)
            assert isinstance(known, dict)
            if all((k in pair) == is_wolf for k, is_wolf in known.items()):
                wolves.append(set(pair))
        ways = [
            [vote] if voter == seat else [other for other in self.inside if other != voter]
            for voter, vote in self.now.items()
        ]
        rounds = [dict(zip(self.now, votes, strict=True)) for votes in itertools.product(*ways)]
        return [(pair, votes) for pair in wolves for votes in rounds]

    def hits(self, seat: int) -> int:
        """The votes of a seat against the other side, in rounds that are over."""
        return sum((seat in self.wolves) != (votes[seat] in self.wolves) for votes in self.rounds if seat in votes)

    @property
    def sent(self) -> list[int]:
        """How many of the others the wolves and the village have sent away."""
        return [len(set(self.out) - self.wolves), len(set(self.out) & self.wolves)]


@cache
def extremes(kind: str, wolves: int, village: int, rounds: int) -> tuple[int, int]:
    """The lowest and the highest margin of the wolves, in points or tricks, by any votes of the seats and rounds left."""
    if wolves == 0 or wolves > rounds:
        return 0, 0
    seats = ["w"] * wolves + ["v"] * village
    margins = []
    for votes in itertools.product(*[[k for k in range(len(seats)) if k != voter] for voter in range(len(seats))]):
        hits = {side: sum(seats[a] == side != seats[b] for a, b in enumerate(votes)) for side in "wv"}
        gone = goes(dict(enumerate(votes)))
        side = "" if gone is None else seats[gone]
        lowest, highest = extremes(kind, wolves - (side == "w"), village - (side == "v"), rounds - 1)
        gain = hits["w"] - hits["v"] if kind == "tricks" else (side == "v") - (side == "w")
        margins += [gain + lowest, gain + highest]
    return min(margins), max(margins)
