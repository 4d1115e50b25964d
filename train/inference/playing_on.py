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
    try_all: Callable[..., None]  # (games, kind, share, net, space, net_space, tried, out)


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

    @kernels.loop(f"{name}.try_all")
    def try_all(
        games: Any, kind: int, share: float, net: Net, space: PlaySpace, net_space: NetSpace, tried: Ints, out: Floats
    ) -> None:
        """Writes what the deal pays the seat to act in ``games[i]`` for each action, then played on in the same cards.
        ``out`` is float32 (n, num_actions), not written for actions without alternative; ``tried`` is work space."""
        for i in range(len(games)):
            several = list_actions(games, i, tried)
            for k in range(several if several > 1 else 0):
                space.games[0] = games[i]
                step(space.games, 0, tried[k])
                play_on(kind, share, net, space, net_space)
                out[i, tried[k]] = space.rewards[0, games[i].to_act]

    return PlayOnKernels(evaluate_legal, play_on, try_all)


class PlayOn:
    """A policy's network in every seat of deals under way, with work arrays of its own; ``streams`` as in `play_space`."""

    def __init__(self, game: GameSpec, net: Net, net_space: NetSpace, streams: Streams | None = None) -> None:
        self._kernels = play_on_kernels(game.plain.kernels, game.recall)
        self._net, self._net_space, self._space = net, net_space, play_space(game, streams)
        self._tried = np.empty(game.num_actions, np.int64)

    def try_all(self, games: Games, kind: int, share: float, out: Floats) -> None:
        """Writes what the whole deal pays the seat to act for each of its actions when the network then plays all seats.
        ``games`` are structured (n,), ``kind`` is a kind of reward of `cardenvs.contract.loops`, ``share`` the
        ``team_share``; ``out``, float32 (n, num_actions), is written where an action is legal and not the only one."""
        self._kernels.try_all(as_records(games), kind, share, self._net, self._space, self._net_space, self._tried, out)
