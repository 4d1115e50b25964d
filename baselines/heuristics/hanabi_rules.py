"""The agents for Hanabi that follow a list of rules: the first rule that can act decides, and nothing is remembered.

Source: J. Walton-Rivers et al., "Evaluating and Modelling Hanabi-Playing Agents" (2017), with the order of cards of the
Hanabi Learning Environment, in which a hand's first card is its oldest; R. Canaan et al., "Evaluating the Rainbow DQN Agent
in Hanabi with Unseen Partners" (2020), where these agents are partners. They play every form of the game.

Terms of the rules: a colour or a rank is *known* if hints have left one open. The *candidates* of an own card are the cards
not seen, the own ones among them, that fit its hints, copy by copy. A face is *playable* if its firework needs it next, and
*useless* if its firework is past it or can no longer come to it. The *lowest* firework is the one of the least height.
"""

import functools
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np

from cardenvs.baselines.heuristics.hanabi_faces import Facts, copies_in, facts_of, is_open, tell_colour, tell_rank
from cardenvs.compiled.bits import Bytes, Ints, Streams, lowest
from cardenvs.compiled.jit import kernel
from cardenvs.compiled.streams import below, random_member
from cardenvs.contract.kernels import Kernels
from cardenvs.games import hanabi
from cardenvs.policy.contract import mask_bits
from cardenvs.policy.replay import Foretold

(
    RANDOM, PLAY_CERTAIN, PLAY_SAFE, PLAY_LIKELY, DISCARD_LIKELY, DISCARD_USELESS, DISCARD_OLDEST, DISCARD_RANDOM,
    TELL_USEFUL, TELL_NEXT_USEFUL, TELL_NEXT_PLAYABLE, TELL_NEXT_UNKNOWN, TELL_NEXT_RANDOM, TELL_DISPENSABLE, TELL_MOST,
) = range(15)  # fmt: skip
"""The rules by number, as `apply_rule` takes them."""

ALWAYS, WITH_A_SPARE_LIFE, WITH_A_SPARE_LIFE_AND_NO_DECK, WITH_FEW_TOKENS = range(4)
"""Conditions of rules: none; more lives than one are left; these and an empty deck; less than four information tokens."""


class Rule(NamedTuple):
    number: int  # the rule's number, RANDOM to TELL_MOST
    threshold: float = 0.0  # the least share of candidates at which PLAY_LIKELY and DISCARD_LIKELY act; else unused
    when: int = ALWAYS  # when the rule applies, ALWAYS to WITH_FEW_TOKENS


AGENTS: dict[str, tuple[Rule, ...]] = {
    "legal-random": (),
    "internal": (
        Rule(PLAY_SAFE), Rule(DISCARD_USELESS), Rule(TELL_NEXT_PLAYABLE), Rule(TELL_NEXT_RANDOM), Rule(DISCARD_RANDOM),
    ),
    "outer": (
        Rule(PLAY_SAFE), Rule(DISCARD_USELESS), Rule(TELL_NEXT_USEFUL), Rule(TELL_NEXT_UNKNOWN), Rule(DISCARD_RANDOM),
    ),
    "cautious": (
        Rule(PLAY_CERTAIN), Rule(PLAY_SAFE), Rule(TELL_USEFUL), Rule(DISCARD_USELESS), Rule(DISCARD_RANDOM),
        Rule(TELL_NEXT_RANDOM),
    ),
    "iggi": (
        Rule(PLAY_CERTAIN), Rule(PLAY_SAFE), Rule(TELL_USEFUL), Rule(DISCARD_USELESS), Rule(DISCARD_OLDEST),
        Rule(TELL_NEXT_RANDOM),
    ),
    "piers": (
        Rule(PLAY_LIKELY, 0.0, WITH_A_SPARE_LIFE_AND_NO_DECK), Rule(PLAY_SAFE), Rule(PLAY_LIKELY, 0.6, WITH_A_SPARE_LIFE),
        Rule(TELL_USEFUL), Rule(TELL_DISPENSABLE, when=WITH_FEW_TOKENS), Rule(DISCARD_USELESS), Rule(DISCARD_OLDEST),
        Rule(TELL_NEXT_RANDOM), Rule(DISCARD_RANDOM),
    ),
    "flawed": (
        Rule(PLAY_SAFE), Rule(PLAY_LIKELY, 0.25), Rule(TELL_NEXT_RANDOM), Rule(DISCARD_USELESS), Rule(DISCARD_OLDEST),
        Rule(DISCARD_RANDOM),
    ),
    "van-den-bergh": (
        Rule(PLAY_LIKELY, 0.6, WITH_A_SPARE_LIFE), Rule(PLAY_SAFE), Rule(DISCARD_LIKELY, 1.0), Rule(TELL_USEFUL),
        Rule(TELL_MOST), Rule(DISCARD_LIKELY, 0.0),
    ),
}  # fmt: skip
"""The rules of each agent in their order; RANDOM follows the last. An agent's number is its place here."""

_LISTS = [[*rules, *[Rule(RANDOM)] * (10 - len(rules))] for rules in AGENTS.values()]
_NUMBERS = np.array([[rule.number for rule in rules] for rules in _LISTS])
_THRESHOLDS = np.array([[rule.threshold for rule in rules] for rules in _LISTS])
_WHENS = np.array([[rule.when for rule in rules] for rules in _LISTS])


# --- the rules: the action of each, -1 where it cannot act -----------------------------------------------------------


@kernel
def play_certain(views: Any, i: int, facts: Facts, actions: int) -> int:
    """Plays the first card whose colour and rank are known and that is playable."""
    v = views[i]
    for slot in range(v.sizes[0]):
        faces = hanabi.may_be(views, i, 0, slot)
        if not is_open(faces) and faces & facts.playable and actions >> (v.hand_size + slot) & 1:
            return v.hand_size + slot
    return -1


@kernel
def play_safe(views: Any, i: int, facts: Facts, actions: int) -> int:
    """Plays the first card all of whose candidates are playable."""
    v = views[i]
    bad = (facts.odd | facts.several) & ~facts.playable
    for slot in range(v.sizes[0]):
        if not hanabi.may_be(views, i, 0, slot) & bad and actions >> (v.hand_size + slot) & 1:
            return v.hand_size + slot
    return -1


@kernel
def likeliest_card(views: Any, i: int, facts: Facts, wanted: int, threshold: float, slots: int) -> int:
    """The last slot with the largest share of ``wanted`` among its candidates; -1 where none reaches the threshold."""
    v = views[i]
    best, chosen = threshold, -1
    for slot in range(v.sizes[0]):
        if slots >> slot & 1:
            faces = hanabi.may_be(views, i, 0, slot)
            share = copies_in(faces & wanted, facts.odd, facts.several) / copies_in(faces, facts.odd, facts.several)
            if share >= best:
                best, chosen = share, slot
    return chosen


@kernel
def discard_useless(views: Any, i: int, facts: Facts, actions: int) -> int:
    """Discards the first card that is known to be useless; else the first of a known colour without hope.

    By what is known of it a card is useless if its colour's firework is complete, if its face is useless, or if its rank is
    below the lowest firework. A colour is without hope for a card if it can no longer come to any of its candidates.
    """
    v = views[i]
    for slot in range(v.sizes[0]):
        colours, ranks = np.int64(v.may_colours[0, slot]), np.int64(v.may_ranks[0, slot])
        known = not is_open(ranks) and lowest(ranks) < facts.lowest
        if not is_open(colours):
            faces = hanabi.may_be(views, i, 0, slot)
            known |= v.fireworks[lowest(colours)] == v.ranks or (not is_open(ranks) and faces & facts.useless != 0)
        if known and actions >> slot & 1:
            return np.int64(slot)
    good = (facts.odd | facts.several) & ~facts.beyond
    for slot in range(v.sizes[0]):
        hopeless = not is_open(np.int64(v.may_colours[0, slot])) and not hanabi.may_be(views, i, 0, slot) & good
        if hopeless and actions >> slot & 1:
            return np.int64(slot)
    return -1


@kernel
def tell_useful(views: Any, i: int, facts: Facts, actions: int, seats: int) -> int:
    """Tells one of the next ``seats`` of its first playable card: its rank if that is not known, else its colour."""
    v = views[i]
    for seat in range(1, seats + 1):
        for slot in range(v.sizes[seat]):
            face = np.int64(v.hands[seat, slot]) - 1
            if facts.playable >> face & 1:
                action = -1
                if is_open(v.may_ranks[seat, slot]):
                    action = tell_rank(v, seat, face % v.ranks)
                elif is_open(v.may_colours[seat, slot]):
                    action = tell_colour(v, seat, face // v.ranks)
                if action >= 0 and actions >> action & 1:
                    return action
    return -1


@kernel
def tell_card(views: Any, i: int, slot: int, actions: int, streams: Streams, s: int) -> int:
    """Tells the next seat the rank or the colour of a card, by a fair coin."""
    v = views[i]
    face = np.int64(v.hands[1, slot]) - 1
    by_rank = below(streams, s, 2)
    action = tell_rank(v, 1, face % v.ranks) if by_rank else tell_colour(v, 1, face // v.ranks)
    return action if actions >> action & 1 else -1


@kernel
def tell_next_playable(views: Any, i: int, facts: Facts, actions: int, streams: Streams, s: int) -> int:
    """Tells the next seat the rank or the colour of its first playable card, by a fair coin."""
    v = views[i]
    for slot in range(v.sizes[1]):
        if facts.playable >> (np.int64(v.hands[1, slot]) - 1) & 1:
            return tell_card(views, i, slot, actions, streams, s)
    return -1


@kernel
def tell_next_unknown(views: Any, i: int, actions: int) -> int:
    """Tells the next seat of the first card of which something is not known: its colour, else its rank."""
    v = views[i]
    for slot in range(v.sizes[1]):
        face, action = np.int64(v.hands[1, slot]) - 1, -1
        if is_open(v.may_colours[1, slot]):
            action = tell_colour(v, 1, face // v.ranks)
        elif is_open(v.may_ranks[1, slot]):
            action = tell_rank(v, 1, face % v.ranks)
        if action >= 0 and actions >> action & 1:
            return action
    return -1


@kernel
def tell_dispensable(views: Any, i: int, facts: Facts, actions: int) -> int:
    """Tells a seat, from the one that began on, of its first card that it can then see to be useless.

    That is the colour if the firework is complete; else the rank if it is below the lowest firework; else, of a card below
    its firework's height, the colour or the rank if the other one is known.
    """
    v = views[i]
    for k in range(v.players):
        seat = (v.first + k) % v.players
        for slot in range(v.sizes[seat] if seat > 0 else 0):
            face = np.int64(v.hands[seat, slot]) - 1
            colour, rank = face // v.ranks, face % v.ranks
            height = v.fireworks[colour]
            no_colour, no_rank = is_open(v.may_colours[seat, slot]), is_open(v.may_ranks[seat, slot])
            action = -1
            if no_colour and (height == v.ranks or (not no_rank and rank < height)):
                action = tell_colour(v, seat, colour)
            elif no_rank and (rank < facts.lowest or (not no_colour and rank < height)):
                action = tell_rank(v, seat, rank)
            if action >= 0 and actions >> action & 1:
                return action
    return -1


@kernel
def tell_most(views: Any, i: int, actions: int) -> int:
    """Gives a seat, from the one that began on, the hint that is new for the most cards; ranks before colours."""
    v = views[i]
    most, chosen = np.int64(0), -1
    for k in range(v.players):
        seat = (v.first + k) % v.players
        if seat > 0:
            of_ranks, of_colours = np.int64(0), np.int64(0)  # numbers of four bits
            for slot in range(v.sizes[seat]):
                face = np.int64(v.hands[seat, slot]) - 1
                of_ranks += np.int64(is_open(v.may_ranks[seat, slot])) << 4 * (face % v.ranks)
                of_colours += np.int64(is_open(v.may_colours[seat, slot])) << 4 * (face // v.ranks)
            for rank in range(v.ranks):
                many, action = of_ranks >> 4 * rank & 15, tell_rank(v, seat, rank)
                if many > most and actions >> action & 1:
                    most, chosen = many, action
            for colour in range(v.colours):
                many, action = of_colours >> 4 * colour & 15, tell_colour(v, seat, colour)
                if many > most and actions >> action & 1:
                    most, chosen = many, action
    return chosen


@kernel
def rule_applies(when: int, views: Any, i: int) -> bool:
    v = views[i]
    if when == WITH_FEW_TOKENS:
        return v.information < 4
    if when == WITH_A_SPARE_LIFE_AND_NO_DECK and v.drawn < hanabi.deck_size(views, i):
        return False
    return when == ALWAYS or v.lives > 1


@kernel
def apply_rule(
    rule: int, threshold: float, views: Any, i: int, facts: Facts, actions: int, streams: Streams, s: int
) -> int:
    v = views[i]
    held = v.hand_size
    slots = (np.int64(1) << held) - 1
    discards = actions & slots
    if rule == PLAY_CERTAIN:
        return play_certain(views, i, facts, actions)
    if rule == PLAY_SAFE:
        return play_safe(views, i, facts, actions)
    if rule == PLAY_LIKELY:
        slot = likeliest_card(views, i, facts, facts.playable, threshold, actions >> held & slots)
        return held + slot if slot >= 0 else slot
    if rule == DISCARD_LIKELY:
        return likeliest_card(views, i, facts, facts.useless, threshold, discards)
    if rule == DISCARD_USELESS:
        return discard_useless(views, i, facts, actions)
    if rule == DISCARD_OLDEST:
        return lowest(discards) if discards else -1
    if rule == DISCARD_RANDOM:
        return random_member(streams, s, discards) if discards else -1
    if rule == TELL_USEFUL:
        return tell_useful(views, i, facts, actions, v.players - 1)
    if rule == TELL_NEXT_USEFUL:
        return tell_useful(views, i, facts, actions, 1)
    if rule == TELL_NEXT_PLAYABLE:
        return tell_next_playable(views, i, facts, actions, streams, s)
    if rule == TELL_NEXT_UNKNOWN:
        return tell_next_unknown(views, i, actions)
    if rule == TELL_NEXT_RANDOM:
        size = v.sizes[1]
        return tell_card(views, i, below(streams, s, size), actions, streams, s) if size > 0 else -1
    if rule == TELL_DISPENSABLE:
        return tell_dispensable(views, i, facts, actions)
    if rule == TELL_MOST:
        return tell_most(views, i, actions)
    return random_member(streams, s, actions)


@kernel
def agent_action(agent: int, views: Any, i: int, actions: int, streams: Streams, s: int) -> int:
    """The action, one of ``actions``, of agent number ``agent``, its place in `AGENTS`."""
    facts = facts_of(views, i)
    action, k = -1, 0
    while action < 0:
        if rule_applies(_WHENS[agent, k], views, i):
            action = apply_rule(_NUMBERS[agent, k], _THRESHOLDS[agent, k], views, i, facts, actions, streams, s)
        k += 1
    return action


@functools.cache
def _deciding_loop(kernels: Kernels) -> Callable[..., None]:
    """Makes the loop that decides in the rows of a game's batches."""
    decode = kernels.decode

    @kernels.loop("hanabi_rules.decide_rows")
    def decide_rows(agent: int, observations: Bytes, masks: Bytes, streams: Streams, views: Any, out: Ints) -> None:
        """Writes an agent's actions in all rows to ``out``, int64 (n,); ``views[0]`` is work space."""
        for row in range(len(out)):
            decode(observations, row, views, 0)
            out[row] = agent_action(agent, views, 0, mask_bits(masks, row), streams, row)

    return decide_rows


PARTNERS = (
    "random", "internal", "outer", "cautious", "iggi", "piers", "van-den-bergh", "smartbot", "hat-recommendation",
)  # fmt: skip
"""The partners of the ad-hoc benchmark, those of the field's studies; each form has those that play it.

``hat-information`` is left out as a second code, and ``flawed`` because it throws games away by itself.
"""


class RulesPolicy(Foretold):
    games = ("hanabi",)
    can_be_foretold = True  # where an agent draws, its rules hold the hints or discards equal
    agent: ClassVar[str]  # the agent's name in `AGENTS`

    def choose(self, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        out = np.empty(len(observations), np.int64)
        decide_rows = _deciding_loop(self.game.kernels)
        decide_rows(list(AGENTS).index(self.agent), observations, action_masks, streams, self.game.new_games(1), out)
        return out


class Internal(RulesPolicy):
    """``internal``: plays what is safe, and tells the next player of a playable card without asking what that one knows.

    Source: H. Osawa, "Solving Hanabi" (2015), as in J. Walton-Rivers et al., "Evaluating and Modelling Hanabi-Playing
    Agents" (2017).
    """

    agent = "internal"


class Outer(RulesPolicy):
    """``outer``: plays what is safe, and tells the next player what that one does not know of a playable card.

    Source: H. Osawa, "Solving Hanabi" (2015), as in J. Walton-Rivers et al., "Evaluating and Modelling Hanabi-Playing
    Agents" (2017).
    """

    agent = "outer"


class Cautious(RulesPolicy):
    """``cautious``: plays what is safe, tells anybody of playable cards, and discards at random.

    Source: J. Walton-Rivers et al., "Evaluating and Modelling Hanabi-Playing Agents" (2017).
    """

    agent = "cautious"


class Iggi(RulesPolicy):
    """``iggi``: as ``cautious``, but discards its oldest card.

    Source: J. Walton-Rivers et al., "Evaluating and Modelling Hanabi-Playing Agents" (2017).
    """

    agent = "iggi"


class Piers(RulesPolicy):
    """``piers``: as ``iggi``, but risks a life for a card that is likely to be playable, and tells of useless cards.

    With the deck empty it plays a card in any case while a life is to spare, as in R. Canaan et al., "Evaluating the
    Rainbow DQN Agent in Hanabi with Unseen Partners" (2020).

    Source: J. Walton-Rivers et al., "Evaluating and Modelling Hanabi-Playing Agents" (2017).
    """

    agent = "piers"


class Flawed(RulesPolicy):
    """``flawed``: plays a card that is playable with a chance of a quarter, and tells at random.

    Source: J. Walton-Rivers et al., "Evaluating and Modelling Hanabi-Playing Agents" (2017).
    """

    agent = "flawed"


class VanDenBergh(RulesPolicy):
    """``van-den-bergh``: plays likely cards, discards surely useless ones, and tells of playable cards or of the most.

    Source: M. van den Bergh et al., "Aspects of the Cooperative Card Game Hanabi" (2016), as in J. Walton-Rivers et al.,
    "Evaluating and Modelling Hanabi-Playing Agents" (2017).
    """

    agent = "van-den-bergh"
