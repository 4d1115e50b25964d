"""A slow count of what partners do to each other, from the text of deals: the rules of `METRICS`, card by card."""

from __future__ import annotations

from cardenvs.baselines.observers import METRICS
from tests.naive import euchre as naive_euchre
from tests.naive import whist as naive_whist


class Euchre:
    """A deal of Euchre as the slow count needs it."""

    def __init__(self, line):
        words = line.split()
        self.actions = words[-1].removeprefix("actions=").split(",")
        self.deal = naive_euchre.read(" ".join(words[:-1]))

    @property
    def playing(self):
        return self.deal.phase == "playing"

    @property
    def seat(self):
        return self.deal.to_act

    @property
    def trump(self):
        return self.deal.trump

    @property
    def absent(self):
        return self.deal.absent()

    @property
    def tricks(self):
        return self.deal.past_tricks

    def legal(self):
        return self.deal.legal()

    def suit(self, card):
        return naive_euchre.effective_suit(card, self.deal.trump)

    def wins(self, plays):
        return naive_euchre.trick_winner(plays, self.deal.trump)

    def hidden_from(self, seat):
        """The trumps that this seat has not located."""
        deal = self.deal
        seen = set(deal.hands[seat]) | {card for trick in self.tricks for _, card in trick}
        if seat == deal.dealer and deal.discard:
            seen.add(deal.discard)
        if not deal.picked_up:
            seen.add(deal.turned)
        return {card for card in naive_euchre.DECK if self.suit(card) == deal.trump} - seen

    def surely_elsewhere(self, seat):
        """Cards that everybody knows this seat cannot hold."""
        return {self.deal.turned} if self.deal.picked_up and seat != self.deal.dealer else set()


class Whist:
    """A deal of Whist as the slow count needs it."""

    playing = True
    absent = None

    def __init__(self, line):
        words = dict(word.split("=") for word in line.split()[1:])
        self.actions = words["actions"].split(",")
        hands = [naive_euchre.cards_of(hand) for hand in words["hands"].split("/")]
        self.deal = naive_whist.Deal(hands, int(words["dealer"]), words["shown"])
        self.trump = words["shown"][1]

    @property
    def seat(self):
        return self.deal.seat

    @property
    def tricks(self):
        return [trick for _, trick in self.deal.won]

    def legal(self):
        return self.deal.legal

    def suit(self, card):
        return card[1]

    def wins(self, plays):
        best = naive_whist.winning_card([card for _, card in plays], self.trump)
        return next(seat for seat, card in plays if card == best)

    def hidden_from(self, seat):
        seen = set(self.deal.hands[seat]) | {card for trick in self.tricks for _, card in trick}
        return {card for card in naive_whist.CARDS if card[1] == self.trump} - seen

    def surely_elsewhere(self, seat):
        return {self.deal.shown} if seat != self.deal.dealer else set()


def slow_count(line):
    """For each metric the lists of (seat, done) of its opportunities."""
    deal = {"euchre": Euchre, "whist": Whist}[line.split()[0]](line)
    judged = {name: [] for name in METRICS}
    for action in deal.actions:
        if not action:
            break
        if deal.playing:
            for name, done in judge(deal, action).items():
                judged[name].append((deal.seat, done))
        deal.deal.play(action)
    return judged


def judge(table, card):
    seat, trick = table.seat, table.deal.trick
    partner = (seat + 2) % 4
    legal = list(table.legal())
    if trick:
        if table.wins(trick) != partner:
            return {}
        takes = {other: table.wins([*trick, (seat, other)]) == seat for other in legal}
        if len(set(takes.values())) == 1:
            return {}
        judged = {"overtakes": takes[card]}
        if not any(table.suit(other) == table.suit(trick[0][1]) for other in legal):
            judged["ruffs"] = takes[card]
        return judged
    if partner == table.absent:
        return {}
    shown_out = {
        table.suit(played[0][1])
        for played in table.tricks
        for who, other in played
        if who == partner and table.suit(other) != table.suit(played[0][1])
    }
    into = {other: table.suit(other) in shown_out for other in legal}
    if len(set(into.values())) == 1:
        return {}
    could_ruff = table.trump not in shown_out and bool(table.hidden_from(seat) - table.surely_elsewhere(partner))
    return {"void_leads": into[card], "void_leads_ruffable" if could_ruff else "void_leads_unruffable": into[card]}


class Keep:
    """Hands the deals on and keeps them."""

    def __init__(self, observer):
        self.observer, self.deals = observer, []

    def __call__(self, states, owners):
        self.observer(states, owners)
        self.deals += [(state.copy(), owner.copy()) for state, owner in zip(states, owners, strict=True)]
