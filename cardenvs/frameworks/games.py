"""Base of the forms for all libraries: ``n`` games, an action in each at a step, dealt anew only on request.

`SelfPlay` shows every decision of every seat and pays all seats; `OneSeat` shows a learner's decisions alone, with policies
at the other seats. Both have the same form for a library, except for the shape of the rewards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.checks import check_ints, check_mapping, did_you_mean, is_int, short
from cardenvs.contract.loops import EPISODE_OVER
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import ResetNeeded, check_illegal, check_names, illegal_rewards
from cardenvs.envs.batch import Batch, new_streams
from cardenvs.envs.lineups import Pool
from cardenvs.envs.seat_games import SeatGames

Ints = npt.NDArray[np.int64]
Seeds = int | Sequence[int | None] | None

_ONE_SEAT = ("seat", "partner")  # arguments that need opponents
_PASSED_ON = (*_ONE_SEAT, "reward", "team_share", "recall", "max_decisions", "encoding", "skip_forced", "threads")
"""Arguments that the forms for libraries take beside those in their signatures."""
_SETTLED = ("restart", "validate")  # arguments of `cardenvs.envs.batch.Batch` that are fixed here


def check_arguments(game: str | GameSpec, names: Iterable[str], own: Sequence[str]) -> None:
    """Checks the names of the arguments that a form for a library passes on; ``own`` are those that it does not.

    Raises ValueError for an unknown game or name, with the nearest known name.
    """
    check_names(get_game(game), (name for name in names if name not in _SETTLED), [*own, *_PASSED_ON])


def make_games(
    game: str | GameSpec, n: int, opponents: Pool | Mapping[str, Pool] | None, illegal: str, **kwargs: Any
) -> LibraryGames:
    """Returns the games behind a form for a library: `SelfPlay` without opponents, else `OneSeat`.

    Raises ValueError for a seat or a partner without opponents.
    """
    if opponents is not None:
        return OneSeat(game, n, opponents=opponents, illegal=illegal, **kwargs)
    for name in _ONE_SEAT:
        if kwargs.pop(name, None) is not None:
            raise ValueError(f"{name} needs opponents: without them all seats are the learner's")
    return SelfPlay(game, n, illegal=illegal, **kwargs)


def _row_seeds(seed: Seeds, n: int, rows: Ints | None) -> Seeds:
    """Returns seeds for all games from those of the games in ``rows``: a list gets None for the others."""
    if rows is None or seed is None or is_int(seed):
        return seed
    given = list(seed)  # type: ignore[arg-type]
    if len(given) != len(rows):
        raise ValueError(f"seed must be one int or a list of {len(rows)}, one for each game, not {len(given)} of them")
    seeds: list[int | None] = [None] * n
    for row, one in zip(rows.tolist(), given, strict=True):
        seeds[row] = one
    return seeds


def check_rows(rows: Any, n: int) -> Ints:
    """Returns the numbers of games, int64 (k,); raises ValueError unless they are different ints from 0 to n - 1."""
    numbers = check_ints("rows", np.atleast_1d(np.asarray(rows)))
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() < n:
        raise ValueError(f"the games are 0 to {n - 1}, not {short(numbers.tolist())}")
    if len(np.unique(numbers)) < len(numbers):
        raise ValueError(f"each game can be named once, not {short(numbers.tolist())}")
    return numbers


def _spread_actions(n: int, actions: Any, rows: Ints | None) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Returns actions of all games, int64 (n,), and which of them are to be played, bool (n,)."""
    chosen = check_ints("actions", actions, (n if rows is None else len(rows),))
    if rows is None:
        return chosen, np.ones(n, np.bool_)
    spread, asked = np.zeros(n, np.int64), np.zeros(n, np.bool_)
    spread[rows], asked[rows] = chosen, True
    return spread, asked


class SelfPlay:
    """All seats are the learner's: a step is one decision in each game.

    At the end of an episode only rewards remain: the observation is zeros, and the seat -1. In a truncated episode the
    observation is that of the seat that would act next.

    Args:
        n: the number of games, at least 1.
        illegal: ``"terminate"``: an illegal action ends the episode of its game with the greatest loss that the options and
            the reward know for the whole side, and as great a gain for the others; ``"raise"``: it is a ValueError.
        seed: as of `reset`; None draws a seed.
        kwargs: ``reward``, ``team_share``, ``recall``, ``max_decisions``, ``encoding``, ``skip_forced``, ``threads`` and
            rule options, which `cardenvs.envs.batch.Batch` takes.

    Attributes:
        spec: the game's spec, with recall if observations have it.
        observations: int8 (n, observation_size), or with an encoding (n, size of the encoding), of the seats to act.
        action_masks: int8 (n, num_actions), the legal actions of the seat to act; zeros where the episode is over.
        seats: int64 (n,), the observing seats; -1 for none.
        rewards: float32 (n, seats), every seat's for the latest step.
        terminated: bool (n,), where the episode has ended.
        truncated: bool (n,), where it was truncated (``max_decisions``).
        messages: by game, the error message of an illegal action in the latest step.

    Raises:
        ValueError: an unknown game, option or value.
    """

    def __init__(
        self, game: str | GameSpec, n: int, *, illegal: str = "terminate", seed: Seeds = None, **kwargs: Any
    ) -> None:
        for name in _SETTLED:
            if name in kwargs:
                raise ValueError(f"{name} cannot be chosen here: games are dealt anew when asked, and actions are checked")
        self.illegal = check_illegal(illegal)
        self.batch = Batch(game, n, seed=seed, restart=False, validate=False, **kwargs)
        self.spec, self.n = self.batch.spec, self.batch.n
        self._reward = kwargs.get("reward")
        self._count = np.arange(n)
        self.messages: dict[int, str] = {}
        self._read_batch()

    def _read_batch(self) -> None:
        batch = self.batch
        self.observations, self.action_masks = batch.observations, batch.action_masks
        self.rewards = batch.rewards
        self.truncated = batch.decisions < 0
        self.terminated = (batch.to_act < 0) & ~self.truncated
        self.seats = batch.to_act
        if self.truncated.any():
            self.seats = batch.to_act.copy()
            for i in np.flatnonzero(self.truncated).tolist():
                self.seats[i] = int(batch.games[i]["to_act"])
                self.observations[i] = batch.observe(i, int(self.seats[i]))

    def reset(self, seed: Seeds = None, rows: Ints | None = None) -> None:
        """Deals new episodes.

        Args:
            seed: an int from 0 to 2**256 - 1, of which game ``i`` gets random stream number ``i``; or a list with a seed
                for each of these games, None where one goes on with its own stream; or None, with which all go on.
            rows: the numbers of the games, int64 (k,), each once; None for all.

        Raises:
            ValueError: a wrong seed, or a list of another length. Nothing has been dealt then.
        """
        batch = self.batch
        streams = None if seed is None else new_streams(_row_seeds(seed, self.n, rows), batch.streams)  # type: ignore[arg-type]
        dealt = self._count if rows is None else rows
        if streams is None:
            batch.games["over"][dealt] = EPISODE_OVER  # of games of several deals
        else:
            batch.streams[dealt] = streams[dealt]
            batch.games[dealt] = self.spec.new_games(len(dealt), **batch.options)
        batch.deal(dealt)
        batch.rewards[dealt] = 0
        self.messages = {}
        self._read_batch()

    def step(self, actions: Any, rows: Ints | None = None) -> None:
        """Plays an action in each game, or in some; games whose episode is over stay over, with rewards of 0.

        Args:
            actions: ints (n,), or (k,) for the games in ``rows``.
            rows: the numbers of the games, int64 (k,), each once; None for all.

        Raises:
            ValueError: no ints or a wrong shape; or with ``illegal="raise"`` an illegal action. Nothing has been played.
        """
        batch = self.batch
        chosen, asked = _spread_actions(self.n, actions, rows)
        asked &= batch.to_act >= 0
        known = (chosen >= 0) & (chosen < self.spec.num_actions)
        legal = known & (batch.action_masks[self._count, np.where(known, chosen, 0)] != 0)
        illegal = asked & ~legal
        if not illegal.any():
            self.messages = {}
            batch.step(np.where(asked, chosen, -1))
        else:
            bad = np.flatnonzero(illegal)
            messages = {i: self.spec.illegal_message(batch.games, i, int(chosen[i])) for i in bad.tolist()}
            if self.illegal == "raise":
                raise ValueError(f"game {bad[0]}: {messages[int(bad[0])]}")
            self.messages = messages
            paid = illegal_rewards(self.spec, batch.options, self._reward, batch.games[bad], batch.to_act[bad], batch.share)
            batch.step(np.where(asked & legal, chosen, -1))
            batch.rewards[bad] = paid
            batch.games["over"][bad] = EPISODE_OVER
            batch.to_act[bad], batch.action_masks[bad], batch.observations[bad] = -1, 0, 0
        self._read_batch()

    def close(self) -> None:
        """Does nothing: no policies play."""


class OneSeat:
    """One seat is the learner's, and policies hold the others; members are those of `SelfPlay`, rewards float32 (n,).

    A step runs from one decision of the learner to its next. At the end of an episode the observation and the seat are the
    learner's. Arguments are those of `cardenvs.envs.seat_games.SeatGames`, and ``illegal`` and ``seed`` as of `SelfPlay`.
    """

    def __init__(
        self,
        game: str | GameSpec,
        n: int,
        *,
        opponents: Pool | Mapping[str, Pool],
        illegal: str = "terminate",
        seed: Seeds = None,
        **kwargs: Any,
    ) -> None:
        self.seat_games = SeatGames(game, n, opponents=opponents, illegal=illegal, **kwargs)
        self.spec, self.n = self.seat_games.spec, self.seat_games.n
        self.action_masks, self.seats = self.seat_games.batch.action_masks, self.seat_games.learner
        self.rewards = np.zeros(n, np.float32)
        self.messages: dict[int, str] = {}
        self.terminated, self.truncated = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        self.observations = np.zeros((n, self.seat_games.shown), np.int8)
        self.seat_games.reset(int(np.random.default_rng().integers(0, 2**63)))
        self.reset(seed)

    def reset(self, seed: Seeds = None, rows: Ints | None = None) -> None:
        """Deals new episodes, see `SelfPlay.reset`."""
        if rows is not None:
            self._check_intact()
        seeds = _row_seeds(seed, self.n, rows)
        self.seat_games.check_reset(seeds, None)
        self.seat_games.reset(seeds, rows=rows)
        dealt = slice(None) if rows is None else rows
        self.rewards[dealt], self.terminated[dealt], self.truncated[dealt] = 0, False, False
        self.observations[dealt] = self.seat_games.observations()[dealt]
        self.messages = {}

    def step(self, actions: Any, rows: Ints | None = None) -> None:
        """Plays an action in each game, or in some, see `SelfPlay.step`; ResetNeeded after the error of a policy."""
        self._check_intact()
        chosen, asked = _spread_actions(self.n, actions, rows)
        over = self.terminated | self.truncated
        asked &= ~over
        stepped = self.seat_games.step(chosen, restart=False, waiting=~asked)
        self.messages = stepped.messages
        self.rewards = np.where(asked, stepped.rewards, 0).astype(np.float32)
        self.terminated, self.truncated = self.terminated | stepped.terminated, self.truncated | stepped.truncated
        shown = self.seat_games.observations()
        shown[over] = self.observations[over]
        for i, observation in stepped.final.items():
            shown[i] = observation
        self.observations = shown

    def close(self) -> None:
        """Closes the policies made from names, such as programs."""
        self.seat_games.close()

    def _check_intact(self) -> None:
        """Checks that no policy's error interrupted the latest step or reset."""
        if not self.seat_games.ready:
            raise ResetNeeded("the latest step ended in an error: reset all games first")


LibraryGames = SelfPlay | OneSeat  # the games behind a form for a library


def check_config(config: Any, known: Sequence[str]) -> dict[str, Any]:
    """Returns the settings of an environment as a new dict, for libraries that pass them in one.

    Raises ValueError for no mapping, no or an unknown game in it, or a name that is neither in ``known`` nor a rule option.
    """
    given = dict(check_mapping("config", config))
    if "game" not in given:
        meant = next(filter(None, (did_you_mean(name, ["game"]) for name in given)), "")
        listed = f"{', '.join(known)} and rule options"
        raise ValueError(f"config must have a 'game', such as 'euchre', beside {listed}, not {short(given)}{meant}")
    check_names(get_game(given["game"]), (name for name in given if name not in ("game", *_SETTLED)), known)
    return given
