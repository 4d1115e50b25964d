"""Duplicate deals in which a side that sees all cards plays against a policy."""

from collections.abc import Callable, Iterator

import numpy as np

from cardenvs.baselines.ceiling import all_seeing
from cardenvs.baselines.match.play import match_deals, policy_streams
from cardenvs.baselines.match.results import DealResults
from cardenvs.baselines.match.side import Side
from cardenvs.baselines.search.trick.double_dummy import tricks_left
from cardenvs.compiled.bits import Ints, Streams
from cardenvs.compiled.waiting import clock
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.contract.spec import GameSpec
from cardenvs.policy.contract import Policy
from cardenvs.worlds import decide

_DEALS = 128  # deals played at a time


def split_deals(deals: range, most: int) -> Iterator[range]:
    """Consecutive deals in parts of at most so many."""
    return (deals[start : start + most] for start in range(0, len(deals), most))


def policies_by_seat(spec: GameSpec, side: Side) -> list[Policy]:
    """The policy of a side for each seat, as if it held the seat's side."""
    return [side.policies[members.index(seat)] for seat in range(spec.seats) for members in spec.sides if seat in members]


def deal_duplicates(spec: GameSpec, deals: range, seed: int, options: dict[str, object]) -> tuple[Games, Ints, Streams]:
    """Duplicate deals of a match, structured (2 n,): all first copies, then all second ones.

    Also returns the side of the game that the first holds, int64 (2 n,), and the policies' streams, uint64 (2 n, seats).
    """
    games, _ = match_deals(spec, deals.start, len(deals), seed, options)
    return np.tile(games, 2), np.repeat(np.arange(2), len(deals)), policy_streams(seed, deals, 2, spec.seats)


def play_all_seeing(
    spec: GameSpec,
    opponent: Side,
    deals: range,
    *,
    seed: int,
    open_cards: int,
    options: dict[str, object],
    progress: Callable[[int], None] | None = None,
) -> DealResults:
    """Plays duplicate deals of a side that sees all cards, the first of the results, against a policy.

    Args:
        spec: Euchre or Whist.
        deals: the numbers of the deals, consecutive.
        open_cards: while a hand has more cards, the side that is to see all cards plays as its opponent would.

    Raises:
        ValueError: an illegal action of a policy.
    """
    parts = []
    for part in split_deals(deals, _DEALS):
        parts.append(_play_part(spec, opponent, part, seed, open_cards, options))
        if progress is not None:
            progress(len(part))
    return DealResults.joined(parts)


def _play_part(
    spec: GameSpec, opponent: Side, deals: range, seed: int, open_cards: int, options: dict[str, object]
) -> DealResults:
    games, held, streams = deal_duplicates(spec, deals, seed, options)
    players = policies_by_seat(spec, opponent)
    opponent.begin(repr((seed, options, open_cards)), deals, held)
    decisions, seconds = np.zeros(2, np.int64), np.zeros(2)
    while True:
        going = np.flatnonzero(np.asarray(games["over"]) == RUNNING)
        if not len(going):
            break
        own = (np.asarray(games["to_act"])[going] & 1) == held[going]
        sees = own & (tricks_left(games[going]) <= open_cards)
        for side, rows in enumerate((going[sees], going[~sees])):
            if not len(rows):
                continue
            began = clock()
            if side == 0:
                actions = all_seeing.choose(games[rows])
            else:
                actions = decide(spec, games, rows, players, streams, opponent.memory)
            seconds[side] += clock() - began
            decisions[side] += len(rows)
            all_seeing.play_actions(spec, games, rows, actions)
    points, tricks = side_outcomes(spec, games)
    turned = np.stack([held, 1 - held], 1)

    def by_side(counted: Ints) -> Ints:
        return np.ascontiguousarray(np.take_along_axis(counted, turned, 1).reshape(2, len(deals), 2).swapaxes(0, 1))

    return DealResults(by_side(points), by_side(tricks), decisions, seconds, dealt=2 * len(deals))


def side_outcomes(spec: GameSpec, games: Games) -> tuple[Ints, Ints]:
    """The points and the tricks of both sides in finished deals, int64 (n, 2) each."""
    points, tricks = np.zeros((len(games), 2), np.int64), np.zeros((len(games), spec.seats), np.int64)
    for row in range(len(games)):
        spec.kernels.outcome(games, row, points, tricks)
    return points, np.stack([tricks[:, list(members)].sum(1) for members in spec.sides], 1)
