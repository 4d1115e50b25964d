"""The most that can be won from a policy in given deals of Euchre: the best line of play with all cards open.

A policy's answers follow from its observations and its random streams, which are known here, too. So the search has no
opponent: it tries all calls and cards of the side, the policy answering, and keeps the line that wins most. No player can
win more from this policy in these deals; from one that draws lots it can with other lots, but not on average.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.ceiling.all_seeing import expand_states, play_actions
from cardenvs.baselines.ceiling.play import deal_duplicates, policies_by_seat, side_outcomes, split_deals
from cardenvs.baselines.match.side import Side
from cardenvs.baselines.search.trick.double_dummy import margins_with, tricks_left
from cardenvs.compiled.bits import Ints, Streams
from cardenvs.contract.fields import Games
from cardenvs.contract.loops import RUNNING
from cardenvs.games import euchre
from cardenvs.policy.contract import Policy
from cardenvs.worlds import decide

_DEALS = 32  # deals searched at a time
_BLOCK = 4096  # positions that are played on at a time
_MOST = 4  # the most points of a deal: a lone march


def best_margins(
    opponent: Side,
    deals: range,
    *,
    seed: int,
    options: dict[str, object],
    at_least: Ints | None = None,
    progress: Callable[[int], None] | None = None,
) -> npt.NDArray[np.int64]:
    """The most points above a policy's side in duplicate deals of Euchre, by deal and copy, int64 (deals, 2).

    Args:
        deals: the numbers of the deals, consecutive.
        seed: the seed of a match, which fixes the deals and the random streams of the policies.
        at_least: int64 (deals, 2), margins that are known to be reached; lines that cannot win more are left out.

    Raises:
        ValueError: an illegal action of a policy.
    """
    players = policies_by_seat(euchre.SPEC, opponent)
    if any(player.remembers for player in players):
        raise ValueError(f"there is no best answer to {opponent.name}: it remembers what it was shown before")
    out = np.full((len(deals), 2), -_MOST - 1) if at_least is None else at_least.copy()
    for part in split_deals(deals, _DEALS):
        games, held, streams = deal_duplicates(euchre.SPEC, part, seed, options)
        rows = slice(part.start - deals.start, part.stop - deals.start)
        best = out[rows].T.ravel()
        _raise_to_best(games, held, streams, players, best)
        out[rows] = best.reshape(2, -1).T
        if progress is not None:
            progress(len(part))
    return out


def _raise_to_best(games: Games, held: Ints, streams: Streams, players: list[Policy], best: Ints) -> None:
    """Raises ``best``, int64 (n,), to the greatest margins that the sides ``held`` can reach in the deals ``games``."""
    waiting = [(games, np.arange(len(games)), streams)]
    while waiting:
        games, roots, streams = waiting.pop()
        wanted = np.flatnonzero(_at_most(games, held[roots]) > best[roots])
        games, roots, streams = games[wanted], roots[wanted], streams[wanted]
        own = (np.asarray(games["to_act"]) & 1) == held[roots]
        asked, mine = np.flatnonzero(~own), np.flatnonzero(own)
        following = []
        if len(asked):
            play_actions(euchre.SPEC, games, asked, decide(euchre.SPEC, games, asked, players, streams))
            following.append((games[asked], roots[asked], streams[asked]))
        if len(mine):
            after, parents, _ = expand_states(euchre.SPEC, games, mine)
            following.append((after, roots[parents], streams[parents]))
        for games, roots, streams in following:
            over = np.asarray(games["over"]) != RUNNING
            ended = np.flatnonzero(over)
            if len(ended):
                points, _ = side_outcomes(euchre.SPEC, games[ended])
                rows, side = np.arange(len(ended)), held[roots[ended]]
                np.maximum.at(best, roots[ended], points[rows, side] - points[rows, 1 - side])
            going = np.flatnonzero(~over)
            for start in range(0, len(going), _BLOCK):
                block = going[start : start + _BLOCK]
                waiting.append((games[block], roots[block], streams[block]))


def _at_most(games: Games, side: Ints) -> Ints:
    """Upper bound of a side's margin in each state, int64 (n,): it takes all tricks left."""
    out = np.full(len(games), _MOST)
    made = np.flatnonzero(np.asarray(games["maker"]) >= 0)
    if len(made):
        out[made] = margins_with(games[made], tricks_left(games[made]), side[made])
    return out
