"""The ceiling of a game of one side: what teams score, and what could be scored with all cards open, in the same deals."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from cardenvs.baselines.ceiling.results import TeamCeiling, TeamScore
from cardenvs.baselines.match.play import match_deals, play_deals, warm_up
from cardenvs.baselines.match.results import Margins
from cardenvs.baselines.match.side import Player, Side
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.statistics import share_interval
from cardenvs.baselines.runs.progress import Count, part_of
from cardenvs.baselines.search.any_game.open_hands import POSITIONS, Reached, most_points
from cardenvs.checks import check_int, check_list
from cardenvs.compiled.bits import Ints
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import form_of
from cardenvs.randomness import given_seed

DEALS = 200  # default number of deals
_DEALS = 256  # deals of a team played at a time


def measure_team(
    game: str | GameSpec,
    players: Sequence[Player],
    *,
    deals: int = DEALS,
    seed: int | str = 0,
    positions: int = POSITIONS,
    progress: Count | None = None,
    **options: Any,
) -> Row:
    """Measures what teams score in a game of one side, and what could be scored with all cards open, in the same deals.

    *Open hands*: the best line of play in each deal with all cards and all chance to come known
    (`cardenvs.baselines.search.any_game.open_hands`), which no team can exceed there.

    Args:
        game: a game of one side, name or spec; episodes are single deals.
        players: the teams: names of policies, policies, or `Side` objects; none for open hands alone.
        deals: how many deals, at least 2.
        positions: positions of a deal after which its search is given up, at least 1.
        progress: called with the share of all parts' deals that was finished since the last call, and the part.

    Raises:
        ValueError: a game of several sides, a policy that is named twice, an unknown policy or option, or a number out of
            range.
    """
    spec, options = form_of(get_game(game).plain, options, measure_team)
    if not spec.one_sided:
        raise ValueError(f"open hands are what a side reaches that nobody plays against: {spec.name} has {spec.num_sides}")
    deals, seed = check_int("deals", deals, 2), given_seed(seed)
    positions = check_int("positions", positions, 1)
    codes = spec.option_codes(options)
    rules = {option.name: option.decode(codes[option.name]) for option in spec.options}
    named = check_list("players", players, "policies or names of policies")
    sides = [player if isinstance(player, Side) else Side(spec, player) for player in named]
    names = [side.name for side in sides]
    if len(set(names)) < len(names):
        raise ValueError(f"the policies must be different ones, not {', '.join(names)}")
    warm_up(spec, sides, **options)
    began, parts = time.perf_counter(), len(sides) + 1
    games, _ = match_deals(spec, 0, deals, seed, options)
    best = None if spec.endings is None else spec.endings.best
    with part_of(progress, "open hands", deals, parts * deals) as count:
        reached = most_points(spec, games, best=best, positions=positions, progress=count)
    scores, most = [], Margins.of_game(spec, rules)
    for side in sides:
        with part_of(progress, side.name, deals, parts * deals) as count:
            points = np.empty(deals, np.int64)
            for start in range(0, deals, _DEALS):
                part = range(start, min(start + _DEALS, deals))
                points[part.start : part.stop] = play_deals(spec, side, None, part, seed=seed, **options).points[:, 0, 0]
                count(len(part))
        scores.append(_team_score(most, side.name, points, reached, best))
    given_up = int((~reached.exact).sum())
    found = np.maximum(reached.points, 0 if best is not None else reached.points)
    return TeamCeiling(
        game=spec.name, options=rules, seed=seed, deals=deals, positions=positions, best=best,
        points=most.points_interval(found.astype(np.float64)),
        perfect=None if best is None else share_interval(_equals_best(reached.points, best)),
        given_up=given_up, looked=int(reached.positions.sum()), policies=scores, seconds=time.perf_counter() - began,
    )  # fmt: skip


def _team_score(most: Margins, name: str, points: Ints, reached: Reached, best: int | None) -> Row:
    """The figures of a team, by its points in the deals and those of open hands."""
    beaten = reached.exact & (points > reached.points)
    assert not beaten.any(), f"{name} has scored more than there is to score in deal {np.flatnonzero(beaten)[0]}"
    can = reached.points == best
    return TeamScore(
        policy=name,
        points=most.points_interval(points.astype(np.float64)),
        perfect=None if best is None else share_interval(_equals_best(points, best)),
        of_possible=share_interval(_equals_best(points[can], best)) if best is not None and can.any() else None,
    )


def _equals_best(points: Ints, best: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """1.0 for each of some points that are the best, else 0.0."""
    return np.asarray(points == best, np.float64)
