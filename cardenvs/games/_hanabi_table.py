"""Hanabi at the plain table: hands that their holders see from behind, fireworks, discards, tokens; action texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cardenvs.contract.board import TINTS, Board, Face, Note, Offer, Pile, Tally, Whose

if TYPE_CHECKING:
    from cardenvs.games.hanabi import Form

HAND = "hand"
"""Name of the place where a seat's cards lie."""
_TABLE_PILES = 2


def _several(words: list[str]) -> str:
    """Joins words as alternatives: ``"red, green or blue"``."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _ranks_text(ranks: Iterable[int]) -> str:
    """Joins ascending ranks, from 0 on, as alternatives, three or more in a row as ``"1 to 3"``."""
    rows: list[list[int]] = []
    for rank in ranks:
        if rows and rows[-1][-1] == rank - 1:
            rows[-1].append(rank)
        else:
            rows.append([rank])
    said = [f"{row[0] + 1} to {row[-1] + 1}" if len(row) > 2 else _several([str(rank + 1) for rank in row]) for row in rows]
    return _several(said)


@dataclass(frozen=True)
class Shown:
    """Positions of a game as plain tables, and texts of its actions."""

    form: Form

    def card_face(self, number: int) -> Face:
        """Returns a card's face by its number, from 0 on."""
        colour, rank = divmod(number, self.form.ranks)
        return self._firework_top(colour, rank + 1)

    def _firework_top(self, colour: int, height: int) -> Face:
        """Returns the top of a firework; the face of no card where nothing is built yet."""
        tint = TINTS[colour]
        letter = tint[0].upper()
        if height == 0:
            return Face(f"no {tint} card yet", sign=f"{letter}–", tint=tint)
        return Face(f"{tint} {height}", sign=f"{letter}{height}", tint=tint)

    def board(self, state: Any, seat: int | None = None) -> Board:
        """Returns the position as a plain table; with ``seat``, only what that seat may see."""
        form = self.form
        tops = tuple(self._firework_top(colour, int(state["fireworks"][colour])) for colour in range(form.colours))
        gone = tuple(
            self.card_face(number) for number in range(form.num_faces) for _ in range(int(state["discards"][number]))
        )
        piles = [Pile("game", 0, "fireworks", tops), Pile("game", 0, "discards", gone)]
        piles += [self._hand_pile(state, holder, seat) for holder in range(form.players)]
        left = form.num_cards - int(state["drawn"])
        deck = f"{left} card{'s' * (left != 1)}" if left else f"empty, {self._turns_text(int(state['turns']))} left"
        built = sum(int(height) for height in state["fireworks"][: form.colours])
        tallies = (
            Tally("game", 0, "information", f"{int(state['information'])} of {form.information}"),
            Tally("game", 0, "lives", f"{int(state['lives'])} of {form.lives}"),
            Tally("game", 0, "deck", deck),
            Tally("game", 0, "built", f"{built} of {form.num_faces}"),
        )
        teams = (tuple(range(form.players)),)
        offers = self._legal_offers(state) if seat is not None and seat == int(state["to_act"]) else ()
        return Board(tuple(piles), tallies, teams, offers, spoken=True)

    @staticmethod
    def _turns_text(count: int) -> str:
        return f"{count} turn{'s' * (count != 1)}"

    def _hand_pile(self, state: Any, holder: int, viewer: int | None) -> Pile:
        slots = range(int(state["sizes"][holder]))
        own = holder == viewer
        cards = [0 if own else int(state["hands"][holder][slot]) for slot in slots]
        notes = tuple(self._card_note(state, holder, slot, own) for slot in slots)
        shown = tuple(self.card_face(card - 1) if card else None for card in cards)
        return Pile("player", holder, HAND, shown, True, notes, self._touched_slots(state, holder))

    def _touched_slots(self, state: Any, holder: int) -> tuple[int, ...]:
        """Returns the cards of a seat that the last hint has touched."""
        action = int(state["last_action"])
        if action < 2 * self.form.hand_size:
            return ()
        offset = 1 + self.form.parse_hint(action)[0]
        if holder != (int(state["last_seat"]) + offset) % self.form.players:
            return ()
        bits = int(state["last_touched"])
        return tuple(slot for slot in range(self.form.hand_size) if bits >> slot & 1)

    def _card_note(self, state: Any, holder: int, slot: int, own: bool) -> Note:
        form = self.form
        colours, ranks = (int(state[name][holder][slot]) for name in ("may_colours", "may_ranks"))
        heard = {
            c * form.ranks + r for c in range(form.colours) for r in range(form.ranks) if colours >> c & ranks >> r & 1
        }
        left = {number for number in heard if self._count_unseen(state, holder, number) > 0} if own else heard
        colour, rank = int(state["told_colour"][holder][slot]), int(state["told_rank"][holder][slot])
        told = None
        if colour or rank:
            tint = TINTS[colour - 1] if colour else ""
            number = str(rank) if rank else ""
            told = Face(" ".join(filter(None, (tint, number))), sign=tint[:1].upper() + number, tint=tint)
        seen = self._possible_cards(left) if left != heard else ((), "")
        return Note(told, *self._possible_cards(heard), *seen)

    def _count_unseen(self, state: Any, holder: int, number: int) -> int:
        """Returns the number of cards of a face that the holder of a hand does not see."""
        form = self.form
        colour, rank = divmod(number, form.ranks)
        unseen = form.copies[number] - int(state["discards"][number]) - (int(state["fireworks"][colour]) > rank)
        others = (other for other in range(form.players) if other != holder)
        return unseen - sum(
            int(state["hands"][other][slot]) == number + 1 for other in others for slot in range(int(state["sizes"][other]))
        )

    def _possible_cards(self, numbers: set[int]) -> tuple[tuple[str, ...], str]:
        """Returns faces in short lines and in words, colours with the same ranks together; ``"any"`` for all."""
        form = self.form
        if len(numbers) == form.num_faces:
            return ("any",), "any card"
        by_ranks: dict[tuple[int, ...], list[int]] = {}
        for colour in range(form.colours):
            ranks = tuple(rank for rank in range(form.ranks) if colour * form.ranks + rank in numbers)
            if ranks:
                by_ranks.setdefault(ranks, []).append(colour)
        lines = tuple(
            f"{''.join(TINTS[colour][0].upper() for colour in colours)} {''.join(str(rank + 1) for rank in ranks)}"
            for ranks, colours in by_ranks.items()
        )
        words = [
            f"{_several([TINTS[colour] for colour in colours])} {_ranks_text(ranks)}" for ranks, colours in by_ranks.items()
        ]
        return lines, "; ".join(words)

    def _legal_offers(self, state: Any) -> tuple[Offer, ...]:
        """Returns the legal actions of the seat to act, at the cards that they are about."""
        form, seat = self.form, int(state["to_act"])
        held = form.hand_size
        own = [(_TABLE_PILES + seat, slot) for slot in range(int(state["sizes"][seat]))]
        offers = [Offer(held + at[1], None, (at,), "play") for at in own]
        if int(state["information"]) < form.information:
            offers += [Offer(at[1], None, (at,), "discard") for at in own]
        if int(state["information"]) > 0:
            for action in range(2 * held, len(form.actions)):
                offset, by_rank, value = self.form.parse_hint(action)
                other = (seat + 1 + offset) % form.players
                cards = [int(state["hands"][other][slot]) - 1 for slot in range(int(state["sizes"][other]))]
                hit = [k for k, card in enumerate(cards) if (card % form.ranks if by_rank else card // form.ranks) == value]
                if hit:
                    short = f"tell {value + 1}s" if by_rank else f"tell {TINTS[value]}"
                    offers.append(Offer(action, None, tuple((_TABLE_PILES + other, k) for k in hit), short))
        return tuple(offers)

    def told(self, before: Any, action: int, after: Any, seat: int | None, whose: Whose) -> list[str]:
        """Returns sentences on what an action has revealed to everybody (`GameSpec.told`); ``seat`` does not matter."""
        form = self.form
        if action >= 2 * form.hand_size:
            receiver = (int(before["to_act"]) + 1 + self.form.parse_hint(action)[0]) % form.players
            touched = [str(slot + 1) for slot in self._touched_slots(after, receiver)]
            return [f"{whose('player', receiver)}card{'s' * (len(touched) != 1)} {', '.join(touched)}"]
        card = self.card_face(int(after["last_card"]) - 1).name
        if action < form.hand_size:
            return [f"the {card}"]
        if not int(after["last_scored"]):
            return [f"the {card}, which does not fit: a life is lost"]
        return [f"the {card}, which fits", *["a token comes back"] * int(after["last_token"])]
