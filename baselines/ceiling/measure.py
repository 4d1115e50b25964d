"""The ceiling of a game: results of open cards against policies, and of these against each other, in the same deals."""

import functools
import itertools
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cardenvs.baselines.ceiling.all_seeing import check_open_cards
from cardenvs.baselines.ceiling.best_response import best_margins
from cardenvs.baselines.ceiling.play import play_all_seeing, split_deals
from cardenvs.baselines.ceiling.results import Ceiling, Luck, OpenCards, TeamCeiling, TeamScore
from cardenvs.baselines.match.play import match_deals, play_deals, warm_up
from cardenvs.baselines.match.results import DealResults, Margins
from cardenvs.baselines.match.side import Player, Side
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.statistics import Z95, Interval, margin_interval, share_interval
from cardenvs.baselines.runs.plan import all_options
from cardenvs.baselines.runs.progress import Count, part_of
from cardenvs.baselines.search.any_game.open_hands import POSITIONS, Reached, most_points
from cardenvs.checks import check_int, check_list
from cardenvs.compiled.bits import Ints
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import form_of
from cardenvs.randomness import given_seed

DEALS = 200  # default number of deals, duplicate ones in a game of two sides
EFFECT = 0.05  # default effect, in points a deal, that the numbers of games are for
_DEALS = 256  # deals of a match or a team played at a time


def measure(
    game: str | GameSpec,
    players: Sequence[Player],
    *,
    deals: int = DEALS,
    seed: int | str = 0,
    best_response: bool | None = None,
    open_cards: int | None = None,
    effect: float = EFFECT,
    progress: Count | None = None,
    **options: Any,
) -> Row:
    """Measures results of open cards against policies, and of these against each other, all in the same duplicate deals.

    Two bounds are measured for each policy. *All-seeing*: a side that sees all cards and plays each call, discard and card
    by its minimax value (`all_seeing`); it takes the policy for a perfect player that sees all cards, too, so it wins at
    least what open cards are worth against perfect play and could win more from this policy. *The most*: the best line
    against this very policy with all cards, and its answers, known (`best_response`), which no player can exceed.

    Args:
        game: Euchre or Whist, name or spec; episodes are single deals.
        players: the policies, one at least: names, policies, or `Side` objects.
        deals: how many duplicate deals, at least 2.
        best_response: whether to search for the most that could be won from each policy, in Euchre only; each policy is
            asked some thousand times a deal for it. None: in Euchre.
        open_cards: in Whist, with how many cards a hand the cards are open; before, the side that is to see all cards plays
            as its opponent would. None: from the start where the extra ``dds`` is installed, else with as many as can be
            solved without it.
        effect: the effect, in points a deal, that the numbers of games are for, above 0.
        progress: called with the share of all parts' deals that was finished since the last call, and the part.

    Raises:
        ValueError: another game, no policy or one that is named twice, an unknown policy or option, whole games, or a
            number out of range.
    """
    spec, options = form_of(get_game(game).plain, options, measure)
    if spec.trick_game is None:
        allowed = "euchre and whist, which can be solved with open cards"
        raise ValueError(f"the ceiling is measured in {allowed}, not {spec.name}")
    deals, seed = check_int("deals", deals, 2), given_seed(seed)
    rules = all_options(spec, options)
    if rules["episode"] != "deal":
        raise ValueError("the ceiling is measured in single deals: episode must be 'deal'")
    if best_response and not spec.bids_trump:
        raise ValueError("the most that could be won is searched for in euchre only: whist has too many lines of play")
    if not effect > 0:
        raise ValueError(f"effect must be above 0, not {effect}")
    open_from = check_open_cards(spec, open_cards)
    sides = _make_sides(spec, players, "one or several different ones", least=1)
    warm_up(spec, sides, **options)
    began, numbers = time.perf_counter(), range(deals)
    searching = spec.bids_trump and best_response is not False
    pairs = list(itertools.combinations_with_replacement(sides, 2))
    parts = len(sides) * (1 + searching) + len(pairs)
    progress_of = functools.partial(part_of, progress, pieces=deals, total=parts * deals)
    policies, matches, greatest = [], [], Margins.of_game(spec, rules)
    for side in sides:
        with progress_of(f"all-seeing - {side.name}") as count:
            results = play_all_seeing(spec, side, numbers, seed=seed, open_cards=open_from, options=options, progress=count)
        most = None
        if searching:
            known = results.point_leads
            with progress_of(f"the most from {side.name}") as count:
                margins = best_margins(side, numbers, seed=seed, options=options, at_least=known, progress=count)
            most = margin_interval(margins.mean(1), greatest.points)
        policies.append(OpenCards(
            policy=side.name, win_rate=share_interval(results.wins), most=most,
            points=margin_interval(results.points_margins, greatest.points),
            tricks=margin_interval(results.tricks_margins, greatest.tricks),
        ))  # fmt: skip
    for first, second in pairs:
        with progress_of(f"{first.name} - {second.name}") as count:
            results = _play(spec, first, second, deals, seed, options, count)
        matches.append(luck_of([first.name, second.name], results, effect, greatest.points))
    return Ceiling(
        game=spec.name, options=rules, seed=seed, deals=deals, open_cards=open_from, effect=effect, policies=policies,
        matches=matches, seconds=time.perf_counter() - began,
    )  # fmt: skip


def _make_sides(spec: GameSpec, players: Sequence[Player], allowed: str, least: int = 0) -> list[Side]:
    named = check_list("players", players, "policies or names of policies")
    sides = [player if isinstance(player, Side) else Side(spec, player) for player in named]
    names = [side.name for side in sides]
    if len(sides) < least or len(set(names)) < len(names):
        raise ValueError(f"the policies must be {allowed}, not {', '.join(names) or 'none'}")
    return sides


def _play(
    spec: GameSpec, first: Side, second: Side | None, deals: int, seed: int, options: dict[str, Any],
    count: Callable[[int], None],
) -> DealResults:  # fmt: skip
    """Plays the deals of a match or a team from the first on, and counts them."""
    played = []
    for part in split_deals(range(deals), _DEALS):
        played.append(play_deals(spec, first, second, part, seed=seed, **options))
        count(len(part))
    return DealResults.joined(played)


def luck_of(sides: list[str], results: DealResults, effect: float, most: float) -> Row:
    """The luck of the deal (`Luck`) in a match of at least two duplicate deals.

    Args:
        sides: the names of the first and of the second.
        effect: the effect that is to be distinguished from none, in points a deal, above 0.
        most: the greatest margin in points that a deal can bring.
    """
    leads = results.point_leads.astype(np.float64)
    of_copies = leads.var(0, ddof=1)
    single, duplicate = float(of_copies.mean()), float(leads.mean(1).var(ddof=1))
    joint = float(((leads[:, 0] - leads[:, 0].mean()) * (leads[:, 1] - leads[:, 1].mean())).sum() / (len(leads) - 1))
    spread = math.sqrt(float(of_copies.prod()))
    return Luck(
        sides=sides,
        margin=margin_interval(leads.mean(1), most),
        single_sd=math.sqrt(single),
        duplicate_sd=math.sqrt(duplicate),
        correlation=joint / spread if spread > 0 else None,
        taken=1 - duplicate / (single / 2) if single > 0 else None,
        single_games=_games_needed(single, effect),
        duplicate_games=2 * _games_needed(duplicate, effect),
    )


def _games_needed(variance: float, effect: float) -> int:
    """Number of values of a variance for which ``effect`` is half of the 95% interval of their mean."""
    return math.ceil(variance * (Z95 / effect) ** 2)


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
        game: a game of one side; episodes are single deals.
        players: the teams, as for `measure`; none for open hands alone.
        deals: how many deals, at least 2.
        positions: positions of a deal after which its search is given up, at least 1.
        progress: as for `measure`.

    Raises:
        ValueError: a game of several sides, a policy that is named twice, an unknown policy or option, or a number out of
            range.
    """
    spec, options = form_of(get_game(game).plain, options, measure_team)
    if not spec.one_sided:
        raise ValueError(f"open hands are what a side reaches that nobody plays against: {spec.name} has {spec.num_sides}")
    deals, seed = check_int("deals", deals, 2), given_seed(seed)
    positions = check_int("positions", positions, 1)
    rules = all_options(spec, options)
    sides = _make_sides(spec, players, "different ones")
    warm_up(spec, sides, **options)
    began = time.perf_counter()
    progress_of = functools.partial(part_of, progress, pieces=deals, total=(len(sides) + 1) * deals)
    games, _ = match_deals(spec, 0, deals, seed, options)
    best = None if spec.endings is None else spec.endings.best
    with progress_of("open hands") as count:
        reached = most_points(spec, games, best=best, positions=positions, progress=count)
    scores, most = [], Margins.of_game(spec, rules)
    for side in sides:
        with progress_of(side.name) as count:
            points = _play(spec, side, None, deals, seed, options, count).points[:, 0, 0]
        scores.append(_team_score(most, side.name, points, reached, best))
    found = np.maximum(reached.points, 0 if best is not None else reached.points)
    return TeamCeiling(
        game=spec.name, options=rules, seed=seed, deals=deals, positions=positions, best=best,
        points=most.points_interval(found.astype(np.float64)), perfect=_share_of_best(reached.points, best),
        given_up=int((~reached.exact).sum()), looked=int(reached.positions.sum()), policies=scores,
        seconds=time.perf_counter() - began,
    )  # fmt: skip


def _team_score(most: Margins, name: str, points: Ints, reached: Reached, best: int | None) -> Row:
    """The figures of a team, by its points in the deals and those of open hands."""
    beaten = reached.exact & (points > reached.points)
    assert not beaten.any(), f"{name} has scored more than there is to score in deal {np.flatnonzero(beaten)[0]}"
    can = reached.points == best
    return TeamScore(
        policy=name,
        points=most.points_interval(points.astype(np.float64)),
        perfect=_share_of_best(points, best),
        of_possible=_share_of_best(points[can], best) if can.any() else None,
    )


def _share_of_best(points: Ints, best: int | None) -> Interval | None:
    """The share of the deals with a game's highest score; None if the game has none."""
    return None if best is None else share_interval((points == best).astype(np.float64))
