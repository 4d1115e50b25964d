"""An upper bound on the wins of any player against ``exact`` in the last two rows of Five-O.

In the last row the best answer to ``exact`` is known (`cardenvs.baselines.search.five_o.last_row_answer`). The row before
has too many orders of cards, so it is bounded from above, deal by deal, as Rogers ("Monte Carlo valuation of American
options", Mathematical Finance 12, 2002) and Brown, Smith and Sun ("Information relaxations and duality in stochastic
dynamic programs", Operations Research 58, 2010) do: the seat knows the ten cards in advance and pays for that, at each own
card, what the card is better than the mean card by an appraisal (equation 3 after the best placement), and is paid the same
for the other's cards. These charges are 0 on average without that knowledge, so the mean over deals of the best result is
at least what the best player wins; better appraisals give a tighter bound.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.ceiling.all_seeing import expand_states, play_actions
from cardenvs.baselines.search.five_o.chances import mask_illegal, placement_scores
from cardenvs.baselines.search.five_o.exact_chances import exact_row
from cardenvs.baselines.search.five_o.last_row_answer import solve_last_row
from cardenvs.checks import check_int
from cardenvs.contract.cards import members_of
from cardenvs.contract.fields import Games
from cardenvs.games import five_o

SOLVED = 12  # number of ways to fill the row before the last, of up to 120, for which the last row is solved


@dataclass(frozen=True)
class TwoRows:
    """One deal's part of the bound on the last two rows, in shares of the games won above ``exact``."""

    gain: float  # most of a seat that knows its cards of the fourth row and is charged; its mean bounds any player's gain
    last_row: float  # gain of the best answer in the last row alone, where ``exact`` has played before


def two_rows(game: Games, seat: int, solved: int = SOLVED) -> TwoRows:
    """One deal's part of the bound on what a seat can win above ``exact`` in the last two rows of Five-O.

    The last row is solved for the answer that ignores the columns which the other side fills in it.

    Args:
        game: a state before the fourth row with ``hidden_rows`` 1, a structured array of shape (1,); the order of its deck
            is the deal.
        seat: the seat, 0 or 1.
        solved: number of ways to fill the fourth row, best appraisals first, for which the last row is solved, at least 1;
            with fewer than 120 the bound may be missed by what the appraisal misses.

    Raises:
        ValueError: another state, or a number out of range.
    """
    if game.dtype.names != five_o.STATE.names or game.shape != (1,):
        raise ValueError(f"game must be one state of five-o, not {game.dtype} of shape {game.shape}")
    if int(game[0]["drawn"]) != 31 or int(game[0]["hidden_rows"]) != 1:
        raise ValueError("game must have three full rows, no card in the fourth, and hidden_rows 1")
    check_int("seat", seat, 0, 1)
    check_int("solved", solved, 1)
    nodes, charged, followed = game.copy(), np.zeros(1), np.ones(1, np.bool_)
    while int(nodes[0]["drawn"]) < 41:
        actor = int(nodes[0]["to_act"])
        scores, cards, of = drawn_scores(nodes, actor)
        lucky = card_luck(nodes, scores, cards, of)
        chosen = np.nanargmax(scores[cards == np.asarray(nodes["card"])[of]], axis=1)
        if actor != seat:
            charged = charged - lucky
            play_actions(five_o.SPEC, nodes, np.arange(len(nodes)), chosen)
            continue
        nodes, parents, actions = expand_states(five_o.SPEC, nodes, np.arange(len(nodes)))
        followed = followed[parents] & (chosen[parents] == actions)
        charged = (charged + lucky)[parents]
    scores, _, of = drawn_scores(nodes, seat)
    appraised = np.bincount(of, np.nanmax(scores, axis=1)) / np.bincount(of)
    own = int(np.argmax(followed))
    ends = {int(end) for end in np.argsort(charged - appraised, kind="stable")[:solved]} | {own}
    solutions = {end: solve_last_row(nodes[end : end + 1], seat, reads=False) for end in sorted(ends)}
    most = max(row.best - charged[end] for end, row in solutions.items())
    return TwoRows(float(most - (solutions[own].exact - charged[own])), solutions[own].best - solutions[own].exact)


def card_luck(
    nodes: Games, scores: npt.NDArray[np.float64], cards: npt.NDArray[np.int64], of: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Advantage of the card in hand over the mean card, float64 (n,), by the scores of `drawn_scores`."""
    best = np.nanmax(scores, axis=1)
    return np.asarray(best[cards == np.asarray(nodes["card"])[of]] - np.bincount(of, best) / np.bincount(of))


def drawn_scores(nodes: Games, seat: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Scores by ``exact`` (equation 3) of every placement of every card that a seat can draw, all cards face up.

    Returns float64 (m, 5), nan where illegal; of each row the card, as a set, and the number of the state, int64 (m,).
    """
    columns = np.asarray(nodes["columns"])
    cards, of = [], []
    for row in range(len(nodes)):
        drawable = members_of(int(five_o.DECK.all) & ~int(np.bitwise_or.reduce(columns[row], axis=None)))
        cards += [1 << card for card in drawable]
        of += [row] * len(drawable)
    drawn, rows = np.array(cards, np.int64), np.array(of, np.int64)
    views = five_o.SPEC.new_games(len(rows))
    views["columns"][:, 0], views["columns"][:, 1] = columns[rows, seat], columns[rows, 1 - seat]
    views["card"] = drawn
    chances = np.zeros((len(rows), 5, 2))
    legal = np.asarray(nodes["open"])[rows, seat]
    masks = (legal[:, None] >> np.arange(5) & 1).astype(np.int8)
    for k, actions in enumerate(legal.tolist()):
        exact_row(views, k, actions, chances, k)
    return placement_scores(mask_illegal(chances, masks)), drawn, rows
