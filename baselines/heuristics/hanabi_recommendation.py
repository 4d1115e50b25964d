"""``hat-recommendation``, an agent for Hanabi whose hints recommend a move to each of four other players.

A hint carries the sum modulo 8 of one number for each of the other hands: to play (0 to 3) or to discard (4 to 7) one of
its cards. Each seat subtracts the numbers of the hands that it sees; the rest is its own recommendation, until the next
hint of another seat, or until it plays or discards.

Source: the recommendation strategy of C. Cox, J. De Silva, P. Deorsey, F. Kenter, T. Retter and J. Tobin, "How to Make the
Perfect Fireworks Display: Two Strategies for Hanabi" (2015), as J. Walton-Rivers et al., "Evaluating and Modelling
Hanabi-Playing Agents" (2017), have it in their program.
"""

from typing import Any

import numpy as np

from cardenvs.baselines.heuristics.hanabi_agents import ALL, Blueprint, HanabiAgent, lay_down
from cardenvs.baselines.heuristics.hanabi_agents import MEMORY as SHARED
from cardenvs.baselines.heuristics.hanabi_faces import tell_colour, tell_rank
from cardenvs.compiled.jit import kernel
from cardenvs.contract.spec import GameSpec
from cardenvs.games import hanabi

PLAYERS, HELD = 5, 4
NUMBERS = 2 * HELD  # the number of different recommendations: two kinds of hints for each of four seats

MEMORY = np.dtype(
    [
        *SHARED,
        ("told", np.int64, (hanabi.MOST_SEATS,)),  # number of each seat's recommendation, from 1 on; 0 for none
        ("played", np.int64, (hanabi.MOST_SEATS,)),  # cards that were played since it was told
    ],
    align=True,
)


@kernel
def recommendation_of(memories: Any, i: int, games: Any, j: int, seat: int) -> int:
    """The number of a hand: k to play card k, HELD + k to discard it.

    It is the first that exists: a playable card of the last rank, the playable card of the lowest rank, a card that its
    firework is past, the card of the highest rank that is not the last copy of its face, any card. Of equals the oldest.
    """
    m, g = memories[i], games[j]
    lowest_play, past, spared = g.ranks, -1, -1
    play, highest = -1, -1
    for slot in range(g.sizes[seat]):
        face = np.int64(g.hands[seat, slot]) - 1
        rank = face % g.ranks
        ahead = rank - g.fireworks[face // g.ranks]
        if ahead == 0 and rank == g.ranks - 1:
            return slot
        if ahead == 0 and rank < lowest_play:
            play, lowest_play = slot, rank
        if ahead < 0 and past < 0:
            past = slot
        is_last = m.odd >> face & 1 and not m.several >> face & 1
        if not is_last and rank > highest:
            spared, highest = slot, rank
    if play >= 0:
        return play
    if past >= 0:
        return HELD + past
    return HELD + max(spared, 0)


@kernel
def before_move(memories: Any, i: int, games: Any, j: int) -> None:
    """Prepares a memory for a move: before the first there are no recommendations."""
    if games[j].last_action < 0:
        for seat in range(PLAYERS):
            memories[i].told[seat] = 0


@kernel
def _learn_hint(memories: Any, i: int, games: Any, j: int, me: int, action: int) -> None:
    """Keeps the recommendations of a hint to all other seats."""
    m, g = memories[i], games[j]
    hint = hanabi.hint_of(games, j, action)
    left = hint[0] - 1 if hint[1] else HELD + hint[0] - 1
    for k in range(1, PLAYERS):
        seat = (g.to_act + k) % PLAYERS
        if seat != me:
            number = recommendation_of(memories, i, games, j, seat)
            left -= number
            m.told[seat] = 1 + number
        m.played[seat] = 0
    if me != ALL and me != g.to_act:
        m.told[me] = 1 + left % NUMBERS


@kernel
def learn(memories: Any, i: int, games: Any, j: int, me: int, action: int) -> None:
    m, g = memories[i], games[j]
    if action >= 2 * HELD:
        _learn_hint(memories, i, games, j, me, action)
        return
    m.told[g.to_act] = 0
    if action >= HELD:
        for seat in range(PLAYERS):
            m.played[seat] += 1
    lay_down(memories, i, games, j, action % HELD)


@kernel
def _choose_hint(memories: Any, i: int, games: Any, j: int) -> int:
    """The hint that carries the numbers of all other hands: of the rank or the colour of a seat's oldest card."""
    g = games[j]
    number = np.int64(0)
    for k in range(1, PLAYERS):
        number += recommendation_of(memories, i, games, j, (g.to_act + k) % PLAYERS)
    number %= NUMBERS
    offset = number % HELD
    oldest = np.int64(g.hands[(g.to_act + 1 + offset) % PLAYERS, 0]) - 1
    if number < HELD:
        return tell_rank(g, offset + 1, oldest % g.ranks)
    return tell_colour(g, offset + 1, oldest // g.ranks)


@kernel
def choose(memories: Any, i: int, games: Any, j: int) -> int:
    m, g = memories[i], games[j]
    told, played = m.told[g.to_act] - 1, m.played[g.to_act]
    if told % HELD >= g.sizes[g.to_act]:  # what others hint by other rules can name a card that there is not
        told = -1
    if 0 <= told < HELD and (played == 0 or (played == 1 and g.most_lives - g.lives < 2)):
        return HELD + told
    if g.information > 0:
        return _choose_hint(memories, i, games, j)
    return max(told - HELD, 0)


class HatRecommendation(HanabiAgent):
    """``hat-recommendation``: its hints are numbers that tell each of the other players to play or discard some card.

    With others than itself it is worthless. Where a mask lacks its move, the agent takes the first action that the mask
    has. It plays games of five players with hands of four cards, and needs a token.

    Source: the recommendation strategy of C. Cox et al., "How to Make the Perfect Fireworks Display: Two Strategies for
    Hanabi" (2015), as J. Walton-Rivers et al., "Evaluating and Modelling Hanabi-Playing Agents" (2017), have it in their
    program.
    """

    blueprint = Blueprint("hat-recommendation", MEMORY, before_move, choose, learn)

    @classmethod
    def unfit(cls, game: GameSpec) -> str:
        if why := super().unfit(game):
            return why
        if (game.seats, game.parameters["hand_size"]) != (PLAYERS, HELD):
            return f"plays hanabi of {PLAYERS} with {HELD} cards each, not {game.name}"
        return ""
