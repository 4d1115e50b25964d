"""Who else sits at the tables of a training run: hand-coded policies and earlier selves, as opponents and as partners."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs import policy
from cardenvs.cards import Bytes, Ints, Streams, seed_streams
from cardenvs.policy import Policy
from cardenvs.spec import GameSpec, get_game

LEARNER, PAST = 0, 1
"""Numbers of players in line-ups; `PAST` and upwards are earlier selves, behind them come the others."""


class League:
    """Draws the line-up of every episode, and decides for the seats that are not the learner's.

    In a share of the episodes a player other than the learner sits at the table: with two chances in three as both
    opponents of one side, else as somebody's partner (in games of two, as the opponent).

    Attributes:
        lineup: int64 (n, seats), the player at each seat; 0 is the learner.

    Args:
        game: name or spec.
        n: games played side by side.
        seed: int >= 0.
        others: names of policies.
        others_share: share of the episodes in which one of them plays, 0 to 1.
        past_share: share in which an earlier self plays, as soon as there is one.
        past_kept: how many earlier selves are kept; the oldest goes first.

    Raises:
        ValueError: an unknown policy; shares outside 0 to 1 or that add up to more.
    """

    def __init__(
        self,
        game: str | GameSpec,
        n: int,
        *,
        seed: int = 0,
        others: Sequence[str] = (),
        others_share: float = 0.0,
        past_share: float = 0.0,
        past_kept: int = 8,
    ) -> None:
        self.game = get_game(game)
        if not 0 <= others_share <= 1 or not 0 <= past_share <= 1 or others_share + past_share > 1:
            shares = f"{others_share!r} and {past_share!r}"
            raise ValueError(f"others_share and past_share must be from 0 to 1 and at most 1 together, not {shares}")
        self.others: list[Policy] = [policy.make(self.game, name) for name in others]
        self.others_share = others_share if self.others else 0.0
        self.past_share = past_share
        self.past: deque[Policy] = deque(maxlen=past_kept)
        self.lineup = np.zeros((n, self.game.seats), np.int64)
        self.generator = np.random.default_rng(np.random.SeedSequence([seed, 1]))
        self.streams: Streams = seed_streams(seed, n, n)

    def add_past(self, earlier: Policy) -> None:
        """Takes in an earlier self. Where the oldest goes for it, its games go on with the next one."""
        self.past.append(earlier)

    def draw(self, rows: Ints) -> None:
        """New line-ups for the games ``rows``."""
        seats = self.game.seats
        draws = self.generator.random((len(rows), 4))
        lineup = np.zeros((len(rows), seats), np.int64)
        past = draws[:, 0] < (self.past_share if self.past else 0.0)
        other = ~past & (draws[:, 0] > 1 - self.others_share)
        player = np.where(past, PAST + (draws[:, 1] * len(self.past)).astype(np.int64), 0)
        first = PAST + (self.past.maxlen or 0)
        player = np.where(other, first + (draws[:, 1] * len(self.others)).astype(np.int64), player)
        seat = (draws[:, 2] * seats).astype(np.int64)
        for k in range(seats):
            # The side of the seat drawn, or that seat alone.
            lineup[:, k] = np.where((k == seat) | ((draws[:, 3] < 2 / 3) & (k % 2 == seat % 2)), player, LEARNER)
        self.lineup[rows] = lineup

    def choose(self, player: int, rows: Ints, observations: Bytes, action_masks: Bytes) -> Ints:
        """What ``player`` does in the games ``rows``, given what the seats to act see: int64 (len(rows),)."""
        streams = self.streams[rows]
        actions = self.ask(player, observations, action_masks, streams)
        self.streams[rows] = streams
        return actions

    def ask(self, player: int, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """What ``player`` does, drawing from other streams than the games': int64 (n,)."""
        first = PAST + (self.past.maxlen or 0)
        who = self.others[player - first] if player >= first else self.past[player - PAST]
        return who.choose(np.ascontiguousarray(observations), np.ascontiguousarray(action_masks), streams)

    # --- saving and restoring ---

    def get_state(self) -> dict[str, npt.NDArray[Any]]:
        """Line-ups and random numbers, without the earlier selves: for `set_state`."""
        state = self.generator.bit_generator.state["state"]
        words = [state[name] >> shift & (1 << 64) - 1 for name in ("state", "inc") for shift in (0, 64)]
        return {
            "lineup": self.lineup.copy(),
            "lineup_streams": self.streams.copy(),
            "lineup_rng": np.array(words, np.uint64),
        }

    def set_state(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continues where `get_state` was called; the earlier selves must have been added in their order."""
        self.lineup[:] = state["lineup"]
        self.streams[:] = state["lineup_streams"]
        words = [int(word) for word in state["lineup_rng"]]
        generator = self.generator.bit_generator
        inner = {"state": words[0] | words[1] << 64, "inc": words[2] | words[3] << 64}
        generator.state = {**generator.state, "state": inner, "has_uint32": 0, "uinteger": 0}
