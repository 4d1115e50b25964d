"""SmartBot for Hanabi in plain Python: sets of faces, and everything found anew wherever it is asked for.

A face is ``(colour, rank)``, both from 0 on. Positions are full states of `cardenvs.games.hanabi`, of which a bot looks at
what its seat sees. An empty set of faces, which only moves by other conventions bring about, counts as ten faces of which
half are of any kind.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.naive.hanabi_table import Face, Table, touches

Kind = Callable[[Face], bool]
YES, NO, MAYBE = "yes", "no", "maybe"


def status(faces: set[Face], kind: Kind) -> str:
    found = {kind(face) for face in faces}
    return MAYBE if len(found) != 1 else YES if True in found else NO


def share(faces: set[Face], kind: Kind) -> Fraction:
    return Fraction(sum(map(kind, faces)), len(faces)) if faces else Fraction(1, 2)


def count(faces: set[Face]) -> int:
    return len(faces) or 10


def common_rank(faces: set[Face]) -> int | None:
    ranks = {rank for _, rank in faces}
    return ranks.pop() if len(ranks) == 1 else None


@dataclass(frozen=True)
class Hint:
    action: int
    fitness: int


class Bot:
    """What one seat remembers: of each seat's cards the faces that they may be before the next move, and what has gone."""

    def __init__(self, me: int, state: Any) -> None:
        self.me = me
        table = Table(state)
        self.may_be = [[set(table.faces) for _ in hand] for hand in table.hands]
        self.gone = dict.fromkeys(table.faces, 0)
        self.steps: list[str] = []
        self._before_move(table)

    # kinds of faces

    def playable(self, table: Table) -> Kind:
        return lambda face: face[1] == table.heights[face[0]]

    def worthless(self, table: Table) -> Kind:
        def is_worthless(face: Face) -> bool:
            colour, rank = face
            height = table.heights[colour]
            if rank < height:
                return True
            return any(self.gone[colour, one] == table.copies((colour, one)) for one in range(height, rank))

        return is_worthless

    def valuable(self, table: Table) -> Kind:
        worthless = self.worthless(table)
        return lambda face: self.gone[face] == table.copies(face) - 1 and not worthless(face)

    # before a move

    def _before_move(self, table: Table) -> None:
        while self._locate(table):
            pass

    def _locate(self, table: Table) -> bool:
        known = [next(iter(faces)) for hand in self.may_be for faces in hand if len(faces) == 1]
        changed = False
        for hand in self.may_be:
            for faces in hand:
                if len(faces) != 1:
                    out = {face for face in faces if self.gone[face] + known.count(face) >= table.copies(face)}
                    changed = changed or bool(out)
                    faces -= out
        return changed

    def eyed(self, table: Table, slot: int) -> set[Face]:
        own = self.may_be[self.me]
        if len(own[slot]) == 1:
            return own[slot]
        seen = [face for seat, hand in enumerate(table.hands) if seat != self.me for face in hand]
        seen += [next(iter(faces)) for faces in own if len(faces) == 1]
        return {face for face in own[slot] if self.gone[face] + seen.count(face) < table.copies(face)}

    def next_discard(self, table: Table, seat: int) -> int | None:
        fitness = {}
        for slot, faces in enumerate(self.may_be[seat]):
            if YES in (status(faces, self.playable(table)), status(faces, self.worthless(table))):
                return None
            if status(faces, self.valuable(table)) != YES:
                fitness[slot] = 100 + share(faces, self.worthless(table))
        return max(fitness, key=lambda slot: (fitness[slot], -slot), default=None)

    def could_be_valuable(self, table: Table, faces: set[Face], rank: int) -> bool:
        valuable = self.valuable(table)
        of_rank = {face for face in faces if face[1] == rank}
        return bool(of_rank) and status(faces, valuable) == MAYBE and status(of_rank, valuable) != NO

    # learning

    def learn(self, state: Any, action: int) -> None:
        table = Table(state)
        if action < 2 * table.hand_size:
            self._learn_card(table, action % table.hand_size, action < table.hand_size)
        else:
            self._learn_hint(table, *table.hint_of(action))
        self._before_move(table)

    def _no_warning(self, table: Table) -> None:
        if table.deck == 0 or table.tokens == 0:
            return
        warned = (table.turn + 1) % table.players
        slot = self.next_discard(table, warned)
        if slot is not None:
            valuable = self.valuable(table)
            self.may_be[warned][slot] = {face for face in self.may_be[warned][slot] if not valuable(face)}

    def _learn_card(self, table: Table, slot: int, discarded: bool) -> None:
        mover = table.turn
        card = table.hands[mover][slot]
        self._no_warning(table)
        faces = self.may_be[mover][slot]
        if discarded and len(faces) == 1 and status(faces, self.playable(table)) == YES:
            holders = [
                seat
                for seat in ((table.first + k) % table.players for k in range(table.players))
                if seat not in (mover, self.me) and table.hands[seat][-1] == card
            ]
            self.may_be[holders[0] if holders else self.me][-1] = {card}
        self.gone[card] += 1
        del self.may_be[mover][slot]
        if table.deck:
            self.may_be[mover].append(set(table.faces))

    def _learn_hint(self, table: Table, to: int, by_rank: bool, value: int) -> None:
        mover, hand, known = table.turn, table.hands[to], self.may_be[to]
        following = (mover + 1) % table.players
        playable, valuable = self.playable(table), self.valuable(table)
        reclaim = warning = False
        if by_rank:
            before = (to + 1) % table.players == mover
            reclaim = table.tokens == table.most_tokens and before and touches(hand[0], True, value)
            slot = self.next_discard(table, following)
            if not reclaim and to == following and slot is not None and touches(hand[slot], True, value):
                warning = self.could_be_valuable(table, known[slot], value)
            if warning:
                known[slot] = {face for face in known[slot] if valuable(face)}
        identified, inferred = False, None
        for slot in reversed(range(len(hand))):
            maybe = status(known[slot], playable) == MAYBE
            touched = touches(hand[slot], by_rank, value)
            known[slot] = {face for face in known[slot] if touches(face, by_rank, value) == touched}
            if maybe and status(known[slot], playable) == YES:
                identified = True
            elif maybe and touched and inferred is None and status(known[slot], playable) == MAYBE:
                inferred = slot
        if inferred is not None and not (warning or reclaim or identified):
            known[inferred] = {face for face in known[inferred] if playable(face)}
        if to != following:
            self._no_warning(table)

    # deciding

    def best_hint(self, table: Table, seat: int) -> Hint:
        hand, known, playable = table.hands[seat], self.may_be[seat], self.playable(table)
        avoided = None
        if seat == (self.me + 1) % table.players:
            slot = self.next_discard(table, seat)
            if slot is not None and self.could_be_valuable(table, known[slot], hand[slot][1]):
                avoided = hand[slot][1]
        best = Hint(-1, -1)
        for by_rank, value in [(False, c) for c in range(table.colours)] + [(True, r) for r in range(table.ranks)]:
            touched = [touches(face, by_rank, value) for face in hand]
            if not any(touched) or (by_rank and value == avoided):
                continue
            after = [
                {face for face in faces if touches(face, by_rank, value) == hit}
                for faces, hit in zip(known, touched, strict=True)
            ]
            reveals, good = False, None
            for slot in reversed(range(len(hand))):
                if status(known[slot], playable) == MAYBE:
                    if status(after[slot], playable) == YES:
                        reveals = True
                    elif status(after[slot], playable) == MAYBE and touched[slot] and good is None:
                        good = playable(hand[slot])
            fitness = sum(map(count, known)) - sum(map(count, after))
            if (reveals or good) and fitness > best.fitness:
                best = Hint(table.hint(seat, by_rank, value), fitness)
        return best

    def choose(self, state: Any) -> int:
        """The move; `steps` gets what has decided."""
        table = Table(state)
        name, action = next(self._moves(table))
        self.steps.append(name)
        return action

    def _moves(self, table: Table) -> Iterator[tuple[str, int]]:
        """All moves that the bot would make, the one it prefers first."""
        me, own = self.me, self.may_be[self.me]
        following, tokens = (me + 1) % table.players, table.tokens
        playable, valuable, worthless = self.playable(table), self.valuable(table), self.worthless(table)
        eyed = [self.eyed(table, slot) for slot in range(len(own))]
        if table.deck == 0:
            yield from (("last known play", action) for action in self._known_play(table, eyed))
            yield from (("last mystery play", action) for action in self._mystery_play(table, eyed))
        if tokens > 0:
            slot = self.next_discard(table, following)
            if slot is not None and valuable(table.hands[following][slot]):
                hint = self.best_hint(table, following)
                if hint.fitness > 0:
                    yield "warning by a play", hint.action
                yield "warning", table.hint(following, True, table.hands[following][slot][1])
        if tokens < table.most_tokens:
            for slot, faces in enumerate(own):
                if len(faces) == 1 and status(faces, valuable) == NO and status(faces, playable) == YES:
                    newest = [hand[-1] for seat, hand in enumerate(table.hands) if seat != me]
                    if newest.count(next(iter(faces))) == 1:
                        yield "finesse", table.discard(slot)
        yield from (("known play", action) for action in self._known_play(table, eyed))
        if tokens > 0:
            hints = [self.best_hint(table, (me + k) % table.players) for k in range(1, table.players)]
            best = max(hints, key=lambda hint: hint.fitness)
            if best.fitness > 0:
                yield "hint", best.action
        yield from (("mystery play", action) for action in self._mystery_play(table, eyed))
        if tokens == table.most_tokens:
            before = (me - 1) % table.players
            yield "full tokens", table.hint(before, True, table.hands[before][0][1])
        spare = {}
        for slot, faces in enumerate(own):
            sure = status(faces, worthless) == MAYBE and status(eyed[slot], worthless) == YES
            if sure or status(faces, worthless) == YES:
                spare[slot] = 2 - share(faces, worthless)
        if spare:
            yield "worthless discard", table.discard(max(spare, key=lambda slot: (spare[slot], -slot)))
        oldest = self.next_discard(table, me)
        if oldest is not None:
            yield "old discard", table.discard(oldest)
        ranks = [common_rank(faces) for faces in own]
        heights = [-1 if rank is None else rank for rank in ranks]
        yield "highest discard", table.discard(heights.index(max(heights)))

    def _known_play(self, table: Table, eyed: list[set[Face]]) -> list[int]:
        playable = self.playable(table)
        fitness = {}
        for slot, faces in enumerate(self.may_be[self.me]):
            if status(faces, playable) != NO and status(eyed[slot], playable) == YES:
                rank = common_rank(eyed[slot])
                fitness[slot] = 6 - (-1 if rank is None else rank + 1) + (100 if status(faces, playable) != YES else 0)
        return [table.play(max(fitness, key=lambda slot: (fitness[slot], -slot)))] if fitness else []

    def _mystery_play(self, table: Table, eyed: list[set[Face]]) -> list[int]:
        if table.deck > {1: 1, 2: 1}.get(table.lives, 3):
            return []
        playable = self.playable(table)
        shares = {slot: share(faces, playable) for slot, faces in enumerate(eyed) if status(faces, playable) == MAYBE}
        return [table.play(max(shares, key=lambda slot: (shares[slot], slot)))] if shares else []
