"""Games of the naive interpreter with a compiled twin that does the same, without numba: for the tests of the language."""

import re
from typing import Any

import pytest

from cardenvs.recycle import Description, RecycleError, walk
from cardenvs.recycle.game import compiled
from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.syntax import Kind
from cardenvs.recycle.running.faults import GameError
from tests.helpers import descriptions
from tests.helpers.twins import SplitMix, Twins
from tests.naive import recycle as naive

LIMITS = re.compile("more than|repeated|(64|32) bits|made already|it is full|nobody can do anything")
"""Errors of which the compiled game has others, or has them elsewhere or at another time: how much is too much."""


class TwinGame(naive.Game):
    """As `naive.Game`; after each step the compiled game is compared with it, errors included."""

    def __init__(self, description: Description, seed: int) -> None:
        self.twins: Twins | None = None
        error: RecycleError | None = None
        try:
            super().__init__(description, SplitMix(1000 + seed))
        except RecycleError as caught:
            error = caught
        try:
            twins = Twins(description, compiled(description, "twin"))
        except RecycleError:
            if error is not None:
                raise error from None
            raise
        games = twins.spec.new_games(1)
        chance = f"{1000 + seed:016x}"
        try:
            twins.spec.set_deal(games, 0, {"chance": chance})
            failed = None
        except GameError as caught:
            failed = caught
        if not LIMITS.search(f"{failed} {error}"):
            found = [None if one is None else (one.line, one.column) for one in (failed, error)]
            assert found[0] == found[1], f"compiled: {failed}; interpreted: {error}"
        if failed is not None and error is None:
            pytest.skip(f"more than is compiled: {failed}")
        if error is not None:
            raise error
        twins.games[:] = games
        self.twins = twins
        self.twins.compare(self)
        if self.over:
            twins.compare_scores(self)

    def play(self, index: int) -> None:
        assert self.twins is not None
        rows = self.twins.rows(self)
        self.twins.take(rows, rows[index])
        super().play(index)
        self.twins.compare(self)
        if self.over:
            self.twins.compare_scores(self)


def value_of(expression: str, *acts: str, **frame: Any) -> Any:
    """As `descriptions.value_of`; the value is stored in the twin's bins or places, too, and compared."""
    value = PLAIN(expression, *acts, **frame)
    game = naive.Game(descriptions.described_by(f"(do ({' '.join(acts)} (let {expression} 'IT (turn pass))))", **frame), 0)
    *_, let = (node for node in walk(game.description) if isinstance(node, syntax.Let))
    stores = {
        Kind.NUMBER: f"(set (game sto ITS) {expression})",
        Kind.STRING: f"(set (game str ITS) {expression})",
        Kind.BOOLEAN: f"({expression} (set (game sto ITS) 1))",
        Kind.CARD: f"(remember {expression} (top (game mem ITS)))",
        Kind.CARDS: f"(all {expression} 'ITSCARD (remember 'ITSCARD (top (game mem ITS))))",
        Kind.SETS: f"(all {expression} 'ITSSET (do ((inc (game sto ITS) 1) (inc (game sto ITSSIZE) (* (size 'ITSSET) "
        "(game sto ITS))) (all 'ITSSET 'ITSCARD (remember 'ITSCARD (top (game mem ITS)))))))",
        Kind.SEATS: f"(all {expression} 'ITSSEAT (do ((inc (game sto ITS) 1) (set ('ITSSEAT sto ITS) (game sto ITS)))))",
        Kind.SEAT: f"(set ({expression} sto ITS) 1)",
        Kind.SIDE: f"(set ({expression} sto ITS) 1)",
    }
    store = stores.get(let.value.kind)
    if store is not None:
        TwinGame(descriptions.described_by(f"(do ({' '.join(acts)} {store}))", **frame), 0)
    return value


PLAIN = descriptions.value_of
"""The function that `value_of` stands for."""
