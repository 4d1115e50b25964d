"""A game's compiled functions: the rules, which its file brings, and the loops over them, which all games share."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from cardenvs.compiled.bits import Bytes
from cardenvs.compiled.jit import closure, inlined
from cardenvs.contract import legal_actions, loops
from cardenvs.contract.loops import Kernel as Kernel
from cardenvs.contract.loops import loop_of


@dataclass(frozen=True)
class Kernels:
    """A game's compiled functions.

    ``games`` and ``views`` are arrays of the game's STATE, ``streams`` uint64 random streams, card sets int64. Kernels
    trust their input: environments check actions and options first.

    A STATE has the fields ``to_act`` (the seat to act, -1 when the deal is over), ``over``
    (`cardenvs.contract.loops.RUNNING`, DEAL_OVER or EPISODE_OVER), ``moves`` and ``history`` (the deal's actions in order,
    -1 for one that the seat of a view has not seen; in a deal from an observation without recall only those since then).
    Where play itself is random, it has ``stream``, a uint64 that `cardenvs.compiled.streams.drawn` draws from, and the
    stream as it was at the start of the deal, for the deal's line of text. Both are 0 in views.

    ``deal``, ``legal``, ``step``, ``outcome`` and ``view`` make a game that plays; ``observe``, ``decode``, ``reveal`` and
    ``flaw`` can be generated from parts with sources (`cardenvs.contract.definition.define_game`). The others are optional.
    """

    deal: Kernel
    """``deal(games, i, streams, s)``: the next deal of an unfinished game, else a new episode (options are kept)."""
    legal: Kernel
    """``legal(games, i, word) -> int64``: the legal actions among ``64 * word`` to ``64 * word + 63``, a bit each; 0 when
    the deal is over."""
    step: Kernel
    """``step(games, i, action)``: plays a legal action; sets ``over`` and ``to_act``."""
    outcome: Kernel
    """``outcome(games, i, points[n, sides], tricks[n, seats]) -> int64``: writes the points of each side and the tricks of
    each seat in a finished deal to row ``i``; returns the sides that have won the episode, a bit each: several can share
    the win, and it is 0 while the episode goes on."""
    view: Kernel
    """``view(games, i, seat, views, j)``: writes what ``seat`` knows to ``views[j]``, turned so that it is seat 0."""
    observe: Kernel
    """``observe(views, i, out, row)``: writes a view as int8 zeros and ones to ``out[row]``."""
    decode: Kernel
    """``decode(observations, row, views, j)``: writes the view behind an observation to ``views[j]``, without history,
    unless the observation has it (``recall``)."""
    reveal: Kernel
    """``reveal(games, i, seat, out, row, column)``: writes what ``seat`` cannot see as int8 zeros and ones to
    ``out[row, column:]``."""
    flaw: Kernel
    """``flaw(games, i, whole) -> int``: -1 if the record, whose fields may hold any number, is a state (``whole``) or else
    a view of the game; otherwise the number of an impossible part of the observation, the number of parts for a wrong
    history, or a greater one for a field that no part shows. Other kernels can be called safely on what has passed. Of a
    history that lacks actions only the length and the numbers are checked."""
    redeal: Kernel | None = None
    """``redeal(views, i, streams, s, games, j)``: writes a full state to ``games[j]``, drawn uniformly from all that are
    consistent with the view; future chance is redrawn, too. Needed by searches."""
    side: Kernel | None = None
    """``side(games, i, seat) -> int``: the side of a seat in a state, where sides are dealt; None where they are fixed."""
    gained: Kernel | None = None
    """``gained(games, i, points[n, sides], tricks[n, seats])``: writes to row ``i`` what ``outcome`` would write if a deal
    under way stopped now; all 0 at its start. With it, the rewards ``points`` and ``score`` are paid step by step, as the
    change of that; lost points are paid back. None where a deal is paid at its end."""
    seen: Kernel | None = None
    """``seen(games, i, seat, action) -> int``: what ``seat`` will see of a legal action of the seat to act: the action, or
    -1 if it is hidden; None where nothing is hidden."""
    multiplicity: Kernel | None = None
    """``multiplicity(games, i, action) -> int``: number of choices of the player that a legal action stands for, by a state
    or by the view of the seat to act, alike. ``random:choices=yes``, ``pipmc`` and statistics then draw among choices. None
    where each action is one choice."""
    begun: Kernel | None = None
    """``begun(games, i) -> int``: 1 where the seat to act is within a choice of several parts, as with the second of
    several cards to discard, else 0; None where each action is a decision of its own. Others must learn of such a choice as
    one event, when it is complete."""
    whole: Kernel | None = None
    """``whole(games, i, action, out) -> int``: where an action completes a choice of several parts, writes all its actions
    to ``out``, int64 (num_actions,), including forced ones, without those that only end it; returns their number. 0 where
    more is to be chosen; None where `begun` is."""
    fresh_deal: Kernel | None = None
    """``fresh_deal(views, i, streams, s, games, j)``: as ``redeal``, but drawn uniformly from all states in which the seat
    sees the same now: of hidden places it knows only the sizes. With it, ``pipmc`` plays as published statistics do."""
    fits: Kernel | None = None
    """``fits(games, i) -> int``: 1 if what ``redeal`` has written is consistent with the view, 0 if none was found and it
    is consistent only in part; None where one is always found."""
    key: Kernel | None = None
    """``key(games, i) -> int64``: transposition key of a full state, 62 bits: equal for two states of one deal from which
    the same can follow, with all cards and future chance known, else by coincidence alone. For searches with open cards."""
    remember: Kernel | None = None
    """``remember(games, i, seat, views, j)``: adds to a view what is only needed with recall; None for nothing."""
    recall: Kernel | None = None
    """``recall(views, i, out, row, column)``: writes the order of all that seat 0 of a view has seen as int8 zeros and ones
    to ``out[row, column:]``. With ``recollect``, it makes environments and policies take ``recall=True``."""
    recollect: Kernel | None = None
    """``recollect(observations, row, column, views, j)``: adds to ``views[j]`` what ``recall`` has written."""
    redeal_past: Kernel | None = None
    """``redeal_past(views, i, streams, s, games, j)``: as ``redeal``, of views with recall; None if ``redeal`` suffices."""
    rewind: Kernel | None = None
    """``rewind(games, i, starts, j, actions) -> int``: writes the start of a state's deal to ``starts[j]`` and all actions
    since, hidden ones included, to ``actions``, int64 (max_steps,); returns their number, -1 if the state does not know
    them all. Needed by searches that replay actions, such as ``learned-search``."""
    name: str = ""
    """Name of the game, set by its spec."""
    words: int = 1
    """Number of 64-bit words in a set of actions, set by the game's spec."""
    side_of: tuple[int, ...] = ()
    """The side of each seat, set by the game's spec; where sides are dealt, of some deal."""
    recall_column: int = 0
    """The column of an observation at which ``recall`` writes, set by the game's spec."""

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def loop(self, name: str) -> Any:
        """Returns a decorator that compiles a loop of a unique name, such as ``"worlds.redeal"``, over these kernels."""
        return closure(f"{self.deal.__module__}:{self.name}.{name}")

    # --- the rules that a game can leave out ---

    @property
    def redealing(self) -> Kernel:
        """The kernel ``redeal``; raises ValueError if the game has none."""
        if self.redeal is None:
            raise ValueError(f"no worlds can be drawn in {self.name}, which brings no kernel redeal")
        return self.redeal

    @cached_property
    def any_side(self) -> Kernel:
        """``side``, in a game of fixed sides, too."""
        if self.side is not None:
            return self.side
        sides = np.array(self.side_of, np.int64)

        @self.loop("side")
        def side(games: Any, i: int, seat: int) -> int:
            return sides[seat]

        return side

    @cached_property
    def any_begun(self) -> Kernel:
        """``begun``, in a game whose actions are whole decisions, too."""
        if self.begun is not None:
            return self.begun

        @self.loop("begun")
        def begun(games: Any, i: int) -> int:
            return 0

        return begun

    @cached_property
    def any_seen(self) -> Kernel:
        """``seen``, in a game that hides no action, too."""
        if self.seen is not None:
            return self.seen

        @self.loop("seen")
        def seen(games: Any, i: int, seat: int, action: int) -> int:
            return action

        return seen

    @cached_property
    def recalling(self) -> Kernels:
        """The kernels with recall in `view`, `observe` and `decode`; raises ValueError if the game has no recall."""
        if self.recall is None or self.recollect is None:
            raise ValueError(f"{self.name} knows no recall")
        plain_view, plain_observe, plain_decode = inlined(self.view), inlined(self.observe), self.decode
        recall, recollect, column = inlined(self.recall), self.recollect, self.recall_column
        view: Any = self.view
        if self.remember is not None:
            remember = inlined(self.remember)

            @self.loop("recall.view")
            def recalling_view(games: Any, i: int, seat: int, views: Any, j: int) -> None:
                plain_view(games, i, seat, views, j)
                remember(games, i, seat, views, j)

            view = recalling_view

        @self.loop("recall.observe")
        def observe(views: Any, i: int, out: Bytes, row: int) -> None:
            plain_observe(views, i, out, row)
            recall(views, i, out, row, column)

        @self.loop("recall.decode")
        def decode(observations: Bytes, row: int, views: Any, j: int) -> None:
            plain_decode(observations, row, views, j)
            recollect(observations, row, column, views, j)

        redeal = self.redeal_past or self.redeal
        return replace(self, name=f"{self.name}.recall", view=view, observe=observe, decode=decode, redeal=redeal)

    # --- the loops, and what they call ---

    pay_so_far = loop_of(loops.pay_so_far, inline=True)
    count_actions = loop_of(legal_actions.count_actions, inline=True)
    nth_action = loop_of(legal_actions.nth_action, inline=True)
    random_action = loop_of(legal_actions.random_action, inline=True)
    emit = loop_of(loops.emit, inline=True)
    batch_deal = loop_of(loops.batch_deal)
    batch_step = loop_of(loops.batch_step)
    batch_pay = loop_of(loops.batch_pay)
    batch_reveal = loop_of(loops.batch_reveal)
    batch_multiplicities = loop_of(loops.batch_multiplicities)
    choices = loop_of(legal_actions.choices)
    choice = loop_of(legal_actions.choice)
    first_illegal = loop_of(loops.first_illegal)
    first_flaw = loop_of(loops.first_flaw)
    first_flawed_row = loop_of(loops.first_flawed_row)
    observe_seat = loop_of(loops.observe_seat)
    random_playouts = loop_of(loops.random_playouts)
