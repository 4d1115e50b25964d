"""The book of a deal of Whist or Euchre: the hands of the engine's seats, and the public actions.

The rules come from a game's kernels, which play whole deals. So a whole deal that fits stands for the true one: before an
action its hidden cards are taken out, the action is played, and they are dealt again as they may lie then. An action is
refused, with the reason, if and only if no deal allows it. What an engine's seat observes does not depend on them.
"""

import itertools
import re
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from cardenvs.contract.cards import SUIT_NAMES, SUIT_SYMBOLS, members_of
from cardenvs.contract.fields import Games
from cardenvs.contract.outcome import Outcome
from cardenvs.contract.spec import GameSpec
from cardenvs.play.advise.book import OVER, Answer, Book, Question
from cardenvs.play.typed_input import parse_cards


class Holder(NamedTuple):
    """A place where hidden cards can lie: a hand, the kitty, a discard."""

    place: int | str  # the seat, or the field of the STATE
    name: str  # in messages
    room: int  # number of cards that it lacks
    allowed: int  # set of the cards that it may have
    cards: int = 0  # set of the cards that it has got


def find_crowd(cards: int, holders: Sequence[Holder]) -> tuple[list[Holder], int] | None:
    """Returns the fewest holders without room for a set of cards that only they may have, and that set; None for none.

    By Hall's theorem the cards can be dealt to the holders, to each no more than its room, if and only if it is None.
    """
    open_to = [holder for holder in holders if holder.room]
    for count in range(len(open_to) + 1):
        for some in itertools.combinations(open_to, count):
            theirs = cards
            for other in open_to:
                theirs &= -1 if other in some else ~other.allowed
            if theirs.bit_count() > sum(holder.room for holder in some):
                return list(some), theirs
    return None


def deal_to(cards: int, holders: Sequence[Holder]) -> list[Holder]:
    """Returns the holders with a set of cards dealt to them, in some way that fits; there must be one."""
    dealt = list(holders)
    for card in members_of(cards):
        cards ^= 1 << card
        for k, one in enumerate(dealt):
            with_it = [*dealt]
            with_it[k] = one._replace(room=one.room - 1, cards=one.cards | 1 << card)
            if one.room and one.allowed >> card & 1 and find_crowd(cards, with_it) is None:
                dealt = with_it
                break
    return dealt


class TrickBook(Book):
    """The facts told of a deal of Whist or Euchre.

    ``shown_out`` tells where a seat first did not follow, ``{(seat, effective suit): (trick number from 1, card)}``;
    ``played`` are the cards played, ``{card: (seat, trick number)}``. A dealer with an unknown hand has discarded as soon
    as the turned card was picked up.
    """

    def __init__(self, game: GameSpec, options: dict[str, Any], score: tuple[int, int]) -> None:
        super().__init__(game, options, score)
        kind = game.trick_game
        assert kind is not None
        self._kind = kind
        self.card: int | None = None  # the pulled card (Whist) or the turned-up one (Euchre)
        self.hands: dict[int, list[int]] = {}  # cards told of the hands of the engine's seats
        self.shown_out: dict[tuple[int, int], tuple[int, int]] = {}
        self.played: dict[int, tuple[int, int]] = {}
        self._set_deal(game.deal_text(game.deal(0, **options)[0]))  # the game checks the score

    def _set_deal(self, fields: dict[str, str]) -> Games:
        """Returns the state of a deal's start, given in text by key, with the score told."""
        games = self.game.new_games(1, **self.options)
        self.game.set_deal(games, 0, fields | {"score": "{}-{}".format(*self.score)})
        return games

    @property
    def _unknown(self) -> list[int]:
        """The seats whose hands are unknown."""
        return [seat for seat in range(4) if seat not in self.engine]

    # --- questions ---

    def _next_question(self) -> Question:
        kind, names = self._kind, self.names
        if self.dealer is None:
            return Question("dealer", None, f"Dealer ({self.listed_names})")
        if self.card is None:
            what = "Turned-up card" if kind.bids else "Pulled card (it sets trump)"
            return Question("card", self.dealer, f"{what}, of the dealer {names[self.dealer]}")
        for seat in self.engine:
            held, size = len(self.hands.get(seat, [])), self._hand_size(seat)
            if held < size:
                besides = f" besides the pulled {self.deck.text(self.card)}" if size == 12 else ""
                return Question("hand", seat, f"{names[seat]}'s hand, {size} cards{besides}, {held} so far")
        if self.over:
            return OVER
        seat = self.seat_to_act
        if not self._chooses_card:
            legal = self.game.legal_names(self.legal).split(", ")
            short = [bid.removeprefix("call-") for bid in legal if not bid.endswith("-alone")]
            text = f"{names[seat]} bids ({', '.join(short)}; with 'alone' behind it to go alone)"
        elif kind.playing(self.state, 0):
            text = f"{names[seat]} plays"
        else:
            text = f"{names[seat]} has picked up {self.deck.text(self.card)} and discards"
        return Question("action", seat, text, seat in self.engine)

    @property
    def _chooses_card(self) -> bool:
        return bool(self.legal & self.deck.all)

    def _hand_size(self, seat: int) -> int:
        """Returns the number of cards to tell of a hand; the dealer's pulled card in Whist is known already."""
        return self._kind.dealt - (seat == self.dealer and not self._kind.bids)

    # --- answers ---

    def _take_dealer(self, question: Question, text: str) -> Answer:
        self.dealer = self._seat_named(text)
        return str(self.dealer), []

    def _take_card(self, question: Question, text: str) -> Answer:
        self.card = self._one_card(text)
        self._begin_if_told()
        remarks = [] if self._kind.bids else [f"Trump is {SUIT_NAMES[self.card // 13]}"]
        return self.deck.text(self.card), remarks

    def _take_hand(self, question: Question, text: str) -> Answer:
        seat = cast(int, question.seat)
        cards, mine, name = parse_cards(text, self.deck), self.hands.get(seat, []), self.names[seat]
        for k, card in enumerate(cards):
            wrong = "is twice in this line" if card in cards[:k] else ""
            if card == self.card:
                wrong = f"is the {'turned-up' if self._kind.bids else 'pulled'} card"
            for owner, held in self.hands.items():
                wrong = f"is already in {self.names[owner]}'s hand" if card in held else wrong
            if wrong:
                raise ValueError(f"{self.deck.text(card)} {wrong}; none of this line has been taken")
        room = self._hand_size(seat) - len(mine)
        if len(cards) > room:
            raise ValueError(f"{len(cards)} cards are too many: {name}'s hand lacks {room}")
        self.hands[seat] = mine + cards
        self._begin_if_told()
        return self.deck.format(cards, " "), []

    def _begin_if_told(self) -> None:
        """Begins the play once all of the deal that the engine's seats know has been told."""
        if any(len(self.hands.get(seat, [])) < self._hand_size(seat) for seat in self.engine):
            return
        card, dealer = cast(int, self.card), cast(int, self.dealer)
        hands = [list(self.hands.get(seat, [])) for seat in range(4)]
        if not self._kind.bids:
            hands[dealer].append(card)
        rest = [one for one in range(self.deck.size) if one != card and not any(one in hand for hand in hands)]
        for hand in hands:
            while len(hand) < self._kind.dealt:
                hand.append(rest.pop())
        dealt = {"dealer": str(dealer), self._kind.open_field: self.deck.text(card)}
        self.state = self._set_deal(dealt | {"hands": "/".join(map(self.deck.format, hands))})

    def _take_action(self, question: Question, text: str) -> Answer:
        action = self._one_card(text) if self._chooses_card else self._bid_number(text)
        before = self.record
        self._play(action)
        return self.game.actions[action], self._public_remarks(before, question)

    def _bid_number(self, text: str) -> int:
        """Returns the number of a bid by its name or its beginning: ``p``, ``up``, ``order up alone``, ``hearts alone``."""
        names = {self.game.actions[k]: k for k in members_of(self.legal)}
        word = "-".join(re.split(r"[\s-]+", text.strip().lower()))
        stem, alone = (word.removesuffix("-alone"), True) if word.endswith("-alone") else (word, word == "alone")
        stem = {"up": "order-up", "alone": "order-up"}.get(stem, stem)
        fitting = [name for name in names if stem and name.endswith("-alone") == alone]
        suits = [name for name in fitting if name.startswith(f"call-{stem}")]  # "c" is clubs, not the beginning of "call"
        matching = suits or [name for name in fitting if name.startswith(stem)]
        if len(matching) != 1:
            raise ValueError(f"{text.strip()!r} is no bid now: type one of {', '.join(names)}")
        return names[matching[0]]

    def _public_remarks(self, before: Any, question: Question) -> list[str]:
        """Returns sentences on the public part of an action, by the record before it."""
        after, names, seat = self.record, self.names, cast(int, question.seat)
        maker, dealer = int(after["maker"]) if self._kind.bids else -1, int(after["dealer"])
        up = self.deck.text(cast(int, self.card))
        remarks = [
            f"{names[seat]} has shown out of {SUIT_NAMES[void]}"
            for void in members_of(int(after["voids"][seat]) & ~int(before["voids"][seat]))
        ]
        if maker >= 0 and before["maker"] < 0:
            alone = ", alone" if after["alone"] else ""
            remarks.append(f"Trump is {SUIT_NAMES[int(after['trump'])]}, called by {names[maker]}{alone}")
            if alone:
                remarks.append(f"{names[(maker + 2) % 4]} sits out")
            if after["picked_up"] and dealer not in self.engine:
                remarks.append(f"{names[dealer]} picks up {up} and discards a card unseen")
        elif self._kind.bids and (before["passes"], after["passes"]) == (3, 4):
            remarks.append(f"{up} is turned down")
        for k in range(4):
            if after["tricks"][k] > before["tricks"][k]:
                remarks.append(f"{names[k]} takes trick {int(after['tricks'].sum())}")
        if self.over:
            remarks.append(self.result()["text"])
        return remarks

    # --- the play ---

    def _play(self, action: int) -> None:
        """Plays an action of the seat to act; raises ValueError, and changes nothing, if no deal allows it."""
        seat, trick = self.seat_to_act, self.trick_number
        playing, hidden = bool(self._kind.playing(self.state, 0)), seat not in self.engine
        if self._chooses_card and (hidden or not self.legal >> action & 1):
            self._check_card(action)
        after = cast(Games, self.state).copy()
        self._take_out_hidden(after)
        self.game.kernels.step(after, 0, action)
        dealer = int(after[0]["dealer"])
        if dealer not in self.engine and after[0]["to_act"] == dealer and self._discards(after):
            self.game.kernels.step(after, 0, self.card)
        self._take_out_hidden(after)
        cards, holders = self._hidden(after[0])
        crowd = find_crowd(cards, holders) if hidden else None
        if crowd is not None:
            who, too_many = " and ".join(holder.name for holder in crowd[0]), self.deck.format(crowd[1], " ")
            why = f"nobody could hold {too_many} then"
            if who:
                why = f"only {who} could hold {too_many} then, with room for {sum(one.room for one in crowd[0])}"
            raise ValueError(f"{self.deck.text(action)} from {self.names[seat]} fits no deal: {why}")
        for place, _, _, _, held in deal_to(cards, holders):
            field, at = ("hands", (0, place)) if isinstance(place, int) else (place, 0)
            after[field][at] = held
        if playing:
            self.played[action] = (seat, trick)
            for suit in members_of(int(after[0]["voids"][seat]) & ~int(self.record["voids"][seat])):
                self.shown_out[seat, suit] = (trick, action)
        self.state = after

    def _discards(self, games: Games) -> bool:
        """Whether the seat to act discards."""
        return bool(self.game.kernels.legal(games, 0, 0) & self.deck.all) and not self._kind.playing(games, 0)

    def _take_out_hidden(self, games: Games) -> None:
        """Takes all cards out that no seat of the engine has seen."""
        for seat in self._unknown:
            games["hands"][0, seat] = 0
        if self._kind.bids:
            games["kitty"] = 0
            if int(games[0]["dealer"]) not in self.engine:
                games["discard"] = 0

    def _hidden(self, record: Any) -> tuple[int, list[Holder]]:
        """Returns the set of the hidden cards, which a record lacks, and the places where they can lie."""
        dealer, up, bids = int(record["dealer"]), 1 << cast(int, self.card), self._kind.bids
        picked_up = bids and bool(record["picked_up"])
        cards = self.deck.all
        for field in ("hands", "played"):
            for held in record[field]:
                cards &= ~int(held)
        if bids:
            cards &= ~int(record["discard"]) & (-1 if picked_up else ~up)
        holders = []
        for seat in self._unknown:
            allowed = cards if seat == dealer else cards & ~up
            for suit in members_of(int(record["voids"][seat])):
                allowed &= ~int(self._kind.suit_sets[record["trump"], suit])
            room = self._kind.dealt - int(record["played"][seat]).bit_count()
            holders.append(Holder(seat, self.names[seat], room, allowed))
        if bids:
            holders.append(Holder("kitty", "the kitty", 3, cards & ~up))
        if picked_up and dealer not in self.engine:
            holders.append(Holder("discard", f"{self.names[dealer]}'s discard", 1, cards))
        return cards, holders

    @property
    def trick_number(self) -> int:
        return int(self.record["tricks"].sum()) + 1

    def _suit(self, card: int) -> int:
        """Returns the effective suit of a card."""
        return int(self._kind.suit_of[self.record["trump"], card])

    def _led_suit(self) -> int:
        """Returns the effective suit led to the current trick, -1 before a card is led."""
        record = self.record
        lead = int(record["trick"][record["leader"]]) if record["leader"] >= 0 else 0
        return self._suit(members_of(lead)[0]) if lead else -1

    def _check_card(self, card: int) -> None:
        """Raises ValueError, with a plain reason, for a card that one known fact alone rules out."""
        seat, record, names, text = self.seat_to_act, self.record, self.names, self.deck.text
        name, card_text, dealer, bids = names[seat], text(card), int(record["dealer"]), self._kind.bids
        if card in self.played:
            who, trick = self.played[card]
            raise ValueError(f"{card_text} was played by {names[who]} in trick {trick}")
        for other in set(self.engine) - {seat}:
            if int(record["hands"][other]) >> card & 1:
                raise ValueError(f"{card_text} is in {names[other]}'s hand")
        if card == self.card and not bids and seat != dealer:
            raise ValueError(f"{card_text} is the pulled card: it belongs to {names[dealer]}, who deals")
        if card == self.card and bids and not record["picked_up"]:
            raise ValueError(f"{card_text} was turned up and stays out of play")
        if card == self.card and bids and seat != dealer:
            raise ValueError(f"{card_text} was turned up and picked up by {names[dealer]}")
        if bids and dealer in self.engine and int(record["discard"]) >> card & 1:
            raise ValueError(f"{card_text} was discarded by {names[dealer]}")
        led, suit = self._led_suit(), self._suit(card)
        if seat in self.engine:
            hand = int(record["hands"][seat])
            if not hand >> card & 1:
                raise ValueError(f"{card_text} is not in {name}'s hand: {self.deck.format(hand, ' ')}")
            follow = self.deck.format(hand & int(self._kind.suit_sets[record["trump"], led]), " ")
            raise ValueError(f"{card_text} would be a revoke: {name} must follow {SUIT_NAMES[led]} with {follow}")
        if (seat, suit) in self.shown_out:
            trick, instead = self.shown_out[seat, suit]
            raise ValueError(
                f"{card_text} would be a revoke: {name} did not follow {SUIT_NAMES[suit]} in trick {trick}, "
                f"but played {text(instead)}"
            )
        pulled = cast(int, self.card)
        if not bids and seat == dealer and pulled not in self.played and led == self._suit(pulled) != suit:
            raise ValueError(
                f"{card_text} would be a revoke: {name} must follow {SUIT_NAMES[led]} and holds the pulled card "
                f"{text(pulled)}"
            )

    # --- what follows ---

    def is_known(self) -> bool:
        if not self.over or not self._kind.bids:
            return self.over  # in Whist the last unknown hand is what is left over
        record = self.record
        shown = not any(record["hands"][seat] for seat in self._unknown)  # so that the kitty is what is left over
        return shown and (not record["picked_up"] or int(record["dealer"]) in self.engine)

    def _result_text(self, outcome: Outcome, taken: str) -> str:
        names, side, winner = self.names, outcome.best, outcome.winner
        text = "All passed: nobody scores"
        if side is not None:
            text = f"{names[side]} and {names[side + 2]} score {outcome.points_text} ({taken})"
        if self.options["episode"] == "game":
            text += "; the score is {} : {}".format(*self.record["score"])
            text += "" if winner < 0 else f", {names[winner]} and {names[winner + 2]} win the game"
        return text

    def _told_cards(self, seat: int) -> list[int]:
        return sorted(self.hands.get(seat, []))

    def _draw_position(self) -> str:
        text, names = self.deck.format, self.names
        s = self.record
        lines = [self._title()]
        width = max(map(len, names))
        for seat, name in enumerate(names):
            known = seat in self.engine
            signs = (">", seat == s["to_act"]), ("D", seat == s["dealer"]), ("*", known)
            mark = "".join(sign if holds else " " for sign, holds in signs)
            cards = sorted(members_of(int(s["hands"][seat])), key=self._suit)
            voids = [SUIT_NAMES[suit] for (who, suit) in self.shown_out if who == seat]
            notes = [f"tricks {int(s['tricks'][seat])}"] + ([f"no {' '.join(voids)}"] if voids else [])
            hand = text(cards, " ") if known else f"{len(cards)} cards"
            played = text(int(s["trick"][seat])) or ".."
            lines.append(f"{mark} {name:<{width}}  {played}  {', '.join(notes):<12}  {hand}".rstrip())
        score = "" if self.options["episode"] != "game" else ", score {} : {}".format(*s["score"])
        sides = int(s["tricks"][0] + s["tricks"][2]), int(s["tricks"][1] + s["tricks"][3])
        lines.append(f"tricks {sides[0]} : {sides[1]}{score} (> to act, D dealer, * engine)")
        lines.append("played: " + (" ".join(map(self.deck.text, self.played)) or "nothing"))
        return "\n".join(lines)

    def _title(self) -> str:
        s, up = self.record, self.deck.text(cast(int, self.card))
        trump, bids = int(s["trump"]), self._kind.bids
        title = f"{self.game.title}: "
        title += "finished" if self.over else f"trick {self.trick_number}" if s["leader"] >= 0 else "bidding"
        title += f", trump {SUIT_SYMBOLS[trump]} {SUIT_NAMES[trump]}" if trump < 4 else ""
        if not bids:
            return f"{title}, pulled card {up}"
        called = s["maker"] >= 0 and self.options["bidding"] == "full"
        title += f" called by {self.names[int(s['maker'])]}" if called else ""
        title += " alone" if s["alone"] else ""
        return f"{title}, turned up {up}" + (" (picked up)" if s["picked_up"] else "")
