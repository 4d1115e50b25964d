"""Leagues: hand-coded policies and earlier selves in a training run's games, as opponents and as partners."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs import policy
from cardenvs.checks import check_choice
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.contract.fields import Games
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy, SeatMemory, ask, ask_rows
from cardenvs.randomness import hashed_streams
from cardenvs.train.config import OTHERS_SEATS

LEARNER, PAST = 0, 1
"""Numbers of players in line-ups: the learner's, and the first earlier self's; other policies come behind the selves."""


class League:
    """Draws the line-up of every episode, and decides for the seats that are not the learner's.

    In a share of the episodes a player other than the learner sits at the table: with two chances in three it holds all
    seats of one side, as the learner's opponents, else one seat, as the learner's partner (where a side has one seat, as an
    opponent). Where it is to hold ``"opponents"`` alone, it holds all seats but those of one side, which is drawn for each
    episode, each side as often. In a game of one side, where there are no opponents, it holds all seats but one instead.

    Attributes:
        game: the game's spec.
        lineup: int64 (n, seats), the number of the player at each seat; 0 is the learner.
        others: the policies that play besides the learner and its earlier selves.
        others_share: share of the episodes in which a policy of ``others`` plays, 0 to 1.
        others_seats: which seats the other player holds, a value of `cardenvs.train.config.OTHERS_SEATS`.
        past_share: share of the episodes in which an earlier self plays, 0 to 1.
        past: the earlier selves that are kept, the oldest first.
        generator: the random generator of the line-ups.
        streams: uint64 (n,), the other players' random streams in each game.

    Args:
        n: games played side by side.
        seed: seed of the line-ups and of the other players' random choices, at least 0.
        others: names of the policies that play besides the learner and its earlier selves.
        others_share: share of the episodes in which a policy of ``others`` plays, 0 to 1.
        others_seats: which seats the other player holds: ``"any"``, one side or one seat; ``"opponents"``, all seats but
            those of one side; in a game of one side all but one seat.
        past_share: share of the episodes in which an earlier self plays, 0 to 1, as soon as there is one.
        past_kept: how many earlier selves are kept; the oldest goes first.

    Raises:
        ValueError: an unknown policy; shares outside 0 to 1 or that add up to more; other ``others_seats``.
    """

    def __init__(
        self,
        game: str | GameSpec,
        n: int,
        *,
        seed: int = 0,
        others: Sequence[str] = (),
        others_share: float = 0.0,
        others_seats: str = "any",
        past_share: float = 0.0,
        past_kept: int = 8,
    ) -> None:
        self.game = get_game(game).plain
        if not 0 <= others_share <= 1 or not 0 <= past_share <= 1 or others_share + past_share > 1:
            shares = f"{others_share!r} and {past_share!r}"
            raise ValueError(f"others_share and past_share must be from 0 to 1 and at most 1 together, not {shares}")
        self.others: list[Policy] = [policy.make(self.game, name) for name in others]
        self.others_share = others_share if self.others else 0.0
        check_choice("others_seats", others_seats, OTHERS_SEATS)
        self.others_seats = others_seats
        self.past_share = past_share
        self.past: deque[Policy] = deque(maxlen=past_kept)
        self.lineup = np.zeros((n, self.game.seats), np.int64)
        self.generator = np.random.default_rng(np.random.SeedSequence([seed, 1]))
        self.streams: Streams = hashed_streams(seed, "league", n)
        self._memory = SeatMemory(n)

    def add_past(self, earlier: Policy) -> None:
        """Adds an earlier self; if there are too many the oldest goes, and the next oldest goes on with its games.

        Args:
            earlier: a policy with the learner's weights as they are now.
        """
        self.past.append(earlier)

    def draw(self, rows: Ints, games: Games | None = None) -> None:
        """Draws new line-ups for some games.

        Args:
            rows: int64 (k,), numbers of the games.
            games: the games as they are dealt, structured (n,); needed where sides are dealt.
        """
        self._memory.games[rows] = self._memory.games.max() + 1 + np.arange(len(rows))
        sides = np.tile(self.game.side_of, (len(rows), 1)) if games is None else self.game.seat_sides(games[rows])
        seats = self.game.seats
        draws = self.generator.random((len(rows), 4))
        lineup = np.zeros((len(rows), seats), np.int64)
        past = draws[:, 0] < (self.past_share if self.past else 0.0)
        other = ~past & (draws[:, 0] > 1 - self.others_share)
        player = np.where(past, PAST + (draws[:, 1] * len(self.past)).astype(np.int64), 0)
        first = PAST + (self.past.maxlen or 0)
        player = np.where(other, first + (draws[:, 1] * len(self.others)).astype(np.int64), player)
        seat = (draws[:, 2] * seats).astype(np.int64)
        if self.game.one_sided:
            apart = draws[:, 3] < 2 / 3
            if self.others_seats == "opponents" or seats == 1:
                apart[:] = True
            drawn = np.arange(seats) == seat[:, None]
            self.lineup[rows] = np.where(drawn != apart[:, None], player[:, None], LEARNER)
            return
        if self.others_seats == "opponents":
            own = (draws[:, 2] * self.game.num_sides).astype(np.int64)
            self.lineup[rows] = np.where(sides == own[:, None], LEARNER, player[:, None])
            return
        for k in range(seats):
            # The side of the seat drawn, or that seat alone.
            beside = sides[:, k] == sides[np.arange(len(rows)), seat]
            lineup[:, k] = np.where((k == seat) | ((draws[:, 3] < 2 / 3) & beside), player, LEARNER)
        self.lineup[rows] = lineup

    def choose(self, player: int, rows: Ints, seats: Ints, observations: Bytes, action_masks: Bytes) -> Ints:
        """A player's actions in some of the games, int64 (k,), drawn from these games' random streams.

        Args:
            player: the player's number.
            rows: int64 (k,), numbers of the games.
            seats: int64 (k,), the seats to act.
            observations: int8 (k, d), what the seats to act see, with recall or without.
            action_masks: int8 (k, num_actions), the legal actions.
        """
        streams = np.tile(self.streams[rows, None], self.game.seats)
        there, shown = np.arange(len(rows)), np.ascontiguousarray(observations)
        memory = self._memory.at(rows)
        actions = ask(self._player_of_number(player), shown, action_masks, streams, there, seats, memory=memory)
        self.streams[rows] = streams[there, seats]
        return actions

    def _player_of_number(self, number: int) -> Policy:
        """The player with a number."""
        first = PAST + (self.past.maxlen or 0)
        return self.others[number - first] if number >= first else self.past[number - PAST]

    def ask(self, player: int, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """A player's actions in imagined positions, int64 (n,), drawn from random streams other than the games' own.

        Args:
            player: the player's number.
            observations: int8 (n, d), with recall or without.
            action_masks: int8 (n, num_actions).
            streams: uint64 (n,), advanced in place.
        """
        who = self._player_of_number(player)
        if who.remembers:
            raise ValueError(f"the policy {who.name!r} remembers, and cannot be asked in imagined positions")
        return ask_rows(who, np.ascontiguousarray(observations), action_masks, streams)

    # --- saving and restoring ---

    def get_state(self) -> dict[str, npt.NDArray[Any]]:
        """Line-ups and random numbers as arrays by name, without the earlier selves; `set_state` takes them back."""
        state = self.generator.bit_generator.state["state"]
        words = [state[name] >> shift & (1 << 64) - 1 for name in ("state", "inc") for shift in (0, 64)]
        return {
            "lineup": self.lineup.copy(),
            "lineup_streams": self.streams.copy(),
            "lineup_rng": np.array(words, np.uint64),
        }

    def set_state(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continues where `get_state` was called; the earlier selves must have been added before, in their order.

        Args:
            state: what `get_state` returned, among other arrays if need be.

        Raises:
            ValueError: a line-up with a player that there is not.
        """
        lineup = np.asarray(state["lineup"], np.int64)
        first = PAST + (self.past.maxlen or 0)
        earlier = (lineup >= PAST) & (lineup < PAST + len(self.past))
        others = (lineup >= first) & (lineup < first + len(self.others))
        if lineup.shape != self.lineup.shape or not ((lineup == LEARNER) | earlier | others).all():
            raise ValueError("the line-ups name players that are not in the league")
        self.lineup[:] = lineup
        self.streams[:] = state["lineup_streams"]
        words = [int(word) for word in state["lineup_rng"]]
        generator = self.generator.bit_generator
        inner = {"state": words[0] | words[1] << 64, "inc": words[2] | words[3] << 64}
        generator.state = {**generator.state, "state": inner, "has_uint32": 0, "uinteger": 0}
