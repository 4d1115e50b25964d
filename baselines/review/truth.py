"""The double-dummy truth: the value of each action with all hands open and perfect play by all."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardenvs.baselines.search.trick import dds, double_dummy
from cardenvs.contract.cards import members_of
from cardenvs.contract.fields import Games
from cardenvs.contract.spec import GameSpec
from cardenvs.games import euchre

_WHIST_HAND = 13
_EUCHRE_TRICKS = 5


def open_values(spec: GameSpec, states: Games) -> list[dict[int, float] | None]:
    """The value of each legal action to the side to act in full states, structured (n,), by its number; None if unknown.

    Values are known in Euchre for discards and cards, as points less the other side's; in Whist as further tricks, once no
    hand holds more than `double_dummy.MAX_CARDS` cards, with the extra ``dds`` always; in Five-O never.
    """
    values: list[dict[int, float] | None] = [None] * len(states)
    if spec.bids_trump:
        playing = np.flatnonzero(np.asarray(states["phase"]) == euchre.PLAYING)
        tricks = double_dummy.solve_cards(states[playing]) if len(playing) else ()
        for k, row in zip(playing, tricks, strict=True):
            values[k] = _card_points(states[k : k + 1], row)
        for k in np.flatnonzero(np.asarray(states["phase"]) == euchre.DISCARDING):
            values[k] = _discard_points(spec, states[k : k + 1])
    elif spec.trick_game is not None:
        sizes = np.bitwise_count(np.asarray(states["hands"] | states["trick"])).astype(np.int64).max(1, initial=0)
        solver = dds if dds.is_available() else double_dummy
        solvable = np.flatnonzero(sizes <= (_WHIST_HAND if solver is dds else double_dummy.MAX_CARDS))
        if len(solvable):
            for k, row in zip(solvable, solver.solve_cards(states[solvable]), strict=True):
                values[k] = {int(card): float(row[card]) for card in np.flatnonzero(row >= 0)}
    return values


def _card_points(state: Games, tricks: npt.NDArray[np.int64]) -> dict[int, float]:
    """The points of the side to act less the other side's, by the card that is played next."""
    cards, side = np.flatnonzero(tricks >= 0), int(state[0]["to_act"]) & 1
    left = _EUCHRE_TRICKS - int(np.sum(state[0]["tricks"]))
    taken = np.zeros((len(cards), 2), np.int64)
    taken[:, side], taken[:, 1 - side] = tricks[cards], left - tricks[cards]
    points = double_dummy.deal_points(np.repeat(state, len(cards)), taken)
    return dict(zip(cards.tolist(), _margins(points, side), strict=True))


def _discard_points(spec: GameSpec, state: Games) -> dict[int, float]:
    """The points of the dealer's side less the other side's, by its discard; state: structured (1,)."""
    cards = members_of(spec.legal(state))
    after = np.repeat(state, len(cards))
    for k, card in enumerate(cards):
        spec.kernels.step(after, k, card)
    points = double_dummy.deal_points(after, double_dummy.solve(after))
    return dict(zip(cards, _margins(points, int(state[0]["to_act"]) & 1), strict=True))


def _margins(points: npt.NDArray[np.int64], side: int) -> list[float]:
    return [float(row[side] - row[1 - side]) for row in points]
