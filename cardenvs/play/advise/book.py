"""The book of a deal at a real table: the facts told of it, and their consequences by the rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardenvs.contract.cards import Deck
from cardenvs.contract.spec import GameSpec
from cardenvs.play.advise.partial_five_o import PartialFiveO
from cardenvs.play.advise.partial_tricks import PartialTricks
from cardenvs.play.typed import deck_of


def seats_text(seats: Sequence[int]) -> str:
    """Seats as they are typed: ``0,2``, or ``none``."""
    return ",".join(map(str, seats)) or "none"


class Book:
    """The facts told of a deal.

    Args:
        game: the spec of Whist, Euchre or Five-O.
        options: the values of all rule options, by name.
        score: the points of the two sides before the deal.

    Attributes:
        game: the game's spec.
        options: the values of all rule options, by name.
        score: the points of the two sides before the deal.
        told_names: the players' names by seat; None before they are told.
        told_engine: the seats that the engine plays, ascending; None before they are told.
        dealer: the seat that deals; None before it is told.
        card: the pulled card (Whist) or the turned-up one (Euchre); None before it is told.
        hands: the cards told of the hands of the engine's seats, by seat.
        columns: the cards told of the first row of Five-O, five a seat.
    """

    def __init__(self, game: GameSpec, options: dict[str, Any], score: tuple[int, int]) -> None:
        self.game = game
        self.options = options
        self.score = score
        self.told_names: tuple[str, ...] | None = None
        self.told_engine: tuple[int, ...] | None = None
        self.dealer: int | None = None
        self.card: int | None = None
        self.hands: dict[int, list[int]] = {}
        self.columns: list[int] = []
        self._deal: PartialTricks | PartialFiveO | None = None

    @property
    def tricks(self) -> bool:
        """Whether tricks are played, as in Whist and Euchre."""
        return self.game.trick_game is not None

    @property
    def deck(self) -> Deck:
        """The game's deck."""
        return deck_of(self.game)

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names by seat; ``player 0`` and so on before they are told."""
        return self.told_names or tuple(f"player {seat}" for seat in range(self.game.seats))

    @property
    def engine(self) -> tuple[int, ...]:
        """The seats that the engine plays; none before they are told."""
        return self.told_engine or ()

    @property
    def listed_names(self) -> str:
        """The seats with their players' names: ``0 Ann, 1 Bob``."""
        return ", ".join(f"{seat} {name}" for seat, name in enumerate(self.names))

    def seat_named(self, text: str) -> int:
        """The seat that a number or a name means.

        Raises:
            ValueError: the text means no seat; names the seats.
        """
        word = text.strip().lower()
        for seat, name in enumerate(self.names):
            if word in (str(seat), name.lower(), f"player_{seat}"):
                return seat
        raise ValueError(f"{text.strip()!r} is no seat: the seats are {self.listed_names}")

    def hand_size(self, seat: int) -> int:
        """The number of cards to be told of a hand; the dealer's pulled card in Whist is known already."""
        kind = self.game.trick_game
        assert kind is not None
        return kind.dealt - (seat == self.dealer and not kind.bids)

    # --- the play ---

    def begin_if_dealt(self) -> None:
        """Begins the play once all that the engine's seats know of the deal has been told."""
        if not self.tricks:
            if len(self.columns) == 10:
                columns = self.columns[:5], self.columns[5:]
                self._deal = PartialFiveO(self.game, self.options, self.names, columns, frozenset(self.engine))
            return
        if self.dealer is None or self.card is None:
            return
        if all(len(self.hands.get(seat, [])) == self.hand_size(seat) for seat in self.engine):
            hands = {seat: sum(1 << card for card in cards) for seat, cards in self.hands.items()}
            if not self.game.bids_trump and self.dealer in hands:
                hands[self.dealer] |= 1 << self.card
            self._deal = PartialTricks(self.game, self.options, self.names, self.dealer, self.card, hands, self.score)

    @property
    def deal(self) -> PartialTricks | PartialFiveO | None:
        """The deal in play, of which a part is known; None before the play."""
        return self._deal

    @property
    def trick_deal(self) -> PartialTricks:
        """The deal in play of Whist or Euchre; to be asked for during the play only."""
        assert isinstance(self._deal, PartialTricks)
        return self._deal

    @property
    def column_deal(self) -> PartialFiveO:
        """The deal in play of Five-O; to be asked for during the play only."""
        assert isinstance(self._deal, PartialFiveO)
        return self._deal

    @property
    def legal(self) -> int:
        """The legal actions of the seat to act as a set, in the whole deal that stands for the true one."""
        return 0 if self._deal is None else self.game.legal(self._deal.state)

    # --- the end ---

    def result(self) -> dict[str, Any]:
        """Result of the deal: ``points`` of the sides, ``tricks`` (columns) of the seats, ``winner``, ``text`` for people.

        Raises:
            ValueError: the deal is not over, or face-down cards have not been told.
        """
        if self._deal is None or not self._deal.over or (not self.tricks and not self._deal.whole()):
            raise ValueError("the deal is not over")
        outcome = self.game.outcome(self._deal.state)
        names, side, winner = self.names, outcome.best, outcome.winner
        taken = "{} {} : {}".format(outcome.tricks_word, *outcome.side_tricks)
        if self.tricks:
            text = "All passed: nobody scores"
            if side is not None:
                text = f"{names[side]} and {names[side + 2]} score {outcome.points_text} ({taken})"
            if self.options["episode"] == "game":
                score = self._deal.state[0]["score"]
                text += f"; the score is {score[0]} : {score[1]}"
                text += "" if winner < 0 else f", {names[winner]} and {names[winner + 2]} win the game"
        else:
            text = f"{names[winner]} wins ({taken})" if winner >= 0 else f"A draw ({taken})"
        return {"points": list(outcome.points), "tricks": list(outcome.tricks), "winner": winner, "text": text}

    def score_after(self) -> tuple[int, int]:
        """The points of the two sides before the next deal; 0 and 0 where the deal has ended the game.

        Raises:
            ValueError: the deal is not over.
        """
        self.result()
        if self._deal is None or not self.tricks or self.game.is_over(self._deal.state[0]):
            return 0, 0
        score = self._deal.state[0]["score"]
        return int(score[0]), int(score[1])

    def record(self) -> str | None:
        """The deal as `GameSpec.text` writes it, once nothing of it is unknown any more; else None."""
        if self._deal is None or not self._deal.over or not self._deal.whole():
            return None
        return self.game.text(self._deal.state[0])
