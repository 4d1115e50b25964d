"""A slow count of what partners do to each other, from the text of deals: the rules of `METRICS`, card by card."""

from cardenvs.baselines.observers import METRICS
from tests.naive import euchre, euchre_agents, whist

GAMES = {"euchre": (euchre.read, euchre_agents.euchre_position), "whist": (whist.read, euchre_agents.whist_position)}
"""By name: what reads a deal, and what tells what the seat to act knows in the play."""


def slow_count(line):
    """For each metric the lists of (seat, done) of its opportunities."""
    start, _, actions = line.partition(" actions=")
    read, position_in = GAMES[line.split()[0]]
    deal, judged = read(start), {name: [] for name in METRICS}
    for action in filter(None, actions.split(",")):
        if getattr(deal, "phase", "playing") == "playing":
            known = position_in(deal)
            for name, done in judge(known, action).items():
                judged[name].append((known.seat, done))
        deal.play(action)
    return judged


def judge(p, card):
    legal = p.legal()
    if p.trick:
        if p.winning()[0] != p.partner:
            return {}
        takes = {other: p.would_win(other) for other in legal}
        if len(set(takes.values())) == 1:
            return {}
        return {"overtakes": takes[card]} | ({} if p.of_suit(legal, p.suit(p.trick[0][1])) else {"ruffs": takes[card]})
    if p.partner == p.absent:
        return {}
    shown_out = {
        p.suit(played[0][1])
        for played in p.tricks
        for who, other in played
        if who == p.partner and p.suit(other) != p.suit(played[0][1])
    }
    into = {other: p.suit(other) in shown_out for other in legal}
    if len(set(into.values())) == 1:
        return {}
    could_ruff = bool(p.of_suit(p.could_hold(p.partner), p.trump))
    return {"void_leads": into[card], "void_leads_ruffable" if could_ruff else "void_leads_unruffable": into[card]}


class Keep:
    """Hands the deals on and keeps them."""

    def __init__(self, observer):
        self.observer, self.deals = observer, []

    def __call__(self, states, owners):
        self.observer(states, owners)
        self.deals += [(state.copy(), owner.copy()) for state, owner in zip(states, owners, strict=True)]
