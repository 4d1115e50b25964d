"""Beliefs by replay: worlds that fit are weighted by their *reach*, the probability that a policy acts as the others did.

Others may act otherwise, so a share of all acts, the *doubt*, is anything legal: given, or each of `DOUBTS` equally likely
beforehand, for the own partners and for each other side. A seat's factor of the reach depends only on what that seat has
seen, so it is cached under a key of what the seat knows and recalls. Kernels trust their input.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams
from cardenvs.compiled.jit import as_records, helper
from cardenvs.compiled.streams import _mix
from cardenvs.contract.fields import Games
from cardenvs.contract.kernels import Kernels
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.explanation import Scores
from cardenvs.policy.replay import DOUBTS, draw, log_mass, random_start, resampled
from cardenvs.train.inference.plain_actor import Net, NetSpace, PlainActor
from cardenvs.train.inference.playing_on import PlaySpace, play_on_kernels, play_space

_PLACES = 1 << 14  # cached factors of reaches, a power of 2: those of a few thousand worlds with little in common
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_START = np.uint64(0xD1B54A32D192ED03)
_HALF, _ONE = np.uint64(32), np.uint64(1)


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


class WorldSample(NamedTuple):
    """Worlds that were drawn by their reaches."""

    worlds: Games  # structured array of shape (n,), each drawn at least once
    counts: Ints  # int64 (n,), number of draws of each
    log_mass: float  # the logarithm of the mean reach of all that were drawn from: how much these draws count beside others


class ReplayKernels(NamedTuple):
    """A game's compiled loops over worlds; see `replay_kernels`."""

    log_reaches: Callable[..., None]  # (worlds, known, net, space, net_space, out)
    action_gains: Callable[..., None]  # (worlds, actions, kind, net, space, net_space, out)


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
def replay_kernels(kernels: Kernels, recall: bool) -> ReplayKernels:
    """Returns the loops for a game's kernels without recall; ``recall`` is whether the network sees the order of play.
    Raises ValueError for a game that cannot be rewound."""
    if kernels.rewind is None:
        raise ValueError(f"what was done in {kernels.name} cannot be replayed")
    view, step, rewind = kernels.recalling.view, kernels.step, kernels.rewind
    evaluate_legal, play_on, _ = play_on_kernels(kernels, recall)
    name = "replay.recall" if recall else "replay"

    @kernels.loop(f"{name}.log_reaches")
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

    @kernels.loop(f"{name}.action_gains")
    def action_gains(
        worlds: Any, actions: Ints, kind: int, net: Net, space: PlaySpace, net_space: NetSpace, out: Scores
    ) -> None:
        """Plays each of ``actions``, int64 (k,), in each world, then as the network prefers to the end of the deal. Writes
        what seat 0 is paid, by a ``kind`` of reward of `cardenvs.contract.loops`, to ``out``, float64 (n, k)."""
        games = space.games
        for j in range(len(worlds)):
            for a in range(len(actions)):
                games[0] = worlds[j]
                step(games, 0, actions[a])
                play_on(kind, 1.0, net, space, net_space)
                out[j, a] = space.rewards[0, 0]

    return ReplayKernels(log_reaches, action_gains)


class Replay:
    """A policy's network in worlds that fit what a seat knows; ValueError for a game whose deals cannot be replayed.
    ``actor`` knows positions under the rules of its training; ``game`` is the spec as it sees it, with recall or
    without."""

    def __init__(self, game: GameSpec, actor: PlainActor) -> None:
        self._kernels = replay_kernels(game.plain.kernels, game.recall)
        self._game, self._net, self._net_space = game, actor.net, actor.net_space()
        self._space = play_space(game)
        self._known: dict[float | None, KnownReaches] = {}

    def draw_worlds(self, observations: Bytes, row: int, streams: Streams, n: int) -> Games:
        """Draws ``n`` worlds uniformly from those that fit observation ``row``, with recall; advances stream ``row``."""
        return draw(self._game.recalling, observations, row, streams, n)

    def log_reaches(self, worlds: Games, doubt: float | None) -> Scores:
        """Returns the logarithm of each world's reach for seat 0, float64 (n,); ``doubt`` None means any of `DOUBTS`."""
        if doubt not in self._known:
            self._known[doubt] = self._nothing_known(np.array(DOUBTS if doubt is None else (doubt,), np.float64))
        out = np.empty(len(worlds))
        self._kernels.log_reaches(as_records(worlds), self._known[doubt], self._net, self._space, self._net_space, out)
        return out

    def _nothing_known(self, doubts: Scores) -> KnownReaches:
        """Returns an empty cache of reaches for some doubts, float64 (kinds,), and its work arrays."""
        views, seats, kinds = self._game.new_games(1), self._game.seats, len(doubts)
        return KnownReaches(
            as_records(views), views.view(np.uint64), doubts, np.array(self._game.side_of, np.int64),
            np.zeros(_PLACES, np.uint64), np.empty((_PLACES, kinds)), np.zeros(seats, np.uint64),
            np.empty((seats, kinds)), np.empty(kinds),
        )  # fmt: skip

    def draw_believed(
        self, observations: Bytes, row: int, streams: Streams, wanted: int, candidates: int, doubt: float | None
    ) -> WorldSample:
        """Draws ``wanted`` worlds that fit observation ``row`` by reach (`resampled`), each of ``candidates`` uniform ones.
        With one candidate all worlds are equally likely; other arguments as in `draw_worlds` and `log_reaches`."""
        worlds = self.draw_worlds(observations, row, streams, wanted * candidates)
        log_reach = self.log_reaches(worlds, doubt) if candidates > 1 else np.zeros(wanted)
        counts = resampled(log_reach, wanted, random_start(streams, row))
        some = np.flatnonzero(counts)
        return WorldSample(worlds[some], counts[some], log_mass(log_reach))

    def action_gains(self, worlds: Games, actions: Ints, kind: int) -> Scores:
        """Returns rewards of seat 0 for each action in each world, the policy then playing all seats: float64 (n, k)."""
        out = np.empty((len(worlds), len(actions)))
        self._kernels.action_gains(as_records(worlds), actions, kind, self._net, self._space, self._net_space, out)
        return out
