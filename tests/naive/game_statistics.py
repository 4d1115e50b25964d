"""Statistics of a game as one would write them down: games as lists of decisions, statistics by their definitions.

It draws the same random numbers in the same order as `cardenvs.baselines.game_statistics`, with ``pipmc`` as the AI, and so
must play the same games and find the same figures.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from cardenvs import GameSpec
from cardenvs.compiled.bits import Streams
from cardenvs.compiled.streams import below, seed_streams
from cardenvs.contract.loops import RUNNING
from tests.naive import pipmc


@dataclass
class Decision:
    """A decision: who made it, how many options there were, their estimates if somebody made some, and which was taken."""

    mover: int
    options: int
    estimates: list[list[Fraction]] = field(default_factory=list)
    taken: int = -1


@dataclass
class Game:
    """A game: its decisions, and how many seats are better than each; no ranks if it was cut off."""

    decisions: list[Decision]
    ranks: list[int] | None


def play(
    spec: GameSpec, ai: Sequence[int], number: int, seed: int, players: Streams, worlds: int, measured: bool, **options: Any
) -> Game:
    """A game between the AI and random players; without ``measured`` the AI does not think where one action is legal."""
    games = spec.new_games(1, **options)
    spec.kernels.deal(games, 0, seed_streams(seed, 1, number), 0)
    decisions: list[Decision] = []
    most = spec.max_decisions or spec.max_steps
    while games[0]["over"] == RUNNING and len(decisions) < most:
        mover = int(games[0]["to_act"])
        own = players[mover : mover + 1] if len(players) > 1 else players
        open_to = pipmc.options(spec, games)
        decision = Decision(mover, len(open_to))
        if mover not in ai:
            decision.taken = int(below(own, 0, len(open_to)))
        elif measured or len(set(open_to)) > 1:
            view = spec.decode(spec.observation(games, mover)[None])
            decision.estimates = [values for _, values in pipmc.estimates(spec, view, worlds, own, most)]
            worth = [values[0] for values in decision.estimates]
            decision.taken = worth.index(max(worth))
        else:
            decision.taken = 0
        decisions.append(decision)
        spec.kernels.step(games, 0, open_to[decision.taken])
    ranks = None if games[0]["over"] == RUNNING else pipmc.ranks(spec, games)
    return Game(decisions, ranks)


# --- figures of an experiment ----------------------------------------------------------------------------------------


def experiment(games: Sequence[Game], seats: int) -> dict[str, Any]:
    """The figures of an experiment, as in JSON."""
    lengths = [len(game.decisions) for game in games]
    counts = [decision.options for game in games for decision in game.decisions]
    ended = [game.ranks for game in games if game.ranks is not None]
    wins = [Fraction(0)] * seats
    for ranks in ended:
        for seat in range(seats):
            if ranks[seat] == 0:
                wins[seat] += Fraction(1, ranks.count(0))
    return {
        "games": len(games),
        "decisions": sum(lengths) / len(games),
        "decisions_se": np.std(lengths, ddof=1) / math.sqrt(len(games)),
        "options": sum(counts) / len(counts),
        "forced": counts.count(1) / len(counts),
        "wins": [float(share / len(ended)) for share in wins] if ended else [math.nan] * seats,
        "truncated": len(games) - len(ended),
    }


# --- the six statistics ----------------------------------------------------------------------------------------------


def order(games: Sequence[Game], n: int) -> float:
    ended = [game.ranks for game in games if game.ranks is not None]
    p = sum(ranks[0] == 0 for ranks in ended) / len(ended)
    return (p - 1 / n) / (1 - 1 / n)


def fairness(games: Sequence[Game], n: int) -> float:
    p = experiment(games, n)["wins"][0]
    return n * p if p <= 1 / n else (1 - p) * n / (n - 1)


def convergence(games: Sequence[Game]) -> float:
    found = []
    for game in games:
        counts = [decision.options for decision in game.decisions]
        slope = np.polyfit(range(len(counts)), counts, 1)[0] if len(counts) > 1 else 0
        found.append(1 - (slope / 2 + 1 / 2))
    return float(np.mean(found))


def spread(games: Sequence[Game]) -> float:
    found = []
    for game in games:
        for decision in game.decisions:
            own = [values[0] for values in decision.estimates]
            found.append(float(max(own) - min(own)))
    return sum(found) / len(found)


def gaps(games: Sequence[Game], n: int) -> list[Fraction]:
    """By how much the estimate of the eventual winner lies below d, at each decision of a game that has one."""
    d = (1 + Fraction(n - 2, n - 1)) / 2
    found = []
    for game in games:
        if game.ranks is not None:
            winner = game.ranks.index(0)
            for decision in game.decisions:
                found.append(d - decision.estimates[decision.taken][(winner - decision.mover) % n])
    return found


def is_below(gap: Fraction, n: int) -> bool:
    """Whether an estimate counts as below d: with four seats, where d does not end, also if it is d."""
    return gap >= 0 if n == 4 else gap > 0


def drama(games: Sequence[Game], n: int) -> float:
    below_mark = [math.sqrt(gap) for gap in gaps(games, n) if is_below(gap, n)]
    return sum(below_mark) / len(below_mark) if below_mark else math.nan


def security(games: Sequence[Game], n: int) -> float:
    found = gaps(games, n)
    return 1 - sum(is_below(gap, n) for gap in found) / len(found)
