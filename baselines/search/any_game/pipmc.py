"""``pipmc``: perfect-information Monte Carlo as card-game statistics use it, for every game on the contract alone."""

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from cardenvs.baselines.search.base import Decisions, Search, WorldSearch, spend_budget
from cardenvs.compiled.bits import Bytes, Ints, Streams, borrowed
from cardenvs.compiled.jit import helper
from cardenvs.compiled.streams import below
from cardenvs.contract.fields import Games
from cardenvs.contract.kernels import Kernel, Kernels
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.explanation import Scores


def level_0(kernels: Kernels) -> Kernel:
    """The kernel that re-deals hidden cards from what a seat may look at now, without memory and conclusions.

    A game that has no such kernel (`cardenvs.contract.kernels.Kernels.fresh_deal`) deals from all that the seat knows.
    """
    return kernels.fresh_deal or kernels.redealing


def write_ranks_of(kernels: Kernels) -> Kernel:
    """Makes the kernel that writes the rank of each seat in a finished deal: the number of seats strictly better."""
    outcome, side = kernels.outcome, kernels.any_side

    @helper
    def write_ranks(games: Any, i: int, points: Ints, tricks: Ints, ranks: Ints, row: int) -> None:
        """Writes the ranks in game ``i`` to ``ranks[row]``; row ``i`` of ``points`` and ``tricks`` is overwritten."""
        points, tricks = borrowed(points), borrowed(tricks)
        outcome(games, i, points, tricks)
        seats = tricks.shape[1]
        for seat in range(seats):
            own = points[i, side(games, i, seat)]
            rank = 0
            for other in range(seats):
                if points[i, side(games, i, other)] > own:
                    rank += 1
            ranks[row, seat] = rank

    return write_ranks


@functools.cache
def _search_of(kernels: Kernels) -> Callable[..., None]:
    redeal, step, outcome, choices = level_0(kernels), kernels.step, kernels.outcome, kernels.choices
    choice, write_ranks = kernels.choice, write_ranks_of(kernels)

    @kernels.loop("pipmc.search")
    def search(
        worlds: int, views: Any, options: Ints, streams: Streams, s: int, games: Any, points: Ints, tricks: Ints,
        ranks: Ints, places: Ints, limit: int,
    ) -> None:  # fmt: skip
        """Adds to ``places``, int64 (options, seats), the seats' places after each option, in ``worlds`` worlds of its own.

        In a game of one side these are the side's points. ``views[0]`` is the view, ``options``, int64 (options,), are
        actions; ``games`` (1,), ``points`` (1, sides), ``tricks`` (1, seats) and ``ranks`` (1, seats) are overwritten.
        """
        seats = places.shape[1]
        for option in range(len(options)):
            for _ in range(worlds):
                redeal(views, 0, streams, s, games, 0)
                step(games, 0, options[option])
                length = 1
                while games[0].over == RUNNING and length < limit:
                    step(games, 0, choice(games, 0, below(streams, s, choices(games, 0))))
                    length += 1
                if points.shape[1] == 1:
                    if games[0].over != RUNNING:
                        outcome(games, 0, points, tricks)
                        for seat in range(seats):
                            places[option, seat] += points[0, 0]
                elif games[0].over == RUNNING:
                    for seat in range(seats):
                        places[option, seat] += seats - 1
                else:
                    write_ranks(games, 0, points, tricks, ranks, 0)
                    for seat in range(seats):
                        places[option, seat] += 2 * (seats - 1 - ranks[0, seat])

    return search


@dataclass(frozen=True)
class Estimates:
    """Places of the seats after each option of a decision, by play-outs.

    In each play-out a seat's place is twice the number of other seats that it is ahead of, plus those that it is level
    with; seat 0 is to act, the others follow in order. In a game of one side its points take the place of places.
    """

    options: Ints  # int64 (options,), the action of each option; an action stands there once for each choice merged into it
    places: Ints  # int64 (options, seats), summed over the play-outs
    worlds: int  # number of play-outs of each option
    unit: int  # the place of a seat in a play-out that counts 1: 2 (n - 1) with n seats, 1 in a game of one side

    @property
    def means(self) -> Scores:
        """The estimates, float64 (options, seats): means of (n - 1 - rank) / (n - 1), or of points; see `Pipmc`."""
        return self.places / self.full_place

    @property
    def full_place(self) -> int:
        """Value of ``places`` for an estimate of 1."""
        return self.unit * self.worlds

    @property
    def best_option(self) -> int:
        """The number of the option that is best for the seat to act, the first of equals."""
        return int(self.places[:, 0].argmax())


class Pipmc(WorldSearch):
    """``pipmc``: for each option deals the hidden cards, plays out at random, and takes the option that ranks best.

    Each option gets deals of its own. What is counted is (n - 1 - rank) / (n - 1) at the end of the deal, where the rank
    among n seats is the number of seats that are strictly better: 1 for the first, 0 for the last; seats of one side share
    their rank. In a game of one side its points are counted instead. Random players take each option with the same chance.
    Where several options are merged into one action (`cardenvs.contract.kernels.Kernels.multiplicity`), each is tried for
    itself, and the action scores as its best one. Of equal options the first is taken. A play-out that is as long as an
    episode may be, and not over, counts 1/2 for all, or no points in a game of one side, which pays nothing when it is cut
    off. In described games the deals keep what the seat may look at now alone; they may contradict what it has seen before
    or could conclude, as the published player's do. Elsewhere they keep all that it knows.

    Source: the player whose games CardStock's published statistics are of, by its description there.

    Args:
        worlds: how many deals to draw for each option, at least 1.
        seconds: if given, time for drawing deals instead of their number, the same number for each option; the choice then
            depends on the machine.
    """

    games: ClassVar[tuple[str, ...] | None] = None
    needs_worlds = True
    chunk = 1

    def __init__(self, game: str | GameSpec, worlds: int = 10, seconds: float | None = None) -> None:
        super().__init__(game, worlds, seconds)
        self._limit = self.game.max_decisions or self.game.max_steps
        self._unit = 1 if self.game.one_sided else 2 * (self.game.seats - 1)
        _search_of(self.game.kernels)  # known before anything is compiled: the guess of how long that takes counts it

    def searches(self, rows: Ints, decisions: Decisions) -> Iterable[tuple[Ints, Search]]:
        views, (observations, masks, streams, sums, drawn, _) = self.game.new_games(1), decisions
        for k, row in enumerate(rows):
            self.game.kernels.decode(observations, row, views, 0)
            options, places, search = self._option_search(views, masks[row], streams)
            yield rows[k : k + 1], search
            sums[row, options] = -np.inf
            np.maximum.at(sums[row], options, places[:, 0])
            drawn[row] *= self._unit

    def estimates(self, views: Games, action_mask: Bytes, streams: Streams, s: int = 0) -> Estimates:
        """Estimates each seat's place after each option of a decision, or the points of the one side.

        ``views``, shape (1,), is what the seat to act knows, as of `GameSpec.decode`; the actions of ``action_mask`` are
        tried. Stream number ``s`` is advanced.
        """
        options, places, search = self._option_search(views, action_mask, streams)
        drawn = spend_budget(search, np.array([s]), self.worlds, self.seconds, self.chunk)
        return Estimates(options, places, int(drawn[0]), self._unit)

    def _option_search(self, views: Games, action_mask: Bytes, streams: Streams) -> tuple[Ints, Ints, Search]:
        """The options of a decision, the places after them, yet 0, and the search that adds to these by one stream."""
        spec, kernels = self.game, self.game.kernels
        options = np.flatnonzero(action_mask).astype(np.int64)
        if kernels.multiplicity is not None:
            options = np.repeat(options, [int(kernels.multiplicity(views, 0, int(action))) for action in options])
        places = np.zeros((len(options), spec.seats), np.int64)
        play_out, games = _search_of(kernels), spec.new_games(1)
        points, tricks = np.zeros((1, spec.num_sides), np.int64), np.zeros((1, spec.seats), np.int64)
        ranks = np.zeros((1, spec.seats), np.int64)
        limit = self._limit - int(views[0]["moves"])

        def search(rows: Ints, worlds: int) -> None:
            play_out(worlds, views, options, streams, rows[0], games, points, tricks, ranks, places, limit)

        return options, places, search
