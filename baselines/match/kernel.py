"""Whole games of Whist and Euchre between the heuristic agents in one kernel: no observations, no Python between the cards.

`cardenvs.baselines.match.play_match` uses it by itself for the published protocol. A game takes its cards and its random
choices from the same streams as in a match through observations, so the results are the same, game by game.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardenvs.baselines.heuristics.calling import call
from cardenvs.baselines.heuristics.trick_taking import RANDOM, TrickTakingPolicy, euchre_card, whist_card
from cardenvs.compiled.bits import Floats, Ints, Streams
from cardenvs.compiled.jit import driver, kernel
from cardenvs.compiled.streams import random_member, seed_streams
from cardenvs.contract.loops import EPISODE_OVER, RUNNING
from cardenvs.contract.spec import GameSpec
from cardenvs.games import euchre, whist
from cardenvs.policy.contract import Policy
from cardenvs.policy.random import RandomPolicy


class Agents(NamedTuple):
    """The heuristic agents at the seats of a game, as kernels take them.

    Attributes:
        numbers: int64 (4,), which agent plays the cards of each seat, `RANDOM` or LOW to HYBRID2 of
            `cardenvs.baselines.heuristics.trick_taking`.
        thresholds: float64 (4,), the threshold of each seat's agent, where the agent has one.
        callers: int64 (4,), which caller bids and discards for each seat.
    """

    numbers: Ints
    thresholds: Floats
    callers: Ints


def agents_at(spec: GameSpec, players: Sequence[Policy]) -> Agents | None:
    """The heuristic agents behind the policies at the seats; None with other policies or a game the kernel cannot play."""
    if spec.name not in TrickTakingPolicy.games:
        return None
    numbers, thresholds, callers = [], [], []
    for player in players:
        if type(player) is RandomPolicy:
            agent, threshold, caller = RANDOM, 0.0, 0
        elif isinstance(player, TrickTakingPolicy) and type(player).choose is TrickTakingPolicy.choose:
            agent, threshold, caller = player.agent, player.threshold, player.caller
        else:
            return None
        numbers.append(agent)
        thresholds.append(threshold)
        callers.append(caller)
    return Agents(np.array(numbers, np.int64), np.array(thresholds), np.array(callers, np.int64))


@kernel
def _euchre_action(games: Any, actions: int, agents: Any, streams: Streams, s: int) -> int:
    """The action of the seat to act in ``games[0]``, a game of Euchre: a card played or discarded, or a call."""
    seat = games[0].to_act
    agent = agents.numbers[seat]
    if agent == RANDOM:
        return random_member(streams, s, actions)
    if games[0].phase == euchre.PLAYING:
        return euchre_card(agent, agents.thresholds[seat], games, 0, actions, streams, s)
    return call(agents.callers[seat], games, 0, actions, streams, s)


@kernel
def _whist_action(games: Any, actions: int, agents: Any, streams: Streams, s: int) -> int:
    """The card that the seat to act in ``games[0]``, a game of Whist, plays."""
    seat = games[0].to_act
    return whist_card(agents.numbers[seat], agents.thresholds[seat], games, 0, actions, streams, s)


@driver
def _play_games(
    deal: Any,
    legal: Any,
    step: Any,
    outcome: Any,
    act: Any,
    games: Any,
    agents: Any,
    streams: Any,
    randomness: Any,
    points: Any,
    tricks: Any,
    counts: Any,
) -> None:
    """Plays a whole game for each of n random streams.

    ``randomness``, uint64 (4 * n,), has a stream for each seat of each game, game by game. ``points`` and ``tricks``, int64
    (n, 2) by side, and ``counts``, int64 (3,), are added to: the deals, the decisions of side 0 and those of side 1.
    """
    deal_points = np.zeros((1, 2), np.int64)
    deal_tricks = np.zeros((1, 4), np.int64)
    for k in range(len(streams)):
        deal(games, 0, streams, k)
        while True:
            counts[1 + (games[0].to_act & 1)] += 1
            step(games, 0, act(games, legal(games, 0), agents, randomness, 4 * k + games[0].to_act))
            if games[0].over != RUNNING:
                counts[0] += 1
                outcome(games, 0, deal_points, deal_tricks)
                for seat in range(4):
                    tricks[k, seat & 1] += deal_tricks[0, seat]
                for side in range(2):
                    points[k, side] += deal_points[0, side]
                if games[0].over == EPISODE_OVER:
                    break
                deal(games, 0, streams, k)


@kernel
def _play_euchre(
    games: Any, agents: Any, streams: Streams, randomness: Streams, points: Ints, tricks: Ints, counts: Ints
) -> None:
    """`_play_games` for Euchre."""
    _play_games(
        euchre.deal, euchre.legal, euchre.step, euchre.outcome, _euchre_action,
        games, agents, streams, randomness, points, tricks, counts,
    )  # fmt: skip


@kernel
def _play_whist(
    games: Any, agents: Any, streams: Streams, randomness: Streams, points: Ints, tricks: Ints, counts: Ints
) -> None:
    """`_play_games` for Whist."""
    _play_games(
        whist.deal, whist.legal, whist.step, whist.outcome, _whist_action,
        games, agents, streams, randomness, points, tricks, counts,
    )  # fmt: skip


def play_games(
    spec: GameSpec, agents: Agents, streams: Streams, randomness: Streams, **options: Any
) -> tuple[Ints, Ints, Ints]:
    """Plays one episode for each random stream.

    Args:
        spec: Whist or Euchre.
        agents: the agents at the four seats.
        streams: uint64 (n,), the cards of each game; advanced in place.
        randomness: uint64 (n, 4), the random choices of the agent at each seat; advanced in place.
        options: rule options.

    Returns:
        Points and tricks of both sides in each game, int64 (n, 2); and int64 (3,): the deals, the decisions of side 0 and
        those of side 1.
    """
    games = spec.new_games(1, **options)
    points = np.zeros((len(streams), 2), np.int64)
    tricks = np.zeros((len(streams), 2), np.int64)
    counts = np.zeros(3, np.int64)
    play = _play_euchre if spec.bids_trump else _play_whist
    play(games, agents, streams, randomness.reshape(-1), points, tricks, counts)
    return points, tricks, counts


def warm_up(spec: GameSpec, agents: Agents, **options: Any) -> None:
    """Compiles or loads the kernels, so that the time for this is not measured."""
    play_games(spec, agents, seed_streams(0, 1), seed_streams(1, 4).reshape(1, 4), **options)
