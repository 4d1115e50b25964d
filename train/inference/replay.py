"""Beliefs by replay: how likely a policy was to have acted as it did, in each world that fits what a seat knows.

A world says which cards everybody held when they acted, so a policy's network can be asked how likely each act was there.
The product of these chances over all that the others did is the world's *reach*; by Bayes' rule, worlds drawn uniformly
from those that fit are believed in proportion to it. The same network can play a world to its end from any act on, each
seat by what it sees there. Kernels trust their input.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cardenvs.cards import Bytes, Floats, Ints, Streams, below
from cardenvs.jit import as_records, helper
from cardenvs.kernels import Kernels
from cardenvs.policy import Scores
from cardenvs.spec import Games, GameSpec
from cardenvs.train.inference.plain_actor import Net, NetSpace, PlainActor
from cardenvs.train.inference.playing_on import PlaySpace, play_on_kernels, play_space

_UNIT = 1 << 30  # a number below it is drawn for a number between 0 and 1


class ReplayKernels(NamedTuple):
    """A game's compiled loops over worlds."""

    redeal: Callable[..., None]
    """``redeal(observations, row, streams, views, worlds)``: draws all ``worlds`` uniformly from those that fit an
    observation with recall; ``views`` is work space for one view."""
    reach: Callable[..., None]
    """``reach(worlds, doubt, net, space, net_space, out)``: writes the logarithm of each world's reach to ``out``, float64
    (n,). The acts of seat 0, which has the same cards in all worlds, are left out. An act is taken to be the network's with
    the probability ``1 - doubt``, and else to be any legal one."""
    gains: Callable[..., None]
    """``gains(worlds, chosen, actions, kind, net, space, net_space, out)``: plays each ``actions[a]``, int64 (k,), in each
    of the worlds ``chosen``, int64 (m,), and then as the network prefers to the end of the deal; writes what seat 0 is paid
    to ``out[m, a]``, float64. ``kind`` is a kind of reward of `cardenvs.drivers`."""


@helper
def _chance(logits: Floats, several: int, k: int) -> float:
    """The probability of action ``k`` by the logits of the ``several`` legal actions."""
    highest = logits[0]
    for n in range(1, several):
        highest = max(highest, logits[n])
    total = 0.0
    for n in range(several):
        total += math.exp(logits[n] - highest)
    return math.exp(logits[k] - highest) / total


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
    decode, redeal_one, step, rewind = kernels.recalling.decode, kernels.redeal, kernels.step, kernels.rewind
    ask, play_on, _ = play_on_kernels(kernels, recall)
    name = "replay.recall" if recall else "replay"

    @kernels.loop(f"{name}.redeal")
    def redeal(observations: Bytes, row: int, streams: Streams, views: Any, worlds: Any) -> None:
        """Draws worlds that fit an observation."""
        decode(observations, row, views, 0)
        for j in range(len(worlds)):
            redeal_one(views, 0, streams, row, worlds, j)

    @kernels.loop(f"{name}.reach")
    def reach(worlds: Any, doubt: float, net: Net, space: PlaySpace, net_space: NetSpace, out: Scores) -> None:
        """Writes the logarithm of each world's reach."""
        games = space.games
        for j in range(len(worlds)):
            total = 0.0
            for n in range(rewind(worlds, j, games, 0, space.actions)):
                action = space.actions[n]
                if games[0].to_act != 0:
                    several = ask(games, net, space, net_space)
                    if several > 1:
                        k = 0
                        while k < several - 1 and net_space.legal[k] != action:
                            k += 1
                        total += math.log((1.0 - doubt) * _chance(net_space.logits, several, k) + doubt / several)
                step(games, 0, action)
            out[j] = total

    @kernels.loop(f"{name}.gains")
    def gains(
        worlds: Any, chosen: Ints, actions: Ints, kind: int, net: Net, space: PlaySpace, net_space: NetSpace, out: Scores
    ) -> None:
        """Writes what actions bring when the network plays on."""
        games = space.games
        for m in range(len(chosen)):
            for a in range(len(actions)):
                games[0] = worlds[chosen[m]]
                step(games, 0, actions[a])
                play_on(kind, 1.0, net, space, net_space)
                out[m, a] = space.rewards[0, 0]

    return ReplayKernels(redeal, reach, gains)


def resampled(log_weights: Scores, wanted: int, start: float) -> Ints:
    """How often each world is drawn: systematic resampling, evenly spaced by weight from a random start.

    Args:
        log_weights: float64 (n,), the logarithms of the worlds' weights, up to a constant.
        wanted: how many draws there are.
        start: a random number between 0 and 1.

    Returns:
        int64 (n,), which sum to ``wanted``; each differs by less than 1 from its world's share of the draws.
    """
    weights = np.exp(log_weights - log_weights.max())
    passed = np.cumsum(weights)
    marks = (np.arange(wanted) + start) * (passed[-1] / wanted)
    return np.bincount(np.searchsorted(passed, marks, "right").clip(max=len(weights) - 1), minlength=len(weights))


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
        self._space, self._views = play_space(game), game.new_games(1)

    def worlds(self, observations: Bytes, row: int, streams: Streams, n: int) -> Games:
        """Draws worlds uniformly from those that fit an observation: a structured array of shape (n,).

        Args:
            observations: int8 (k, observation_size), with recall.
            row: the observation.
            streams: uint64 (k,), random streams, of which number ``row`` is advanced.
            n: how many worlds to draw.
        """
        worlds = self._game.new_games(n)
        self._kernels.redeal(observations, row, streams, self._views, worlds)
        return worlds

    def log_reach(self, worlds: Games, doubt: float) -> Scores:
        """The logarithm of each world's reach, float64 (n,), for the seat that is seat 0.

        Args:
            worlds: from `worlds`.
            doubt: the share of all acts that are taken to be anything legal rather than the policy's.
        """
        out = np.empty(len(worlds))
        self._kernels.reach(as_records(worlds), doubt, self._net, self._space, self._net_space, out)
        return out

    def drawn(self, log_reach: Scores, wanted: int, streams: Streams, row: int) -> Ints:
        """How often each world is drawn by its reach, int64 (n,); see `resampled`.

        Args:
            log_reach: float64 (n,), from `log_reach`.
            wanted: how many draws there are.
            streams: uint64 (k,), random streams, of which number ``row`` is advanced.
            row: the number of the stream.
        """
        return resampled(log_reach, wanted, (int(below(streams, row, _UNIT)) + 0.5) / _UNIT)

    def gains(self, worlds: Games, chosen: Ints, actions: Ints, kind: int) -> Scores:
        """What seat 0 is paid for each action in each chosen world when the policy then plays all seats: float64 (m, k).

        Args:
            worlds: from `worlds`.
            chosen: int64 (m,), the numbers of worlds.
            actions: int64 (k,), legal actions of seat 0.
            kind: a kind of reward of `cardenvs.drivers`.
        """
        out = np.empty((len(chosen), len(actions)))
        self._kernels.gains(as_records(worlds), chosen, actions, kind, self._net, self._space, self._net_space, out)
        return out
