"""The heuristic agents for Whist and Euchre: one implementation, two sets of lookups.

Source: the ten-agents Euchre paper (2015), as made exact in the project's reference figures;
`cardenvs.baselines.reproduce.euchre` plays the paper's tables again. The kernels of `agents_in` decide for the seat to act
in a view or a full state from what that seat may know.
"""

from typing import Any, ClassVar, NamedTuple

import numpy as np

from cardenvs.baselines.heuristics.calling import CALLERS, DEFAULT_CALLER, call_kernel, caller_number
from cardenvs.baselines.heuristics.cardplay import COOP_HIGH_LOW, HIGH, HIGH_LOW, LOW, high_low_corrected, rule_card
from cardenvs.baselines.heuristics.counting import card_counting_of, card_lookups, markov2_is_strong_of, markov_is_strong_of
from cardenvs.baselines.heuristics.trick_games import for_trick_games
from cardenvs.checks import check_number
from cardenvs.compiled.bits import Bytes, Ints, Streams, borrowed
from cardenvs.compiled.jit import helper
from cardenvs.compiled.streams import random_member
from cardenvs.contract.kernels import Kernel
from cardenvs.contract.kinds import TrickGame
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import mask_bits
from cardenvs.policy.replay import Foretold

RANDOM, HIGH_LOW_CORRECTED, CARD_COUNTING = 4, 5, 6
MARKOV, MARKOV2, MARKOV2_PUBLISHED, HYBRID, HYBRID2 = 7, 8, 9, 10, 11  # after 0 to 3, the simple rules of `cardplay`

PARTNERS = ("random", "high-low", "coop-high-low", "markov2", "card-counting", "poe")
"""The partners of the ad-hoc benchmark (`cardenvs.baselines.crossplay.held_out`): fast, of unlike styles, without files.

``random`` has no rule, ``high-low`` wins what it can, from its partner, too, ``coop-high-low`` leaves the trick to the
partner who holds it, ``markov2`` goes by its own hand, ``card-counting`` plays to where its partner is strong, and ``poe``
searches. ``hybrid`` is the opponent; of variants of one agent there is one, so that no style counts twice.
"""


@helper
def _rule_for(agent: int, strong: bool) -> int:
    """The rule that an agent of the Markov kind follows with a strong hand, or with one that is not."""
    if agent >= HYBRID:
        return COOP_HIGH_LOW if strong else CARD_COUNTING
    return HIGH if strong else LOW


class Agents(NamedTuple):
    """The agents' kernels for a game.

    ``agent`` is an agent's number, LOW to HYBRID2; ``threshold``, of agents of the Markov kind, the share of the unseen
    cards' value that makes a hand strong. ``card(agent, threshold, games, i, cards, streams, s)`` returns the card that an
    agent plays from its legal ``cards``, a set that is not empty.
    ``rows(agent, threshold, calling, observations, masks, streams, views, out)`` writes the actions of all rows to ``out``;
    caller number ``calling`` decides where no card is to be played.
    """

    card: Kernel
    rows: Kernel


@for_trick_games
def agents_in(game: GameSpec, kind: TrickGame) -> Agents:
    playing, sitting_out, unseen, taken = kind.playing, kind.sitting_out, kind.unseen, kind.taken
    lookups, call, decode = card_lookups(kind), call_kernel(kind), game.kernels.decode
    markov_is_strong, markov2_is_strong = markov_is_strong_of(lookups), markov2_is_strong_of(lookups)
    card_counting, suit_of, strength = card_counting_of(lookups), kind.suit_of, kind.strength

    @game.kernels.loop("agents.card")
    def agent_card(agent: int, threshold: float, games: Any, i: int, cards: int, streams: Streams, s: int) -> int:
        g, streams = games[i], borrowed(streams)
        absent, hidden = sitting_out(games, i), unseen(games, i, g.to_act)
        if agent == RANDOM:
            return random_member(streams, s, cards)
        if agent == HIGH_LOW_CORRECTED:
            return high_low_corrected(g, cards, suit_of, strength, streams, s)
        rule = agent
        if agent >= MARKOV:
            if agent == MARKOV or agent == HYBRID:
                strong = markov_is_strong(g, hidden, threshold)
            else:
                strong = markov2_is_strong(g, hidden, absent, threshold, agent == MARKOV2_PUBLISHED)
            rule = _rule_for(agent, strong)
        if rule == CARD_COUNTING:
            rule, cards = card_counting(g, cards, hidden, taken(games, i), absent, streams, s)
        return rule_card(rule, g, cards, strength, streams, s)

    @game.kernels.loop("agents.rows")
    def agent_rows(
        agent: int, threshold: float, calling: int, observations: Bytes, masks: Bytes, streams: Streams, views: Any,
        out: Ints,
    ) -> None:  # fmt: skip
        for row in range(len(out)):
            decode(observations, row, views, 0)
            actions = mask_bits(masks, row)
            if playing(views, 0):
                out[row] = agent_card(agent, threshold, views, 0, actions, streams, row)
            else:
                out[row] = call(calling, views, 0, actions, streams, row)

    return Agents(agent_card, agent_rows)


class TrickTakingPolicy(Foretold):
    """An agent for trick games that decides by a kernel; ``calling``, of `CALLERS`, bids and discards in full Euchre."""

    games = ("euchre", "whist")
    agent: ClassVar[int]  # LOW to HYBRID2
    threshold = 0.0  # of agents of the Markov kind

    def __init__(self, game: str | GameSpec, calling: str = DEFAULT_CALLER) -> None:
        self.caller = caller_number(calling)
        if self.caller == CALLERS["random"]:
            self.can_be_foretold = False
        super().__init__(game)

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        out = np.empty(len(observations), np.int64)
        views = self.game.new_games(1)
        rows = agents_in(self.game).rows
        rows(self.agent, self.threshold, self.caller, observations, action_masks, streams, views, out)
        return out


class ThresholdPolicy(TrickTakingPolicy):
    """An agent of the Markov kind.

    Args:
        threshold: the hand is strong if its value is at least this share of the value of the unseen cards; 0 or more.
        calling: who bids and discards in full Euchre, a name from `calling.CALLERS`.
    """

    def __init__(self, game: str | GameSpec, threshold: float = 0.25, calling: str = DEFAULT_CALLER) -> None:
        super().__init__(game, calling)
        self.threshold = check_number("threshold", threshold)


class Low(TrickTakingPolicy):
    """``low``: the worst legal card (section 2.1 of the paper)."""

    agent = LOW


class High(TrickTakingPolicy):
    """``high``: the best legal card (section 2.1 of the paper)."""

    agent = HIGH


class HighLow(TrickTakingPolicy):
    """``high-low``: tries to win the trick with its best card, else throws its worst (section 2.2 of the paper).

    It keeps the slip of the published figures: strength numbers are compared across suits (`cardplay.rule_card`).
    """

    agent = HIGH_LOW


class HighLowCorrected(TrickTakingPolicy):
    """``high-low-corrected``: high-low as the paper describes it, without the slip (`cardplay.high_low_corrected`)."""

    agent = HIGH_LOW_CORRECTED


class CoopHighLow(TrickTakingPolicy):
    """``coop-high-low``: high-low that leaves a trick to the partner who holds it (section 2.2 of the paper)."""

    agent = COOP_HIGH_LOW


class Markov(ThresholdPolicy):
    """``markov``: the best card with a strong hand, else the worst (section 2.3 of the paper).

    Strong is a hand whose value is at least ``threshold`` times that of the unseen cards; a card is worth the number of
    ordered tricks that it wins, out of all from the whole deck (`counting.trick_counts`).
    """

    agent = MARKOV


class Markov2(ThresholdPolicy):
    """``markov2``: markov with the ordered completions of the current trick that a card wins (section 2.3 of the paper).

    As the paper describes it; the printed figures come from ``markov2-published``.
    """

    agent = MARKOV2


class Markov2Published(ThresholdPolicy):
    """``markov2-published``: markov2 with the slip behind the paper's printed figures (Tables 16 to 21, 28, 35, 43).

    The original's table of values is read past its end for a fourth card when the trick was led by a king, an ace or the
    queen of hearts, diamonds or clubs: zeros, so the hand counts as weak. Whist has no original; the slip is the same.
    """

    agent = MARKOV2_PUBLISHED
    slip = True


class CardCounting(TrickTakingPolicy):
    """``card-counting``: plays to where its partner is stronger than the opponents (section 2.4 of the paper).

    It keeps, for each other seat, the cards that it could still hold (`counting.card_counting_of`).
    """

    agent = CARD_COUNTING


class Hybrid(ThresholdPolicy):
    """``hybrid``: coop-high-low with a hand strong by markov's measure, else card-counting (section 2.5 of the paper)."""

    agent = HYBRID


class Hybrid2(ThresholdPolicy):
    """``hybrid2``: coop-high-low with a hand strong by markov2's measure, else card-counting (section 2.5 of the paper)."""

    agent = HYBRID2
