"""The experiments: games between random players, of one AI among random players, and of AIs alone.

A game is one deal, from dealing to its end or to where episodes are cut off. Its cards come from the seed and the game's
number, the same in all experiments, and so do its players' choices: what happens in a game depends on no other.

Options are counted unmerged (`cardenvs.contract.kernels.Kernels.multiplicity`), and every decision counts, forced ones,
too. What is chosen in parts is one decision with all its options.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from cardenvs import policy
from cardenvs.baselines.engine.work import Task
from cardenvs.baselines.runs.plan import Chunk, Pieces, Plan
from cardenvs.baselines.search.any_game.pipmc import Estimates, Pipmc, write_ranks_of
from cardenvs.compiled.bits import Ints, Streams
from cardenvs.compiled.streams import below, seed_streams
from cardenvs.contract.fields import Games
from cardenvs.contract.kernels import Kernels
from cardenvs.contract.loops import RUNNING
from cardenvs.policy.contract import Policy, SeatMemory, ask
from cardenvs.randomness import player_streams

Reals = npt.NDArray[np.float64]

RANDOM, ONE_AI, ALL_AI = "random", "one_ai", "all_ai"
EXPERIMENTS = {RANDOM: "all random", ONE_AI: "one AI against random", ALL_AI: "all AI"}
"""The experiments by their names in results, with their titles for people. The one AI has seat 0."""
STATISTICS = {
    "order": "how far one AI is ahead of random players: 0 not at all, 1 in every game",
    "fairness": "how close seat 0 is to its share of the wins in random play: 1 is even",
    "convergence": "above 0.5, options become fewer in the course of a game",
    "spread": "what lies between the best and the worst option of a decision",
    "drama": "how badly off winners looked, where they did",
    "security": "the share of decisions at which the winner looked safe",
}
"""The six statistics in their order, with their meanings."""
BEATEN = "does not exist: a game of one side has nobody to beat"
OF_ONE_SIDE = {
    **dict.fromkeys(STATISTICS, BEATEN),
    "convergence": STATISTICS["convergence"],
    "spread": "points that lie between the best and the worst option of a decision",
}
"""The meanings of the six statistics in a game of one side."""

PLAYER_STREAMS = 0x5EED
"""Mixed into the seed for the choices of random players, which must be independent of the cards."""
METER_STREAMS = 0x3E7E2
"""Mixed into the seed for the estimates of an observer."""
SEATS_OF_EQUALITY = 4
"""The number of seats with which an estimate on the mark counts as below it: only so the published figures come out, and
those of three seats only if it does not. Four seats are the fewest whose mark, 5/6, is more than its first 15 digits."""
CHUNK_SECONDS = 2.0
"""Seconds, about, that a worker plays before it hands over the games that it has finished."""


@dataclass(frozen=True)
class PlayedGames(Pieces):
    """The figures of each of n games; the last four are zeros where nothing was estimated, as with random players."""

    decisions: Ints  # int64 (n,), number of decisions
    options: Ints  # int64 (n,), number of options of all of them
    indexed: Ints  # int64 (n,), these options, each times its decision's index, which begins with 0
    forced: Ints  # int64 (n,), number of decisions with one option only
    ranks: Ints  # int64 (n, seats), number of seats better than each; -1 in games that were cut off
    spread: Reals  # float64 (n,), the best less the worst estimate of an option for the mover, summed over decisions
    told: Ints  # int64 (n,), decisions that count in drama and security: all of a game that has a winner among sides
    below: Ints  # int64 (n,), those of them at which the mover's estimate for the winner lay below the mark
    gaps: Reals  # float64 (n,), square roots of the distances of these estimates from the mark, summed

    BY_PIECE: ClassVar[tuple[str, ...]] = (
        "decisions", "options", "indexed", "forced", "ranks", "spread", "told", "below", "gaps",
    )  # fmt: skip

    @classmethod
    def empty(cls, n: int, seats: int) -> PlayedGames:
        """Zeros for n games, and ranks of games that were cut off."""
        arrays = {name: np.zeros(n, np.float64 if name in ("spread", "gaps") else np.int64) for name in cls.BY_PIECE}
        return cls(**arrays | {"ranks": np.full((n, seats), -1, np.int64)})  # type: ignore[arg-type]

    @property
    def games(self) -> int:
        """Number of games."""
        return self.size

    @property
    def finished(self) -> npt.NDArray[np.bool_]:
        """Mask of the games that were not cut off, bool (n,)."""
        return self.ranks[:, 0] >= 0

    @property
    def slopes(self) -> Reals:
        """The least-squares slope of the number of options over the decision's index, float64 (n,); 0 of one decision."""
        n = self.decisions.astype(np.float64)
        indices = n * (n - 1) / 2
        spread = n * (n * (n - 1) * (2 * n - 1) / 6) - indices**2
        product = n * self.indexed - indices * self.options
        return np.divide(product, spread, out=np.zeros(len(n)), where=spread > 0)

    @property
    def firsts(self) -> Reals:
        """Each seat's share of the first place, which seats that are level share, float64 (n, seats); 0 if cut off."""
        first = self.ranks == 0
        return first / np.maximum(first.sum(1, keepdims=True), 1)


def _most_decisions(settings: Plan) -> int:
    """The number of decisions at which a game is cut off."""
    return settings.spec.max_decisions or settings.spec.max_steps


@functools.cache
def _random_games(kernels: Kernels) -> Callable[..., None]:
    """The loop that plays games between random players."""
    deal, step, write_ranks = kernels.deal, kernels.step, write_ranks_of(kernels)
    choices, choice, begun = kernels.choices, kernels.choice, kernels.any_begun

    @kernels.loop("game_statistics.random")
    def run(
        games: Any, cards: Streams, players: Streams, limit: int, points: Ints, tricks: Ints, decisions: Ints,
        options: Ints, indexed: Ints, forced: Ints, ranks: Ints,
    ) -> None:  # fmt: skip
        """Plays a game of at most ``limit`` decisions for each of the streams and writes its figures, as in `PlayedGames`.

        ``games`` (2,) has the options in its second record; the first, ``points`` (1, sides) and ``tricks`` (1, seats) are
        overwritten.
        """
        for k in range(len(cards)):
            games[0] = games[1]
            deal(games, 0, cards, k)
            made = 0
            while games[0].over == RUNNING and made < limit:
                count = choices(games, 0)
                if begun(games, 0) == 0:
                    options[k] += count
                    indexed[k] += made * count
                    forced[k] += 1 if count == 1 else 0
                    made += 1
                step(games, 0, choice(games, 0, below(players, k, count)))
            decisions[k] = made
            if games[0].over != RUNNING:
                write_ranks(games, 0, points, tricks, ranks, k)

    return run


def play_random(settings: Plan, numbers: range) -> PlayedGames:
    """Plays games with consecutive numbers between random players, who take each option with the same chance."""
    spec, n = settings.spec, len(numbers)
    played = PlayedGames.empty(n, spec.seats)
    cards = seed_streams(settings.seed, n, numbers.start)
    players = seed_streams(settings.seed ^ PLAYER_STREAMS, n, numbers.start)
    _random_games(spec.kernels)(
        spec.new_games(2, **settings.options), cards, players, _most_decisions(settings),
        np.zeros((1, spec.num_sides), np.int64), np.zeros((1, spec.seats), np.int64), played.decisions, played.options,
        played.indexed, played.forced, played.ranks,
    )  # fmt: skip
    return played


def open_options(settings: Plan, numbers: range) -> list[list[int]]:
    """The number of options at each decision of the games that `play_random` plays, a list for each game."""
    kernels, limit = settings.spec.kernels, _most_decisions(settings)
    found = []
    for number in numbers:
        games = settings.spec.new_games(1, **settings.options)
        kernels.deal(games, 0, seed_streams(settings.seed, 1, number), 0)
        players = seed_streams(settings.seed ^ PLAYER_STREAMS, 1, number)
        counts: list[int] = []
        while games[0]["over"] == RUNNING and len(counts) < limit:
            counts.append(int(kernels.choices(games, 0)))
            kernels.step(games, 0, int(kernels.choice(games, 0, below(players, 0, counts[-1]))))
        found.append(counts)
    return found


class AiPlayer:
    """Plays games with an AI at one seat or at all.

    In games of AIs alone every decision's options are estimated: by the AI itself if it is ``pipmc``; else by a ``pipmc``
    that looks on from the mover's seat, so that figures of all AIs are measured alike.
    """

    def __init__(self, settings: Any) -> None:
        self.settings = settings
        self.ai = policy.make(settings.spec, settings.ai)
        self._memory = SeatMemory(1)
        self.meter = self.ai if type(self.ai) is Pipmc else Pipmc(settings.spec)

    def play_task(self, task: Task[int]) -> Chunk[PlayedGames]:
        """Plays the first games of a task, at least one, for about `CHUNK_SECONDS`; ValueError for an illegal action."""
        end = time.perf_counter() + CHUNK_SECONDS
        experiment = tuple(EXPERIMENTS)[task.of]
        games = [self.play(experiment, task.start)]
        while len(games) < task.stop - task.start and time.perf_counter() < end:
            games.append(self.play(experiment, task.start + len(games)))
        return Chunk(PlayedGames.joined(games))

    def play(self, experiment: str, number: int) -> PlayedGames:
        """Plays the game with a number of ``"one_ai"`` or ``"all_ai"``; ValueError for an illegal action of the AI."""
        settings, spec, kernels = self.settings, self.settings.spec, self.settings.spec.kernels
        played = PlayedGames.empty(1, spec.seats)
        games = spec.new_games(1, **settings.options)
        kernels.deal(games, 0, seed_streams(settings.seed, 1, number), 0)
        players = player_streams(settings.seed, experiment, 1, spec.seats, number)[0]
        watcher = seed_streams(settings.seed ^ METER_STREAMS, 1, number)
        spreads, distances = list[float](), list[Reals]()
        self._memory.games[0], self._memory.tables[0] = number, experiment == ALL_AI
        made, limit = 0, _most_decisions(settings)
        while games[0]["over"] == RUNNING and made < limit:
            mover, count = int(games[0]["to_act"]), int(kernels.choices(games, 0))
            whole = not kernels.any_begun(games, 0)
            if experiment == ALL_AI:
                action, found, taken = self._estimate(games, mover, players, watcher)
                if whole:
                    places = found.places[:, 0]
                    spreads.append(int(places.max() - places.min()) / found.full_place)
                    distances.append(_distances_below(found, taken, mover))
            elif mover == 0:
                action = self._answer(games, mover, players)
            else:
                action = int(kernels.choice(games, 0, below(players, mover, count)))
            if whole:
                played.options[0] += count
                played.indexed[0] += made * count
                played.forced[0] += count == 1
                made += 1
            kernels.step(games, 0, action)
        played.decisions[0], played.spread[0] = made, sum(spreads)
        if games[0]["over"] != RUNNING and spec.one_sided:
            played.ranks[0] = 0
        elif games[0]["over"] != RUNNING:
            outcome = spec.outcome(games)
            points = np.array(outcome.points)[list(outcome.side_of)]
            played.ranks[0] = (points > points[:, None]).sum(1)
            winner = int(points.argmax())  # the first of equals
            gaps = [float(by_seat[winner]) for by_seat in distances]
            badly = [gap for gap in gaps if gap > 0 or (gap == 0 and spec.seats == SEATS_OF_EQUALITY)]
            played.told[0] = len(gaps)
            played.below[0] = len(badly)
            played.gaps[0] = sum(map(math.sqrt, badly))
        return played

    def _observe(self, player: Policy, games: Games, seat: int) -> tuple[Any, Any]:
        """The observation of a player at a seat, int8 (1, d), and the action mask, int8 (1, num_actions)."""
        spec = self.settings.spec
        row = spec.with_recall(player.game.recall).observation(games, seat)
        return row[None], spec.mask(spec.legal(games))[None]

    def _answer(self, games: Games, seat: int, streams: Streams) -> int:
        """The AI's action at a seat."""
        rows, masks = self._observe(self.ai, games, seat)
        first = np.zeros(1, np.int64)
        illegal = partial(self.settings.spec.illegal_answer, games)
        return int(ask(self.ai, rows, masks, streams[None], first, first + seat, illegal, self._memory)[0])

    def _estimate(self, games: Games, mover: int, players: Streams, watcher: Streams) -> tuple[int, Estimates, int]:
        """The AI's action, the estimates of the decision's options, and the number of the option taken."""
        rows, masks = self._observe(self.meter, games, mover)
        views = self.settings.spec.decode(rows)
        if self.meter is self.ai:
            found = self.meter.estimates(views, masks[0], players, mover)
            return int(found.options[found.best_option]), found, found.best_option
        action = self._answer(games, mover, players)
        found = self.meter.estimates(views, masks[0], watcher)
        return action, found, int((found.options == action).argmax())


def _distances_below(found: Estimates, taken: int, mover: int) -> Reals:
    """Distance of each seat's estimate after the option ``taken`` below the mark, float64 (seats,); negative above it.

    The mark is the middle between the first place and the second, (1 + (n - 2) / (n - 1)) / 2 with n seats. Whether an
    estimate is on it is found in whole numbers.
    """
    places = np.roll(found.places[taken], mover)  # those of a search begin with the seat to act
    return np.asarray((found.worlds * (2 * len(places) - 3) - places) / found.full_place)
