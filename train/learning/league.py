"""Leagues: hand-coded policies and earlier selves in a training run's games, as opponents and as partners."""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs import policy
from cardenvs.compiled.bits import Bytes, Ints, Streams
from cardenvs.contract.fields import Games
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy, SeatMemory, ask, ask_rows
from cardenvs.randomness import hashed_streams

LEARNER, PAST = 0, 1  # players in line-ups: the learner, the first earlier self
PAST_KEPT = 8  # number of the latest earlier selves that are kept
OTHERS = PAST + PAST_KEPT  # the first of the other policies in line-ups


class League:
    """Draws the line-up of every episode, and decides for the seats that are not the learner's.

    In a share of the episodes another player sits at the table: with probability 2/3 it holds all seats of one side, as the
    learner's opponents, else one seat, as the learner's partner (where a side has one seat, as an opponent). With
    ``others_seats="opponents"`` it holds all seats but those of one side, drawn uniformly for each episode. In a game of
    one side it holds all seats but one instead of a side. ``others`` play in ``others_share`` of the episodes, and earlier
    selves in ``past_share``; settings are as `Config` checks them. Raises ValueError for unknown policies.
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
    ) -> None:
        self.game = get_game(game).plain
        self.others: list[Policy] = [policy.make(self.game, name) for name in others]
        self.others_share, self.others_seats, self.past_share = others_share, others_seats, past_share
        self.past: deque[Policy] = deque(maxlen=PAST_KEPT)  # earlier selves, the oldest first
        self.lineup = np.zeros((n, self.game.seats), np.int64)  # the player at each seat
        self.generator = np.random.default_rng(np.random.SeedSequence([seed, 1]))  # of the line-ups
        self.streams: Streams = hashed_streams(seed, "league", n)  # of the other players, in each game
        self._memory = SeatMemory(n)

    def add_past(self, earlier: Policy) -> None:
        """Adds an earlier self; the oldest is dropped if there are too many, and the next oldest takes over its games."""
        self.past.append(earlier)

    def draw_lineups(self, rows: Ints, games: Games | None = None) -> None:
        """Draws new line-ups for some games, int64 (k,); ``games``, structured (n,), are needed where sides are dealt."""
        self._memory.games[rows] = self._memory.games.max() + 1 + np.arange(len(rows))
        sides = np.tile(self.game.side_of, (len(rows), 1)) if games is None else self.game.seat_sides(games[rows])
        seats = self.game.seats
        draws = self.generator.random((len(rows), 4))
        lineup = np.zeros((len(rows), seats), np.int64)
        past = draws[:, 0] < (self.past_share if self.past else 0.0)
        other = ~past & (draws[:, 0] > 1 - self.others_share)
        player = np.where(past, PAST + (draws[:, 1] * len(self.past)).astype(np.int64), 0)
        player = np.where(other, OTHERS + (draws[:, 1] * len(self.others)).astype(np.int64), player)
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

    def choose_actions(self, player: int, rows: Ints, seats: Ints, observations: Bytes, action_masks: Bytes) -> Ints:
        """Returns a player's actions in games ``rows`` for ``seats``, all int64 (k,), by these games' random streams."""
        streams = np.tile(self.streams[rows, None], self.game.seats)
        there, shown = np.arange(len(rows)), np.ascontiguousarray(observations)
        memory = self._memory.at(rows)
        actions = ask(self._player_of_number(player), shown, action_masks, streams, there, seats, memory=memory)
        self.streams[rows] = streams[there, seats]
        return actions

    def _player_of_number(self, number: int) -> Policy:
        return self.others[number - OTHERS] if number >= OTHERS else self.past[number - PAST]

    def ask_imagined(self, player: int, observations: Bytes, action_masks: Bytes, streams: Streams) -> Ints:
        """Returns a player's actions in imagined positions, int64 (n,), by other random streams than the games' own. Raises
        ValueError for a policy that remembers."""
        who = self._player_of_number(player)
        if who.remembers:
            raise ValueError(f"the policy {who.name!r} remembers, and cannot be asked in imagined positions")
        return ask_rows(who, np.ascontiguousarray(observations), action_masks, streams)

    # --- saving and restoring ---

    def get_state(self) -> dict[str, npt.NDArray[Any]]:
        """Returns line-ups and random numbers by name, without the earlier selves; `set_state` takes them back."""
        state = self.generator.bit_generator.state["state"]
        words = [state[name] >> shift & (1 << 64) - 1 for name in ("state", "inc") for shift in (0, 64)]
        rng = np.array(words, np.uint64)
        return {"lineup": self.lineup.copy(), "lineup_streams": self.streams.copy(), "lineup_rng": rng}

    def set_state(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continues where `get_state` was called, once all earlier selves are added; ValueError for unknown players."""
        lineup = np.asarray(state["lineup"], np.int64)
        earlier = (lineup >= PAST) & (lineup < PAST + len(self.past))
        others = (lineup >= OTHERS) & (lineup < OTHERS + len(self.others))
        if lineup.shape != self.lineup.shape or not ((lineup == LEARNER) | earlier | others).all():
            raise ValueError("the line-ups name players that are not in the league")
        self.lineup[:] = lineup
        self.streams[:] = state["lineup_streams"]
        words = [int(word) for word in state["lineup_rng"]]
        generator = self.generator.bit_generator
        inner = {"state": words[0] | words[1] << 64, "inc": words[2] | words[3] << 64}
        generator.state = {**generator.state, "state": inner, "has_uint32": 0, "uinteger": 0}
