"""The double-dummy truth: the value of each action with all hands open and perfect play by all."""

import numpy as np

from cardenvs.baselines.ceiling.all_seeing import ILLEGAL, call_values, card_tricks
from cardenvs.baselines.search.trick import dds, double_dummy
from cardenvs.contract.fields import Games
from cardenvs.contract.spec import GameSpec
from cardenvs.games import euchre


def open_values(spec: GameSpec, states: Games) -> list[dict[int, float] | None]:
    """The value of each legal action to the side to act in full states, structured (n,), by its number; None if unknown.

    Values are known in Euchre for discards and cards, as points less the other side's; in Whist as further tricks, once no
    hand holds more than `double_dummy.MAX_CARDS` cards, with the extra ``dds`` always; in Five-O never.
    """
    values: list[dict[int, float] | None] = [None] * len(states)
    if spec.trick_game is None or not len(states):
        return values
    if spec.bids_trump:
        playing = np.flatnonzero(states["phase"] == euchre.PLAYING)
        discarding = np.flatnonzero(states["phase"] == euchre.DISCARDING)
        for k, worth in zip(discarding, call_values(states[discarding]) if len(discarding) else (), strict=True):
            values[k] = {int(card): float(worth[card]) for card in np.flatnonzero(worth != ILLEGAL)}
    else:
        held = np.bitwise_count(states["hands"] | states["trick"]).max(1)
        playing = np.flatnonzero(held <= (13 if dds.is_available() else double_dummy.MAX_CARDS))
    for k, tricks in zip(playing, card_tricks(states[playing]), strict=True):
        cards = np.flatnonzero(tricks >= 0)
        same = np.repeat(states[k : k + 1], len(cards))
        worth = double_dummy.margins_with(same, tricks[cards], same["to_act"] & 1) if spec.bids_trump else tricks[cards]
        values[k] = dict(zip(cards.tolist(), worth.astype(np.float64).tolist(), strict=True))
    return values
