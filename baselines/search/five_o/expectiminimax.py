"""Expectiminimax for Five-O: draw the order of the deck many times, search a few plies in each with alpha-beta, vote."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from cardenvs.baselines.heuristics.five_o import best_placement
from cardenvs.baselines.heuristics.five_o_values import EVALUATIONS, TERMINAL, column_term, column_worth, draws_left
from cardenvs.baselines.search.base import Decisions, Search, WorldSearch
from cardenvs.checks import check_choice, check_int
from cardenvs.compiled.bits import Bytes, Ints, Streams, lowest
from cardenvs.compiled.jit import as_records, kernel
from cardenvs.contract.spec import GameSpec
from cardenvs.games import five_o
from cardenvs.policy.contract import mask_bits
from cardenvs.policy.explanation import Scores

_PLACEMENTS = five_o.MAX_STEPS
_ALL_CARDS = np.int64(five_o.DECK.all)
_ALL_COLUMNS = np.int64(0b11111)

# A column's cards are told apart by a number: in each of at most four rows it got none or one of five cards of its seat.
_KEYS = 6**4

WORLD = np.dtype(
    [
        # a deal with all cards known, seat 0 to place
        ("columns", np.int64, (2, 5)),  # card sets
        ("open", np.int64, (2,)),  # as in five_o.STATE
        ("cards", np.int64, (_PLACEMENTS,)),  # the card of each ply, as a set
        ("placed", np.int64),  # cards placed before the search
        # what is searched
        ("plies", np.int64),
        ("evaluation", np.int64),  # a number of five_o_values.EVALUATIONS, or TERMINAL, for the end of the search
        ("unseen", np.int64),  # the cards in the deck at the end of the search
        ("draws", np.int64),  # the draws open to a column at the end of the search
        # by seat and column: the number of the column as it stands, and the worths known so far by that number
        ("keys", np.int64, (2, 5)),
        ("worths", np.float64, (2, 5, _KEYS)),  # nan: not yet
        ("terms", np.float64, (5,)),
        # the nodes on the way to the current one, by ply
        ("order", np.int64, (_PLACEMENTS, 5)),  # columns to try, the likely best first
        ("new_terms", np.float64, (_PLACEMENTS, 5)),  # of these columns
        ("count", np.int64, (_PLACEMENTS,)),
        ("tried", np.int64, (_PLACEMENTS,)),
        ("left", np.int64, (_PLACEMENTS,)),  # open columns before the placement
        ("old_term", np.float64, (_PLACEMENTS,)),
        ("best", np.float64, (_PLACEMENTS,)),
        ("alpha", np.float64, (_PLACEMENTS,)),
        ("beta", np.float64, (_PLACEMENTS,)),
    ],
    align=True,
)


def new_worlds() -> Any:
    """A world for `open_world` to set: a structured array of `WORLD`, shape (1,)."""
    worlds = np.zeros(1, WORLD)
    return as_records(worlds)


@kernel
def open_world(games: Any, j: int, depth: int, evaluation: int, worlds: Any, w: int) -> None:
    """Sets ``worlds[w]`` for a search of ``depth`` placements from ``games[j]``, a full state in which seat 0 is to place.

    ``evaluation``, a number of `EVALUATIONS`, is for searches that end before the game does.
    """
    g, t = games[j], worlds[w]
    t.placed = g.drawn - 11
    t.plies = min(depth, _PLACEMENTS - t.placed)
    end = t.placed + t.plies
    t.evaluation = TERMINAL if end == _PLACEMENTS else evaluation
    t.draws = draws_left(end)
    t.cards[0] = g.card
    seen = g.card
    for ply in range(1, t.plies):
        card = np.int64(1) << (g.deck[g.drawn + ply - 1] - 1)
        t.cards[ply] = card
        seen |= card
    for seat in range(2):
        t.open[seat] = g.open[seat]
        for k in range(5):
            t.columns[seat, k] = g.columns[seat, k]
            seen |= g.columns[seat, k]
    t.unseen = _ALL_CARDS & ~seen
    used = 1
    for _ in range(t.placed // 10, (end - 1) // 10 + 1):
        used *= 6
    for seat in range(2):
        for k in range(5):
            t.keys[seat, k] = 0
            for key in range(1, used):
                t.worths[seat, k, key] = np.nan
            t.worths[seat, k, 0] = column_worth(t.evaluation, t.columns[seat, k], t.unseen, t.draws)
    for k in range(5):
        t.terms[k] = column_term(t.evaluation, t.worths[0, k, 0], t.worths[1, k, 0])


@kernel
def _key_step(t: Any, ply: int) -> int:
    """Increment of a column's number by the card of a ply."""
    before = t.placed + ply
    step = before % 10 // 2 + 1
    for _ in range(t.placed // 10, before // 10):
        step *= 6
    return step


@kernel
def _list_placements(worlds: Any, w: int, ply: int) -> None:
    """Lists the placements of a ply, the likely best first."""
    t = worlds[w]
    seat = ply & 1
    step = _key_step(t, ply)
    rest = t.open[seat]
    count = 0
    while rest != 0:
        k = lowest(rest)
        rest &= rest - 1
        key = t.keys[seat, k] + step
        worth = t.worths[seat, k, key]
        if np.isnan(worth):
            worth = column_worth(t.evaluation, t.columns[seat, k] | t.cards[ply], t.unseen, t.draws)
            t.worths[seat, k, key] = worth
        other = t.worths[1 - seat, k, t.keys[1 - seat, k]]
        term = column_term(t.evaluation, worth, other) if seat == 0 else column_term(t.evaluation, other, worth)
        gain = term - t.terms[k] if seat == 0 else t.terms[k] - term
        # Insertion sort by gain.
        at = count
        while at > 0:
            before = t.order[ply, at - 1]
            change = t.new_terms[ply, at - 1] - t.terms[before]
            if (change if seat == 0 else -change) >= gain:
                break
            t.order[ply, at] = before
            t.new_terms[ply, at] = t.new_terms[ply, at - 1]
            at -= 1
        t.order[ply, at] = k
        t.new_terms[ply, at] = term
        count += 1
    t.count[ply] = count
    t.tried[ply] = 0
    t.best[ply] = -np.inf if seat == 0 else np.inf


@kernel
def search(worlds: Any, w: int, pruning: bool, values: Scores) -> float:
    """The minimax value of a world for seat 0: alpha-beta with a window that keeps equal values apart from worse ones.

    ``values``, float64 (5,), is set to the values of seat 0's placements, -inf where illegal. With ``pruning``, those below
    the best may be too high, though not as high as the best; plain minimax has the same best value.
    """
    t = worlds[w]
    for k in range(5):
        values[k] = -np.inf
    last = t.plies - 1
    ply = 0
    t.alpha[0] = -np.inf
    t.beta[0] = np.inf
    _list_placements(worlds, w, 0)
    while True:
        seat = ply & 1
        if t.tried[ply] < t.count[ply]:
            at = t.tried[ply]
            k = t.order[ply, at]
            if ply < last:
                t.left[ply] = t.open[seat]
                left = t.open[seat] & ~(np.int64(1) << k)
                t.open[seat] = left if left != 0 else _ALL_COLUMNS
                t.columns[seat, k] |= t.cards[ply]
                t.keys[seat, k] += _key_step(t, ply)
                t.old_term[ply] = t.terms[k]
                t.terms[k] = t.new_terms[ply, at]
                t.alpha[ply + 1] = t.alpha[ply]
                t.beta[ply + 1] = t.beta[ply]
                ply += 1
                _list_placements(worlds, w, ply)
                continue
            # In the order of the columns, so that the value does not depend on the way to it.
            value = 0.0
            for column in range(5):
                value += t.terms[column] if column != k else t.new_terms[ply, at]
        else:
            if ply == 0:
                return t.best[0]
            value = t.best[ply]
            ply -= 1
            seat = ply & 1
            k = t.order[ply, t.tried[ply]]
            t.open[seat] = t.left[ply]
            t.columns[seat, k] &= ~t.cards[ply]
            t.keys[seat, k] -= _key_step(t, ply)
            t.terms[k] = t.old_term[ply]
        t.tried[ply] += 1
        if ply == 0:
            values[k] = value
        if seat == 0:
            t.best[ply] = max(t.best[ply], value)
            t.alpha[ply] = max(t.alpha[ply], value)
        else:
            t.best[ply] = min(t.best[ply], value)
            t.beta[ply] = min(t.beta[ply], value)
        # Strictly: a line that may still equal the best is searched to its end.
        if pruning and t.alpha[ply] > t.beta[ply]:
            t.tried[ply] = t.count[ply]


@kernel
def _vote_rows(
    rows: Ints, decks: int, depth: int, evaluation: int, observations: Bytes, masks: Bytes, streams: Streams, views: Any,
    games: Any, worlds: Any, votes: Scores,
) -> None:  # fmt: skip
    """Adds the votes of ``decks`` more decks in some rows to ``votes``, float64 (n, 5)."""
    values = np.empty((1, 5))
    for row in rows:
        actions = mask_bits(masks, row)
        five_o.decode(observations, row, views, 0)
        for _ in range(decks):
            five_o.redeal(views, 0, streams, row, games, 0)
            open_world(games, 0, depth, evaluation, worlds, 0)
            search(worlds, 0, True, values[0])
            votes[row, best_placement(actions, values, 0, streams, row)] += 1


@kernel
def _choose_rows(masks: Bytes, streams: Streams, votes: Scores, chosen: Ints) -> None:
    """Writes the placement with the most votes in each row to ``chosen``, int64 (n,); one at random among equals."""
    for row in range(len(chosen)):
        chosen[row] = best_placement(mask_bits(masks, row), votes, row, streams, row)


class Expectiminimax(WorldSearch):
    """``expectiminimax``: votes of many decks, each searched a few plies deep with all cards known.

    Each deck is a full deal drawn uniformly from those that the view leaves open: the order of the coming cards and the
    opponent's face-down cards; only the card in hand is known. In each deck both players place the next ``depth`` cards,
    this seat for the highest value at the end and the opponent for the lowest, and the best first placement gets one vote,
    one at random among equals. The placement with the most votes is played, again at random among equals. A score is a
    placement's share of the votes.

    A search that ends before the game does takes the state value ``evaluation`` of the position reached, in which all cards
    in columns are known. A finished game is worth the sum over the columns of ``exp(tanh(9 d / 7463))``, d being the
    difference of the two hands' values. ``greedy2`` and ``fast-greedy2`` add up what each player's columns are worth, so
    that before the end of the game neither player's best placements depend on the other's.

    Source: S. Aharon and M. Mandel, "Five-O Poker", section II.B.3, "averaging over clairvoyance". The paper's agent took a
    minute a placement.

    Args:
        evaluation: a name from `EVALUATIONS`.
        depth: how many placements to look ahead, at least 1, the own one included; the work grows up to fivefold with each
            further placement (the ten placements of a row: at most 14,400 ways).
        decks: how many decks to draw for a decision, at least 1.
        seconds: if given, time for drawing decks instead of their number (32 decks at least); the choice then depends on
            the machine.
    """

    games = ("five-o",)
    chunk = 32
    counted = "decks"

    def __init__(
        self,
        game: str | GameSpec,
        evaluation: str = "fast-greedy2",
        depth: int = 3,
        decks: int = 100,
        seconds: float | None = None,
    ) -> None:
        super().__init__(game, decks, seconds)
        check_choice("evaluation", evaluation, EVALUATIONS)
        self._evaluation = EVALUATIONS[evaluation]
        self.depth = check_int("depth", depth, 1)

    def searches(self, rows: Ints, decisions: Decisions) -> Iterable[tuple[Ints, Search]]:
        search = min(self.depth, _PLACEMENTS), self._evaluation
        scratch = self.game.new_games(1), self.game.new_games(1), new_worlds()
        return [(rows, lambda some, decks: _vote_rows(some, decks, *search, *decisions[:3], *scratch, decisions.sums))]

    def score_and_choose(self, decisions: Decisions) -> tuple[Scores, Ints]:
        _choose_rows(decisions.masks, decisions.streams, decisions.sums, decisions.chosen)
        return decisions.sums / np.maximum(decisions.sums.sum(axis=1, keepdims=True), 1), decisions.chosen
