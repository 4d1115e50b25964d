"""Beliefs by replay: the chance that a policy acts as was seen, in each world that fits what a seat knows.

A world says which cards everybody held when they acted, so a policy's network can be asked how likely each act was there.
The product of these chances over all that the others did is the world's *reach*; by Bayes' rule, worlds drawn uniformly
from those that fit are believed in proportion to it. The same network can play a world to its end from any act on, each
seat by what it sees there.

Others may act otherwise than the policy would. So a share of all acts, the *doubt*, is taken to be anything legal. Where it
is not given, each of a few shares (`cardenvs.policy.replay.DOUBTS`) is as likely beforehand for the own partners, and for
each other side, and what they did tells them apart.

What a seat contributes to the reach depends on what that seat has seen alone, and the fewer cards are hidden the more
worlds show it the same. So each contribution is computed once, and kept under a key made of what the seat knows and
recalls. Kernels trust their input.
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

_PLACES = 1 << 14
"""Number of contributions to reaches that are kept, a power of 2: those of a few thousand worlds with little in common."""
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_START = np.uint64(0xD1B54A32D192ED03)
_HALF, _ONE = np.uint64(32), np.uint64(1)


class KnownReaches(NamedTuple):
    """A cache of seats' reaches, the chances in a world that they act as they did, and work arrays.

    A reach is stored at the place that its key names; a later one overwrites an earlier one there.
    """

    views: Any
    """Array of STATE, (1,): a seat's view of a world, with recall."""
    words: Streams
    """uint64 (k,): the bytes of ``views``."""
    doubts: Scores
    """float64 (kinds,), the doubts that are as likely as each other beforehand."""
    sides: Ints
    """int64 (seats,), the side of each seat; seat 0 is the one whose beliefs are computed."""
    keys: Streams
    """uint64 (places,), the key whose contribution is there, 0 if none is; places are a power of 2."""
    logs: Scores
    """float64 (places, kinds), the logarithm of the product of the chances of all that a seat did, for each doubt."""
    missing: Streams
    """uint64 (seats,), the key of each seat whose contribution is to be computed, else 0."""
    sums: Scores
    """float64 (seats, kinds), the contributions of the seats."""
    of_side: Scores
    """float64 (kinds,), the contributions of a side."""


class Drawn(NamedTuple):
    """Worlds that were drawn by their reaches from those that fit what a seat knows."""

    worlds: Games
    """Structured array of shape (n,), each drawn at least once."""
    counts: Ints
    """int64 (n,), number of draws of each."""
    log_mass: float
    """The logarithm of the mean reach of all that were drawn from: how much these draws count beside others."""


class ReplayKernels(NamedTuple):
    """A game's compiled loops over worlds."""

    reach: Callable[..., None]
    """``reach(worlds, known, net, space, net_space, out)``: writes the logarithm of each world's reach to ``out``, float64
    (n,). The acts of seat 0, which has the same cards in all worlds, are left out. An act is taken to be the network's with
    the probability 1 less the doubt, and else to be any legal one; a side's reach is the mean over the doubts of
    ``known``."""
    gains: Callable[..., None]
    """``gains(worlds, actions, kind, net, space, net_space, out)``: plays each ``actions[a]``, int64 (k,), in each
    world, and then as the network prefers to the end of the deal; writes what seat 0 is paid to ``out[j, a]``, float64
    (n, k). ``kind`` is a kind of reward of `cardenvs.contract.loops`."""


@helper
def _action_probability(logits: Floats, several: int, k: int) -> float:
    """The probability of action ``k`` by the logits of the ``several`` legal actions."""
    highest = logits[0]
    for n in range(1, several):
        highest = max(highest, logits[n])
    total = 0.0
    for n in range(several):
        total += math.exp(logits[n] - highest)
    return math.exp(logits[k] - highest) / total


@helper
def _log_mean(logs: Scores) -> float:
    """The logarithm of the mean of the numbers whose logarithms are ``logs``, float64 (k,)."""
    highest = logs[0]
    for k in range(1, len(logs)):
        highest = max(highest, logs[k])
    total = 0.0
    for k in range(len(logs)):
        total += math.exp(logs[k] - highest)
    return highest + math.log(total / len(logs))


@helper
def key_of(words: npt.NDArray[np.uint64]) -> np.uint64:
    """A hash of a seat's view, never 0: two different views have the same once in 2**63 times.

    Args:
        words: uint64 (k,), the bytes of a view.
    """
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
    """The loops for a game, each compiled when it is first called.

    Args:
        kernels: the kernels, without recall, of a game that knows recall and can be rewound.
        recall: whether the network sees the order of play.

    Raises:
        ValueError: another game.
    """
    if kernels.rewind is None:
        raise ValueError(f"what was done in {kernels.name} cannot be replayed")
    view, step, rewind = kernels.recalling.view, kernels.step, kernels.rewind
    ask, play_on, _ = play_on_kernels(kernels, recall)
    name = "replay.recall" if recall else "replay"

    @kernels.loop(f"{name}.reach")
    def reach(worlds: Any, known: KnownReaches, net: Net, space: PlaySpace, net_space: NetSpace, out: Scores) -> None:
        """Writes the logarithm of each world's reach."""
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
                    several = ask(games, net, space, net_space)
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

    @kernels.loop(f"{name}.gains")
    def gains(worlds: Any, actions: Ints, kind: int, net: Net, space: PlaySpace, net_space: NetSpace, out: Scores) -> None:
        """Writes the rewards of actions when the network plays on."""
        games = space.games
        for j in range(len(worlds)):
            for a in range(len(actions)):
                games[0] = worlds[j]
                step(games, 0, actions[a])
                play_on(kind, 1.0, net, space, net_space)
                out[j, a] = space.rewards[0, 0]

    return ReplayKernels(reach, gains)


class Replay:
    """A policy's network in worlds that fit what a seat knows.

    Args:
        game: the spec of the game as the network sees it, with recall or without.
        actor: the network, which knows positions under the rules of its training.

    Raises:
        ValueError: a game whose deals cannot be replayed.
    """

    def __init__(self, game: GameSpec, actor: PlainActor) -> None:
        self._kernels = replay_kernels(game.plain.kernels, game.recall)
        self._game, self._net, self._net_space = game, actor.net, actor.net_space()
        self._space = play_space(game)
        self._known: dict[float | None, KnownReaches] = {}

    def worlds(self, observations: Bytes, row: int, streams: Streams, n: int) -> Games:
        """Draws worlds uniformly from those that fit an observation: a structured array of shape (n,).

        Args:
            observations: int8 (k, observation_size), with recall.
            row: the observation.
            streams: uint64 (k,), random streams, of which number ``row`` is advanced.
            n: how many worlds to draw.
        """
        return draw(self._game.recalling, observations, row, streams, n)

    def log_reach(self, worlds: Games, doubt: float | None) -> Scores:
        """The logarithm of each world's reach, float64 (n,), for the seat that is seat 0.

        Args:
            worlds: from `worlds`.
            doubt: the share of all acts that are taken to be anything legal rather than the policy's, above 0 to 1; None:
                any of `DOUBTS`, one for the partners of seat 0 and one for each other side.
        """
        if doubt not in self._known:
            self._known[doubt] = self._nothing_known(np.array(DOUBTS if doubt is None else (doubt,), np.float64))
        out = np.empty(len(worlds))
        self._kernels.reach(as_records(worlds), self._known[doubt], self._net, self._space, self._net_space, out)
        return out

    def _nothing_known(self, doubts: Scores) -> KnownReaches:
        """An empty cache of reaches for some doubts, float64 (kinds,), and its work arrays."""
        views, seats, kinds = self._game.new_games(1), self._game.seats, len(doubts)
        return KnownReaches(
            as_records(views), views.view(np.uint64), doubts, np.array(self._game.side_of, np.int64),
            np.zeros(_PLACES, np.uint64), np.empty((_PLACES, kinds)), np.zeros(seats, np.uint64),
            np.empty((seats, kinds)), np.empty(kinds),
        )  # fmt: skip

    def drawn(
        self, observations: Bytes, row: int, streams: Streams, wanted: int, candidates: int, doubt: float | None
    ) -> Drawn:
        """Draws worlds that fit an observation by their reaches; see `resampled`.

        Args:
            observations: int8 (k, observation_size), with recall.
            row: the observation.
            streams: uint64 (k,), random streams, of which number ``row`` is advanced.
            wanted: how many draws there are.
            candidates: from how many uniform worlds each is drawn; with 1 all worlds are equally likely.
            doubt: as in `log_reach`.
        """
        worlds = self.worlds(observations, row, streams, wanted * candidates)
        log_reach = self.log_reach(worlds, doubt) if candidates > 1 else np.zeros(wanted)
        counts = resampled(log_reach, wanted, random_start(streams, row))
        some = np.flatnonzero(counts)
        return Drawn(worlds[some], counts[some], log_mass(log_reach))

    def gains(self, worlds: Games, actions: Ints, kind: int) -> Scores:
        """Rewards of seat 0 for each action in each world when the policy then plays all seats: float64 (n, k).

        Args:
            worlds: structured array of shape (n,), from `worlds` or `drawn`.
            actions: int64 (k,), legal actions of seat 0.
            kind: a kind of reward of `cardenvs.contract.loops`.
        """
        out = np.empty((len(worlds), len(actions)))
        self._kernels.gains(as_records(worlds), actions, kind, self._net, self._space, self._net_space, out)
        return out
