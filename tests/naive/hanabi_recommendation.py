"""``hat-recommendation`` for Hanabi in plain Python.

Positions are full states of `cardenvs.games.hanabi`, of which a bot looks at what its seat sees.
"""

from typing import Any

from tests.naive.hanabi_table import Face, Table

Advice = tuple[str, int]
"""``play`` or ``discard``, and the place of a card."""
ALL_ADVICE: list[Advice] = [(what, slot) for what in ("play", "discard") for slot in range(4)]
"""Recommendations in the order of their numbers."""


class Bot:
    """What one seat remembers: the recommendations that stand, by seat, and how many cards were played since."""

    def __init__(self, me: int, state: Any) -> None:
        self.me = me
        self.advice: list[Advice | None] = [None] * 5
        self.plays = [0] * 5
        self.discarded: list[Face] = []
        self.steps: list[str] = []

    def recommend(self, table: Table, hand: list[Face]) -> Advice:
        playable = [face for face in hand if face[1] == table.heights[face[0]]]
        last_rank = [face for face in playable if face[1] == table.ranks - 1]
        if last_rank:
            self.steps.append("to play the last rank")
            return "play", hand.index(last_rank[0])
        if playable:
            self.steps.append("to play")
            return "play", hand.index(min(playable, key=lambda face: face[1]))
        dead = [face for face in hand if face[1] < table.heights[face[0]]]
        if dead:
            self.steps.append("to discard the dead")
            return "discard", hand.index(dead[0])
        dispensable = [face for face in hand if self.discarded.count(face) < table.copies(face) - 1]
        if dispensable:
            self.steps.append("to discard the dispensable")
            return "discard", hand.index(max(dispensable, key=lambda face: face[1]))
        self.steps.append("to discard the oldest")
        return "discard", 0

    def number(self, table: Table, seat: int) -> int:
        return ALL_ADVICE.index(self.recommend(table, table.hands[seat]))

    # learning

    def learn(self, state: Any, action: int) -> None:
        table = Table(state)
        if action >= 2 * table.hand_size:
            self._learn_hint(table, *table.hint_of(action)[:2])
            return
        card = table.hands[table.turn][action % table.hand_size]
        if action < table.hand_size or card[1] != table.heights[card[0]]:
            self.discarded.append(card)
        if action >= table.hand_size:
            self.plays = [count + 1 for count in self.plays]
        self.advice[table.turn] = None

    def _learn_hint(self, table: Table, to: int, by_rank: bool) -> None:
        message = (to - table.turn) % 5 - 1 + (0 if by_rank else 4)
        hearers = {seat for seat in range(5) if seat != table.turn}
        numbers = {seat: self.number(table, seat) for seat in hearers - {self.me}}
        if self.me in hearers:
            numbers[self.me] = (message - sum(numbers.values())) % 8
        for seat, number in numbers.items():
            self.advice[seat], self.plays[seat] = ALL_ADVICE[number], 0

    # deciding

    def choose(self, state: Any) -> int:
        """The move; `steps` gets what has decided."""
        name, action = self._move(Table(state))
        self.steps.append(name)
        return action

    def _move(self, table: Table) -> tuple[str, int]:
        what, slot = self.advice[self.me] or ("", 0)
        if slot >= len(table.hands[self.me]):  # a number that no hinter of this convention sends
            what = ""
        if what == "play" and self.plays[self.me] == 0:
            return "play", table.play(slot)
        if what == "play" and self.plays[self.me] == 1 and table.most_lives - table.lives < 2:
            return "play after another", table.play(slot)
        if table.tokens > 0:
            message = sum(self.number(table, seat) for seat in range(5) if seat != self.me) % 8
            to = (self.me + message % 4 + 1) % 5
            by_rank = message < 4
            return "hint", table.hint(to, by_rank, table.hands[to][0][by_rank])
        if what == "discard":
            return "discard", table.discard(slot)
        return "discard of the oldest", table.discard(0)
