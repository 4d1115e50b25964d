"""The book of a deal at a real table: the facts entered, and their consequences by the rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardenvs.contract.spec import GameSpec
from cardenvs.play.advise.partial_five_o import PartialFiveO
from cardenvs.play.advise.partial_tricks import PartialTricks
from cardenvs.play.typed_input import deck_of


def seats_text(seats: Sequence[int]) -> str:
    """Returns seats as they are typed: ``0,2``, or ``none``."""
    return ",".join(map(str, seats)) or "none"


class Book:
    """The facts entered of a deal of Whist, Euchre or Five-O."""

    def __init__(self, game: GameSpec, options: dict[str, Any], score: tuple[int, int]) -> None:
        self.game = game
        self.options = options  # all rule options, by name
        self.score = score  # of the two sides before the deal
        self.told_names: tuple[str, ...] | None = None  # by seat; None before they are entered
        self.told_engine: tuple[int, ...] | None = None  # the engine's seats, ascending; None before they are entered
        self.dealer: int | None = None
        self.card: int | None = None  # the pulled card (Whist) or the turned-up one (Euchre)
        self.hands: dict[int, list[int]] = {}  # cards entered of the hands of the engine's seats
        self.columns: list[int] = []  # the first row of Five-O, five cards a seat
        self.deal: PartialTricks | PartialFiveO | None = None  # in play
        self.plays_tricks = game.trick_game is not None
        self.deck = deck_of(game)

    @property
    def player_names(self) -> tuple[str, ...]:
        return self.told_names or tuple(f"player {seat}" for seat in range(self.game.seats))

    @property
    def engine(self) -> tuple[int, ...]:
        return self.told_engine or ()

    @property
    def listed_names(self) -> str:
        return ", ".join(f"{seat} {name}" for seat, name in enumerate(self.player_names))

    def seat_named(self, text: str) -> int:
        """Returns the seat that a number or a name means; raises ValueError, with the seats, if there is none."""
        word = text.strip().lower()
        for seat, name in enumerate(self.player_names):
            if word in (str(seat), name.lower(), f"player_{seat}"):
                return seat
        raise ValueError(f"{text.strip()!r} is no seat: the seats are {self.listed_names}")

    def hand_size(self, seat: int) -> int:
        """Returns the number of cards to enter of a hand; the dealer's pulled card in Whist is known already."""
        kind = self.game.trick_game
        assert kind is not None
        return kind.dealt - (seat == self.dealer and not kind.bids)

    def begin_if_dealt(self) -> None:
        """Begins the play once all of the deal that the engine's seats know has been entered."""
        if not self.plays_tricks:
            if len(self.columns) == 10:
                columns = self.columns[:5], self.columns[5:]
                self.deal = PartialFiveO(self.game, self.options, self.player_names, columns, frozenset(self.engine))
            return
        if self.dealer is None or self.card is None:
            return
        if all(len(self.hands.get(seat, [])) == self.hand_size(seat) for seat in self.engine):
            hands = {seat: sum(1 << card for card in cards) for seat, cards in self.hands.items()}
            if not self.game.bids_trump and self.dealer in hands:
                hands[self.dealer] |= 1 << self.card
            self.deal = PartialTricks(self.game, self.options, self.player_names, self.dealer, self.card, hands, self.score)

    @property
    def trick_deal(self) -> PartialTricks:
        assert isinstance(self.deal, PartialTricks)
        return self.deal

    @property
    def column_deal(self) -> PartialFiveO:
        assert isinstance(self.deal, PartialFiveO)
        return self.deal

    @property
    def legal(self) -> int:
        """The set of legal actions of the seat to act, in the whole deal that stands for the true one."""
        return 0 if self.deal is None else self.game.legal(self.deal.state)

    def deal_result(self) -> dict[str, Any]:
        """Returns the deal's points, tricks, winner and a sentence; raises ValueError before its end."""
        if self.deal is None or not self.deal.over or (not self.plays_tricks and not self.deal.is_known()):
            raise ValueError("the deal is not over")
        outcome = self.game.outcome(self.deal.state)
        names, side, winner = self.player_names, outcome.best, outcome.winner
        taken = "{} {} : {}".format(outcome.tricks_word, *outcome.side_tricks)
        if self.plays_tricks:
            text = "All passed: nobody scores"
            if side is not None:
                text = f"{names[side]} and {names[side + 2]} score {outcome.points_text} ({taken})"
            if self.options["episode"] == "game":
                score = self.deal.state[0]["score"]
                text += f"; the score is {score[0]} : {score[1]}"
                text += "" if winner < 0 else f", {names[winner]} and {names[winner + 2]} win the game"
        else:
            text = f"{names[winner]} wins ({taken})" if winner >= 0 else f"A draw ({taken})"
        return {"points": list(outcome.points), "tricks": list(outcome.tricks), "winner": winner, "text": text}

    def score_after(self) -> tuple[int, int]:
        """Returns the sides' points before the next deal, 0 after a game; raises ValueError before the deal's end."""
        self.deal_result()
        if self.deal is None or not self.plays_tricks or self.game.is_over(self.deal.state[0]):
            return 0, 0
        score = self.deal.state[0]["score"]
        return int(score[0]), int(score[1])

    def deal_record(self) -> str | None:
        """Returns the deal as `GameSpec.text` writes it, once all of it is known; else None."""
        if self.deal is None or not self.deal.over or not self.deal.is_known():
            return None
        return self.game.text(self.deal.state[0])
