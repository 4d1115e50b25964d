"""Games in which a learner holds one seat, and named policies hold the others: the machine beneath all one-seat forms."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardenvs.checks import call_text, check_bool, check_mapping, is_int, short
from cardenvs.compiled.bits import Streams
from cardenvs.compiled.streams import below, seed_streams
from cardenvs.contract.loops import EPISODE_OVER
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import apply_deal_options, check_illegal, form_of, illegal_rewards
from cardenvs.envs.batch import Batch, check_arrays, new_streams
from cardenvs.envs.lineups import LEARNER, Lineups, Pool
from cardenvs.policy.contract import ask
from cardenvs.randomness import player_streams

_LINEUPS = 0x0DD5
"""Constant mixed into the seed of the line-ups, which must not follow the cards; no policy gets these streams."""


class Stepped(NamedTuple):
    """The result of a step of `SeatGames`.

    Attributes:
        rewards: float32 (n,), the learner's rewards since its last decisions, or since the episode began.
        terminated: bool (n,), where the episode has ended.
        truncated: bool (n,), where the episode was truncated.
        final: the learner's last observations of these episodes, int8 (observation_size,), by the games' numbers.
        opponents: the names of the policies at the seats in this step, see `SeatGames.opponents`.
        messages: the messages on illegal actions, by the games' numbers.
    """

    rewards: npt.NDArray[np.float32]
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]
    final: dict[int, npt.NDArray[np.int8]]
    opponents: npt.NDArray[np.object_]
    messages: dict[int, str]


class SeatGames:
    """``n`` games in each of which one seat is the learner's: the base of the Gymnasium environments and others.

    ``reward``, ``team_share``, ``recall``, ``max_decisions``, ``encoding`` and rule options are those of `cardenvs.Batch`;
    an encoding is the learner's alone.

    Args:
        n: the number of games.
        seat: the learner's seat, or ``"random"`` for a random seat in each episode.
        opponents: the policy of the other sides, by name, by file or as an object; or a list of such, one of which is drawn
            for each episode and each side (one that is listed twice is drawn twice as often), so that opposing partners
            share a policy; or a dict from agents' names (``"player_1"``) to policies or lists, from which each named seat
            draws for itself. Seats that the dict does not name get ``"random"``, or the partner. With a random seat for the
            learner all may be named; the learner takes the place of one.
        partner: the policy of the learner's partners, or a list, one of which is drawn for each episode, the same for all
            partners; None takes the policy of the other sides, drawn independently. Only for games with partners.
        illegal: ``"terminate"``: an illegal action ends its episode with the greatest loss that the options and the reward
            know; ``"raise"``: it is a ValueError, and nothing has been played.

    Attributes:
        spec: the game's spec, with recall if the learner's observations have it.
        batch: the games; its observations have the order of play if the learner or another player wants it.
        shown: the number of entries of the learner's observations.
        learner: int64 (n,), the learner's seat in each game.
        ready: whether each game is over or at a decision of the learner: not before `reset`, and not after the error of a
            policy.
        watcher: a function without arguments that is called before every move of the other seats; at first None, for none.

    Raises:
        ValueError: an unknown game, seat, policy, option or value.
    """

    def __init__(
        self,
        game: str | GameSpec,
        n: int,
        *,
        seat: int | str = 0,
        opponents: Pool | Mapping[str, Pool] = "random",
        partner: Pool | None = None,
        reward: str | None = None,
        team_share: float = 1.0,
        recall: bool = False,
        max_decisions: int | None = None,
        encoding: str | None = None,
        illegal: str = "terminate",
        **options: Any,
    ) -> None:
        game, options = form_of(game, options, type(self))
        self.spec = spec = game.with_recall(check_bool("recall", recall))
        drawn = isinstance(seat, str) and seat == "random"
        if not drawn and (not is_int(seat) or not 0 <= seat < spec.seats):
            raise ValueError(f"seat must be 0 to {spec.seats - 1} or 'random', not {short(seat)}")
        self.n = spec.check_count("n", n, 1)
        self.shown = spec.shown_size(encoding)
        self.seat = seat
        self.illegal = check_illegal(illegal)
        self.options = options
        self.reward = reward
        self._lineups = Lineups(spec, self.n, seat, opponents, partner)
        # The actions of policies are checked as they come, those of the learner before they are given to `step`.
        self.batch = Batch(
            spec,
            n,
            seed=0,
            reward=reward,
            team_share=team_share,
            restart=False,
            validate=False,
            recall=recall or any(player.game.recall for player in self._lineups.players),
            max_decisions=max_decisions,
            **options,
        )
        self.learner = np.zeros(n, np.int64)
        self._randomness = np.zeros((n, spec.seats), np.uint64)  # of the policies, by seat
        self._drawing = np.zeros(n, np.uint64)  # of the learner's seats and the line-ups
        self._owed = np.zeros(n, np.float32)  # what was paid to the learner before its first decision of the episode
        self._view = spec.new_games(1)
        self._count, self._all = np.arange(n), np.ones(n, np.bool_)
        self.ready = False
        self.watcher: Callable[[], object] | None = None

    def describe_call(self, name: str, **settings: Any) -> str:
        """Returns an environment over these games as a call: its seat, and the policies that may sit beside the learner."""
        others = [player.name for player in self._lineups.players]
        return call_text(name, self.spec.name, **settings, seat=self.seat, others=others, **self.options)

    def reset(
        self,
        seed: int | Sequence[int | None] | None,
        deal: dict[str, Any] | None = None,
        rows: npt.NDArray[np.int64] | None = None,
    ) -> None:
        """Starts a new episode in the games ``rows``, int64 (k,), each once; None for all.

        Args:
            seed: an int from 0 to 2**256 - 1 that starts the random streams anew, or a list of one for each game, as for
                `cardenvs.envs.batch.Batch.reset`, those of other games ignored; None goes on with the streams.
            deal: for all these games, ``"deal"``, ``"dealer"`` and ``"deck"`` of
                `cardenvs.envs.arguments.apply_deal_options`.

        Raises:
            ValueError: a wrong seed, a deal that is not of this game or is over already, or a dealer that is no seat.
        """
        self.check_reset(seed, deal)
        batch, self.ready = self.batch, False
        if seed is not None and rows is None:
            self._lineups.memory.forget()  # the deals may have been played before
            batch.reset(seed)
            self._randomness, self._drawing = self._new_streams(seed)
        else:
            rows = np.arange(self.n) if rows is None else rows
            if seed is None:
                batch.games["over"][rows] = EPISODE_OVER  # of games of several deals
            else:
                batch.streams[rows] = new_streams(seed, batch.streams)[rows]
                randomness, drawing = self._new_streams(seed)
                self._randomness[rows], self._drawing[rows] = randomness[rows], drawing[rows]
                batch.games[rows] = self.spec.new_games(len(rows), **self.options)
            batch.deal(rows)
        rows = np.arange(self.n) if rows is None else rows
        if deal and any(value is not None for value in deal.values()):
            games = batch.games.copy()
            for i in rows.tolist():
                apply_deal_options(self.spec, games[i : i + 1], deal, self.options, batch.limit)
            others = ~np.isin(np.arange(self.n), rows)
            before = [(array, array[others]) for array in (batch.decisions, batch.to_act, batch.action_masks)]
            batch.set_games(games)
            for array, values in before:  # of episodes of several deals, and of those that an illegal action ended
                array[others] = values
        self._start_episodes(rows)
        self.ready = True

    def _new_streams(self, seed: int | Sequence[int | None]) -> tuple[Streams, Streams]:
        """Returns new streams of the policies, uint64 (n, seats), and of the line-ups, uint64 (n,)."""
        seats = self.spec.seats
        randomness = new_streams(seed, self._randomness, lambda one, n: player_streams(one, "seat", n, seats))
        return randomness, new_streams(seed, self._drawing, lambda one, n: seed_streams(one ^ _LINEUPS, n))

    def check_reset(self, seed: int | Sequence[int | None] | None, deal: dict[str, Any] | None) -> None:
        """Raises the ValueError of `reset` for wrong arguments; nothing changes."""
        if deal:
            apply_deal_options(self.spec, self.spec.deal(0, **self.options), deal, self.options, self.batch.limit)
        if seed is not None:
            new_streams(seed, self._drawing)

    def _start_episodes(self, rows: npt.NDArray[np.int64]) -> None:
        """Draws seats and policies in newly dealt games, plays to the learner's decision, and redeals games without one."""
        while len(rows):
            if self.seat == "random":
                for i in rows:
                    self.learner[i] = below(self._drawing, int(i), self.spec.seats)
            else:
                self.learner[rows] = int(self.seat)
            self._lineups.draw_lineups(rows, self.learner, self.batch.games, self._drawing)
            self._owed[rows] = self._play_on()[rows]
            rows = rows[self.batch.to_act[rows] < 0]
            self.batch.deal(rows)

    def _actions_of_others(self) -> npt.NDArray[np.int64] | None:
        """Returns the actions of the seats to act but the learner's, int64 (n,), -1 elsewhere; None if there are none."""
        batch, count = self.batch, self._count
        if self.spec.kernels.side is not None:  # in an episode of several deals, sides are dealt again
            self._lineups.seat_players(count, self.learner, batch.games)
        moving = np.where(batch.to_act >= 0, self._lineups.lineup[count, batch.to_act], LEARNER)
        if moving.max() == LEARNER:  # the least of its values
            return None
        actions = np.full(self.n, -1, np.int64)
        for number, player in enumerate(self._lineups.players):
            rows = np.flatnonzero(moving == number)
            if len(rows):
                actions[rows] = ask(
                    player, batch.observations, batch.action_masks, self._randomness, rows, batch.to_act[rows],
                    partial(self.spec.illegal_answer, batch.games), self._lineups.memory,
                )  # fmt: skip
        return actions

    def _play_on(self) -> npt.NDArray[np.float32]:
        """Lets the other seats act up to the learner's decision or the end; returns the learner's rewards, float32 (n,)."""
        total = np.zeros(self.n, np.float32)
        while (actions := self._actions_of_others()) is not None:
            if self.watcher is not None:
                self.watcher()
            self.batch.step(actions)
            total += self.batch.rewards[self._count, self.learner]
        return total

    def step(
        self,
        actions: npt.NDArray[np.int64],
        restart: bool,
        waiting: npt.NDArray[np.bool_] | None = None,
        renew: bool = False,
    ) -> Stepped:
        """Plays the learner's actions and on to its next decisions.

        Args:
            actions: int64 (n,), legal or not.
            restart: whether games whose episode has ended are dealt anew.
            waiting: bool (n,), games in which nothing is played; None for none.
            renew: whether waiting games are dealt anew first.

        Raises:
            ValueError: an illegal action, with ``illegal="raise"``; nothing has been played then.
        """
        batch = self.batch
        playing = self._all if waiting is None else ~waiting
        illegal = ~self.are_legal(actions) & playing
        messages = {i: self.illegal_message(i, int(actions[i])) for i in np.flatnonzero(illegal).tolist()}
        for i, message in messages.items():
            if self.illegal == "raise":
                raise ValueError(f"game {i}: {message}")
        if renew:
            self.reset(None, rows=np.flatnonzero(~playing))
        self.ready = False
        if messages:  # paid by the sides of this deal
            paid = illegal_rewards(self.spec, self.options, self.reward, batch.games, self.learner, batch.share)
        batch.step(actions if waiting is None and not messages else np.where(illegal | ~playing, -1, actions))
        rewards = batch.rewards[self._count, self.learner]
        rewards += self._play_on()
        if messages:
            rewards = np.where(illegal, paid[self._count, self.learner], rewards)
        rewards += np.where(playing, self._owed, 0)
        self._owed[playing] = 0
        done = ((batch.to_act < 0) | illegal) & playing
        cut_off = (batch.decisions < 0) & done & ~illegal
        final = {int(i): self.observe(int(i)) for i in np.flatnonzero(done)}
        self.mark_over(illegal)
        opponents = self.opponents()
        if restart and final:
            rows = np.flatnonzero(done)
            batch.deal(rows)
            self._start_episodes(rows)
        self.ready = True
        return Stepped(rewards, done & ~cut_off, cut_off, final, opponents, messages)

    def mark_over(self, games: npt.NDArray[np.bool_]) -> None:
        """Marks games, bool (n,), as ended by an illegal action until they are dealt anew."""
        self.batch.to_act[games] = -1
        self.batch.action_masks[games] = 0

    def opponents(self) -> npt.NDArray[np.object_]:
        """Returns the names of the policies at the seats, None at the learner's: a read-only array (n, seats).

        Where sides are dealt in secret, the names may reveal them.
        """
        return self._lineups.seat_names()

    def observations(self) -> npt.NDArray[np.int8]:
        """Returns the learner's observation in each game where it is to act, int8 (n, shown), a new array."""
        return self.batch.observations[:, : self.shown].copy()

    def observe(self, i: int) -> npt.NDArray[np.int8]:
        """Returns the learner's observation in game ``i``, at any time: a new int8 array of shape (shown,)."""
        out = np.zeros((1, self.spec.observation_size), np.int8)
        self.spec.kernels.view(self.batch.games, i, int(self.learner[i]), self._view, 0)
        self.spec.kernels.observe(self._view, 0, out, 0)
        return out[0, : self.shown]

    def get_state(self) -> dict[str, npt.NDArray[Any]]:
        """Returns the games with all random streams: copies of arrays by name, which `set_state` restores."""
        return self.batch.get_state() | {name: array.copy() for name, array in self._own_arrays().items()}

    def set_state(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restores games that `get_state` returned, here or in another object of the same settings; else ValueError."""
        given = check_mapping("state", state)
        check_arrays(given, self._own_arrays())
        if not ((given["learner"] >= 0) & (given["learner"] < self.spec.seats)).all():
            raise ValueError("state must be what get_state() returned: its 'learner' has no seats of the game")
        self._lineups.check_drawn(given["lineups"])
        self.batch.set_state(given)
        for name, mine in self._own_arrays().items():
            mine[:] = given[name]
        self._lineups.memory.forget()
        self._lineups.seat_players(self._count, self.learner, self.batch.games)
        self.ready = True

    def _own_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Returns the arrays of a state beside the batch's, by name, without copying."""
        return {
            "learner": self.learner, "randomness": self._randomness, "drawing": self._drawing, "owed": self._owed,
            "lineups": self._lineups.drawn,
        }  # fmt: skip

    def clone(self) -> SeatGames:
        """Returns independent games that go on as these do, with the same policy objects."""
        twin = copy.copy(self)
        twin.batch, twin.watcher = self.batch.clone(), None
        twin.learner, twin._randomness, twin._drawing = self.learner.copy(), self._randomness.copy(), self._drawing.copy()
        twin._view, twin._owed = self._view.copy(), self._owed.copy()
        twin._lineups = self._lineups.clone()
        return twin

    def illegal_message(self, i: int, action: int) -> str:
        """Returns the message on the learner's illegal action in game ``i``, with the legal actions."""
        return self.spec.illegal_message(self.batch.games, i, action)

    def close(self) -> None:
        """Closes the policies made from names, such as programs; those given as objects stay open."""
        self._lineups.close()

    def are_legal(self, actions: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Returns whether the learner's action is legal in each game, bool (n,)."""
        known = (actions >= 0) & (actions < self.spec.num_actions)
        return np.asarray(known & (self.batch.action_masks[self._count, np.where(known, actions, 0)] != 0))
