"""A network plays deals to their end, each seat by what it sees there, in compiled code. Kernels trust their input."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cardenvs.compiled.bits import Bytes, Floats, Ints, Streams, lowest
from cardenvs.compiled.jit import as_records
from cardenvs.contract import loops
from cardenvs.contract.fields import Games
from cardenvs.contract.kernels import Kernels
from cardenvs.contract.spec import GameSpec
from cardenvs.train.inference.actor import pick_action
from cardenvs.train.inference.plain_actor import Net, NetSpace, legal_logits


class PlaySpace(NamedTuple):
    """Work arrays in which a deal is played on."""

    games: Any
    """Array of STATE, (1,): the deal as it is replayed or played on."""
    views: Any
    """Array of STATE, (1,): the view of the seat to act."""
    observations: Bytes
    """int8 (1, observation_size): its observation, as the network sees it."""
    actions: Ints
    """int64 (max_steps,): the actions taken before."""
    streams: Streams
    """uint64 (1,): the random stream by which play goes on as the network's probabilities say; (0,): as it prefers."""
    points: Ints
    """int64 (1, sides)."""
    tricks: Ints
    """int64 (1, seats)."""
    rewards: Floats
    """float32 (1, seats)."""


class PlayOnKernels(NamedTuple):
    """A game's compiled loops over the rest of deals."""

    ask: Callable[..., int]
    """``ask(games, net, space, net_space)``: lists the legal actions of the seat to act in ``games[0]`` in
    ``net_space.legal``, and returns how many there are; if several, the network's numbers for them are in
    ``net_space.logits``."""
    play_on: Callable[..., None]
    """``play_on(kind, share, net, space, net_space)``: plays ``space.games[0]`` to the end of the deal, in every seat what
    the network prefers or, with ``space.streams``, draws, for ``max_steps`` actions at most; writes what all are paid for
    the whole deal to ``space.rewards[0]``, as `cardenvs.contract.loops.pay_so_far` does by ``kind`` and ``share``."""
    try_all: Callable[..., None]
    """``try_all(games, kind, share, net, space, net_space, tried, out)``: plays every legal action of the seat to act in
    each of the ``games``, structured (n,), and then goes on as ``play_on`` does, in the same cards for all actions; writes
    what that seat is paid for the whole deal to ``out[i, action]``, float32 (n, num_actions). Actions without an
    alternative are left out. ``tried``, int64 (num_actions,), is work space."""


def play_space(game: GameSpec, streams: Streams | None = None) -> PlaySpace:
    """Arrays for the kernels of a game to work in.

    Args:
        game: the spec of the game as the network sees it, with recall or without.
        streams: uint64 (1,), the random stream by which actions are drawn; None: what the network prefers is played.
    """
    return PlaySpace(
        games=game.new_games(1),
        views=game.new_games(1),
        observations=np.zeros((1, game.observation_size), np.int8),
        actions=np.zeros(game.max_steps, np.int64),
        streams=np.zeros(0, np.uint64) if streams is None else streams,
        points=np.zeros((1, game.num_sides), np.int64),
        tricks=np.zeros((1, game.seats), np.int64),
        rewards=np.zeros((1, game.seats), np.float32),
    )


@functools.cache
def play_on_kernels(kernels: Kernels, recall: bool) -> PlayOnKernels:
    """The loops for a game, each compiled when it is first called.

    Args:
        kernels: the game's kernels, without recall.
        recall: whether the network sees the order of play.
    """
    legal, step, pay_so_far, words = kernels.legal, kernels.step, kernels.pay_so_far, kernels.words
    shown = kernels.recalling if recall else kernels
    view, observe, name = shown.view, shown.observe, "play_on.recall" if recall else "play_on"

    @kernels.loop(f"{name}.ask")
    def ask(games: Any, net: Net, space: PlaySpace, net_space: NetSpace) -> int:
        """Lists the legal actions of the seat to act; asks the network if there are several. Returns how many there are."""
        several = 0
        for word in range(words):
            actions = legal(games, 0, word)
            while actions != 0:
                net_space.legal[several] = 64 * word + lowest(actions)
                several += 1
                actions &= actions - 1
        if several > 1:
            view(games, 0, games[0].to_act, space.views, 0)
            observe(space.views, 0, space.observations, 0)
            legal_logits(space.observations, 0, several, net, net_space)
        return several

    @kernels.loop(f"{name}.play_on")
    def play_on(kind: int, share: float, net: Net, space: PlaySpace, net_space: NetSpace) -> None:
        """Plays a deal to its end."""
        games = space.games
        left = len(space.actions)
        while games[0].over == loops.RUNNING and left > 0:
            left -= 1
            several = ask(games, net, space, net_space)
            action = net_space.legal[0]
            if several > 1:
                action = pick_action(net_space.logits, net_space.legal, several, len(space.streams) > 0, space.streams, 0)
            step(games, 0, action)
        pay_so_far(kind, share, games, 0, space.points, space.tricks, space.rewards)

    @kernels.loop(f"{name}.try_all")
    def try_all(
        games: Any, kind: int, share: float, net: Net, space: PlaySpace, net_space: NetSpace, tried: Ints, out: Floats
    ) -> None:
        """Writes the reward of every action when the network plays on."""
        for i in range(len(games)):
            several = 0
            for word in range(words):
                actions = legal(games, i, word)
                while actions != 0:
                    tried[several] = 64 * word + lowest(actions)
                    several += 1
                    actions &= actions - 1
            if several < 2:
                continue
            for k in range(several):
                space.games[0] = games[i]
                step(space.games, 0, tried[k])
                play_on(kind, share, net, space, net_space)
                out[i, tried[k]] = space.rewards[0, games[i].to_act]

    return PlayOnKernels(ask, play_on, try_all)


class PlayOn:
    """A policy's network in every seat of deals that are under way.

    Args:
        game: the spec of the game as the network sees it, with recall or without.
        net: the network, from `cardenvs.train.inference.plain_actor.PlainActor.net`.
        net_space: arrays for it to work in, which nobody else uses meanwhile.
        streams: uint64 (1,), the random stream by which actions are drawn; None: what the network prefers is played.
    """

    def __init__(self, game: GameSpec, net: Net, net_space: NetSpace, streams: Streams | None = None) -> None:
        self._kernels = play_on_kernels(game.plain.kernels, game.recall)
        self._net, self._net_space, self._space = net, net_space, play_space(game, streams)
        self._tried = np.empty(game.num_actions, np.int64)

    def try_all(self, games: Games, kind: int, share: float, out: Floats) -> None:
        """Writes what the deal pays the seat to act in all for each of its actions when the network then plays all seats.

        Args:
            games: array of STATE, (n,), deals under way.
            kind: a kind of reward of `cardenvs.contract.loops`.
            share: the ``team_share``, 0 to 1.
            out: float32 (n, num_actions), written to where an action is legal and not the only one.
        """
        self._kernels.try_all(as_records(games), kind, share, self._net, self._space, self._net_space, self._tried, out)
