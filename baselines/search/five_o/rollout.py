"""Rollout in Five-O: whole games played out from re-deals by a good and fast player of both sides.

The agent is our own. It uses `appraisal` for the columns and equation 3 of the Five-O paper (S. Aharon and
M. Mandel, "Five-O Poker", I.B) for the game; play-outs from re-deals are those of the trick games' ``monte-carlo``.
"""

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np

from cardenvs.baselines.search.base import Decisions, Search, WorldSearch
from cardenvs.baselines.search.five_o.appraisal import (
    appraise_states,
    chance_to_beat,
    following_states,
    new_appraisals,
    single_states,
    state_of,
)
from cardenvs.baselines.search.five_o.chances import three_of_five
from cardenvs.checks import check_int
from cardenvs.compiled.bits import Bytes, Ints, Streams, lowest, overwrite, popcount
from cardenvs.compiled.jit import as_records, helper, kernel
from cardenvs.contract.spec import GameSpec
from cardenvs.games import five_o
from cardenvs.policy.contract import mask_bits
from cardenvs.policy.explanation import Scores

PRIOR = 200  # the weight of the appraisal beside the play-outs, in worlds

_ALL = 0b11111

POSITION = np.dtype(
    [
        ("state", np.int64, (2, 5)),  # the columns' states, face-down cards included
        ("shown", np.int64, (2, 5)),  # the states of what the other player sees of the columns
        ("chance", np.float64, (2, 5)),  # the chance of each column to win, as its owner sees it
        ("held", np.int64, (2, 5)),  # the number of cards in each column
        ("open", np.int64, (2,)),  # a bit for each column that is not longer than the owner's shortest
        ("face_up", np.int64),  # rows that lie face up
    ],
    align=True,
)
"""A position of a play-out; fields with two rows are by seat, seat 0 being the one that searches."""


def new_positions() -> Any:
    """Positions for `open_position` to set and `play_out` to work in: structured (2,), dtype `POSITION`."""
    positions = np.zeros(2, POSITION)
    return as_records(positions)


@helper
def put_card(positions: Any, i: int, seat: int, column: int, after: int, appraisals: Any) -> None:
    """Puts a card into a column, which then has the state ``after``."""
    p = positions[i]
    p.state[seat, column] = after
    p.held[seat, column] += 1
    p.chance[seat, column] = chance_to_beat(after, p.shown[1 - seat, column], appraisals)
    if p.held[seat, column] <= p.face_up:
        p.shown[seat, column] = after
        p.chance[1 - seat, column] = chance_to_beat(p.state[1 - seat, column], after, appraisals)
    left = p.open[seat] & ~(np.int64(1) << column)
    p.open[seat] = left if left != 0 else np.int64(_ALL)


@kernel
def best_column(positions: Any, i: int, seat: int, card: int, following: Any, appraisals: Any) -> int:
    """The open column in which a card does most for the chance to win three, by equation 3; the lowest among equals."""
    p = positions[i]
    columns = p.open[seat]
    if columns & (columns - 1) == 0:
        return lowest(columns)
    chance = p.chance[seat]
    p0, p1, p2, p3, p4 = chance[0], chance[1], chance[2], chance[3], chance[4]
    # A column's chance counts as much as it is likely that exactly two of the other four are won.
    none01, both01 = (1.0 - p0) * (1.0 - p1), p0 * p1
    one01 = 1.0 - none01 - both01
    none34, both34 = (1.0 - p3) * (1.0 - p4), p3 * p4
    one34 = 1.0 - none34 - both34
    one234 = none34 * p2 + one34 * (1.0 - p2)
    two234 = one34 * p2 + both34 * (1.0 - p2)
    one012 = none01 * p2 + one01 * (1.0 - p2)
    two012 = one01 * p2 + both01 * (1.0 - p2)
    best, most = np.int64(-1), -9.0  # gains are above -1
    while columns != 0:
        column = lowest(columns)
        columns &= columns - 1
        if column == 0:
            weight = p1 * one234 + (1.0 - p1) * two234
        elif column == 1:
            weight = p0 * one234 + (1.0 - p0) * two234
        elif column == 2:
            weight = both01 * none34 + one01 * one34 + none01 * both34
        elif column == 3:
            weight = p4 * one012 + (1.0 - p4) * two012
        else:
            weight = p3 * one012 + (1.0 - p3) * two012
        after = np.int64(following[p.state[seat, column], card])
        gain = weight * (chance_to_beat(after, p.shown[1 - seat, column], appraisals) - chance[column])
        if gain > most:
            best, most = np.int64(column), gain
    return best


@kernel
def open_position(views: Any, i: int, singles: Ints, following: Any, appraisals: Any, positions: Any) -> None:
    """Sets position 0 from a view and appraises all columns that can follow; the other's face-down cards are left out."""
    v = views[i]
    p = positions[0]
    roots = np.empty(25, np.int64)
    n = 0
    p.face_up = 5 - v.hidden_rows
    for seat in range(2):
        p.open[seat] = v.open[seat]
        for column in range(5):
            cards = v.columns[seat, column]
            p.state[seat, column] = state_of(cards, singles, following)
            p.shown[seat, column] = state_of(cards & ~v.down[seat], singles, following)
            p.held[seat, column] = popcount(cards)
            roots[n], roots[n + 1] = p.state[seat, column], p.shown[seat, column]
            n += 2
            if seat == 0 and v.open[0] >> column & 1:
                roots[n] = following[p.state[0, column], lowest(v.card)]
                n += 1
    appraise_states(five_o.unseen_cards(views, i), roots, n, following, appraisals)
    for seat in range(2):
        for column in range(5):
            p.chance[seat, column] = chance_to_beat(p.state[seat, column], p.shown[1 - seat, column], appraisals)


@kernel
def appraise_placements(
    views: Any, i: int, actions: int, following: Any, appraisals: Any, positions: Any, scores: Scores
) -> None:
    """Writes the chance to win after each placement in ``actions``, by equation 3; ``views[i]`` is `open_position`'s."""
    p = positions[0]
    chance = np.empty(5)
    while actions != 0:
        action = lowest(actions)
        actions &= actions - 1
        overwrite(chance, p.chance[0])
        after = np.int64(following[p.state[0, action], lowest(views[i].card)])
        chance[action] = chance_to_beat(after, p.shown[1, action], appraisals)
        scores[action] = three_of_five(chance[0], chance[1], chance[2], chance[3], chance[4])


@kernel
def play_out(
    views: Any, i: int, actions: int, worlds: int, following: Any, appraisals: Any, positions: Any, games: Any,
    streams: Streams, s: int, sums: Scores,
) -> None:  # fmt: skip
    """Adds each placement's results in ``worlds`` re-deals to ``sums``: 1 for a win, half for a draw.

    All placements meet the same cards in the same order. Either side plays by what it sees: its opponent's face-down cards
    count only in the final comparison. ``views[i]`` is the view of position 0 of `open_position`; position 1 and
    ``games[0]`` are overwritten.
    """
    v = views[i]
    p = positions[1]
    g = games[0]
    hand = lowest(v.card)
    for _ in range(worlds):
        five_o.redeal(views, i, streams, s, games, 0)
        rest = actions
        while rest != 0:
            action = lowest(rest)
            rest &= rest - 1
            positions[1] = positions[0]
            if g.down[1] != 0:
                for column in range(5):
                    cards = g.columns[1, column] & g.down[1]
                    if cards == 0:
                        continue
                    p.held[1, column] += popcount(cards)
                    while cards != 0:
                        p.state[1, column] = following[p.state[1, column], lowest(cards)]
                        cards &= cards - 1
                    p.chance[1, column] = chance_to_beat(p.state[1, column], p.shown[0, column], appraisals)
            put_card(positions, 1, 0, action, np.int64(following[p.state[0, action], hand]), appraisals)
            seat = 1
            for k in range(v.drawn, 10 + five_o.MAX_STEPS):
                card = np.int64(g.deck[k]) - 1
                column = best_column(positions, 1, seat, card, following, appraisals)
                put_card(positions, 1, seat, column, np.int64(following[p.state[seat, column], card]), appraisals)
                seat = 1 - seat
            won, lost = 0, 0
            for column in range(5):
                won += p.state[0, column] > p.state[1, column]
                lost += p.state[0, column] < p.state[1, column]
            if won >= 3:
                sums[action] += 1.0
            elif lost < 3:
                sums[action] += 0.5


@kernel
def _appraise_row(
    row: int, observations: Bytes, masks: Bytes, views: Any, singles: Ints, following: Any, appraisals: Any, positions: Any,
    scores: Scores,
) -> None:  # fmt: skip
    """Opens the position of one row and writes its placements' chances by equation 3 to ``scores[row]``."""
    five_o.decode(observations, row, views, 0)
    open_position(views, 0, singles, following, appraisals, positions)
    appraise_placements(views, 0, mask_bits(masks, row), following, appraisals, positions, scores[row])


class Rollout(WorldSearch):
    """``rollout``: appraises every placement and, late in the game, plays whole games out after it, playing both sides.

    An appraisal takes each column's chance to win, if its owner puts fitting cards there (`appraisal`), into equation 3 of
    the paper. From row ``row`` on, ``worlds`` deals are drawn, uniformly from those that fit what the seat knows, the
    opponent's face-down cards included; every placement is tried in each deal, both sides play on by the appraisal of what
    they see of the columns, and the hands are compared. A score is the chance to win, a draw counting half: the mean over
    these worlds and the appraisal, which counts as `PRIOR` worlds. Before that row a score is the appraisal alone, as
    players in play-outs do not learn what real ones would in the meantime. Of equals the lowest column's is chosen.

    Args:
        worlds: how many deals to draw for a decision, at least 1.
        seconds: time for drawing deals, in place of their number, 50 at least; the choice then depends on the machine.
        row: the first row in which to play games out, 2 to 5; 5 is the last.
    """

    games = ("five-o",)
    chunk = 50

    def __init__(self, game: str | GameSpec, worlds: int = 400, seconds: float | None = None, row: int = 4) -> None:
        super().__init__(game, worlds, seconds)
        self.row = check_int("row", row, 2, 5)

    @functools.cached_property
    def _appraisals(self) -> Any:  # made at the first decision: a policy that is only named in a menu draws nothing
        return new_appraisals()

    def searches(self, rows: Ints, decisions: Decisions) -> Iterable[tuple[Ints, Search]]:
        views, games, positions = self.game.new_games(1), self.game.new_games(1), new_positions()
        tables, (observations, masks, streams, sums, drawn, _) = (following_states(), self._appraisals), decisions
        filling = 2 + observations[:, self.game.slices["row"]].argmax(axis=1)
        for k, row in enumerate(rows.tolist()):
            _appraise_row(row, observations, masks, views, single_states(), *tables, positions, sums)
            if filling[row] < self.row:
                continue
            actions = sum(1 << int(action) for action in np.flatnonzero(masks[row]))

            def search(some: Ints, worlds: int, actions: int = actions) -> None:
                play_out(views, 0, actions, worlds, *tables, positions, games, streams, some[0], sums[some[0]])

            sums[row] *= PRIOR
            yield rows[k : k + 1], search
            drawn[row] += PRIOR
