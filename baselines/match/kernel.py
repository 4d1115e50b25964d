"""Whole games of Whist and Euchre between the heuristic agents in one kernel: no observations, no Python between the cards.

`play_match` uses it for the published protocol. A game takes its cards and random choices from the same streams as in a
match through observations, so the results are the same, game by game.
"""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardenvs.baselines.heuristics.calling import call_kernel
from cardenvs.baselines.heuristics.trick_games import for_trick_games
from cardenvs.baselines.heuristics.trick_taking import RANDOM, TrickTakingPolicy, agents_in
from cardenvs.baselines.match.results import DealResults
from cardenvs.compiled.bits import Floats, Ints, Streams
from cardenvs.compiled.streams import random_member
from cardenvs.contract.kernels import Kernel
from cardenvs.contract.kinds import TrickGame
from cardenvs.contract.loops import EPISODE_OVER, RUNNING
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy
from cardenvs.policy.random import RandomPolicy


class Agents(NamedTuple):
    """The heuristic agents at the seats of a game, as kernels take them."""

    numbers: Ints  # int64 (4,), which agent plays the cards of each seat, `RANDOM` or LOW to HYBRID2 of `trick_taking`
    thresholds: Floats  # float64 (4,), the threshold of each seat's agent, where the agent has one
    callers: Ints  # int64 (4,), which caller bids and discards for each seat


def agents_at(spec: GameSpec, players: Sequence[Policy]) -> Agents | None:
    """The heuristic agents behind the policies at the seats; None with other policies or a game the kernel cannot play."""
    if spec.trick_game is None:
        return None
    agents: list[tuple[int, float, int]] = []
    for player in players:
        if type(player) is RandomPolicy:
            agents.append((RANDOM, 0.0, 0))
        elif isinstance(player, TrickTakingPolicy) and type(player).choose is TrickTakingPolicy.choose:
            agents.append((player.agent, player.threshold, player.caller))
        else:
            return None
    numbers, thresholds, callers = zip(*agents, strict=True)
    return Agents(np.array(numbers, np.int64), np.array(thresholds), np.array(callers, np.int64))


@for_trick_games
def _game_player(game: GameSpec, kind: TrickGame) -> Kernel:
    """The kernel of `play_games`, with streams for the seats game by game; it adds to points, tricks and counts."""
    kernels = game.kernels
    deal, legal, step, outcome = kernels.deal, kernels.legal, kernels.step, kernels.outcome
    playing, card, call = kind.playing, agents_in(game).card, call_kernel(kind)

    @kernels.loop("match.play")
    def play_episodes(
        games: Any, agents: Agents, streams: Streams, randomness: Streams, points: Ints, tricks: Ints, counts: Ints
    ) -> None:
        deal_points = np.zeros((1, 2), np.int64)
        deal_tricks = np.zeros((1, 4), np.int64)
        for k in range(len(streams)):
            deal(games, 0, streams, k)
            while True:
                seat = games[0].to_act
                counts[1 + (seat & 1)] += 1
                actions, agent, own = legal(games, 0, 0), agents.numbers[seat], 4 * k + seat
                if agent == RANDOM:
                    action = random_member(randomness, own, actions)
                elif playing(games, 0):
                    action = card(agent, agents.thresholds[seat], games, 0, actions, randomness, own)
                else:
                    action = call(agents.callers[seat], games, 0, actions, randomness, own)
                step(games, 0, action)
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

    return play_episodes


def play_games(spec: GameSpec, agents: Agents, streams: Streams, randomness: Streams, **options: Any) -> DealResults:
    """Plays an episode for each of n streams of cards, with ``randomness``, uint64 (n, 4); both are advanced.

    The results are by side of the game, (n, 2); the sides share the time by their decisions.
    """
    points, tricks = np.zeros((2, len(streams), 2), np.int64)
    counts, play = np.zeros(3, np.int64), _game_player(spec)
    began = time.thread_time()
    play(spec.new_games(1, **options), agents, streams, randomness.reshape(-1), points, tricks, counts)
    dealt, decisions = int(counts[0]), counts[1:]
    seconds = (time.thread_time() - began) * decisions / decisions.sum()
    return DealResults(points, tricks, decisions, seconds, dealt=dealt)
