"""The contract between a game and everything that runs it.

A game is one file under `cardenvs.games`: plain kernels over a record (STATE) in an array of games, called as
``kernel(games, i, ...)``. Environments, policies, matches and trainings work for any `GameSpec`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardenvs.checks import check_seed
from cardenvs.compiled.streams import seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import EPISODE_OVER, RUNNING
from cardenvs.contract.observed import ObservedGame
from cardenvs.contract.outcome import Outcome


class GameSpec(ObservedGame):
    """A game: fields, checks, text and observations.

    Fields are those of `cardenvs.contract.fields.GameFields`; see also `cardenvs.contract.checked.CheckedGame` (states),
    `cardenvs.contract.lines.WrittenGame` (lines of text) and `cardenvs.contract.observed.ObservedGame` (observations).
    """

    def __repr__(self) -> str:
        sizes = f"seats={self.seats}, actions={self.num_actions}, observed={self.observation_size}"
        return f"GameSpec({self.name!r}, {sizes}{', recall=True' if self.recall else ''})"

    def __copy__(self) -> GameSpec:
        return self

    def __deepcopy__(self, memo: Any) -> GameSpec:
        return self

    def deal(self, seed: int, **options: Any) -> Games:
        """Deals one game, shape (1,): the first deal of every environment for ``seed``.

        Raises:
            ValueError: no seed; unknown option or value.
        """
        check_seed(seed)
        games = self.new_games(1, **options)
        self.kernels.deal(games, 0, seed_streams(seed, 1), 0)
        return games

    def outcome(self, state: Games) -> Outcome:
        """Returns the outcome of the deal in a state of shape (1,); raises ValueError if the deal is not over."""
        state = self.check_state(state, whole=True)
        if len(state) != 1 or state[0]["over"] == RUNNING:
            raise ValueError("state must be one state whose deal is over")
        points, tricks = np.zeros((1, self.num_sides), np.int64), np.zeros((1, self.seats), np.int64)
        winners = int(self.kernels.outcome(state, 0, points, tricks))
        return Outcome(
            points=tuple(points[0].tolist()),
            tricks=tuple(tricks[0].tolist()),
            winners=tuple(side for side in range(self.num_sides) if winners >> side & 1),
            tricks_word=self.tricks_word,
            side_of=self.sides_in(state),
        )

    def seat_sides(self, games: Games) -> npt.NDArray[np.int64]:
        """Returns the side of each seat in full states of shape (n,), as dealt where sides are dealt: int64 (n, seats)."""
        side = self.kernels.side
        if side is None:
            return np.tile(np.array(self.side_of, np.int64), (len(games), 1))
        games = self.check_worlds(games)
        rows = [[int(side(games, i, seat)) for seat in range(self.seats)] for i in range(len(games))]
        return np.array(rows, np.int64).reshape(len(games), self.seats)

    def sides_in(self, state: Any) -> tuple[int, ...]:
        """Returns the side of each seat in a state of shape (1,): of this deal, where sides are dealt."""
        state = self.check_worlds(state)
        if len(state) != 1:
            raise ValueError(f"state must be one state of {self.name}, not {len(state)} of them")
        return tuple(self.seat_sides(state)[0].tolist())

    def is_over(self, state: Any) -> bool:
        """Returns whether the episode of a state is over."""
        return bool(self.record(state)["over"] == EPISODE_OVER)


def rewards_of(spec: GameSpec, games: Games, kind: int, share: float = 1.0) -> npt.NDArray[np.float64]:
    """Returns all payments of environments to each seat for a deal, finished or as it stands: float64 (n, seats).

    For a deal under way they are 0, except in a game that pays step by step (`GameSpec.pays_gains`).

    Args:
        kind: `cardenvs.contract.loops.POINTS`, TRICKS, WIN or SCORE.
        share: the ``team_share``, 0 to 1.
    """
    n = len(games)
    points, tricks = np.zeros((n, spec.num_sides), np.int64), np.zeros((n, spec.seats), np.int64)
    out = np.zeros((n, spec.seats), np.float32)
    spec.kernels.batch_pay(games, kind, share, points, tricks, out)
    return out.astype(np.float64)
