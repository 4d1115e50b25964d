"""Kernels that `cardenvs.contract.definition.define_game` makes from a game's layout and the five that it brings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardenvs.compiled.bits import Bytes, Streams
from cardenvs.compiled.jit import closure, inlined, kernel
from cardenvs.compiled.streams import new_stream
from cardenvs.contract.kernels import Kernel
from cardenvs.contract.layout import Layout, comparison_kernel
from cardenvs.contract.loops import RUNNING

FIVE = ("deal", "legal", "step", "outcome", "view")
"""The kernels that every game must bring."""


@kernel
def _no_flaw(games: Any, i: int, whole: bool) -> int:
    return np.int64(-1)


@kernel
def _always(games: Any, i: int, whole: bool) -> bool:
    return True


@kernel
def _own_stream(games: Any, i: int, whole: bool) -> bool:
    """Requires a stream of states, and none of views."""
    return (games[i].deal_stream != 0) == whole


@kernel
def _clear_stream(views: Any, j: int) -> None:
    views[j].deal_stream = np.uint64(0)


@kernel
def _remember_nothing(games: Any, i: int, seat: int, views: Any, j: int) -> None:
    pass


@dataclass(frozen=True)
class KernelMaker:
    """Generates the kernels that a game leaves out."""

    name: str
    layout: Layout
    brought: Mapping[str, Any]
    seats: int
    actions: tuple[str, ...]
    most: int  # maximum number of actions of a deal
    by_stream: bool  # whether a state keeps the random stream of its deal

    @property
    def module_name(self) -> str:
        """Module that all kernels are counted to."""
        return str(self.brought["deal"].__module__)

    @property
    def mask_words(self) -> int:
        """Number of 64-bit words in a set of actions."""
        return -(-len(self.actions) // 64)

    def compiled(self, name: str) -> Any:
        """Returns a decorator that compiles a function of a unique name."""
        return closure(f"{self.module_name}:{self.name}.definition.{name}")

    def five_kernels(self) -> dict[str, Kernel]:
        """Returns the five kernels; with a kept stream, a deal stores it and a view hides it."""
        brought = {name: self.brought[name] for name in FIVE}
        if not self.by_stream:
            return brought
        own_deal, own_view = inlined(self.brought["deal"]), inlined(self.brought["view"])

        @self.compiled("deal")
        def deal(games: Any, i: int, streams: Streams, s: int) -> None:
            own = np.empty(1, np.uint64)
            own[0] = new_stream(streams, s)
            games[i].deal_stream = own[0]
            own_deal(games, i, own, 0)

        @self.compiled("view")
        def view(games: Any, i: int, seat: int, views: Any, j: int) -> None:
            own_view(games, i, seat, views, j)
            views[j].deal_stream = np.uint64(0)

        return brought | {"deal": deal, "view": view}

    def observation_kernels(self) -> dict[str, Kernel]:
        """Returns the kernels ``observe``, ``decode`` and ``flaw``."""
        brought = self.brought
        return {
            "observe": brought.get("observe") or self.layout.observe_kernel(self.module_name),
            "decode": self._decode_kernel(),
            "flaw": self._flaw_kernel(),
        }

    def _decode_kernel(self) -> Kernel:
        read = self.brought.get("decode") or self.layout.decode_kernel(self.module_name)
        for complete in (self.brought["complete"], _clear_stream if self.by_stream else None):
            read = read if complete is None else self._completed(inlined(read), complete)
        return read

    def _completed(self, read: Kernel, complete: Kernel) -> Kernel:
        @self.compiled(f"decode.{complete.__name__}")
        def decode(observations: Bytes, row: int, views: Any, j: int) -> None:
            read(observations, row, views, j)
            complete(views, j)

        return decode

    def _replay_kernel(self) -> Kernel:
        """Returns a kernel ``replays(games, i, whole) -> bool``: whether play leads from the start of the deal to a record
        by the actions in its history; true where that lacks some. For a view, the deal of a world is played."""
        if "rewind" not in self.brought or "redeal" not in self.brought:
            return _always
        legal, step, view, rewind = (self.brought[name] for name in ("legal", "step", "view", "rewind"))
        redeal = self.brought.get("redeal_past") or self.brought["redeal"]
        remember = self.brought.get("remember") or _remember_nothing
        same, most = comparison_kernel(f"{self.module_name}:{self.name}.layout", self.layout.dtype), self.most

        @self.compiled("replays")
        def replays(games: Any, i: int, whole: bool) -> bool:
            worlds, starts, actions = (
                np.empty_like(games[i : i + 1]),
                np.empty_like(games[i : i + 1]),
                np.empty(most, np.int64),
            )
            if whole:
                worlds[0] = games[i]
            else:
                redeal(games, i, np.zeros(1, np.uint64), 0, worlds, 0)
            count = rewind(worlds, 0, starts, 0, actions)
            for k in range(count):
                action = actions[k]
                if action < 0 or not legal(starts, 0, action >> 6) >> (action & 63) & 1:
                    return False
                step(starts, 0, action)
            if count < 0 or (whole and same(starts, 0, games, i)):
                return True
            view(starts, 0, 0, worlds, 0)
            if not whole and same(worlds, 0, games, i):
                return True
            remember(starts, 0, 0, worlds, 0)
            return not whole and same(worlds, 0, games, i)

        return replays

    def _flaw_kernel(self) -> Kernel:
        """Returns the kernel ``flaw``: checks the ranges, the game's own conditions, that the seat to act can act, and that
        play leads to the record, where its history has all actions."""
        bounds, own, legal = (
            self.layout.range_kernel(self.module_name),
            self.brought.get("flaw", _no_flaw),
            self.brought["legal"],
        )
        fits = _own_stream if self.by_stream else _always
        parts, replays = self.layout.parts, self._replay_kernel()
        turn = next(k for k, part in enumerate(parts) if getattr(part.source, "field", None) == "to_act")
        least = -1 if "seen" in self.brought or "history_text" in self.brought else 0
        past, untold, most, actions, words = len(parts), len(parts) + 1, self.most, len(self.actions), self.mask_words

        @self.compiled("flaw")
        def flaw(games: Any, i: int, whole: bool) -> int:
            part = bounds(games, i, whole)
            if part >= 0:
                return part
            g = games[i]
            if not fits(games, i, whole):
                return untold
            if (g.to_act < 0) != (g.over != RUNNING):
                return turn
            if g.moves < 0 or g.moves > most:
                return past
            for k in range(g.moves):
                if g.history[k] < least or g.history[k] >= actions:
                    return past
            part = own(games, i, whole)
            if part >= 0:
                return part
            if g.to_act == 0 or (g.to_act > 0 and whole):
                can_act = False
                for word in range(words):
                    can_act |= legal(games, i, word) != 0
                if not can_act:
                    return turn
            return past if g.moves > 0 and not replays(games, i, whole) else np.int64(-1)

        return flaw
