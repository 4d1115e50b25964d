"""Building blocks of searches: worlds that fit an observation, their legal actions, their successors, play-outs.

A *world* is a full state of the game that is consistent with all that a seat knows. In a world that was drawn for a seat
that seat is seat 0 and the others follow in order. `redeal` draws worlds uniformly, `believed` by the likelihood of a
policy's acts; `masks` returns their legal actions, `apply` plays actions, `playouts` plays worlds to the end of their
deals, `views` turns them to a seat again. All work for any game and on many worlds at a time, and check their arguments.

``states`` and ``games`` are full states, structured arrays of shape (n,); ``rows`` are the numbers of some of them, int64
(k,), ``players`` the policy of each seat. Functions raise ValueError for what is no state of the game.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs import policy as policies
from cardenvs.checks import MOST_DRAWN, as_array, check_bits, check_int, check_ints, check_number, short
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.compiled.jit import as_records
from cardenvs.compiled.streams import RandomSource, as_streams
from cardenvs.contract import loops
from cardenvs.contract.fields import Games
from cardenvs.contract.kernels import Kernels
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.contract.spec import rewards_of as rewards_of
from cardenvs.policy import replay
from cardenvs.policy.contract import Policy, SeatMemory, ask
from cardenvs.randomness import seat_streams

Rewards = npt.NDArray[np.float64]
"""Reward of each seat, float64 (n, seats)."""

_PART = 1024
"""Worlds handled in one call of a kernel; Python can be interrupted between calls."""


class NoWorldError(ValueError):
    """No world that fits an observation was found in any draw."""


def views(game: str | GameSpec, states: Games, seats: Any) -> Games:
    """Returns the views of seats in states, a structured array of shape (n,); in each view the seat is seat 0.

    Args:
        seats: the viewing seat of each state, ints of shape (n,); or one seat for all.

    Raises:
        ValueError: no such seats.
    """
    spec = get_game(game)
    games = spec.check_worlds(states, "states")
    count = len(games)
    looking = check_ints("seats", np.full(count, seats) if np.ndim(seats) == 0 else seats, (count,))
    for seat in np.unique(looking):
        check_int("seats", int(seat), 0, spec.seats - 1)
    out = spec.new_games(count)
    for i in range(count):
        spec.kernels.view(games, i, looking[i], out, i)
    return out


def redeal(
    game: str | GameSpec, observation: Bytes | Mapping[str, Any], n: int = 1, rng: RandomSource | None = None
) -> Games:
    """Draws worlds: full states, each uniform among all that are consistent with an observation.

    Args:
        game: name or spec; the spec of a game with recall (`GameSpec.recalling`) takes observations with the order of play.
        observation: zeros and ones of shape (observation_size,); an observation dict with ``"observation"``, as
            PettingZoo environments return it; or k observations, shape (k, observation_size).
        n: number of worlds for each observation.
        rng: a NumPy generator or uint64 streams of shape (k,), one for the n worlds of a row; None is unseeded.

    Returns:
        A structured array of shape (k * n,): the n worlds of the first observation, then those of the second. Seat 0 is the
        observing seat. Without recall an observation has no order of play: such worlds have no history.

    Raises:
        ValueError: an impossible observation, a wrong number or source of random numbers, or a game without re-deals.
        NoWorldError: no world was found that fits one of the observations.
    """
    spec = get_game(game)
    draw = replay.redeal_loop(spec.kernels)
    rows, known = _decode_rows(spec, observation)
    n = spec.check_count("n", n, 0, each=max(1, len(rows)))
    streams = as_streams(rng, len(rows))
    out = spec.new_games(len(rows) * n)
    for start in range(0, len(out), _PART):
        draw(known, n, streams, out, start, min(start + _PART, len(out)))
    return _check_fitting(spec, out, n)


def believed(
    game: str | GameSpec,
    observation: Bytes | Mapping[str, Any],
    policy: str | Policy,
    n: int = 1,
    rng: RandomSource | None = None,
    candidates: int = 4,
    doubt: float | None = None,
) -> Games:
    """Draws worlds by the likelihood that a policy acts in them as all others did, by replaying the deal.

    Args:
        observation: as in `redeal`, with the order of play.
        policy: the policy, or its name: one that has beliefs (`Policy.has_beliefs`), as ``"learned"`` in Euchre, or that
            can be foretold (`Policy.can_be_foretold`), as ``"smartbot"`` in Hanabi.
        n: number of worlds for each observation.
        rng: as in `redeal`.
        candidates: number of uniform worlds from which each is drawn, at least 1; with 1 all are equally likely.
        doubt: the assumed share of uniformly random acts, above 0, at most 1; None estimates it from the others' acts.

    Returns:
        A structured array of shape (k * n,), as of `redeal`; a likely world can be drawn several times.

    Raises:
        ValueError: an impossible observation, a policy without beliefs, a wrong number or source of random numbers.
        NoWorldError: no world was found that fits one of the observations.
    """
    spec = get_game(game).recalling
    rows, _ = _decode_rows(spec, observation)
    player = policies.make(spec.plain, policy)
    draw = replay.beliefs_of(player)
    if draw is None:
        raise ValueError(f"policy must be one that has beliefs in {spec.name}, not {short(player.name)}")
    n, candidates = check_int("n", n, 1, MOST_DRAWN), check_int("candidates", candidates, 1, MOST_DRAWN)
    doubt = None if doubt is None else check_number("doubt", doubt, 0, 1, above=True)
    streams = as_streams(rng, len(rows))
    drawn = [draw(rows, k, streams, n, candidates, doubt) for k in range(len(rows))]
    return _check_fitting(spec, as_records(np.concatenate([spec.new_games(0), *drawn])), n)


def masks(game: str | GameSpec, states: Games) -> Bytes:
    """Returns the legal actions of the seat to act in each state, int8 (n, num_actions), 0 where a deal is over."""
    spec = get_game(game)
    return _action_masks(spec, spec.check_worlds(states, "states"))


def apply(game: str | GameSpec, states: Games, actions: Any) -> Games:
    """Plays an action in each state; returns the new states, a structured array of shape (n,).

    Args:
        actions: the actions of the seats to act, ints of shape (n,); or one action for all.

    Raises:
        ValueError: a deal that is over, or an illegal action; names the legal ones.
    """
    spec = get_game(game)
    games = spec.check_worlds(states, "states").copy()
    count = len(games)
    chosen = check_ints("actions", np.full(count, actions) if np.ndim(actions) == 0 else actions, (count,))
    allowed = _action_masks(spec, games)
    full = np.flatnonzero((games["over"] == loops.RUNNING) & (games["moves"] >= spec.max_steps))
    if len(full):
        raise ValueError(f"states: the deal of state {full[0]} has {spec.max_steps} actions, and no room for more")
    known = (chosen >= 0) & (chosen < spec.num_actions)
    for i in np.flatnonzero(~known | (allowed[np.arange(count), np.where(known, chosen, 0)] == 0)):
        legal = np.flatnonzero(allowed[i])
        if not len(legal):
            raise ValueError(f"states: the deal of state {i} is over, nobody can act there")
        raise ValueError(
            f"actions: {chosen[i]} is illegal in state {i}, where player_{games[i]['to_act']} can choose from "
            f"{', '.join(f'{k} ({spec.actions[k]})' for k in legal)}"
        )
    _step_loop(spec.kernels)(games, np.arange(count), chosen)
    return games


def playouts(
    game: str | GameSpec,
    states: Games,
    policy: str | Policy | Sequence[str | Policy] = "random",
    rng: RandomSource | None = None,
    reward: str | None = None,
    max_decisions: int | None = None,
    threads: int = 1,
) -> Rewards:
    """Plays copies of states to the ends of their deals; returns each seat's reward for the whole deal.

    Args:
        policy: a policy or its name for all seats, or one for each seat, in order. ``"random"`` is played by compiled
            code, any other policy is called for many states at a time.
        rng: a NumPy generator or uint64 streams of shape (n,), a state's own; None is unseeded.
        reward: one of the game's kinds of reward; None for the first of them.
        max_decisions: number of actions after which a play-out is truncated, with a reward of 0, or in a game that pays
            step by step (`GameSpec.pays_gains`) the payments so far; None for `GameSpec.max_decisions`.
        threads: number of threads that share random play-outs; with other policies there is one.

    Returns:
        float64 (n, seats): the reward of each seat's side, as environments pay it with ``team_share=1``.

    Raises:
        ValueError: an unknown policy or kind of reward, an illegal action of a policy, or a number out of range.
    """
    spec = get_game(game)
    games = spec.check_worlds(states, "states").copy()
    kind = spec.reward_kind(spec.rewards[0] if reward is None else reward)
    limit = spec.max_decisions if max_decisions is None else check_int("max_decisions", max_decisions, 1)
    threads = check_int("threads", threads, 1)
    streams = as_streams(rng, len(games)).copy()
    players = _seat_policies(spec, policy)
    if all(type(player) is policies.RandomPolicy and not player.choices for player in players):
        _in_parts(_finish_loop(spec.kernels), threads, games, streams, limit or 0, spec.max_steps)
    else:
        play_on(spec, games, players, streams, limit)
    return rewards_of(spec, games, kind)


# --- for searches, with arguments that are known to be right ------------------------------------------------------------


def play_on(
    spec: GameSpec, games: Games, players: Sequence[Policy], streams: Streams, limit: int | Ints | None = None
) -> None:
    """Plays games to the ends of their deals, in place, by policies that are called for many games at a time.

    Args:
        streams: uint64 (n,), a random stream for each game, from which those of its seats are derived.
        limit: the most actions in a game, one number or int64 (n,); None for no limit.

    Raises:
        ValueError: an illegal action of a policy.
    """
    made, drawn, memory = 0, seat_streams(streams, spec.seats), SeatMemory(len(games))
    while True:
        running = (np.asarray(games["over"]) == loops.RUNNING) & (np.asarray(games["moves"]) < spec.max_steps)
        going = np.flatnonzero(running if limit is None else running & (made < np.asarray(limit)))
        if not len(going):
            memory.forget()
            return
        actions = decide(spec, games, going, players, drawn, memory)
        _step_loop(spec.kernels)(games, going, actions)
        made += 1


def decide(
    spec: GameSpec, games: Games, rows: Ints, players: Sequence[Policy], streams: Streams, memory: SeatMemory | None = None
) -> Ints:
    """Returns the actions of the policies of the seats to act in running games, int64 (k,).

    Args:
        streams: uint64 (n, seats), a random stream for each seat of each game; those of the seats to act are advanced.
        memory: copies of policies that remember; None calls the policies themselves.

    Raises:
        ValueError: an illegal action of a policy.
    """
    out = np.empty(len(rows), np.int64)
    to_act = np.asarray(games["to_act"])[rows]
    seen: dict[int, tuple[Policy, list[int]]] = {}
    for seat, player in enumerate(players):
        seen.setdefault(id(player), (player, []))[1].append(seat)
    for player, seats in seen.values():
        mine = np.flatnonzero(np.isin(to_act, seats))
        if not len(mine):
            continue
        chosen = rows[mine]
        # By the rules of the game that is played: a policy's own may be doctored, and show all cards.
        observations, allowed = observed(spec.with_recall(player.game.recall), games, chosen)
        drawn, seat_of = streams[chosen], to_act[mine]

        def illegal(k: int, action: int, chosen: Ints = chosen) -> str:
            return f"{spec.illegal_message(games, int(chosen[k]), action)}; state {chosen[k]}"

        own = None if memory is None else memory.at(chosen)
        out[mine] = ask(player, observations, allowed, drawn, np.arange(len(mine)), seat_of, illegal, own)
        streams[chosen] = drawn
    return out


def observed(spec: GameSpec, games: Games, rows: Ints) -> tuple[Bytes, Bytes]:
    """Returns observations of the seats to act, int8 (k, observation_size), and masks, int8 (k, num_actions).

    Args:
        spec: the game, with recall if the order of play is needed.
    """
    observations = np.zeros((len(rows), spec.observation_size), np.int8)
    allowed = np.zeros((len(rows), spec.num_actions), np.int8)
    _observe_loop(spec.kernels)(games, rows, spec.new_games(1), observations, allowed)
    return observations, allowed


def states_of(spec: GameSpec, games: Games, rows: Ints, observations: Bytes) -> Bytes:
    """Returns the full states of running games for the seats to act, int8 (k, state_size), from those of `observed`."""
    out = np.zeros((len(rows), spec.state_size), np.int8)
    out[:, : spec.observation_size] = observations
    spec.kernels.batch_reveal(games[rows], 0, len(rows), out, spec.observation_size)
    return out


# --- checks ---------------------------------------------------------------------------------------------------------


def _decode_rows(spec: GameSpec, observation: Any) -> tuple[Bytes, Games]:
    """Returns observations as a batch, int8 (k, observation_size), and the views behind them, (k,)."""
    rows = _check_rows(spec, observation)
    known = spec.check_state(spec.decode(rows), "observation", whole=False) if len(rows) else spec.new_games(0)
    again = np.zeros_like(rows)
    for k in range(len(rows)):
        spec.kernels.observe(known, k, again, k)
    wrong = np.flatnonzero((rows != again).any(1))
    if len(wrong):
        raise ValueError(f"observation: row {wrong[0]} shows no position of {spec.name}")
    return rows, known


def _check_fitting(spec: GameSpec, drawn: Games, n: int) -> Games:
    """Checks that all drawn worlds, ``n`` for each row of a batch, fit; returns them."""
    fits = spec.kernels.fits
    unfit = next((k for k in range(len(drawn)) if fits is not None and not fits(drawn, k)), None)
    if unfit is not None:
        ends = f"; {spec.recall_ends}" if spec.recall and spec.recall_ends else ""
        row = unfit // n
        raise NoWorldError(f"observation: no world of {spec.name} was found that fits row {row} in every point{ends}")
    return drawn


def _check_rows(spec: GameSpec, observation: Any) -> Bytes:
    """Returns observations as a batch, int8 (k, observation_size)."""
    if isinstance(observation, Mapping):
        if "observation" not in observation:
            raise ValueError(
                f'observation must be a dict with "observation", an array, or a batch, not {short(observation)}'
            )
        observation = observation["observation"]
    rows = as_array("observation", observation)
    return check_bits("observation", spec.name, rows[None] if rows.ndim == 1 else rows, spec.observation_size)


def _seat_policies(spec: GameSpec, policy: Any) -> list[Policy]:
    if isinstance(policy, (str, Policy)):
        return [policies.make(spec, policy)] * spec.seats
    if not isinstance(policy, Sequence) or len(policy) != spec.seats:
        raise ValueError(f"policy must be a policy, or a list of {spec.seats}, one for each seat, not {short(policy)}")
    return [policies.make(spec, player) for player in policy]


def _action_masks(spec: GameSpec, games: Games) -> Bytes:
    out = np.zeros((len(games), spec.num_actions), np.int8)
    _mask_loop(spec.kernels)(games, out)
    return out


def _in_parts(run: Callable[..., Any], threads: int, games: Games, streams: Streams, limit: int, most: int) -> None:
    """Plays games out by a kernel, in parts that threads share."""
    starts = range(0, len(games), _PART)
    parts = [(games, streams, limit, most, start, min(start + _PART, len(games))) for start in starts]
    if threads == 1 or len(parts) < 2:
        for part in parts:
            run(*part)
        return
    with ThreadPoolExecutor(min(threads, len(parts))) as pool:
        for future in [pool.submit(run, *part) for part in parts]:
            future.result()


# --- loops over kernels -----------------------------------------------------------------------------------------------


@functools.cache
def _mask_loop(kernels: Kernels) -> Any:
    legal, words = kernels.legal, kernels.words

    @kernels.loop("worlds.masks")
    def write_masks(games: Any, out: Bytes) -> None:
        for i in range(len(games)):
            for word in range(words):
                loops.write_legal(legal(games, i, word), out, i, word)

    return write_masks


@functools.cache
def _step_loop(kernels: Kernels) -> Any:
    """Returns the loop that plays ``actions[k]`` in game ``rows[k]``."""
    step = kernels.step

    @kernels.loop("worlds.apply")
    def play_actions(games: Any, rows: Ints, actions: Ints) -> None:
        for k in range(len(rows)):
            step(games, rows[k], actions[k])

    return play_actions


@functools.cache
def _finish_loop(kernels: Kernels) -> Any:
    """Returns the loop that plays the games ``start`` to ``stop - 1`` out at random, each by its own stream. A play-out has
    at most ``limit`` actions, 0 for any number, and the deal at most ``most``."""
    step, random_action = kernels.step, kernels.random_action

    @kernels.loop("worlds.finish")
    def play_out(games: Any, streams: Streams, limit: int, most: int, start: int, stop: int) -> None:
        for i in range(start, stop):
            made = 0
            while games[i].over == loops.RUNNING and games[i].moves < most and (limit == 0 or made < limit):
                step(games, i, random_action(games, i, streams, i))
                made += 1

    return play_out


@functools.cache
def _observe_loop(kernels: Kernels) -> Any:
    """Returns the loop that writes the observation and mask of the seat to act in game ``rows[k]`` to row ``k``."""
    legal, view, observe, words = kernels.legal, kernels.view, kernels.observe, kernels.words

    @kernels.loop("worlds.observe")
    def write_observations(games: Any, rows: Ints, scratch: Any, observations: Bytes, out: Bytes) -> None:
        for k in range(len(rows)):
            view(games, rows[k], games[rows[k]].to_act, scratch, 0)
            observe(scratch, 0, observations, k)
            for word in range(words):
                loops.write_legal(legal(games, rows[k], word), out, k, word)

    return write_observations
