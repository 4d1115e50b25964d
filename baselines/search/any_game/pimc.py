"""``pimc`` for games of one side: whether success can still be reached with all cards open, in worlds that fit."""

from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from cardenvs.baselines.search.any_game.open_hands import NONE, OpenHands
from cardenvs.baselines.search.base import Decisions, Search, WorldSearch
from cardenvs.checks import MOST_DRAWN, check_int
from cardenvs.compiled.bits import Ints
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.explanation import Scores


class TeamPimc(WorldSearch):
    """``pimc``: deals the hidden cards, searches with all of them open behind each legal action, takes the best mean.

    Worlds are drawn uniformly from those that fit what the seat knows, and all actions are tried in the same ones. An
    action counts in a world with the points of the best line of play that is found behind it
    (`cardenvs.baselines.search.any_game.open_hands`), with 0 where none is. Of equal means the action with the lowest
    number is chosen. All hands being open in a world, nothing that could be told seems worth telling.

    Source: perfect-information Monte Carlo as in Ginsberg 2001, for a side that nobody plays against.

    Args:
        worlds: how many worlds a decision takes, at least 1.
        seconds: if given, time for drawing worlds instead of their number; the choice then depends on the machine.
        positions: maximum number of positions that are searched after an action in a world, at least 1.
    """

    games: ClassVar[tuple[str, ...] | None] = None
    needs_worlds = True
    by_default = False
    chunk = 1

    def __init__(self, game: str | GameSpec, worlds: int = 20, seconds: float | None = None, positions: int = 1000) -> None:
        super().__init__(game, worlds, seconds)
        self._positions = check_int("positions", positions, 1, MOST_DRAWN)

    @classmethod
    def unfit(cls, game: GameSpec) -> str:
        if not game.one_sided or game.kernels.key is None:
            return f"plays games of one side that are described, not {game.name}"
        return super().unfit(game)

    def searches(self, rows: Ints, decisions: Decisions) -> Iterable[tuple[Ints, Search]]:
        spec, views, worlds = self.game, self.game.new_games(1), self.game.new_games(1)
        search, (observations, masks, streams, sums, *_) = OpenHands(spec, self._positions), decisions

        def search_open(rows: Ints, count: int) -> None:
            for row in rows.tolist():
                spec.kernels.decode(observations, row, views, 0)
                actions = np.flatnonzero(masks[row])
                for _ in range(count):
                    spec.kernels.redealing(views, 0, streams, row, worlds, 0)
                    sums[row, actions] += self._points_behind(worlds, actions, search)

        return [(rows, search_open)]

    def _points_behind(self, world: Games, actions: Ints, search: OpenHands) -> Scores:
        """The points that are found behind each of k actions in a world, a structured array of shape (1,): float64 (k,)."""
        found = np.zeros(len(actions))
        best = None if self.game.endings is None else self.game.endings.best
        for k, action in enumerate(actions):
            after = world.copy()
            self.game.kernels.step(after, 0, action)
            if after[0]["over"] != RUNNING:
                found[k] = self.game.outcome(after).points[0]
            elif (points := search.most_from(after, best)[0]) != NONE:
                found[k] = points
        return found
