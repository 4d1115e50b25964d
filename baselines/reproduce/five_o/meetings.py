"""The games of Table III: every agent against every other, in three tournaments over the same deals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.reproduce.five_o.paper import AGENTS
from cardenvs.baselines.reproduce.five_o.settings import FAST, SEEDS, SLOW, Sizes
from cardenvs.baselines.tournament import Store, play_tournament, settings_for

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Meeting:
    """Two agents' games, seen from the first agent. Pairs of figures belong to the first and the second agent.

    Attributes:
        wins: float64 (deals,), the first agent's share of each deal's two games, a draw counting half.
        columns: mean of the first agent's columns less the second's, a game.
        games_won: games that each agent won.
        decisions: decisions that each agent made.
        seconds: time that each agent thought.
    """

    wins: Array
    columns: float
    games_won: tuple[int, int]
    decisions: tuple[int, int]
    seconds: tuple[float, float]

    def mirrored(self) -> Meeting:
        """The same games, seen from the second agent."""
        return Meeting(1 - self.wins, -self.columns, self.games_won[::-1], self.decisions[::-1], self.seconds[::-1])


Meetings = dict[tuple[str, str], Meeting]
"""By the names of two agents, their games; every pair stands in both orders."""


def play_table3(
    sizes: Sizes, folder: Path, workers: int | None, cluster: str | None, progress: Callable[[int], None] | None
) -> Meetings:
    """Plays every agent against every other: fast agents over many deals, searching agents over the first of these deals.

    Args:
        sizes: numbers of games and the run's seed.
        folder: folder of the run, in which each of three tournaments keeps a folder of what is finished.
        workers: processes that play; None takes all cores.
        cluster: where they work, as in `cardenvs.baselines.engine.work.work`.
        progress: called with the number of games finished since the last call.
    """
    searching = [agent for agent in AGENTS if agent.startswith("expectiminimax")]
    tiers = (
        ("slow", sizes.slow_games, [*FAST, *searching, *SLOW]),
        ("search", sizes.search_games, [*FAST, *searching]),
        ("fast", sizes.games, list(FAST)),
    )
    meetings: Meetings = {}
    for name, games, agents in tiers:
        settings = settings_for(
            "five-o", [sizes.policy(agent) for agent in agents], deals=games // 2, seed=SEEDS * sizes.seed
        )
        at = folder / f"table3-{name}"
        play_tournament(settings, at, workers=workers, cluster=cluster, progress=_games_since(progress))
        played = Store(at, settings).load()
        for pairing, (i, j) in enumerate(settings.pairs):
            points, tricks = played.points[pairing], played.tricks[pairing]
            won = np.sign(points[..., 0] - points[..., 1])
            meeting = Meeting(
                wins=((won + 1) / 2).mean(axis=1, dtype=np.float64),
                columns=float((tricks[..., 0] - tricks[..., 1]).mean(dtype=np.float64)),
                games_won=(int((won > 0).sum()), int((won < 0).sum())),
                decisions=(int(played.decisions[pairing][0]), int(played.decisions[pairing][1])),
                seconds=(float(played.seconds[pairing][0]), float(played.seconds[pairing][1])),
            )
            # Where a later tournament plays more games of a pair, these are the first of them.
            meetings[agents[i], agents[j]] = meeting
            meetings[agents[j], agents[i]] = meeting.mirrored()
    return meetings


def _games_since(progress: Callable[[int], None] | None) -> Callable[[int, int], None] | None:
    """Turns a tournament's progress, the deals finished so far, into the games finished since the last call."""
    if progress is None:
        return None
    before = 0

    def count(deals: int, _: int) -> None:
        """Passes on the games finished since the last call."""
        nonlocal before
        progress(2 * deals - before)
        before = 2 * deals

    return count


def table3_games(sizes: Sizes) -> int:
    """Number of games that `play_table3` plays."""
    pairs = [math.comb(n, 2) for n in (len(FAST), len(FAST) + 2, len(FAST) + 2 + len(SLOW))]
    return sum(m * games for m, games in zip(pairs, (sizes.games, sizes.search_games, sizes.slow_games), strict=True))
