"""A network in deals under way: played to their end, and replayed for beliefs, in which worlds that fit are weighted by
their *reach*, the probability that the network acts as the others did.

Others may act otherwise, so a share of all acts, the *doubt*, is anything legal: given, or each of `DOUBTS` equally likely
beforehand, for the own partners and for each other side. A seat's factor of the reach depends only on what that seat has
seen, so it is cached under a key of what the seat knows and recalls. Kernels trust their input.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams, lowest
from cardenvs.compiled.jit import as_records, helper
from cardenvs.compiled.streams import _mix
from cardenvs.contract import loops
from cardenvs.contract.fields import Games
from cardenvs.contract.kernels import Kernels
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.explanation import Scores
from cardenvs.policy.replay import DOUBTS, WorldSample, draw, draw_likely
from cardenvs.train.inference.plain_actor import Net, NetSpace, PlainActor, legal_logits, pick_action

ALL = np.zeros(0, np.int64)  # stands for all legal actions that have alternatives
_PLACES = 1 << 14  # cached factors of reaches, a power of 2: those of a few thousand worlds with little in common
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_START = np.uint64(0xD1B54A32D192ED03)
_HALF, _ONE = np.uint64(32), np.uint64(1)


class PlaySpace(NamedTuple):
    """Work arrays in which a deal is played on."""

    games: Any  # array of STATE, (1,): the deal as it is replayed or played on
    views: Any  # array of STATE, (1,): the view of the seat to act
    observations: Bytes  # int8 (1, observation_size): its observation, as the network sees it
    actions: Ints  # int64 (max_steps,): the actions taken before
    streams: Streams  # uint64 (1,): the random stream that draws actions; (0,): the network's preferred action is played
    points: Ints  # int64 (1, sides)
    tricks: Ints  # int64 (1, seats)
    rewards: Floats  # float32 (1, seats)


class PlayOnKernels(NamedTuple):
    """A game's compiled loops over the rest of deals; see `play_on_kernels`."""

    evaluate_legal: Callable[..., int]  # (games, net, space, net_space)
    play_on: Callable[..., None]  # (kind, share, net, space, net_space)
    try_actions: Callable[..., None]  # (games, given, kind, share, net, space, net_space, tried, out)


def play_space(game: GameSpec, streams: Streams | None = None) -> PlaySpace:
    """Returns work arrays; ``streams``, uint64 (1,), draw actions, and None plays what the network prefers."""
    games, views, shown = game.new_games(1), game.new_games(1), np.zeros((1, game.observation_size), np.int8)
    drawn = np.zeros(0, np.uint64) if streams is None else streams
    points, tricks = np.zeros((1, game.num_sides), np.int64), np.zeros((1, game.seats), np.int64)
    rewards = np.zeros((1, game.seats), np.float32)
    return PlaySpace(games, views, shown, np.zeros(game.max_steps, np.int64), drawn, points, tricks, rewards)


@functools.cache
def play_on_kernels(kernels: Kernels, recall: bool) -> PlayOnKernels:
    """Returns the loops for a game's kernels without recall; ``recall`` is whether the network sees the order of play."""
    legal, step, pay_so_far, words = kernels.legal, kernels.step, kernels.pay_so_far, kernels.words
    shown = kernels.recalling if recall else kernels
    view, observe, name = shown.view, shown.observe, "play_on.recall" if recall else "play_on"

    @kernels.loop(f"{name}.list_actions")
    def list_actions(games: Any, i: int, listed: Ints) -> int:
        """Lists the legal actions of the seat to act in ``games[i]``, ascending; returns their number."""
        several = 0
        for word in range(words):
            actions = legal(games, i, word)
            while actions != 0:
                listed[several] = 64 * word + lowest(actions)
                several += 1
                actions &= actions - 1
        return several

    @kernels.loop(f"{name}.evaluate_legal")
    def evaluate_legal(games: Any, net: Net, space: PlaySpace, net_space: NetSpace) -> int:
        """Lists the actions of the seat to act in ``net_space.legal``; returns their number, with logits if several."""
        several = list_actions(games, 0, net_space.legal)
        if several > 1:
            view(games, 0, games[0].to_act, space.views, 0)
            observe(space.views, 0, space.observations, 0)
            legal_logits(space.observations, 0, several, net, net_space)
        return several

    @kernels.loop(f"{name}.play_on")
    def play_on(kind: int, share: float, net: Net, space: PlaySpace, net_space: NetSpace) -> None:
        """Plays ``space.games[0]`` to the end of the deal, ``max_steps`` actions at most, and writes ``space.rewards[0]``.
        Each seat plays what the network prefers or, with ``space.streams``, draws. Rewards are those of
        `cardenvs.contract.loops.pay_so_far` for the whole deal."""
        games = space.games
        left = len(space.actions)
        while games[0].over == loops.RUNNING and left > 0:
            left -= 1
            several = evaluate_legal(games, net, space, net_space)
            action = net_space.legal[0]
            if several > 1:
                action = pick_action(net_space.logits, net_space.legal, several, len(space.streams) > 0, space.streams, 0)
            step(games, 0, action)
        pay_so_far(kind, share, games, 0, space.points, space.tricks, space.rewards)

    @kernels.loop(f"{name}.try_actions")
    def try_actions(
        games: Any, given: Ints, kind: int, share: float, net: Net, space: PlaySpace, net_space: NetSpace, tried: Ints,
        out: Floats,
    ) -> None:  # fmt: skip
        """Writes what the deal pays the seat to act in ``games[i]`` for each action, then played on in the same cards."""
        for i in range(len(games)):
            several = len(given)
            tried[:several] = given
            if several == 0:
                several = list_actions(games, i, tried)
                several = several if several > 1 else 0
            for k in range(several):
                space.games[0] = games[i]
                step(space.games, 0, tried[k])
                play_on(kind, share, net, space, net_space)
                out[i, tried[k]] = space.rewards[0, games[i].to_act]

    return PlayOnKernels(evaluate_legal, play_on, try_actions)


class PlayOn:
    """A policy's network in every seat of deals under way, with work arrays of its own; ``streams`` as in `play_space`."""

    def __init__(self, game: GameSpec, net: Net, net_space: NetSpace, streams: Streams | None = None) -> None:
        self._kernels = play_on_kernels(game.plain.kernels, game.recall)
        self._net, self._net_space, self._space = net, net_space, play_space(game, streams)
        self._tried = np.empty(game.num_actions, np.int64)

    def try_actions(self, games: Games, kind: int, share: float, out: Floats, given: Ints = ALL) -> None:
        """Writes what the whole deal pays the seat to act for each of its actions when the network then plays all seats.
        ``games`` are structured (n,), ``kind`` is a kind of reward of `cardenvs.contract.loops`, ``share`` the
        ``team_share``; ``out``, float32 (n, num_actions), is written for the actions ``given``, int64 (k,), by default for
        all that are legal and not the only one."""
        spaces = self._net, self._space, self._net_space, self._tried
        self._kernels.try_actions(as_records(games), given, kind, share, *spaces, out)


# --- beliefs ---


class KnownReaches(NamedTuple):
    """A cache of seats' reaches, the probabilities of their acts in a world, and work arrays. A reach is stored at the
    place that its key names; a later one overwrites an earlier one there."""

    views: Any  # array of STATE, (1,): a seat's view of a world, with recall
    words: Streams  # uint64 (k,): the bytes of `views`
    doubts: Scores  # float64 (kinds,), the doubts that are as likely as each other beforehand
    sides: Ints  # int64 (seats,), the side of each seat; seat 0 is the one whose beliefs are computed
    keys: Streams  # uint64 (places,), the key whose contribution is there, 0 if none is; places are a power of 2
    logs: Scores  # float64 (places, kinds), log of the product of the probabilities of a seat's acts, for each doubt
    missing: Streams  # uint64 (seats,), the key of each seat whose contribution is to be computed, else 0
    sums: Scores  # float64 (seats, kinds), the contributions of the seats
    of_side: Scores  # float64 (kinds,), the contributions of a side


@helper
def _action_probability(logits: Floats, several: int, k: int) -> float:
    """Returns the probability of action ``k`` by the logits of the ``several`` legal actions."""
    highest = logits[0]
    for n in range(1, several):
        highest = max(highest, logits[n])
    total = 0.0
    for n in range(several):
        total += math.exp(logits[n] - highest)
    return math.exp(logits[k] - highest) / total


@helper
def _log_mean(logs: Scores) -> float:
    """Returns the logarithm of the mean of the numbers whose logarithms are ``logs``, float64 (k,)."""
    highest = logs[0]
    for k in range(1, len(logs)):
        highest = max(highest, logs[k])
    total = 0.0
    for k in range(len(logs)):
        total += math.exp(logs[k] - highest)
    return highest + math.log(total / len(logs))


@helper
def key_of(words: npt.NDArray[np.uint64]) -> np.uint64:
    """Returns a hash of a seat's view, uint64 (k,), never 0; two different views collide once in 2**63 times."""
    a, b = _START, _FACTOR
    for k in range(0, len(words) - 1, 2):  # two at a time, side by side
        a, b = (a ^ words[k]) * _FACTOR, (b ^ words[k + 1]) * _FACTOR
        # The lower half of a product knows nothing of the upper half of what was multiplied.
        a, b = a ^ a >> _HALF, b ^ b >> _HALF
    if len(words) % 2 == 1:
        a = _mix(a ^ words[len(words) - 1])
    return _mix(_mix(a) ^ b) | _ONE


@functools.cache
def reach_kernel(kernels: Kernels, recall: bool) -> Callable[..., None]:
    """Returns the loop over worlds for a game's kernels without recall; ``recall`` is whether the network sees the order of
    play. Raises ValueError for a game that cannot be rewound."""
    if kernels.rewind is None:
        raise ValueError(f"what was done in {kernels.name} cannot be replayed")
    view, step, rewind = kernels.recalling.view, kernels.step, kernels.rewind
    evaluate_legal = play_on_kernels(kernels, recall).evaluate_legal

    @kernels.loop("replay.recall.log_reaches" if recall else "replay.log_reaches")
    def log_reaches(worlds: Any, known: KnownReaches, net: Net, space: PlaySpace, net_space: NetSpace, out: Scores) -> None:
        """Writes the logarithm of each world's reach to ``out``, float64 (n,). The acts of seat 0, whose cards are the same
        in all worlds, are left out. An act is the network's with probability 1 less the doubt, else any legal one; a side's
        reach is the mean over the doubts of ``known``."""
        games, missing, sums, doubts = space.games, known.missing, known.sums, known.doubts
        for j in range(len(worlds)):
            some = False
            for seat in range(1, len(sums)):
                view(worlds, j, seat, known.views, 0)
                key = key_of(known.words)
                place = np.int64(key >> _ONE) & (len(known.keys) - 1)
                missing[seat] = key
                if known.keys[place] == key:
                    missing[seat] = 0
                for kind in range(len(doubts)):
                    sums[seat, kind] = known.logs[place, kind] if missing[seat] == 0 else 0.0
                some |= missing[seat] != 0
            for n in range(rewind(worlds, j, games, 0, space.actions) if some else 0):
                action, seat = space.actions[n], games[0].to_act
                if seat > 0 and missing[seat] != 0:
                    several = evaluate_legal(games, net, space, net_space)
                    if several > 1:
                        k = 0
                        while k < several - 1 and net_space.legal[k] != action:
                            k += 1
                        chance = _action_probability(net_space.logits, several, k)
                        for kind in range(len(doubts)):
                            sums[seat, kind] += math.log((1.0 - doubts[kind]) * chance + doubts[kind] / several)
                step(games, 0, action)
            for seat in range(1, len(sums)):
                if missing[seat] != 0:
                    place = np.int64(missing[seat] >> _ONE) & (len(known.keys) - 1)
                    known.keys[place] = missing[seat]
                    for kind in range(len(doubts)):
                        known.logs[place, kind] = sums[seat, kind]
            # Always summed in the same order: what was known before must not change the last digits.
            out[j] = 0.0
            for side in range(len(known.sides)):
                known.of_side[:] = 0.0
                for seat in range(1, len(sums)):
                    if known.sides[seat] == side:
                        for kind in range(len(doubts)):
                            known.of_side[kind] += sums[seat, kind]
                out[j] += _log_mean(known.of_side)

    return log_reaches


class Replay:
    """A policy's network in worlds that fit what a seat knows; ValueError for a game whose deals cannot be replayed.
    ``actor`` knows positions under the rules of its training; ``game`` is the spec as it sees it, with recall or
    without."""

    def __init__(self, game: GameSpec, actor: PlainActor) -> None:
        self._reach = reach_kernel(game.plain.kernels, game.recall)
        self._game, self._net, self._net_space = game, actor.net, actor.net_space()
        self._space, self._playing = play_space(game), PlayOn(game, actor.net, self._net_space)
        self._known: dict[float | None, KnownReaches] = {}

    def draw_worlds(self, observations: Bytes, row: int, streams: Streams, n: int) -> Games:
        """Draws ``n`` worlds uniformly from those that fit observation ``row``, with recall; advances stream ``row``."""
        return draw(self._game.recalling, observations, row, streams, n)

    def log_reaches(self, worlds: Games, doubt: float | None) -> Scores:
        """Returns the logarithm of each world's reach for seat 0, float64 (n,); ``doubt`` None means any of `DOUBTS`."""
        if doubt not in self._known:
            doubts = np.array(DOUBTS if doubt is None else (doubt,), np.float64)
            views, seats = self._game.new_games(1), self._game.seats
            self._known[doubt] = KnownReaches(
                as_records(views), views.view(np.uint64), doubts, np.array(self._game.side_of, np.int64),
                np.zeros(_PLACES, np.uint64), np.empty((_PLACES, len(doubts))), np.zeros(seats, np.uint64),
                np.empty((seats, len(doubts))), np.empty(len(doubts)),
            )  # fmt: skip
        out = np.empty(len(worlds))
        self._reach(as_records(worlds), self._known[doubt], self._net, self._space, self._net_space, out)
        return out

    def draw_believed(
        self, observations: Bytes, row: int, streams: Streams, wanted: int, candidates: int, doubt: float | None,
        steps: int = 0,
    ) -> WorldSample:  # fmt: skip
        """Draws ``wanted`` worlds that fit observation ``row`` by reach, as `draw_likely`; with one candidate all worlds
        are equally likely. Other arguments as in `draw_worlds` and `log_reaches`."""

        def log_reach(worlds: Games) -> Scores:
            return self.log_reaches(worlds, doubt) if candidates > 1 else np.zeros(len(worlds))

        return draw_likely(self._game.recalling, observations, row, streams, wanted, candidates, log_reach, steps)

    def action_gains(self, worlds: Games, actions: Ints, kind: int) -> Scores:
        """Returns rewards of seat 0 for each action in each world, the policy then playing all seats: float64 (n, k)."""
        out = np.zeros((len(worlds), self._game.num_actions), np.float32)
        self._playing.try_actions(worlds, kind, 1.0, out, actions)
        return out[:, actions].astype(np.float64)
