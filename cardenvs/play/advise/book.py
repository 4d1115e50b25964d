"""The book of a deal at a real table: the facts told of it, and the questions that are common to all games."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from cardenvs.contract.fields import Games
from cardenvs.contract.loops import EPISODE_OVER, RUNNING
from cardenvs.contract.outcome import Outcome
from cardenvs.contract.record import seats_line
from cardenvs.contract.spec import GameSpec
from cardenvs.play.typed_input import deck_of, parse_cards

Answer = tuple[str, list[str]]  # an answer as it could be typed again, and its consequences, in sentences for people


@dataclass(frozen=True)
class Question:
    """A question of the adviser about the next fact.

    Attributes:
        kind: ``names``, ``engine``, ``dealer``, ``card`` (pulled or turned up), ``hand``, ``columns``, ``action``,
            ``drawn``, ``column``, ``reveal`` or ``over``.
        seat: the seat that the question is about, or None.
        text: the question for people.
        engine: whether one of the engine's seats is to act, so that `cardenvs.play.advise.Adviser.advice` has an answer.
    """

    kind: str
    seat: int | None
    text: str
    engine: bool = False


OVER = Question("over", None, "The deal is over")


class Book:
    """The facts told of a deal; a subclass has the questions of a kind of game.

    A subclass has the methods that raise NotImplementedError here and, for each kind of question, one such as
    ``_take_card(question, text) -> Answer``, which notes the answer, or raises ValueError and changes nothing.
    """

    def __init__(self, game: GameSpec, options: dict[str, Any], score: tuple[int, int]) -> None:
        self.game = game
        self.options = options  # all rule options, by name
        self.score = score  # of the two sides before the deal
        self.names = tuple(f"player {seat}" for seat in range(game.seats))
        self.told_engine: tuple[int, ...] | None = None  # the engine's seats, ascending; None before they are told
        self.dealer: int | None = None  # None before it is told, and in a game without dealers
        self.deck = deck_of(game)
        self.state: Games | None = None  # a whole deal that fits all that was told, shape (1,); None before the play
        self._named = False

    @property
    def engine(self) -> tuple[int, ...]:
        return self.told_engine or ()

    @property
    def listed_names(self) -> str:
        return ", ".join(f"{seat} {name}" for seat, name in enumerate(self.names))

    @property
    def legal(self) -> int:
        """The set of legal actions of the seat to act in `state`."""
        return 0 if self.state is None else self.game.legal(self.state)

    @property
    def record(self) -> Any:
        """The record of `state`."""
        assert self.state is not None
        return self.state[0]

    @property
    def seat_to_act(self) -> int:
        return int(self.record["to_act"])

    @property
    def over(self) -> bool:
        return self.state is not None and bool(self.state[0]["over"] != RUNNING)

    def question(self) -> Question:
        """Returns the question to ask next; of kind ``over`` when the deal is over."""
        seats = self.game.seats
        if not self._named:
            order = "clockwise from seat 0" if seats > 2 else "who moves first is seat 0"
            return Question("names", None, f"Names of the {seats} players, {order} (Enter: player 0, ...)")
        if self.told_engine is None:
            text = f"Seats that the engine plays, as in 0,{seats - 1}; all or none ({self.listed_names})"
            return Question("engine", None, text)
        return self._next_question()

    def take(self, question: Question, text: str) -> Answer:
        """Notes the answer to a question; raises ValueError, and changes nothing, if it is wrong or not understood."""
        answer: Answer = getattr(self, f"_take_{question.kind}")(question, text)
        return answer

    def _take_names(self, question: Question, text: str) -> Answer:
        words = re.split(r"\s*[,;]\s*" if re.search("[,;]", text) else r"\s+", text.strip()) if text.strip() else []
        names, seats = tuple(words) or self.names, self.game.seats
        if len(names) != seats or not all(names):
            raise ValueError(f"{self.game.title} has {seats} players, not {len(names)}: names with commas between them")
        if len({name.lower() for name in names}) != len(names):
            raise ValueError("two players have the same name")
        if any(name.isdigit() for name in names):
            raise ValueError("a name must not be a number: seats have numbers")
        seats_line(names)  # so that a record can name them
        self.names, self._named = names, True
        return ", ".join(names), []

    def _take_engine(self, question: Question, text: str) -> Answer:
        word = text.strip().lower()
        if not word:
            raise ValueError("type the engine's seats, as in 0,2, or all, or none")
        if word == "all":
            seats = set(range(self.game.seats))
        elif word in ("none", "-"):
            seats = set()
        else:
            parts = re.split(r"\s*[,;]\s*", text.strip()) if re.search("[,;]", text) else [text]
            try:
                seats = {self._seat_named(part) for part in parts}
            except ValueError:
                seats = {self._seat_named(part) for part in re.split(r"[\s,;]+", text.strip())}
        self.told_engine = tuple(sorted(seats))
        return seats_text(self.engine), []

    def _seat_named(self, text: str) -> int:
        """Returns the seat that a number or a name means; raises ValueError, with the seats, if there is none."""
        word = text.strip().lower()
        for seat, name in enumerate(self.names):
            if word in (str(seat), name.lower(), f"player_{seat}"):
                return seat
        raise ValueError(f"{text.strip()!r} is no seat: the seats are {self.listed_names}")

    def _one_card(self, text: str) -> int:
        cards = parse_cards(text, self.deck)
        if len(cards) > 1:
            raise ValueError(f"one card at a time, not {self.deck.format(cards, ' ')}")
        return cards[0]

    def drawing(self) -> str:
        """Returns the position for the person at the keyboard, in several lines, by what was told only."""
        if self.state is not None:
            return self._draw_position()
        lines = [f"{self.game.title}: dealing"]
        for seat, name in enumerate(self.names):
            marks = ("*" if seat in self.engine else " ") + (" D" if seat == self.dealer else "  ")
            lines.append(f" {marks} {name:<12} {self.deck.format(self._told_cards(seat), ' ')}".rstrip())
        return "\n".join(lines)

    def is_known(self) -> bool:
        """Whether the deal is over and all of it is known, so that `state` is the true deal."""
        return self.question() is OVER

    def result(self) -> dict[str, Any]:
        """Returns the deal's points, tricks, winner and a sentence; raises ValueError before its end."""
        if self.question() is not OVER:
            raise ValueError("the deal is not over")
        outcome = self.game.outcome(cast(Games, self.state))
        text = self._result_text(outcome, "{} {} : {}".format(outcome.tricks_word, *outcome.side_tricks))
        return {"points": list(outcome.points), "tricks": list(outcome.tricks), "winner": outcome.winner, "text": text}

    def score_after(self) -> tuple[int, int]:
        """Returns the sides' points before the next deal, 0 after a game; raises ValueError before the deal's end."""
        self.result()
        if self.record["over"] == EPISODE_OVER:
            return 0, 0
        return int(self.record["score"][0]), int(self.record["score"][1])

    def _next_question(self) -> Question:
        raise NotImplementedError

    def _told_cards(self, seat: int) -> Sequence[int]:
        """Returns the cards of a seat that were told before the play."""
        raise NotImplementedError

    def _draw_position(self) -> str:
        raise NotImplementedError

    def _result_text(self, outcome: Outcome, taken: str) -> str:
        """Returns the result in a sentence; ``taken`` are the tricks or columns of the sides."""
        raise NotImplementedError


def seats_text(seats: tuple[int, ...]) -> str:
    """Returns seats as they are typed: ``0,2``, or ``none``."""
    return ",".join(map(str, seats)) or "none"
