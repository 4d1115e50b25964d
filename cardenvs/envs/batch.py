"""The batched simulator: n games stepped by one call. Everything fast stands on it."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.checks import call_text, check_bool, check_int, check_ints, check_mapping, check_seed, short
from cardenvs.compiled.bits import Streams
from cardenvs.compiled.machine import core_numbers
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract import loops
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import DEAL_OVER, DECISIONS, EPISODE_OVER, RUNNING, TRUNCATED, WINNERS
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import check_limit, check_reward, form_of
from cardenvs.randomness import drawn_seed


class Ended(IntEnum):
    """Values of `Batch.ended`, comparable with the entries of NumPy arrays, also in Numba's loops.

    ``batch.ended >= Ended.EPISODE_OVER`` is where an episode is over in any way.

    Attributes:
        RUNNING: 0, nothing ended in the step.
        DEAL_OVER: 1, a deal ended and was paid, but its game goes on with the next deal.
        EPISODE_OVER: 2, an episode ended, with its last deal.
        TRUNCATED: 3, an episode was truncated (``max_decisions``); the rest of its deal is not paid.
    """

    RUNNING = RUNNING
    DEAL_OVER = DEAL_OVER
    EPISODE_OVER = EPISODE_OVER
    TRUNCATED = TRUNCATED


Derive = Callable[[int, int], npt.NDArray[np.uint64]]
"""A function that makes the random streams of n games from a seed: an array whose first axis is the games."""


def new_streams(
    seed: int | Sequence[int | None], streams: npt.NDArray[np.uint64], derive: Derive = seed_streams
) -> npt.NDArray[np.uint64]:
    """Returns the random streams of games that start anew, uint64 (n, ...); ``streams`` is not changed.

    Args:
        seed: one seed, of which game ``i`` gets stream number ``i``; or a seed for each game, which gets the first stream
            of it, and keeps its own for None.
        streams: uint64 (n, ...), the streams that the games have.
        derive: derives streams of that shape from a seed.
    """
    n = len(streams)
    if not isinstance(seed, (list, tuple)) and (not isinstance(seed, np.ndarray) or seed.ndim != 1):
        return derive(check_seed(seed), n)
    if len(seed) != n:
        raise ValueError(f"seed must be one int or a list of {n}, one for each game, not {len(seed)} of them")
    out = streams.copy()
    for i, one in enumerate(seed):
        if one is not None:
            out[i] = derive(check_seed(one, f"seed[{i}]"), 1)[0]
    return out


def check_arrays(state: Mapping[str, Any], own: Mapping[str, npt.NDArray[Any]], source: str = "get_state()") -> None:
    """Checks that a state has arrays of the types and shapes of ``own``, by name."""
    for name, mine in own.items():
        array = state.get(name)
        if not isinstance(array, np.ndarray) or array.dtype != mine.dtype or array.shape != mine.shape:
            raise ValueError(f"state must be what {source} returned: its {name!r} is {short(array)}")


def _make_pool(threads: int) -> ThreadPoolExecutor:
    """Returns a pool of threads, each pinned to a core: unpinned, two threads woken for a millisecond often share one."""
    numbered = core_numbers()
    numbers = itertools.count()

    def pin_to_core() -> None:
        number = next(numbers)
        if threads <= len(numbered):
            os.sched_setaffinity(threading.get_native_id(), {numbered[number]})

    return ThreadPoolExecutor(threads, initializer=pin_to_core)


STATE_ARRAYS = ("games", "streams", "decisions", "winners", "rewards", "ended", "points", "tricks")
"""The arrays of a `Batch` that determine all others."""


class Batch:
    """``n`` games of one kind, stepped together.

    After construction and after every `step` these arrays describe the games (the same arrays every time, overwritten):

    Attributes:
        observations: int8 (n, observation_size), the observation of the seat to act; zeros where the episode is over. With
            an encoding, int8 (n, size of the encoding), not contiguous.
        action_masks: int8 (n, num_actions), the legal actions of the seat to act; zeros where the episode is over.
        to_act: int64 (n,), the seat to act, -1 where the episode is over.
        rewards: float32 (n, seats), every seat's reward for the step; not zero only when a deal ends. In a game that pays
            step by step (`GameSpec.pays_gains`), the change of what the deal would pay if it stopped now; the steps of a
            deal add up to its reward.
        ended: int64 (n,), what ended in this step, a number of `Ended`.
        points: int64 (n, sides), the points of each side in the latest finished deal.
        tricks: int64 (n, seats), the tricks of each seat in the latest finished deal.
        games: a structured array of shape (n,), the games' states.
        spec: the game's spec, with recall if observations have it.
        limit: the actions after which an episode is truncated; 0 for never.

    They are the batch's own: do not write to `games`; `set_games` takes states. Writing to the others changes no game.

    Game ``i`` of a seed is the same for every ``n``; its next episode continues its own random stream. A batch can be
    copied and pickled at any time, and goes on as the original does.

    Args:
        n: the number of games, at least 1.
        seed: an int from 0 to 2**256 - 1, or a list as for `reset`; None draws a seed.
        reward: the kind of reward, such as ``"points"``; None takes the game's first.
        team_share: 0 to 1. 1 pays both partners their side's reward, 0 pays each partner its own part of that reward; see
            `cardenvs.contract.loops.pay_so_far`.
        restart: whether a new episode is dealt at once where one ends; if not, the game stays over and takes any action.
        validate: whether `step` checks all actions and raises ValueError for an illegal one, before anything is played.
            False is a few percent faster and meant for actions that follow the masks: a game with an illegal action is left
            unchanged, without an error.
        skip_forced: whether actions without an alternative are played at once, so that every step is a decision: a third
            fewer steps in the trick games. (States put in by `set_games` are shown as they are.)
        recall: whether observations include the order of play (`GameSpec.recalling`).
        max_decisions: the actions after which an episode is truncated, without further rewards; None takes the game's own
            limit, which most games do not need.
        encoding: the name of another observation of the game (`GameSpec.encodings`), with fewer entries; None for the full
            one.
        threads: how many threads share a step; more than one pays for batches of ten thousand games and more.
        options: rule options, by name; in a game that has forms, parameters of the form, too.

    Raises:
        ValueError: an unknown game, option or value.
    """

    def __init__(
        self,
        game: str | GameSpec,
        n: int,
        *,
        seed: int | Sequence[int | None] | None = None,
        reward: str | None = None,
        team_share: float = 1.0,
        restart: bool = True,
        validate: bool = True,
        skip_forced: bool = False,
        recall: bool = False,
        max_decisions: int | None = None,
        encoding: str | None = None,
        threads: int = 1,
        **options: Any,
    ) -> None:
        game, options = form_of(game, options, type(self))
        self.spec = game.with_recall(check_bool("recall", recall))
        self.limit = check_limit(self.spec, max_decisions)
        self.n = n = self.spec.check_count("n", n, 1)
        threads = check_int("threads", threads, 1)
        self.kind, self.share = check_reward(self.spec, reward, team_share)
        self.restart = check_bool("restart", restart)
        self.validate = check_bool("validate", validate)
        self.skip_forced = check_bool("skip_forced", skip_forced)
        self.options = options
        self.games: Games = self.spec.new_games(n, **options)
        self._shown = self.spec.shown_size(encoding)
        self._take_arrays(loops.new_arrays(self.spec, n))
        bounds = np.linspace(0, n, min(threads, n) + 1).astype(int)
        self._parts = [(int(a), int(b)) for a, b in itertools.pairwise(bounds)]
        self._scratch = [self.spec.new_games(1) for _ in self._parts]
        self._pool = _make_pool(len(self._parts)) if len(self._parts) > 1 else None
        self.streams = np.zeros(n, np.uint64)
        self.reset(seed)

    def _take_arrays(self, arrays: Any) -> None:
        self._arrays = arrays
        self._rows, self.action_masks, self.rewards, ints = arrays
        parts = loops.split_ints(ints, self.rewards, self.spec.mask_words)
        self.to_act, self.ended, self.points, self.tricks, self._kept = parts
        self.observations = self._rows[:, : self._shown]

    def __repr__(self) -> str:
        return call_text("Batch", self.spec.name, n=self.n, **self.options)

    def __getstate__(self) -> dict[str, Any]:
        """Leaves out the threads, which cannot be copied, and the observations, a view of the rows."""
        return {name: value for name, value in vars(self).items() if name not in ("_pool", "observations")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._take_arrays(self._arrays)
        self._pool = _make_pool(len(self._parts)) if len(self._parts) > 1 else None

    def reset(self, seed: int | Sequence[int | None] | None = None) -> None:
        """Deals every game anew.

        Args:
            seed: an int from 0 to 2**256 - 1, whose random stream number ``i`` game ``i`` gets; a list of n such ints, of
                which game ``i`` gets the first stream of number ``i``, and keeps its own stream for None; or None, which
                draws a seed.

        Raises:
            ValueError: a wrong seed, or a list of another length.
        """
        if seed is None:
            seed = drawn_seed()
        self.deal_from(new_streams(seed, self.streams))

    def deal_from(self, streams: Streams) -> None:
        """Deals every game anew, game ``i`` from the random stream ``streams[i]``, uint64 (n,), which it then keeps."""
        if not isinstance(streams, np.ndarray) or streams.dtype != np.uint64 or streams.shape != (self.n,):
            raise ValueError(f"streams must be uint64 of shape ({self.n},), not {short(streams)}")
        self.streams = streams.copy()
        self.games = self.spec.new_games(self.n, **self.options)
        self.decisions[:] = 0
        self._clear_results()
        self._write_rows(fresh=True)

    def set_games(self, games: Games) -> None:
        """Replaces the games by copies of states, shape (n,), of the game's STATE; ValueError for impossible states."""
        checked = self.spec.check_state(games, "games", whole=True)
        if len(checked) != self.n:
            raise ValueError(f"games must be {self.n} states of {self.spec.name}, not {len(checked)}")
        self.games = checked.copy()
        self.decisions[:] = checked["moves"]
        if self.limit:
            self.decisions[(checked["over"] == RUNNING) & (checked["moves"] >= self.limit)] = -1
        self._clear_results()
        self._write_rows(fresh=False)

    def get_state(self) -> dict[str, npt.NDArray[Any]]:
        """Returns the games with their random streams: copies of arrays by name, which `set_state` restores."""
        return {name: getattr(self, name).copy() for name in STATE_ARRAYS}

    def set_state(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restores games that `get_state` returned, here or in another batch of the same settings.

        Raises ValueError for anything else and for games that no position of the game has; nothing has changed then.
        """
        given = check_mapping("state", state)
        check_arrays(given, {name: getattr(self, name) for name in STATE_ARRAYS}, "get_state() of such a batch")
        games, decisions = self.spec.check_state(given["games"], "games", whole=True), given["decisions"]
        if not ((decisions == -1) | (decisions >= games["moves"]) | (games["over"] != RUNNING)).all():
            raise ValueError(
                "state must be what get_state() returned: its 'decisions' are fewer than the actions of a deal"
            )
        for name in STATE_ARRAYS:
            getattr(self, name)[:] = given[name]
        self._write_rows(fresh=False)

    def clone(self) -> Batch:
        """Returns an independent copy that goes on as this batch does; settings, which never change, are shared."""
        twin = object.__new__(type(self))
        own = twin.__dict__
        own.update(self.__dict__)
        twin.games, twin.streams = self.games.copy(), self.streams.copy()
        twin._take_arrays(tuple(array.copy() for array in self._arrays))
        own["_scratch"] = [np.empty_like(scratch) for scratch in self._scratch]
        if self._pool is not None:
            own["_pool"] = _make_pool(len(self._parts))
        return twin

    def multiplicities(self) -> npt.NDArray[np.int64]:
        """Returns how many choices of a player each legal action stands for, int64 (n, num_actions); 0 where illegal."""
        if self.spec.kernels.multiplicity is None:
            return self.action_masks.astype(np.int64)
        out = np.zeros(self.action_masks.shape, np.int64)
        self.spec.kernels.batch_multiplicities(self.spec.decode(self._rows), self.action_masks, out)
        return out

    def deal(self, rows: npt.NDArray[np.integer[Any]]) -> None:
        """Deals new episodes (the next deal, where one is due) in the games numbered ``rows``, ints of shape (k,).

        Raises ValueError for anything else; nothing has been dealt then.
        """
        numbers = check_ints("rows", rows)
        if len(numbers) and not 0 <= numbers.min() <= numbers.max() < self.n:
            bad = numbers.min() if numbers.min() < 0 else numbers.max()
            raise ValueError(f"rows must be the numbers of games, 0 to {self.n - 1}, not {bad}")
        first = np.flatnonzero(np.diff(numbers, prepend=-2) != 1)  # rows that follow each other are dealt in one call
        counts = np.diff(first, append=len(numbers))
        for start, count in zip(numbers[first].tolist(), counts.tolist(), strict=True):
            self._write_part(start, start + count, self._scratch[0], True)

    def observe(self, i: int, seat: int) -> npt.NDArray[np.int8]:
        """Returns the observation of ``seat`` in game ``i`` at any time, a new int8 array; ValueError for no such one."""
        i = check_int("i, the number of the game,", i, 0, self.n - 1)
        return self.spec.observation(self.games[i : i + 1], seat)[: self._shown]

    def _clear_results(self) -> None:
        self.rewards[:] = 0
        self.ended[:] = 0
        self.points[:] = 0
        self.tricks[:] = 0
        self.winners[:] = 0

    def _write_rows(self, fresh: bool) -> None:
        """Writes the observations of the seats to act in all games, which are dealt first if ``fresh``."""
        for (start, stop), scratch in zip(self._parts, self._scratch, strict=True):
            self._write_part(start, stop, scratch, fresh)

    def _write_part(self, start: int, stop: int, scratch: Games, fresh: bool) -> None:
        self.spec.kernels.batch_deal(self.games, self.streams, start, stop, *self._arrays, scratch, fresh)

    def step(self, actions: npt.NDArray[np.integer[Any]]) -> None:
        """Plays one action in every game.

        Args:
            actions: ints of shape (n,); -1 leaves a game as it is; where the episode is over, any int is allowed.

        Raises:
            ValueError: no ints, or a wrong shape; with ``validate``, an illegal action: the message lists the legal ones.
                Nothing has been played then.
        """
        chosen = check_ints("actions", actions, (self.n,))
        if self.validate:
            self._check_legal(chosen)
        if self._pool is None:
            self._step_part(0, chosen)
        else:
            list(self._pool.map(lambda part: self._step_part(part, chosen), range(len(self._parts))))

    def _step_part(self, part: int, actions: npt.NDArray[np.int64]) -> None:
        start, stop = self._parts[part]
        settings = loops.batch_settings(start, stop, self.kind, self.share, self.restart, self.skip_forced, self.limit)
        self.spec.kernels.batch_step(self.games, self.streams, actions, *self._arrays, settings, self._scratch[part])

    def check(self, actions: npt.NDArray[np.integer[Any]]) -> None:
        """Raises the ValueError of `step` for wrong or illegal actions, ints of shape (n,); nothing is played."""
        self._check_legal(check_ints("actions", actions, (self.n,)))

    def _check_legal(self, actions: npt.NDArray[np.int64]) -> None:
        kernels, size = self.spec.kernels, self.spec.num_actions
        bad = int(kernels.first_illegal(self.games, self._kept, actions, size))
        if bad >= 0:
            raise ValueError(f"game {bad}: " + self.spec.illegal_message(self.games, bad, int(actions[bad])))

    @property
    def decisions(self) -> npt.NDArray[np.int64]:
        """int64 (n,): the actions so far in the episode, forced ones included; -1 where it was truncated."""
        return self._kept[:, DECISIONS]

    @property
    def winners(self) -> npt.NDArray[np.int64]:
        """int64 (n,): the sides that won the episode with the latest finished deal, as a bit mask; 0 for none."""
        return self._kept[:, WINNERS]

    @property
    def finished(self) -> npt.NDArray[np.bool_]:
        """bool (n,): where the episode is over or truncated (never where ``restart`` deals anew)."""
        return np.asarray((self.games["over"] == EPISODE_OVER) | (self.decisions < 0))

    def states(self) -> npt.NDArray[np.int8]:
        """Returns the full deals for centralised critics, int8 (n, state_size): the observations, then the hidden rest."""
        size = self.spec.observation_size
        out = np.zeros((self.n, self.spec.state_size), np.int8)
        out[:, :size] = self._rows
        self.spec.kernels.batch_reveal(self.games, 0, self.n, out, size)
        return out
