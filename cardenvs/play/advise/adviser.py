"""The adviser: asks, notes the answers, and advises the engine's seats."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs import policy as policies
from cardenvs.contract.cards import Deck
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import form_of
from cardenvs.play.advise.advice import Advice
from cardenvs.play.advise.book import Book, Question, seats_text
from cardenvs.play.advise.column_book import ColumnBook
from cardenvs.play.advise.session import KINDS, Entry, parse_session, session_line
from cardenvs.play.advise.trick_book import TrickBook
from cardenvs.play.hints import DEFAULT_POLICIES, hint
from cardenvs.play.typed_input import split_first_card
from cardenvs.printing import error_text


class Adviser:
    """A deal at a real table, so far as entered.

    `question` is the next question, `enter` takes the answer, `undo` takes the last answer back. `line` is the whole
    session as one line of text, from which `from_line` goes on.

    Args:
        policy: the name of the policy that advises the engine's seats; None takes the game's policy of
            `cardenvs.play.hints.DEFAULT_POLICIES`.
        score: the points of the two sides before the deal (Whist, Euchre).

    Attributes:
        game: the game's spec.
        options: rule options, all of them.
        policy: the name of the policy that advises the engine's seats.
        player: the policy that advises the engine's seats.
        entries: the answers, in order.
        given: for JSON, the advice where the engine's seats acted, followed or not, as `Advice.as_dict` returns it.

    Raises:
        ValueError: a game that the adviser does not know; no such policy, option or score.
        OSError: the policy's file cannot be read.
    """

    def __init__(
        self,
        game: str | GameSpec,
        *,
        policy: str | None = None,
        score: tuple[int, int] = (0, 0),
        seed: int = 0,
        **options: Any,
    ) -> None:
        self.game, options = form_of(game, options, type(self))
        if self.game.name not in DEFAULT_POLICIES:
            raise ValueError(f"the adviser knows {', '.join(sorted(DEFAULT_POLICIES))}, not {self.game.name}")
        self.options = self.game.options_of(self.game.new_games(1, **options)[0])
        self.policy = policy or DEFAULT_POLICIES[self.game.name]
        self.player = policies.make(self.game, self.policy)
        self.score = score
        self.seed = seed
        self.entries: list[Entry] = []
        self.given: list[dict[str, Any]] = []
        self._given_after: list[int] = []  # for each advice given, how many entries had been told with its move
        self._advice: Advice | None = None
        self._book = self._new_book()

    def _new_book(self) -> Book:
        book = ColumnBook if self.game.trick_game is None else TrickBook
        return book(self.game, self.options, self.score)

    @property
    def deck(self) -> Deck:
        """The game's deck."""
        return self._book.deck

    @property
    def engine(self) -> tuple[int, ...]:
        """The seats that the engine plays; none before they are entered."""
        return self._book.engine

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names by seat; ``player 0`` and so on before they are entered."""
        return self._book.names

    @property
    def over(self) -> bool:
        """Whether the deal is over."""
        return self.question().kind == "over"

    @property
    def state(self) -> Any:
        """A whole deal that fits the facts entered, a structured array of shape (1,); None before the play.

        Not to be shown: only the public part and the engine's hands are sure to be as in the true deal.
        """
        return self._book.state

    def observation(self, seat: int) -> npt.NDArray[np.int8]:
        """Returns the observation of one of the engine's seats for the engine's policy: int8 (observation_size,).

        Raises:
            ValueError: not a seat of the engine, or the play has not begun.
        """
        if self._book.state is None or seat not in self.engine:
            raise ValueError(f"seat {seat} is not one of the engine's, {seats_text(self.engine)}, or nothing is dealt yet")
        return self.player.game.observation(self._book.state, seat)

    def question(self) -> Question:
        """Returns the question to answer next."""
        return self._book.question()

    def enter(self, text: str) -> list[str]:
        """Takes the answer to `question`; where the engine is to act, an empty text takes the best move of `advice`.

        Returns:
            The consequences of the answer, in sentences for people.

        Raises:
            ValueError: the answer cannot be right or is not understood. Nothing has changed then.
        """
        question = self.question()
        if question.kind == "over":
            raise ValueError("the deal is over")
        if question.engine and not text.strip():
            text = self.advice().best[0].action
        advice, rest = self._advice, ""
        if question.kind == "drawn":
            text, rest = split_first_card(text)
        told, remarks = self._book.take(question, text)
        self.entries.append(Entry(question.kind, question.seat, told))
        if advice is not None:
            self.given.append(advice.as_dict(f"column-{told}" if question.kind == "column" else told))
            self._given_after.append(len(self.entries))
        self._advice = None
        if rest:  # the column, on the same line as the card
            try:
                remarks += self.enter(rest)
            except ValueError:
                self.undo()
                raise
        return remarks

    def undo(self) -> Entry:
        """Takes the last entry back and returns it.

        Raises:
            ValueError: there is no entry.
        """
        if not self.entries:
            raise ValueError("nothing to take back")
        *kept, last = self.entries
        if self._given_after and self._given_after[-1] == len(self.entries):
            self._given_after.pop()
            self.given.pop()
        given, after = self.given, self._given_after
        self._book, self._advice = self._new_book(), None
        self.entries, self.given, self._given_after = [], [], []
        for entry in kept:
            self.enter(entry.text)
        self.given, self._given_after = given, after
        return last

    def advice(self) -> Advice:
        """Returns the engine's advice where one of its seats is to act: the same for the same entries and seed.

        Raises:
            ValueError: none of the engine's seats is to act, or the policy failed; the move can still be entered.
        """
        question = self.question()
        if not question.engine or question.seat is None:
            raise ValueError("none of the engine's seats is to act")
        if self._advice is None:
            rng = np.random.default_rng([self.seed, len(self.entries)])
            mask = self.game.mask(self._book.legal)
            try:
                explained = hint(self.player, {"observation": self.observation(question.seat), "action_mask": mask}, rng)
                advice = Advice.of(explained, question.seat, self.player.name)
                if not mask[self.game.action(advice.best[0].action)]:
                    raise ValueError(f"{advice.best[0].action} is illegal there")
            except Exception as error:  # a policy may fail in any way; the book is kept
                what = error_text(error)
                raise ValueError(f"the policy {self.policy} failed: {what}") from error
            self._advice = advice
        return self._advice

    def result(self) -> dict[str, Any]:
        """Returns the result of the deal: ``points`` of the sides, ``tricks`` (columns) of the seats, ``winner``, ``text``.

        Raises:
            ValueError: the deal is not over, or face-down cards are unknown.
        """
        return self._book.result()

    def next_deal(self) -> Adviser:
        """Returns a new adviser for the same players' next deal: the deal passes to the left, a game's score is kept.

        Raises:
            ValueError: the deal is not over.
        """
        score = self._book.score_after()
        following = Adviser(self.game, policy=self.policy, score=score, seed=self.seed + 1, **self.options)
        following.enter(", ".join(self.names))
        following.enter(seats_text(self.engine))
        if self._book.dealer is not None:
            following.enter(str((self._book.dealer + 1) % self.game.seats))
        following.given, following._given_after = list(self.given), [0] * len(self.given)
        return following

    def drawing(self) -> str:
        """Returns the position for the person at the keyboard, in several lines, by the facts entered only."""
        return self._book.drawing()

    def line(self) -> str:
        """Returns the session as one line of text, for `from_line`."""
        return session_line(self.game, self.options, self.score, self.policy, self.seed, self.entries)

    @classmethod
    def from_line(cls, line: str) -> Adviser:
        """Returns the adviser whose `line` this is; a hand of several entries becomes one entry.

        Raises:
            ValueError: the line is none of an adviser.
        """
        session = parse_session(line)
        adviser = cls(session.game, policy=session.policy, score=session.score, seed=session.seed, **session.options)
        for key, text in session.told:
            if adviser.question().kind not in KINDS[key]:
                raise ValueError(f"{key}, {text!r}: what comes there is: {adviser.question().text}")
            try:
                adviser.enter(text)
            except ValueError as error:
                raise ValueError(f"{key}, {text!r}: {error}") from None
        return adviser

    def record(self) -> str | None:
        """Returns the deal as `GameSpec.text` writes it, once all of it is known; else None."""
        return self.game.text(self._book.record) if self._book.is_known() else None

    def as_dict(self) -> dict[str, Any]:
        """Returns the session for JSON."""
        return {
            "game": self.game.name,
            "options": self.options,
            "names": list(self.names),
            "engine": list(self.engine),
            "policy": self.policy,
            "line": self.line(),
            "entries": [{"kind": entry.kind, "seat": entry.seat, "text": entry.text} for entry in self.entries],
            "advice": self.given,
            "over": self.over,
            "result": self.result() if self.over else None,
            "record": self.record(),
        }
