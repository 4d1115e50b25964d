"""The kernels that look at the states of a described game: views, observations, re-deals, validation.

A view has the places of the looking seat first, zeros for the cards that the seat does not know, and no order among cards
if the script never reads one.
"""

from __future__ import annotations

from cardenvs.recycle.running.judging import judging, judging_cards, revealing
from cardenvs.recycle.running.keys import keying
from cardenvs.recycle.running.observing import (
    reading,
    reading_bins,
    reading_places,
    writing,
    writing_bins,
    writing_places,
)
from cardenvs.recycle.running.redealing import private_worlds, redealing, steering, worlds
from cardenvs.recycle.running.tables import Kernel, Tables
from cardenvs.recycle.running.viewing import owning, settling, viewing


def looking(
    name: str, t: Tables, fill_map: Kernel, options: Kernel, could: Kernel, note_options: Kernel
) -> dict[str, Kernel]:
    """Makes the contract's kernels view, observe, decode, redeal, fresh_deal, reveal, flaw, key.

    Args:
        name: the module of the game and a colon, then the game's name.
        fill_map: ``(games, i, map)``: works out the points of cards.
        options: ``(games, i, H, target)``: lists options.
        could: ``(games, i, H, p)``: the values that a private bin can have in a world, as bits.
        note_options: ``(views, j)``: sets the rule options of a view from its numbers.
    """
    settle, bins = settling(name, t), owning(name, t)
    owns, veiled = bins["owns"], bins["veiled"]
    dealt = worlds(name, t, veiled=veiled, **private_worlds(name, t, veiled=veiled, could=could))
    steers = steering(name, t, completed=dealt["completed"], options=options)
    decode_places = reading_places(name, t, settle)
    return {
        "view": viewing(name, t, settle, veiled, note_options),
        **redealing(name, t, veiled=veiled, world=dealt["world"], **steers, could=could),
        "observe": writing(name, t, put_private=writing_bins(name, t, veiled), observe_places=writing_places(name, t)),
        "decode": reading(name, t, fill_map, note_options, get_private=reading_bins(name, t), decode_places=decode_places),
        "flaw": judging(name, t, veiled, judging_cards(name, t)),
        "reveal": revealing(name, t, owns),
        "key": keying(name, t),
    }
