"""Deals of Whist and Euchre with some known hands and the public actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cardenvs.contract.cards import SUIT_NAMES, members_of
from cardenvs.contract.fields import Games
from cardenvs.contract.options import show
from cardenvs.contract.spec import GameSpec
from cardenvs.games import euchre
from cardenvs.play.advise.holders import Holder, distribute_cards
from cardenvs.play.advise.partial import PartialDeal


class PartialTricks(PartialDeal):
    """A deal of Whist or Euchre of which some hands are known.

    In `state` only the public part and the known hands are sure to be as in the true deal; a dealer with an unknown hand
    has discarded as soon as the turned card was picked up. ``shown_out`` tells where a seat first did not follow,
    ``{(seat, effective suit): (trick number from 1, card)}``; ``played`` are the cards played, ``{card: (seat, trick
    number)}``.
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
        """Begins with the pulled card (Whist) or the turned card (Euchre), ``up``, and the known hands as dealt, by seat.

        In Whist the dealer's hand has the pulled card, in Euchre no hand has the turned card. Raises ValueError for no
        deal's hands.
        """
        self.spec = spec
        self.names = tuple(names)
        self.known = frozenset(hands)
        self.shown_out: dict[tuple[int, int], tuple[int, int]] = {}
        self.played: dict[int, tuple[int, int]] = {}
        kind = spec.trick_game
        assert kind is not None
        self._kind, self._deck = kind, kind.deck
        dealt = dict(hands)
        rest = self._deck.all & ~(1 << up)
        for hand in hands.values():
            rest &= ~hand
        free = members_of(rest)
        for seat in range(4):
            if seat not in dealt:
                mine = [up] if not kind.bids and seat == dealer else []
                while len(mine) < kind.dealt and free:
                    mine.append(free.pop(0))
                dealt[seat] = sum(1 << card for card in mine)
        words = [spec.name, *(f"{name}={show(value)}" for name, value in options.items())]
        words += [f"score={score[0]}-{score[1]}", f"dealer={dealer}"]
        words.append("hands=" + "/".join(self._deck.format(dealt[seat]) for seat in range(4)))
        words.append(f"{kind.open_field}={self._deck.text(up)}")
        self.state = spec.parse(" ".join(words))

    @property
    def choosing_card(self) -> bool:
        return not self._kind.bids or int(self.state[0]["phase"]) in (euchre.DISCARDING, euchre.PLAYING)

    @property
    def discarding(self) -> bool:
        """Whether the next action is the discard of a dealer whose hand is known."""
        return self._kind.bids and int(self.state[0]["phase"]) == euchre.DISCARDING

    @property
    def trick_number(self) -> int:
        return int(self.state[0]["tricks"].sum()) + 1

    def play_action(self, action: int) -> None:
        """Plays an action of the seat to act; raises ValueError, and changes nothing, if no deal allows it."""
        if self.over:
            raise ValueError("the deal is over")
        legal = self.spec.legal(self.state)
        state = self.state
        if not legal >> action & 1:
            if action >= self._deck.size or not self.choosing_card:
                raise ValueError(
                    f"{self.spec.actions[action]} is not possible now; possible: {self._possible_actions(legal)}"
                )
            self._check_card(action)
            state = self._refit_deal(action)
        playing = not self._kind.bids or int(state[0]["phase"]) == euchre.PLAYING
        seat, trick = int(state[0]["to_act"]), int(state[0]["tricks"].sum()) + 1
        voids = int(state[0]["voids"][seat])
        state = state.copy()
        self.spec.kernels.step(state, 0, action)
        if playing:
            self.played[action] = (seat, trick)
            for suit in members_of(int(state[0]["voids"][seat]) & ~voids):
                self.shown_out[seat, suit] = (trick, action)
        if self._kind.bids and state[0]["phase"] == euchre.DISCARDING and int(state[0]["dealer"]) not in self.known:
            self.spec.kernels.step(state, 0, members_of(int(state[0]["hands"][state[0]["dealer"]]))[0])
        self.state = state

    def _possible_actions(self, legal: int) -> str:
        """Returns possible actions of the seat to act, for messages; no cards of an unknown hand."""
        if self.choosing_card and self.seat_to_act not in self.known:
            return "a card"
        return self.spec.legal_names(legal)

    def effective_suit(self, card: int) -> int:
        return int(self._kind.suit_of[self.state[0]["trump"], card])

    def led_suit(self) -> int:
        """Returns the effective suit led to the current trick, -1 before a card is led."""
        state = self.state[0]
        lead = int(state["trick"][state["leader"]]) if state["leader"] >= 0 else 0
        return self.effective_suit(members_of(lead)[0]) if lead else -1

    def _check_card(self, card: int) -> None:
        """Raises ValueError, with a plain reason, for a card that one known fact alone rules out."""
        seat, state, text = self.seat_to_act, self.state[0], self._deck.text
        name, card_text, bit = self.names[seat], text(card), 1 << card
        if card in self.played:
            who, trick = self.played[card]
            raise ValueError(f"{card_text} was played by {self.names[who]} in trick {trick}")
        for other in self.known - {seat}:
            if int(state["hands"][other]) & bit:
                raise ValueError(f"{card_text} is in {self.names[other]}'s hand")
        dealer = int(state["dealer"])
        if not self._kind.bids:
            if bit == state["shown"] and seat != dealer:
                raise ValueError(f"{card_text} is the pulled card: it belongs to {self.names[dealer]}, who deals")
        elif bit == state["turned"]:
            if not state["picked_up"]:
                raise ValueError(f"{card_text} was turned up and stays out of play")
            if seat != dealer:
                raise ValueError(f"{card_text} was turned up and picked up by {self.names[dealer]}")
        elif bit == state["discard"] and dealer in self.known:
            raise ValueError(f"{card_text} was discarded by {self.names[dealer]}")
        led = self.led_suit()
        if seat in self.known:
            hand = int(state["hands"][seat])
            if not hand & bit:
                raise ValueError(f"{card_text} is not in {name}'s hand: {self._deck.format(hand, ' ')}")
            follow = self._deck.format(hand & int(self._kind.suit_sets[state["trump"], led]), " ")
            raise ValueError(f"{card_text} would be a revoke: {name} must follow {SUIT_NAMES[led]} with {follow}")
        suit = self.effective_suit(card)
        if (seat, suit) in self.shown_out:
            trick, instead = self.shown_out[seat, suit]
            raise ValueError(
                f"{card_text} would be a revoke: {name} did not follow {SUIT_NAMES[suit]} in trick {trick}, "
                f"but played {text(instead)}"
            )
        if not self._kind.bids and seat == dealer and led >= 0 and suit != led:
            shown = int(state["shown"])
            if shown & int(state["hands"][seat]) and self.effective_suit(members_of(shown)[0]) == led:
                raise ValueError(
                    f"{card_text} would be a revoke: {name} must follow {SUIT_NAMES[led]} and holds the pulled card "
                    f"{self._deck.format(shown)}"
                )

    def _refit_deal(self, card: int) -> Games:
        """Returns another whole deal that fits all known facts, in which the seat to act may play ``card``."""
        state, seat = self.state[0], self.seat_to_act
        unseen = self._deck.all
        for k in range(4):
            unseen &= ~int(state["played"][k])
        for k in self.known:
            unseen &= ~int(state["hands"][k])
        led = self.led_suit()
        voids = [int(bits) for bits in state["voids"]]
        if led >= 0 and self.effective_suit(card) != led:
            voids[seat] |= 1 << led
        dealer = int(state["dealer"])
        hidden = [k for k in range(4) if k not in self.known]
        holders: dict[str, Holder] = {}
        up, dealers = 0, {f"hand {dealer}"}
        for k in hidden:
            allowed = unseen
            for suit in members_of(voids[k]):
                allowed &= ~int(self._kind.suit_sets[state["trump"], suit])
            holders[f"hand {k}"] = Holder(self.names[k], int(state["hands"][k]).bit_count(), allowed)
        if not self._kind.bids:
            up = int(state["shown"]) & unseen
        else:
            holders["kitty"] = Holder("the kitty", 3, unseen)
            if not state["picked_up"]:
                unseen &= ~int(state["turned"])
            elif dealer in self.known:
                unseen &= ~int(state["discard"] | state["turned"])
            else:
                up = int(state["turned"]) & unseen
                holders["discard"] = Holder(f"{self.names[dealer]}'s discard", 1, unseen)
                dealers.add("discard")
        for key, holder in holders.items():
            if key not in dealers:
                holder.allowed &= ~up
            if key != f"hand {seat}":
                holder.allowed &= ~(1 << card)
        # The cards with the fewest possible holders come first, which gives the plainest reason.
        order = sorted(members_of(unseen), key=lambda c: (sum(h.allowed >> c & 1 for h in holders.values()), c))
        try:
            distribute_cards(order, list(holders.values()), self._deck)
        except ValueError as error:
            raise ValueError(f"{self._deck.text(card)} from {self.names[seat]} fits no deal: {error}") from None
        given = {key: sum(1 << c for c in holder.cards) for key, holder in holders.items()}
        hands = [given.get(f"hand {k}", int(state["hands"][k])) | int(state["played"][k]) for k in range(4)]
        fields = self.spec.deal_text(state)
        discard = ""
        if self._kind.bids:
            fields["kitty"] = self._deck.format(given["kitty"])
            if state["picked_up"]:
                put = given.get("discard", int(state["discard"]))
                discard = self._deck.format(put)
                hands[dealer] = (hands[dealer] | put) & ~int(state["turned"])
        fields["hands"] = "/".join(self._deck.format(hand) for hand in hands)
        codes = [int(code) for code in state["history"][: int(state["moves"])]]
        actions = ",".join(discard if code == euchre.HIDDEN_DISCARD else self.spec.actions[code] for code in codes)
        words = [self.spec.name, *(f"{o}={show(value)}" for o, value in self.spec.options_of(state).items())]
        words += [f"{key}={value}" for key, value in fields.items()]
        return self.spec.parse(" ".join([*words, f"actions={actions}"]))

    def is_known(self) -> bool:
        """Whether all is known, so that `state` is the true deal."""
        state = self.state[0]
        hidden = [k for k in range(4) if k not in self.known and int(state["hands"][k])]
        # The last unknown hand is what is left over, unless cards out of play are unknown, too.
        if not self._kind.bids:
            return len(hidden) <= 1
        return not hidden and (not state["picked_up"] or int(state["dealer"]) in self.known)
