"""The adviser for a real deck: keeps the book of a deal played at a table, and answers for some of its seats.

What is told, entry by entry: names, the engine's seats, the dealer, the card that is pulled or turned up, the hands of the
engine's seats, then what happens. Nothing else is known, and the engine's seats are advised from what each of them would
observe, its own hand and what everybody has seen: `cardenvs.play.partial` keeps the deal. After POE, the Whist engine (J.
Diamond, 2019), which was used in this way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote, unquote

import numpy as np
import numpy.typing as npt

from cardenvs import policy as policies
from cardenvs.cards import EUCHRE_DECK, FULL_DECK, SUIT_SYMBOLS, Deck, members_of
from cardenvs.games import euchre
from cardenvs.play.partial import SUITS, PartialFiveO, PartialTricks
from cardenvs.policy import Policy
from cardenvs.record import seats_line
from cardenvs.spec import GameSpec, get_game, key_values, show

DEFAULT_POLICIES = {"euchre": "pimc", "five-o": "rollout", "whist": "poe"}
"""Who advises if nobody is named."""

BEST = 5
"""How many moves an advice lists."""

_LINE_KEYS = {
    "names": ("names",),
    "engine": ("engine",),
    "dealer": ("dealer",),
    "card": ("card",),
    "hands": ("hand",),
    "columns": ("columns",),
    "actions": ("action",),
    "turns": ("drawn", "column"),
    "revealed": ("reveal",),
}
"""What a session's line tells, in order, and the kinds of question it answers."""

_CARD = re.compile(r"\s*(10|[2-9TJQKAtjqka])\s*([cdhsCDHS♣♦♥♠])[\s,;:]*")


@dataclass(frozen=True)
class Question:
    """What the adviser wants to be told next.

    Attributes:
        kind: ``names``, ``engine``, ``dealer``, ``card`` (pulled or turned up), ``hand``, ``columns``, ``action``,
            ``drawn``, ``column``, ``reveal`` or ``over``.
        seat: whom it is about, or None.
        text: for people.
        engine: whether `Adviser.advice` has an answer.
    """

    kind: str
    seat: int | None
    text: str
    engine: bool = False


@dataclass(frozen=True)
class Entry:
    """Something that has been told; ``text`` could be entered again."""

    kind: str
    seat: int | None
    text: str


@dataclass(frozen=True)
class Move:
    """A move in an advice: its ``percent``, and the number that the policy gave (see `cardenvs.policy.KINDS`)."""

    action: str
    percent: float
    value: float


@dataclass(frozen=True)
class Advice:
    """What the engine would do.

    Attributes:
        seat: for whom.
        policy: who says so.
        kind: a key of `cardenvs.policy.KINDS`.
        best: up to five moves, the best first.
    """

    seat: int
    policy: str
    kind: str
    best: tuple[Move, ...]

    def as_dict(self, action: str) -> dict[str, Any]:
        """For JSON, with the action that was taken."""
        best = [{"action": move.action, "percent": move.percent, "value": move.value} for move in self.best]
        return {"seat": self.seat, "policy": self.policy, "kind": self.kind, "action": action, "best": best}


def parse_cards(text: str, deck: Deck) -> list[int]:
    """The cards in a line as people type them: ``3 s``, ``10 h``, ``a d``, ``3s Th``, ``3sTh``; commas may stand between.

    Raises:
        ValueError: anything else; names it.
    """
    cards, at = [], 0
    while at < len(text.rstrip()):
        found = _CARD.match(text, at)
        if found is None:
            word = text[at:].split()[0] if text[at:].split() else text
            raise ValueError(f"{word!r} is no card: type rank and suit, as in 3 s, 10 h or a d (also 3s, Th)")
        cards.append(deck.card(found[1] + found[2]))
        at = found.end()
    if not cards:
        raise ValueError("type a card: rank and suit, as in 3 s, 10 h or a d (also 3s, Th)")
    return cards


def bar(percent: float) -> str:
    """A percentage drawn, at most 20 signs long."""
    return "█" * round(max(0.0, min(percent, 100.0)) / 5)


def advice_of(player: Policy, observation: npt.NDArray[np.int8], legal: int, seat: int, rng: np.random.Generator) -> Advice:
    """What a policy would do, with numbers if it can explain itself.

    Args:
        player: any policy.
        observation: int8 (observation_size,).
        legal: the legal actions, a bit each.
        seat: noted in the advice.
        rng: for its random choices.
    """
    game = player.game
    mask = np.array([legal >> k & 1 for k in range(game.num_actions)], np.int8)
    seen = {"observation": observation, "action_mask": mask}
    if legal & (legal - 1) == 0:  # forced
        return Advice(seat, player.name, "choice", (Move(game.actions[members_of(legal)[0]], 100.0, 100.0),))
    explained = player.explain(seen, rng)
    moves = [
        Move(action, percent, 100.0 if explained.kind == "choice" else number)
        for (action, number), percent in zip(explained, explained.percents, strict=True)
    ]
    return Advice(seat, player.name, explained.kind, tuple(moves[:BEST]))


def _seats_text(seats: Sequence[int]) -> str:
    return ",".join(map(str, seats)) or "none"


def _quote(text: str) -> str:
    """As one word without the signs that a session's line uses."""
    return quote(text, safe=":,=._-")


def _texts(key: str, value: str, deck: Deck) -> list[str]:
    """What to enter for a word of a session's line."""
    if not value:
        return []
    if key == "names":
        return [", ".join(unquote(name) for name in value.split("/"))]
    if key == "columns":
        cards = parse_cards(value, deck)
        return [deck.format(cards[at : at + 5], " ") for at in range(0, len(cards), 5)]
    if key == "hands":
        return value.split("/")
    return [value] if key in ("engine", "dealer", "card") else value.split(",")


class Adviser:
    """A deal at a real table, as far as it has been told.

    `question` says what to tell next, `enter` takes it, `undo` takes it back. `line` is all of it as one line of text, from
    which `from_line` goes on.

    Attributes:
        game: what is played.
        options: rule options, all of them.
        policy: name of the policy that answers for the engine's seats.
        score: points of the sides before the deal.
        seed: of the policy's random choices.
        entries: what has been told, in order.
        given: advice that was followed or not, for JSON: what `Advice.as_dict` returns.
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
        """
        Args:
            game: name or spec.
            policy: who answers for the engine's seats; None is the game's in `DEFAULT_POLICIES`.
            score: points of the sides before the deal (Whist, Euchre).
            seed: of the policy's random choices.
            options: rule options.

        Raises:
            ValueError: another game; a policy, option or score that is none.
        """
        self.game = get_game(game)
        if self.game.name not in DEFAULT_POLICIES:
            raise ValueError(f"the adviser knows {', '.join(sorted(DEFAULT_POLICIES))}, not {self.game.name}")
        self.options = self.game.options_of(self.game.new_games(1, **options)[0])
        self.policy = policy or DEFAULT_POLICIES[self.game.name]
        self._player = policies.make(self.game, self.policy)
        self.score = score
        if self.tricks:  # the game checks the score
            games = self.game.new_games(1, **options)
            dealt = self.game.deal_text(self.game.deal(0, **options)[0])
            self.game.set_deal(games, 0, dealt | {"score": f"{score[0]}-{score[1]}"})
        self.seed = seed
        self.entries: list[Entry] = []
        self.given: list[dict[str, Any]] = []
        self._given_at: list[int] = []
        self._clear()

    def _clear(self) -> None:
        self._names: tuple[str, ...] | None = None
        self._engine: tuple[int, ...] | None = None
        self._dealer: int | None = None
        self._card: int | None = None
        self._hands: dict[int, list[int]] = {}
        self._columns: list[int] = []
        self._deal: PartialTricks | PartialFiveO | None = None
        self._advice: Advice | None = None

    # --- what is known ---

    @property
    def tricks(self) -> bool:
        """Whether tricks are played, as in Whist and Euchre."""
        return self.game.name != "five-o"

    @property
    def deck(self) -> Deck:
        """The deck."""
        return EUCHRE_DECK if self.game.name == "euchre" else FULL_DECK

    @property
    def engine(self) -> tuple[int, ...]:
        """The seats that the engine plays, as far as told."""
        return self._engine or ()

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names; ``player 0`` and so on before they are told."""
        return self._names or tuple(f"player {seat}" for seat in range(self.game.seats))

    @property
    def over(self) -> bool:
        """Whether the deal is over."""
        return self.question().kind == "over"

    @property
    def state(self) -> Any:
        """A whole deal that fits what has been told, shape (1,); None before the play.

        Not for showing: all that is true of it is what is public and the engine's hands.
        """
        return None if self._deal is None else self._deal.state

    def observation(self, seat: int) -> npt.NDArray[np.int8]:
        """What one of the engine's seats observes: int8 (observation_size,).

        Raises:
            ValueError: not a seat of the engine, or the play has not begun.
        """
        if self._deal is None or seat not in self.engine:
            raise ValueError(f"seat {seat} is not one of the engine's, {_seats_text(self.engine)}, or nothing is dealt yet")
        return self.game.observation(self._deal.state, seat)

    def _hand_size(self, seat: int) -> int:
        """Cards to be typed for a seat: the pulled card is known."""
        if self.game.name == "euchre":
            return 5
        return 12 if seat == self._dealer else 13

    def question(self) -> Question:
        """What to tell next."""
        seats = self.game.seats
        if self._names is None:
            order = "clockwise from seat 0" if seats > 2 else "who moves first is seat 0"
            return Question("names", None, f"Names of the {seats} players, {order} (Enter: player 0, ...)")
        listed = ", ".join(f"{k} {name}" for k, name in enumerate(self._names))
        if self._engine is None:
            return Question("engine", None, f"Seats that the engine plays, as in 0,{seats - 1}; all or none ({listed})")
        if not self.tricks:
            return self._five_o_question()
        if self._dealer is None:
            return Question("dealer", None, f"Dealer ({listed})")
        if self._card is None:
            what = "Pulled card (it sets trump)" if self.game.name == "whist" else "Turned-up card"
            return Question("card", self._dealer, f"{what}, of the dealer {self._names[self._dealer]}")
        for seat in self._engine:
            held, size = len(self._hands.get(seat, [])), self._hand_size(seat)
            if held < size:
                besides = f" besides the pulled {self.deck.text(self._card)}" if size == 12 else ""
                return Question("hand", seat, f"{self._names[seat]}'s hand, {size} cards{besides}, {held} so far")
        deal = cast(PartialTricks, self._deal)
        if deal.over:
            return Question("over", None, "The deal is over")
        name, seat = self._names[deal.seat], deal.seat
        if deal.discarding:
            text = f"{name} has picked up {self._card_text(self._card)} and discards"
        elif deal.choosing_card:
            text = f"{name} plays"
        else:
            legal = self.game.legal_names(int(self.game.kernels.legal(deal.state, 0))).split(", ")
            short = [bid.removeprefix("call-") for bid in legal if not bid.endswith("-alone")]
            text = f"{name} bids ({', '.join(short)}; with 'alone' behind it to go alone)"
        return Question("action", seat, text, seat in self._engine)

    def _five_o_question(self) -> Question:
        names = cast(tuple[str, ...], self._names)
        if len(self._columns) < 10:
            seat, held = divmod(len(self._columns), 5)
            return Question("columns", seat, f"{names[seat]}'s first row, columns 1 to 5 in order, {held} so far")
        deal = cast(PartialFiveO, self._deal)
        hidden = deal.unrevealed()
        if hidden is not None:
            seat, column, count = hidden
            cards = "card" if count == 1 else f"{count} cards"
            return Question("reveal", seat, f"Turn up: the face-down {cards} of {names[seat]}'s column {column + 1}")
        if deal.over:
            return Question("over", None, "The deal is over")
        name, seat = names[deal.seat], deal.seat
        if deal.awaits_card:
            more = "" if seat in self.engine else ", and its column, as in 4 s 3"
            return Question("drawn", seat, f"Card drawn by {name}{more}")
        card = self._card_text(deal.card) if deal.card is not None else "a face-down card"
        return Question("column", seat, f"{name} puts {card} into column (1 to 5)", seat in self.engine)

    def _card_text(self, card: int) -> str:
        return self.deck.text(card)

    # --- telling ---

    def enter(self, text: str) -> list[str]:
        """Takes what `question` asks for.

        For one of the engine's seats an empty text is its best move, as in `advice`.

        Args:
            text: as typed.

        Returns:
            What came of it, for people.

        Raises:
            ValueError: it cannot be; says why. Nothing has changed then.
        """
        question = self.question()
        if question.kind == "over":
            raise ValueError("the deal is over")
        if question.engine and not text.strip():
            text = self.advice().best[0].action
        advice, rest = self._advice, ""
        if question.kind == "drawn":
            card = _CARD.match(text)
            text, rest = (text, "") if card is None else (text[: card.end()], text[card.end() :].strip())
        told, remarks = getattr(self, f"_enter_{question.kind}")(question, text)
        self.entries.append(Entry(question.kind, question.seat, told))
        if advice is not None:
            self.given.append(advice.as_dict(told if self.tricks else f"column-{told}"))
            self._given_at.append(len(self.entries))
        self._advice = None
        if rest:  # the column, on the same line as the card
            try:
                remarks += self.enter(rest)
            except ValueError:
                self.undo()
                raise
        return cast(list[str], remarks)

    def _enter_names(self, question: Question, text: str) -> tuple[str, list[str]]:
        words = re.split(r"\s*[,;]\s*" if re.search("[,;]", text) else r"\s+", text.strip()) if text.strip() else []
        names = tuple(words) or self.names
        if len(names) != self.game.seats or not all(names):
            raise ValueError(
                f"{self.game.title} has {self.game.seats} players, not {len(names)}: names with commas between them"
            )
        if len({name.lower() for name in names}) != len(names):
            raise ValueError("two players have the same name")
        if any(name.isdigit() for name in names):
            raise ValueError("a name must not be a number: seats have numbers")
        seats_line(names)  # so that a record can name them
        self._names = names
        return ", ".join(names), []

    def _seat_named(self, text: str) -> int:
        word = text.strip().lower()
        for seat, name in enumerate(self.names):
            if word in (str(seat), name.lower(), f"player_{seat}"):
                return seat
        listed = ", ".join(f"{k} {name}" for k, name in enumerate(self.names))
        raise ValueError(f"{text.strip()!r} is no seat: the seats are {listed}")

    def _enter_engine(self, question: Question, text: str) -> tuple[str, list[str]]:
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
        self._engine = tuple(sorted(seats))
        return _seats_text(self._engine), []

    def _enter_dealer(self, question: Question, text: str) -> tuple[str, list[str]]:
        self._dealer = self._seat_named(text)
        return str(self._dealer), []

    def _one_card(self, text: str) -> int:
        cards = parse_cards(text, self.deck)
        if len(cards) > 1:
            raise ValueError(f"one card at a time, not {self.deck.format(cards, ' ')}")
        return cards[0]

    def _enter_card(self, question: Question, text: str) -> tuple[str, list[str]]:
        self._card = self._one_card(text)
        remarks = []
        if self.game.name == "whist":
            remarks.append(f"Trump is {SUITS[self._card // 13]}")
        self._begin()
        return self.deck.text(self._card), remarks

    def _enter_hand(self, question: Question, text: str) -> tuple[str, list[str]]:
        seat = cast(int, question.seat)
        cards, mine = parse_cards(text, self.deck), self._hands.get(seat, [])
        for k, card in enumerate(cards):
            word = self.deck.text(card)
            if card == self._card:
                what = "pulled" if self.game.name == "whist" else "turned-up"
                raise ValueError(f"{word} is the {what} card; none of this line has been taken")
            if card in cards[:k]:
                raise ValueError(f"{word} is twice in this line; none of it has been taken")
            for owner, held in self._hands.items():
                if card in held:
                    raise ValueError(f"{word} is already in {self.names[owner]}'s hand; none of this line has been taken")
        room = self._hand_size(seat) - len(mine)
        if len(cards) > room:
            raise ValueError(f"{len(cards)} cards are too many: {self.names[seat]}'s hand lacks {room}")
        self._hands[seat] = mine + cards
        self._begin()
        return self.deck.format(cards, " "), []

    def _enter_columns(self, question: Question, text: str) -> tuple[str, list[str]]:
        seat = cast(int, question.seat)
        cards = parse_cards(text, self.deck)
        for k, card in enumerate(cards):
            if card in self._columns or card in cards[:k]:
                raise ValueError(f"{self.deck.text(card)} is on the table twice; none of this line has been taken")
        room = 5 - len(self._columns) % 5
        if len(cards) > room:
            raise ValueError(f"{len(cards)} cards are too many: {self.names[seat]}'s first row lacks {room}")
        self._columns += cards
        self._begin()
        return self.deck.format(cards, " "), []

    def _begin(self) -> None:
        """The play begins as soon as everything is dealt."""
        if self.tricks:
            if all(len(self._hands.get(seat, [])) == self._hand_size(seat) for seat in self.engine):
                up = cast(int, self._card)
                hands = {seat: sum(1 << card for card in cards) for seat, cards in self._hands.items()}
                if self.game.name == "whist" and self._dealer in hands:
                    hands[self._dealer] |= 1 << up
                self._deal = PartialTricks(
                    self.game, self.options, self.names, cast(int, self._dealer), up, hands, self.score
                )  # fmt: skip
        elif len(self._columns) == 10:
            columns = self._columns[:5], self._columns[5:]
            self._deal = PartialFiveO(self.game, self.options, self.names, columns, frozenset(self.engine))

    def _enter_action(self, question: Question, text: str) -> tuple[str, list[str]]:
        deal = cast(PartialTricks, self._deal)
        action = self._one_card(text) if deal.choosing_card else self._bid(text)
        before = deal.state
        deal.play(action)
        return self.game.actions[action], self._happened(before[0], deal.state[0], action, question)

    def _bid(self, text: str) -> int:
        """A bid by its name or what begins like it: ``p``, ``up``, ``order up alone``, ``h``, ``call hearts alone``."""
        legal = int(self.game.kernels.legal(self.state, 0))
        names = {self.game.actions[k]: k for k in members_of(legal)}
        word = "-".join(re.split(r"[\s-]+", text.strip().lower()))
        stem, alone = (word.removesuffix("-alone"), True) if word.endswith("-alone") else (word, word == "alone")
        stem = {"up": "order-up", "alone": "order-up"}.get(stem, stem)
        right = [name for name in names if stem and name.endswith("-alone") == alone]
        suits = [name for name in right if name.startswith(f"call-{stem}")]  # "c" is clubs, not the beginning of "call"
        found = suits or [name for name in right if name.startswith(stem)]
        if len(found) != 1:
            raise ValueError(f"{text.strip()!r} is no bid now: type one of {', '.join(names)}")
        return names[found[0]]

    def _happened(self, before: Any, after: Any, action: int, question: Question) -> list[str]:
        """What everybody sees of an action in Whist or Euchre."""
        deal, seat = cast(PartialTricks, self._deal), cast(int, question.seat)
        remarks = []
        for suit in members_of(int(after["voids"][seat]) & ~int(before["voids"][seat])):
            remarks.append(f"{self.names[seat]} has shown out of {SUITS[suit]}")
        if self.game.name == "euchre":
            if after["maker"] != before["maker"]:
                alone = ", alone" if after["alone"] else ""
                remarks.append(f"Trump is {SUITS[int(after['trump'])]}, called by {self.names[int(after['maker'])]}{alone}")
                if after["alone"]:
                    remarks.append(f"{self.names[(int(after['maker']) + 2) % 4]} sits out")
                if after["picked_up"] and int(after["dealer"]) not in self.engine:
                    dealer = self.names[int(after["dealer"])]
                    remarks.append(f"{dealer} picks up {self._card_text(cast(int, self._card))} and discards a card unseen")
            elif before["phase"] == euchre.ORDERING and after["phase"] == euchre.CALLING:
                remarks.append(f"{self._card_text(cast(int, self._card))} is turned down")
        for k in range(4):
            if after["tricks"][k] > before["tricks"][k]:
                remarks.append(f"{self.names[k]} takes trick {int(after['tricks'].sum())}")
        if deal.over:
            remarks.append(self.result()["text"])
        return remarks

    def _enter_drawn(self, question: Question, text: str) -> tuple[str, list[str]]:
        card = self._one_card(text)
        cast(PartialFiveO, self._deal).draw(card)
        return self.deck.text(card), []

    def _enter_column(self, question: Question, text: str) -> tuple[str, list[str]]:
        word = text.strip().lower().removeprefix("column").strip(" -")
        if word not in ("1", "2", "3", "4", "5"):
            raise ValueError(f"{text.strip()!r} is no column: type 1 to 5")
        deal = cast(PartialFiveO, self._deal)
        deal.place(int(word) - 1)
        return word, [self.result()["text"]] if deal.whole() else []

    def _enter_reveal(self, question: Question, text: str) -> tuple[str, list[str]]:
        deal = cast(PartialFiveO, self._deal)
        cards = parse_cards(text, self.deck)
        deal.reveal(cards)
        return self.deck.format(cards, " "), [self.result()["text"]] if deal.whole() else []

    def undo(self) -> Entry:
        """Takes the last entry back and returns it.

        Raises:
            ValueError: nothing has been told yet.
        """
        if not self.entries:
            raise ValueError("nothing to take back")
        *kept, last = self.entries
        if self._given_at and self._given_at[-1] == len(self.entries):
            self._given_at.pop()
            self.given.pop()
        given, at = self.given, self._given_at
        self._clear()
        self.entries, self.given, self._given_at = [], [], []
        for entry in kept:
            self.enter(entry.text)
        self.given, self._given_at = given, at
        return last

    # --- answering ---

    def advice(self) -> Advice:
        """What the engine would do where one of its seats is to act: the same for the same entries and seed.

        Raises:
            ValueError: none of them is to act, or the policy failed; says how. A person can still say what is played.
        """
        question = self.question()
        if not question.engine or question.seat is None:
            raise ValueError("none of the engine's seats is to act")
        if self._advice is None:
            rng = np.random.default_rng([self.seed, len(self.entries)])
            legal = int(self.game.kernels.legal(self.state, 0))
            try:
                advice = advice_of(self._player, self.observation(question.seat), legal, question.seat, rng)
                if not legal >> self.game.action(advice.best[0].action) & 1:
                    raise ValueError(f"{advice.best[0].action} is illegal there")
            except Exception as error:  # whatever it is, the book is kept
                what = " ".join(str(error).split()) or type(error).__name__
                raise ValueError(f"the policy {self.policy} failed: {what}") from error
            self._advice = advice
        return self._advice

    def result(self) -> dict[str, Any]:
        """How the deal ended: ``points`` of the sides, ``tricks`` (columns) of the seats, ``text`` for people.

        Raises:
            ValueError: it is not over, or face-down cards have not been told.
        """
        if self._deal is None or not self._deal.over or (not self.tricks and not self._deal.whole()):
            raise ValueError("the deal is not over")
        points, tricks = np.zeros((1, 2), np.int64), np.zeros((1, self.game.seats), np.int64)
        winner = int(self.game.kernels.outcome(self._deal.state, 0, points, tricks))
        names = self.names
        if self.tricks:
            side = int(points[0].argmax())
            both = f"{names[side]} and {names[side + 2]}"
            taken = f"tricks {tricks[0, ::2].sum()} : {tricks[0, 1::2].sum()}"
            plural = "" if points[0, side] == 1 else "s"
            text = (
                f"{both} score {points[0, side]} point{plural} ({taken})" if points.any() else "All passed: nobody scores"
            )
            if self.options["episode"] == "game":
                score = self._deal.state[0]["score"]
                text += f"; the score is {score[0]} : {score[1]}"
                text += "" if winner < 0 else f", {names[winner]} and {names[winner + 2]} win the game"
        else:
            won = f"columns {tricks[0, 0]} : {tricks[0, 1]}"
            text = f"{names[winner]} wins ({won})" if winner >= 0 else f"A draw ({won})"
        return {"points": points[0].tolist(), "tricks": tricks[0].tolist(), "winner": winner, "text": text}

    def next_deal(self) -> Adviser:
        """A new adviser for the same players' next deal: the deal passes to the left, a game's score is kept.

        Raises:
            ValueError: the deal is not over.
        """
        self.result()
        score = (0, 0)
        if self.tricks and not self.game.is_over(self.state[0]):
            score = (int(self.state[0]["score"][0]), int(self.state[0]["score"][1]))
        following = Adviser(self.game, policy=self.policy, score=score, seed=self.seed + 1, **self.options)
        following.enter(", ".join(self.names))
        following.enter(_seats_text(self.engine))
        if self._dealer is not None:
            following.enter(str((self._dealer + 1) % 4))
        following.given, following._given_at = list(self.given), [0] * len(self.given)
        return following

    # --- showing ---

    def table(self) -> str:
        """The table for the person at the keyboard: everything told, and nothing that was not."""
        if self._deal is None:
            lines = [f"{self.game.title}: dealing"]
            for seat, name in enumerate(self.names):
                cards = self._hands.get(seat, [])
                shown = self.deck.format(sorted(cards), " ") if self.tricks else self._row(seat)
                mark = "*" if seat in self.engine else " "
                lines.append(f" {mark} {'D' if seat == self._dealer else ' '} {name:<12} {shown}".rstrip())
            return "\n".join(lines)
        return self._tricks_table(self._deal) if isinstance(self._deal, PartialTricks) else self._columns_table(self._deal)

    def _row(self, seat: int) -> str:
        return self.deck.format(self._columns[5 * seat : 5 * seat + 5], " ")

    def _tricks_table(self, deal: PartialTricks) -> str:
        s, text = deal.state[0], self.deck.format
        trump = int(s["trump"])
        title = f"{self.game.title}: " + (
            "finished" if deal.over else f"trick {deal.trick}" if s["leader"] >= 0 else "bidding"
        )
        title += f", trump {SUIT_SYMBOLS[trump]} {SUITS[trump]}" if trump < 4 else ""
        up = self._card_text(cast(int, self._card))
        if self.game.name == "euchre":
            title += (
                f" called by {self.names[int(s['maker'])]}" if s["maker"] >= 0 and self.options["bidding"] == "full" else ""
            )
            title += " alone" if s["alone"] else ""
            title += f", turned up {up}" + (" (picked up)" if s["picked_up"] else "")
        else:
            title += f", pulled card {up}"
        lines = [title]
        width = max(map(len, self.names))
        for seat, name in enumerate(self.names):
            mark = (
                (">" if seat == deal.seat else " ")
                + ("D" if seat == s["dealer"] else " ")
                + ("*" if seat in self.engine else " ")
            )
            known = seat in self.engine
            cards = (
                [c for suit in range(4) for c in members_of(int(s["hands"][seat])) if deal.suit(c) == suit] if known else []
            )
            hand = text(cards, " ") if known else f"{int(s['hands'][seat]).bit_count()} cards"
            voids = [SUITS[suit] for (who, suit) in deal.shown_out if who == seat]
            notes = [f"tricks {int(s['tricks'][seat])}"] + ([f"no {' '.join(voids)}"] if voids else [])
            lines.append(
                f"{mark} {name:<{width}}  {text(int(s['trick'][seat])) or '..'}  {', '.join(notes):<12}  {hand}".rstrip()
            )
        score = "" if self.options["episode"] != "game" else f", score {int(s['score'][0])} : {int(s['score'][1])}"
        sides = int(s["tricks"][0] + s["tricks"][2]), int(s["tricks"][1] + s["tricks"][3])
        lines.append(f"tricks {sides[0]} : {sides[1]}{score} (> to act, D dealer, * engine)")
        played = [self.deck.text(card) for card in deal.played]
        lines.append("played: " + (" ".join(played) or "nothing"))
        return "\n".join(lines)

    def _columns_table(self, deal: PartialFiveO) -> str:
        row = 2 + len(deal.turns()) // 10
        lines = [f"{self.game.title}: " + ("finished" if deal.over else f"row {row}")]
        for seat, name in enumerate(self.names):
            mark = (">" if seat == deal.seat else " ") + ("*" if seat in self.engine else " ")
            columns = [[self.deck.text(card)] for card in self._columns[5 * seat : 5 * seat + 5]]
            shown = deal.told()
            for turn, (_, column) in enumerate(deal.turns()):
                if turn % 2 == seat:
                    card = shown[turn]
                    columns[column].append("--" if card is None else self.deck.text(card))
            lines.append(f"{mark} {name}")
            lines.append("     " + "   ".join("12345"))
            for at in range(max(map(len, columns))):
                lines.append("     " + "  ".join(column[at] if at < len(column) else "  " for column in columns).rstrip())
        if deal.card is not None:
            lines.append(f"card in {self.names[deal.seat]}'s hand: {self.deck.text(deal.card)}")
        return "\n".join(lines)

    # --- text ---

    def line(self) -> str:
        """All that has been told as one line, for `from_line`."""
        words = ["advise", self.game.name, *(f"{name}={show(value)}" for name, value in self.options.items())]
        if self.tricks:
            words.append(f"score={self.score[0]}-{self.score[1]}")
        words += [f"policy={_quote(self.policy)}", f"seed={self.seed}"]
        if self._names is not None:
            words.append("names=" + "/".join(map(_quote, self._names)))
        if self._engine is not None:
            words.append("engine=" + _seats_text(self._engine))
        if self._dealer is not None:
            words.append(f"dealer={self._dealer}")
        if self._card is not None:
            words.append(f"card={self.deck.text(self._card)}")
        if self._hands:
            words.append("hands=" + "/".join(self.deck.format(self._hands[seat]) for seat in self._hands))
        if self._columns:
            words.append("columns=" + self.deck.format(self._columns))
        for key in ("actions", "turns", "revealed"):
            told = [entry for entry in self.entries if entry.kind in _LINE_KEYS[key]]
            texts = [f"column-{entry.text}" if entry.kind == "column" else entry.text.replace(" ", "") for entry in told]
            if texts:
                words.append(f"{key}=" + ",".join(texts))
        return " ".join(words)

    @classmethod
    def from_line(cls, line: str) -> Adviser:
        """The adviser that wrote a `line`. A hand told in several entries is one now.

        Raises:
            ValueError: no such line; says where it fails.
        """
        words = line.split()
        if len(words) < 2 or words[0] != "advise":
            raise ValueError(f"a session begins with the words advise and the game, not {' '.join(words[:2])!r}")
        game = get_game(words[1])
        fields = key_values(words[2:], "a session")
        options: dict[str, Any] = {o.name: o.parse(fields.pop(o.name)) for o in game.options if o.name in fields}
        score, seed = fields.pop("score", "0-0"), fields.pop("seed", "0")
        if not re.fullmatch(r"\d+-\d+", score) or not seed.isdecimal():
            raise ValueError(f"score={score} seed={seed}: a score is two numbers with - between them, a seed one")
        ours, theirs = map(int, score.split("-"))
        policy = unquote(fields.pop("policy", "")) or None
        adviser = cls(game, policy=policy, score=(ours, theirs), seed=int(seed), **options)
        for key, kinds in _LINE_KEYS.items():
            for text in _texts(key, fields.pop(key, ""), adviser.deck):
                if adviser.question().kind not in kinds:
                    raise ValueError(f"{key}, {text!r}: what comes there is: {adviser.question().text}")
                try:
                    adviser.enter(text)
                except ValueError as error:
                    raise ValueError(f"{key}, {text!r}: {error}") from None
        if fields:
            raise ValueError(f"unknown key in a session of {game.name}: {', '.join(fields)}")
        return adviser

    def record(self) -> str | None:
        """The deal as `GameSpec.text` writes it, once nothing of it is unknown any more; else None."""
        if self._deal is None or not self._deal.over or not self._deal.whole():
            return None
        return self.game.text(self._deal.state[0])

    def as_dict(self) -> dict[str, Any]:
        """The session for JSON."""
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
