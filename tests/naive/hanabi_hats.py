"""``hat-information`` for Hanabi in plain Python: of each card a table of faces with the number of copies that it may be.

Positions are full states of `cardenvs.games.hanabi`, of which a bot looks at what its seat sees.
"""

import copy
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tests.naive.hanabi_table import Face, Table, touches

Weights = dict[Face, int]
Kind = Callable[[Face], bool]
Question = list[list[tuple[int, frozenset[Face]]]]
"""For each answer what it says: slots, with the faces that they then may be; but for answer 0 the last slot decides."""


def chance(weights: Weights, kind: Kind) -> Fraction:
    whole = sum(weights.values())
    return Fraction(sum(weight for face, weight in weights.items() if kind(face)), whole) if whole else Fraction(0)


def is_determined(weights: Weights) -> bool:
    return len(weights) == 1


class Bot:
    """What one seat remembers: what everybody takes each card for, with copies left, and what was played or discarded."""

    def __init__(self, me: int, state: Any) -> None:
        self.me = me
        table = Table(state)
        self.gone, self.discarded = dict.fromkeys(table.faces, 0), dict.fromkeys(table.faces, 0)
        self.tables = [[self._fresh(table) for _ in hand] for hand in table.hands]
        self.steps: list[str] = []

    def _fresh(self, table: Table) -> Weights:
        left = {face: table.copies(face) - self.gone[face] for face in table.faces}
        return {face: many for face, many in left.items() if many > 0}

    @property
    def may_be(self) -> list[list[set[Face]]]:
        """Of each seat, of each of its cards the faces that it may be."""
        return [[set(weights) for weights in hand] for hand in self.tables]

    # kinds of faces

    def playable(self, table: Table) -> Kind:
        return lambda face: face[1] == table.heights[face[0]]

    def dead(self, table: Table) -> Kind:
        def is_dead(face: Face) -> bool:
            colour, rank = face
            highest = table.heights[colour]  # what the firework can reach
            while highest < table.ranks and self.gone[colour, highest] < table.copies((colour, highest)):
                highest += 1
            return not table.heights[colour] <= rank < highest

        return is_dead

    def sure_play(self, table: Table, seat: int) -> bool:
        return any(chance(weights, self.playable(table)) == 1 for weights in self.tables[seat])

    # questions

    def restrict(self, seat: int, slot: int, faces: Any) -> None:
        self.tables[seat][slot] = {face: many for face, many in self.tables[seat][slot].items() if face in faces}

    def question(self, table: Table, seat: int, room: int) -> Question | None:
        playable, dead = self.playable(table), self.dead(table)
        hand = self.tables[seat]
        candidates = [slot for slot, one in enumerate(hand) if len(one) > 1 and not all(map(dead, one))]

        def sets(slot: int, kind: Kind) -> tuple[frozenset[Face], frozenset[Face]]:
            """The faces of a card that are not of a kind, and that are."""
            return tuple(frozenset(face for face in hand[slot] if kind(face) == of) for of in (False, True))  # type: ignore

        if not self.sure_play(table, seat):
            plays = [slot for slot in candidates if chance(hand[slot], playable) > 0]
            plays.sort(key=lambda slot: -chance(hand[slot], playable))
            kept = [(slot, playable) for slot in sorted(plays[: room - 1], key=lambda s: (chance(hand[s], playable), s))]
            if not any(one and all(map(dead, one)) for one in hand):
                discards = [slot for slot in candidates if chance(hand[slot], dead) > 0]
                discards.sort(key=lambda slot: -chance(hand[slot], dead))
                discards = discards[: room - 1 - len(kept)]
                kept += [(slot, dead) for slot in sorted(discards, key=lambda s: (chance(hand[s], dead), s))]
            if kept:
                noes = [(slot, sets(slot, kind)[0]) for slot, kind in kept]
                return [noes] + [[*noes[:k], (slot, sets(slot, kind)[1])] for k, (slot, kind) in enumerate(kept)]
        if not candidates:
            return None
        off = {slot: abs(chance(hand[slot], playable) - Fraction(7, 10)) for slot in candidates}
        near = min(candidates, key=lambda slot: off[slot])
        if off[near] < Fraction(1, 5):
            no, yes = sets(near, playable)
            return [[(near, no)], [(near, yes)]]
        split = min(candidates, key=lambda slot: chance(hand[slot], dead))
        useful, useless = (sorted(one) for one in sets(split, dead))
        count = min(room - bool(useless), len(useful))
        blocks = [frozenset(useful[k::count]) for k in range(count)] + ([frozenset(useless)] if useless else [])
        return [[(split, block)] for block in blocks]

    def _sum_for(self, table: Table, seat: int, size: int) -> int:
        """The number of a hand that the bot sees, whose answers it keeps."""
        value, modulus = 0, 1
        while True:
            room = (size - value - 1) // modulus + 1
            question = self.question(table, seat, room) if room > 1 else None
            if question is None:
                return value
            hand = table.hands[seat]
            yes = [said[-1] for said in question]
            answer = next((k for k, (slot, faces) in enumerate(yes) if k > 0 and hand[slot] in faces), 0)
            for slot, faces in question[answer]:
                self.restrict(seat, slot, faces)
            value += modulus * answer
            modulus = min(size, modulus * len(question))

    def _read(self, table: Table, value: int, size: int) -> None:
        """Reads the answers for the own hand off its number."""
        room = size
        while room > 1:
            question = self.question(table, self.me, room)
            if question is None:
                return
            answer, value = value % len(question), value // len(question)
            for slot, faces in question[answer]:
                self.restrict(self.me, slot, faces)
            room = (room - answer - 1) // len(question) + 1

    def _others(self, table: Table) -> list[int]:
        return [(table.turn + k) % table.players for k in range(1, table.players)]

    def _send(self, table: Table, size: int) -> int:
        return sum(self._sum_for(table, seat, size) for seat in self._others(table)) % size

    def _receive(self, table: Table, message: int, size: int) -> None:
        seen = [seat for seat in self._others(table) if seat != self.me]
        rest = message - sum(self._sum_for(table, seat, size) for seat in seen)
        if self.me != table.turn:
            self._read(table, rest % size, size)

    # what carries numbers

    def carried(self, table: Table, seat: int) -> int:
        hand = self.tables[seat]
        common = any(
            all(any(touches(face, by_rank, value) for face in weights) for weights in hand)
            for by_rank in (False, True)
            for value in range(table.ranks if by_rank else table.colours)
        )
        return 3 if common else 4

    def index_slot(self, table: Table, seat: int) -> int:
        scores = []
        for weights in self.tables[seat]:
            settled = is_determined(weights) or all(map(self.dead(table), weights))
            scores.append(0 if settled else 1 + sum(len({face[k] for face in weights}) > 1 for k in range(2)))
        return scores.index(max(scores))

    def said(self, table: Table, to: int, by_rank: bool, value: int) -> int:
        if touches(table.hands[to][self.index_slot(table, to)], by_rank, value):
            return 0 if by_rank else 1
        return 2 if self.carried(table, to) == 3 or by_rank else 3

    def useless(self, table: Table, hand: list[Weights]) -> list[int]:
        return [
            slot
            for slot, weights in enumerate(hand)
            if all(map(self.dead(table), weights)) or (is_determined(weights) and hand.count(weights) > 1)
        ]

    def nobody_needs(self, table: Table) -> None:
        playable = self.playable(table)
        for seat in self._others(table):
            if table.tokens > 0 and not self.sure_play(table, seat):
                for slot, weights in enumerate(self.tables[seat]):
                    self.restrict(seat, slot, {face for face in weights if not playable(face)})

    # learning

    def learn(self, state: Any, action: int) -> None:
        table = Table(state)
        if action >= 2 * table.hand_size:
            self._learn_hint(table, *table.hint_of(action))
            return
        slot, mover = action % table.hand_size, table.turn
        card = table.hands[mover][slot]
        if action < table.hand_size:
            self.nobody_needs(table)
            useless = self.useless(table, self.tables[mover])
            if slot in useless and len(useless) > 1:
                self._receive(table, useless.index(slot), len(useless))
        if action < table.hand_size or not self.playable(table)(card):
            self.discarded[card] += 1
        self.gone[card] += 1
        del self.tables[mover][slot]
        for hand in self.tables:
            for weights in hand:
                if card in weights:
                    weights[card] -= 1
                    if weights[card] == 0:
                        del weights[card]
        if table.deck:
            self.tables[mover].append(self._fresh(table))

    def _learn_hint(self, table: Table, to: int, by_rank: bool, value: int) -> None:
        message = self.said(table, to, by_rank, value)
        others = self._others(table)
        message += sum(self.carried(table, seat) for seat in others[: others.index(to)])
        self._receive(table, message, sum(self.carried(table, seat) for seat in others))
        for slot, weights in enumerate(self.tables[to]):
            touched = touches(table.hands[to][slot], by_rank, value)
            self.restrict(to, slot, {face for face in weights if touches(face, by_rank, value) == touched})

    # deciding

    def choose(self, state: Any) -> int:
        """The move; `steps` gets what has decided."""
        name, action = self._move(Table(state))
        self.steps.append(name)
        return action

    def _move(self, table: Table) -> tuple[str, int]:
        playable, dead = self.playable(table), self.dead(table)
        others = self._others(table)
        seen = [face for seat in others for face in table.hands[seat]]
        private = [
            {face: many - seen.count(face) for face, many in weights.items() if many > seen.count(face)}
            for weights in self.tables[self.me]
        ]
        sure = {}
        for slot, weights in enumerate(private):
            if chance(weights, playable) == 1:
                held = {face: sum(face in table.hands[seat] for seat in others) if table.deck else 0 for face in weights}
                worths = [many * Fraction(9 - face[1], 1 + held[face]) for face, many in weights.items()]
                sure[slot] = sum(worths) / sum(weights.values())
        if sure:
            return "play", table.play(max(sure, key=lambda slot: (sure[slot], -slot)))
        spare = sum(map(table.copies, table.faces)) - len(table.faces) - table.players * table.hand_size
        early = sum(self.discarded.values()) <= spare
        if table.lives > 1 and early:
            bold = {
                slot: chance(weights, playable)
                for slot, weights in enumerate(private)
                if all(playable(face) or dead(face) for face in weights) and chance(weights, playable) > Fraction(3, 4)
            }
            if bold:
                return "bold play", table.play(max(bold, key=lambda slot: (bold[slot], -slot)))
        mine = self.useless(table, private)
        if self._hints(table, early and bool(mine)):
            return "hint", self._hint(table)
        told = self.useless(table, self.tables[self.me])
        if len(told) > 1:
            thought = copy.deepcopy(self)
            thought.nobody_needs(table)
            return "telling discard", table.discard(told[thought._send(table, len(told))])
        if mine:
            return "useless discard", table.discard(mine[0])

        def worth(weights: Weights) -> Fraction:
            visible = chance(weights, lambda face: face in seen)
            spared = chance(weights, lambda face: dead(face) or table.copies(face) - self.discarded[face] > 1)
            rank = Fraction(sum((face[1] + 1) * many for face, many in weights.items()), sum(weights.values()) or 1)
            return 20 * visible + 10 * spared + rank

        worths = [worth(weights) if weights else Fraction(-1) for weights in private]
        return "discard", table.discard(worths.index(max(worths)))

    def _hints(self, table: Table, would_discard: bool) -> bool:
        holders = [seat for seat in self._others(table) if any(map(self.playable(table), table.hands[seat]))]
        if table.tokens == 0:
            return False
        if table.tokens == table.most_tokens or any(not self.sure_play(table, seat) for seat in holders):
            return True
        return not would_discard and (bool(holders) or table.tokens > 4)

    def _hint(self, table: Table) -> int:
        others = self._others(table)
        message = copy.deepcopy(self)._send(table, sum(self.carried(table, seat) for seat in others))
        for seat in others:
            if message < self.carried(table, seat):
                break
            message -= self.carried(table, seat)
        worths = {}
        for by_rank in (False, True):
            for value in range(table.ranks if by_rank else table.colours):
                if any(touches(face, by_rank, value) for face in table.hands[seat]):
                    says = self.said(table, seat, by_rank, value) == message  # some hint does, but in a hand of equal cards
                    worths[table.hint(seat, by_rank, value)] = (says, self._hint_worth(table, seat, by_rank, value))
        return max(worths, key=lambda action: (worths[action], -action))

    def _hint_worth(self, table: Table, seat: int, by_rank: bool, value: int) -> Fraction:
        dead = self.dead(table)
        ratios = []
        for card, weights in zip(table.hands[seat], self.tables[seat], strict=True):
            if len(weights) > 1 and not all(map(dead, weights)):
                touched = touches(card, by_rank, value)
                left = {face: many for face, many in weights.items() if touches(face, by_rank, value) == touched}
                settled = is_determined(left) or all(map(dead, left))
                ratios.append(Fraction(sum(weights.values()) * (2 if settled else 1), sum(left.values()) or 1))
        return math.prod(ratios, start=Fraction(1))
