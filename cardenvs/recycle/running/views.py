"""The kernels that look at the states of a described game: views, observations, re-deals, validation.

A view has the places of the looking seat first, zeros for the cards that the seat does not know, and no order among cards
if the script never reads one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardenvs.contract.fields import Part
from cardenvs.contract.layout import Layout
from cardenvs.recycle.running.judging import make_flaw_kernel, make_reveal_kernel
from cardenvs.recycle.running.keys import make_key_kernel
from cardenvs.recycle.running.observing import make_decode_kernel, make_observe_kernel
from cardenvs.recycle.running.redealing import make_redeal_kernels, make_steering_kernels, make_world_kernels
from cardenvs.recycle.running.tables import Kernel, Tables
from cardenvs.recycle.running.viewing import make_private_kernels, make_settle_kernel, make_view_kernel


def make_state_kernels(name: str, t: Tables, rules: Any, dtype: np.dtype[Any], parts: Sequence[Part]) -> dict[str, Kernel]:
    """Makes the contract's kernels view, observe, decode, redeal, fresh_deal, reveal, flaw, key.

    ``dtype`` is the game's STATE, ``parts`` are those of its observations. Of its module ``rules``, ``fill_map(games, i,
    map)`` works out the points of cards, ``options(games, i, H, target)`` lists options, ``note_options(views, j)`` sets a
    view's rule options.
    """
    settle, bins = make_settle_kernel(name, t), make_private_kernels(name, t)
    owns, veiled, private_bit = bins["owns"], bins["veiled"], bins["private_bit"]
    dealt = make_world_kernels(name, t, veiled)
    steers = make_steering_kernels(name, t, complete_world=dealt["complete_world"], options=rules.options)
    module, _, game = name.partition(":")
    declared = Layout(game, dtype, tuple(parts), ranges=None, functions={"veiled": veiled})
    read = declared.decode_kernel(module)
    return {
        "view": make_view_kernel(name, t, settle, veiled, rules.note_options),
        **make_redeal_kernels(name, t, dealt["deal_world"], **steers),
        "observe": make_observe_kernel(name, t, declared.observe_kernel(module)),
        "decode": make_decode_kernel(name, t, read, settle, rules.fill_map, rules.note_options),
        "flaw": make_flaw_kernel(name, t, declared.range_kernel(module), veiled, private_bit),
        "reveal": make_reveal_kernel(name, t, owns, private_bit),
        "key": make_key_kernel(name, t),
    }
