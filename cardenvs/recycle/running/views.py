"""The kernels that look at the states of a described game: views, observations, re-deals, validation.

A view has the places of the looking seat first, zeros for the cards that the seat does not know, and no order among cards
if the script never reads one.
"""

from __future__ import annotations

from cardenvs.recycle.running.judging import make_card_flaw_kernel, make_flaw_kernel, make_reveal_kernel
from cardenvs.recycle.running.keys import make_key_kernel
from cardenvs.recycle.running.observing import (
    make_decode_kernel,
    make_decode_places_kernel,
    make_get_private_kernel,
    make_observe_kernel,
    make_observe_places_kernel,
    make_put_private_kernel,
)
from cardenvs.recycle.running.redealing import make_redeal_kernels, make_steering_kernels, make_world_kernels
from cardenvs.recycle.running.tables import Kernel, Tables
from cardenvs.recycle.running.viewing import make_ownership_kernels, make_settle_kernel, make_view_kernel


def make_state_kernels(name: str, t: Tables, fill_map: Kernel, options: Kernel, note_options: Kernel) -> dict[str, Kernel]:
    """Makes the contract's kernels view, observe, decode, redeal, fresh_deal, reveal, flaw, key.

    ``fill_map(games, i, map)`` works out the points of cards, ``options(games, i, H, target)`` lists options,
    ``note_options(views, j)`` sets a view's rule options.
    """
    settle, bins = make_settle_kernel(name, t), make_ownership_kernels(name, t)
    owns, veiled = bins["owns"], bins["veiled"]
    dealt = make_world_kernels(name, t, veiled)
    steers = make_steering_kernels(name, t, complete_world=dealt["complete_world"], options=options)
    decode_places = make_decode_places_kernel(name, t, settle)
    return {
        "view": make_view_kernel(name, t, settle, veiled, note_options),
        **make_redeal_kernels(name, t, deal_world=dealt["deal_world"], **steers),
        "observe": make_observe_kernel(
            name,
            t,
            put_private=make_put_private_kernel(name, t, veiled),
            observe_places=make_observe_places_kernel(name, t),
        ),
        "decode": make_decode_kernel(
            name, t, fill_map, note_options, get_private=make_get_private_kernel(name, t), decode_places=decode_places
        ),
        "flaw": make_flaw_kernel(name, t, veiled, make_card_flaw_kernel(name, t)),
        "reveal": make_reveal_kernel(name, t, owns),
        "key": make_key_kernel(name, t),
    }
