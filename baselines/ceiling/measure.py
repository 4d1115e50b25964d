"""The ceiling of a game: results of open cards against policies, and of these against each other, in the same deals."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from cardenvs.baselines.ceiling.all_seeing import check_game, check_open_cards
from cardenvs.baselines.ceiling.best_response import best_margins
from cardenvs.baselines.ceiling.luck import luck_of
from cardenvs.baselines.ceiling.play import play_all_seeing
from cardenvs.baselines.ceiling.results import Ceiling, OpenCards
from cardenvs.baselines.match.play import play_deals, warm_up
from cardenvs.baselines.match.results import DealResults, Margins
from cardenvs.baselines.match.side import Player, Side
from cardenvs.baselines.reports.columns import Row
from cardenvs.baselines.reports.statistics import margin_interval, share_interval
from cardenvs.baselines.runs.progress import Count, part_of
from cardenvs.checks import check_int, check_list
from cardenvs.contract.registry import get_game
from cardenvs.contract.spec import GameSpec
from cardenvs.envs.arguments import form_of
from cardenvs.randomness import given_seed

DEALS = 200  # default number of duplicate deals
EFFECT = 0.05  # default effect, in points a deal, that the numbers of games are for
_DEALS = 256  # deals of a match played at a time


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
    check_game(spec)
    deals, seed = check_int("deals", deals, 2), given_seed(seed)
    codes = spec.option_codes(options)
    rules = {option.name: option.decode(codes[option.name]) for option in spec.options}
    if rules["episode"] != "deal":
        raise ValueError("the ceiling is measured in single deals: episode must be 'deal'")
    if best_response and not spec.bids_trump:
        raise ValueError("the most that could be won is searched for in euchre only: whist has too many lines of play")
    if not effect > 0:
        raise ValueError(f"effect must be above 0, not {effect}")
    open_from = check_open_cards(spec, open_cards)
    named = check_list("players", players, "policies or names of policies")
    sides = [player if isinstance(player, Side) else Side(spec, player) for player in named]
    names = [side.name for side in sides]
    if not sides or len(set(names)) < len(names):
        raise ValueError(f"the policies must be one or several different ones, not {', '.join(names) or 'none'}")
    warm_up(spec, sides, **options)
    began, numbers = time.perf_counter(), range(deals)
    searching = spec.bids_trump and best_response is not False
    pairs = list(itertools.combinations_with_replacement(sides, 2))
    parts = len(sides) * (1 + searching) + len(pairs)

    def progress_of(what: str) -> AbstractContextManager[Callable[[int], None]]:
        return part_of(progress, what, deals, parts * deals)

    policies, matches, greatest = [], [], Margins.of_game(spec, rules)
    for side in sides:
        with progress_of(f"all-seeing - {side.name}") as count:
            results = play_all_seeing(spec, side, numbers, seed=seed, open_cards=open_from, options=options, progress=count)
        most = None
        if searching:
            with progress_of(f"the most from {side.name}") as count:
                margins = best_margins(
                    side, numbers, seed=seed, options=options, at_least=results.point_leads, progress=count
                )
            most = margin_interval(margins.mean(1), greatest.points)
        policies.append(
            OpenCards(
                policy=side.name,
                win_rate=share_interval(results.wins),
                points=margin_interval(results.points_margins, greatest.points),
                tricks=margin_interval(results.tricks_margins, greatest.tricks),
                most=most,
            )
        )
    for first, second in pairs:
        with progress_of(f"{first.name} - {second.name}") as count:
            played = []
            for start in range(0, deals, _DEALS):
                part = range(start, min(start + _DEALS, deals))
                played.append(play_deals(spec, first, second, part, seed=seed, **options))
                count(len(part))
        matches.append(luck_of([first.name, second.name], DealResults.joined(played), effect, greatest.points))
    return Ceiling(
        game=spec.name, options=rules, seed=seed, deals=deals, open_cards=open_from, effect=effect, policies=policies,
        matches=matches, seconds=time.perf_counter() - began,
    )  # fmt: skip
