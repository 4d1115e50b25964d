"""The book of a deal of Five-O: the first rows, and every turn with the card where a seat of the engine or all saw it."""

from typing import Any, cast

from cardenvs.contract.cards import members_of
from cardenvs.contract.fields import Games
from cardenvs.contract.options import show
from cardenvs.contract.outcome import Outcome
from cardenvs.contract.spec import GameSpec
from cardenvs.play.advise.book import OVER, Answer, Book, Question
from cardenvs.play.typed_input import column_word, parse_cards

_TURNS = 40


class ColumnBook(Book):
    """The facts told of a deal of Five-O. In `state` unseen cards, in order, stand for unknown ones."""

    def __init__(self, game: GameSpec, options: dict[str, Any], score: tuple[int, int]) -> None:
        super().__init__(game, options, score)
        self._columns: list[int] = []  # the first row, five cards a seat
        self._turns: list[tuple[int | None, int]] = []  # the card, None if it is unknown, and its column (0 to 4)
        self._card: int | None = None  # in hand of the seat to act; None if it is unknown

    # --- questions ---

    def _next_question(self) -> Question:
        names = self.names
        if self.state is None:
            seat, held = divmod(len(self._columns), 5)
            return Question("columns", seat, f"{names[seat]}'s first row, columns 1 to 5 in order, {held} so far")
        if self.over:
            turns = self._unrevealed()
            if not turns:
                return OVER
            seat, column = turns[0] % 2, self._turns[turns[0]][1]
            cards = "card" if len(turns) == 1 else f"{len(turns)} cards"
            return Question("reveal", seat, f"Turn up: the face-down {cards} of {names[seat]}'s column {column + 1}")
        seat = self.seat_to_act
        face_down = len(self._turns) >= _TURNS - 10 * int(self.record["hidden_rows"])  # [F7]
        if self._card is None and (seat in self.engine or not face_down):
            more = "" if seat in self.engine else ", and its column, as in 4 s 3"
            return Question("drawn", seat, f"Card drawn by {names[seat]}{more}")
        card = self.deck.text(self._card) if self._card is not None else "a face-down card"
        return Question("column", seat, f"{names[seat]} puts {card} into column (1 to 5)", seat in self.engine)

    def _unrevealed(self) -> list[int]:
        """Returns the turns in which the unknown cards of the first seat and column with any were put down."""
        turns = [turn for turn, (card, _) in enumerate(self._turns) if card is None]
        first = min(((turn % 2, self._turns[turn][1]) for turn in turns), default=None)
        return [turn for turn in turns if (turn % 2, self._turns[turn][1]) == first]

    # --- answers ---

    def _take_columns(self, question: Question, text: str) -> Answer:
        cards = parse_cards(text, self.deck)
        for k, card in enumerate(cards):
            if card in self._columns or card in cards[:k]:
                raise ValueError(f"{self.deck.text(card)} is on the table twice; none of this line has been taken")
        room = 5 - len(self._columns) % 5
        if len(cards) > room:
            owner = self.names[cast(int, question.seat)]
            raise ValueError(f"{len(cards)} cards are too many: {owner}'s first row lacks {room}")
        self._columns += cards
        if len(self._columns) == 10:
            self.state = self._make_deal()
        return self.deck.format(cards, " "), []

    def _take_drawn(self, question: Question, text: str) -> Answer:
        card = self._one_card(text)
        self._check_unseen([card])
        self._card = card
        self.state = self._make_deal()
        return self.deck.text(card), []

    def _take_column(self, question: Question, text: str) -> Answer:
        word = column_word(text)
        if word not in ("1", "2", "3", "4", "5"):
            raise ValueError(f"{text.strip()!r} is no column: type 1 to 5")
        column = int(word) - 1
        if not self.legal >> column & 1:
            free = ", ".join(str(k + 1) for k in members_of(self.legal))
            owner = self.names[self.seat_to_act]
            raise ValueError(f"{owner}'s column {word} is longer than the shortest; open: {free}")
        self._turns.append((self._card, column))
        self._card = None
        self.state = self._make_deal()
        return word, self._final_remarks()

    def _take_reveal(self, question: Question, text: str) -> Answer:
        """Takes the face-down cards of a column, turned up at the end."""
        cards, turns = parse_cards(text, self.deck), self._unrevealed()
        column = self._turns[turns[0]][1]
        if len(cards) != len(turns) or len(set(cards)) != len(turns):
            number = f"{len(turns)} face-down card{'' if len(turns) == 1 else 's'}"
            raise ValueError(f"{self.names[cast(int, question.seat)]}'s column {column + 1} has {number}")
        self._check_unseen(cards)
        for turn, card in zip(turns, cards, strict=True):
            self._turns[turn] = card, column
        self.state = self._make_deal()
        return self.deck.format(cards, " "), self._final_remarks()

    def _final_remarks(self) -> list[str]:
        return [self.result()["text"]] if self.is_known() else []

    def _check_unseen(self, cards: list[int]) -> None:
        """Raises ValueError, with the place, for a card that was seen."""
        places = {card: f"lies in {self.names[k // 5]}'s column {k % 5 + 1}" for k, card in enumerate(self._columns)}
        for turn, (card, column) in enumerate(self._turns):
            if card is not None:
                places[card] = f"lies in {self.names[turn % 2]}'s column {column + 1}"
        for card in cards:
            if card in places:
                raise ValueError(f"{self.deck.text(card)} {places[card]}")

    def _make_deal(self) -> Games:
        """Returns a whole deal: the unseen cards, in order, stand for the unknown ones."""
        told: list[int | None] = [*self._columns, *(card for card, _ in self._turns), self._card]
        told = (told + [None] * self.deck.size)[: self.deck.size]
        unseen = iter([card for card in range(self.deck.size) if card not in told])
        deck = [next(unseen) if card is None else card for card in told]
        cards = self.deck.format
        words = [self.game.name, *(f"{name}={show(value)}" for name, value in self.options.items())]
        words += [f"columns={cards(deck[:5])}/{cards(deck[5:10])}", f"deck={cards(deck[10:])}"]
        words.append("actions=" + ",".join(self.game.actions[column] for _, column in self._turns))
        return self.game.parse(" ".join(words))

    # --- what follows ---

    def _result_text(self, outcome: Outcome, taken: str) -> str:
        winner = outcome.winner
        return f"{self.names[winner]} wins ({taken})" if winner >= 0 else f"A draw ({taken})"

    def _told_cards(self, seat: int) -> list[int]:
        return self._columns[5 * seat : 5 * seat + 5]

    def _draw_position(self) -> str:
        lines = [f"{self.game.title}: " + ("finished" if self.over else f"row {2 + len(self._turns) // 10}")]
        for seat, name in enumerate(self.names):
            lines.append((">" if seat == self.seat_to_act else " ") + ("*" if seat in self.engine else " ") + f" {name}")
            lines.append("     " + "   ".join("12345"))
            columns = [[self.deck.text(card)] for card in self._told_cards(seat)]
            for card, column in self._turns[seat::2]:
                columns[column].append("--" if card is None else self.deck.text(card))
            for at in range(max(map(len, columns))):
                lines.append("     " + "  ".join(cards[at] if at < len(cards) else "  " for cards in columns).rstrip())
        if self._card is not None:
            lines.append(f"card in {self.names[self.seat_to_act]}'s hand: {self.deck.text(self._card)}")
        return "\n".join(lines)
