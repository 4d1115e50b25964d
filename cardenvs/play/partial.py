"""Deals of which only a part is known: some hands, and what was played in everybody's sight.

The rules come from a game's kernels, which play whole deals. So a deal that fits all that is known stands in for the true
one: the unknown cards are given to the unknown places so that every action so far was legal, and are given out anew when
an action comes that does not fit. What a seat with a known hand observes does not depend on how they are given out. An
action that no deal allows is refused with the reason, and only then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cardenvs.cards import Deck, members_of
from cardenvs.drivers import RUNNING
from cardenvs.games import euchre, five_o, whist
from cardenvs.spec import Games, GameSpec, show

SUITS = ("clubs", "diamonds", "hearts", "spades")


@dataclass
class _Holder:
    """A place for unknown cards."""

    name: str
    size: int
    allowed: int
    cards: list[int]


def _listed(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _place(cards: Sequence[int], holders: Sequence[_Holder], deck: Deck) -> None:
    """Gives each card to a holder that may have it and has room, by augmenting paths.

    Raises:
        ValueError: it cannot be done; names the cards that are too many and who could have them.
    """
    for card in cards:
        asked: dict[int, int] = {}  # holder: the card that would go there instead of one of its own
        queue = [card]
        free = -1
        while queue and free < 0:
            looking = queue.pop(0)
            for k, holder in enumerate(holders):
                if k not in asked and holder.allowed >> looking & 1:
                    asked[k] = looking
                    if len(holder.cards) < holder.size:
                        free = k
                        break
                    queue += holder.cards
        if free < 0:
            crowd = sorted({card, *(held for k in asked for held in holders[k].cards)})
            names = deck.format(crowd, " ")
            if not any(holders[k].size for k in asked):
                raise ValueError(f"nobody could hold {names} then")
            who = _listed([holders[k].name for k in asked])
            room = sum(holders[k].size for k in asked)
            raise ValueError(f"only {who} could hold {names} then, with room for {room}")
        # Back along the path: every holder on it passes on the card that makes room.
        at = free
        while True:
            moved = asked[at]
            owner = next((k for k, holder in enumerate(holders) if moved in holder.cards), -1)
            holders[at].cards.append(moved)
            if owner < 0:
                break
            holders[owner].cards.remove(moved)
            at = owner


class _Partial:
    """What the deals of all games have in common: a whole deal that fits what is known."""

    state: Games

    @property
    def seat(self) -> int:
        """The seat to act, -1 when the deal is over."""
        return int(self.state[0]["to_act"])

    @property
    def over(self) -> bool:
        """Whether the deal is over."""
        return bool(self.state[0]["over"] != RUNNING)


class PartialTricks(_Partial):
    """A deal of Whist or Euchre of which some hands are known.

    Attributes:
        spec: the game.
        names: what the seats are called in messages.
        known: the seats whose hands are known.
        state: a whole deal that fits, with all actions played, shape (1,). What is true of it: everything public, and the
            known hands. A dealer in an unknown seat has discarded as soon as it is to.
        shown_out: ``{(seat, effective suit): (trick number from 1, card)}``, where a seat first did not follow.
        played: ``{card: (seat, trick number)}``.
    """

    def __init__(
        self,
        spec: GameSpec,
        options: Mapping[str, Any],
        names: Sequence[str],
        dealer: int,
        up: int,
        hands: Mapping[int, int],
        score: tuple[int, int] = (0, 0),
    ) -> None:
        """
        Args:
            spec: whist or euchre.
            options: rule options.
            names: four names.
            dealer: seat that deals.
            up: the pulled card (Whist) or the turned one (Euchre).
            hands: card sets by seat, whole hands as dealt, all distinct; the dealer's with the pulled card in Whist, none
                with the turned one in Euchre.
            score: points of the sides before the deal.

        Raises:
            ValueError: hands that are none.
        """
        self.spec = spec
        self.names = tuple(names)
        self.known = frozenset(hands)
        self.shown_out: dict[tuple[int, int], tuple[int, int]] = {}
        self.played: dict[int, tuple[int, int]] = {}
        self._game: Any = euchre if spec.name == "euchre" else whist
        self._deck: Deck = self._game.DECK
        dealt = dict(hands)
        rest = self._deck.all & ~(1 << up)
        for hand in hands.values():
            rest &= ~hand
        free = members_of(rest)
        for seat in range(4):
            if seat not in dealt:
                mine = [up] if self._game is whist and seat == dealer else []
                while len(mine) < (13 if self._game is whist else 5) and free:
                    mine.append(free.pop(0))
                dealt[seat] = sum(1 << card for card in mine)
        words = [spec.name, *(f"{name}={show(value)}" for name, value in options.items())]
        words += [f"score={score[0]}-{score[1]}", f"dealer={dealer}"]
        words.append("hands=" + "/".join(self._deck.format(dealt[seat]) for seat in range(4)))
        words.append(("shown=" if self._game is whist else "turned=") + self._deck.text(up))
        self.state = spec.parse(" ".join(words))

    @property
    def choosing_card(self) -> bool:
        """Whether the next action is a card, played or discarded."""
        return self._game is whist or int(self.state[0]["phase"]) in (euchre.DISCARDING, euchre.PLAYING)

    @property
    def discarding(self) -> bool:
        """Whether the next action is the discard of a dealer whose hand is known."""
        return self._game is euchre and int(self.state[0]["phase"]) == euchre.DISCARDING

    @property
    def trick(self) -> int:
        """The number of the current trick, from 1."""
        return int(self.state[0]["tricks"].sum()) + 1

    def play(self, action: int) -> None:
        """The seat to act does something.

        Raises:
            ValueError: it cannot, in any deal that fits; says why. Nothing has changed then.
        """
        if self.over:
            raise ValueError("the deal is over")
        legal = int(self.spec.kernels.legal(self.state, 0))
        state = self.state
        if not legal >> action & 1:
            if action >= self._deck.size or not self.choosing_card:
                raise ValueError(f"{self.spec.actions[action]} is not possible now; possible: {self._possible(legal)}")
            self._check(action)
            state = self._refit(action)
        playing = self._game is whist or int(state[0]["phase"]) == euchre.PLAYING
        seat, trick = int(state[0]["to_act"]), int(state[0]["tricks"].sum()) + 1
        voids = int(state[0]["voids"][seat])
        state = state.copy()
        self.spec.kernels.step(state, 0, action)
        if playing:
            self.played[action] = (seat, trick)
            for suit in members_of(int(state[0]["voids"][seat]) & ~voids):
                self.shown_out[seat, suit] = (trick, action)
        if self._game is euchre and state[0]["phase"] == euchre.DISCARDING and int(state[0]["dealer"]) not in self.known:
            self.spec.kernels.step(state, 0, members_of(int(state[0]["hands"][state[0]["dealer"]]))[0])
        self.state = state

    def _possible(self, legal: int) -> str:
        if self.choosing_card and self.seat not in self.known:
            return "a card"
        return self.spec.legal_names(legal)

    def suit(self, card: int) -> int:
        """The suit that a card belongs to under the trump."""
        return int(self._game.SUIT_OF[self.state[0]["trump"], card])

    def led(self) -> int:
        """The effective suit led to the current trick, -1 if none is."""
        state = self.state[0]
        lead = int(state["trick"][state["leader"]]) if state["leader"] >= 0 else 0
        return self.suit(members_of(lead)[0]) if lead else -1

    def _check(self, card: int) -> None:
        """Refuses what can be refused without looking at the whole deal, so that the reason is a plain one."""
        seat, state, text = self.seat, self.state[0], self._deck.text
        name, card_text, bit = self.names[seat], text(card), 1 << card
        if card in self.played:
            who, trick = self.played[card]
            raise ValueError(f"{card_text} was played by {self.names[who]} in trick {trick}")
        for other in self.known - {seat}:
            if int(state["hands"][other]) & bit:
                raise ValueError(f"{card_text} is in {self.names[other]}'s hand")
        dealer = int(state["dealer"])
        if self._game is whist:
            if bit == state["shown"] and seat != dealer:
                raise ValueError(f"{card_text} is the pulled card: it belongs to {self.names[dealer]}, who deals")
        elif bit == state["turned"]:
            if not state["picked_up"]:
                raise ValueError(f"{card_text} was turned up and stays out of play")
            if seat != dealer:
                raise ValueError(f"{card_text} was turned up and picked up by {self.names[dealer]}")
        elif bit == state["discard"] and dealer in self.known:
            raise ValueError(f"{card_text} was discarded by {self.names[dealer]}")
        led = self.led()
        if seat in self.known:
            hand = int(state["hands"][seat])
            if not hand & bit:
                raise ValueError(f"{card_text} is not in {name}'s hand: {self._deck.format(hand, ' ')}")
            follow = self._deck.format(hand & int(self._game.SUIT_SETS[state["trump"], led]), " ")
            raise ValueError(f"{card_text} would be a revoke: {name} must follow {SUITS[led]} with {follow}")
        suit = self.suit(card)
        if (seat, suit) in self.shown_out:
            trick, instead = self.shown_out[seat, suit]
            raise ValueError(
                f"{card_text} would be a revoke: {name} did not follow {SUITS[suit]} in trick {trick}, "
                f"but played {text(instead)}"
            )
        if self._game is whist and seat == dealer and led >= 0 and suit != led:
            shown = int(state["shown"])
            if shown & int(state["hands"][seat]) and self.suit(members_of(shown)[0]) == led:
                raise ValueError(
                    f"{card_text} would be a revoke: {name} must follow {SUITS[led]} and holds the pulled card "
                    f"{self._deck.format(shown)}"
                )

    def _refit(self, card: int) -> Games:
        """Another whole deal, in which the seat to act may play ``card``.

        Raises:
            ValueError: there is none.
        """
        game, state, seat = self._game, self.state[0], self.seat
        unseen = self._deck.all
        for k in range(4):
            unseen &= ~int(state["played"][k])
        for k in self.known:
            unseen &= ~int(state["hands"][k])
        led = self.led()
        voids = [int(bits) for bits in state["voids"]]
        if led >= 0 and self.suit(card) != led:
            voids[seat] |= 1 << led
        dealer = int(state["dealer"])
        hidden = [k for k in range(4) if k not in self.known]
        holders: dict[str, _Holder] = {}
        up, dealers = 0, {f"hand {dealer}"}
        for k in hidden:
            allowed = unseen
            for suit in members_of(voids[k]):
                allowed &= ~int(game.SUIT_SETS[state["trump"], suit])
            holders[f"hand {k}"] = _Holder(self.names[k], int(state["hands"][k]).bit_count(), allowed, [])
        if game is whist:
            up = int(state["shown"]) & unseen
        else:
            holders["kitty"] = _Holder("the kitty", 3, unseen, [])
            if not state["picked_up"]:
                unseen &= ~int(state["turned"])
            elif dealer in self.known:
                unseen &= ~int(state["discard"] | state["turned"])
            else:
                up = int(state["turned"]) & unseen
                holders["discard"] = _Holder(f"{self.names[dealer]}'s discard", 1, unseen, [])
                dealers.add("discard")
        for key, holder in holders.items():
            if key not in dealers:
                holder.allowed &= ~up
            if key != f"hand {seat}":
                holder.allowed &= ~(1 << card)
        # The scarcest first finds the plainest reason.
        order = sorted(members_of(unseen), key=lambda c: (sum(h.allowed >> c & 1 for h in holders.values()), c))
        try:
            _place(order, list(holders.values()), self._deck)
        except ValueError as error:
            raise ValueError(f"{self._deck.text(card)} from {self.names[seat]} fits no deal: {error}") from None
        found = {key: sum(1 << c for c in holder.cards) for key, holder in holders.items()}
        hands = [found.get(f"hand {k}", int(state["hands"][k])) | int(state["played"][k]) for k in range(4)]
        fields = self.spec.deal_text(state)
        discard = ""
        if game is euchre:
            fields["kitty"] = self._deck.format(found["kitty"])
            if state["picked_up"]:
                put = found.get("discard", int(state["discard"]))
                discard = self._deck.format(put)
                hands[dealer] = (hands[dealer] | put) & ~int(state["turned"])
        fields["hands"] = "/".join(self._deck.format(hand) for hand in hands)
        codes = [int(code) for code in state["history"][: int(state["moves"])]]
        actions = ",".join(discard if code == euchre.HIDDEN_DISCARD else self.spec.actions[code] for code in codes)
        words = [self.spec.name, *(f"{o}={show(value)}" for o, value in self.spec.options_of(state).items())]
        words += [f"{key}={value}" for key, value in fields.items()]
        return self.spec.parse(" ".join([*words, f"actions={actions}"]))

    def whole(self) -> bool:
        """Whether nothing is unknown any more, so that `state` is the true deal."""
        state = self.state[0]
        hidden = [k for k in range(4) if k not in self.known and int(state["hands"][k])]
        # The last unknown hand is what is left over, unless cards out of play are unknown, too.
        if self._game is whist:
            return len(hidden) <= 1
        return not hidden and (not state["picked_up"] or int(state["dealer"]) in self.known)


class PartialFiveO(_Partial):
    """A deal of Five-O in which one seat's hidden cards, or both's, are not known.

    Attributes:
        spec: the game.
        known: the seats whose cards are all known.
        card: the card in hand of the seat to act, None if it has not been told or is not known.
        state: a whole deal that fits, shape (1,). While `card` is None, the card in hand is any of the unseen ones.
    """

    def __init__(
        self,
        spec: GameSpec,
        options: Mapping[str, Any],
        names: Sequence[str],
        columns: Sequence[Sequence[int]],
        known: frozenset[int],
    ) -> None:
        """
        Args:
            spec: five-o.
            options: rule options.
            names: two names.
            columns: the five cards dealt to each seat.
            known: seats whose cards will be told.
        """
        self.spec = spec
        self.names = tuple(names)
        self.known = known
        self.card: int | None = None
        self._columns = [list(cards) for cards in columns]
        self._turns: list[tuple[int | None, int]] = []  # the card if it was seen, and its column
        self._shown: dict[int, int] = {}  # turn: a face-down card turned up at the end
        self._options = dict(options)
        self._fit()

    @property
    def face_down(self) -> bool:
        """Whether the next card is put down face down [F7]."""
        return len(self._turns) >= 40 - 10 * int(self.state[0]["hidden_rows"])

    @property
    def awaits_card(self) -> bool:
        """Whether the next thing to tell is the card that the seat to act has drawn."""
        return not self.over and self.card is None and (self.seat in self.known or not self.face_down)

    def _where(self, card: int) -> str | None:
        """Where a card has been seen."""
        for seat, cards in enumerate(self._columns):
            if card in cards:
                return f"lies in {self.names[seat]}'s column {cards.index(card) + 1}"
        for turn, (seen, column) in enumerate(self._turns):
            if card in (seen, self._shown.get(turn)):
                return f"lies in {self.names[turn % 2]}'s column {column + 1}"
        return f"is in {self.names[self.seat]}'s hand" if card == self.card else None

    def _check(self, card: int) -> None:
        where = self._where(card)
        if where is not None:
            raise ValueError(f"{five_o.DECK.text(card)} {where}")

    def draw(self, card: int) -> None:
        """The seat to act has drawn ``card``.

        Raises:
            ValueError: it has been seen elsewhere.
        """
        self._check(card)
        self.card = card
        self._fit()

    def place(self, column: int) -> None:
        """The seat to act puts its card into a column (0 to 4).

        Raises:
            ValueError: that column is longer than the shortest.
        """
        legal = int(self.spec.kernels.legal(self.state, 0))
        if not legal >> column & 1:
            free = ", ".join(str(k + 1) for k in members_of(legal))
            raise ValueError(f"{self.names[self.seat]}'s column {column + 1} is longer than the shortest; open: {free}")
        self._turns.append((self.card, column))
        self.card = None
        self._fit()

    def unrevealed(self) -> tuple[int, int, int] | None:
        """At the end: the next (seat, column, number of cards) whose face-down cards have not been told, or None."""
        if self.over:
            for seat in range(2):
                for column in range(5):
                    left = self._unseen_turns(seat, column)
                    if left:
                        return seat, column, len(left)
        return None

    def _unseen_turns(self, seat: int, column: int) -> list[int]:
        return [
            turn
            for turn, (card, where) in enumerate(self._turns)
            if card is None and where == column and turn % 2 == seat and turn not in self._shown
        ]

    def reveal(self, cards: Sequence[int]) -> None:
        """The face-down cards of the next column are turned up.

        Raises:
            ValueError: another number of cards, a card twice or seen elsewhere; nothing has changed then.
        """
        place = self.unrevealed()
        if place is None:
            raise ValueError("nothing lies face down")
        seat, column, count = place
        if len(cards) != count or len(set(cards)) != count:
            plural = "" if count == 1 else "s"
            raise ValueError(f"{self.names[seat]}'s column {column + 1} has {count} face-down card{plural}")
        for card in cards:
            self._check(card)
        self._shown.update(zip(self._unseen_turns(seat, column), cards, strict=True))
        self._fit()

    def _fit(self) -> None:
        """A whole deal: what has not been seen stands in the unknown places."""
        told: list[int | None] = [*self._columns[0], *self._columns[1], *self.told()]
        if len(self._turns) < 40:
            told.append(self.card)
        told += [None] * (52 - len(told))
        unseen = [card for card in range(52) if card not in told]
        deck = [unseen.pop(0) if card is None else card for card in told]
        words = [self.spec.name, *(f"{name}={show(value)}" for name, value in self._options.items())]
        cards = five_o.DECK.format
        words.append(f"columns={cards(deck[:5])}/{cards(deck[5:10])}")
        words.append(f"deck={cards(deck[10:])}")
        words.append("actions=" + ",".join(five_o.ACTIONS[column] for _, column in self._turns))
        self.state = self.spec.parse(" ".join(words))

    def turns(self) -> list[tuple[int | None, int]]:
        """The turns so far: the card, None if it was not seen, and the column (0 to 4)."""
        return list(self._turns)

    def told(self) -> list[int | None]:
        """The card of each turn, also if it was turned up at the end only; None if it was not seen."""
        return [self._shown.get(turn, card) for turn, (card, _) in enumerate(self._turns)]

    def whole(self) -> bool:
        """Whether nothing is unknown any more but the order of the cards that lay face down in one column."""
        return self.over and self.unrevealed() is None
